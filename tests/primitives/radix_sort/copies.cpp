// SPDX-License-Identifier: Apache-2.0
// Sorts to another range: plain arrays, inputs that are computed, outputs that are not arrays, sizes in memory.
#include <onepass/radix_sort.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include "support/references.hpp"
#include "support/test.hpp"

namespace {

using key = std::uint32_t;

std::vector<std::uint32_t> positions(std::size_t n) {
  std::vector<std::uint32_t> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::uint32_t>(i);
  return all;
}

struct computed_key {
  ONEPASS_HOST_DEVICE key operator()(std::uint32_t i) const { return static_cast<key>(test::hash(7, i) % 1000); }
};

struct large {
  std::uint64_t words[5];
  friend bool operator==(const large& a, const large& b) { return std::equal(a.words, a.words + 5, b.words); }
  friend std::ostream& operator<<(std::ostream& out, const large& l) { return out << l.words[0]; }
};

}  // namespace

// For even and odd numbers of digits and for none, when there is but a copy to be made.
ONEPASS_TEST(radix_sort, copy) {
  for (const std::size_t n : test::few_sizes()) {
    for (const int end_bit : {0, 24, 32}) {
      SCOPED_TRACE(testing::Message() << n << " keys, " << end_bit << " bits");
      const onepass::radix_options options{n % 2 == 0, 0, end_bit};
      const std::vector<key> values = test::keys<key>(n, n, test::pattern::low_entropy);
      const std::vector<std::size_t> order = test::sorted_order(values, options.descending, 0, end_bit);
      const test::buffer<key> in(backend, values, 1), out(backend, n);
      const key* first = in.begin();
      EXPECT_EQ(onepass::radix_sort_copy(backend.policy(), first, first + n, out.begin(), options), out.end());
      EXPECT_TRUE(test::same(out.to_host(), test::arranged(values, order)));

      const test::buffer<std::uint32_t> carried(backend, positions(n)), carried_out(backend, n, 1);
      out.poison_all();
      const auto ends = onepass::radix_sort_by_key_copy(backend.policy(), first, first + n, carried.begin(),
                                                        out.begin(), carried_out.begin(), options);
      EXPECT_TRUE(ends.first == out.end() && ends.second == carried_out.end());
      EXPECT_TRUE(test::same(out.to_host(), test::arranged(values, order)));
      EXPECT_TRUE(test::same(carried_out.to_host(), test::arranged(positions(n), order)));
      EXPECT_TRUE(test::same(in.to_host(), values));
      EXPECT_TRUE(test::same(carried.to_host(), positions(n)));
    }
  }
}

// The order of computed keys, as a range of indices to the back; the keys themselves go nowhere.
ONEPASS_TEST(radix_sort, copy_of_computed_keys) {
  const std::size_t n = test::limited(60013);
  const auto count = static_cast<std::int64_t>(n);
  const thrust::counting_iterator<std::uint32_t> index(0);
  const auto first = thrust::make_transform_iterator(index, computed_key());
  std::vector<key> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = computed_key()(static_cast<std::uint32_t>(i));
  const std::vector<std::size_t> order = test::sorted_order(values);
  const std::vector<std::uint32_t> expected = test::arranged(positions(n), order);
  const test::buffer<std::uint32_t> out(backend, n, 1);
  onepass::radix_sort_by_key_copy(backend.policy(), first, first + count, index, thrust::make_discard_iterator(),
                                  thrust::make_reverse_iterator(out.end()));
  EXPECT_TRUE(test::same(out.to_host(), std::vector<std::uint32_t>(expected.rbegin(), expected.rend())));
  onepass::radix_sort_copy(backend.policy(), first, first + count, out.begin());
  EXPECT_TRUE(test::same(out.to_host(), test::arranged(values, order)));
}

// Values that are sorted by index, and structs by a field.
ONEPASS_TEST(radix_sort, copy_of_large_items) {
  const std::size_t n = test::limited(20011);
  const std::vector<key> key_values = test::keys<key>(n, 3, test::pattern::few_valued);
  std::vector<large> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = {key_values[i], i, i * i, ~i, 5};
  const std::vector<std::size_t> order = test::sorted_order(key_values);
  const test::buffer<key> keys(backend, key_values), keys_out(backend, n);
  const test::buffer<large> in(backend, values), out(backend, n);
  onepass::radix_sort_by_key_copy(backend.policy(), keys.begin(), keys.end(), in.begin(), keys_out.begin(),
                                  out.begin());
  EXPECT_TRUE(test::same(keys_out.to_host(), test::arranged(key_values, order)));
  EXPECT_TRUE(test::same(out.to_host(), test::arranged(values, order)));
  out.poison_all();
  onepass::radix_sort_copy(backend.policy(), in.begin(), in.end(), out.begin(),
                           [](large& l) { return std::tie(l.words[0]); });
  EXPECT_TRUE(test::same(out.to_host(), test::arranged(values, order)));
  EXPECT_TRUE(test::same(in.to_host(), values));
}

// Nothing is written behind the size that is found in memory.
ONEPASS_TEST(radix_sort, copy_of_a_size_in_memory) {
  const std::size_t room = test::limited(20011);
  const std::vector<key> values = test::keys<key>(room, 4, test::pattern::uniform);
  const test::buffer<key> in(backend, values), out(backend, room);
  const test::buffer<onepass::index_t> size(backend, 1);
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{999}, room - 1}) {
    SCOPED_TRACE(n);
    size.assign({static_cast<onepass::index_t>(n)});
    out.poison_all();
    onepass::radix_sort_copy(backend.policy().sized_by(size.data()), in.begin(), in.end(), out.begin());
    const std::vector<key> part(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_TRUE(test::same(out.to_host(n), test::arranged(part, test::sorted_order(part))));
    EXPECT_TRUE(out.untouched(n));
  }
}

ONEPASS_TEST(radix_sort, copy_onto_its_input) {
  const test::buffer<key> in(backend, 100);
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::radix_sort_copy: out overlaps", [&] {
    onepass::radix_sort_copy(backend.policy(), in.begin(), in.begin() + 50, in.begin());
  }));
}
