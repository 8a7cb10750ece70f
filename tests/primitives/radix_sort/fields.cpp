// SPDX-License-Identifier: Apache-2.0
// Radix sorts of structs by fields that a decomposer names, and of tuples.
// This file is over 300 lines because all of them share one check.
#include <onepass/radix_sort.hpp>
#include <onepass/sort.hpp>

#include <thrust/iterator/zip_iterator.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "support/references.hpp"
#include "support/test.hpp"

namespace {

// The bytes of a key's fields in their order, the most significant one first, without those of bits outside [begin, end).
using joined = std::array<std::uint8_t, 32>;
template <class... Fields>
joined join(const std::tuple<Fields&...>& fields, const onepass::radix_options& options) {
  constexpr int bits = 8 * static_cast<int>((sizeof(Fields) + ...));
  joined bytes{};
  int at = bits;
  const auto append = [&](const auto& field) {
    for (int b = sizeof field; b-- > 0;) {
      at -= 8;
      for (int i = 0; i < 8; ++i) {
        const bool counts = at + i >= options.begin_bit && (options.end_bit < 0 || at + i < options.end_bit);
        if (counts) bytes[(bits - at) / 8 - 1] |= test::ordered_bits(field) >> (8 * b) & (test::uint128{1} << i);
      }
    }
  };
  std::apply([&](const auto&... field) { (append(field), ...); }, fields);
  return bytes;
}
template <class K, class Decomposer>
std::vector<std::size_t> order_of(std::vector<K> keys, Decomposer decompose, const onepass::radix_options& options) {
  std::vector<joined> bits(keys.size());
  std::vector<std::size_t> order(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) bits[i] = join(decompose(keys[i]), options), order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return options.descending ? bits[b] < bits[a] : bits[a] < bits[b];
  });
  return order;
}

enum class sorted { alone, with_values };  // not both for each type, as each is some kernels to compile

// The values are the keys' positions.
template <sorted what, class K, class Backend, class Decomposer>
void check(const Backend& backend, const std::vector<K>& values, Decomposer decompose,
           const onepass::radix_options& options, std::size_t shift = 0) {
  const std::vector<std::size_t> order = order_of(values, decompose, options);
  const test::buffer<K> keys(backend, values, shift);
  if constexpr (what == sorted::alone) {
    onepass::radix_sort(backend.policy(), keys.begin(), keys.end(), decompose, options);
  } else {
    std::vector<std::uint32_t> positions(values.size());
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::uint32_t>(i);
    const test::buffer<std::uint32_t> carried(backend, positions, 1);
    onepass::radix_sort_by_key(backend.policy(), keys.begin(), keys.end(), carried.begin(), decompose, options);
    EXPECT_TRUE(test::same(carried.to_host(), test::arranged(positions, order))) << "values";
  }
  EXPECT_TRUE(test::identical(keys.to_host(), test::arranged(values, order))) << "keys";
}

// Sizes around what one block sorts, several tiles; both directions; all bits, and some.
template <sorted what, class K, class Backend, class Decomposer>
void check_sizes(const Backend& backend, Decomposer decompose, std::initializer_list<onepass::radix_options> ranges) {
  for (const std::size_t n : {0, 1, 2, 33, 1024, 3072, 3073, 4096, 4097, 7168, 7169, 60013}) {
    std::vector<K> values(test::limited(n));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = K::make(test::hash(n, i));
    for (const onepass::radix_options& options : ranges) {
      SCOPED_TRACE(testing::Message() << n << " keys, bits [" << options.begin_bit << ", " << options.end_bit << ")"
                                      << (options.descending ? ", descending" : ""));
      check<what>(backend, values, decompose, options, n % 2);
    }
  }
}

// Few values of each field, so that many keys are equal; zeros of both signs, infinities and NaNs.
float special(std::uint64_t bits) {
  const float all[] = {0.0f, -0.0f, 1.5f, -1.5f, -3e38f, 1e-40f, INFINITY, -INFINITY, NAN, -NAN};
  return all[bits % 10];
}

struct event {  // 8 bytes: two fields and others between them
  float weight;
  std::int8_t other[2];
  std::int16_t kind;
  static event make(std::uint64_t bits) {
    event e{special(bits), {}, static_cast<std::int16_t>((bits >> 16) % 7 * 9000 - 27000)};
    e.other[0] = static_cast<std::int8_t>(bits >> 8), e.other[1] = static_cast<std::int8_t>(bits >> 40);
    return e;
  }
};
struct by_kind_then_weight {
  std::tuple<std::int16_t&, float&> operator()(event& e) const { return {e.kind, e.weight}; }
};

struct sample {  // 16 bytes, of which 4 are sorted by
  std::uint64_t id;
  std::int16_t low, high;
  float other;
  static sample make(std::uint64_t bits) {
    return {bits, static_cast<std::int16_t>(bits >> 8), static_cast<std::int16_t>((bits >> 30) % 3 - 1), special(bits)};
  }
};

struct point {  // 12 bytes: no integer is as large
  std::int32_t x;
  std::uint32_t id;
  float y;
  static point make(std::uint64_t bits) {
    return {static_cast<std::int32_t>(bits % 5) - 2, static_cast<std::uint32_t>(bits >> 32), special(bits >> 8)};
  }
};

struct record {  // 40 bytes, of which up to 24 are sorted by
  std::uint64_t id;
  double y;
  char text[8];
  std::int64_t x;
  std::uint32_t z, w;
  static record make(std::uint64_t bits) {
    record r{bits, special(bits), {}, static_cast<std::int64_t>(bits >> 8) % 3, static_cast<std::uint32_t>(bits % 2),
             1};
    std::memcpy(r.text, &bits, sizeof bits);
    return r;
  }
};

struct two_fields {
  float a;
  std::int32_t b;
};

std::ostream& operator<<(std::ostream& out, const event& e) { return out << e.kind << ' ' << e.weight; }
std::ostream& operator<<(std::ostream& out, const sample& s) { return out << s.high << ' ' << s.low << ' ' << s.id; }
std::ostream& operator<<(std::ostream& out, const point& p) { return out << p.y << ' ' << p.x; }
std::ostream& operator<<(std::ostream& out, const record& r) { return out << r.x << ' ' << r.y << ' ' << r.id; }
std::ostream& operator<<(std::ostream& out, const two_fields& t) { return out << t.a << ' ' << t.b; }

}  // namespace

ONEPASS_TEST(radix_sort, structs_of_8_bytes) {
  check_sizes<sorted::alone, event>(backend, by_kind_then_weight(),
                                    {{}, {true}, {false, 3, 45}, {true, 32, 48}, {false, 5, 16}, {false, 40, 40}});
}

ONEPASS_TEST(radix_sort, structs_by_few_bytes) {
  const auto decompose = [](sample& s) { return std::tie(s.high, s.low); };
  check_sizes<sorted::alone, sample>(backend, decompose, {{}, {true}, {false, 3, 29}, {true, 16, 32}});
}

// Any function object of the host will do.
ONEPASS_TEST(radix_sort, structs_of_12_bytes) {
  const auto decompose = [](point& p) { return std::tie(p.y, p.x); };
  check_sizes<sorted::with_values, point>(backend, decompose, {{}, {true}, {false, 20, 40}});
}

ONEPASS_TEST(radix_sort, structs_by_index) {
  check_sizes<sorted::with_values, record>(backend, [](record& r) { return std::tie(r.x, r.y); },
                                           {{}, {true, 30, 100}});
  check_sizes<sorted::alone, record>(backend, [](record& r) { return std::tie(r.x, r.y, r.z, r.w); },
                                     {{}, {true}, {false, 20, 40}, {false, 0, 180}});
}

// The caller's second buffers, for keys that are moved and for such as are sorted by index.
template <class K, class Backend, class Decomposer>
static void check_double_buffer(const Backend& backend, Decomposer decompose) {
  std::vector<K> values(test::limited(20011));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = K::make(test::hash(5, i));
  const std::vector<std::size_t> order = order_of(values, decompose, {});
  const test::buffer<K> a(backend, values), b(backend, values.size());
  onepass::double_buffer<K> keys(a.begin(), b.begin());
  onepass::radix_sort(backend.policy(), keys, static_cast<std::int64_t>(values.size()), decompose);
  EXPECT_TRUE(test::identical((keys.current() == a.begin() ? a : b).to_host(), test::arranged(values, order)));
}
ONEPASS_TEST(radix_sort, double_buffers_of_structs) {
  check_double_buffer<event>(backend, by_kind_then_weight());
  check_double_buffer<record>(backend, [](record& r) { return std::tie(r.x, r.y); });

  std::vector<record> values(test::limited(20011));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = record::make(test::hash(8, i));
  const auto decompose = [](record& r) { return std::tie(r.x, r.y); };
  const std::vector<std::size_t> order = order_of(values, decompose, {});
  const test::buffer<record> a(backend, values), b(backend, values.size()), c(backend, values),
      d(backend, values.size());
  onepass::double_buffer<record> keys(a.begin(), b.begin()), carried(c.begin(), d.begin());
  onepass::radix_sort_by_key(backend.policy(), keys, carried, static_cast<std::int64_t>(values.size()), decompose);
  EXPECT_TRUE(test::identical((keys.current() == a.begin() ? a : b).to_host(), test::arranged(values, order)));
  EXPECT_TRUE(test::identical((carried.current() == c.begin() ? c : d).to_host(), test::arranged(values, order)));
}

// To another array.
ONEPASS_TEST(radix_sort, copy_of_structs) {
  std::vector<record> values(test::limited(20011));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = record::make(test::hash(7, i));
  const auto decompose = [](record& r) { return std::tie(r.x, r.y); };
  const test::buffer<record> in(backend, values), out(backend, values.size());
  const auto end = onepass::radix_sort_copy(backend.policy(), in.begin(), in.end(), out.begin(), decompose);
  EXPECT_TRUE(end == out.end());
  EXPECT_TRUE(test::identical(out.to_host(), test::arranged(values, order_of(values, decompose, {}))));
  EXPECT_TRUE(test::identical(in.to_host(), values));
}

// At an address that is no multiple of the key's size.
ONEPASS_TEST(radix_sort, structs_that_are_not_aligned) {
  const std::size_t n = test::limited(20011);
  std::vector<event> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = event::make(test::hash(4, i));
  const test::buffer<std::uint32_t> memory(backend, 2 * n, 1);
  auto* first = reinterpret_cast<event*>(memory.begin());
  std::vector<std::uint32_t> words(2 * n), expected(2 * n);
  std::memcpy(words.data(), values.data(), n * sizeof(event));
  memory.assign(words);
  onepass::radix_sort(backend.policy(), first, first + n, by_kind_then_weight());
  const std::vector<event> sorted = test::arranged(values, order_of(values, by_kind_then_weight(), {}));
  std::memcpy(expected.data(), sorted.data(), n * sizeof(event));
  EXPECT_TRUE(test::same(memory.to_host(), expected));
}

// Tuples go by their fields from the first one on, also where they stand in two arrays, and by Thrust's names.
ONEPASS_TEST(radix_sort, tuples) {
  const std::size_t n = test::limited(20011);
  std::vector<float> floats(n);
  for (std::size_t i = 0; i < n; ++i) floats[i] = special(test::hash(1, i));
  const std::vector<std::int32_t> ints = test::keys<std::int32_t>(n, 2, test::pattern::few_valued);
  std::vector<two_fields> both(n);
  for (std::size_t i = 0; i < n; ++i) both[i] = {floats[i], ints[i]};
  const auto decompose = [](two_fields& t) { return std::tie(t.a, t.b); };
  const std::vector<std::size_t> order = order_of(both, decompose, {}), descending = order_of(both, decompose, {true});
  const test::buffer<float> first(backend, floats, 1);
  const test::buffer<std::int32_t> second(backend, ints);
  const auto zipped = thrust::make_zip_iterator(first.begin(), second.begin());
  onepass::radix_sort(backend.policy(), zipped, zipped + n);
  EXPECT_TRUE(test::identical(first.to_host(), test::arranged(floats, order)));
  EXPECT_TRUE(test::same(second.to_host(), test::arranged(ints, order)));

  using pair = std::pair<float, std::int32_t>;
  const test::buffer<two_fields> memory(backend, both);
  auto* keys = reinterpret_cast<pair*>(memory.begin());
  onepass::stable_sort(backend.policy(), keys, keys + n, std::greater<pair>());
  EXPECT_TRUE(test::identical(memory.to_host(), test::arranged(both, descending)));
}

// Keys and values that own memory.
struct entry {
  std::string name;
  int rank;
};
ONEPASS_CPU_TEST(radix_sort, structs_that_own_memory) {
  const std::size_t n = test::limited(20011);
  const std::vector<int> ranks = test::keys<int>(n, 3, test::pattern::few_valued);
  std::vector<entry> keys(n);
  std::vector<std::string> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = {std::to_string(i) + ", a text that is too long to lie within", ranks[i]};
    values[i] = std::to_string(i);
  }
  onepass::radix_sort_by_key(backend.policy(), keys.begin(), keys.end(), values.begin(),
                             [](entry& e) { return std::tie(e.rank); });
  const std::vector<std::size_t> order = test::sorted_order(ranks);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(keys[i].rank, ranks[order[i]]);
    ASSERT_EQ(keys[i].name.substr(0, values[i].size()), values[i]);
    ASSERT_EQ(values[i], std::to_string(order[i]));
  }
}

ONEPASS_TEST(radix_sort, bits_outside_the_fields) {
  const test::buffer<event> keys(backend, 2);
  EXPECT_TRUE(
      test::throws<onepass::invalid_argument>("onepass::radix_sort: bits [0, 49) are not within the key's 48", [&] {
        onepass::radix_sort(backend.policy(), keys.begin(), keys.end(), by_kind_then_weight(), {false, 0, 49});
      }));
}

// All have the sign bit, so that it tells none from another; and -0 has other digits than what is below it.
ONEPASS_TEST(radix_sort, structs_of_negative_floats) {
  const float below_zero[] = {-1e-45f, -0.0f, -1.0f};
  const auto decompose = [](two_fields& t) { return std::tie(t.a); };
  for (const std::size_t n : {std::size_t{2}, std::size_t{3}, test::limited(5000)}) {
    for (const std::size_t different : {2, 3}) {
      std::vector<two_fields> values(n);
      for (std::size_t i = 0; i < n; ++i)
        values[i] = {below_zero[(i + test::hash(n, i)) % different], static_cast<std::int32_t>(i)};
      for (const onepass::radix_options& options : {onepass::radix_options{}, onepass::ascending(0, 16),
                                                    onepass::ascending(16, 32), onepass::descending(0, 16)})
        check<sorted::alone>(backend, values, decompose, options);
    }
  }
}

#if ONEPASS_HAS_CUDA
// Indices of 64 bits, which calls take from 2^32 keys on.
ONEPASS_GPU_TEST(radix_sort, structs_by_wide_indices) {
  namespace detail = onepass::detail;
  std::vector<record> values(test::limited(20011));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = record::make(test::hash(6, i));
  const auto decompose = [](record& r) { return std::tie(r.x, r.y); };
  const test::buffer<record> keys(backend, values);
  detail::sort_by_index_on_cuda<record, onepass::index_t>("test", backend.policy(),
                                                          detail::sorted_in_place(keys.begin()), detail::no_range(),
                                                          static_cast<onepass::index_t>(values.size()), decompose,
                                                          onepass::radix_options{false, 0, 128}, detail::as_a_whole());
  EXPECT_TRUE(test::identical(keys.to_host(), test::arranged(values, order_of(values, decompose, {}))));
}

ONEPASS_GPU_TEST(radix_sort, fields_that_are_none) {
  static float elsewhere;
  const test::buffer<two_fields> keys(backend, 2);
  const auto sort_by = [&](auto decompose) {
    onepass::radix_sort(backend.policy(), keys.begin(), keys.end(), decompose);
  };
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::radix_sort: field 1 of the decomposer is no part", [&] {
    sort_by([](two_fields& t) { return std::tie(t.a, elsewhere); });
  }));
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::radix_sort: fields of the decomposer overlap", [&] {
    sort_by([](two_fields& t) { return std::tie(t.a, t.a); });
  }));
}
#endif
