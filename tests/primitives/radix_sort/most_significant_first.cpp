// SPDX-License-Identifier: Apache-2.0
// The inside of a sort of wide keys on CUDA by the upper digits alone, with a fix-up of ties: short and long ties, wherever
// they begin and end. And keys whose upper digits are not enough, which the plan has to see.
#include <algorithm>
#include <cstring>

#include "primitives/radix_sort/broken_atomic_ranking.hpp"
#include "primitives/radix_sort/by_upper_digits.hpp"

#if ONEPASS_HAS_CUDA
namespace {

namespace detail = onepass::detail;
using test::check;

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
  // Longer ones would not be few in a sample of 4,096 keys.
  for (const std::size_t length : {33, 34, 63, 64, 65, 100, 600, 1000}) {
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

// Bits that are no multiple of 8: the highest digit has fewer, or the lowest.
ONEPASS_GPU_TEST(radix_sort, upper_digits_of_some_bits) {
  constexpr std::size_t n = 50021;
  std::vector<std::uint64_t> values(n), equal_elsewhere(n);
  for (const test::bit_range bits :
       {test::bit_range{0, 61}, {3, 64}, {7, 64}, {0, 57}, {2, 60}, {11, 60}, {5, 50}, {30, 64}}) {
    SCOPED_TRACE(testing::Message() << "bits " << bits.begin << " to " << bits.end);
    const std::uint64_t sorted_bits = (~std::uint64_t{0} >> (64 - bits.end + bits.begin)) << bits.begin;
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = i % 11 == 0 ? values[i / 2] : test::hash(8, i);
      equal_elsewhere[i] = (values[i] & sorted_bits) | (0x123456789abcdefu & ~sorted_bits);
    }
    const int digits = (bits.end - bits.begin + 7) / 8, lowest = digits % 2 == 0 ? digits - 4 : 0;
    for (const bool spreads_bits : {false, true}) {
      const test::bit_range in_order{bits.begin, bits.end, false, spreads_bits};
      const test::bit_range in_any_order{bits.begin, bits.end, true, spreads_bits};
      EXPECT_EQ(check<detail::none>(backend, values, spreads_bits, in_order), lowest);
      EXPECT_EQ(check<std::uint32_t>(backend, values, !spreads_bits, in_order), lowest);
      EXPECT_EQ(check<detail::none>(backend, equal_elsewhere, !spreads_bits, in_any_order), lowest);
    }
  }
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
    EXPECT_GT(check<std::uint32_t>(backend, values, descending, {16}), 0);
  }
}

// Equal keys may be tied: of 16 bits four times over, each key ten times, the upper half is enough. With others that
// differ in the lower half, it is not.
ONEPASS_GPU_TEST(radix_sort, upper_digits_of_repeated_keys) {
  std::vector<std::uint64_t> values(test::limited(600011));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = test::hash(1, i) % (values.size() / 10) * 0x0001000100010001u;
  EXPECT_EQ((check<detail::none>(backend, values, false)), 4);
  EXPECT_EQ((check<std::uint32_t>(backend, values, true)), 4);
  for (std::size_t i = 0; i < values.size(); i += 1000) values[i] ^= 1;  // too few for the sample
  check<std::uint32_t>(backend, values, false);
  for (std::size_t i = 0; i < values.size(); i += 2) values[i] ^= i % 256;
  EXPECT_EQ((check<detail::none>(backend, values, false)), 0);
}
#endif
