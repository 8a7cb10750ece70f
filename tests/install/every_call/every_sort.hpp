// SPDX-License-Identifier: Apache-2.0
// As every_call.hpp, for sorts.
#pragma once

#include "every_call.hpp"

namespace every_call {

template <class T, template <class...> class Array, class... Policy>
void sorts(arrays<T, Array>& a, const Policy&... policy) {
  const auto first = a.in.begin(), last = a.in.end();
  const auto values = a.numbers.begin(), values_out = a.more_numbers.begin();
  const auto out = a.out.begin();
  const onepass::radix_options down{true};
  onepass::sort(policy..., first, last);
  onepass::sort(policy..., first, last, std::greater<T>{});
  onepass::stable_sort(policy..., first, last);
  onepass::stable_sort(policy..., first, last, std::less<>{});
  onepass::sort_by_key(policy..., first, last, values);
  onepass::sort_by_key(policy..., first, last, values, std::greater<T>{});
  onepass::stable_sort_by_key(policy..., first, last, values);
  onepass::stable_sort_by_key(policy..., first, last, values, std::less<>{});
  onepass::radix_sort(policy..., first, last);
  onepass::radix_sort(policy..., first, last, down);
  onepass::radix_sort_by_key(policy..., first, last, values, down);
  onepass::radix_sort_copy(policy..., first, last, out);
  onepass::radix_sort_by_key_copy(policy..., first, last, values, out, values_out);
  onepass::radix_argsort(policy..., first, last, values_out);
  onepass::split(policy..., first, last, out, is_odd{});
  onepass::split_async(policy..., first, last, out, is_odd{}, &a.kept);
  if constexpr (std::is_integral_v<T>) onepass::split(policy..., first, last, out, onepass::digit{0, 3});
}

template <class T, class... Policy>
void buffered_sorts(arrays<T, std::vector>& a, const Policy&... policy) {
  onepass::double_buffer<T> keys(a.in.data(), a.out.data());
  onepass::double_buffer<int> values(a.numbers.data(), a.more_numbers.data());
  onepass::radix_sort(policy..., keys, onepass::index_t{count});
  onepass::radix_sort_by_key(policy..., keys, values, onepass::index_t{count});
  onepass::radix_sort(policy..., a.in.begin(), a.in.end(), onepass::in_little_memory());
  onepass::radix_sort_by_key(policy..., a.in.begin(), a.in.end(), a.numbers.begin(),
                             onepass::in_little_memory(onepass::descending()));
  if constexpr (sizeof...(Policy) > 0) {
    const auto heads = onepass::offsets(a.begins.begin(), a.begins.end());
    onepass::segmented_sort(policy..., keys, onepass::index_t{count}, heads);
    onepass::segmented_sort_by_key(policy..., keys, values, onepass::index_t{count}, heads);
  }
}

template <class T, template <class...> class Array, class... Policy>
void segmented_sorts(arrays<T, Array>& a, const Policy&... policy) {
  const auto first = a.in.begin(), last = a.in.end();
  const auto values = a.numbers.begin(), values_out = a.more_numbers.begin();
  const auto out = a.out.begin();
  const auto heads = onepass::offsets(a.begins.begin(), a.begins.end());
  const auto ranges = onepass::segments(a.begins.begin(), a.begins.end() - 1, a.begins.begin() + 1);
  onepass::segmented_sort(policy..., first, last, heads);
  onepass::segmented_sort(policy..., first, last, ranges, onepass::descending());
  onepass::segmented_sort_by_key(policy..., first, last, values, heads);
  onepass::segmented_sort_copy(policy..., first, last, out, heads);
  onepass::segmented_sort_by_key_copy(policy..., first, last, values, out, values_out, ranges);
}

template <class... Policy>
void sorts_of_structs(const Policy&... policy) {
  std::vector<point> points(count), sorted(count);
  std::vector<int> values(count), values_out(count), begins = {0, 10, count};
  const auto first = points.begin(), last = points.end();
  const auto heads = onepass::offsets(begins.begin(), begins.end());
  onepass::radix_sort(policy..., first, last, by_both{});
  onepass::radix_sort_by_key(policy..., first, last, values.begin(), by_both{});
  onepass::radix_sort_copy(policy..., first, last, sorted.begin(), by_both{});
  onepass::radix_sort_by_key_copy(policy..., first, last, values.begin(), sorted.begin(), values_out.begin(),
                                  by_both{});
  onepass::segmented_sort(policy..., first, last, heads, by_both{});
  onepass::segmented_sort_by_key(policy..., first, last, values.begin(), heads, by_both{});
  onepass::segmented_sort_copy(policy..., first, last, sorted.begin(), heads, by_both{});
  onepass::segmented_sort_by_key_copy(policy..., first, last, values.begin(), sorted.begin(), values_out.begin(), heads,
                                      by_both{});
}

}  // namespace every_call
