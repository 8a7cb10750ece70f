// SPDX-License-Identifier: Apache-2.0
// The CPU's sorts of keys that repeat or crowd: keys that are counted instead of moved, and digits for small numbers.
#include <onepass/radix_sort.hpp>

#include <cstring>
#include <functional>

#include "../../../primitives/radix_sort/cpu/cpu_cell_digit.hpp"
#include "../../../primitives/radix_sort/cpu/cpu_frequent_keys.hpp"
#include "../../../primitives/radix_sort/cpu/cpu_uneven_digit.hpp"
#include "primitives/radix_sort/keys_of_type.hpp"
#include "support/simd_levels.hpp"

namespace {

using onepass::index_t;
using onepass::detail::cell_digit;
using onepass::detail::cpu_frequent_keys;
using onepass::detail::cpu_key_order;
using onepass::detail::ordered_key;
using onepass::detail::uneven_digit;

// More keys than fit a bucket, whatever the machine's caches are.
const std::size_t many = test::limited(200011);

template <class K>
std::vector<K> keys_by(const std::function<K(std::size_t)>& rule, std::size_t n = many) {
  std::vector<K> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = rule(i);
  return keys;
}
// Words of which 1 bit in 32 is set.
std::uint64_t sparse(std::size_t i) {
  std::uint64_t bits = ~std::uint64_t{0};
  for (std::size_t k = 0; k < 5; ++k) bits &= test::hash(k, i);
  return bits;
}

template <class K>
void check_both_ways(const test::cpu_backend& backend, const std::vector<K>& keys) {
  test::check_sort(backend, keys, {});
  test::check_sort(backend, keys, test::descending());
}

template <class K>
void check_distributions(const test::cpu_backend& backend) {
  constexpr int bits = 8 * sizeof(K);
  const auto any = [](std::size_t i) { return test::hash(7, i); };
  check_both_ways(backend, keys_by<K>([](std::size_t i) { return static_cast<K>(sparse(i) >> (64 - bits)); }));
  check_both_ways(backend, keys_by<K>([](std::size_t i) { return static_cast<K>(~sparse(i) >> (64 - bits)); }));
  check_both_ways(backend, keys_by<K>([](std::size_t i) { return static_cast<K>(i % 1000 * 0x10001); }));
  // Small numbers, and a few larger ones, each another number of bits: they repeat rarely.
  check_both_ways(backend, keys_by<K>([&](std::size_t i) {
                    return static_cast<K>((any(i) >> (64 - bits)) >> (any(i) % 2 == 0 ? 0 : test::hash(8, i) % bits));
                  }));
  // One frequent key in front of all others, behind them, and in between.
  for (const K frequent : {K(0), static_cast<K>(~K(0)), static_cast<K>(K(1) << (bits - 2))}) {
    check_both_ways(backend,
                    keys_by<K>([&](std::size_t i) { return any(i) % 3 == 0 ? static_cast<K>(any(i + 1)) : frequent; }));
  }
}

// By a part of the bits keys that are equal can be told apart, so they must keep their order.
template <class K>
void check_parts_of_bits(const test::cpu_backend& backend) {
  constexpr int bits = 8 * sizeof(K);
  const auto keys = keys_by<K>([](std::size_t i) { return static_cast<K>(sparse(i) >> (64 - bits)); });
  for (const auto& range : {std::pair{0, bits - 4}, std::pair{5, bits}, std::pair{bits / 2, bits - 1}}) {
    onepass::radix_options options;
    options.begin_bit = range.first, options.end_bit = range.second;
    test::check_sort(backend, keys, options);
    options.descending = true;
    test::check_sort(backend, keys, options);
  }
}

// Which keys are in one of the two samples, or in both.
std::vector<std::size_t> sampled_indices(std::size_t n) {
  using indices_type = cpu_frequent_keys<std::uint32_t>;
  const auto size = static_cast<index_t>(n);
  std::vector<std::uint32_t> indices(n);
  for (std::size_t i = 0; i < n; ++i) indices[i] = static_cast<std::uint32_t>(i);
  std::vector<std::size_t> sampled;
  for (const index_t asked : {indices_type::few_of(size), indices_type::many_of(size)}) {
    std::vector<std::uint32_t> sample(static_cast<std::size_t>(asked));
    indices_type::take_sample(indices.data(), size, sample.data(), asked);
    sampled.insert(sampled.end(), sample.begin(), sample.end());
  }
  return sampled;
}

// Each of 256 cells has a digit at least, and crowded cells have more.
ONEPASS_CPU_TEST(frequent_keys, cell_digits) {
  using K = std::uint64_t;
  const std::pair<int, int> ranges[] = {{0, 64}, {3, 64}, {0, 32}, {20, 40}, {0, 17}, {50, 59}};
  for (const auto& [begin, end] : ranges) {
    SCOPED_TRACE(testing::Message() << "bits " << begin << " to " << end);
    const cpu_key_order<ordered_key<K>> order{{}, 0, false};
    const K mask = order.between(begin, end);
    std::vector<K> keys;
    for (std::size_t i = 0; i < 50000; ++i) {  // half of them in cell 200, most others in its neighbours and in cell 7
      const K cell = i % 2 == 0 ? 200 : i % 3 == 0 ? 7 : 198 + test::hash(2, i) % 5;
      const K any =
          i % 50 == 1 ? test::hash(1, i) >> test::hash(3, i) % 64 : (cell << 56 | test::hash(1, i) >> 8) >> (64 - end);
      keys.push_back(any & mask);
    }
    const auto n = static_cast<index_t>(keys.size());
    cell_digit<ordered_key<K>, 1024> digit(order, begin, end);
    ASSERT_TRUE(digit.share_out(keys.data(), n, 100, 4));
    EXPECT_GT(digit.values(), 256);
    EXPECT_LE(digit.values(), 1024);
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_LT(static_cast<index_t>(digit(keys[i])), digit.values());
      ASSERT_EQ(digit(keys[i] | ~mask), digit(keys[i])) << "other bits count";
      if (i == 0) continue;
      ASSERT_LE(digit(keys[i - 1]), digit(keys[i]));
      if (digit(keys[i - 1]) != digit(keys[i])) continue;
      const int agree_from = digit.end_of(static_cast<index_t>(digit(keys[i])));
      ASSERT_EQ((keys[i - 1] ^ keys[i]) >> agree_from, 0u);
      ASSERT_LE(agree_from, end - 8);
    }
    EXPECT_EQ(digit(0), 0u);
    EXPECT_EQ(static_cast<index_t>(digit(mask)), digit.values() - 1);
  }
}

// Evenly distributed keys need no such digit, nor do a few keys.
ONEPASS_CPU_TEST(frequent_keys, even_cells) {
  const cpu_key_order<ordered_key<std::uint32_t>> order{{}, 0, false};
  const auto keys = keys_by<std::uint32_t>([](std::size_t i) { return static_cast<std::uint32_t>(test::hash(1, i)); });
  cell_digit<ordered_key<std::uint32_t>, 1024> digit(order, 0, 32);
  EXPECT_FALSE(digit.share_out(keys.data(), static_cast<index_t>(keys.size()), 100, 4));
  EXPECT_EQ(digit.values(), 256);
  const std::vector<std::uint32_t> equal(5000, 9);
  EXPECT_FALSE(digit.share_out(equal.data(), 5000, 5000, 4));
}

// Numbers of a few magnitudes, of both signs, also where a sample is misled: it sees every 1,000th key or so.
template <class K>
void check_crowded_cells(const test::cpu_backend& backend) {
  const auto small = [](std::size_t i) { return static_cast<K>(static_cast<std::int32_t>(test::hash(1, i))); };
  check_both_ways(backend, keys_by<K>(small));
  check_both_ways(backend,
                  keys_by<K>([&](std::size_t i) { return i % 97 == 0 ? small(i) : static_cast<K>(1000 + i % 91); }));
  const std::size_t step = many / 1024;
  check_both_ways(backend, keys_by<K>([&](std::size_t i) { return i % step == 0 ? small(i) : small(i) / 65536; }));
}
ONEPASS_CPU_TEST(frequent_keys, floats_of_a_few_magnitudes) {
  for (const int threads : {1, 2, 5}) {
    const test::cpu_backend backend{threads};
    check_crowded_cells<float>(backend);
    check_crowded_cells<double>(backend);
    check_crowded_cells<std::int64_t>(backend);
  }
}

}  // namespace

ONEPASS_CPU_TEST(frequent_keys, uint32) { check_distributions<std::uint32_t>(backend); }
ONEPASS_CPU_TEST(frequent_keys, uint64) { check_distributions<std::uint64_t>(backend); }
ONEPASS_CPU_TEST(frequent_keys, int32) { check_distributions<std::int32_t>(backend); }
ONEPASS_CPU_TEST(frequent_keys, int64) { check_distributions<std::int64_t>(backend); }
ONEPASS_CPU_TEST(frequent_keys, uint16) { check_distributions<std::uint16_t>(backend); }
ONEPASS_CPU_TEST(frequent_keys, parts_of_bits) {
  check_parts_of_bits<std::uint32_t>(backend);
  check_parts_of_bits<std::uint64_t>(backend);
}
ONEPASS_CPU_TEST(frequent_keys, one_thread) { check_distributions<std::uint64_t>(test::cpu_backend{1}); }
ONEPASS_CPU_TEST(frequent_keys, at_each_level) {
  const auto keys = keys_by<std::uint64_t>([](std::size_t i) { return sparse(i); });
  test::at_each_simd_level([&] { test::check_sort(backend, keys, {}); });
}

// +0 can be counted, -0 cannot; both may be frequent.
ONEPASS_CPU_TEST(frequent_keys, zeros_of_both_signs) {
  for (const std::uint64_t negative : {0, 1, 2, 100}) {
    SCOPED_TRACE(testing::Message() << negative << " percent are -0");
    const auto rule = [&](std::size_t i) {
      const std::uint64_t kind = test::hash(3, i) % 100;
      return kind < negative ? -0.0
             : kind < 80     ? 0.0
                             : static_cast<double>(static_cast<std::int64_t>(test::hash(4, i)));
    };
    check_both_ways(backend, keys_by<double>(rule));
    check_both_ways(backend, keys_by<float>([&](std::size_t i) { return static_cast<float>(rule(i)); }));
  }
}

// A sample that tells nothing but lies: all of it is one key, which occurs nowhere else, or does not have the key that
// all others are.
ONEPASS_CPU_TEST(frequent_keys, misleading_samples) {
  using K = std::uint64_t;
  const std::vector<std::size_t> sampled = sampled_indices(many);
  auto distinct = keys_by<K>([](std::size_t i) { return test::hash(9, i); });
  auto constant = keys_by<K>([](std::size_t) { return K{7}; });
  for (const std::size_t i : sampled) {
    distinct[i] = 1234567;
    constant[i] = test::hash(10, i);
  }
  check_both_ways(backend, distinct);
  check_both_ways(backend, constant);
}
// The samples show +0 alone, but there are -0 elsewhere.
ONEPASS_CPU_TEST(frequent_keys, negative_zeros_that_no_sample_has) {
  std::vector<double> keys(many);
  for (std::size_t i = 0; i < many; ++i) keys[i] = test::hash(3, i) % 5 != 0 ? 0.0 : static_cast<double>(i) - 1000.0;
  std::vector<bool> is_sampled(many);
  for (const std::size_t i : sampled_indices(many)) is_sampled[i] = true;
  for (std::size_t i = 0; i < many; i += 5003) {
    if (!is_sampled[i]) keys[i] = -0.0;
  }
  check_both_ways(backend, keys);
}
ONEPASS_CPU_TEST(frequent_keys, samples) {
  using frequent_keys = cpu_frequent_keys<std::uint64_t>;
  std::vector<std::uint64_t> keys(64);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  EXPECT_FALSE(frequent_keys::repeats(keys.data(), 64));
  EXPECT_FALSE(frequent_keys().choose(keys.data(), 64));
  std::fill(keys.begin(), keys.begin() + 16, 0);
  EXPECT_FALSE(frequent_keys::repeats(keys.data(), 64)) << "15 are as the key before";
  EXPECT_TRUE(frequent_keys().choose(keys.data(), 64));
  keys[16] = 0;
  EXPECT_TRUE(frequent_keys::repeats(keys.data(), 64));
}

// Two keys that want the same slot of the table: one is counted, and all that is left are equal.
ONEPASS_CPU_TEST(frequent_keys, keys_of_the_same_slot) {
  using K = std::uint64_t;
  const K first = 1;
  K second = first;
  for (bool shares = false; !shares;) {
    ++second;
    std::vector<K> sample(64, first);
    std::fill(sample.begin() + 32, sample.end(), second);
    auto table = std::make_unique<cpu_frequent_keys<K>>();
    ASSERT_TRUE(table->choose(sample.data(), 64));
    K rest;
    shares = table->count(&second, 0, 1, &rest) != &rest;  // it was not entered
  }
  check_both_ways(backend, keys_by<K>([&](std::size_t i) { return test::hash(5, i) % 2 == 0 ? first : second; }));
}

// The parts of the merge end within runs, between them, and within the rest.
ONEPASS_CPU_TEST(frequent_keys, merged_in_parts) {
  using K = std::uint32_t;
  std::vector<K> in(5000);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = test::hash(6, i) % 4 == 0 ? static_cast<K>(test::hash(6, i) >> 40) : static_cast<K>(i % 5 * 4000000);
  std::vector<K> sample = in, rest(in.size()), expected = in;
  std::sort(sample.begin(), sample.end());
  std::sort(expected.begin(), expected.end());
  const auto n = static_cast<index_t>(in.size());
  cpu_frequent_keys<K> frequent;
  ASSERT_TRUE(frequent.choose(sample.data(), n));
  K* const end = frequent.count(in.data(), 0, n, rest.data());
  std::sort(rest.data(), end);
  frequent.arrange(cpu_key_order<ordered_key<K>>{{}, 0, true}, rest.data(), end - rest.data());
  for (const index_t part : {1, 7, 500, 1024, 4999, 5000}) {
    std::vector<K> out(in.size());
    for (index_t i = 0; i < n; i += part) {
      frequent.merge(rest.data(), i, std::min(n, i + part), [&](index_t at, const K* block, index_t size) {
        std::copy(block, block + size, out.begin() + at);
      });
    }
    EXPECT_TRUE(test::same(out, expected)) << "parts of " << part;
  }
}

// The digit never descends where the key ascends, is within its values, and end_of() says where keys agree.
ONEPASS_CPU_TEST(frequent_keys, uneven_digits) {
  using K = std::uint64_t;
  const std::pair<int, int> ranges[] = {{0, 64}, {0, 32}, {3, 64}, {20, 40}, {0, 11}, {50, 61}};
  for (const auto& [begin, end] : ranges) {
    for (const bool is_high : {false, true}) {
      SCOPED_TRACE(testing::Message() << "bits " << begin << " to " << end << (is_high ? ", inverted" : ""));
      const cpu_key_order<ordered_key<K>> order{{}, 0, false};
      const K mask = order.between(begin, end);
      const uneven_digit<ordered_key<K>, 1024> digit(order, begin, end, is_high);
      EXPECT_LE(digit.values(), 1024);
      std::vector<K> keys = {0, mask, mask >> 1, K{1} << begin};
      for (std::size_t i = 0; i < 5000; ++i) {
        const K any = test::hash(1, i) >> test::hash(2, i) % 64;
        keys.push_back((is_high ? ~any : any) & mask);
      }
      std::sort(keys.begin(), keys.end());
      for (std::size_t i = 0; i < keys.size(); ++i) {
        ASSERT_LT(static_cast<index_t>(digit(keys[i])), digit.values());
        EXPECT_EQ(digit(keys[i] | ~mask), digit(keys[i])) << "other bits count";
        if (i == 0) continue;
        ASSERT_LE(digit(keys[i - 1]), digit(keys[i]));
        if (digit(keys[i - 1]) != digit(keys[i])) continue;
        const int agree_from = digit.end_of(static_cast<index_t>(digit(keys[i])));
        ASSERT_EQ((keys[i - 1] ^ keys[i]) >> agree_from, 0u);
      }
      EXPECT_EQ(digit(is_high ? mask : 0), is_high ? digit.values() - 1 : 0);
    }
  }
}
