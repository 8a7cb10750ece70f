// SPDX-License-Identifier: Apache-2.0
// Scans, compactions, reductions and histograms of ranges whose size stands in memory.
#include "library/sized.hpp"

namespace {

using test::array;
using test::bytes_of_all;
using test::dice;
using test::drawn_sizes;
using test::expect_as_many;
using test::in_rounds;
using test::room_and_size;

template <class T>
void scans(const library::execution& where, dice& draw) {
  const room_and_size of = drawn_sizes(draw);
  const library::op by = draw.op(std::is_integral_v<T>);
  const array<T> in(where, test::operands<T>(of.room, draw.bits(), by));
  const T init = by == library::op::product ? T(-1) : T(5);
  expect_as_many(where, of, "inclusive", [&](const auto& e, std::size_t n) {
    const array<T> out(e, of.room), with_init(e, of.room);
    library::inclusive_scan<T>(e, in, n, out, by);
    library::inclusive_scan<T>(e, in, n, with_init, init, by);
    return bytes_of_all(out, with_init);
  });
  expect_as_many(where, of, "exclusive, in place", [&](const auto& e, std::size_t n) {
    const array<T> all(e, in.items());
    library::exclusive_scan<T>(e, all, n, all, init, by);
    return bytes_of_all(all);
  });
}

LIBRARY_TEST(library_sized, scans) {
  in_rounds(
      [&](dice& draw) { test::for_each_type([&](auto tag) { scans<typename decltype(tag)::type>(where, draw); }); });
}

LIBRARY_TEST(library_sized, wide_sums) {
  in_rounds([&](dice& draw) {
    const room_and_size of = drawn_sizes(draw);
    const array<std::int8_t> in(where, test::random_values<std::int8_t>(of.room, draw.bits()));
    expect_as_many(where, of, "wide sums", [&](const auto& e, std::size_t n) {
      const array<std::int64_t> inclusive(e, of.room), exclusive(e, of.room);
      library::inclusive_wide_sum<std::int8_t>(e, in, n, inclusive, 3);
      library::exclusive_wide_sum<std::int8_t>(e, in, n, exclusive, 3);
      return bytes_of_all(inclusive, exclusive);
    });
  });
}

template <class K, class T>
void scans_by_key(const library::execution& where, dice& draw) {
  const room_and_size of = drawn_sizes(draw);
  const auto starts = test::segment_starts(of.room, draw.bits(), 1 + draw.below(100));
  const array<K> keys(where, test::keys_of<K>(starts, of.room, draw.bits()));
  const array<T> in(where, test::operands<T>(of.room, draw.bits(), library::op::sum));
  expect_as_many(where, of, "by key", [&](const auto& e, std::size_t n) {
    const array<T> inclusive(e, of.room), exclusive(e, of.room);
    library::inclusive_scan_by_key<K, T>(e, keys, n, in, inclusive);
    library::exclusive_scan_by_key<K, T>(e, keys, n, in, exclusive, T(2));
    return bytes_of_all(inclusive, exclusive);
  });
}
LIBRARY_TEST(library_sized, scans_by_key) {
  in_rounds([&](dice& draw) {
    scans_by_key<std::int8_t, std::int32_t>(where, draw);
    scans_by_key<std::uint16_t, float>(where, draw);
    scans_by_key<std::int32_t, double>(where, draw);
    scans_by_key<std::uint64_t, std::int16_t>(where, draw);
  });
}

LIBRARY_TEST(library_sized, segmented_scans) {
  in_rounds([&](dice& draw) {
    const room_and_size of = drawn_sizes(draw);
    const auto starts = test::segment_starts(of.room, draw.bits(), 1 + draw.below(100));
    const array<std::int32_t> in(where, test::random_values<std::int32_t>(of.room, draw.bits()));
    const array<std::uint8_t> flags(where, test::flags_at(starts, of.room));
    const array<std::int64_t> first(where, starts);
    const auto length = static_cast<std::int64_t>(1 + draw.below(of.room + 9)),
               width = static_cast<std::int64_t>(1 + draw.below(40));
    const auto by = [&](const char* what, const auto& heads) {
      expect_as_many(where, of, what, [&](const auto& e, std::size_t n) {
        const array<std::int32_t> inclusive(e, of.room), exclusive(e, of.room);
        library::inclusive_segmented_scan<std::int32_t>(e, in, n, heads, inclusive);
        library::exclusive_segmented_scan<std::int32_t>(e, in, n, heads, exclusive, 2, library::op::bit_xor);
        return bytes_of_all(inclusive, exclusive);
      });
    };
    by("by flags", static_cast<const std::uint8_t*>(flags));
    by("by offsets", library::offsets{first, starts.size()});
    by("of rows", library::rows{length});
    by("of columns", library::columns{width});
    by("of columns with a height", library::columns{width, length});
  });
}

// From the end: the size is of whole rows.
LIBRARY_TEST(library_sized, reverse_sums_and_recurrences) {
  in_rounds([&](dice& draw) {
    const std::size_t width = 1 + draw.below(3) * draw.below(20), height = 1 + draw.below(200);
    const room_and_size of = drawn_sizes(draw, width * height);
    const array<float> a(where, test::random_between<float>(of.room, draw.bits(), 0, 1)),
        b(where, test::random_between<float>(of.room, draw.bits(), -8, 8));
    const auto rows = library::rows{static_cast<std::int64_t>(width * height)};
    expect_as_many(where, of, "reverse sums", [&](const auto& e, std::size_t n) {
      const array<float> of_rows(e, of.room), of_all(e, of.room), in_place(e, b.items());
      library::reverse_sum<float>(e, b, n, rows, of_rows);
      library::reverse_sum<float>(e, b, n, library::rows{static_cast<std::int64_t>(of.room) + 1}, of_all);
      library::reverse_sum<float>(e, in_place, n, rows, in_place);
      return bytes_of_all(of_rows, of_all, in_place);
    });
    const library::columns columns{static_cast<std::int64_t>(width), static_cast<std::int64_t>(height)};
    for (const bool reverse : {false, true}) {
      for (const bool next_factor : {false, true}) {
        const library::recurrence_options options{reverse, next_factor};
        expect_as_many(where, of, "recurrences", [&](const auto& e, std::size_t n) {
          const array<float> of_rows(e, of.room), of_columns(e, of.room);
          library::linear_recurrence<float>(e, a, b, n, rows, of_rows, options);
          library::linear_recurrence<float>(e, a, b, n, columns, of_columns, options);
          return bytes_of_all(of_rows, of_columns);
        });
      }
    }
  });
}

template <class T>
void compactions(const library::execution& where, dice& draw) {
  const room_and_size of = drawn_sizes(draw);
  const std::vector<std::uint8_t> keep = test::random_flags(of.room, draw.bits(), 0.3);
  const array<std::uint8_t> flags(where, keep);
  const array<T> in(where, test::random_values<T>(of.room, draw.bits()));
  expect_as_many(where, of, "compact", [&](const auto& e, std::size_t n) {
    const array<T> out(e, of.room), later(e, of.room);
    const array<std::int64_t> count(e, 1), indices(e, of.room),
        counts(where, std::vector<std::int64_t>{static_cast<std::int64_t>(library::compact<T>(e, in, n, flags, out)),
                                                static_cast<std::int64_t>(library::count_flags(e, flags, n)),
                                                static_cast<std::int64_t>(library::positions(e, flags, n, indices))});
    library::compact_async<T>(e, in, n, flags, later, count);
    return bytes_of_all(out, later, count, indices, counts);
  });
  expect_as_many(where, of, "partition", [&](const auto& e, std::size_t n) {
    const array<T> out(e, of.room), others(e, of.room), out_later(e, of.room), others_later(e, of.room);
    const array<std::int64_t> count(e, 1),
        counts(where, std::vector<std::int64_t>{
                          static_cast<std::int64_t>(library::stable_partition_copy<T>(e, in, n, flags, out, others))});
    library::stable_partition_copy_async<T>(e, in, n, flags, out_later, others_later, count);
    return bytes_of_all(out, others, out_later, others_later, count, counts);
  });
}
LIBRARY_TEST(library_sized, compactions) {
  in_rounds([&](dice& draw) {
    compactions<std::int8_t>(where, draw);
    compactions<std::int32_t>(where, draw);
    compactions<double>(where, draw);
  });
}

// An output that gets nothing may be null, whatever the flags behind the size say.
LIBRARY_TEST(library_sized, nothing_kept_within_the_size) {
  const array<std::uint8_t> flags(where, std::vector<std::uint8_t>{0, 0, 0, 1, 1});
  const array<int> in(where, std::vector<int>{1, 2, 3, 4, 5});
  const array<std::int64_t> size(where, std::vector<std::int64_t>{3});
  EXPECT_EQ(library::compact<int>(where.sized_by(size), in, 5, flags, nullptr), 0u);
  const array<std::uint8_t> all(where, std::vector<std::uint8_t>{1, 7, 1, 0, 0});
  const array<int> out(where, 3);
  EXPECT_EQ(library::stable_partition_copy<int>(where.sized_by(size), in, 5, all, out, nullptr), 3u);
}

template <class T>
void runs(const library::execution& where, dice& draw) {
  const room_and_size of = drawn_sizes(draw);
  const auto starts = test::segment_starts(of.room, draw.bits(), 1 + draw.below(60));
  const array<T> keys(where, test::keys_of<T>(starts, of.room, draw.bits()));
  const array<std::int32_t> values(where, test::random_values<std::int32_t>(of.room, draw.bits()));
  expect_as_many(where, of, "unique", [&](const auto& e, std::size_t n) {
    const array<T> out(e, of.room), out_keys(e, of.room), in_place(e, keys.items()), lengths_of(e, of.room);
    const array<std::int32_t> out_values(e, of.room);
    const array<std::int64_t> count(e, 1), lengths(e, of.room),
        counts(where, std::vector<std::int64_t>{
                          static_cast<std::int64_t>(library::unique_copy<T>(e, keys, n, out)),
                          static_cast<std::int64_t>(
                              library::unique_by_key_copy<T, std::int32_t>(e, keys, n, values, out_keys, out_values)),
                          static_cast<std::int64_t>(library::run_length_encode<T>(e, keys, n, lengths_of, lengths))});
    library::unique_async<T>(e, in_place, n, count);
    return bytes_of_all(out, out_keys, out_values, lengths_of, lengths, count, counts);
  });
  if constexpr (std::is_integral_v<T>) {
    expect_as_many(where, of, "reduce by key", [&](const auto& e, std::size_t n) {
      const array<T> out_keys(e, of.room), later_keys(e, of.room);
      const array<std::int32_t> out_values(e, of.room), later_values(e, of.room);
      const array<std::int64_t> count(e, 1),
          counts(where, std::vector<std::int64_t>{static_cast<std::int64_t>(
                            library::reduce_by_key<T, std::int32_t>(e, keys, n, values, out_keys, out_values))});
      library::reduce_by_key_async<T, std::int32_t>(e, keys, n, values, later_keys, later_values, count,
                                                    library::op::maximum);
      return bytes_of_all(out_keys, later_keys, out_values, later_values, count, counts);
    });
  }
}
LIBRARY_TEST(library_sized, runs) {
  in_rounds([&](dice& draw) {
    runs<std::uint8_t>(where, draw);
    runs<std::int32_t>(where, draw);
    runs<double>(where, draw);
  });
}

// Rows and segments behind the size have no items, so their results are the initial value.
LIBRARY_TEST(library_sized, segmented_reductions) {
  in_rounds([&](dice& draw) {
    const room_and_size of = drawn_sizes(draw);
    auto starts = test::segment_starts(of.room, draw.bits(), 1 + draw.below(100));
    starts.push_back(static_cast<std::int64_t>(of.room));
    const array<std::int64_t> first(where, starts);
    const array<std::int32_t> in(where, test::random_values<std::int32_t>(of.room, draw.bits()));
    expect_as_many(where, of, "by offsets", [&](const auto& e, std::size_t n) {
      const array<std::int32_t> out(e, starts.size() - 1);
      library::segmented_reduce<std::int32_t>(e, in, n, library::offsets{first, starts.size()}, out, 7);
      return bytes_of_all(out);
    });
    const std::size_t length = 1 + draw.below(of.room + 9), rows = (of.room + length - 1) / length;
    const library::rows by{static_cast<std::int64_t>(length)};
    const array<std::int64_t> size(where, std::vector<std::int64_t>{of.stated});
    const array<std::int32_t> expected(where, std::vector<std::int32_t>(rows, 7)), found(where, rows);
    library::segmented_reduce<std::int32_t>(where, in, of.used, by, expected, 7);
    library::segmented_reduce<std::int32_t>(where.sized_by(size), in, of.room, by, found, 7);
    EXPECT_EQ(expected.items(), found.items()) << "rows of " << length << ", room " << of.room << ", size " << of.used;
  });
}

LIBRARY_TEST(library_sized, histograms) {
  in_rounds([&](dice& draw) {
    const room_and_size of = drawn_sizes(draw);
    const array<std::int32_t> in(where, test::random_between<std::int32_t>(of.room, draw.bits(), -50, 50));
    const array<float> floats(where, test::random_between<float>(of.room, draw.bits(), -8, 8));
    const array<float> edges(where, std::vector<float>{-8, -2, 0, 1, 9});
    expect_as_many(where, of, "histograms", [&](const auto& e, std::size_t n) {
      const array<std::int64_t> by_value(e, 60), even(e, 5), between(e, 4);
      library::histogram<std::int32_t>(e, in, n, library::value_bins{-30, 30}, by_value);
      library::histogram<float>(e, floats, n, library::even_bins{-4, 6, 5}, even);
      library::histogram<float>(e, floats, n, edges, edges.size(), between);
      return bytes_of_all(by_value, even, between);
    });
  });
}

LIBRARY_TEST(library_sized, a_count_is_not_where_the_size_is) {
  const array<std::uint8_t> flags(where, std::vector<std::uint8_t>{1, 0, 1});
  const array<int> in(where, std::vector<int>{1, 2, 3}), out(where, 3), values(where, 3);
  const array<std::int64_t> size(where, std::vector<std::int64_t>{2}), indices(where, 3);
  const library::execution sized = where.sized_by(size);
  using onepass::invalid_argument;
  EXPECT_THROW(library::compact_async<int>(sized, in, 3, flags, out, size), invalid_argument);
  EXPECT_THROW(library::stable_partition_copy_async<int>(sized, in, 3, flags, out, values, size), invalid_argument);
  EXPECT_THROW(library::positions_async(sized, flags, 3, indices, size), invalid_argument);
  EXPECT_THROW(library::unique_copy_async<int>(sized, in, 3, out, size), invalid_argument);
  EXPECT_THROW((library::unique_by_key_copy_async<int, int>(sized, in, 3, in, out, values, size)), invalid_argument);
  EXPECT_THROW(library::run_length_encode_async<int>(sized, in, 3, out, indices, size), invalid_argument);
  EXPECT_THROW((library::reduce_by_key_async<int, int>(sized, in, 3, in, out, values, size)), invalid_argument);
  EXPECT_TRUE(out.untouched() && values.untouched() && indices.untouched());
  EXPECT_EQ(size.items(), std::vector<std::int64_t>{2});
  library::compact_async<int>(sized.sized_by(nullptr), in, 3, flags, out, size);
  EXPECT_EQ(size.items(), std::vector<std::int64_t>{2});  // two of all three
}

// The count of one call is the size of the next, and nothing waits between them.
LIBRARY_TEST(library_sized, chains) {
  const std::size_t n = 100000;
  const std::vector<float> all = test::random_between<float>(n, 5, -1000, 1000);
  const std::vector<std::uint8_t> keep = test::random_flags(n, 6, 0.4);
  const array<float> in(where, all), kept(where, n), sums(where, n);
  const array<std::uint8_t> flags(where, keep);
  const array<std::int64_t> count(where, 1);
  library::compact_async<float>(where, in, n, flags, kept, count);
  const library::execution sized = where.sized_by(count);
  library::radix_sort<float>(sized, kept, n);
  library::inclusive_scan<float>(sized, kept, n, sums, library::op::maximum);
  std::vector<float> expected = test::kept(all, keep);
  std::sort(expected.begin(), expected.end());
  EXPECT_TRUE(test::identical(sums.items(expected.size()), expected));
}

}  // namespace
