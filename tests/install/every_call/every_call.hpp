// SPDX-License-Identifier: Apache-2.0
// Makes the code of every public call for some types and iterators, with a policy and without: what a compiler warns of
// in templates it says only there. Runs, too, on few items, which `check` looks at here and there.
#pragma once

#include <onepass/onepass.hpp>

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <numeric>
#include <vector>

namespace every_call {

struct is_odd {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const {
    return static_cast<long long>(x) % 2 != 0;
  }
};
struct is_large {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const {
    return x > static_cast<T>(50);
  }
};
struct doubled {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T& x) const {
    return static_cast<T>(x + x);
  }
};
struct added {  // a functor that onepass does not know
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return static_cast<T>(a + b);
  }
};
struct point {
  std::uint32_t x;
  float y;
};
struct by_both {
  std::tuple<std::uint32_t&, float&> operator()(point& p) const { return {p.x, p.y}; }
};

constexpr int count = 100;

// An array for each part that a call may have. `It` makes the iterators that calls get.
template <class T, template <class...> class Array = std::vector>
struct arrays {
  Array<T> in = Array<T>(count), out = Array<T>(count), other = Array<T>(count), third = Array<T>(count);
  Array<int> numbers = Array<int>(count), more_numbers = Array<int>(count), begins = {0, 10, 40, count};
  Array<std::uint8_t> flags = Array<std::uint8_t>(count);
  onepass::index_t kept = 0, rejected = 0;

  arrays() {
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      in[at] = static_cast<T>(i * 7 % 100);
      flags[at] = i % 3 == 0;
      numbers[at] = i / 5;
    }
  }
};

template <class T, template <class...> class Array, class... Policy>
void scans(arrays<T, Array>& a, const Policy&... policy) {
  const auto first = a.in.begin(), last = a.in.end();
  const auto keys = a.numbers.begin(), keys_last = a.numbers.end();
  const auto heads = onepass::offsets(a.begins.begin(), a.begins.end());
  const auto out = a.out.begin();
  const T init = static_cast<T>(3);
  onepass::inclusive_scan(policy..., first, last, out);
  onepass::inclusive_scan(policy..., first, last, out, onepass::maximum{});
  onepass::inclusive_scan(policy..., first, last, out, added{});
  onepass::exclusive_scan(policy..., first, last, out);
  onepass::exclusive_scan(policy..., first, last, out, init);
  onepass::exclusive_scan(policy..., first, last, out, init, added{});
  onepass::transform_inclusive_scan(policy..., first, last, out, doubled{}, onepass::sum{});
  onepass::transform_exclusive_scan(policy..., first, last, out, doubled{}, init, onepass::sum{});
  onepass::inclusive_scan_by_key(policy..., keys, keys_last, first, out);
  onepass::inclusive_scan_by_key(policy..., keys, keys_last, first, out, std::equal_to<>{});
  onepass::inclusive_scan_by_key(policy..., keys, keys_last, first, out, std::equal_to<>{}, added{});
  onepass::exclusive_scan_by_key(policy..., keys, keys_last, first, out);
  onepass::exclusive_scan_by_key(policy..., keys, keys_last, first, out, init);
  onepass::exclusive_scan_by_key(policy..., keys, keys_last, first, out, init, std::equal_to<>{});
  onepass::exclusive_scan_by_key(policy..., keys, keys_last, first, out, init, std::equal_to<>{}, added{});
  onepass::inclusive_segmented_scan(policy..., first, last, a.flags.begin(), out);
  onepass::inclusive_segmented_scan(policy..., first, last, a.flags.begin(), out, added{});
  onepass::inclusive_segmented_scan(policy..., first, last, heads, out);
  onepass::inclusive_segmented_scan(policy..., first, last, heads, out, onepass::minimum{});
  onepass::inclusive_segmented_scan(policy..., first, last, onepass::rows(3), out);
  onepass::exclusive_segmented_scan(policy..., first, last, onepass::columns(2), out, init);
  onepass::exclusive_segmented_scan(policy..., first, last, a.flags.begin(), out, init);
  onepass::exclusive_segmented_scan(policy..., first, last, heads, out, init, added{});
}

template <class T, template <class...> class Array, class... Policy>
void reductions(arrays<T, Array>& a, const Policy&... policy) {
  const auto first = a.in.begin(), last = a.in.end();
  const auto keys = a.numbers.begin(), keys_last = a.numbers.end(), keys_out = a.more_numbers.begin();
  const auto heads = onepass::offsets(a.begins.begin(), a.begins.end());
  const auto out = a.out.begin();
  onepass::reduce_by_key(policy..., keys, keys_last, first, keys_out, out);
  onepass::reduce_by_key(policy..., keys, keys_last, first, keys_out, out, std::equal_to<>{});
  onepass::reduce_by_key(policy..., keys, keys_last, first, keys_out, out, std::equal_to<>{}, added{});
  onepass::reduce_by_key_async(policy..., keys, keys_last, first, keys_out, out, std::equal_to<>{}, added{}, &a.kept);
  onepass::run_length_encode(policy..., first, last, out, keys_out);
  onepass::run_length_encode_async(policy..., first, last, out, keys_out, &a.kept);
  onepass::segmented_reduce(policy..., first, last, a.flags.begin(), out);
  onepass::segmented_reduce_async(policy..., first, last, a.flags.begin(), out, &a.kept);
  onepass::segmented_reduce(policy..., first, last, a.flags.begin(), out, onepass::sum{});
  onepass::segmented_reduce(policy..., first, last, a.flags.begin(), out, added{});
  onepass::segmented_reduce_async(policy..., first, last, a.flags.begin(), out, onepass::maximum{}, &a.kept);
  onepass::segmented_reduce(policy..., first, last, heads, out);
  onepass::segmented_reduce(policy..., first, last, heads, out, T());
  onepass::segmented_reduce(policy..., first, last, heads, out, T(), onepass::sum{});
  onepass::segmented_reduce(policy..., first, last, heads, out, T(), added{});
  onepass::segmented_reduce(policy..., first, last, onepass::rows(3), out);
  onepass::segmented_reduce(policy..., first, last, onepass::columns(2), out, T(), added{});
}

template <class T, template <class...> class Array, class... Policy>
void compactions(arrays<T, Array>& a, const Policy&... policy) {
  const auto first = a.in.begin(), last = a.in.end();
  const auto stencil = a.flags.begin();
  const auto out = a.out.begin();
  const T value = static_cast<T>(7);
  onepass::index_t* const kept = &a.kept;
  onepass::copy_if(policy..., first, last, out, is_odd{});
  onepass::copy_if(policy..., first, last, stencil, out, is_odd{});
  onepass::copy_if_async(policy..., first, last, out, is_odd{}, kept);
  onepass::copy_if_async(policy..., first, last, stencil, out, is_odd{}, kept);
  onepass::compact(policy..., first, last, out, is_odd{});
  onepass::compact(policy..., first, last, onepass::flags(stencil), out);
  onepass::compact_async(policy..., first, last, out, is_odd{}, kept);
  onepass::compact_async(policy..., first, last, onepass::flags(stencil), out, kept);
  onepass::positions(policy..., stencil, stencil + (last - first), a.more_numbers.begin());
  onepass::positions(policy..., first, last, a.more_numbers.begin(), is_odd{});
  onepass::positions_async(policy..., stencil, stencil + (last - first), a.more_numbers.begin(), kept);
  onepass::remove_copy(policy..., first, last, out, value);
  onepass::remove_copy_if(policy..., first, last, out, is_odd{});
  onepass::remove_copy_if(policy..., first, last, stencil, out, is_odd{});
  onepass::remove_copy_async(policy..., first, last, out, value, kept);
  onepass::remove_copy_if_async(policy..., first, last, out, is_odd{}, kept);
  onepass::remove_copy_if_async(policy..., first, last, stencil, out, is_odd{}, kept);
  onepass::unique_count(policy..., first, last);
  onepass::unique_count(policy..., first, last, std::equal_to<>{});
  onepass::unique_count_async(policy..., first, last, kept);
  onepass::unique_count_async(policy..., first, last, std::equal_to<>{}, kept);
  onepass::unique_copy(policy..., first, last, out);
  onepass::unique_copy(policy..., first, last, out, std::equal_to<>{});
  onepass::unique_copy_async(policy..., first, last, out, kept);
  onepass::unique_copy_async(policy..., first, last, out, std::equal_to<>{}, kept);
  const auto keys = a.numbers.begin(), keys_last = a.numbers.end(), keys_out = a.more_numbers.begin();
  onepass::unique_by_key_copy(policy..., keys, keys_last, first, keys_out, out);
  onepass::unique_by_key_copy(policy..., keys, keys_last, first, keys_out, out, std::equal_to<>{});
  onepass::unique_by_key_copy_async(policy..., keys, keys_last, first, keys_out, out, kept);
  onepass::unique_by_key_copy_async(policy..., keys, keys_last, first, keys_out, out, std::equal_to<>{}, kept);
}

template <class T, template <class...> class Array, class... Policy>
void partitions(arrays<T, Array>& a, const Policy&... policy) {
  const auto first = a.in.begin(), last = a.in.end();
  const auto stencil = a.flags.begin();
  const auto yes = a.out.begin(), no = a.other.begin(), rest = a.third.begin();
  onepass::index_t* const kept = &a.kept;
  onepass::partition_copy(policy..., first, last, yes, no, is_odd{});
  onepass::partition_copy(policy..., first, last, stencil, yes, no, is_odd{});
  onepass::partition_copy_async(policy..., first, last, yes, no, is_odd{}, kept);
  onepass::partition_copy_async(policy..., first, last, stencil, yes, no, is_odd{}, kept);
  onepass::stable_partition_copy(policy..., first, last, yes, no, is_odd{});
  onepass::stable_partition_copy(policy..., first, last, stencil, yes, no, is_odd{});
  onepass::stable_partition_copy_async(policy..., first, last, yes, no, is_odd{}, kept);
  onepass::stable_partition_copy_async(policy..., first, last, stencil, yes, no, is_odd{}, kept);
  onepass::three_way_partition_copy(policy..., first, last, yes, no, rest, is_odd{}, is_large{});
  onepass::three_way_partition_copy_async(policy..., first, last, yes, no, rest, is_odd{}, is_large{}, kept);
}

template <class T, template <class...> class Array, class... Policy>
void in_place(arrays<T, Array>& a, const Policy&... policy) {
  const auto first = a.in.begin(), last = a.in.end();
  const auto stencil = a.flags.begin();
  const T value = static_cast<T>(7);
  onepass::index_t* const kept = &a.kept;
  onepass::remove(policy..., first, last, value);
  onepass::remove_if(policy..., first, last, is_odd{});
  onepass::remove_if(policy..., first, last, stencil, is_odd{});
  onepass::remove_async(policy..., first, last, value, kept);
  onepass::remove_if_async(policy..., first, last, is_odd{}, kept);
  onepass::remove_if_async(policy..., first, last, stencil, is_odd{}, kept);
  onepass::unique(policy..., first, last);
  onepass::unique(policy..., first, last, std::equal_to<>{});
  onepass::unique_async(policy..., first, last, kept);
  onepass::unique_async(policy..., first, last, std::equal_to<>{}, kept);
  const auto keys = a.numbers.begin(), keys_last = a.numbers.end();
  onepass::unique_by_key(policy..., keys, keys_last, first);
  onepass::unique_by_key(policy..., keys, keys_last, first, std::equal_to<>{});
  onepass::unique_by_key_async(policy..., keys, keys_last, first, kept);
  onepass::unique_by_key_async(policy..., keys, keys_last, first, std::equal_to<>{}, kept);
  onepass::partition(policy..., first, last, is_odd{});
  onepass::partition(policy..., first, last, stencil, is_odd{});
  onepass::partition_async(policy..., first, last, is_odd{}, kept);
  onepass::partition_async(policy..., first, last, stencil, is_odd{}, kept);
  onepass::stable_partition(policy..., first, last, is_odd{});
  onepass::stable_partition(policy..., first, last, stencil, is_odd{});
  onepass::stable_partition_async(policy..., first, last, is_odd{}, kept);
  onepass::stable_partition_async(policy..., first, last, stencil, is_odd{}, kept);
}

// Counts lie in an array.
template <class T, template <class...> class Array, class... Policy>
void histograms(arrays<T, Array>& a, const Policy&... policy) {
  const auto first = a.in.begin(), last = a.in.end();
  std::vector<int> counts(count * count);
  std::vector<T> edges{static_cast<T>(1), static_cast<T>(20), static_cast<T>(90)};
  const auto out = counts.begin();
  const auto each = onepass::rows(7);
  const auto between = onepass::edge_bins(edges.begin(), edges.end());
  const auto make = [&](const auto& bins) {
    onepass::histogram(policy..., first, last, bins, out);
    onepass::histogram(policy..., first, last, each, bins, out);
    onepass::weighted_histogram(policy..., first, last, a.numbers.begin(), bins, out);
    onepass::weighted_histogram(policy..., first, last, a.numbers.begin(), each, bins, out);
  };
  make(between);
  make(onepass::even_bins(0, 60, 30));
  if constexpr (std::is_integral_v<T>) make(onepass::value_bins(0, 60));
  else make(onepass::even_bins(0.5, 60.0, 30));
}
}  // namespace every_call
