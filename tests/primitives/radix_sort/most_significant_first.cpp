// SPDX-License-Identifier: Apache-2.0
// The inside of a sort of wide keys on CUDA by their upper digits alone, with a fix-up of ties: short and long ties,
// wherever they begin and end; and keys whose upper digits are not enough, which the plan has to see.
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
  static constexpr onepass::index_t most_in_small = 0;
};

// Sorts; if V is a type of values, with the keys' indices as values. Returns the lowest digit position that the plan
// sorts by.
template <class V, class K>
int check(const test::cuda_backend& backend, const std::vector<K>& values, bool descending, int begin_bit = 0) {
  constexpr bool alone = std::is_same_v<V, detail::none>;
  using stored = detail::sort_key<K>;
  using value = std::conditional_t<alone, std::uint32_t, V>;
  const auto n = static_cast<onepass::index_t>(values.size());
  const detail::bits_digits<stored, true> digits{
      {begin_bit, static_cast<int>(8 * sizeof(K)), descending, detail::is_signed_integer<K>}};
  const test::buffer<K> keys(backend, values), alternate(backend, values.size());
  std::vector<value> indices(values.size());
  std::iota(indices.begin(), indices.end(), value{0});
  const test::buffer<value> moved(backend, indices), alternate_moved(backend, values.size());
  detail::layout layout;
  const detail::cuda_split<stored, V, for_many<stored, V>> split("check", {n, nullptr}, digits.positions(), layout);
  const test::buffer<unsigned char> scratch(backend, layout.bytes());
  const test::buffer<detail::control> head(backend, std::vector<detail::control>(1));
  const auto sort = [&](auto route) {
    const auto keys_route = detail::buffer_route<stored>::in_place(reinterpret_cast<stored*>(keys.data()),
                                                                   reinterpret_cast<stored*>(alternate.data()));
    detail::cuda_sort_by_passes("check", split, digits, keys_route, route, {n, nullptr}, {scratch.data(), head.data()},
                                backend.stream);
  };
  if constexpr (alone) sort(detail::no_route{});
  else sort(detail::buffer_route<value>::in_place(moved.data(), alternate_moved.data()));
  const auto order = test::sorted_order(values, descending, begin_bit);
  EXPECT_TRUE(test::identical(keys.to_host(), test::arranged(values, order)));
  if constexpr (!alone) EXPECT_TRUE(test::identical(moved.to_host(), test::arranged(indices, order)));
  detail::split_plan plan;
  test::check_cuda(cudaMemcpy(&plan, split.plan(scratch.data()), sizeof plan, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return plan.lowest_position;
}

// A tie that will begin at an index of the sorted keys.
struct tie {
  std::size_t begin, length;
  bool ascends = false;  // already before the sort
};

// n keys in random order that differ in their upper 32 bits, but for ties; the other bits are random.
template <class K>
std::vector<K> keys_with(const std::vector<tie>& ties, std::size_t n) {
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
  for (const tie& t : ties) {
    const K upper = values[t.begin] >> others << others;
    for (std::size_t i = t.begin; i < t.begin + t.length; ++i) {
      const K low = values[i] << half >> half;
      values[i] = upper | (t.ascends ? static_cast<K>(order[i]) : i % 5 == 0 ? K{7} : low);  // some are equal
    }
  }
  std::vector<K> shuffled(n);
  for (std::size_t i = 0; i < n; ++i) shuffled[order[i]] = values[i];
  return shuffled;
}

constexpr std::size_t tile = 8192;  // in which ties are looked for

template <class K, class V>
void check_ties(const test::cuda_backend& backend) {
  constexpr std::size_t n = 6 * tile + 77;
  const auto sort = [&](const std::vector<tie>& ties, bool descending) {
    const std::size_t last = std::accumulate(ties.begin(), ties.end(), std::size_t{0},
                                             [](std::size_t end, tie t) { return std::max(end, t.begin + t.length); });
    const std::size_t size = std::max(n, last + 5);
    EXPECT_EQ((check<V>(backend, keys_with<K>(ties, size), descending)), static_cast<int>(sizeof(K)) - 4);
  };
  // At both ends, at the ends of rows and of tiles, side by side.
  const std::vector<tie> short_ones = {{0, 32},
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
      std::vector<tie> ties = short_ones;
      const auto overlaps = [&](const tie& t) { return t.begin < begin + length && begin < t.begin + t.length; };
      ties.erase(std::remove_if(ties.begin(), ties.end(), overlaps), ties.end());
      for (const bool ascends : {false, true}) {
        ties.push_back({begin, length, ascends});
        sort(ties, length % 2 == 0);
        ties.pop_back();
      }
    }
    if (test::small_only()) return;
  }
  // In several chunks of 2^18 keys, across their borders, and a chunk without ties.
  constexpr std::size_t chunk = std::size_t{1} << 18;
  sort({{100, 33},
        {5000, 40},
        {chunk - 50, 7300},
        {chunk + 7300, 35},
        {3 * chunk - 1, 33},
        {3 * chunk + 40, 20},
        {3 * chunk + 100, 50},
        {4 * chunk - 500, 400}},
       true);
}

}  // namespace

ONEPASS_GPU_TEST(radix_sort, ties_of_keys) { check_ties<std::uint64_t, detail::none>(backend); }
ONEPASS_GPU_TEST(radix_sort, ties_of_pairs) { check_ties<std::uint64_t, std::uint32_t>(backend); }
ONEPASS_GPU_TEST(radix_sort, ties_of_wide_keys) { check_ties<test::uint128, detail::none>(backend); }

// Digits that all look random, each by itself, but depend on one another; and keys that mostly agree in other ways.
ONEPASS_GPU_TEST(radix_sort, upper_digits_that_are_not_enough) {
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

// Both zeros are one key, so they are tied; and keys whose lowest bits are not sorted by.
ONEPASS_GPU_TEST(radix_sort, ties_of_doubles) {
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
