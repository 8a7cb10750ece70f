// SPDX-License-Identifier: Apache-2.0
// The inside of a sort of wide keys on CUDA: sorted by their highest places alone, groups put in order afterwards, wherever
// they begin and end, short and long ones; and keys whose highest places are not enough, which the plan has to see.
#include <onepass/radix_sort.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "primitives/radix_sort/keys_of_type.hpp"

#if ONEPASS_HAS_CUDA
namespace {

namespace detail = onepass::detail;

// As for many keys, however few there are.
template <class K, class V>
struct for_many : detail::split_tuning<sizeof(K), detail::stored_size<V>> {
  static constexpr onepass::index_t most_in_small = 0, most_by_rows = 0;
};

// Sorts, with values that are the keys' places before, if V is a type of values. Returns the lowest place that the plan sorts
// by.
template <class V, class K>
int check(const test::cuda_backend& backend, const std::vector<K>& values, bool descending, int begin_bit = 0) {
  constexpr bool alone = std::is_same_v<V, detail::none>;
  using stored = detail::sort_key<K>;
  using value = std::conditional_t<alone, std::uint32_t, V>;
  const auto n = static_cast<onepass::index_t>(values.size());
  const detail::bits_digits<stored, true> digits{
      {begin_bit, static_cast<int>(8 * sizeof(K)), descending, detail::is_signed_integer<K>}};
  const test::buffer<K> keys(backend, values), alternate(backend, values.size());
  std::vector<value> positions(values.size());
  std::iota(positions.begin(), positions.end(), value{0});
  const test::buffer<value> moved(backend, positions), alternate_moved(backend, values.size());
  detail::layout layout;
  const detail::cuda_split<stored, V, for_many<stored, V>> split("check", {n, nullptr}, digits.positions(), layout);
  const test::buffer<unsigned char> scratch(backend, layout.bytes());
  const test::buffer<detail::control> head(backend, std::vector<detail::control>(1));
  const auto sort = [&](auto route) {
    detail::cuda_sort_by_passes("check", split, digits,
                                {reinterpret_cast<stored*>(keys.data()), reinterpret_cast<stored*>(alternate.data())},
                                route, {n, nullptr}, {scratch.data(), head.data()}, backend.stream);
  };
  if constexpr (alone) sort(detail::no_route{});
  else sort(detail::buffer_route<value>{moved.data(), alternate_moved.data()});
  const auto order = test::sorted_order(values, descending, begin_bit);
  EXPECT_TRUE(test::identical(keys.to_host(), test::arranged(values, order)));
  if constexpr (!alone) EXPECT_TRUE(test::identical(moved.to_host(), test::arranged(positions, order)));
  detail::split_plan plan;
  test::check_cuda(cudaMemcpy(&plan, split.plan(scratch.data()), sizeof plan, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return plan.first;
}

// A group that will begin at a place of the sorted keys.
struct group {
  std::size_t begin, length;
  bool ascends = false;  // already before the sort
};

// n keys in random order that differ in their upper 32 bits, but for groups; the others are random.
template <class K>
std::vector<K> keys_with(const std::vector<group>& groups, std::size_t n) {
  constexpr int half = 32, others = static_cast<int>(8 * sizeof(K)) - half;
  const std::uint64_t step = (std::uint64_t{1} << half) / n;
  std::vector<K> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto low = static_cast<K>(test::hash(1, i));
    values[i] = static_cast<K>(K{i * step + test::hash(2, i) % step} << others) |
                (others > 64 ? low << 32 ^ K{test::hash(3, i)} : low & ((K{1} << others % 64) - 1));
  }
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [](auto a, auto b) { return test::hash(4, a) < test::hash(4, b); });
  for (const group& g : groups) {
    const K upper = values[g.begin] >> others << others;
    for (std::size_t i = g.begin; i < g.begin + g.length; ++i) {
      const K low = values[i] << half >> half;
      values[i] = upper | (g.ascends ? static_cast<K>(order[i]) : i % 5 == 0 ? K{7} : low);  // some are equal
    }
  }
  std::vector<K> shuffled(n);
  for (std::size_t i = 0; i < n; ++i) shuffled[order[i]] = values[i];
  return shuffled;
}

constexpr std::size_t tile = 8192;  // of the look at groups

template <class K, class V>
void check_groups(const test::cuda_backend& backend) {
  constexpr std::size_t n = 6 * tile + 77;
  const auto sort = [&](const std::vector<group>& groups, bool descending) {
    const std::size_t last =
        std::accumulate(groups.begin(), groups.end(), std::size_t{0},
                        [](std::size_t end, group g) { return std::max(end, g.begin + g.length); });
    const std::size_t size = std::max(n, last + 5);
    EXPECT_EQ((check<V>(backend, keys_with<K>(groups, size), descending)), static_cast<int>(sizeof(K)) - 4);
  };
  // At both ends, at the ends of rows and of tiles, side by side.
  const std::vector<group> short_ones = {{0, 32},
                                         {64, 2},
                                         {66, 3},
                                         {95, 32},
                                         {160, 32},
                                         {tile - 1, 2},
                                         {tile + 31, 2},
                                         {2 * tile, 32},
                                         {2 * tile + 40, 31},
                                         {3 * tile - 31, 32},
                                         {4 * tile - 32, 32},
                                         {5 * tile - 1, 32},
                                         {n - 32, 32}};
  for (const bool descending : {false, true}) {
    sort({}, descending);
    sort(short_ones, descending);
  }
  for (const std::size_t length : {33, 34, 63, 64, 65, 100, 600, 7300}) {
    for (const std::size_t begin : {std::size_t{0}, std::size_t{63}, 2 * tile - 32, 3 * tile - 1, n - length}) {
      SCOPED_TRACE(testing::Message() << length << " keys from " << begin << " on");
      std::vector<group> groups = short_ones;
      const auto overlaps = [&](const group& g) { return g.begin < begin + length && begin < g.begin + g.length; };
      groups.erase(std::remove_if(groups.begin(), groups.end(), overlaps), groups.end());
      for (const bool ascends : {false, true}) {
        groups.push_back({begin, length, ascends});
        sort(groups, length % 2 == 0);
        groups.pop_back();
      }
    }
    if (test::small_only()) return;
  }
  // In several stretches of 2^18, across their borders, and a stretch with none.
  constexpr std::size_t stretch = std::size_t{1} << 18;
  sort({{100, 33},
        {5000, 40},
        {stretch - 50, 7300},
        {stretch + 7300, 35},
        {3 * stretch - 1, 33},
        {3 * stretch + 40, 20},
        {3 * stretch + 100, 50},
        {4 * stretch - 500, 400}},
       true);
}

}  // namespace

ONEPASS_GPU_TEST(radix_sort, groups_of_keys) { check_groups<std::uint64_t, detail::none>(backend); }
ONEPASS_GPU_TEST(radix_sort, groups_of_pairs) { check_groups<std::uint64_t, std::uint32_t>(backend); }
ONEPASS_GPU_TEST(radix_sort, groups_of_wide_keys) { check_groups<test::uint128, detail::none>(backend); }

// Digits that all look random, each by itself, but depend on one another; and keys that are mostly alike in other ways.
ONEPASS_GPU_TEST(radix_sort, highest_places_that_are_not_enough) {
  constexpr std::size_t n = 50021;
  std::vector<std::uint64_t> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = test::hash(1, i) % 4096 * 0x10010010010000u | test::hash(2, i) % 65536;
  EXPECT_EQ(check<detail::none>(backend, values, false), 0);
  for (const test::pattern p : test::all_patterns) {
    SCOPED_TRACE(test::name_of(p));
    check<std::uint32_t>(backend, test::keys<std::uint64_t>(n, 5, p), false);
    check<detail::none>(backend, test::keys<std::int64_t>(n, 6, p), true);
  }
  // Long runs of equal keys, among others.
  for (std::size_t i = 0; i < n; ++i) values[i] = test::hash(3, i % 97) ^ (i % 89 == 0 ? test::hash(4, i) : 0);
  check<std::uint32_t>(backend, values, false);
}

// Both zeros are one key, and so are alike; keys of which the lowest bits do not count.
ONEPASS_GPU_TEST(radix_sort, groups_of_doubles) {
  constexpr std::size_t n = 50021;
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double random = static_cast<double>(test::hash(1, i) >> 12) * 0x1p-52;
    values[i] = i % 20000 == 7 ? 0.0 : i % 20000 == 11 ? -0.0 : random - (i % 2 == 0 ? 1.0 : 0.0);
  }
  for (const bool descending : {false, true}) {
    EXPECT_GT(check<std::uint32_t>(backend, values, descending), 0);
    EXPECT_GT(check<std::uint32_t>(backend, values, descending, 16), 0);
  }
}
#endif
