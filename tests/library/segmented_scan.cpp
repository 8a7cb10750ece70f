// SPDX-License-Identifier: Apache-2.0
// The library's segmented scans: by keys, by head flags, by offsets.
#include "library/fixture.hpp"

namespace {

// Segments of a few lengths, as flags and as offsets.
struct segments {
  segments(std::size_t n, std::size_t mean)
      : starts(test::segment_starts(n, 21, mean)), flags(test::flags_at(starts, n)) {}
  std::vector<std::int64_t> starts;
  std::vector<std::uint8_t> flags;
};

template <class T>
T initial_value(library::op by) {
  return by == library::op::product ? T(-1) : T(5);
}

}  // namespace

LIBRARY_TEST(library_segmented_scan, flags_and_offsets) {
  test::for_each_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const library::op by : test::operators<T>()) {
      for (const std::size_t n : test::few_sizes()) {
        SCOPED_TRACE(testing::Message() << "n " << n << ", operator " << static_cast<int>(by) << ", bytes "
                                        << sizeof(T));
        const segments s(n, n % 2 == 0 ? 7 : 0);
        const std::vector<T> values = test::operands<T>(n, 18, by);
        const test::applied<T> op{by};
        const T init = initial_value<T>(by);
        const test::array<T> in(where, values), out(where, n), exclusive(where, n);
        const test::array<std::uint8_t> flags(where, s.flags);
        const test::array<std::int64_t> starts(where, s.starts);
        const std::uint8_t* heads = flags;
        const library::offsets rows{starts, starts.size()};
        const std::vector<T> expected = test::inclusive_segmented_reference(values, s.flags, op);
        const std::vector<T> expected_exclusive = test::exclusive_segmented_reference(values, s.flags, init, op);
        library::inclusive_segmented_scan<T>(where, in, n, heads, out, by);
        library::exclusive_segmented_scan<T>(where, in, n, heads, exclusive, init, by);
        EXPECT_TRUE(test::same(out.items(), expected)) << "by flags";
        EXPECT_TRUE(test::same(exclusive.items(), expected_exclusive)) << "by flags";
        const test::array<T> again(where, n), exclusive_again(where, n);
        library::inclusive_segmented_scan<T>(where, in, n, rows, again, by);
        library::exclusive_segmented_scan<T>(where, in, n, rows, exclusive_again, init, by);
        EXPECT_TRUE(test::same(again.items(), expected)) << "by offsets";
        EXPECT_TRUE(test::same(exclusive_again.items(), expected_exclusive)) << "by offsets";
      }
    }
  });
}

LIBRARY_TEST(library_segmented_scan, keys_of_all_integers) {
  constexpr std::size_t n = 30011;
  const segments s(n, 0);
  test::for_each_type([&](auto key_tag) {
    using K = typename decltype(key_tag)::type;
    if constexpr (std::is_integral_v<K>) {
      const test::array<K> keys(where, test::keys_of<K>(s.starts, n, 8));
      test::for_each_type([&](auto tag) {
        using T = typename decltype(tag)::type;
        for (const library::op by : test::operators<T>()) {
          SCOPED_TRACE(testing::Message()
                       << "operator " << static_cast<int>(by) << ", bytes " << sizeof(K) << ' ' << sizeof(T));
          const std::vector<T> values = test::operands<T>(n, 19, by);
          const test::applied<T> op{by};
          const T init = initial_value<T>(by);
          const test::array<T> in(where, values), out(where, n), exclusive(where, n);
          library::inclusive_scan_by_key<K, T>(where, keys, n, in, out, by);
          library::exclusive_scan_by_key<K, T>(where, keys, n, in, exclusive, init, by);
          EXPECT_TRUE(test::same(out.items(), test::inclusive_segmented_reference(values, s.flags, op)));
          EXPECT_TRUE(test::same(exclusive.items(), test::exclusive_segmented_reference(values, s.flags, init, op)));
        }
      });
    }
  });
}

LIBRARY_TEST(library_segmented_scan, in_place_and_offsets_out_of_range) {
  const test::array<std::int64_t> starts(where, {-3, 2, 2, 5, 99});
  const test::array<float> x(where, std::vector<float>(5, 1.f)), y(where, std::vector<float>(5, 1.f));
  const library::offsets rows{starts, starts.size()};
  library::inclusive_segmented_scan<float>(where, x, 5, rows, x);
  library::exclusive_segmented_scan<float>(where, y, 5, library::offsets{nullptr, 0}, y);
  EXPECT_EQ(x.items(), (std::vector<float>{1, 2, 1, 2, 3}));
  EXPECT_EQ(y.items(), (std::vector<float>{0, 1, 2, 3, 4}));
}
