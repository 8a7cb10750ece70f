// SPDX-License-Identifier: Apache-2.0
// Sorts of 4-byte keys on CUDA that end in buckets: buckets of all sizes, also of more keys than a block has room for; buckets
// whose keys are tied in the digits that they are split by, in short and in long runs; and keys for which passes are better.
#include <algorithm>
#include <cstring>

#include "primitives/radix_sort/broken_atomic_ranking.hpp"
#include "primitives/radix_sort/by_upper_digits.hpp"

#if ONEPASS_HAS_CUDA
namespace {

namespace detail = onepass::detail;
using test::check;

// While this lives, buckets have this shape, however few keys there are.
template <class K, class V>
class with_buckets {
  using of_sort = test::for_many<detail::sort_key<K>, V>;

 public:
  explicit with_buckets(const detail::bucket_shape& now) { set(now); }
  ~with_buckets() { set(before_); }
  with_buckets(const with_buckets&) = delete;
  with_buckets& operator=(const with_buckets&) = delete;

 private:
  static void set(const detail::bucket_shape& to) {
    of_sort::least_bucket_bits = to.bits, of_sort::least_bucket_room = to.room;
  }
  const detail::bucket_shape before_{of_sort::least_bucket_bits, of_sort::least_bucket_room};
};
template <class V>
std::vector<detail::bucket_shape> all_buckets() {
  using detail::small_bucket, detail::medium_bucket, detail::large_bucket, detail::most_bucket_bits;
  if (detail::stored_size<V> == 0) return {{most_bucket_bits, medium_bucket}, {most_bucket_bits, large_bucket}};
  return {{13, small_bucket},
          {14, small_bucket},
          {most_bucket_bits, small_bucket},
          {13, medium_bucket},
          {most_bucket_bits, large_bucket}};
}

std::vector<std::uint32_t> shuffled(const std::vector<std::uint32_t>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [](auto a, auto b) { return test::hash(7, a) < test::hash(7, b); });
  return test::arranged(values, order);
}

// Keys in buckets of given sizes, which are numbered from `first` on, and others in all buckets, in random order. A bucket's
// keys differ in the `different` highest of the bits below the bucket's.
struct in_buckets {
  int bits, different;
  std::vector<std::uint32_t> operator()(const std::vector<std::size_t>& sizes, std::size_t others,
                                        std::uint32_t first = 7) const {
    const std::uint32_t buckets = 1u << bits;
    std::vector<std::uint32_t> values;
    const auto add = [&](std::uint32_t bucket) {
      const auto low = static_cast<std::uint32_t>(test::hash(5, values.size())) & ((1u << different) - 1);
      values.push_back(bucket << (32 - bits) | low << (32 - bits - different));
    };
    for (std::size_t b = 0; b < sizes.size(); ++b) {
      for (std::size_t i = 0; i < sizes[b]; ++i) add((first + static_cast<std::uint32_t>(b) * 257) % buckets);
    }
    for (std::size_t i = 0; i < others; ++i) add(static_cast<std::uint32_t>(test::hash(6, i)) % buckets);
    return shuffled(values);
  }
};

template <class V>
void check_buckets(const test::cuda_backend& backend) {
  const std::vector<std::size_t> around = {1,    2,    31,   32,   33,   127,  128,  129,  255,  256,  257, 1535,
                                           1536, 1537, 2303, 2304, 2305, 2431, 2432, 2433, 2559, 2560, 2561};
  const std::vector<std::size_t> over = {4607, 4608, 4609, 4863, 4864, 4865,  5119,
                                         5120, 5121, 9215, 9216, 9217, 10240, 12289};
  const std::size_t others = test::limited(300000);
  for (const detail::bucket_shape& shape : all_buckets<V>()) {
    const with_buckets<std::uint32_t, V> chosen(shape);
    const int bits = shape.bits, below = 32 - bits;  // of which the lowest digit has 8
    for (const int different : {below, below - 7, below - 8, 0}) {
      SCOPED_TRACE(testing::Message() << bits << " bits say the bucket of " << shape.room << ", keys differ in "
                                      << different);
      const int lowest = different > below - 8 ? 2 : 0;
      const in_buckets make{bits, different};
      EXPECT_EQ(check<V>(backend, make(around, others), false), lowest);
      if (test::small_only()) return;
      EXPECT_EQ(check<V>(backend, make(over, others), true), lowest);
      // In the first and the last bucket.
      check<V>(backend, make({7000, 100}, others, 0), false);
      check<V>(backend, make({4700, 100}, others, (1u << bits) - 1), true);
    }
    // With a low digit that all keys have but one.
    std::vector<std::uint32_t> values = in_buckets{bits, below - 8}(around, others);
    values[values.size() / 3] |= 1;
    EXPECT_EQ(check<V>(backend, values, false), 2);
  }
}

// Keys that are equal in all bits but the lowest `rest`, in runs of given lengths, and others in all buckets.
std::vector<std::uint32_t> in_runs(const std::vector<std::size_t>& lengths, int rest, std::size_t others) {
  std::vector<std::uint32_t> values;
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    const std::uint32_t upper = (std::uint32_t{0x01234567} + static_cast<std::uint32_t>(r) * 0x1020304u) >> rest
                                                                                                                << rest;
    for (std::size_t i = 0; i < lengths[r]; ++i)
      values.push_back(upper | (static_cast<std::uint32_t>(test::hash(8, values.size())) & ((1u << rest) - 1)));
  }
  for (std::size_t i = 0; i < others; ++i) values.push_back(static_cast<std::uint32_t>(test::hash(9, i)));
  return shuffled(values);
}

}  // namespace

ONEPASS_GPU_TEST(radix_sort, buckets_of_keys) { check_buckets<detail::none>(backend); }
ONEPASS_GPU_TEST(radix_sort, buckets_of_pairs) { check_buckets<std::uint32_t>(backend); }
ONEPASS_GPU_TEST(radix_sort, buckets_of_pairs_with_wide_values) { check_buckets<std::uint64_t>(backend); }
ONEPASS_GPU_TEST(radix_sort, buckets_of_pairs_with_bytes) { check_buckets<std::uint8_t>(backend); }

// Buckets store indices in 8 bytes if each has room in a block, and otherwise say that they have not.
ONEPASS_GPU_TEST(radix_sort, buckets_of_indices) {
  const auto is_narrow = [&](const std::vector<std::uint32_t>& values) {
    const auto out = test::sorted<std::uint32_t, detail::atomic_ranking>(backend, values, false, {}, false);
    EXPECT_EQ(out.lowest_position, 2);
    return out.result_is_narrow;
  };
  for (const detail::bucket_shape& shape : all_buckets<std::uint32_t>()) {
    const with_buckets<std::uint32_t, std::uint32_t> chosen(shape);
    const in_buckets make{shape.bits, 32 - shape.bits};
    const std::size_t room = static_cast<std::size_t>(shape.room), others = test::limited(100000);
    const std::uint32_t last = (1u << shape.bits) - 1;
    for (const std::uint32_t bucket : {0u, 1u, last}) {
      SCOPED_TRACE(testing::Message() << room << " items have room in bucket " << bucket << " of " << last + 1);
      std::size_t there = 0;
      for (const std::uint32_t key : make({}, others)) there += key >> (32 - shape.bits) == bucket;
      EXPECT_FALSE(is_narrow(make({room - there}, others, bucket)));
      EXPECT_TRUE(is_narrow(make({room - there + 1}, others, bucket)));
    }
  }
}

ONEPASS_GPU_TEST(radix_sort, runs_of_ties_in_buckets) {
  const auto redone = [&](const std::vector<std::size_t>& lengths, bool descending) {
    const auto values = in_runs(lengths, 3, test::limited(100000));  // 13 bits say the bucket, and 16 are sorted by
    const auto out = test::sorted<std::uint32_t, detail::atomic_ranking>(backend, values, descending, {}, true);
    EXPECT_EQ(out.lowest_position, 2);
    return out.tiles_redone;
  };
  std::vector<std::size_t> short_runs;
  for (std::size_t i = 0; i < 200; ++i) short_runs.push_back(i % 7 + 2);
  for (const bool descending : {false, true}) {
    EXPECT_EQ(redone(short_runs, descending), 0u);
    redone({9, 10, 11, 16, 17, 31}, descending);
    EXPECT_GT(redone({33, 100, 1000, 4000}, descending), 0u);
  }
}

ONEPASS_GPU_TEST(radix_sort, buckets_of_other_types) {
  const std::vector<std::uint32_t> bits = in_buckets{13, 19}({300, 4700}, test::limited(200000));
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
  EXPECT_EQ(check<detail::none>(backend, in_buckets{16, 16}({60000}, 40000), false), 0);
  EXPECT_EQ(check<std::uint32_t>(backend, in_buckets{13, 19}({30000, 30000}, 40000), false), 0);
  for (const test::pattern p : test::all_patterns) {
    SCOPED_TRACE(test::name_of(p));
    check<std::uint32_t>(backend, test::keys<std::uint32_t>(n, 5, p), false);
    check<detail::none>(backend, test::keys<float>(n, 6, p), true);
  }
}

// As many buckets as a sample has keys, one behind another: a sample at equal distances would have one key of each.
ONEPASS_GPU_TEST(radix_sort, buckets_in_order_that_are_too_large) {
  constexpr std::size_t buckets = 64 << 6, size = 3000, n = buckets * size;
  if (test::limited(n) < n) GTEST_SKIP() << "small sizes have no large bucket";
  std::vector<std::uint32_t> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[n - 1 - i] = static_cast<std::uint32_t>(i / size) << 19 | (test::hash(5, i) & 0x7FFFFu);
  EXPECT_EQ(check<std::uint32_t>(backend, values, false), 0);
}

ONEPASS_GPU_TEST(radix_sort, buckets_with_an_atomic_ranking_that_is_broken) {
  const auto check_redone = [&](auto value, const detail::bucket_shape& shape) {
    using V = decltype(value);
    const with_buckets<std::uint32_t, V> chosen(shape);
    const auto values = in_buckets{shape.bits, 32 - shape.bits}({300, 2500, 4000, 4600}, test::limited(50000));
    for (const bool in_place : {false, true}) {
      const auto out = test::sorted<V, test::broken_atomic_ranking>(backend, values, false, {}, in_place);
      EXPECT_GT(out.tiles_redone, 0u);
    }
  };
  for (const auto& shape : all_buckets<detail::none>()) check_redone(detail::none(), shape);
  for (const auto& shape : all_buckets<std::uint32_t>()) check_redone(std::uint32_t(), shape);
}
#endif
