// SPDX-License-Identifier: Apache-2.0
// Reductions of segments that the CPU adds up in vectors, by keys and by offsets.
#include <onepass/segmented_reduce.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "support/references.hpp"
#include "support/test.hpp"

// Sums that the CPU adds up in vectors: segments of a few items and of several tiles, and floats with the same bits on any
// number of threads. Evenly long, or of any length, also empty, with items before the first and behind the last.
void check_offsets(std::size_t n, std::size_t segments, bool are_even) {
  SCOPED_TRACE(testing::Message() << segments << " segments of " << n << " items");
  std::vector<std::size_t> offsets(segments + 1);
  for (std::size_t s = 0; s <= segments; ++s)
    offsets[s] = are_even ? s * n / segments : static_cast<std::size_t>(test::hash(n, s)) % (n + 1);
  std::sort(offsets.begin(), offsets.end());
  const std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(n, 1);
  std::vector<std::uint32_t> expected(segments, 5), sums(segments);
  for (std::size_t s = 0; s < segments; ++s)
    for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) expected[s] += values[i];
  const std::vector<float> fractions = test::random_fractions<float>(n, 2);
  std::vector<float> alone(segments), shared(segments);
  const auto segment_offsets = onepass::offsets(offsets.begin(), offsets.end());
  onepass::segmented_reduce(onepass::cpu(3), values.begin(), values.end(), segment_offsets, sums.begin(), 5u,
                            onepass::sum{});
  EXPECT_TRUE(test::same(sums, expected));
  const std::vector<std::int16_t> shorts(values.begin(), values.end());
  std::vector<std::int16_t> short_sums(segments), expected_shorts(expected.begin(), expected.end());
  onepass::segmented_reduce(onepass::cpu(1), shorts.begin(), shorts.end(), segment_offsets, short_sums.begin(),
                            std::int16_t{5}, std::plus<std::int16_t>());
  EXPECT_TRUE(test::same(short_sums, expected_shorts));
  onepass::segmented_reduce(onepass::cpu(1), fractions.begin(), fractions.end(), segment_offsets, alone.begin(), 0.0f,
                            onepass::sum{});
  onepass::segmented_reduce(onepass::cpu(3), fractions.begin(), fractions.end(), segment_offsets, shared.begin(), 0.0f,
                            onepass::sum{});
  EXPECT_TRUE(test::identical(alone, shared));
}
ONEPASS_CPU_TEST(segmented_reduce, by_offsets_vectors) {
  for (const std::size_t n : {std::size_t{5}, std::size_t{1000}, std::size_t{1025}, test::limited(300007)}) {
    for (const std::size_t segments : {std::size_t{1}, std::size_t{7}, n / 100 + 1, n / 40 + 1, n / 3, 2 * n}) {
      check_offsets(n, segments, true);
      check_offsets(n, segments, false);
    }
  }
}

// Runs that the CPU takes by groups of 64 items: all heads, none in many groups, a head first and last in a group and in a
// tile; floats with the same bits on any number of threads.
ONEPASS_CPU_TEST(reduce_by_key, vectors) {
  for (const std::size_t n : {std::size_t{63}, std::size_t{64}, std::size_t{65}, std::size_t{32768}, std::size_t{32769},
                              test::limited(300007)}) {
    for (const std::size_t length : {std::size_t{1}, std::size_t{3}, std::size_t{64}, std::size_t{32768}, n + 1}) {
      SCOPED_TRACE(testing::Message() << n << " items, runs of " << length);
      std::vector<std::int16_t> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::int16_t>((i + 1) / length);  // as a number, modulo
      const std::vector<std::uint64_t> values = test::random_values<std::uint64_t>(n, 1);
      const std::vector<float> fractions = test::random_fractions<float>(n, 2);
      const std::vector<std::uint8_t> heads = test::heads_of_keys(keys);
      const std::vector<std::int16_t> first_keys = test::kept(keys, heads);
      const auto check = [&](int threads, auto in, auto op, auto& results) {
        std::vector<std::int16_t> out_keys(n);
        results.resize(n);
        const auto ends = onepass::reduce_by_key(onepass::cpu(threads), keys.data(), keys.data() + n, in,
                                                 out_keys.data(), results.data(), std::equal_to<>{}, op);
        results.resize(static_cast<std::size_t>(ends.second - results.data()));
        out_keys.resize(static_cast<std::size_t>(ends.first - out_keys.data()));
        EXPECT_TRUE(test::same(out_keys, first_keys));
      };
      const auto results_of = [&](const auto& in, auto op) {
        return test::ends_of(test::inclusive_segmented_reference(in, heads, op), heads);
      };
      std::vector<std::uint64_t> sums;
      check(3, values.data(), onepass::sum{}, sums);
      EXPECT_TRUE(test::same(sums, results_of(values, onepass::sum{})));
      const auto no_operator = [](std::uint64_t a, std::uint64_t b) { return a + b; };
      check(3, values.data(), no_operator, sums);
      EXPECT_TRUE(test::same(sums, results_of(values, onepass::sum{})));
      check(3, thrust::make_constant_iterator(std::uint64_t{7}), onepass::sum{}, sums);
      EXPECT_TRUE(test::same(sums, results_of(std::vector<std::uint64_t>(n, 7), onepass::sum{})));
      std::vector<float> floats, shared;
      check(1, fractions.data(), onepass::sum{}, floats);
      check(3, fractions.data(), onepass::sum{}, shared);
      EXPECT_TRUE(test::identical(floats, shared));
      const auto exact = results_of(std::vector<double>(fractions.begin(), fractions.end()), onepass::sum{});
      EXPECT_TRUE(test::near(floats, exact, exact, 1e-5));
      check(3, fractions.data(), onepass::minimum{}, floats);
      EXPECT_TRUE(test::same(floats, results_of(fractions, onepass::minimum{})));
    }
  }
}
