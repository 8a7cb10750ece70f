// SPDX-License-Identifier: Apache-2.0
// What the library refuses, and how; and that nothing has been written then.
#include "library/fixture.hpp"

#include <functional>

namespace {

using error = onepass::invalid_argument;

void refuses(const std::string& text, const std::function<void()>& call) {
  EXPECT_TRUE(test::throws<error>("onepass::" + text, call));
}

constexpr std::size_t n = 1000;

}  // namespace

TEST(library_arguments, negative_threads_cpu) {
  std::vector<int> x{1, 2};
  refuses("cpu: threads is negative",
          [&] { onepass::library::inclusive_scan(onepass::library::execution::cpu(-3), x.data(), 2, x.data()); });
  EXPECT_EQ(x[1], 2) << "written before the exception";
}

LIBRARY_TEST(library_arguments, null_pointers) {
  const test::array<int> in(where, std::vector<int>(n, 1)), out(where, n), other(where, n);
  const test::array<std::uint8_t> flags(where, std::vector<std::uint8_t>(n, 1));
  const test::array<std::int64_t> count(where, 1);
  int* const null = nullptr;
  const std::uint8_t* const no_flags = nullptr;
  int* const x = in;
  int* const y = out;
  int* const z = other;
  using namespace library;
  refuses("inclusive_scan: first", [&] { inclusive_scan(where, null, n, y); });
  refuses("inclusive_scan: out", [&] { inclusive_scan(where, x, n, null); });
  refuses("exclusive_scan: out", [&] { exclusive_scan(where, x, n, null); });
  refuses("inclusive_scan_by_key: keys", [&] { inclusive_scan_by_key(where, null, n, x, y); });
  refuses("exclusive_scan_by_key: first", [&] { exclusive_scan_by_key(where, x, n, null, y); });
  refuses("inclusive_segmented_scan: head_flags", [&] { inclusive_segmented_scan(where, x, n, no_flags, y); });
  refuses("exclusive_segmented_scan: offsets", [&] { exclusive_segmented_scan(where, x, n, offsets{nullptr, 3}, y); });
  refuses("compact: flags", [&] { compact(where, x, n, no_flags, y); });
  refuses("compact_async: count", [&] { compact_async(where, x, n, flags, y, nullptr); });
  refuses("stable_partition_copy_async: count",
          [&] { stable_partition_copy_async(where, x, n, flags, y, z, nullptr); });
  refuses("unique: first", [&] { unique(where, null, n); });
  refuses("unique_copy_async: count", [&] { unique_copy_async(where, x, n, y, nullptr); });
  refuses("unique_by_key: values", [&] { unique_by_key(where, x, n, null); });
  refuses("unique_by_key_copy: out_values", [&] { unique_by_key_copy(where, x, n, x, y, null); });
  refuses("split: out", [&] { split(where, x, n, null, digit{}); });
  refuses("radix_sort: keys", [&] { radix_sort(where, null, n); });
  refuses("radix_sort_by_key: values", [&] { radix_sort_by_key(where, x, n, null); });
  std::int64_t* const no_indices = nullptr;
  const offsets no_offsets{nullptr, 3};
  refuses("inclusive_wide_sum: first", [&] { inclusive_wide_sum(where, null, n, count); });
  refuses("exclusive_wide_sum: out", [&] { exclusive_wide_sum(where, x, n, nullptr); });
  refuses("argsort: keys", [&] { argsort(where, null, n, y); });
  refuses("argsort: out", [&] { argsort(where, x, n, null); });
  refuses("segmented_sort: keys", [&] { segmented_sort(where, null, n, offsets{nullptr, 0}); });
  refuses("segmented_sort: offsets", [&] { segmented_sort(where, x, n, no_offsets); });
  refuses("segmented_sort_by_key: values", [&] { segmented_sort_by_key(where, x, n, null, no_offsets); });
  refuses("positions: flags", [&] { positions(where, no_flags, n, no_indices); });
  refuses("positions: out", [&] { positions(where, flags, n, no_indices); });
  refuses("positions_async: count", [&] { positions_async(where, flags, n, count, nullptr); });
  refuses("run_length_encode: lengths", [&] { run_length_encode(where, x, n, y, no_indices); });
  refuses("run_length_encode_async: count", [&] { run_length_encode_async(where, x, n, y, count, nullptr); });
  refuses("reduce_by_key: values", [&] { reduce_by_key(where, x, n, null, y, z); });
  refuses("reduce_by_key: out_values", [&] { reduce_by_key(where, x, n, x, y, null); });
  refuses("reduce_by_key_async: count", [&] { reduce_by_key_async(where, x, n, x, y, z, nullptr); });
  refuses("segmented_reduce: offsets", [&] { segmented_reduce(where, x, n, no_offsets, y); });
  refuses("segmented_reduce: out", [&] { segmented_reduce(where, x, n, offsets{count, 2}, null); });
  refuses("copy: to", [&] { copy(where, nullptr, x, 4); });
  EXPECT_TRUE(out.untouched() && other.untouched() && count.untouched()) << "written before the exception";
}

LIBRARY_TEST(library_arguments, ranges_that_overlap) {
  const test::array<int> in(where, std::vector<int>(n, 1));
  const test::array<std::uint8_t> flags(where, std::vector<std::uint8_t>(n, 1));
  int* const x = in;
  using namespace library;
  refuses("inclusive_scan: out overlaps", [&] { inclusive_scan(where, x, n - 1, x + 1); });
  refuses("compact: out overlaps", [&] { compact(where, x, n - 1, flags, x + 1); });
  refuses("split: out overlaps", [&] { split(where, x, n, x, digit{}); });
  refuses("radix_sort_by_key: values overlaps", [&] { radix_sort_by_key(where, x, n, x); });
  refuses("segmented_sort_by_key: values overlaps", [&] { segmented_sort_by_key(where, x, n, x, rows{10}); });
  // Keys of 2 bytes and of 4.
  auto* const narrow = reinterpret_cast<std::int16_t*>(x);
  const test::array<int> values(where, std::vector<int>(n, 1));
  refuses("inclusive_scan_by_key: out overlaps the keys",
          [&] { inclusive_scan_by_key<int, int>(where, x, n - 1, values, x + 1); });
  refuses("inclusive_scan_by_key: out overlaps the keys",
          [&] { inclusive_scan_by_key<std::int16_t, int>(where, narrow, n, values, x); });
  refuses("inclusive_scan_by_key: out overlaps the values",
          [&] { inclusive_scan_by_key<std::int16_t, int>(where, narrow, n - 1, values, values + 1); });
  EXPECT_TRUE(test::same(in.items(), std::vector<int>(n, 1))) << "written before the exception";
}

LIBRARY_TEST(library_arguments, operators_digits_and_sizes) {
  const test::array<float> in(where, std::vector<float>(n, 1.f)), out(where, n);
  const test::array<int> keys(where, std::vector<int>(n, 1)), sorted(where, n);
  float *const x = in, *const y = out;
  int *const k = keys, *const s = sorted;
  using namespace library;
  refuses("inclusive_scan: operators on bits", [&] { inclusive_scan(where, x, n, y, op::bit_xor); });
  refuses("inclusive_scan: the operator", [&] { inclusive_scan(where, x, n, y, static_cast<op>(99)); });
  refuses("inclusive_scan: n is more", [&] { inclusive_scan(where, x, ~std::size_t{0}, y); });
  refuses("radix_sort: bits [3, 33)", [&] { radix_sort(where, k, n, {false, 3, 33}); });
  refuses("argsort: n is more than an index", [&] { argsort(where, k, (std::size_t{1} << 31) + 1, s); });
  auto* const unsigned_indices = reinterpret_cast<std::uint32_t*>(s);
  refuses("argsort: n is more than an index", [&] { argsort(where, k, (std::size_t{1} << 32) + 1, unsigned_indices); });
  refuses("reduce_by_key: operators on bits", [&] { reduce_by_key(where, k, n, x, s, y, op::bit_or); });
  refuses("radix_sort: bits [9, 3)", [&] { radix_sort(where, k, n, {false, 9, 3}); });
  refuses("split: a digit of 9 bits", [&] { split(where, k, n, s, digit{0, 9}); });
  refuses("split: a digit of 8 bits at bit 25", [&] { split(where, k, n, s, digit{25, 8}); });
  refuses("split: a digit of 8 bits at bit 2147483647", [&] { split(where, k, n, s, digit{2147483647, 8}); });
  refuses("argsort: bits [9, 3)", [&] { argsort(where, k, n, unsigned_indices, {false, 9, 3}); });
  EXPECT_TRUE(out.untouched() && sorted.untouched()) << "written before the exception";
}

LIBRARY_TEST(library_arguments, empty_ranges) {
  const test::array<std::int64_t> count(where, 1);
  int* const null = nullptr;
  using namespace library;
  inclusive_scan(where, null, 0, null);
  exclusive_scan_by_key(where, null, 0, null, null);
  inclusive_segmented_scan(where, null, 0, offsets{nullptr, 0}, null);
  EXPECT_EQ(compact(where, null, 0, nullptr, null), 0u);
  EXPECT_EQ(stable_partition_copy(where, null, 0, nullptr, null, null), 0u);
  EXPECT_EQ(unique_by_key(where, null, 0, null), 0u);
  compact_async(where, null, 0, nullptr, null, count);
  split(where, null, 0, null, digit{});
  radix_sort(where, null, 0);
  radix_sort_by_key(where, null, 0, null);
  inclusive_wide_sum(where, null, 0, nullptr);
  argsort(where, null, 0, null);
  segmented_sort(where, null, 0, offsets{nullptr, 0});
  segmented_sort_by_key(where, null, 0, null, offsets{nullptr, 0});
  segmented_reduce(where, null, 0, offsets{nullptr, 0}, null);
  std::int64_t* const no_indices = nullptr;
  EXPECT_EQ(positions(where, nullptr, 0, no_indices), 0u);
  EXPECT_EQ(run_length_encode(where, null, 0, null, no_indices), 0u);
  EXPECT_EQ(reduce_by_key(where, null, 0, null, null, null), 0u);
  wait(where);
  EXPECT_EQ(count.items()[0], 0);
}

// Memory and copies work on the host whatever the library was built with; CUDA that is not there is an exception.
TEST(library_execution, without_a_device_cpu) {
  const library::execution here = library::execution::cpu(3);
  EXPECT_FALSE(here.on_cuda());
  EXPECT_EQ(here.threads(), 3);
  EXPECT_TRUE(library::execution::cuda().on_cuda());
  library::release(here, nullptr);
  library::release_workspace();
  if (library::has_cuda()) GTEST_SKIP() << "there is a CUDA device";
  std::vector<int> x = {3, 1, 2};
  EXPECT_THROW(library::radix_sort(library::execution::cuda(), x.data(), x.size()), std::exception);
  EXPECT_THROW(library::wait(library::execution::cuda()), std::exception);
  EXPECT_EQ(x, (std::vector<int>{3, 1, 2}));
}

TEST(library_execution, memory_that_cannot_be_had_cpu) {
  const library::execution where = library::execution::cpu();
  for (const std::size_t bytes : {~std::size_t{0}, ~std::size_t{0} - 300, std::size_t{1} << 62})
    EXPECT_THROW(library::allocate(where, bytes), onepass::bad_alloc);
}

// More threads than a system can have.
TEST(library_execution, very_many_threads_cpu) {
  for (const int threads : {1 << 16, 1 << 30, 2147483647}) {
    const library::execution where = library::execution::cpu(threads);
    std::vector<int> keys = test::random_values<int>(100000, 1), sorted = keys, of_rows = keys;
    std::sort(sorted.begin(), sorted.end());
    library::radix_sort(where, keys.data(), keys.size());
    EXPECT_TRUE(keys == sorted);
    library::segmented_sort(where, of_rows.data(), of_rows.size(), library::rows{100000});
    EXPECT_TRUE(of_rows == sorted);
  }
}

TEST(library_arguments, negative_threads_of_an_empty_range_cpu) {
  refuses("cpu: threads is negative", [&] {
    const float* const none = nullptr;
    const auto where = onepass::library::execution::cpu(-1);
    onepass::library::linear_recurrence(where, none, none, 0, onepass::library::rows{1}, static_cast<float*>(nullptr));
  });
}

TEST(library_execution, memory_that_cannot_be_had_gpu) {
  if (!library::has_cuda()) GTEST_SKIP() << "no CUDA device, or a CPU-only build";
  if (test::small_only()) GTEST_SKIP() << "a tool that checks the runtime's calls would report the failing one";
  const library::execution where = library::execution::cuda();
  EXPECT_THROW(library::allocate(where, std::size_t{1} << 60), onepass::bad_alloc);
  const test::array<int> keys(where, {3, 1, 2});
  library::radix_sort<int>(where, keys, keys.size());  // the library is as usable as before
  library::wait(where);
  EXPECT_EQ(keys.items(), (std::vector<int>{1, 2, 3}));
}

// What counts flags for another call does not tell of itself.
TEST(library_arguments, an_output_that_is_null_without_a_device_cpu) {
  if (library::has_cuda()) GTEST_SKIP() << "there is a CUDA device";
  const std::uint8_t flags[] = {1};
  int x = 1, *const null = nullptr;
  try {
    library::compact(library::execution::cuda(), &x, 1, flags, null);
    ADD_FAILURE() << "no exception";
  } catch (const std::exception& e) {
    EXPECT_EQ(std::string(e.what()).rfind("onepass::compact: ", 0), 0u) << e.what();
  }
}

TEST(library_arguments, an_operator_below_the_first_cpu) {
  int x = 1;
  const auto none = static_cast<onepass::library::op>(-1);
  refuses("inclusive_scan: the operator",
          [&] { onepass::library::inclusive_scan(onepass::library::execution::cpu(1), &x, 1, &x, none); });
}
