// SPDX-License-Identifier: Apache-2.0
// onepass/three_way_partition.hpp: three_way_partition_copy separates items of three kinds, each into its own output.
// onepass/compact.hpp says what all calls share: ranges, order, cost, errors, and the forms with _async.
#pragma once

#include <thrust/tuple.h>

#include "../../compact/three_way_dispatch.hpp"

namespace onepass {

// Copies the items for which is_first(item) is true to out_first, those of the others for which is_second(item) is true
// to out_second, and the rest to out_rest, each in their order. No output may overlap the input. Returns the three
// ends.
//   Cost       one scan of pairs of counts. Each item is read and written once. is_first is asked of each item once,
//              is_second of each other one; once more if two outputs begin at one address.
//
//   struct is_negative {
//     bool operator()(int x) const { return x < 0; }
//   };
//   struct is_zero {
//     bool operator()(int x) const { return x == 0; }
//   };
//   std::vector<int> x = {3, 0, -1, 4}, negative(1), zero(1), rest(2);
//   onepass::three_way_partition_copy(x.begin(), x.end(), negative.begin(), zero.begin(), rest.begin(), is_negative{},
//                                     is_zero{});  // negative = -1, zero = 0, rest = 3 4
template <class Policy, class In, class OutFirst, class OutSecond, class OutRest, class First, class Second,
          detail::if_policy<Policy> = 0>
thrust::tuple<OutFirst, OutSecond, OutRest> three_way_partition_copy(const Policy& policy, In first, In last,
                                                                     OutFirst out_first, OutSecond out_second,
                                                                     OutRest out_rest, First is_first,
                                                                     Second is_second) {
  const detail::three_sizes n = detail::partition_three_ways("three_way_partition_copy", policy, first, last, out_first,
                                                             out_second, out_rest, is_first, is_second, nullptr);
  return {out_first + n.first, out_second + n.second, out_rest + n.rest};
}
template <class In, class OutFirst, class OutSecond, class OutRest, class First, class Second,
          detail::if_not_policy<In> = 0>
thrust::tuple<OutFirst, OutSecond, OutRest> three_way_partition_copy(In first, In last, OutFirst out_first,
                                                                     OutSecond out_second, OutRest out_rest,
                                                                     First is_first, Second is_second) {
  return onepass::three_way_partition_copy(detail::default_policy<In, OutFirst, OutSecond, OutRest>(), first, last,
                                           out_first, out_second, out_rest, is_first, is_second);
}
// The same without waiting. Writes two counts of 8 bytes to `counts`: of items of the first kind, and of the second.
template <class Policy, class In, class OutFirst, class OutSecond, class OutRest, class First, class Second,
          detail::if_policy<Policy> = 0>
void three_way_partition_copy_async(const Policy& policy, In first, In last, OutFirst out_first, OutSecond out_second,
                                    OutRest out_rest, First is_first, Second is_second, index_t* counts) {
  detail::partition_three_ways("three_way_partition_copy_async", policy, first, last, out_first, out_second, out_rest,
                               is_first, is_second, detail::checked_count("three_way_partition_copy_async", counts));
}
template <class In, class OutFirst, class OutSecond, class OutRest, class First, class Second,
          detail::if_not_policy<In> = 0>
void three_way_partition_copy_async(In first, In last, OutFirst out_first, OutSecond out_second, OutRest out_rest,
                                    First is_first, Second is_second, index_t* counts) {
  onepass::three_way_partition_copy_async(detail::default_policy<In, OutFirst, OutSecond, OutRest>(), first, last,
                                          out_first, out_second, out_rest, is_first, is_second, counts);
}

}  // namespace onepass
