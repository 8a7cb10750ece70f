// SPDX-License-Identifier: Apache-2.0
// The library's linear recurrences of columns: scans of affine maps, whose factors and terms stand in two arrays. One kernel
// serves both directions.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "library_recurrence.hpp"

namespace onepass::library::detail {

namespace {

// Where the recurrence meets its i-th item.
struct path {
  index_t n, width;
  bool reverse, next_factor;

  ONEPASS_HOST_DEVICE index_t item(index_t i) const { return reverse ? n - 1 - i : i; }
  // Whose factor item i of the path takes. That of a row's first item counts for nothing, so any that exists will do.
  ONEPASS_HOST_DEVICE index_t factor(index_t i) const { return item(next_factor && i >= width ? i - width : i); }
};

template <class T>
struct map_at {
  const T *a, *b;
  path along;
  ONEPASS_HOST_DEVICE affine_map<T> operator()(index_t i) const { return {a[along.factor(i)], b[along.item(i)]}; }
};
template <class T>
struct store_term {
  T* out;
  path along;
  ONEPASS_HOST_DEVICE void operator()(index_t i, const affine_map<T>& scanned) const { out[along.item(i)] = scanned.b; }
};

}  // namespace

void linear_recurrence(const execution& where, const_items a, const_items b, std::size_t size, const columns& by,
                       items out, const recurrence_options& options) {
  constexpr auto call = "linear_recurrence";
  const index_t n = checked_size(call, size);
  check_pointer(call, "a", a.data, size);
  check_pointer(call, "b", b.data, size);
  check_pointer(call, "out", out.data, size);
  const onepass::column_segments shape = onepass::columns(by.width, by.height);
  onepass::detail::check_columns(call, shape);
  if (n > 0 && options.reverse) {
    const onepass::detail::column_shape whole = onepass::detail::shape_of(shape, n);
    if (n % (whole.width * whole.height) != 0) throw invalid_argument(call, "the last row or column is not whole");
  }
  check_out(call, "a", a, out, n, false);
  check_out(call, "b", b, out, n, false);
  if (by.width == 1) return recur_in_rows(where, a, b, n, shape.height, out, options);
  const path along{n, by.width, options.reverse, options.next_factor};
  with_policy(call, where, [&](const auto& policy) {
    with_float(out.kind, [&](auto* tag) {
      using T = std::remove_pointer_t<decltype(tag)>;
      const auto first = thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0),
                                                         map_at<T>{as(tag, a.data), as(tag, b.data), along});
      const auto to = thrust::make_tabulate_output_iterator(store_term<T>{as(tag, out.data), along});
      onepass::inclusive_segmented_scan(policy, first, first + n, shape, to, affine{});
    });
  });
}

}  // namespace onepass::library::detail
