// SPDX-License-Identifier: Apache-2.0
// Ways on the CPU that calls take only of some size, place or shape, and that no other test takes: found by scripts/coverage.
#include <onepass/onepass.hpp>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <limits>
#include <numeric>
#include <thread>
#include <tuple>
#include <vector>

#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/simd_levels.hpp"
#include "support/test.hpp"

namespace {

// More than the caches hold, so results are stored past them; and less. Not a multiple of anything.
constexpr std::size_t streamed_items = (std::size_t{1} << 20) + 12347, few_items = 5003;

struct wide {  // its addresses are multiples of 8, its size is 16
  std::uint64_t key, value;
  friend bool operator==(const wide& a, const wide& b) { return a.key == b.key && a.value == b.value; }
};
struct wider {
  std::uint64_t words[5];
  friend bool operator==(const wider& a, const wider& b) { return std::equal(a.words, a.words + 5, b.words); }
};

std::vector<wide> sorted_by_key(std::vector<wide> items) {
  std::stable_sort(items.begin(), items.end(), [](const wide& a, const wide& b) { return a.key < b.key; });
  return items;
}

}  // namespace

ONEPASS_CPU_TEST(thresholds, more_items_than_a_call_takes) {
  const auto first = thrust::counting_iterator<std::int64_t>(0);
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::inclusive_scan: more items", [&] {
    onepass::inclusive_scan(onepass::cpu(1), first, first + (std::int64_t{1} << 46), thrust::make_discard_iterator());
  }));
}

// All threads throw, at the same time as far as they run at once: one of the exceptions comes out.
ONEPASS_CPU_TEST(thresholds, several_threads_throw) {
  std::vector<std::int64_t> in(100000, 1), out(100000);
  std::atomic<int> arrived{0};
  const auto throws = [&](std::int64_t, std::int64_t) -> std::int64_t {
    ++arrived;
    for (int i = 0; i < 1000 && arrived < 2; ++i) std::this_thread::sleep_for(std::chrono::microseconds(100));
    throw test::refusal();
  };
  EXPECT_THROW(onepass::inclusive_scan(onepass::cpu(4), in.begin(), in.end(), out.begin(), throws), test::refusal);
}

// The first tile fails late: those who wait for it give up.
ONEPASS_CPU_TEST(thresholds, others_wait_for_what_fails) {
  std::vector<std::int64_t> in(100000, 1), out(100000);
  in[100] = test::refused_value;
  const auto fails_late = [](std::int64_t a, std::int64_t b) {
    if (b == test::refused_value) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      throw test::refusal();
    }
    return a + b;
  };
  EXPECT_THROW(onepass::inclusive_scan(onepass::cpu(4), in.begin(), in.end(), out.begin(), fails_late), test::refusal);
}

ONEPASS_CPU_TEST(thresholds, compaction_of_more_than_the_caches_hold) {
  for (const std::size_t n : {few_items, streamed_items}) {
    const std::vector<std::int64_t> in = test::random_values<std::int64_t>(n, 1);
    const std::vector<std::int64_t> expected = test::kept(in, test::flags_of(in, test::is_even{}));
    test::at_each_simd_level([&] {
      std::vector<std::int64_t> out(n);
      const std::deque<std::int64_t> apart(in.begin(), in.end());
      out.resize(static_cast<std::size_t>(
          onepass::copy_if(onepass::cpu(2), in.begin(), in.end(), out.begin(), test::is_even{}) - out.begin()));
      EXPECT_TRUE(test::same(out, expected));
      out.assign(n, 0);
      out.resize(static_cast<std::size_t>(
          onepass::copy_if(onepass::cpu(2), apart.begin(), apart.end(), out.begin(), test::is_even{}) - out.begin()));
      EXPECT_TRUE(test::same(out, expected));
    });
  }
}

ONEPASS_CPU_TEST(thresholds, pairs_of_more_than_the_caches_hold) {
  std::vector<std::int64_t> keys(streamed_items), values(streamed_items), out(streamed_items), out_values(out);
  std::iota(values.begin(), values.end(), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int64_t>(i / 3);
  const auto ends = onepass::unique_by_key_copy(onepass::cpu(2), keys.begin(), keys.end(), values.begin(), out.begin(),
                                                out_values.begin());
  ASSERT_EQ(ends.first - out.begin(), static_cast<std::ptrdiff_t>((streamed_items + 2) / 3));
  for (std::size_t i = 0; i < (streamed_items + 2) / 3; ++i) {
    ASSERT_EQ(out[i], static_cast<std::int64_t>(i));
    ASSERT_EQ(out_values[i], static_cast<std::int64_t>(3 * i));
  }
}

// An output that is stored past the caches, and does not begin with a vector's row.
ONEPASS_CPU_TEST(thresholds, segments_to_a_place_between_rows) {
  const std::vector<std::int32_t> in = test::random_values<std::int32_t>(streamed_items, 1);
  std::vector<std::uint8_t> heads(streamed_items);
  for (std::size_t i = 0; i < heads.size(); i += 10) heads[i] = 1;
  const auto expected = test::inclusive_segmented_reference(in, heads, [](std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(std::uint32_t(a) + std::uint32_t(b));
  });
  for (const std::size_t shift : {std::size_t{0}, std::size_t{1}}) {
    test::buffer<std::int32_t> out(backend, streamed_items, shift);
    onepass::inclusive_segmented_scan(onepass::cpu(2), in.begin(), in.end(), heads.begin(), out.data());
    EXPECT_TRUE(test::same(out.to_host(), expected));
  }
}

// Items of 16 bytes between two lines of gathered ones: they are stored one by one.
ONEPASS_CPU_TEST(thresholds, split_of_items_between_lines) {
  constexpr std::size_t n = 300007;
  std::vector<wide> in(n), expected;
  for (std::size_t i = 0; i < n; ++i) in[i] = {test::hash(1, i), i};
  const auto is_odd = [](const wide& x) { return x.key % 2 != 0; };
  expected = in;
  std::stable_partition(expected.begin(), expected.end(), is_odd);
  std::vector<std::uint64_t> memory(2 * n + 2), values(2 * n + 2);
  for (const std::size_t shift : {std::size_t{0}, std::size_t{1}}) {
    auto* const out = reinterpret_cast<wide*>(memory.data() + shift);
    onepass::split(onepass::cpu(2), in.begin(), in.end(), out, is_odd);
    EXPECT_TRUE(std::vector<wide>(out, out + n) == expected);
  }
  // Values in such a place, sorted with their keys.
  std::vector<std::uint64_t> keys(n);
  auto* const moved =
      reinterpret_cast<wide*>(values.data() + (reinterpret_cast<std::uintptr_t>(values.data()) % 16 == 0));
  for (std::size_t i = 0; i < n; ++i) keys[i] = in[i].key, moved[i] = in[i];
  onepass::radix_sort_by_key(onepass::cpu(2), keys.begin(), keys.end(), moved);
  const std::vector<wide> sorted = sorted_by_key(in);
  EXPECT_TRUE(std::vector<wide>(moved, moved + n) == sorted);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(keys[i], sorted[i].key);
  // Keys in such a place, by a field.
  std::vector<std::uint64_t> keys_between(2 * n + 2);
  auto* const records =
      reinterpret_cast<wide*>(keys_between.data() + (reinterpret_cast<std::uintptr_t>(keys_between.data()) % 16 == 0));
  std::copy(in.begin(), in.end(), records);
  onepass::radix_sort(onepass::cpu(2), records, records + n, [](wide& x) { return std::tie(x.key); });
  EXPECT_TRUE(std::vector<wide>(records, records + n) == sorted);
}

// The same with two arrays of the caller's, each of values or of keys in such a place.
ONEPASS_CPU_TEST(thresholds, double_buffers_between_lines) {
  constexpr std::size_t n = 300007;
  std::vector<std::uint64_t> memory[2] = {std::vector<std::uint64_t>(2 * n + 2), std::vector<std::uint64_t>(2 * n + 2)},
                             numbers(n), others(n);
  wide* between[2];
  for (int i = 0; i < 2; ++i)
    between[i] =
        reinterpret_cast<wide*>(memory[i].data() + (reinterpret_cast<std::uintptr_t>(memory[i].data()) % 16 == 0));
  const auto fill = [&] {
    for (std::size_t i = 0; i < n; ++i) numbers[i] = test::hash(1, i), between[0][i] = {numbers[i], i};
  };
  fill();
  onepass::double_buffer<std::uint64_t> keys(numbers.data(), others.data());
  onepass::double_buffer<wide> values(between[0], between[1]);
  onepass::radix_sort_by_key(onepass::cpu(2), keys, values, static_cast<onepass::index_t>(n));
  std::vector<wide> sorted(n);
  for (std::size_t i = 0; i < n; ++i) sorted[i] = {test::hash(1, i), i};
  sorted = sorted_by_key(sorted);
  EXPECT_TRUE(std::vector<wide>(values.current(), values.current() + n) == sorted);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(keys.current()[i], sorted[i].key);

  fill();
  onepass::double_buffer<wide> records(between[0], between[1]);
  onepass::double_buffer<std::uint64_t> carried(numbers.data(), others.data());
  onepass::radix_sort_by_key(onepass::cpu(2), records, carried, static_cast<onepass::index_t>(n),
                             [](wide& x) { return std::tie(x.key); });
  EXPECT_TRUE(std::vector<wide>(records.current(), records.current() + n) == sorted);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(carried.current()[i], sorted[i].key);
}

ONEPASS_CPU_TEST(thresholds, many_segments_of_few_items) {
  constexpr std::size_t n = 40000;
  std::vector<std::uint64_t> keys = test::random_values<std::uint64_t>(n, 1), expected = keys;
  std::vector<std::size_t> offsets(n / 2 + 1);
  for (std::size_t s = 0; s < offsets.size(); ++s) offsets[s] = 2 * s;
  for (std::size_t i = 0; i < n; i += 2)
    std::sort(expected.begin() + static_cast<std::ptrdiff_t>(i), expected.begin() + static_cast<std::ptrdiff_t>(i) + 2);
  onepass::segmented_sort(onepass::cpu(3), keys.begin(), keys.end(), onepass::offsets(offsets.begin(), offsets.end()));
  EXPECT_TRUE(test::same(keys, expected));
}

// The array is more than the caches hold, a segment is not.
ONEPASS_CPU_TEST(thresholds, segments_of_more_than_the_caches_hold) {
  std::vector<std::uint64_t> keys = test::random_values<std::uint64_t>(streamed_items, 1), expected = keys;
  const std::vector<std::size_t> offsets{0, 1000, 200000, streamed_items};
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::sort(expected.begin() + static_cast<std::ptrdiff_t>(offsets[s]),
              expected.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1]));
  onepass::segmented_sort(onepass::cpu(1), keys.begin(), keys.end(), onepass::offsets(offsets.begin(), offsets.end()));
  EXPECT_TRUE(test::same(keys, expected));
}

// Values that are sorted by index, to another range and with a second array of the caller's.
ONEPASS_CPU_TEST(thresholds, large_values_to_other_arrays) {
  for (const std::size_t n : {std::size_t{20}, few_items}) {
    const std::vector<std::uint64_t> keys = test::random_values<std::uint64_t>(n, 1);
    std::vector<wider> values(n), expected;
    for (std::size_t i = 0; i < n; ++i) values[i].words[0] = values[i].words[4] = i;
    expected = test::arranged(values, test::sorted_order(keys));
    std::vector<std::uint64_t> out(n), sorted = keys;
    std::vector<wider> out_values(n), moved = values;
    onepass::radix_sort_by_key_copy(onepass::cpu(2), keys.begin(), keys.end(), values.begin(), out.begin(),
                                    out_values.begin());
    EXPECT_TRUE(out_values == expected);
    std::vector<wider> second(n);
    onepass::double_buffer<std::uint64_t> two_of_keys(sorted.data(), out.data());
    onepass::double_buffer<wider> two_of_values(moved.data(), second.data());
    onepass::radix_sort_by_key(onepass::cpu(2), two_of_keys, two_of_values, static_cast<onepass::index_t>(n));
    EXPECT_TRUE(std::vector<wider>(two_of_values.current(), two_of_values.current() + n) == expected);
  }
}

ONEPASS_CPU_TEST(thresholds, no_segments) {
  const std::vector<int> in{1, 2, 3}, none, one{0};
  int out = -1;
  const auto reduce = [&](const std::vector<int>& offsets) {
    return onepass::segmented_reduce(onepass::cpu(1), in.begin(), in.end(),
                                     onepass::offsets(offsets.begin(), offsets.end()), &out, 0, onepass::sum{});
  };
  EXPECT_EQ(reduce(none), &out);
  EXPECT_EQ(reduce(one), &out);
  EXPECT_EQ(out, -1);
}

// A sort that is Thrust's, and one by index: measuring them sorts nothing.
ONEPASS_CPU_TEST(thresholds, measured_sorts) {
  std::vector<int> tens{30, 10, 20}, numbers{3, 1, 2};
  std::vector<wider> items(2);
  items[0].words[0] = 5;
  onepass::measure(onepass::cpu(1), [&](const auto& policy) {
    onepass::sort(policy, tens.begin(), tens.end(), test::less_tens{});
    onepass::sort_by_key(policy, tens.begin(), tens.end(), numbers.begin(), test::less_tens{});
    onepass::radix_sort(policy, items.begin(), items.end(), [](wider& x) { return std::tie(x.words[0]); });
  });
  EXPECT_EQ(tens, (std::vector<int>{30, 10, 20}));
  EXPECT_EQ(numbers, (std::vector<int>{3, 1, 2}));
  EXPECT_EQ(items[0].words[0], 5u);
}

// An initial value in front of several tiles, on one thread and on more.
ONEPASS_CPU_TEST(thresholds, initial_value_of_several_tiles) {
  const std::vector<std::int64_t> in = test::random_values<std::int64_t>(100003, 1);
  const auto plus = [](std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  };
  std::vector<std::int64_t> out(in.size());
  for (const int threads : {1, 3}) {
    onepass::inclusive_scan(onepass::cpu(threads), in.begin(), in.end(), out.begin(), std::int64_t{7}, plus);
    EXPECT_TRUE(test::same(out, test::inclusive_reference<std::int64_t>(in, plus, std::int64_t{7})));
    onepass::exclusive_scan(onepass::cpu(threads), in.begin(), in.end(), out.begin(), std::int64_t{7}, plus);
    EXPECT_TRUE(test::same(out, test::exclusive_reference<std::int64_t>(in, plus, std::int64_t{7})));
  }
}

// Partition in place of what one tile holds needs no buffer; of an item more it does.
ONEPASS_CPU_TEST(thresholds, partition_of_a_tile_and_an_item_more) {
  constexpr std::size_t tile = onepass::detail::cpu_tile_bytes / sizeof(std::int64_t);
  for (const std::size_t n : {tile - 1, tile, tile + 1, tile + 2}) {
    std::vector<std::int64_t> items = test::random_values<std::int64_t>(n, n), expected = items;
    std::stable_partition(expected.begin(), expected.end(), test::is_even{});
    onepass::stable_partition(onepass::cpu(1), items.begin(), items.end(), test::is_even{});
    EXPECT_TRUE(test::same(items, expected)) << n;
  }
}

// More items than tiles can be counted for, and so many that their number and a tile's overflow.
TEST(thresholds, more_items_than_one_call_can_take) {
  const thrust::counting_iterator<std::int64_t> first(0);
  for (const std::int64_t n : {std::int64_t{1} << 62, std::numeric_limits<std::int64_t>::max()}) {
    const auto scan = [&](const auto& policy) {
      onepass::inclusive_scan(policy, first, first + n, thrust::make_discard_iterator());
    };
    EXPECT_THROW(onepass::measure(onepass::cpu(), scan), onepass::invalid_argument) << n;
  }
}
