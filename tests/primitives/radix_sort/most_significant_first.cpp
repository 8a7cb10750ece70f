// SPDX-License-Identifier: Apache-2.0
// The inside of a sort on CUDA by the upper digits alone. Wide keys, with a fix-up of ties: short and long ties, wherever
// they begin and end. Keys of 4 bytes, with a sort of buckets: of all sizes, also of more keys than a block has room for.
// And keys whose upper digits are not enough, which the plan has to see. It has over 300 lines because all of that calls
// the inside of a sort in one way.
#include <onepass/radix_sort.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <vector>

#include "primitives/radix_sort/broken_atomic_ranking.hpp"
#include "primitives/radix_sort/keys_of_type.hpp"

#if ONEPASS_HAS_CUDA
namespace {

namespace detail = onepass::detail;

// As for many keys, however few there are.
template <class K, class V>
struct for_many : detail::split_tuning<sizeof(K), detail::stored_size<V>> {
  static constexpr onepass::index_t most_in_small = 0, least_in_buckets = 0;
};

struct outcome {
  int lowest_position;  // that the plan sorts by
  unsigned tiles_redone;
};

// The bits of keys that are sorted by.
struct bit_range {
  int begin = 0;
  int end = -1;                  // -1: the key's last bit is one of them
  bool ties_may_change = false;  // no key differs in other bits
  bool spreads_bits = false;     // as a sort across ranks asks for
};

// Sorts, in place or to another range; if V is a type of values, with the keys' indices as values.
template <class V, class AtomicRanking, class K>
outcome sorted(const test::cuda_backend& backend, const std::vector<K>& values, bool descending, const bit_range& bits,
               bool in_place) {
  constexpr bool alone = std::is_same_v<V, detail::none>;
  using stored = detail::sort_key<K>;
  using value = std::conditional_t<alone, std::uint32_t, V>;
  const auto n = static_cast<onepass::index_t>(values.size());
  const int end_bit = bits.end < 0 ? static_cast<int>(8 * sizeof(K)) : bits.end;
  const detail::bits_digits<stored, true> digits{
      {bits.begin, end_bit, descending, detail::is_signed_integer<K>, bits.ties_may_change, bits.spreads_bits}};
  const std::size_t other_size = in_place ? 0 : values.size();
  const test::buffer<K> keys(backend, values), alternate(backend, values.size()), other(backend, other_size);
  std::vector<value> indices(values.size());
  std::iota(indices.begin(), indices.end(), value{0});
  const test::buffer<value> moved(backend, indices), alternate_moved(backend, values.size());
  const test::buffer<value> other_moved(backend, other_size);
  const test::buffer<K>& out = in_place ? keys : other;
  const test::buffer<value>& moved_out = in_place ? moved : other_moved;
  detail::layout layout;
  const detail::cuda_split<stored, V, for_many<stored, V>> split("check", {n, nullptr}, digits.positions(), layout);
  const test::buffer<unsigned char> scratch(backend, layout.bytes());
  const test::buffer<detail::control> head(backend, std::vector<detail::control>(1));
  const auto sort = [&](auto route) {
    const detail::buffer_route<stored> keys_route{reinterpret_cast<const stored*>(keys.data()),
                                                  reinterpret_cast<stored*>(out.data()),
                                                  reinterpret_cast<stored*>(alternate.data())};
    detail::cuda_sort_by_passes<AtomicRanking>("check", split, digits, keys_route, route, {n, nullptr},
                                               {scratch.data(), head.data()}, backend.stream);
  };
  if constexpr (alone) sort(detail::no_route{});
  else sort(detail::buffer_route<value>{moved.data(), moved_out.data(), alternate_moved.data()});
  const auto order = test::sorted_order(values, descending, bits.begin, end_bit);
  EXPECT_TRUE(test::identical(out.to_host(), test::arranged(values, order)));
  if constexpr (!alone) EXPECT_TRUE(test::identical(moved_out.to_host(), test::arranged(indices, order)));
  detail::split_plan plan;
  test::check_cuda(cudaMemcpy(&plan, split.plan(scratch.data()), sizeof plan, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return {plan.lowest_position, plan.tiles_redone};
}

// Returns the lowest digit position that the plan sorts by, in place and to another range.
template <class V, class K>
int check(const test::cuda_backend& backend, const std::vector<K>& values, bool descending,
          const bit_range& bits = {}) {
  const auto sort = [&](bool in_place) {
    return sorted<V, detail::atomic_ranking>(backend, values, descending, bits, in_place).lowest_position;
  };
  const int lowest = sort(true);
  EXPECT_EQ(sort(false), lowest);
  return lowest;
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

// Bits that are no multiple of 8: the highest digit has fewer, or the lowest.
ONEPASS_GPU_TEST(radix_sort, upper_digits_of_some_bits) {
  constexpr std::size_t n = 50021;
  std::vector<std::uint64_t> values(n), equal_elsewhere(n);
  for (const bit_range bits : {bit_range{0, 61}, {3, 64}, {7, 64}, {0, 57}, {2, 60}, {11, 60}, {5, 50}, {30, 64}}) {
    SCOPED_TRACE(testing::Message() << "bits " << bits.begin << " to " << bits.end);
    const std::uint64_t sorted_bits = (~std::uint64_t{0} >> (64 - bits.end + bits.begin)) << bits.begin;
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = i % 11 == 0 ? values[i / 2] : test::hash(8, i);
      equal_elsewhere[i] = (values[i] & sorted_bits) | (0x123456789abcdefu & ~sorted_bits);
    }
    const int digits = (bits.end - bits.begin + 7) / 8, lowest = digits % 2 == 0 ? digits - 4 : 0;
    for (const bool spreads_bits : {false, true}) {
      const bit_range in_order{bits.begin, bits.end, false, spreads_bits};
      const bit_range in_any_order{bits.begin, bits.end, true, spreads_bits};
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

// ---- buckets --------------------------------------------------------------------------------------------------------
namespace {

// Keys in buckets of given sizes, which are numbered from `first` on, and others in all buckets, in random order.
// low_bits: how many of the lower 16 bits differ.
std::vector<std::uint32_t> in_buckets(const std::vector<std::size_t>& sizes, std::size_t others, int low_bits,
                                      std::uint32_t first = 7) {
  std::vector<std::uint32_t> values;
  const auto add = [&](std::uint32_t bucket) {
    const auto low = static_cast<std::uint32_t>(test::hash(5, values.size())) & ((1u << low_bits) - 1);
    values.push_back(bucket << 16 | low << (16 - low_bits));
  };
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    for (std::size_t i = 0; i < sizes[b]; ++i) add((first + static_cast<std::uint32_t>(b) * 257) % 65536);
  }
  for (std::size_t i = 0; i < others; ++i) add(static_cast<std::uint32_t>(test::hash(6, i)) % 65536);
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [](auto a, auto b) { return test::hash(7, a) < test::hash(7, b); });
  return test::arranged(values, std::vector<std::size_t>(order.begin(), order.end()));
}

template <class V>
void check_buckets(const test::cuda_backend& backend) {
  const std::vector<std::size_t> around = {1, 2, 31, 32, 33, 255, 256, 257, 1535, 1536, 1537, 4607, 4608, 4609};
  const std::vector<std::size_t> over = {4863, 4864, 4865, 5119, 5120, 5121, 9000, 12289};
  const std::size_t others = test::limited(300000);
  for (const int low_bits : {16, 9, 1, 0}) {
    SCOPED_TRACE(testing::Message() << low_bits << " low bits");
    EXPECT_EQ(check<V>(backend, in_buckets(around, others, low_bits), false), low_bits == 0 ? 0 : low_bits < 9 ? 0 : 2);
    if (test::small_only()) return;
    EXPECT_EQ(check<V>(backend, in_buckets(over, others, low_bits), true), low_bits < 9 ? 0 : 2);
    // In the first and the last bucket.
    check<V>(backend, in_buckets({7000, 100}, others, low_bits, 0), false);
    check<V>(backend, in_buckets({4700, 100}, others, low_bits, 65535), true);
  }
  // With a low digit that all keys have but one.
  std::vector<std::uint32_t> values = in_buckets(around, others, 8);
  values[values.size() / 3] |= 1;
  EXPECT_EQ(check<V>(backend, values, false), 2);
}

}  // namespace

ONEPASS_GPU_TEST(radix_sort, buckets_of_keys) { check_buckets<detail::none>(backend); }
ONEPASS_GPU_TEST(radix_sort, buckets_of_pairs) { check_buckets<std::uint32_t>(backend); }
ONEPASS_GPU_TEST(radix_sort, buckets_of_pairs_with_wide_values) { check_buckets<std::uint64_t>(backend); }
ONEPASS_GPU_TEST(radix_sort, buckets_of_pairs_with_bytes) { check_buckets<std::uint8_t>(backend); }

ONEPASS_GPU_TEST(radix_sort, buckets_of_other_types) {
  const std::vector<std::uint32_t> bits = in_buckets({300, 4700}, test::limited(200000), 16);
  std::vector<std::int32_t> integers(bits.begin(), bits.end());
  std::vector<float> floats(bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const std::uint32_t finite = bits[i] % 0x7F800000u == 0 ? 1 : bits[i] % 0x7F800000u | (bits[i] & 0x80000000u);
    std::memcpy(&floats[i], &finite, sizeof finite);
  }
  for (const bool descending : {false, true}) {
    EXPECT_EQ(check<detail::none>(backend, integers, descending), 2);
    EXPECT_EQ(check<std::uint32_t>(backend, integers, descending), 2);
    EXPECT_EQ(check<detail::none>(backend, floats, descending), 2);
    EXPECT_EQ(check<std::uint32_t>(backend, floats, descending), 2);
  }
  // Both zeros are one key, but a bucket could not tell which is which.
  floats[3] = 0.0f, floats[5] = -0.0f, floats[floats.size() / 2] = 0.0f;
  EXPECT_EQ(check<detail::none>(backend, floats, false), 0);
  EXPECT_EQ(check<std::uint32_t>(backend, floats, true), 0);
}

// Most keys in few buckets, or not all digits in use: passes do it.
ONEPASS_GPU_TEST(radix_sort, buckets_that_are_too_large) {
  const std::size_t n = test::limited(100000);
  if (n < 100000) GTEST_SKIP() << "small sizes have no large bucket";
  EXPECT_EQ(check<detail::none>(backend, in_buckets({60000}, 40000, 16), false), 0);
  EXPECT_EQ(check<std::uint32_t>(backend, in_buckets({30000, 30000}, 40000, 16), false), 0);
  for (const test::pattern p : test::all_patterns) {
    SCOPED_TRACE(test::name_of(p));
    check<std::uint32_t>(backend, test::keys<std::uint32_t>(n, 5, p), false);
    check<detail::none>(backend, test::keys<float>(n, 6, p), true);
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

ONEPASS_GPU_TEST(radix_sort, buckets_with_an_atomic_ranking_that_is_broken) {
  const std::vector<std::uint32_t> values = in_buckets({300, 4000, 4600}, test::limited(50000), 16);
  const auto redone = [&](auto value) {
    return sorted<decltype(value), test::broken_atomic_ranking>(backend, values, false, {}, true).tiles_redone;
  };
  EXPECT_GT(redone(detail::none()), 0u);
  EXPECT_GT(redone(std::uint32_t()), 0u);
}
#endif
