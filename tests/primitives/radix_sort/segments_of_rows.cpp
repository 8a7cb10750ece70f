// SPDX-License-Identifier: Apache-2.0
// Sorts of equal rows: of lengths around every limit between the ways that a row may be sorted, also where the last row is
// shorter; keys alone, with values, to another range, with a size in memory; wrong lengths.
#include "primitives/radix_sort/segments_fixture.hpp"

namespace {

// n items in rows.
test::segment_list rows_of(std::int64_t n, std::int64_t length) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < n; i += length) sizes.push_back(std::min(length, n - i));
  return test::segment_list(sizes);
}

template <class K, class Backend>
void check_sorts(const Backend& backend, std::size_t n, std::int64_t length,
                 const onepass::radix_options& options = {}) {
  SCOPED_TRACE(testing::Message() << n << " items in rows of " << length);
  const std::vector<K> keys = test::keys<K>(n, n, test::pattern::low_entropy);
  const std::vector<std::uint32_t> numbers = test::numbered<std::uint32_t>(n);
  const test::segment_list list = rows_of(static_cast<std::int64_t>(n), length);
  const std::vector<std::size_t> order = test::segmented_order(keys, list, options);
  const test::buffer<K> in(backend, keys, n % 2), out(backend, n);
  const test::buffer<std::uint32_t> values(backend, numbers), values_out(backend, n);
  const auto p = backend.policy();
  const auto rows = onepass::rows(length);
  onepass::segmented_sort_copy(p, in.begin(), in.end(), out.begin(), rows, options);
  EXPECT_TRUE(test::identical(out.to_host(), test::arranged(keys, order))) << "copy";
  out.poison_all();
  onepass::segmented_sort_by_key_copy(p, in.begin(), in.end(), values.begin(), out.begin(), values_out.begin(), rows,
                                      options);
  EXPECT_TRUE(test::identical(out.to_host(), test::arranged(keys, order))) << "copy of pairs";
  EXPECT_TRUE(test::same(values_out.to_host(), test::arranged(numbers, order))) << "copy of pairs";
  onepass::segmented_sort_by_key(p, in.begin(), in.end(), values.begin(), rows, options);
  EXPECT_TRUE(test::identical(in.to_host(), test::arranged(keys, order))) << "pairs";
  EXPECT_TRUE(test::same(values.to_host(), test::arranged(numbers, order))) << "pairs";
  in.assign(keys);
  onepass::segmented_sort(p, in.begin(), in.end(), rows, options);
  EXPECT_TRUE(test::identical(in.to_host(), test::arranged(keys, order))) << "keys";
}

}  // namespace

ONEPASS_TEST(segmented_sort, rows) {
  for (const std::int64_t length : {1, 2, 8, 33, 100, 256, 257, 1000, 4097, 21000})
    check_sorts<std::uint32_t>(backend, test::limited(60013), length);
  for (const std::size_t n : {0u, 1u, 99u, 100u, 101u}) check_sorts<float>(backend, n, 100);
  check_sorts<float>(backend, test::limited(60013), 100, onepass::descending());
  check_sorts<std::int64_t>(backend, 5000, std::int64_t{1} << 62);
}

ONEPASS_TEST(segmented_sort, rows_sized) {
  const std::vector<std::int32_t> keys = test::random_values<std::int32_t>(10007, 4);
  const test::buffer<std::int64_t> size(backend, std::vector<std::int64_t>{5555});
  const test::buffer<std::int32_t> in(backend, keys);
  onepass::segmented_sort(backend.policy().sized_by(size.begin()), in.begin(), in.end(), onepass::rows(100));
  std::vector<std::int32_t> expected = keys;
  for (std::size_t i = 0; i < 5555; i += 100) {
    const auto first = expected.begin() + static_cast<std::ptrdiff_t>(i);
    std::sort(first, first + static_cast<std::ptrdiff_t>(std::min<std::size_t>(100, 5555 - i)));
  }
  EXPECT_TRUE(test::same(in.to_host(), expected));
}

ONEPASS_TEST(segmented_sort, rows_arguments) {
  const test::buffer<int> in(backend, std::vector<int>{2, 1});
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::segmented_sort: a row has less than one item", [&] {
    onepass::segmented_sort(backend.policy(), in.begin(), in.end(), onepass::rows(0));
  }));
  EXPECT_TRUE(test::same(in.to_host(), std::vector<int>{2, 1}));
}
