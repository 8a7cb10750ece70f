// SPDX-License-Identifier: Apache-2.0
// Segmented sorts of integers, alone and with values: segments of all sizes and arrangements, bit ranges, both directions.
#include "primitives/radix_sort/segments_fixture.hpp"

namespace {

using key = std::uint32_t;

template <class Backend>
void check(const Backend& backend, const test::segment_list& list, test::pattern p = test::pattern::few_valued,
           const onepass::radix_options& options = {}) {
  SCOPED_TRACE(testing::Message() << list.begins.size() << " segments of " << list.n << " items, " << test::name_of(p)
                                  << ", bits [" << options.begin_bit << ", " << options.end_bit << ")"
                                  << (options.descending ? ", descending" : ""));
  const auto n = static_cast<std::size_t>(list.n);
  test::check_segments_alone(backend, test::keys<key>(n, n + 1, p), list, options);
  test::check_segments_of_pairs<std::uint32_t>(backend, test::keys<key>(n, n + 2, p), list, options);
}

std::vector<std::int64_t> up_to_100(std::size_t count) { return test::random_between<std::int64_t>(count, 3, 0, 100); }

}  // namespace

ONEPASS_TEST(segmented_sort, nothing_to_sort) {
  check(backend, test::segment_list({}));
  check(backend, test::segment_list({}, 100));
  check(backend, test::segment_list(std::vector<std::int64_t>(5000, 0)));
  check(backend, test::segment_list(std::vector<std::int64_t>(5000, 0), 1));
  check(backend, test::segment_list(std::vector<std::int64_t>(5000, 1)));
}
ONEPASS_TEST(segmented_sort, one_segment) {
  for (const std::size_t n : test::sizes()) check(backend, test::segment_list({static_cast<std::int64_t>(n)}, 3));
}
ONEPASS_TEST(segmented_sort, limits) {
  const std::vector<std::int64_t> sizes = test::sizes_at_limits();
  for (const test::pattern p : test::all_patterns) check(backend, test::segment_list(sizes), p);
  check(backend, test::segment_list(test::among_many(sizes)), test::pattern::uniform);
  for (const std::int64_t size : test::sizes_at_limits()) {
    check(backend, test::segment_list(std::vector<std::int64_t>(3, size), 1), test::pattern::uniform);
  }
}
ONEPASS_TEST(segmented_sort, many_short) {
  check(backend, test::segment_list(up_to_100(test::small_only() ? 300 : 15000)), test::pattern::uniform);
  check(backend, test::segment_list(up_to_100(test::small_only() ? 300 : 4001), 2));
}
// Keys that differ in their lowest bits alone, where a warp's words have the index on CUDA: so many at a time, in the
// order that takes the most swaps, or in any order.
template <class K, class Backend>
void check_ties(const Backend& backend, std::size_t at_once, bool descend) {
  const std::vector<std::int64_t> sizes = {2, 3, 7, 8, 9, 16, 17, 33, 64, 65, 100, 128, 129, 255, 256, 300, 1000, 4096};
  const test::segment_list list(sizes);
  const auto n = static_cast<std::size_t>(list.n);
  std::vector<K> keys = test::random_values<K>(n, at_once);
  for (std::size_t i = 0; i < n; ++i) {
    const K low = descend ? static_cast<K>(7 - i % at_once % 8) : static_cast<K>(keys[i] % 8);
    keys[i] = static_cast<K>(keys[i / at_once * at_once] / 256 * 256 + low);
  }
  SCOPED_TRACE(testing::Message() << at_once << " at a time" << (descend ? ", descending" : ""));
  test::check_segments_of_pairs<std::uint32_t>(backend, keys, list);
  test::check_segments_of_pairs<std::uint16_t>(backend, keys, list, {true});
}
ONEPASS_TEST(segmented_sort, ties_in_upper_bits) {
  for (const std::size_t at_once : {2, 3, 4, 5, 8, 9, 17, 300}) {
    for (const bool descend : {false, true}) {
      check_ties<std::uint32_t>(backend, at_once, descend);
      check_ties<std::uint64_t>(backend, at_once, descend);
    }
  }
}
ONEPASS_TEST(segmented_sort, power_law) {
  const std::size_t count = test::small_only() ? 500 : 20000;
  const std::int64_t most = test::small_only() ? 21000 : 100000;
  check(backend, test::segment_list(test::sizes_by_power_law(count, most, 1)), test::pattern::uniform);
  check(backend, test::segment_list(test::sizes_by_power_law(count, most, 2), 1), test::pattern::low_entropy);
}
ONEPASS_TEST(segmented_sort, options) {
  const test::segment_list list(test::sizes_at_limits(), 1);
  for (const onepass::radix_options& options :
       {onepass::radix_options{true}, {false, 3, 27}, {true, 8, 16}, {false, 0, 20}, {false, 31, 32}, {true, 7, 7}}) {
    check(backend, list, test::pattern::uniform, options);
    check(backend, list, test::pattern::all_equal, options);
    check(backend, test::segment_list(test::among_many(test::sizes_at_limits())), test::pattern::uniform, options);
  }
}

#if ONEPASS_HAS_CUDA
// Few segments, around the numbers of them and the mean lengths where a block for each begins at once, and where these
// are smaller ones: equal lengths, and some that a small block, a large block, or no block holds.
ONEPASS_GPU_TEST(segmented_sort, few_segments) {
  int multiprocessors = 0;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  const std::int64_t all = test::small_only() ? 3 : multiprocessors;
  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{16}, all, all + 1, 2 * all}) {
    if (test::small_only() && count > 8) continue;
    for (const std::int64_t mean : {511, 512, 4096, 4097}) {
      if (test::small_only() && mean != 512 && mean != 4097) continue;
      SCOPED_TRACE(testing::Message() << count << " of " << mean);
      std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), mean);
      check(backend, test::segment_list(sizes), test::pattern::uniform);
      if (count < 16) continue;
      sizes[1] = 0, sizes[3] = 21001, sizes[5] = 5700, sizes[7] = 11000, sizes[8] = 11800;
      check(backend, test::segment_list(sizes), test::pattern::uniform);
      check(backend, test::segment_list(sizes, 1), test::pattern::few_valued, {true, 3, 27});
    }
  }
}
#endif

// Segments that overlap are in a wrong order at the worst: nothing is written behind the workspace.
ONEPASS_CPU_TEST(segmented_sort, overlapping_segments) {
  std::vector<std::uint8_t> keys = {2, 1};
  const std::vector<std::int64_t> begins(20000, 0), ends(begins.size(), 1);
  const auto run = [&](const auto& policy) {
    onepass::segmented_sort(policy, keys.begin(), keys.end(),
                            onepass::segments(begins.begin(), begins.end(), ends.begin()));
  };
  const auto policy = onepass::cpu(16);
  const onepass::workspace_size size = onepass::measure(policy, run);
  constexpr std::size_t guard = 4096;
  const test::buffer<unsigned char> bytes(backend, std::vector<unsigned char>(size.bytes() + guard, 0xA5));
  onepass::workspace memory(policy, size, bytes.data());
  run(policy.with(memory));
  EXPECT_EQ(keys, (std::vector<std::uint8_t>{2, 1}));
  const std::vector<unsigned char> after = bytes.to_host();
  EXPECT_EQ(std::count(after.end() - guard, after.end(), 0xA5), std::ptrdiff_t{guard});
}

// In any order; an end before its begin is a segment without items, as is what lies outside the range.
ONEPASS_TEST(segmented_sort, order_and_ends) {
  test::segment_list list(test::sizes_at_limits(), 5);
  std::reverse(list.begins.begin(), list.begins.end());
  std::reverse(list.ends.begin(), list.ends.end());
  for (std::size_t s = 0; s < list.begins.size(); s += 7) list.ends[s] = list.begins[s] - 1;
  check(backend, list, test::pattern::uniform);

  const std::vector<key> keys = test::keys<key>(1000, 1, test::pattern::uniform);
  const test::buffer<key> in(backend, keys);
  const std::vector<std::int32_t> outside = {-50, -20, 300, 700, 5000, 6000};
  const test::buffer<std::int32_t> offsets(backend, outside);
  onepass::segmented_sort(backend.policy(), in.begin(), in.end(), onepass::offsets(offsets.begin(), offsets.end()));
  test::segment_list within({300, 400, 300});
  EXPECT_TRUE(test::same(in.to_host(), test::arranged(keys, test::segmented_order(keys, within, {}))));
}

// Unsigned ones of 2^63 and more lie behind all items.
ONEPASS_TEST(segmented_sort, offsets_as_large_as_can_be) {
  const test::buffer<key> in(backend, std::vector<key>{4, 3, 2, 1});
  const test::buffer<std::uint64_t> offsets(backend, std::vector<std::uint64_t>{0, 2, ~std::uint64_t{0}});
  onepass::segmented_sort(backend.policy(), in.begin(), in.end(), onepass::offsets(offsets.begin(), offsets.end()));
  EXPECT_TRUE(test::same(in.to_host(), std::vector<key>{3, 4, 1, 2}));
}
ONEPASS_TEST(segmented_sort, offsets) {
  for (const std::vector<std::int64_t>& sizes : {up_to_100(1000), test::sizes_at_limits(), {}}) {
    const test::segment_list list(sizes);
    const auto n = static_cast<std::size_t>(list.n);
    const std::vector<key> keys = test::keys<key>(n, 5, test::pattern::uniform);
    const std::vector<std::size_t> order = test::segmented_order(keys, list, {});
    const test::buffer<std::int64_t> offsets(backend, list.offsets());
    const test::buffer<key> in(backend, keys), other(backend, n);
    onepass::double_buffer<key> both(in.begin(), other.begin());
    onepass::segmented_sort(backend.policy(), both, list.n, onepass::offsets(offsets.begin(), offsets.end()));
    EXPECT_TRUE(test::same(in.to_host(), test::arranged(keys, order)));
    onepass::segmented_sort(backend.policy(), in.begin(), in.end(), onepass::offsets(offsets.begin(), offsets.begin()));
    EXPECT_TRUE(test::same(in.to_host(), test::arranged(keys, order))) << "no offset, no segment";
  }
}
