// SPDX-License-Identifier: Apache-2.0
// Calls the inside of a sort on CUDA as for many keys, however few there are, so that it may go by the upper digits alone.
#pragma once

#include <onepass/radix_sort.hpp>

#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "primitives/radix_sort/keys_of_type.hpp"

#if ONEPASS_HAS_CUDA
namespace test {

// As for many keys, however few there are.
template <class K, class V>
struct for_many : onepass::detail::split_tuning<sizeof(K), onepass::detail::stored_size<V>> {
  static constexpr onepass::index_t most_in_few = 0, most_in_small = 0, least_msd_first = 0;
  // Tests may change these.
  using usual = onepass::detail::split_tuning<sizeof(K), onepass::detail::stored_size<V>>;
  static inline onepass::index_t least_in_buckets = 0;
  static inline int least_bucket_bits = usual::least_bucket_bits, least_bucket_room = usual::least_bucket_room;
};

struct outcome {
  int lowest_position;  // that the plan sorts by
  unsigned tiles_redone;
  bool result_is_narrow;  // indices that were wanted in 8 bytes have been left in 4
};

// The bits of keys that are sorted by.
struct bit_range {
  int begin = 0;
  int end = -1;                  // -1: the key's last bit is one of them
  bool ties_may_change = false;  // no key differs in other bits
  bool spreads_bits = false;     // as a sort across ranks asks for
};

// Sorts, in place or to another range; if V is a type of values, with the keys' indices as values. Values of 4 bytes to
// another range are also sorted as an argsort sorts: made by the first pass, without the sorted keys, and then in 8 bytes.
template <class V, class AtomicRanking, class K>
outcome sorted(const cuda_backend& backend, const std::vector<K>& values, bool descending, const bit_range& bits,
               bool in_place) {
  constexpr bool alone = std::is_same_v<V, onepass::detail::none>;
  using stored = onepass::detail::sort_key<K>;
  using value = std::conditional_t<alone, std::uint32_t, V>;
  const auto n = static_cast<onepass::index_t>(values.size());
  const int end_bit = bits.end < 0 ? static_cast<int>(8 * sizeof(K)) : bits.end;
  const onepass::detail::bits_digits<stored, true> digits{{bits.begin, end_bit, descending,
                                                           onepass::detail::is_signed_integer<K>, bits.ties_may_change,
                                                           bits.spreads_bits}};
  const std::size_t other_size = in_place ? 0 : values.size();
  const buffer<K> keys(backend, values), alternate(backend, values.size()), other(backend, other_size);
  std::vector<value> indices(values.size());
  std::iota(indices.begin(), indices.end(), value{0});
  const buffer<value> moved(backend, indices), alternate_moved(backend, values.size());
  const buffer<value> other_moved(backend, other_size);
  const buffer<K>& out = in_place ? keys : other;
  const buffer<value>& moved_out = in_place ? moved : other_moved;
  onepass::detail::layout layout;
  const onepass::detail::cuda_split<stored, V, for_many<stored, V>> split("check", {n, nullptr}, digits.positions(),
                                                                          layout);
  const buffer<unsigned char> scratch(backend, layout.bytes());
  const buffer<onepass::detail::control> head(backend, std::vector<onepass::detail::control>(1));
  const auto sort = [&](auto route) {
    const onepass::detail::buffer_route<stored> keys_route{reinterpret_cast<const stored*>(keys.data()),
                                                           reinterpret_cast<stored*>(out.data()),
                                                           reinterpret_cast<stored*>(alternate.data())};
    onepass::detail::cuda_sort_by_passes<AtomicRanking>("check", split, digits, keys_route, route, {n, nullptr},
                                                        {scratch.data(), head.data()}, backend.stream);
  };
  if constexpr (alone) sort(onepass::detail::no_route{});
  else sort(onepass::detail::buffer_route<value>{moved.data(), moved_out.data(), alternate_moved.data()});
  const auto order = sorted_order(values, descending, bits.begin, end_bit);
  EXPECT_TRUE(identical(out.to_host(), arranged(values, order)));
  if constexpr (!alone) EXPECT_TRUE(identical(moved_out.to_host(), arranged(indices, order)));
  onepass::detail::split_plan plan;
  const auto read_plan = [&] {
    check_cuda(cudaMemcpy(&plan, split.plan(scratch.data()), sizeof plan, cudaMemcpyDeviceToHost), "cudaMemcpy");
  };
  if constexpr (std::is_same_v<V, std::uint32_t>) {
    for (const bool is_wide : {false, true}) {
      if (in_place) break;
      const buffer<std::uint64_t> widened(backend, is_wide ? values.size() : 0);
      moved_out.poison_all();
      sort(onepass::detail::result_route<value>{{nullptr, moved_out.data(), alternate_moved.data()},
                                                {true, is_wide ? widened.data() : nullptr}});
      read_plan();
      const auto expected = arranged(indices, order);
      if (!is_wide || plan.result_is_narrow) EXPECT_TRUE(identical(moved_out.to_host(), expected));
      else EXPECT_TRUE(identical(widened.to_host(), std::vector<std::uint64_t>(expected.begin(), expected.end())));
      EXPECT_TRUE(widened.guards_intact());
    }
  }
  if (!std::is_same_v<V, std::uint32_t> || in_place) read_plan();
  return {plan.lowest_position, plan.tiles_redone, plan.result_is_narrow};
}

// Returns the lowest digit position that the plan sorts by, in place and to another range.
template <class V, class K>
int check(const cuda_backend& backend, const std::vector<K>& values, bool descending, const bit_range& bits = {}) {
  const auto sort = [&](bool in_place) {
    return sorted<V, onepass::detail::atomic_ranking>(backend, values, descending, bits, in_place).lowest_position;
  };
  const int lowest = sort(true);
  EXPECT_EQ(sort(false), lowest);
  return lowest;
}

}  // namespace test
#endif
