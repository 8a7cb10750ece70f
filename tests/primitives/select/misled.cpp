// SPDX-License-Identifier: Apache-2.0
// Inputs that mislead the sample: the sampled items are all larger than the others, or all smaller. Too few items are then
// found, or more than there is room for, and the other way to the result is taken.
#include "fixture.hpp"

#include "../../../primitives/select/ranked_key.hpp"

namespace {

template <class T, class Backend>
void check_misled(const Backend& backend, std::size_t n, int sample) {
  for (const bool are_largest : {false, true}) {
    std::vector<T> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<T>(100 + test::hash(3, i) % 100);
    for (int i = 0; i < sample; ++i)
      items[static_cast<std::size_t>(onepass::detail::sampled_index(i, static_cast<std::int64_t>(n), sample))] =
          static_cast<T>(are_largest ? 200 + i % 50 : i % 50);
    SCOPED_TRACE(testing::Message() << "a sample of " << sample);
    test::check_array(backend, items, 0, {1, 300, 2000, n / 3, n / 2, n - 1});
    test::check_rows(backend, items, 0, n, {300});
  }
}

}  // namespace

// Samples of the CPU, of a block, and of a block of keys of 8 bytes.
ONEPASS_TEST(select_misled, one_block) {
  for (const int sample : {1 << 13, 1 << 14}) {
    check_misled<std::int32_t>(backend, 100003, sample);
    check_misled<double>(backend, 60001, sample);
  }
}
ONEPASS_TEST(select_misled, all_blocks) {
  if (test::small_only()) GTEST_SKIP() << "all blocks share arrays of 2^19 items or more";
  for (const int sample : {1 << 13, 1 << 14}) {
    check_misled<float>(backend, 700001, sample);
    check_misled<std::uint64_t>(backend, 600007, sample);
  }
}
// Blocks of 128 and 32 threads have rows of other lengths only where offsets give them.
ONEPASS_TEST(select_misled, small_blocks) {
  for (const int sample : {256, 512, 1024, 2048}) {
    const std::size_t n = test::limited(40009);
    std::vector<std::int32_t> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<std::int32_t>(100 + test::hash(3, i) % 100);
    const std::size_t begin = 1000, size = n - begin;
    for (int i = 0; i < sample; ++i)
      items[begin + static_cast<std::size_t>(
                        onepass::detail::sampled_index(i, static_cast<std::int64_t>(size), sample))] = 300 + i;
    // As many short segments as make the usual length that of the blocks.
    const std::size_t count = sample < 1024 ? 1000 : 100;
    std::vector<std::int64_t> starts;
    std::vector<test::part> parts;
    for (std::size_t i = 0; i < count; ++i) starts.push_back(static_cast<std::int64_t>(i * begin / count));
    starts.push_back(static_cast<std::int64_t>(begin));
    starts.push_back(static_cast<std::int64_t>(n));
    for (std::size_t i = 0; i + 1 < starts.size(); ++i)
      parts.push_back({static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(starts[i + 1] - starts[i])});
    const test::buffer<std::int64_t> offsets(backend, starts);
    test::check_segments(backend, items, 1, onepass::offsets(offsets.begin(), offsets.end()), parts, {200, 400});
  }
}
