// SPDX-License-Identifier: Apache-2.0
// split by predicate and by digit, waiting and not, and wrong arguments of all calls of the radix sort's family.
#include <onepass/radix_sort.hpp>
#include <onepass/sort.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/operators.hpp"
#include "support/policies.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

// The order of a stable sort by bits [shift, shift + bits) of integers, as they are stored.
template <class K>
std::vector<K> by_digit(const std::vector<K>& values, int shift, int bits) {
  std::vector<K> result = values;
  const auto digit = [&](K value) {
    return (static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<K>>(value)) >> shift) & ((1u << bits) - 1);
  };
  std::stable_sort(result.begin(), result.end(), [&](K a, K b) { return digit(a) < digit(b); });
  return result;
}

// Stands for a number in a range whose items are numbers of 64 bits.
template <int words>
struct stands_for {
  std::uint32_t i[words];
  ONEPASS_HOST_DEVICE operator std::uint64_t() const { return std::uint64_t{i[0] * 2654435761u} << 32 | i[0]; }
};
template <int words>
struct make_stand_in {
  ONEPASS_HOST_DEVICE stands_for<words> operator()(std::uint32_t i) const { return {{i}}; }
};
template <int words>
auto stand_ins() {
  return thrust::transform_iterator<make_stand_in<words>, thrust::counting_iterator<std::uint32_t>, stands_for<words>,
                                    std::uint64_t>(thrust::counting_iterator<std::uint32_t>(0), {});
}
struct has_no_highest_bit {
  ONEPASS_HOST_DEVICE bool operator()(const std::uint64_t& x) const { return x >> 63 == 0; }
};

template <class T, class Backend>
void check_split_by_predicate(const Backend& backend) {
  std::size_t which = 0;
  for (const std::size_t n : test::sizes()) {
    const test::is_lucky lucky{std::vector<double>{0.5, 0, 0.02, 1}[++which % 4]};
    SCOPED_TRACE(testing::Message() << n << " items, share " << lucky.share);
    const std::vector<T> values = test::random_values<T>(n, n);
    const std::vector<std::uint8_t> flags = test::flags_of(values, lucky);
    const test::buffer<T> in(backend, values, n % 2), out(backend, n, n % 3);
    const test::buffer<std::int64_t> count(backend, 1);
    const auto expected = static_cast<std::int64_t>(test::kept(values, flags).size());
    const T* border = onepass::split(backend.policy(), in.begin(), in.end(), out.begin(), lucky);
    EXPECT_EQ(border - out.begin(), expected);
    EXPECT_TRUE(test::identical(out.to_host(), test::partitioned(values, flags)));
    out.poison_all();
    onepass::split_async(backend.policy(), in.begin(), in.end(), out.begin(), lucky, count.begin());
    EXPECT_EQ(count.to_host()[0], expected);
    EXPECT_TRUE(test::identical(out.to_host(), test::partitioned(values, flags)));
    EXPECT_TRUE(test::identical(in.to_host(), values)) << "the input was written";
  }
}

// Items of many bytes.
template <int words>
struct long_item {
  std::uint32_t of[words];
  friend bool operator==(const long_item& a, const long_item& b) { return std::equal(a.of, a.of + words, b.of); }
};
struct begins_even {
  template <class Item>
  ONEPASS_HOST_DEVICE bool operator()(const Item& item) const {
    return item.of[0] % 2 == 0;
  }
};
template <int words, class Backend>
void check_long_items(const Backend& backend) {
  for (const std::size_t n : {0, 1, 2, 255, 256, 257, 3001}) {
    SCOPED_TRACE(testing::Message() << n << " items");
    std::vector<long_item<words>> values(n);
    for (std::size_t i = 0; i < n; ++i)
      for (int w = 0; w < words; ++w) values[i].of[w] = static_cast<std::uint32_t>(test::hash(i, w));
    std::vector<long_item<words>> expected = values;
    const auto border = std::stable_partition(expected.begin(), expected.end(), begins_even()) - expected.begin();
    const test::buffer<long_item<words>> in(backend, values), out(backend, n);
    EXPECT_EQ(onepass::split(backend.policy(), in.begin(), in.end(), out.begin(), begins_even()) - out.begin(), border);
    EXPECT_TRUE(out.to_host() == expected);
    const test::buffer<std::int64_t> count(backend, 1), size(backend, std::vector<std::int64_t>{std::int64_t(n / 2)});
    out.poison_all();
    onepass::split_async(backend.policy().sized_by(size.begin()), in.begin(), in.end(), out.begin(), begins_even(),
                         count.begin());
    EXPECT_EQ(count.to_host()[0],
              std::count_if(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n / 2), begins_even()));
  }
}

template <class K, class Backend>
void check_split_by_digit(const Backend& backend) {
  constexpr int key_bits = 8 * sizeof(K);
  std::size_t which = 0;
  for (const std::size_t n : test::sizes()) {
    const int bits = 1 + static_cast<int>(++which % 8);
    const int shift = static_cast<int>(test::hash(n, 0) % static_cast<std::uint64_t>(key_bits - bits + 1));
    SCOPED_TRACE(testing::Message() << n << " items, " << bits << " bits from bit " << shift);
    const std::vector<K> values = test::random_values<K>(n, n);
    const test::buffer<K> in(backend, values, n % 3), out(backend, n, n % 2);
    K* end = onepass::split(backend.policy(), in.begin(), in.end(), out.begin(), onepass::digit{shift, bits});
    EXPECT_EQ(end, out.end());
    EXPECT_TRUE(test::same(out.to_host(), by_digit(values, shift, bits)));
  }
}

template <class Backend, class Tag, class... Policy>
void check_overloads(const Backend& backend, Tag tag, const Policy&... policy) {
  const std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(5003, 1);
  const test::buffer<std::uint32_t> in(backend, values), out(backend, values.size());
  const test::buffer<std::int64_t> count(backend, 1);
  const auto first = tag(in.begin()), last = tag(in.end()), to = tag(out.begin());
  const std::vector<std::uint8_t> flags = test::flags_of(values, test::is_even{});
  const auto even = static_cast<std::int64_t>(test::kept(values, flags).size());
  EXPECT_EQ(onepass::split(policy..., first, last, to, test::is_even{}) - to, even);
  EXPECT_TRUE(test::same(out.to_host(), test::partitioned(values, flags)));
  out.poison_all();
  onepass::split_async(policy..., first, last, to, test::is_even{}, count.begin());
  EXPECT_EQ(count.to_host()[0], even);
  EXPECT_TRUE(test::same(out.to_host(), test::partitioned(values, flags)));
  EXPECT_TRUE(onepass::split(policy..., first, last, to, onepass::digit{4, 8}) == tag(out.end()));
  EXPECT_TRUE(test::same(out.to_host(), by_digit(values, 4, 8)));
  // The sorts' own names take the same policies.
  onepass::radix_sort(policy..., tag(out.begin()), tag(out.end()));
  EXPECT_TRUE(test::same(out.to_host(), test::arranged(values, test::sorted_order(values))));
  out.assign(values);
  onepass::radix_sort_by_key(policy..., tag(out.begin()), tag(out.end()), tag(in.begin()));
  EXPECT_TRUE(test::same(in.to_host(), test::arranged(values, test::sorted_order(values))));
}

}  // namespace

ONEPASS_TEST(split, int8_by_predicate) { check_split_by_predicate<std::int8_t>(backend); }
ONEPASS_TEST(split, double_by_predicate) { check_split_by_predicate<double>(backend); }
// Structs that may lie at addresses that are no multiple of their size.
ONEPASS_TEST(split, structs_of_2_bytes_by_predicate) { check_split_by_predicate<test::byte_map>(backend); }
ONEPASS_TEST(split, structs_of_16_bytes_by_predicate) { check_split_by_predicate<test::matrix>(backend); }
ONEPASS_TEST(split, items_of_24_bytes_by_predicate) { check_split_by_predicate<test::triple>(backend); }
// Some devices have room for a tile of the first; none has for one of the second.
ONEPASS_TEST(split, items_of_400_bytes) { check_long_items<100>(backend); }
ONEPASS_TEST(split, items_of_2000_bytes) { check_long_items<500>(backend); }
ONEPASS_TEST(split, uint8_by_digit) { check_split_by_digit<std::uint8_t>(backend); }
ONEPASS_TEST(split, int32_by_digit) { check_split_by_digit<std::int32_t>(backend); }
ONEPASS_TEST(split, uint64_by_digit) { check_split_by_digit<std::uint64_t>(backend); }

ONEPASS_TEST(split, every_policy) {
  test::for_each_policy(backend, [&](const auto& policy, const char* name) {
    SCOPED_TRACE(name);
    check_overloads(
        backend, [](auto* pointer) { return pointer; }, policy);
  });
}
ONEPASS_TEST(split, without_policy) {
  check_overloads(backend, [](auto* pointer) { return backend_type::tagged(pointer); });
}

ONEPASS_TEST(split, computed_input) {
  const std::size_t n = test::limited(50021);
  const auto squares = thrust::make_transform_iterator(thrust::counting_iterator<std::uint32_t>(0), test::square{});
  std::vector<std::uint32_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::uint32_t>(i * i);
  const test::buffer<std::uint32_t> out(backend, n);
  onepass::split(backend.policy(), squares, squares + n, out.begin(), onepass::digit{2, 7});
  EXPECT_TRUE(test::same(out.to_host(), by_digit(values, 2, 7)));
}

// The range has something smaller in an item's place, or something of a size that no integer has.
ONEPASS_TEST(split, items_behind_others) {
  const auto n = static_cast<std::uint32_t>(test::limited(50021));
  std::vector<std::uint64_t> values(n);
  for (std::uint32_t i = 0; i < n; ++i) values[i] = stands_for<1>{{i}};
  const test::buffer<std::uint64_t> out(backend, n);
  const auto splits = [&](auto in, const auto& by, int shift, int bits) {
    onepass::split(backend.policy(), in, in + n, out.begin(), by);
    EXPECT_TRUE(test::same(out.to_host(), by_digit(values, shift, bits)));
  };
  splits(stand_ins<1>(), onepass::digit{40, 8}, 40, 8);
  splits(stand_ins<3>(), onepass::digit{40, 8}, 40, 8);
  splits(stand_ins<3>(), has_no_highest_bit{}, 63, 1);
}

ONEPASS_CPU_TEST(split, throwing_predicate) {
  std::vector<std::int64_t> values = test::random_between<std::int64_t>(test::limited(200003), 2, 0, 1000),
                            out(values.size());
  for (const int threads : {1, 2, 5}) {
    const auto split = [&] {
      onepass::split(onepass::cpu(threads), values.begin(), values.end(), out.begin(), test::throwing_predicate());
    };
    const std::int64_t value = std::exchange(values[values.size() / 2], test::refused_value);
    EXPECT_TRUE(test::throws<test::refusal>("refused", split));
    values[values.size() / 2] = value;
    split();
    EXPECT_TRUE(test::same(out, test::partitioned(values, test::flags_of(values, test::is_even{}))));
  }
}

ONEPASS_TEST(radix_sort, wrong_arguments) {
  const std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(1000, 3);
  const test::buffer<std::uint32_t> keys(backend, values), out(backend, values.size());
  std::uint32_t *const first = keys.begin(), *const last = keys.end(), *const null = nullptr;
  std::int64_t* const no_count = nullptr;
  const auto p = backend.policy();
  const auto refuses = [](const std::string& text, auto call) {
    EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::" + text, call));
  };
  const auto with_bits = [](int begin, int end) {
    onepass::radix_options options;
    options.begin_bit = begin;
    options.end_bit = end;
    return options;
  };
  refuses("radix_sort: last", [&] { onepass::radix_sort(p, last, first); });
  refuses("radix_sort: keys", [&] { onepass::radix_sort(p, null, null + 1000); });
  refuses("radix_sort: bits", [&] { onepass::radix_sort(p, first, last, with_bits(-1, 32)); });
  refuses("radix_sort: bits", [&] { onepass::radix_sort(p, first, last, with_bits(0, 33)); });
  refuses("radix_sort: bits", [&] { onepass::radix_sort(p, first, last, with_bits(9, 8)); });
  refuses("radix_sort: bits", [&] { onepass::radix_sort(p, first, last, with_bits(0, -2)); });
  refuses("radix_sort_by_key: last", [&] { onepass::radix_sort_by_key(p, last, first, out.begin()); });
  refuses("radix_sort_by_key: values", [&] { onepass::radix_sort_by_key(p, first, last, null); });
  refuses("radix_sort_by_key: values overlaps", [&] { onepass::radix_sort_by_key(p, first, last, first); });
  refuses("radix_sort_by_key: values overlaps", [&] { onepass::radix_sort_by_key(p, first, first + 9, first + 5); });
  refuses("radix_sort_by_key: bits",
          [&] { onepass::radix_sort_by_key(p, first, last, out.begin(), with_bits(0, 40)); });
  onepass::double_buffer<std::uint32_t> same(first, first), shifted(first, first + 10), half_null(first, null);
  refuses("radix_sort: ", [&] { onepass::radix_sort(p, same, 1000); });
  refuses("radix_sort: ", [&] { onepass::radix_sort(p, shifted, 900); });
  refuses("radix_sort: ", [&] { onepass::radix_sort(p, half_null, 1000); });
  refuses("radix_sort: n", [&] { onepass::radix_sort(p, shifted, -1); });
  refuses("split: last", [&] { onepass::split(p, last, first, out.begin(), test::is_even{}); });
  refuses("split: out", [&] { onepass::split(p, first, last, null, test::is_even{}); });
  refuses("split: out overlaps", [&] { onepass::split(p, first, last, first, test::is_even{}); });
  refuses("split: ", [&] { onepass::split(p, first, last, out.begin(), onepass::digit{0, 9}); });
  refuses("split: ", [&] { onepass::split(p, first, last, out.begin(), onepass::digit{0, 0}); });
  refuses("split: ", [&] { onepass::split(p, first, last, out.begin(), onepass::digit{28, 8}); });
  refuses("split: ", [&] { onepass::split(p, first, last, out.begin(), onepass::digit{-1, 4}); });
  refuses("split_async: count", [&] { onepass::split_async(p, first, last, out.begin(), test::is_even{}, no_count); });
  refuses("sort: last", [&] { onepass::sort(p, last, first); });
  refuses("stable_sort: last", [&] { onepass::stable_sort(p, last, first, test::less_tens{}); });
  refuses("sort_by_key: values", [&] { onepass::sort_by_key(p, first, last, null); });
  EXPECT_TRUE(test::same(keys.to_host(), values)) << "written before the exception";
  EXPECT_TRUE(out.untouched()) << "written before the exception";
}

ONEPASS_TEST(radix_sort, empty_range) {
  const test::buffer<std::int64_t> count(backend, 1);
  std::uint32_t* const null = nullptr;
  const auto p = backend.policy();
  onepass::radix_sort(p, null, null);
  onepass::radix_sort_by_key(p, null, null, null);
  onepass::double_buffer<std::uint32_t> buffers(null, null);
  onepass::radix_sort(p, buffers, 0);
  onepass::sort(p, null, null);
  onepass::stable_sort(p, null, null, test::less_tens{});
  EXPECT_EQ(onepass::split(p, null, null, null, test::is_even{}), null);
  EXPECT_EQ(onepass::split(p, null, null, null, onepass::digit{0, 8}), null);
  onepass::split_async(p, null, null, null, test::is_even{}, count.begin());
  EXPECT_EQ(count.to_host()[0], 0);
}
