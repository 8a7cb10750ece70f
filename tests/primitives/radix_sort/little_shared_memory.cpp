// SPDX-License-Identifier: Apache-2.0
// Calls on devices whose blocks have less shared memory than an H100's: 99 KB, as on sm_86, sm_89 and sm_120. The library is
// told so; a kernel that asks for more cannot be launched.
#define ONEPASS_MOST_SHARED_MEMORY (99 * 1024)
#include <onepass/compact.hpp>
#include <onepass/histogram.hpp>
#include <onepass/little_memory_sort.hpp>
#include <onepass/scan.hpp>
#include <onepass/segmented_sort.hpp>
#include <onepass/select.hpp>

#include <numeric>

#include "primitives/radix_sort/keys_of_type.hpp"

#if ONEPASS_HAS_CUDA
namespace {

// One block, merged tiles, small tiles, and as many as large tiles would take.
const std::size_t all_sizes[] = {1000, 5000, 20011, 150001, 400009, 3000017};

template <class K, class Backend>
void check_keys(const Backend& backend) {
  for (const std::size_t size : all_sizes) {
    for (const test::pattern p : {test::pattern::uniform, test::pattern::few_valued}) {
      const std::size_t n = test::limited(size);
      SCOPED_TRACE(testing::Message() << n << " keys of " << sizeof(K) << " bytes, " << test::name_of(p));
      test::check_sort(backend, test::keys<K>(n, n, p), {});
    }
  }
}

template <class K, class V, class Backend>
void check_values(const Backend& backend) {
  for (const std::size_t size : all_sizes) {
    const std::size_t n = test::limited(size);
    SCOPED_TRACE(testing::Message() << n << " keys of " << sizeof(K) << " bytes, values of " << sizeof(V));
    const std::vector<K> keys = test::keys<K>(n, n, test::pattern::low_entropy);
    const std::vector<std::size_t> order = test::sorted_order(keys);
    const std::vector<V> numbers = test::random_values<V>(n, 3);
    const test::buffer<K> sorted(backend, keys);
    const test::buffer<V> values(backend, numbers);
    onepass::radix_sort_by_key(backend.policy(), sorted.begin(), sorted.end(), values.begin());
    EXPECT_TRUE(test::identical(sorted.to_host(), test::arranged(keys, order)));
    EXPECT_TRUE(test::same(values.to_host(), test::arranged(numbers, order)));
  }
}

template <class K, class Backend>
void check_rows(const Backend& backend, std::size_t size, std::size_t length) {
  SCOPED_TRACE(testing::Message() << "rows of " << length << " keys of " << sizeof(K) << " bytes");
  const std::size_t n = test::limited(size);
  const std::vector<K> all = test::keys<K>(n, 5, test::pattern::uniform);
  std::vector<K> expected = all;
  for (std::size_t i = 0; i < n; i += length)
    std::sort(expected.begin() + static_cast<std::ptrdiff_t>(i),
              expected.begin() + static_cast<std::ptrdiff_t>(std::min(n, i + length)));
  const test::buffer<K> keys(backend, all);
  onepass::segmented_sort(backend.policy(), keys.begin(), keys.end(), onepass::rows(static_cast<std::int64_t>(length)));
  EXPECT_TRUE(test::same(keys.to_host(), expected));
}
template <class K, class Backend>
void check_segments(const Backend& backend) {
  for (const std::size_t length : {7, 100, 3000, 20000, 200000}) check_rows<K>(backend, 600011, length);
}

struct is_even {
  ONEPASS_HOST_DEVICE bool operator()(std::uint32_t item) const { return item % 2 == 0; }
};

}  // namespace

ONEPASS_GPU_TEST(little_shared_memory, keys) {
  check_keys<std::uint8_t>(backend);
  check_keys<std::int16_t>(backend);
  check_keys<std::uint32_t>(backend);
  check_keys<std::int64_t>(backend);
  check_keys<double>(backend);
  check_keys<test::uint128>(backend);
}

ONEPASS_GPU_TEST(little_shared_memory, values) {
  check_values<std::uint32_t, std::uint64_t>(backend);
  check_values<std::uint64_t, std::uint64_t>(backend);
  check_values<test::uint128, std::uint64_t>(backend);
}

ONEPASS_GPU_TEST(little_shared_memory, segments) {
  check_segments<std::uint32_t>(backend);
  check_segments<std::uint64_t>(backend);
}

// Many rows, which a middle block would have room for, but a large one would not.
ONEPASS_GPU_TEST(little_shared_memory, segments_between_blocks) {
  for (const std::size_t length : {8193, 8400, 8704}) check_rows<std::uint32_t>(backend, 600 * length, length);
  for (const std::size_t length : {13825, 14300, 14848}) check_rows<std::uint16_t>(backend, 600 * length, length);
  for (const std::size_t length : {20481, 21500, 22528}) check_rows<std::uint8_t>(backend, 600 * length, length);
}

ONEPASS_GPU_TEST(little_shared_memory, sort_in_little_memory) {
  const std::size_t n = test::limited(9000011);
  const std::vector<std::uint64_t> all = test::random_values<std::uint64_t>(n, 6);
  std::vector<std::uint64_t> expected = all;
  std::sort(expected.begin(), expected.end());
  const test::buffer<std::uint64_t> keys(backend, all);
  onepass::radix_sort(backend.policy(), keys.begin(), keys.end(), onepass::in_little_memory());
  EXPECT_TRUE(test::same(keys.to_host(), expected));
}

ONEPASS_GPU_TEST(little_shared_memory, selections) {
  for (const std::size_t size : {1000, 70001, 2000003}) {
    const std::size_t n = test::limited(size);
    const std::vector<std::uint64_t> all = test::random_values<std::uint64_t>(n, 7);
    for (const std::size_t k : {std::size_t{10}, n / 3}) {
      std::vector<std::uint64_t> expected = all;
      std::sort(expected.begin(), expected.end(), std::greater<>());
      expected.resize(k);
      const test::buffer<std::uint64_t> in(backend, all), out(backend, k);
      onepass::top_k(backend.policy(), in.begin(), in.end(), static_cast<std::int64_t>(k), out.begin());
      EXPECT_TRUE(test::same(out.to_host(), expected)) << n << " keys, k " << k;
    }
  }
}

ONEPASS_GPU_TEST(little_shared_memory, histograms) {
  const std::vector<std::uint16_t> all = test::random_values<std::uint16_t>(test::limited(3000017), 8);
  for (const std::int64_t bins : {10, 20000, 40000, 65536}) {
    std::vector<std::int64_t> expected(static_cast<std::size_t>(bins));
    for (const std::uint16_t item : all) {
      if (item < bins) ++expected[item];
    }
    const test::buffer<std::uint16_t> in(backend, all);
    const test::buffer<std::int64_t> counts(backend, expected.size());
    onepass::histogram(backend.policy(), in.begin(), in.end(), onepass::value_bins(0, bins), counts.begin());
    EXPECT_TRUE(test::same(counts.to_host(), expected)) << bins << " bins";
  }
}

// Long enough for the pipeline, which needs 227 KB.
ONEPASS_GPU_TEST(little_shared_memory, long_scans_and_compactions) {
  const std::size_t n = test::limited((std::size_t{1} << 23) + 5);
  const std::vector<std::uint32_t> all = test::random_values<std::uint32_t>(n, 9);
  std::vector<std::uint32_t> sums(n), kept;
  std::partial_sum(all.begin(), all.end(), sums.begin());
  for (const std::uint32_t item : all) {
    if (is_even{}(item)) kept.push_back(item);
  }
  const test::buffer<std::uint32_t> in(backend, all), out(backend, n);
  onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin());
  EXPECT_TRUE(test::same(out.to_host(), sums));
  const auto end = onepass::copy_if(backend.policy(), in.begin(), in.end(), out.begin(), is_even{});
  ASSERT_EQ(end - out.begin(), static_cast<std::ptrdiff_t>(kept.size()));
  std::vector<std::uint32_t> result = out.to_host();
  result.resize(kept.size());
  EXPECT_TRUE(test::same(result, kept));
}
#endif
