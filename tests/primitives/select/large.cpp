// SPDX-License-Identifier: Apache-2.0
// Selections from more than 2^31 and 2^32 items on the device: of keys of 8 bytes without a limit, of short ones up to theirs;
// of rows that are many, and of few long ones. And what is refused.
#include <onepass/select.hpp>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/compare.hpp"
#include "support/large.hpp"
#include "support/test.hpp"

// An array or a row of 2^32 - 1 items or more, with keys of up to 4 bytes.
ONEPASS_TEST(select, more_short_keys_than_indices_are_refused) {
  const thrust::constant_iterator<std::uint32_t> keys(1);
  const std::int64_t most = (std::int64_t{1} << 32) - 1;
  static std::uint32_t out[2];
  const auto refused = [&](const char* opening, auto call) {
    return test::throws<onepass::invalid_argument>(opening, call);
  };
  EXPECT_TRUE(refused("onepass::top_k: more items", [&] {
    onepass::top_k(backend.policy(), keys, keys + most, 1, static_cast<std::uint32_t*>(out));
  }));
  EXPECT_TRUE(refused("onepass::nth_element: more items", [&] {
    onepass::nth_element(backend.policy(), keys, keys + most + 9, onepass::rows(most), 0,
                         static_cast<std::uint32_t*>(out));
  }));
}

#if ONEPASS_HAS_CUDA
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

// Most keys are small and occur often; one in a period is its own index, and so larger than those before it.
struct key_at {
  static constexpr std::int64_t period = 1000003;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    return i % period == 7 && i >= period ? i : i % 1000;
  }
};
auto computed_keys() { return thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), key_at{}); }
// The index of the large key that is the last but `j`.
struct from_the_last {
  std::int64_t last;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t j) const { return last - j * key_at::period; }
};
std::int64_t last_large(std::int64_t n) { return (n - 8) / key_at::period * key_at::period + 7; }
std::int64_t count_of_large(std::int64_t n) { return (n - 8) / key_at::period; }

// The number of keys that are `value`, below 1000.
std::int64_t count_of(std::int64_t n, std::int64_t value) {
  std::int64_t count = n / 1000 + (value < n % 1000);
  for (std::int64_t i = key_at::period + 7; i < n; i += key_at::period) count -= i % 1000 == value;
  return count;
}
// The key of that rank.
std::int64_t key_of_rank(std::int64_t n, std::int64_t rank) {
  for (std::int64_t value = 0; value < 1000; ++value) {
    rank -= count_of(n, value);
    if (rank < 0) return value;
  }
  return key_at::period * (rank + 1) + 7;
}

// Bytes that count up to 250 again and again, in each row from its number on.
struct byte_in_row {
  std::int64_t length;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return (i % length + i / length) % 251; }
};
// Where the first k of them that are 250 stand.
struct index_of_largest {
  std::int64_t length, k;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t result) const {
    const std::int64_t row = result / k;
    return row * length + 250 - row % 251 + result % k * 251;
  }
};

}  // namespace

ONEPASS_GPU_TEST(top_k, large_of_words) {
  ONEPASS_SKIP_WITHOUT_MEMORY(8 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    const auto keys = computed_keys();
    for (const std::int64_t wanted : {1, 100, 2100}) {  // 2100 are sorted by other kernels
      const std::int64_t k = std::min(wanted, count_of_large(n));
      SCOPED_TRACE(testing::Message() << k << " of " << n << " keys");
      const test::large_room<std::int64_t> out(backend, k);
      onepass::top_k(backend.policy(), keys, keys + n, k, out.begin());
      out.check(backend, k, from_the_last{last_large(n)});
    }
  }
}

// The values are the indices.
ONEPASS_GPU_TEST(top_k, large_by_key) {
  ONEPASS_SKIP_WITHOUT_MEMORY(8 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    const std::int64_t k = std::min<std::int64_t>(1500, count_of_large(n));
    SCOPED_TRACE(testing::Message() << k << " of " << n << " keys");
    const auto keys = computed_keys();
    const thrust::counting_iterator<std::int64_t> indices(0);
    const test::large_room<std::int64_t> out(backend, k), values(backend, k);
    onepass::top_k_by_key(backend.policy(), keys, keys + n, indices, k, out.begin(), values.begin());
    values.check(backend, k, from_the_last{last_large(n)});
    const std::int64_t first = last_large(n) - (k - 1) * key_at::period;
    onepass::top_k_by_key(backend.policy(), keys, keys + n, indices, k, out.begin(), values.begin(),
                          onepass::in_input_order());
    values.check(backend, k, test::index_times{key_at::period, first});
  }
}

ONEPASS_GPU_TEST(nth_element, large_of_words) {
  ONEPASS_SKIP_WITHOUT_MEMORY(18 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    const auto keys = computed_keys();
    for (const std::int64_t rank : {std::int64_t{0}, n / 2, n - count_of_large(n) - 1, n - 2, n - 1}) {
      SCOPED_TRACE(testing::Message() << "rank " << rank << " of " << n);
      const test::buffer<std::int64_t> out(backend, 1);
      onepass::nth_element(backend.policy(), keys, keys + n, rank, out.begin());
      EXPECT_EQ(out.to_host()[0], key_of_rank(n, rank));
    }
  }
}

// Bytes in memory: just past 2^31, and as many as keys of up to 4 bytes may be.
ONEPASS_GPU_TEST(select, large_of_bytes) {
  ONEPASS_SKIP_WITHOUT_MEMORY(12 * gib);
  const auto most = static_cast<std::int64_t>(test::limited((std::size_t{1} << 32) - 2));
  for (const std::int64_t n : {test::above_int(), most}) {
    SCOPED_TRACE(testing::Message() << n << " keys");
    const test::large_range<std::uint8_t> keys(backend, n, test::index_within{100});
    test::make_items(backend, keys.data() + n - 3, 3, test::index_times{1, 200});
    const thrust::counting_iterator<std::int64_t> indices(0);
    const test::buffer<std::uint8_t> out(backend, 3), nth(backend, 1);
    const test::buffer<std::int64_t> values(backend, 3);
    onepass::top_k_by_key(backend.policy(), keys.begin(), keys.end(), indices, 3, out.begin(), values.begin());
    EXPECT_TRUE(test::same(values.to_host(), {n - 1, n - 2, n - 3}));
    onepass::nth_element(backend.policy(), keys.begin(), keys.end(), n - 3, nth.begin());
    EXPECT_EQ(nth.to_host()[0], 200);
    const std::int64_t median = (n - 3) / 100 * 50 - 1;  // the last of the keys 49, or one of them
    onepass::nth_element(backend.policy(), keys.begin(), keys.end(), median, nth.begin());
    EXPECT_EQ(nth.to_host()[0], 49);
  }
}

// Rows in registers, longer ones, and two of more than 2^31 items.
ONEPASS_GPU_TEST(top_k, large_rows) {
  ONEPASS_SKIP_WITHOUT_MEMORY(10 * gib);
  const std::int64_t long_row = test::above_int();
  const auto far = static_cast<std::int64_t>(test::limited(1000003));
  for (const std::int64_t length : {std::int64_t{1000}, std::int64_t{9000}, far, long_row}) {
    const std::int64_t k = 3, rows = std::max<std::int64_t>(test::above_unsigned() / length, 2), n = rows * length;
    SCOPED_TRACE(testing::Message() << rows << " rows of " << length);
    const test::large_range<std::uint8_t> keys(backend, n, byte_in_row{length});
    const test::large_room<std::uint8_t> out(backend, rows * k);
    const test::large_room<std::int64_t> values(backend, rows * k);
    const auto ends =
        onepass::top_k_by_key(backend.policy(), keys.begin(), keys.end(), thrust::counting_iterator<std::int64_t>(0),
                              onepass::rows(length), k, out.begin(), values.begin());
    EXPECT_EQ(ends.first - out.begin(), rows * k);
    out.check(backend, rows * k, test::always{250});
    values.check(backend, rows * k, index_of_largest{length, k});
    onepass::nth_element(backend.policy(), keys.begin(), keys.end(), onepass::rows(length), length - k, out.begin());
    EXPECT_EQ(test::wrong_items(backend, out.data(), rows, test::always{250}), 0);
  }
}

// Segments that begin behind 2^32 items: of keys of 8 bytes, as others may not be so many.
ONEPASS_GPU_TEST(top_k, large_segments) {
  ONEPASS_SKIP_WITHOUT_MEMORY(8 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const auto keys = computed_keys();
    const test::buffer<std::int64_t> starts(backend, std::vector<std::int64_t>{n - 5003, n - 3, n});
    const test::buffer<std::int64_t> out(backend, 4), values(backend, 4);
    onepass::top_k_by_key(backend.policy(), keys, keys + n, thrust::counting_iterator<std::int64_t>(0),
                          onepass::offsets(starts.begin(), starts.end()), 2, out.begin(), values.begin());
    const std::vector<std::int64_t> at = values.to_host(), found = out.to_host();
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_TRUE(i < 2 ? n - 5003 <= at[i] && at[i] < n - 3 : n - 3 <= at[i] && at[i] < n) << at[i];
      EXPECT_EQ(found[i], key_at{}(at[i]));
      EXPECT_TRUE(i >= 2 || found[i] >= 999) << found[i];
    }
  }
}
#endif
