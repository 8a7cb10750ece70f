// SPDX-License-Identifier: Apache-2.0
// The library's linear recurrences of columns: scans of affine maps, whose factors and terms stand in two arrays. One kernel
// serves both directions.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "library_recurrence.hpp"

namespace onepass::library::detail {

namespace {

// Where the recurrence meets its i-th item. Count: index_t, or on CUDA item_count, as there the device alone may know the size.
template <class Count>
struct path {
  Count n;
  index_t width;
  bool reverse, next_factor;

  ONEPASS_HOST_DEVICE index_t item(index_t i) const { return reverse ? number(n) - 1 - i : i; }
  // Whose factor item i of the path takes. That of a row's first item counts for nothing, so any that exists will do.
  ONEPASS_HOST_DEVICE index_t factor(index_t i) const { return item(next_factor && i >= width ? i - width : i); }

 private:
  static ONEPASS_HOST_DEVICE index_t number(index_t n) { return n; }
  static ONEPASS_HOST_DEVICE index_t number(const onepass::detail::item_count& n) { return n.get(); }
};

template <class T, class Count>
struct map_at {
  const T *a, *b;
  path<Count> along;
  ONEPASS_HOST_DEVICE affine_map<T> operator()(index_t i) const { return {a[along.factor(i)], b[along.item(i)]}; }
};
template <class T, class Count>
struct store_term {
  T* out;
  path<Count> along;
  ONEPASS_HOST_DEVICE void operator()(index_t i, const affine_map<T>& scanned) const { out[along.item(i)] = scanned.b; }
};

}  // namespace

void linear_recurrence(const execution& where, const_items a, const_items b, std::size_t size, const columns& by,
                       items out, const recurrence_options& options) {
  constexpr auto call = "linear_recurrence";
  const index_t n = checked_items(call, where, size);
  check_pointer(call, "a", a.data, size);
  check_pointer(call, "b", b.data, size);
  check_pointer(call, "out", out.data, size);
  const onepass::column_segments shape = onepass::columns(by.width, by.height);
  onepass::detail::check_columns(call, shape);
  if (n > 0 && options.reverse && !device_knows_size(where)) {
    const onepass::detail::column_shape whole = onepass::detail::shape_of(shape, n);
    if (n % (whole.width * whole.height) != 0) throw invalid_argument(call, "the last row or column is not whole");
  }
  check_out(call, "a", a, out, n, false);
  check_out(call, "b", b, out, n, false);
  if (by.width == 1 && !device_knows_size(where)) return recur_in_rows(where, a, b, n, shape.height, out, options);
  with_policy(call, where, [&](const auto& policy) {
    constexpr bool device_may_know = onepass::detail::on_cuda<std::decay_t<decltype(policy)>>;
    using count = std::conditional_t<device_may_know, onepass::detail::item_count, index_t>;
    path<count> along{{}, by.width, options.reverse, options.next_factor};
    if constexpr (device_may_know) along.n = onepass::detail::count_of(policy, n);
    else along.n = n;
    with_float(out.kind, [&](auto* tag) {
      using T = std::remove_pointer_t<decltype(tag)>;
      const auto first = thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0),
                                                         map_at<T, count>{as(tag, a.data), as(tag, b.data), along});
      const auto to = thrust::make_tabulate_output_iterator(store_term<T, count>{as(tag, out.data), along});
      onepass::inclusive_segmented_scan(policy, first, first + n, shape, to, affine{});
    });
  });
}

}  // namespace onepass::library::detail
