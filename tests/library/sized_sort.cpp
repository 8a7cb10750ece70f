// SPDX-License-Identifier: Apache-2.0
// Sorts and selections of ranges whose size stands in memory.
#include "library/sized.hpp"

namespace {

using test::array;
using test::bytes_of_all;
using test::dice;
using test::drawn_sizes;
using test::expect_as_many;
using test::in_rounds;
using test::room_and_size;

template <class K>
void sorts(const library::execution& where, dice& draw) {
  const room_and_size of = drawn_sizes(draw);
  const array<K> keys(where, test::keys<K>(of.room, draw.bits(), test::all_patterns[draw.below(6)]));
  const library::radix_options options{draw.coin()};
  expect_as_many(where, of, "sorts", [&](const auto& e, std::size_t n) {
    const array<K> alone(e, keys.items()), with_narrow(e, keys.items()), with_wide(e, keys.items());
    const array<std::int32_t> narrow(e, test::counted<std::int32_t>(of.room)), order(e, of.room);
    const array<std::int64_t> wide(e, test::counted<std::int64_t>(of.room)), wide_order(e, of.room);
    library::radix_sort<K>(e, alone, n, options);
    library::radix_sort_by_key<K, std::int32_t>(e, with_narrow, n, narrow, options);
    library::radix_sort_by_key<K, std::int64_t>(e, with_wide, n, wide, options);
    library::argsort<K, std::int32_t>(e, keys, n, order, options);
    library::argsort<K, std::int64_t>(e, keys, n, wide_order, options);
    return bytes_of_all(alone, with_narrow, with_wide, narrow, order, wide, wide_order);
  });
  if constexpr (std::is_integral_v<K>) {
    expect_as_many(where, of, "split", [&](const auto& e, std::size_t n) {
      const array<K> out(e, of.room);
      library::split<K>(e, keys, n, out, {1, 5});
      return bytes_of_all(out);
    });
  }
  const auto starts = test::segment_starts(of.room, draw.bits(), 1 + draw.below(300));
  const array<std::int64_t> first(where, starts);
  const auto length = static_cast<std::int64_t>(1 + draw.below(of.room + 9));
  const auto segments = [&](const char* what, const auto& by) {
    expect_as_many(where, of, what, [&](const auto& e, std::size_t n) {
      const array<K> alone(e, keys.items()), with_values(e, keys.items());
      const array<std::int32_t> values(e, test::counted<std::int32_t>(of.room));
      library::segmented_sort<K>(e, alone, n, by, options);
      library::segmented_sort_by_key<K, std::int32_t>(e, with_values, n, values, by, options);
      return bytes_of_all(alone, with_values, values);
    });
  };
  segments("segmented sorts by offsets", library::offsets{first, starts.size()});
  segments("sorts of rows", library::rows{length});
}
LIBRARY_TEST(library_sized_sort, sorts) {
  in_rounds([&](dice& draw) {
    sorts<std::uint8_t>(where, draw);
    sorts<std::int32_t>(where, draw);
    sorts<float>(where, draw);
    sorts<std::uint64_t>(where, draw);
  });
}

template <class K>
void selections(const library::execution& where, dice& draw) {
  const room_and_size of = drawn_sizes(draw);
  const array<K> keys(where, test::keys<K>(of.room, draw.bits(), test::all_patterns[draw.below(6)]));
  const array<double> values(where, test::counted<double>(of.room));
  const library::top_k_options options{draw.coin(), draw.coin()};
  const std::size_t k = draw.below(of.room + 1);
  expect_as_many(where, of, "top_k", [&](const auto& e, std::size_t n) {
    const std::size_t taken = std::min(k, n);
    const array<K> out(e, k), out_keys(e, k), beside(e, k);
    const array<double> out_values(e, k);
    const array<std::int64_t> indices(e, k);
    library::top_k<K>(e, keys, n, taken, out, options);
    library::top_k<K, std::int64_t>(e, keys, n, taken, beside, indices, options);
    library::top_k_by_key<K, double>(e, keys, n, values, taken, out_keys, out_values, options);
    return bytes_of_all(out, out_keys, beside, out_values, indices);
  });
  const std::size_t length = 1 + draw.below(of.room + 9), rows = (of.room + length - 1) / length;
  const std::size_t of_row = draw.below(std::min<std::size_t>(length, 300) + 1), rank = draw.below(length);
  const auto starts = test::segment_starts(of.room, draw.bits(), 1 + draw.below(100));
  const array<std::int64_t> first(where, starts);
  const auto segments = [&](const char* what, const auto& by, std::size_t count) {
    expect_as_many(where, of, what, [&](const auto& e, std::size_t n) {
      const array<K> out(e, count * of_row), ranked(e, count);
      const array<std::int32_t> indices(e, count * of_row);
      library::top_k<K>(e, keys, n, by, of_row, out, static_cast<std::int32_t*>(indices), options);
      library::nth_element<K>(e, keys, n, by, rank, ranked);
      return bytes_of_all(out, indices, ranked);
    });
  };
  segments("of rows", library::rows{static_cast<std::int64_t>(length)}, rows);
  segments("of offsets", library::offsets{first, starts.size()}, std::max<std::size_t>(starts.size(), 1) - 1);
  if (of.room == 0) return;
  const std::size_t item = draw.below(of.room);
  expect_as_many(where, of, "nth_element", [&](const auto& e, std::size_t n) {
    const array<K> out(e, 1);
    if (item < n) library::nth_element<K>(e, keys, n, item, out);
    return bytes_of_all(out);
  });
}
LIBRARY_TEST(library_sized_sort, selections) {
  in_rounds([&](dice& draw) {
    selections<std::int8_t>(where, draw);
    selections<float>(where, draw);
    selections<std::uint64_t>(where, draw);
  });
}

}  // namespace
