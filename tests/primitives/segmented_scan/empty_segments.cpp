// SPDX-License-Identifier: Apache-2.0
// segmented_reduce by offsets: what is stored for empty segments, how often, and what op is asked about.
#include <onepass/segmented_reduce.hpp>

#include <thrust/iterator/tabulate_output_iterator.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "offsets_fixture.hpp"
#include "support/test.hpp"

// Empty segments have the initial value itself, whatever type sums have.
ONEPASS_TEST(segmented_reduce_by_offsets, initial_values_of_another_type) {
  for (const std::size_t n : {std::size_t{3}, std::size_t{5000}, test::limited(300007)}) {
    const std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(n, n);
    for (const int kind : {0, 2, 5, 6, 7}) {
      SCOPED_TRACE(testing::Message() << n << " items, segments of kind " << kind);
      const test::offsets_list offsets = test::drawn_offsets(n, kind);
      const test::buffer<std::uint32_t> in(backend, values);
      const test::buffer<std::int64_t> at(backend, offsets), out(backend, offsets.size() - 1);
      onepass::segmented_reduce(backend.policy(), in.begin(), in.end(), onepass::offsets(at.begin(), at.end()),
                                out.begin(), -1, onepass::sum{});
      const std::vector<std::uint32_t> sums = test::expected_results(values, offsets, n, ~0u, onepass::sum{});
      std::vector<std::int64_t> expected(sums.begin(), sums.end());
      for (std::size_t s = 0; s < expected.size(); ++s) {
        if (offsets[s] == offsets[s + 1]) expected[s] = -1;
      }
      ASSERT_TRUE(test::same(out.to_host(), expected));
    }
  }
}

#if ONEPASS_TEST_CPU
namespace {
struct count_stores {
  std::vector<std::atomic<int>>* counts;
  void operator()(std::ptrdiff_t i, int) const { ++(*counts)[static_cast<std::size_t>(i)]; }
};
struct sum_of_allowed {
  int operator()(int a, int b) const {
    if (a < 0 || b < 0) throw std::runtime_error("an item that no segment has");
    return a + b;
  }
};
}  // namespace

// Each result is stored once, and op is asked about no item that is in no segment.
ONEPASS_CPU_TEST(segmented_reduce_by_offsets, stores_once_and_combines_nothing_else) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{100}, std::size_t{200003}}) {
    std::vector<int> values(n, 1);
    for (const int kind : {0, 2, 5, 6, 7, 8}) {
      SCOPED_TRACE(testing::Message() << n << " items, segments of kind " << kind);
      test::offsets_list offsets = test::drawn_offsets(n, kind);
      for (std::int64_t& at : offsets)
        at = std::clamp<std::int64_t>(at, static_cast<std::int64_t>(n / 3), 5 * static_cast<std::int64_t>(n) / 6);
      std::fill_n(values.begin(), n / 3, -1);
      std::fill(values.begin() + static_cast<std::ptrdiff_t>(5 * n / 6), values.end(), -1);
      std::vector<std::atomic<int>> counts(offsets.size() - 1);
      onepass::segmented_reduce(onepass::cpu(3), values.begin(), values.end(),
                                onepass::offsets(offsets.begin(), offsets.end()),
                                thrust::make_tabulate_output_iterator(count_stores{&counts}), 0, sum_of_allowed{});
      for (const std::atomic<int>& count : counts) ASSERT_EQ(count, 1);
    }
  }
}
#endif
