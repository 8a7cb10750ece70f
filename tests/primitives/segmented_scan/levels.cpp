// SPDX-License-Identifier: Apache-2.0
// Scans and reductions of segments on the CPU with each size of vectors and without any: heads in every form, runs of a few
// items and of more than a tile, operators with vectors and without.
#include <onepass/compact.hpp>
#include <onepass/segmented_reduce.hpp>
#include <onepass/segmented_scan.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "support/references.hpp"
#include "support/simd_levels.hpp"
#include "support/test.hpp"

namespace {

using number = std::int32_t;

std::vector<int> keys_in_runs(std::size_t n, std::size_t length) {
  std::vector<int> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<int>((i + 1) / length);
  return keys;
}

struct problem {
  std::vector<int> keys;
  std::vector<number> values;
  std::vector<std::uint8_t> heads;
  problem(std::size_t n, std::size_t length)
      : keys(keys_in_runs(n, length)), values(test::random_values<number>(n, 1)), heads(test::heads_of_keys(keys)) {
    for (number& v : values) v %= 1000;
  }
  std::vector<number> results(const std::function<number(number, number)>& op) const {
    return test::ends_of(test::inclusive_segmented_reference(values, heads, op), heads);
  }
};

// f(threads, problem) at each level, over lengths of runs on both sides of every way to take them.
template <class F>
void at_each_level_and_length(F f) {
  test::at_each_simd_level([&] {
    for (const std::size_t n : {std::size_t{1}, std::size_t{200}, std::size_t{70003}}) {
      for (const std::size_t length : {std::size_t{1}, std::size_t{5}, std::size_t{50}, std::size_t{40000}}) {
        SCOPED_TRACE(testing::Message() << n << " items, runs of " << length);
        const problem p(n, length);
        for (const int threads : {1, 3}) f(threads, p);
      }
    }
  });
}

constexpr auto plus = [](number a, number b) { return a + b; };
constexpr auto more = [](number a, number b) { return std::max(a, b); };

}  // namespace

ONEPASS_CPU_TEST(segments_at_each_level, reduced_by_key) {
  at_each_level_and_length([](int threads, const problem& p) {
    const auto check = [&](auto values, auto op, const std::vector<number>& expected) {
      std::vector<int> keys(p.keys.size());
      std::vector<number> out(p.keys.size());
      const auto ends = onepass::reduce_by_key(onepass::cpu(threads), p.keys.begin(), p.keys.end(), values,
                                               keys.begin(), out.begin(), std::equal_to<>(), op);
      out.resize(static_cast<std::size_t>(ends.second - out.begin()));
      keys.resize(static_cast<std::size_t>(ends.first - keys.begin()));
      EXPECT_TRUE(test::same(out, expected));
      EXPECT_TRUE(test::same(keys, test::kept(p.keys, p.heads)));
    };
    const std::deque<number> apart(p.values.begin(), p.values.end());
    check(p.values.begin(), onepass::sum{}, p.results(plus));
    check(p.values.begin(), onepass::maximum{}, p.results(more));
    check(p.values.begin(), plus, p.results(plus));
    check(apart.begin(), onepass::sum{}, p.results(plus));
  });
}

ONEPASS_CPU_TEST(segments_at_each_level, reduced_by_flags) {
  at_each_level_and_length([](int threads, const problem& p) {
    const std::vector<int> ints(p.heads.begin(), p.heads.end());
    const std::vector<std::uint32_t> words = test::words_of(p.heads);
    const std::deque<bool> apart(p.heads.begin(), p.heads.end());
    const auto check = [&](auto heads) {
      std::vector<number> out(p.keys.size());
      out.resize(
          static_cast<std::size_t>(onepass::segmented_reduce(onepass::cpu(threads), p.values.begin(), p.values.end(),
                                                             heads, out.begin(), onepass::sum{}) -
                                   out.begin()));
      EXPECT_TRUE(test::same(out, p.results(plus)));
    };
    check(p.heads.data());
    check(ints.data());
    check(onepass::bits(words.data()));
    check(apart.begin());
  });
}

ONEPASS_CPU_TEST(segments_at_each_level, scanned_by_flags_and_keys) {
  at_each_level_and_length([](int threads, const problem& p) {
    const std::vector<number> inclusive = test::inclusive_segmented_reference(p.values, p.heads, plus);
    const std::vector<number> exclusive = test::exclusive_segmented_reference(p.values, p.heads, number{7}, plus);
    const std::vector<int> ints(p.heads.begin(), p.heads.end());
    const std::vector<std::uint32_t> words = test::words_of(p.heads);
    const std::deque<bool> apart(p.heads.begin(), p.heads.end());
    const auto check = [&](auto heads) {
      std::vector<number> out(p.keys.size());
      onepass::inclusive_segmented_scan(onepass::cpu(threads), p.values.begin(), p.values.end(), heads, out.begin());
      EXPECT_TRUE(test::same(out, inclusive));
      onepass::exclusive_segmented_scan(onepass::cpu(threads), p.values.begin(), p.values.end(), heads, out.begin(), 7);
      EXPECT_TRUE(test::same(out, exclusive));
    };
    check(p.heads.data());
    check(ints.data());
    check(onepass::bits(words.data()));
    check(apart.begin());
    std::vector<number> out(p.keys.size());
    onepass::inclusive_scan_by_key(onepass::cpu(threads), p.keys.begin(), p.keys.end(), p.values.begin(), out.begin());
    EXPECT_TRUE(test::same(out, inclusive));
  });
}

ONEPASS_CPU_TEST(segments_at_each_level, reduced_by_offsets) {
  at_each_level_and_length([](int threads, const problem& p) {
    std::vector<std::size_t> offsets;
    for (std::size_t i = 0; i < p.heads.size(); ++i)
      if (p.heads[i] || i == 0) offsets.push_back(i);
    offsets.push_back(p.heads.size());
    const auto check = [&](auto op, std::vector<number> expected) {
      std::vector<number> out(offsets.size() - 1);
      onepass::segmented_reduce(onepass::cpu(threads), p.values.begin(), p.values.end(),
                                onepass::offsets(offsets.begin(), offsets.end()), out.begin(), number{0}, op);
      EXPECT_TRUE(test::same(out, expected));
    };
    check(onepass::sum{}, p.results(plus));
    check(plus, p.results(plus));
    std::vector<number> most = p.results(more);
    for (number& m : most) m = std::max(m, 0);
    check(onepass::maximum{}, most);
  });
}

// Pairs in two arrays, which the CPU compacts together, and the same in one that is none.
ONEPASS_CPU_TEST(segments_at_each_level, first_pairs_of_runs) {
  at_each_level_and_length([](int threads, const problem& p) {
    const std::vector<int> first_keys = test::kept(p.keys, p.heads);
    const std::vector<number> first_values = test::kept(p.values, p.heads);
    std::vector<int> keys = p.keys;
    std::vector<number> values = p.values;
    std::deque<int> apart(p.keys.begin(), p.keys.end());
    const auto ends = onepass::unique_by_key(onepass::cpu(threads), keys.begin(), keys.end(), values.begin());
    keys.resize(static_cast<std::size_t>(ends.first - keys.begin()));
    values.resize(keys.size());
    EXPECT_TRUE(test::same(keys, first_keys));
    EXPECT_TRUE(test::same(values, first_values));
    values = p.values;
    const auto others = onepass::unique_by_key(onepass::cpu(threads), apart.begin(), apart.end(), values.begin());
    values.resize(static_cast<std::size_t>(others.second - values.begin()));
    EXPECT_TRUE(test::same(values, first_values));
    std::vector<int> out(p.keys.size());
    const std::deque<int> source(p.keys.begin(), p.keys.end());
    out.resize(static_cast<std::size_t>(
        onepass::unique_copy(onepass::cpu(threads), source.begin(), source.end(), out.begin()) - out.begin()));
    EXPECT_TRUE(test::same(out, first_keys));
  });
}

// A class that is a flag is converted by a function of the caller's, in which nothing is fused whatever the level.
namespace {
struct sum_above_zero {
  float a, b, c;
  explicit operator bool() const { return a * b + c > 0; }
};
}  // namespace
ONEPASS_CPU_TEST(segments_at_each_level, flags_that_calculate) {
  const std::size_t n = 10007;
  std::vector<sum_above_zero> flags(n);
  std::vector<std::uint8_t> heads(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto above_one = [&](std::uint64_t k) { return 1 + static_cast<float>(test::hash(k, i) >> 41) * 0x1p-23f; };
    volatile float product = above_one(1) * above_one(2);
    // Nothing is left of half of the products that are rounded before the addition.
    flags[i] = {above_one(1), above_one(2), i % 2 == 0 ? -product : 1.f};
    heads[i] = i % 2;
  }
  const std::vector<number> values(n, 1);
  const std::vector<number> expected = test::inclusive_segmented_reference(values, heads, plus);
  test::at_each_simd_level([&] {
    std::vector<number> out(n);
    onepass::inclusive_segmented_scan(onepass::cpu(1), values.begin(), values.end(), flags.begin(), out.begin());
    EXPECT_TRUE(test::same(out, expected));
  });
}
