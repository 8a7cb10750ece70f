// SPDX-License-Identifier: Apache-2.0
// Radix sorts with values of every size, of keys and values that are no pointers, and to
// other ranges.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <array>
#include <deque>
#include <memory>
#include <string>

#include "primitives/radix_sort/keys_of_type.hpp"

namespace {

using key = std::uint32_t;

struct block {  // larger than what is moved in every pass
  std::uint64_t words[6];
  friend bool operator==(const block& a, const block& b) { return std::equal(a.words, a.words + 6, b.words); }
  friend std::ostream& operator<<(std::ostream& out, const block& b) { return out << b.words[0]; }
};

template <class V>
V value_of(std::size_t i) {
  if constexpr (std::is_same_v<V, block>) return {{i, i + 1, i + 2, i + 3, i + 4, i + 5}};
  else return test::value_from<V>(test::hash(9, i));
}

std::vector<std::uint32_t> positions(std::size_t n) {
  std::vector<std::uint32_t> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::uint32_t>(i);
  return all;
}

struct computed_key {
  ONEPASS_HOST_DEVICE key operator()(std::uint32_t i) const { return static_cast<key>(test::hash(7, i) % 1000); }
};

template <class V, class Backend>
void check_values(const Backend& backend) {
  for (const std::size_t n : test::few_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::vector<key> key_values = test::keys<key>(n, n, test::pattern::low_entropy);
    std::vector<V> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = value_of<V>(i);
    const std::vector<std::size_t> order = test::sorted_order(key_values);
    const test::buffer<key> keys(backend, key_values, 1);
    const test::buffer<V> carried(backend, values, 1);
    onepass::radix_sort_by_key(backend.policy(), keys.begin(), keys.end(), carried.begin());
    EXPECT_TRUE(test::same(keys.to_host(), test::arranged(key_values, order)));
    EXPECT_TRUE(test::same(carried.to_host(), test::arranged(values, order)));
  }
}

}  // namespace

ONEPASS_TEST(radix_sort, values_of_1_byte) { check_values<std::uint8_t>(backend); }
ONEPASS_TEST(radix_sort, values_of_2_bytes) { check_values<std::int16_t>(backend); }
ONEPASS_TEST(radix_sort, values_of_8_bytes) { check_values<double>(backend); }
ONEPASS_TEST(radix_sort, values_of_16_bytes) { check_values<test::matrix>(backend); }
ONEPASS_TEST(radix_sort, values_of_24_bytes) { check_values<test::triple>(backend); }
ONEPASS_TEST(radix_sort, values_of_48_bytes) { check_values<block>(backend); }
// The widest that every pass moves, in few tiles, small tiles and large ones.
ONEPASS_TEST(radix_sort, values_of_12_bytes_with_wide_keys) {
  using value = std::array<std::uint32_t, 3>;
  for (const std::size_t n : {301, 100003, 500009, 900001, 1100003}) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const auto key_values = test::keys<std::uint64_t>(test::limited(n), n, test::pattern::uniform);
    std::vector<value> values(key_values.size());
    for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = {i, ~i, i * i};
    const std::vector<std::size_t> order = test::sorted_order(key_values);
    const test::buffer<std::uint64_t> keys(backend, key_values);
    const test::buffer<value> carried(backend, values);
    onepass::radix_sort_by_key(backend.policy(), keys.begin(), keys.end(), carried.begin());
    EXPECT_TRUE(test::same(keys.to_host(), test::arranged(key_values, order)));
    EXPECT_TRUE(carried.to_host() == test::arranged(values, order));
  }
}

// Keys from the back, values through a permutation: both are copied to arrays and back.
ONEPASS_TEST(radix_sort, reverse_and_permutation_iterators) {
  const std::size_t n = test::limited(20011);
  const std::vector<key> key_values = test::random_values<key>(n, 1);
  std::vector<std::uint32_t> values(n), positions(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = static_cast<std::uint32_t>(i), positions[i] = static_cast<std::uint32_t>(i ^ 1);
  if (n % 2 == 1) positions[n - 1] = static_cast<std::uint32_t>(n - 1);
  const test::buffer<key> keys(backend, key_values);
  const test::buffer<std::uint32_t> carried(backend, values), index(backend, positions);
  const auto first = thrust::make_reverse_iterator(keys.end());
  onepass::radix_sort_by_key(backend.policy(), first, first + n,
                             thrust::make_permutation_iterator(carried.begin(), index.begin()));
  const std::vector<key> reversed(key_values.rbegin(), key_values.rend());
  const std::vector<std::size_t> order = test::sorted_order(reversed);
  std::vector<key> expected = test::arranged(reversed, order);
  std::reverse(expected.begin(), expected.end());
  EXPECT_TRUE(test::same(keys.to_host(), expected));
  std::vector<std::uint32_t> expected_values(n);
  for (std::size_t i = 0; i < n; ++i) expected_values[positions[i]] = positions[order[i]];
  EXPECT_TRUE(test::same(carried.to_host(), expected_values));
}

// Two columns at once.
ONEPASS_TEST(radix_sort, zipped_values) {
  const std::size_t n = test::limited(20011);
  const std::vector<key> key_values = test::random_values<key>(n, 2);
  const std::vector<float> a = test::random_values<float>(n, 3);
  const std::vector<std::int64_t> b = test::random_values<std::int64_t>(n, 4);
  const test::buffer<key> keys(backend, key_values);
  const test::buffer<float> first_column(backend, a);
  const test::buffer<std::int64_t> second_column(backend, b);
  onepass::radix_sort_by_key(backend.policy(), keys.begin(), keys.end(),
                             thrust::make_zip_iterator(first_column.begin(), second_column.begin()));
  const std::vector<std::size_t> order = test::sorted_order(key_values);
  EXPECT_TRUE(test::same(keys.to_host(), test::arranged(key_values, order)));
  EXPECT_TRUE(test::identical(first_column.to_host(), test::arranged(a, order)));
  EXPECT_TRUE(test::same(second_column.to_host(), test::arranged(b, order)));
}

// ---- to another range ---------------------------------------------------------------------------------------------
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

ONEPASS_TEST(radix_sort, copy_with_large_values) {
  const std::size_t n = test::limited(20011);
  const std::vector<key> key_values = test::keys<key>(n, 3, test::pattern::few_valued);
  std::vector<block> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = value_of<block>(i);
  const std::vector<std::size_t> order = test::sorted_order(key_values);
  const test::buffer<key> keys(backend, key_values), keys_out(backend, n);
  const test::buffer<block> in(backend, values), out(backend, n);
  onepass::radix_sort_by_key_copy(backend.policy(), keys.begin(), keys.end(), in.begin(), keys_out.begin(),
                                  out.begin());
  EXPECT_TRUE(test::same(keys_out.to_host(), test::arranged(key_values, order)));
  EXPECT_TRUE(test::same(out.to_host(), test::arranged(values, order)));
  EXPECT_TRUE(test::same(in.to_host(), values));
}

// Nothing is written behind the size that is found in memory.
template <class K, class Backend>
static void check_size_in_memory(const Backend& backend, std::size_t room) {
  const std::vector<K> values = test::keys<K>(room, 4, test::pattern::uniform);
  const test::buffer<K> in(backend, values), out(backend, room);
  const test::buffer<onepass::index_t> size(backend, 1);
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{999}, room - 1}) {
    SCOPED_TRACE(n);
    size.assign({static_cast<onepass::index_t>(n)});
    out.poison_all();
    onepass::radix_sort_copy(backend.policy().sized_by(size.data()), in.begin(), in.end(), out.begin());
    const std::vector<K> part(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_TRUE(test::same(out.to_host(n), test::arranged(part, test::sorted_order(part))));
    EXPECT_TRUE(out.untouched(n));
  }
}
ONEPASS_TEST(radix_sort, copy_of_a_size_in_memory) {
  check_size_in_memory<key>(backend, test::limited(20011));
  check_size_in_memory<std::int8_t>(backend, 10007);   // all counted by one block
  check_size_in_memory<std::int16_t>(backend, 10007);  // sorted by one block
}

ONEPASS_TEST(radix_sort, copy_onto_its_input) {
  const test::buffer<key> in(backend, 100);
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::radix_sort_copy: out overlaps", [&] {
    onepass::radix_sort_copy(backend.policy(), in.begin(), in.begin() + 50, in.begin());
  }));
}

// ---- what only one backend has ------------------------------------------------------------------------------------
// Values that own memory.
ONEPASS_CPU_TEST(radix_sort, strings_as_values) {
  const std::vector<key> key_values = test::random_values<key>(test::limited(20011), 5);
  std::vector<std::string> values(key_values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::to_string(i) + ", a text that is too long to lie within";
  std::vector<key> keys = key_values;
  std::vector<std::string> carried = values;
  onepass::radix_sort_by_key(backend.policy(), keys.begin(), keys.end(), carried.begin());
  const std::vector<std::size_t> order = test::sorted_order(key_values);
  EXPECT_TRUE(test::same(keys, test::arranged(key_values, order)));
  EXPECT_TRUE(test::same(carried, test::arranged(values, order)));
}

ONEPASS_CPU_TEST(radix_sort, deque) {
  const std::vector<key> values = test::random_values<key>(test::limited(20011), 6);
  std::deque<key> keys(values.begin(), values.end());
  onepass::radix_sort(keys.begin(), keys.end());
  EXPECT_TRUE(
      test::same(std::vector<key>(keys.begin(), keys.end()), test::arranged(values, test::sorted_order(values))));
}

// Items that can be moved, but not copied.
struct owned_key {
  std::unique_ptr<key> owned;
  key number;
};
struct number_of {
  thrust::tuple<const key&> operator()(const owned_key& k) const { return thrust::tuple<const key&>(k.number); }
};
ONEPASS_CPU_TEST(radix_sort, move_only_items) {
  const std::vector<key> values = test::keys<key>(3001, 1, test::pattern::few_valued);
  std::vector<key> keys = values;
  std::vector<std::unique_ptr<std::size_t>> carried;
  std::vector<owned_key> owning;
  for (std::size_t i = 0; i < values.size(); ++i) {
    carried.push_back(std::make_unique<std::size_t>(i));
    owning.push_back({std::make_unique<key>(values[i]), values[i]});
  }
  onepass::radix_sort_by_key(onepass::cpu(2), keys.begin(), keys.end(), carried.begin());
  onepass::radix_sort(onepass::cpu(2), owning.begin(), owning.end(), number_of{});
  const std::vector<std::size_t> order = test::sorted_order(values);
  EXPECT_TRUE(test::same(keys, test::arranged(values, order)));
  for (std::size_t i = 0; i < order.size(); ++i) {
    ASSERT_EQ(*carried[i], order[i]);
    ASSERT_EQ(*owning[i].owned, values[order[i]]);
  }
}

#if ONEPASS_HAS_CUDA
// Indices of 64 bits, which calls take from 2^32 items on.
ONEPASS_GPU_TEST(radix_sort, values_by_wide_indices) {
  namespace detail = onepass::detail;
  const std::size_t n = test::limited(60013);
  const std::vector<key> key_values = test::keys<key>(n, 8, test::pattern::low_entropy);
  std::vector<block> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = value_of<block>(i);
  const test::buffer<key> keys(backend, key_values);
  const test::buffer<block> carried(backend, values);
  const auto count = static_cast<onepass::index_t>(n);
  const auto digits =
      detail::digits_for<onepass::cuda_policy, key>("test", detail::whole_key(), onepass::radix_options{false, 0, 32});
  detail::layout scratch;
  const detail::item_count size{count, nullptr};
  const detail::sortable sorted_keys(detail::as_stored<key>(), detail::sorted_in_place(keys.begin()), size, scratch);
  const detail::sortable_by_index<onepass::index_t, block*, block*> sorted_values(
      detail::sorted_in_place(carried.begin()), size, scratch);
  detail::sort_arrays("test", backend.policy(), sorted_keys, sorted_values, digits, count, scratch,
                      detail::as_a_whole());
  const std::vector<std::size_t> order = test::sorted_order(key_values);
  EXPECT_TRUE(test::same(keys.to_host(), test::arranged(key_values, order)));
  EXPECT_TRUE(test::same(carried.to_host(), test::arranged(values, order)));
}

ONEPASS_GPU_TEST(radix_sort, device_vector) {
  const std::vector<key> values = test::random_values<key>(test::limited(20011), 7);
  thrust::device_vector<key> keys(values.begin(), values.end());
  onepass::radix_sort(keys.begin(), keys.end());
  std::vector<key> result(values.size());
  thrust::copy(keys.begin(), keys.end(), result.begin());
  EXPECT_TRUE(test::same(result, test::arranged(values, test::sorted_order(values))));
}
#endif
