// SPDX-License-Identifier: Apache-2.0
// Segmented sorts of other keys and values: doubles with both zeros, also by iterators that are not pointers, and single bytes
// (one digit, so the result of long segments is moved) with values that are sorted by index.
#include <thrust/iterator/reverse_iterator.h>

#include <cmath>

#include "primitives/radix_sort/segments_fixture.hpp"

namespace {

std::vector<std::int64_t> some_sizes() {
  std::vector<std::int64_t> sizes = {3, 257, 0, 2048, 13, 2049, 3000, 1000, 77, 20993, 256, 1};
  if (!test::small_only()) sizes.insert(sizes.end(), {50001, 9, 4097});
  return sizes;
}

struct wide {  // more than 32 bytes
  std::uint64_t words[5];
  friend bool operator==(const wide& a, const wide& b) { return std::equal(a.words, a.words + 5, b.words); }
  friend std::ostream& operator<<(std::ostream& out, const wide& w) { return out << w.words[0]; }
  wide() = default;
  explicit wide(std::size_t i) : words{i, i + 1, i + 2, i + 3, i + 4} {}
};

}  // namespace

// -0 and +0 are equal and keep their order, also where keys carry nothing; so do NaNs.
ONEPASS_TEST(segmented_sort, doubles) {
  const test::segment_list list(some_sizes(), 1);
  std::vector<double> keys = test::keys<double>(static_cast<std::size_t>(list.n), 1, test::pattern::uniform);
  for (const bool descending : {false, true}) test::check_segments_alone(backend, keys, list, {descending});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i % 3 != 0) keys[i] = i % 3 == 1 ? 0.0 : -0.0;
    if (i % 100 == 0) keys[i] = i % 200 == 0 ? std::nan("") : -std::nan("");
  }
  for (const bool descending : {false, true}) test::check_segments_alone(backend, keys, list, {descending});
}

ONEPASS_TEST(segmented_sort, bytes_with_values_by_index) {
  const test::segment_list list(some_sizes(), 1);
  const auto keys = test::keys<std::int8_t>(static_cast<std::size_t>(list.n), 2, test::pattern::uniform);
  for (const bool descending : {false, true}) test::check_segments_of_pairs<wide>(backend, keys, list, {descending});
  const test::segment_list many(test::among_many(some_sizes()));
  const auto others = test::keys<std::int8_t>(static_cast<std::size_t>(many.n), 4, test::pattern::uniform);
  test::check_segments_of_pairs<wide>(backend, others, many);
}

ONEPASS_TEST(segmented_sort, iterators) {
  const test::segment_list list(some_sizes());
  const auto n = static_cast<std::size_t>(list.n);
  const auto keys = test::keys<double>(n, 3, test::pattern::few_valued);
  std::vector<double> expected = test::arranged(keys, test::segmented_order(keys, list, {}));
  const test::buffer<double> in(backend, std::vector<double>(keys.rbegin(), keys.rend()));
  const test::buffer<std::int64_t> offsets(backend, list.offsets());
  onepass::segmented_sort(backend.policy(), thrust::make_reverse_iterator(in.end()),
                          thrust::make_reverse_iterator(in.begin()), onepass::offsets(offsets.begin(), offsets.end()));
  std::reverse(expected.begin(), expected.end());
  EXPECT_TRUE(test::same(in.to_host(), expected));
}
