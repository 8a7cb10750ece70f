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

// While this lives, so many bits say a key's bucket, however few keys there are.
template <class K, class V>
class with_bucket_bits {
 public:
  explicit with_bucket_bits(int bits) { std::swap(bits, of_sort()), before_ = bits; }
  ~with_bucket_bits() { of_sort() = before_; }
  with_bucket_bits(const with_bucket_bits&) = delete;
  with_bucket_bits& operator=(const with_bucket_bits&) = delete;

 private:
  static int& of_sort() { return test::for_many<detail::sort_key<K>, V>::least_bucket_bits; }
  int before_;
};
template <class V>
std::vector<int> bits_of_buckets() {
  if (detail::stored_size<V> == 0) return {detail::most_bucket_bits};
  return {13, 14, detail::most_bucket_bits};
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
  const std::vector<std::size_t> around = {1, 2, 31, 32, 33, 255, 256, 257, 1535, 1536, 1537, 4607, 4608, 4609};
  const std::vector<std::size_t> over = {4863, 4864, 4865, 5119, 5120, 5121, 9000, 12289};
  const std::size_t others = test::limited(300000);
  for (const int bits : bits_of_buckets<V>()) {
    const with_bucket_bits<std::uint32_t, V> chosen(bits);
    const int below = 32 - bits;  // of which the lowest digit has 8
    for (const int different : {below, below - 7, below - 8, 0}) {
      SCOPED_TRACE(testing::Message() << bits << " bits say the bucket, keys differ in " << different);
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

ONEPASS_GPU_TEST(radix_sort, buckets_with_an_atomic_ranking_that_is_broken) {
  const auto redone = [&](auto value, int bits) {
    using V = decltype(value);
    const with_bucket_bits<std::uint32_t, V> chosen(bits);
    const std::vector<std::uint32_t> values = in_buckets{bits, 32 - bits}({300, 4000, 4600}, test::limited(50000));
    return test::sorted<V, test::broken_atomic_ranking>(backend, values, false, {}, true).tiles_redone;
  };
  EXPECT_GT(redone(detail::none(), 16), 0u);
  EXPECT_GT(redone(std::uint32_t(), 16), 0u);
  EXPECT_GT(redone(std::uint32_t(), 13), 0u);
}
#endif
