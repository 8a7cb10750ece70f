// SPDX-License-Identifier: Apache-2.0
// Selections of every type of key, of one array and of rows: short and long ones, few and many results, NaN, both zeros, equal
// keys, any alignment.
#include "fixture.hpp"
#include "support/simd_levels.hpp"

namespace {

// Around the sizes at which other code takes over: a block's registers, a sample, all blocks for one row.
template <class T, class Backend>
void check_type(const Backend& backend) {
  for (const std::size_t n : {1, 2, 33, 511, 513, 2049, 8193, 16385, 40000}) {
    for (std::size_t kind = n % 2; kind < test::kinds; kind += 2)
      test::check_array(backend, test::keys_of_kind<T>(n, kind), n % 3,
                        {0, 1, std::min<std::size_t>(n, 10), (n + 1) / 2, n});
  }
  for (std::size_t kind = 0; kind < test::kinds; ++kind) {
    test::check_array(backend, test::keys_of_kind<T>(test::limited(600007), kind), kind,
                      {1, 100, 1024, 1025, test::limited(300000)});
    const std::vector<T> items = test::keys_of_kind<T>(30011, kind);
    for (const std::size_t length : {1, 7, 96, 1008, 3000, 9000, 20000, 30011})
      test::check_rows(backend, items, kind, length, {0, 1, std::min<std::size_t>(8, length), length / 2, length});
  }
}

// Lengths around those of the CPU's vectors: what a row is read by, a network sorts, a short row has; at every level.
template <class T>
void check_short_rows(const test::cpu_backend& backend) {
  test::at_each_simd_level([&] {
    std::size_t kind = 0;
    for (const std::size_t length : {1, 5, 63, 64, 65, 127, 128, 129, 191, 255, 256, 257, 700, 1500}) {
      for (int twice = 0; twice < 2; ++twice) {
        kind = (kind + 1) % test::kinds;
        const std::vector<T> items = test::keys_of_kind<T>(1500, kind);
        test::check_rows(backend, items, kind, length, {1, std::min<std::size_t>(8, length), length / 3, length});
      }
    }
  });
}
// Lengths and results around those where the CPU looks for a bound first, at every level.
template <class T>
void check_bounds(const test::cpu_backend& backend) {
  test::at_each_simd_level([&] {
    for (std::size_t kind = 0; kind < test::kinds; ++kind) {
      const std::vector<T> items = test::keys_of_kind<T>(8199, kind);
      for (const std::size_t length : {31, 32, 33, 63, 64, 65, 100, 1000, 4096, 4097})
        test::check_rows(backend, items, kind, length, {1, 7, 8, 9, 31, std::min<std::size_t>(length, 32), length / 2});
    }
  });
}
// A row that a sample is taken of, at every level.
template <class T>
void check_long_row(const test::cpu_backend& backend) {
  test::at_each_simd_level([&] {
    for (std::size_t kind = 0; kind < test::kinds; ++kind)
      test::check_array(backend, test::keys_of_kind<T>(50021, kind), kind, {9, 300, 25000, 50021});
  });
}

}  // namespace

// Rows that several blocks share, with a last one of fewer items than are wanted: of some, or of none that has the rank.
ONEPASS_TEST(select_types, a_short_last_row) {
  const std::size_t length = test::limited(120000);
  const std::vector<float> items = test::keys_of_kind<float>(length + 5, 0);
  test::check_rows(backend, items, 0, length, {4, 5, 6, 300, 600, 1024});
}
ONEPASS_CPU_TEST(select_types, short_rows) {
  check_short_rows<float>(backend);
  check_short_rows<std::int16_t>(backend);
  check_short_rows<std::int64_t>(backend);
}
ONEPASS_CPU_TEST(select_types, rows_with_a_bound) {
  check_bounds<float>(backend);
  check_bounds<std::uint8_t>(backend);
  check_bounds<std::int64_t>(backend);
}
ONEPASS_CPU_TEST(select_types, a_long_row) {
  check_long_row<float>(backend);
  check_long_row<std::uint32_t>(backend);
}
ONEPASS_TEST(select_types, uint8) { check_type<std::uint8_t>(backend); }
ONEPASS_TEST(select_types, int16) { check_type<std::int16_t>(backend); }
ONEPASS_TEST(select_types, int32) { check_type<std::int32_t>(backend); }
ONEPASS_TEST(select_types, uint64) { check_type<std::uint64_t>(backend); }
ONEPASS_TEST(select_types, float32) { check_type<float>(backend); }
ONEPASS_TEST(select_types, float64) { check_type<double>(backend); }
#if ONEPASS_HAS_CUDA
ONEPASS_TEST(select_types, half) { check_type<test::half>(backend); }
#endif

ONEPASS_TEST(select_types, bools) {
  const std::vector<std::uint8_t> flags = test::random_flags(test::limited(30001), 3, 0.3);
  const test::buffer<std::uint8_t> in(backend, flags, 1);
  const test::buffer<std::int64_t> values(backend, 9);
  const test::buffer<std::uint8_t> keys(backend, 9);
  const auto* first = reinterpret_cast<const bool*>(in.begin());
  onepass::top_k_by_key(backend.policy(), first, first + flags.size(), thrust::counting_iterator<std::int64_t>(0), 9,
                        reinterpret_cast<bool*>(keys.begin()), values.begin());
  std::vector<std::int64_t> expected;
  for (std::size_t i = 0; expected.size() < 9; ++i) {
    if (flags[i]) expected.push_back(static_cast<std::int64_t>(i));
  }
  EXPECT_TRUE(test::same(values.to_host(), expected));
  EXPECT_TRUE(test::same(keys.to_host(), std::vector<std::uint8_t>(9, 1)));
}
