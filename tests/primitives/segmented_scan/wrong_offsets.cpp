// SPDX-License-Identifier: Apache-2.0
// Offsets that do not ascend, or lie outside the array. Results mean nothing then, but each call ends, nothing is written outside
// them (each buffer looks at that when it goes), and a later call with the same workspace is right.
#include <onepass/segmented_reduce.hpp>
#include <onepass/segmented_scan.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "offsets_fixture.hpp"
#include "support/execution.hpp"
#include "support/operators.hpp"
#include "support/test.hpp"

namespace {

test::offsets_list right_offsets(std::size_t n, std::size_t segments) {
  test::offsets_list offsets(segments + 1);
  for (std::size_t k = 0; k <= segments; ++k) offsets[k] = static_cast<std::int64_t>(test::hash(3, k) % (n + 1));
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

constexpr int wrong_kinds = 9;
test::offsets_list wrong_offsets(test::offsets_list offsets, std::size_t n, int kind) {
  using limits = std::numeric_limits<std::int64_t>;
  const auto end = static_cast<std::int64_t>(n);
  const auto random = [&](std::size_t k) { return test::hash(static_cast<std::uint64_t>(kind) + 40, k); };
  const std::size_t size = offsets.size();
  for (std::size_t k = 0; k < size; ++k) {
    const auto anywhere = static_cast<std::int64_t>(random(k) % (n + 1));
    const bool rare = random(k) / 64 % 100 == 0;
    const auto odd = static_cast<std::int64_t>(k % 2);
    switch (kind) {
      case 0: offsets[k] = anywhere; break;                                 // in no order
      case 1: offsets[k] = k % 2 == 0 ? 0 : end; break;                     // each has all items, or less than none
      case 2: offsets[k] = static_cast<std::int64_t>(random(k)); break;     // mostly outside
      case 3: offsets[k] = rare ? anywhere : offsets[k]; break;             // some are anywhere
      case 4: offsets[k] = rare ? limits::min() + odd : offsets[k]; break;  // some are before all
      case 5: offsets[k] = rare ? limits::max() - odd : offsets[k]; break;  // some are behind all
      case 6: offsets[k] = std::min(end, offsets[k] % (end / 3 + 1) * 3); break;  // ascend several times
      default: break;
    }
  }
  if (kind == 7) std::reverse(offsets.begin(), offsets.end());
  if (kind == 8) std::swap(offsets[size / 2], offsets[size - 1]);
  return offsets;
}

template <class T, class Op, class Backend>
void check(const Backend& backend, std::size_t n, std::size_t segments, T init, Op op) {
  const test::offsets_list right = right_offsets(n, segments);
  const std::vector<T> values = test::random_values<T>(n, n);
  const auto expected = test::expected_results(values, right, n, init, op);
  const test::buffer<T> in(backend, values), out(backend, segments), scanned(backend, n);
  const test::buffer<std::int64_t> at(backend, right);
  const auto offsets = onepass::offsets(at.begin(), at.end());
  const auto reduce = [&](const auto& p) {
    onepass::segmented_reduce(p, in.begin(), in.end(), offsets, out.begin(), init, op);
  };
  onepass::workspace memory(backend.policy(), onepass::measure(backend.policy(), reduce));
  for (int kind = 0; kind < wrong_kinds; ++kind) {
    SCOPED_TRACE(testing::Message() << n << " items, " << segments << " segments, wrong ones of kind " << kind);
    at.assign(wrong_offsets(right, n, kind));
    reduce(backend.policy().with(memory));
    onepass::inclusive_segmented_scan(backend.policy(), in.begin(), in.end(), offsets, scanned.begin(), op);
    onepass::exclusive_segmented_scan(backend.policy(), in.begin(), in.end(), offsets, scanned.begin(), init, op);
    EXPECT_EQ(in.to_host(), values);
    at.assign(right);
    out.poison_all();
    reduce(backend.policy().with(memory));
    ASSERT_TRUE(test::same(out.to_host(), expected));
  }
}

template <class T, class Op, class Backend>
void check_sizes(const Backend& backend, T init, Op op) {
  constexpr std::size_t sizes[][2] = {{1, 1},         {1000, 300},     {70001, 3},
                                      {100003, 9000}, {400009, 40000}, {1700003, 20000}};
  for (const auto& [n, segments] : sizes) check<T>(backend, test::limited(n), segments, init, op);
}
}  // namespace

ONEPASS_TEST(wrong_offsets, sum_of_uint32) { check_sizes<std::uint32_t>(backend, 5, onepass::sum{}); }
ONEPASS_TEST(wrong_offsets, of_another_operator) { check_sizes<std::uint64_t>(backend, 5, test::plain_sum{}); }
ONEPASS_TEST(wrong_offsets, of_24_bytes) {
  check_sizes<test::triple>(backend, test::triple{1, 2, 3}, test::triangular_product{});
}
// So many that blocks take several tiles, and wait for one another's parts.
ONEPASS_TEST(wrong_offsets, of_many_segments) {
  check<std::uint32_t>(backend, test::limited(3000017), test::limited(1000003), 5, onepass::sum{});
  check<std::uint64_t>(backend, test::limited(3000017), test::limited(100003), 5, test::plain_sum{});
  check<test::triple>(backend, test::limited(3000017), test::limited(100003), {1, 2, 3}, test::triangular_product{});
}
