// SPDX-License-Identifier: Apache-2.0
// reduce_by_key, run_length_encode and segmented_reduce: every form of the calls, with their defaults.
#include <onepass/segmented_reduce.hpp>

#include <thrust/memory.h>

#include <vector>

#include "support/execution.hpp"
#include "support/operators.hpp"
#include "support/test.hpp"

namespace {

// With and without a policy, an operator, an equality and an initial value.
ONEPASS_TEST(reduce_by_key, overloads) {
  const std::vector<int> keys{7, 7, 3, 3, 3, 7}, values{1, 2, 3, 4, 5, 6};
  const test::buffer<int> k(backend, keys), v(backend, values), out_keys(backend, 6), out(backend, 6);
  const auto expect = [&](auto ends, const std::vector<int>& results) {
    EXPECT_EQ(thrust::raw_pointer_cast(ends.second) - out.begin(), 3);
    EXPECT_EQ(thrust::raw_pointer_cast(ends.first) - out_keys.begin(), 3);
    EXPECT_TRUE(test::same(out_keys.to_host(3), {7, 3, 7}));
    EXPECT_TRUE(test::same(out.to_host(3), results));
    out.poison_all();
  };
  const auto at = [&](const test::buffer<int>& b) { return backend.tagged(b.begin()); };
  const auto p = backend.policy();
  expect(onepass::reduce_by_key(at(k), at(k) + 6, at(v), at(out_keys), at(out)), {3, 12, 6});
  expect(onepass::reduce_by_key(at(k), at(k) + 6, at(v), at(out_keys), at(out), test::same_value{}), {3, 12, 6});
  expect(onepass::reduce_by_key(at(k), at(k) + 6, at(v), at(out_keys), at(out), test::same_value{}, onepass::maximum{}),
         {2, 5, 6});
  expect(onepass::reduce_by_key(p, k.begin(), k.end(), v.begin(), out_keys.begin(), out.begin()), {3, 12, 6});
  expect(onepass::reduce_by_key(p, k.begin(), k.end(), v.begin(), out_keys.begin(), out.begin(), test::same_value{}),
         {3, 12, 6});
  const test::buffer<onepass::index_t> count(backend, 1);
  onepass::index_t* const to = count.begin();
  const auto expect_async = [&](const std::vector<int>& results) {
    EXPECT_EQ(count.to_host()[0], 3);
    EXPECT_TRUE(test::same(out_keys.to_host(3), {7, 3, 7}));
    EXPECT_TRUE(test::same(out.to_host(3), results));
    out.poison_all();
    count.poison_all();
  };
  const test::same_value equal;
  onepass::reduce_by_key_async(at(k), at(k) + 6, at(v), at(out_keys), at(out), to);
  expect_async({3, 12, 6});
  onepass::reduce_by_key_async(at(k), at(k) + 6, at(v), at(out_keys), at(out), equal, to);
  expect_async({3, 12, 6});
  onepass::reduce_by_key_async(at(k), at(k) + 6, at(v), at(out_keys), at(out), equal, onepass::maximum{}, to);
  expect_async({2, 5, 6});
  onepass::reduce_by_key_async(p, k.begin(), k.end(), v.begin(), out_keys.begin(), out.begin(), to);
  expect_async({3, 12, 6});
  onepass::reduce_by_key_async(p, k.begin(), k.end(), v.begin(), out_keys.begin(), out.begin(), equal, to);
  expect_async({3, 12, 6});
  expect(onepass::run_length_encode(at(k), at(k) + 6, at(out_keys), at(out)), {2, 3, 1});
  expect(onepass::run_length_encode(p, k.begin(), k.end(), out_keys.begin(), out.begin()), {2, 3, 1});

  const test::buffer<int> begins(backend, std::vector<int>{1, 4, 4, 6}),
      flags(backend, std::vector<int>{0, 0, 1, 0, 1, 0});
  onepass::segmented_reduce(at(v), at(v) + 6, onepass::offsets(at(begins), at(begins) + 4), at(out), 100,
                            onepass::sum{});
  EXPECT_TRUE(test::same(out.to_host(3), {109, 100, 111}));
  onepass::segmented_reduce(at(v), at(v) + 6, at(flags), at(out), onepass::maximum{});
  EXPECT_TRUE(test::same(out.to_host(3), {2, 4, 6}));

  // Sums, where nothing else is said; by offsets from nothing.
  const auto offsets = onepass::offsets(begins.begin(), begins.end());
  const auto expect_sums = [&](const std::vector<int>& sums) {
    EXPECT_TRUE(test::same(out.to_host(3), sums));
    out.poison_all();
  };
  onepass::segmented_reduce(p, v.begin(), v.end(), flags.begin(), out.begin());
  expect_sums({3, 7, 11});
  onepass::segmented_reduce(at(v), at(v) + 6, at(flags), at(out));
  expect_sums({3, 7, 11});
  onepass::segmented_reduce_async(p, v.begin(), v.end(), flags.begin(), out.begin(), to);
  EXPECT_EQ(count.to_host()[0], 3);
  expect_sums({3, 7, 11});
  onepass::segmented_reduce_async(at(v), at(v) + 6, at(flags), at(out), to);
  EXPECT_EQ(count.to_host()[0], 3);
  expect_sums({3, 7, 11});
  onepass::segmented_reduce(p, v.begin(), v.end(), offsets, out.begin(), 100);
  expect_sums({109, 100, 111});
  onepass::segmented_reduce(at(v), at(v) + 6, onepass::offsets(at(begins), at(begins) + 4), at(out), 100);
  expect_sums({109, 100, 111});
  onepass::segmented_reduce(p, v.begin(), v.end(), offsets, out.begin());
  expect_sums({9, 0, 11});
  onepass::segmented_reduce(at(v), at(v) + 6, onepass::offsets(at(begins), at(begins) + 4), at(out));
  expect_sums({9, 0, 11});
}

}  // namespace

// Offsets of any integer type, up to the largest one: what lies behind all items ends there.
template <class Offset, class Backend>
void check_largest_offset(const Backend& backend, Offset largest) {
  const test::buffer<int> in(backend, std::vector<int>{1, 2, 3, 4}), out(backend, 4);
  const test::buffer<Offset> offsets(backend, std::vector<Offset>{0, 2, largest, largest, largest});
  onepass::segmented_reduce(backend.policy(), in.begin(), in.end(), onepass::offsets(offsets.begin(), offsets.end()),
                            out.begin(), 10);
  EXPECT_TRUE(test::same(out.to_host(), {13, 17, 10, 10})) << sizeof(Offset) << " bytes";
}
ONEPASS_TEST(segmented_reduce_by_offsets, as_large_as_can_be) {
  const std::uint64_t sign = std::uint64_t{1} << 63;
  for (const std::uint64_t large : {sign - 1, sign, ~std::uint64_t{0}}) check_largest_offset(backend, large);
  check_largest_offset<std::uint8_t>(backend, 255);
  check_largest_offset<std::int16_t>(backend, 32767);
  check_largest_offset<std::uint32_t>(backend, ~std::uint32_t{0});
  check_largest_offset<std::int64_t>(backend, static_cast<std::int64_t>(sign - 1));
}
#ifdef __SIZEOF_INT128__
ONEPASS_CPU_TEST(segmented_reduce_by_offsets, of_128_bits) {
  __extension__ using wide = __int128;
  __extension__ using unsigned_wide = unsigned __int128;
  check_largest_offset(backend, wide{1} << 64);
  check_largest_offset(backend, unsigned_wide{1} << 64);
  check_largest_offset(backend, ~unsigned_wide{0});
}
#endif
