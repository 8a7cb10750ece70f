// SPDX-License-Identifier: Apache-2.0
// The inside of a sort in little memory: the sorters in pages, which the calls take only for many items, with as few
// pages as can be, and with more.
#include <onepass/little_memory_sort.hpp>
#include <onepass/radix_sort.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include "primitives/radix_sort/broken_atomic_ranking.hpp"
#include "primitives/radix_sort/keys_of_type.hpp"
#include "primitives/radix_sort/sort_in_pages.hpp"

namespace {

namespace detail = onepass::detail;

std::vector<std::uint32_t> numbered(std::size_t n) {
  std::vector<std::uint32_t> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::uint32_t>(i);
  return all;
}

// As the call, but in pages whatever the number of items is, with so many items of scratch in all (0: as few as can
// be).
template <class K, class V, class Ranking = void>
void sort_in_pages(const test::cpu_backend&, K* keys, V* values, std::size_t n, const onepass::radix_options& options,
                   onepass::index_t scratch_items) {
  constexpr bool alone = std::is_same_v<V, detail::none>;
  const auto digits = detail::digits_for<onepass::cpu_policy, K>("test", detail::whole_key(), options);
  using order = typename std::decay_t<decltype(digits)>::order_type;
  detail::layout layout;
  const detail::cpu_paged_sorter<typename order::key, V, order> sorter(static_cast<onepass::index_t>(n), scratch_items,
                                                                       layout);
  std::vector<unsigned char> scratch(layout.bytes() + 256, 0xA5);
  void* const at = scratch.data() + (256 - reinterpret_cast<std::uintptr_t>(scratch.data()) % 256);
  std::uint8_t* const end = static_cast<std::uint8_t*>(at) + layout.bytes();
  const std::vector<unsigned char> behind(end, scratch.data() + scratch.size());
  sorter.run(digits, {reinterpret_cast<typename order::key*>(keys), alone ? nullptr : values}, at);
  EXPECT_EQ(behind, std::vector<unsigned char>(end, scratch.data() + scratch.size()));
}
#if ONEPASS_HAS_CUDA
template <class K, class V, class Ranking = detail::atomic_ranking>
void sort_in_pages(const test::cuda_backend& backend, K* keys, V* values, std::size_t n,
                   const onepass::radix_options& options, onepass::index_t scratch_items) {
  test::sort_in_pages<K, V, Ranking>(backend, keys, values, {static_cast<onepass::index_t>(n), nullptr}, options,
                                     scratch_items);
}
#endif

template <class K, class Backend, class Ranking = void>
void check_pages(const Backend& backend, const std::vector<K>& values, const onepass::radix_options& asked,
                 onepass::index_t scratch_items) {
  const int end = asked.end_bit < 0 ? static_cast<int>(8 * sizeof(K)) : asked.end_bit;
  const onepass::radix_options options{asked.descending, asked.begin_bit, end};
  const std::vector<std::size_t> order = test::sorted_order(values, options.descending, options.begin_bit, end);
  const std::vector<K> expected = test::arranged(values, order);
  const std::size_t n = values.size();
  const test::buffer<K> alone(backend, values, n % 3), keys(backend, values, n % 2);
  const std::vector<std::uint32_t> positions = numbered(n);
  const test::buffer<std::uint32_t> carried(backend, positions, n % 3);
  if constexpr (std::is_void_v<Ranking>) {
    sort_in_pages<K, detail::none>(backend, alone.data(), nullptr, n, options, scratch_items);
    sort_in_pages<K, std::uint32_t>(backend, keys.data(), carried.data(), n, options, scratch_items);
  } else {
    sort_in_pages<K, detail::none, Ranking>(backend, alone.data(), nullptr, n, options, scratch_items);
    sort_in_pages<K, std::uint32_t, Ranking>(backend, keys.data(), carried.data(), n, options, scratch_items);
  }
  EXPECT_TRUE(test::identical(alone.to_host(), expected)) << "keys alone";
  EXPECT_TRUE(test::identical(keys.to_host(), expected)) << "keys with values";
  EXPECT_TRUE(test::same(carried.to_host(), test::arranged(positions, order))) << "values";
}

// Around a page, a tile of each shape, and some of these.
std::vector<std::size_t> numbers_of_keys() {
  if (test::small_only()) return {2, 1025, 15361};
  return {2, 3, 255, 1023, 1024, 1025, 2048, 4095, 4096, 4097, 12289, 15359, 15360, 15361, 60013, 250007};
}

// From as few pages as can be, which one block on CUDA sorts with, to more than are needed.
template <class K, class Backend>
void check_keys_in_pages(const Backend& backend) {
  std::size_t which = 0;
  for (const std::size_t n : numbers_of_keys()) {
    for (const test::pattern p : test::all_patterns) {
      SCOPED_TRACE(testing::Message() << n << " keys, " << test::name_of(p));
      const onepass::index_t scratch[] = {0, 700 * 1024, onepass::index_t{1} << 22};
      check_pages(backend, test::keys<K>(n, n, p), which % 2 == 0 ? onepass::ascending() : onepass::descending(),
                  scratch[which % 3]);
      ++which;
    }
  }
  const std::vector<K> some = test::keys<K>(test::limited(100003), 1, test::pattern::uniform);
  constexpr int bits = 8 * sizeof(K);
  for (const auto& [begin, end] : {std::pair{0, 3}, {bits / 2, bits}, {3, bits - 2}, {bits - 1, bits}})
    check_pages(backend, some, onepass::descending(begin, end), 0);
}

// One value but for a few keys; two values; all in one digit's pages; pages that come back in other orders.
template <class Backend>
void check_extremes(const Backend& backend) {
  const std::size_t n = test::limited(300007);
  std::vector<std::uint32_t> keys(n);
  const auto check = [&](const char* what, auto key) {
    SCOPED_TRACE(what);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(key(i));
    check_pages(backend, keys, onepass::ascending(), 0);
    check_pages(backend, keys, onepass::descending(), 1 << 20);
  };
  check("equal but for the last", [&](std::size_t i) { return i + 1 == n ? 0u : 0x01010101u; });
  check("equal but for the first", [&](std::size_t i) { return i == 0 ? ~0u : 0x01010101u; });
  check("two values", [](std::size_t i) { return test::hash(1, i) % 2 == 0 ? 0x12345678u : 0x87654321u; });
  check("two values in turn", [](std::size_t i) { return i % 2 * 0x01010101u; });
  check("halves swapped", [&](std::size_t i) { return (i + n / 2) % n; });
  check("pages reversed", [](std::size_t i) { return (~i / 1024) << 10 | i % 1024; });
  check("pages swapped in pairs", [](std::size_t i) { return i ^ 1024; });
  check("one large bucket", [](std::size_t i) { return test::hash(1, i) % 16 == 0 ? test::hash(2, i) : 5; });
  check("steps of a page", [&](std::size_t i) { return i * 1024 % n; });
}

// As few pages as can be, and a last tile that is filled up by so many pages. No digit begins with a page, so that
// items touch as many as they can.
template <class Backend>
void check_last_tiles(const Backend& backend) {
  for (std::size_t i = 0; i < (test::small_only() ? 1 : 5); ++i) {
    std::vector<std::uint16_t> keys(1023, 0);
    const std::size_t n = (std::size_t{1} << 22) + (i << 18);
    SCOPED_TRACE(testing::Message() << n << " keys and 1023");
    for (std::size_t k = 0; k < n; ++k) keys.push_back(static_cast<std::uint16_t>(k));
    check_pages(backend, keys, onepass::ascending(), 0);
  }
}

// Random numbers of keys, bits, directions, patterns and amounts of scratch.
template <class K, class Backend>
void check_random(const Backend& backend, std::uint64_t rounds) {
  constexpr int bits = 8 * sizeof(K);
  for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
    const auto draw = [&](std::uint64_t what, std::uint64_t below) { return test::hash(100 * seed + what, 1) % below; };
    const std::size_t n = test::limited(2 + draw(1, std::uint64_t{1} << (2 + draw(2, 18))));
    const int begin = draw(3, 2) == 0 ? 0 : static_cast<int>(draw(4, bits));
    const int end =
        draw(5, 2) == 0 ? bits : begin + static_cast<int>(draw(6, static_cast<std::uint64_t>(bits - begin) + 1));
    const onepass::radix_options options{draw(7, 2) == 0, begin, end};
    const auto scratch = static_cast<onepass::index_t>(draw(8, 2) * draw(9, 1 << 22));
    const test::pattern p = test::all_patterns[draw(10, 6)];
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << n << " keys, " << test::name_of(p) << ", bits ["
                                    << begin << ", " << end << "), scratch " << scratch);
    check_pages(backend, test::keys<K>(n, seed, p), options, scratch);
  }
}

}  // namespace

ONEPASS_TEST(little_memory, random_uint32) { check_random<std::uint32_t>(backend, test::small_only() ? 5 : 60); }
ONEPASS_TEST(little_memory, random_float) { check_random<float>(backend, test::small_only() ? 5 : 60); }
ONEPASS_TEST(little_memory, pages_uint32) { check_keys_in_pages<std::uint32_t>(backend); }
ONEPASS_TEST(little_memory, pages_int64) { check_keys_in_pages<std::int64_t>(backend); }
ONEPASS_TEST(little_memory, pages_float) { check_keys_in_pages<float>(backend); }
ONEPASS_TEST(little_memory, extremes) { check_extremes(backend); }
ONEPASS_TEST(little_memory, last_tiles) { check_last_tiles(backend); }

#if ONEPASS_HAS_CUDA
// A tile that is found out of order is read once more before its pages are freed.
ONEPASS_GPU_TEST(little_memory, broken_order) {
  for (const std::size_t n : {14337u, 250007u}) {
    for (const onepass::index_t scratch : {0, 1 << 20}) {
      check_pages<std::uint32_t, test::cuda_backend, test::broken_atomic_ranking>(
          backend, test::keys<std::uint32_t>(test::limited(n), n, test::pattern::uniform), onepass::ascending(),
          scratch);
    }
  }
}
#endif
