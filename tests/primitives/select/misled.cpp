// SPDX-License-Identifier: Apache-2.0
// Inputs that mislead the sample: the sampled items are all larger than the others, or all smaller. Too few items are then
// found, or more than there is room for, and the other way to the result is taken.
#include "fixture.hpp"

#include "../../../primitives/select/ranked_key.hpp"

namespace {

// Sets what is taken as a sample of `sample` items, item by item and as vectors: of the items from `begin` on, of a buffer with
// such a shift. value(i) is the one of item i, or of all items of vector i.
template <class T, class Value>
void set_sampled(std::vector<T>& items, std::size_t begin, std::size_t shift, int sample, Value value) {
  constexpr auto per_vector = static_cast<std::int64_t>(16 / sizeof(T));
  const auto size = static_cast<std::int64_t>(items.size() - begin);
  const auto set = [&](std::int64_t at, int i) {
    items[begin + static_cast<std::size_t>(at)] = static_cast<T>(value(i));
  };
  for (int i = 0; i < sample && sample <= size; ++i) set(onepass::detail::sampled_index(i, size, sample), i);
  const int of_vectors = sample / static_cast<int>(per_vector);
  const std::int64_t head = (per_vector - static_cast<std::int64_t>(begin + shift) % per_vector) % per_vector;
  const std::int64_t vectors = (size - head) / per_vector;
  for (int i = 0; i < of_vectors && of_vectors <= vectors; ++i) {
    const std::int64_t at = head + per_vector * onepass::detail::sampled_index(i, vectors, of_vectors);
    for (std::int64_t j = at; j < at + per_vector; ++j) set(j, i);
  }
}

template <class T>
std::vector<T> few_values(std::size_t n) {
  std::vector<T> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<T>(100 + test::hash(3, i) % 100);
  return items;
}

template <class T, class Backend>
void check_misled(const Backend& backend, std::size_t n, int sample) {
  for (const bool are_largest : {false, true}) {
    std::vector<T> items = few_values<T>(n);
    set_sampled(items, 0, 0, sample, [&](int i) { return are_largest ? 200 + i % 50 : i % 50; });
    SCOPED_TRACE(testing::Message() << "a sample of " << sample);
    test::check_array(backend, items, 0, {1, 300, 2000, n / 3, n / 2, n - 1});
    test::check_rows(backend, items, 0, n, {300});
  }
}

// The item of rank k of each row, counted from 1.
template <class T, class Backend>
void check_ranks(const Backend& backend, std::size_t rows, std::size_t length, const std::vector<std::size_t>& ks) {
  for (const std::size_t kind : {0, 4}) {
    SCOPED_TRACE(testing::Message() << rows << " rows of " << length << ", kind " << kind);
    const std::vector<T> items = test::keys_of_kind<T>(rows * length, kind);
    const auto order = test::ranking(items, test::parts_of_rows(items.size(), length), true);
    const auto key_at = [&](std::int64_t i) { return items[static_cast<std::size_t>(i)]; };
    const test::buffer<T> in(backend, items);
    for (const std::size_t k : ks)
      test::check_nth(backend, in, 0, onepass::rows(static_cast<std::int64_t>(length)), order, k - 1, key_at);
  }
}

}  // namespace

// Samples of the CPU, of a block, and of a block of keys of 8 bytes. The first are of rows of up to 2^15 items.
ONEPASS_TEST(select_misled, one_block) {
  for (const std::size_t n : {8193, 20011, 32768}) {
    check_misled<std::int32_t>(backend, n, 1 << 10);
    check_misled<double>(backend, n, 1 << 10);
  }
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
// One block selects from what a sample leaves: from 1,000 to 20,000 items, so fewer and more than it has in registers, and than
// a sample of its own has.
ONEPASS_TEST(select_misled, one_block_after_all) {
  for (const std::size_t n : {16383, 16384, 30011, 60001, 100003, 150001}) {
    const std::vector<std::size_t> ks{1024, 1025, n / 3, n / 2, n};
    check_ranks<std::int32_t>(backend, 1, n, ks);
    check_ranks<double>(backend, 1, n, ks);
  }
  check_ranks<std::int32_t>(backend, 2, 60001, {1024, 1025, 30000});
  check_ranks<double>(backend, 3, 100003, {1024, 1025, 50000});
}

// A long segment behind short ones, from which blocks of 32, 128 and 512 threads select, as the usual length says. Samples are
// taken in one or more rounds of 8 items a thread. One k is such that all items equal to the bound are results.
template <class T, class Backend>
static void check_long_segment(const Backend& backend, std::size_t count, int sample) {
  const std::size_t n = test::limited(40009), begin = 1000;
  std::vector<T> items = few_values<T>(n);
  set_sampled(items, begin, 1, sample, [](int i) { return 300 + i; });
  std::vector<std::int64_t> starts;
  for (std::size_t i = 0; i < count; ++i) starts.push_back(static_cast<std::int64_t>(i * begin / count));
  starts.push_back(static_cast<std::int64_t>(begin));
  starts.push_back(static_cast<std::int64_t>(n));
  std::vector<test::part> parts;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i)
    parts.push_back({static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(starts[i + 1] - starts[i])});
  const auto smallest = static_cast<std::size_t>(std::count(items.begin() + begin, items.end(), T{100}));
  const test::buffer<std::int64_t> offsets(backend, starts);
  test::check_segments(backend, items, 1, onepass::offsets(offsets.begin(), offsets.end()), parts,
                       {100, 200, 400, smallest});
}
ONEPASS_TEST(select_misled, offsets) {
  for (const std::size_t count : {1000, 100, 1}) {
    for (const int sample : {38 * 256, 1024, 4096}) {
      check_long_segment<std::int32_t>(backend, count, sample);
      check_long_segment<double>(backend, count, sample);
    }
  }
}

// A workspace for n items serves fewer: around the numbers from which a sample is taken, and where its ranks are rounded.
ONEPASS_CPU_TEST(select_misled, workspaces_grow) {
  const auto size_for = [&](auto call) { return onepass::measure(backend.policy(), call); };
  auto* const first = reinterpret_cast<float*>(std::uintptr_t{1} << 20);  // nothing is read or written
  auto* const out = reinterpret_cast<float*>(std::uintptr_t{1} << 40);
  for (const onepass::index_t k : {1, 10, 300, 5000, 200000}) {
    onepass::workspace_size whole, nth, rows;
    for (const onepass::index_t n : {100, 9000, 30000, 32767, 32768, 40000, 131071, 131072, 399999, 400000, 400001,
                                     400100, 1 << 20, 1 << 24, (1 << 24) + 1, 1 << 28}) {
      if (n < k) continue;
      SCOPED_TRACE(testing::Message() << k << " of " << n);
      const auto grows = [](onepass::workspace_size& before, const onepass::workspace_size& size) {
        EXPECT_GE(size.scratch, before.scratch);
        EXPECT_GE(size.tiles, before.tiles);
        before = size;
      };
      grows(whole, size_for([&](const auto& policy) { onepass::top_k(policy, first, first + n, k, out); }));
      grows(nth, size_for([&](const auto& policy) { onepass::nth_element(policy, first, first + n, k - 1, out); }));
      const auto by_rows = [&](const auto& policy) {
        onepass::top_k(policy, first, first + n, onepass::rows(50000), k, out);
      };
      if (k <= 50000) grows(rows, size_for(by_rows));
    }
  }
}
