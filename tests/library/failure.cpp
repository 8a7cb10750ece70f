// SPDX-License-Identifier: Apache-2.0
// The library without memory: each allocation of a call fails once. On the CPU, where the program's operator new is asked.
#include "library/fixture.hpp"
#include "support/failing_allocations.hpp"

namespace {

const library::execution where = library::execution::cpu(2);
constexpr std::size_t n = 50000;

// call(items, others) with each allocation failing: onepass::bad_alloc or the right result, and nothing written before.
template <class Call>
void fail_each_allocation(Call call) {
  const std::vector<std::uint32_t> in = test::random_values<std::uint32_t>(n, 1);
  std::vector<std::uint32_t> done = in, done_values = in;
  call(done.data(), done_values.data());
  for (long k = 1;; ++k) {
    std::vector<std::uint32_t> items = in, values = in;
    bool has_thrown = false, has_failed = false;
    {
      const test::failing_allocation failure(k);
      try {
        call(items.data(), values.data());
      } catch (const onepass::bad_alloc&) {
        has_thrown = true;
      }
      has_failed = failure.has_failed();
    }
    EXPECT_TRUE(test::same(items, has_thrown ? in : done)) << "allocation " << k;
    EXPECT_TRUE(test::same(values, has_thrown ? in : done_values)) << "allocation " << k;
    if (!has_failed || testing::Test::HasFailure()) return;
  }
}

TEST(library_failure, sorts_cpu) {
  fail_each_allocation([](std::uint32_t* x, std::uint32_t*) { library::radix_sort(where, x, n); });
  fail_each_allocation([](std::uint32_t* x, std::uint32_t* y) { library::radix_sort_by_key(where, x, n, y); });
  fail_each_allocation([](std::uint32_t* x, std::uint32_t* y) { library::split(where, x, n, y, library::digit{}); });
}
TEST(library_failure, argsorts_and_segmented_sorts_cpu) {
  static const std::vector<std::int64_t> starts = {0, 100, 30000, n};
  static const library::offsets segments{starts.data(), starts.size()};
  fail_each_allocation([](std::uint32_t* x, std::uint32_t* y) { library::argsort(where, x, n, y); });
  static std::vector<std::int64_t> order(n);  // not compared
  fail_each_allocation([](std::uint32_t* x, std::uint32_t*) { library::argsort(where, x, n, order.data()); });
  fail_each_allocation([](std::uint32_t* x, std::uint32_t*) { library::segmented_sort(where, x, n, segments); });
  fail_each_allocation(
      [](std::uint32_t* x, std::uint32_t* y) { library::segmented_sort_by_key(where, x, n, y, segments); });
}
TEST(library_failure, reductions_cpu) {
  static const std::vector<std::int64_t> starts = {0, 100, 30000, n};
  static std::vector<std::int64_t> lengths(n);
  static std::vector<std::uint32_t> keys(n);  // not compared
  fail_each_allocation([](std::uint32_t* x, std::uint32_t* y) {
    library::segmented_reduce(where, x, n, library::offsets{starts.data(), starts.size()}, y);
  });
  fail_each_allocation(
      [](std::uint32_t* x, std::uint32_t* y) { library::reduce_by_key(where, x, n, x, keys.data(), y); });
  fail_each_allocation(
      [](std::uint32_t* x, std::uint32_t* y) { library::run_length_encode(where, x, n, y, lengths.data()); });
}
TEST(library_failure, compactions_cpu) {
  static const std::vector<std::uint8_t> flags = test::random_flags(n, 3, 0.5);
  fail_each_allocation([](std::uint32_t* x, std::uint32_t*) { library::unique(where, x, n); });
  fail_each_allocation([](std::uint32_t* x, std::uint32_t* y) { library::unique_by_key(where, x, n, y); });
  fail_each_allocation([](std::uint32_t* x, std::uint32_t* y) { library::compact(where, x, n, flags.data(), y); });
}
TEST(library_failure, scans_cpu) {
  fail_each_allocation([](std::uint32_t* x, std::uint32_t* y) { library::inclusive_scan(where, x, n, y); });
  fail_each_allocation([](std::uint32_t* x, std::uint32_t* y) { library::exclusive_scan_by_key(where, x, n, y, y); });
}
TEST(library_failure, memory_cpu) {
  const auto allocate_nothing = [] {
    const test::failing_allocation failure(1);
    library::allocate(where, 100);
  };
  EXPECT_TRUE(test::throws<onepass::bad_alloc>("onepass::allocate", allocate_nothing));
  void* const none = library::allocate(where, 0);
  EXPECT_NE(none, nullptr);
  if (!library::has_cuda())
    library::release(library::execution::cuda(), none);  // there is nothing of CUDA's to release
  library::release(where, none);
  library::release(where, nullptr);
}

}  // namespace
