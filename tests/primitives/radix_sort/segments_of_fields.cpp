// SPDX-License-Identifier: Apache-2.0
// Segmented sorts of keys of 128 bits, and of structs by fields that a decomposer names, which on CUDA are sorted by index as
// such keys; in place, to other ranges, and with the caller's second buffers.
#include "primitives/radix_sort/segments_fixture.hpp"

namespace {

using wide_key = test::int128;

struct record {  // 24 bytes, 12 of which are sorted by
  std::int64_t id;
  float y;
  std::int64_t x;
};
bool operator==(const record& a, const record& b) { return a.id == b.id && a.x == b.x; }
std::ostream& operator<<(std::ostream& out, const record& r) { return out << r.id << ": " << r.x << ' ' << r.y; }

const auto by_x_then_y = [](record& r) { return std::tie(r.x, r.y); };

struct two_fields {  // as a pair of them has
  std::int64_t x;
  float y;
};
bool operator==(const two_fields& a, const two_fields& b) { return a.x == b.x && a.y == b.y; }
std::ostream& operator<<(std::ostream& out, const two_fields& t) { return out << t.x << ' ' << t.y; }

// Few values of each field; zeros of both signs, which are equal.
std::vector<record> records(std::size_t n) {
  const float floats[] = {0.0f, -0.0f, 1.5f, -1.5f, -3e38f, 1e-40f};
  std::vector<record> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = test::hash(3, i);
    all[i] = {static_cast<std::int64_t>(i), floats[bits % 6], static_cast<std::int64_t>(bits >> 8) % 3};
  }
  return all;
}
std::vector<std::size_t> order_of(const std::vector<record>& values, const test::segment_list& list, bool descending) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t s = 0; s < list.begins.size(); ++s) {
    std::stable_sort(order.begin() + list.begins[s], order.begin() + list.ends[s], [&](std::size_t i, std::size_t j) {
      const record &a = values[descending ? j : i], &b = values[descending ? i : j];
      return std::tie(a.x, a.y) < std::tie(b.x, b.y);
    });
  }
  return order;
}

// Of each way of being sorted, with items between them that are in none.
test::segment_list some_segments() {
  std::vector<std::int64_t> sizes = {3, 0, 257, 40, 1, 1000, 130, 256, 1025};
  sizes.insert(sizes.end(), {test::small_only() ? 2049 : 7000, 77});
  return test::segment_list(sizes, 1);
}
test::segment_list many_segments() { return test::segment_list(test::among_many({7000, 300, 40, 2049})); }

}  // namespace

ONEPASS_TEST(segmented_sort, int128_keys) {
  for (const test::segment_list& list : {some_segments(), many_segments()}) {
    const auto n = static_cast<std::size_t>(list.n);
    for (const test::pattern p : {test::pattern::uniform, test::pattern::few_valued}) {
      for (const onepass::radix_options& options : {onepass::radix_options{}, {true}, {false, 60, 70}}) {
        test::check_segments_of_pairs<std::uint32_t>(backend, test::keys<wide_key>(n, 1, p), list, options);
      }
    }
  }
}

ONEPASS_TEST(segmented_sort, structs) {
  for (const test::segment_list& list : {some_segments(), many_segments()}) {
    const std::vector<record> values = records(static_cast<std::size_t>(list.n));
    const test::buffer<std::int64_t> begins(backend, list.begins), ends(backend, list.ends);
    const auto segments = onepass::segments(begins.begin(), begins.end(), ends.begin());
    for (const bool descending : {false, true}) {
      const std::vector<std::size_t> order = order_of(values, list, descending);
      const test::buffer<record> keys(backend, values), carried(backend, values);
      onepass::segmented_sort_by_key(backend.policy(), keys.begin(), keys.end(), carried.begin(), segments, by_x_then_y,
                                     {descending});
      EXPECT_TRUE(test::same(keys.to_host(), test::arranged(values, order)));
      EXPECT_TRUE(test::same(carried.to_host(), test::arranged(values, order)));
      keys.assign(values);
      onepass::segmented_sort(backend.policy(), keys.begin(), keys.end(), segments, by_x_then_y, {descending});
      EXPECT_TRUE(test::same(keys.to_host(), test::arranged(values, order)));
    }
  }
}

// By all of their fields, from the first one on.
ONEPASS_TEST(segmented_sort, tuples) {
  using pair = std::pair<std::int64_t, float>;
  static_assert(sizeof(pair) == sizeof(two_fields));
  const test::segment_list list = many_segments();
  const std::vector<record> values = records(static_cast<std::size_t>(list.n));
  std::vector<two_fields> pairs(values.size());
  std::transform(values.begin(), values.end(), pairs.begin(), [](const record& r) { return two_fields{r.x, r.y}; });
  const test::buffer<two_fields> memory(backend, pairs);
  const test::buffer<std::int64_t> begins(backend, list.begins), ends(backend, list.ends);
  auto* const keys = reinterpret_cast<pair*>(memory.begin());
  onepass::segmented_sort(backend.policy(), keys, keys + list.n,
                          onepass::segments(begins.begin(), begins.end(), ends.begin()));
  EXPECT_TRUE(test::same(memory.to_host(), test::arranged(pairs, order_of(values, list, false))));
}

ONEPASS_TEST(segmented_sort, copy) {
  const test::segment_list list = some_segments();
  const auto n = static_cast<std::size_t>(list.n);
  const auto keys = test::keys<wide_key>(n, 1, test::pattern::few_valued);
  const std::vector<std::uint32_t> values = test::numbered<std::uint32_t>(n);
  const std::vector<std::size_t> order = test::segmented_order(keys, list, {});
  const test::buffer<std::int64_t> begins(backend, list.begins), ends(backend, list.ends);
  const auto segments = onepass::segments(begins.begin(), begins.end(), ends.begin());
  const test::buffer<wide_key> in(backend, keys), out(backend, n);
  const test::buffer<std::uint32_t> with(backend, values), with_out(backend, n, 1);
  const auto end = onepass::segmented_sort_by_key_copy(backend.policy(), in.begin(), in.end(), with.begin(),
                                                       out.begin(), with_out.begin(), segments);
  EXPECT_TRUE(end.first == out.end() && end.second == with_out.end());
  EXPECT_TRUE(test::identical(in.to_host(), keys) && test::same(with.to_host(), values));
  EXPECT_TRUE(test::identical(out.to_host(), test::arranged(keys, order)));
  EXPECT_TRUE(test::same(with_out.to_host(), test::arranged(values, order)));

  const std::vector<record> structs = records(n);
  const test::buffer<record> structs_in(backend, structs), structs_out(backend, n);
  EXPECT_TRUE(structs_out.end() == onepass::segmented_sort_copy(backend.policy(), structs_in.begin(), structs_in.end(),
                                                                structs_out.begin(), segments, by_x_then_y));
  EXPECT_TRUE(test::same(structs_in.to_host(), structs));
  EXPECT_TRUE(test::same(structs_out.to_host(), test::arranged(structs, order_of(structs, list, false))));

  std::int64_t* const within = reinterpret_cast<std::int64_t*>(out.begin());
  EXPECT_TRUE(
      test::throws<onepass::invalid_argument>("onepass::segmented_sort_by_key_copy: out overlaps the offsets", [&] {
        onepass::segmented_sort_by_key_copy(backend.policy(), in.begin(), in.end(), with.begin(), out.begin(),
                                            with_out.begin(), onepass::offsets(within, within + 3));
      }));
}
