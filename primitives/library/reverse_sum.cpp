// SPDX-License-Identifier: Apache-2.0
// The library's sums from the last item to the first, of all items or of rows: the gradients of sums.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <onepass/scan.hpp>

#include "segmented_arguments.hpp"

namespace onepass::library::detail {

#if ONEPASS_HAS_CUDA
namespace {

// From the last item that a size in memory says, where the device alone knows it.
template <class T>
struct load_from_end {
  const T* first;
  onepass::detail::item_count size;
  ONEPASS_HOST_DEVICE T operator()(index_t i) const { return first[size.get() - 1 - i]; }
};
template <class T>
struct store_from_end {
  T* first;
  onepass::detail::item_count size;
  template <class Item>
  ONEPASS_HOST_DEVICE void operator()(index_t i, const Item& item) const {
    first[size.get() - 1 - i] = item;
  }
};

}  // namespace
#endif

// Calls run(policy, where items are read from the last one on, where results are stored so). The plain kernel is for calls
// without a size in memory: for such iterators that of a job with one takes up to 1.3 times as long (2^28 floats, an H200).
template <class Policy, class T, class Run>
void from_end([[maybe_unused]] const Policy& policy, const T* first, index_t n, T* out, Run run) {
#if ONEPASS_HAS_CUDA
  if constexpr (onepass::detail::on_cuda<Policy>) {
    const onepass::detail::item_count size = onepass::detail::count_of(policy, n);
    if (size.size != nullptr) {
      run(policy, thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0), load_from_end<T>{first, size}),
          thrust::make_tabulate_output_iterator(store_from_end<T>{out, size}));
      return;
    }
  }
#endif
  run(onepass::detail::without_size(policy), thrust::make_reverse_iterator(first + n),
      thrust::make_reverse_iterator(out + n));
}

void reverse_sum(const execution& where, const_items first, std::size_t size, const rows& by, items out) {
  constexpr auto call = "reverse_sum";
  const index_t n = checked_items(call, where, size);
  check_pointer(call, "first", first.data, size);
  check_pointer(call, "out", out.data, size);
  onepass::detail::check_rows(call, onepass::rows(by.length));
  if (!device_knows_size(where) && n > 0 && by.length < n && n % by.length != 0)
    throw invalid_argument(call, "the last row is not whole");
  check_out(call, "first", first, out, n, true);
  with_policy(call, where, [&](const auto& policy) {
    with_number(first.kind, [&](auto* tag) {
      from_end(policy, as(tag, first.data), n, as(tag, out.data), [&](const auto& for_these, auto from, auto to) {
        if (by.length >= n) onepass::inclusive_scan(for_these, from, from + n, to, sum{});
        else onepass::inclusive_segmented_scan(for_these, from, from + n, onepass::rows(by.length), to, sum{});
      });
    });
  });
}

}  // namespace onepass::library::detail
