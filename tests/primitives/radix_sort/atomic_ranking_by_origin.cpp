// SPDX-License-Identifier: Apache-2.0
// The inside of a sort on CUDA: pairs, and structs by a field, whose order a tile sees by where its items came from, in
// tiles of every shape. An atomic ranking that is not stable is seen, too.
#include <onepass/radix_sort.hpp>

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "primitives/radix_sort/broken_atomic_ranking.hpp"
#include "primitives/radix_sort/keys_of_type.hpp"

#if ONEPASS_HAS_CUDA
namespace {

namespace detail = onepass::detail;

enum class size { fewest, few, many, most };
constexpr size all_sizes[] = {size::fewest, size::few, size::many, size::most};

// The fewest tiles are larger from 540,673 keys on, on a device of 132 multiprocessors.
std::vector<std::size_t> numbers_of_keys(size s) {
  if (test::small_only()) return {2, 15361};
  std::vector<std::size_t> numbers = {2, 255, 4097, 8959, 8960, 8961, 15359, 15360, 15361, 250007};
  if (s == size::fewest) numbers.push_back(700001);
  return numbers;
}

// The tiles and words of a sort as a test wants them.
template <class K, class V>
struct chosen_pairs : detail::split_tuning<sizeof(K), detail::stored_size<V>> {
  inline static onepass::index_t most_in_few = 0, most_in_small = 0, most_in_narrow_words = 0;
  static constexpr onepass::index_t least_in_buckets = onepass::index_t{1} << 40;
};
template <class K, class V>
void choose(size s) {
  constexpr onepass::index_t all = onepass::index_t{1} << 29;
  chosen_pairs<K, V>::most_in_few = s == size::fewest ? all : 0;
  chosen_pairs<K, V>::most_in_small = s == size::few ? all : 0;
  chosen_pairs<K, V>::most_in_narrow_words = s == size::most ? 0 : all;
}

template <class AtomicRanking, class V, class Digits>
unsigned redone_by_origin(const test::cuda_backend& backend, const Digits& digits,
                          const std::vector<typename Digits::key>& values, const std::vector<std::size_t>& order) {
  using K = typename Digits::key;
  using value = std::conditional_t<std::is_same_v<V, detail::none>, char, V>;
  const auto n = static_cast<onepass::index_t>(values.size());
  std::vector<value> carried_values(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) carried_values[i] = static_cast<value>(i);
  const test::buffer<K> keys(backend, values, 1), alternate(backend, values.size());
  const test::buffer<value> carried(backend, carried_values, 1), other(backend, values.size());
  detail::layout layout;
  const detail::cuda_split<K, V, chosen_pairs<K, V>> split("check", {n, nullptr}, digits.positions(), layout);
  const test::buffer<unsigned char> scratch(backend, layout.bytes());
  const test::buffer<detail::control> head(backend, std::vector<detail::control>(1));
  const auto sort = [&](auto route) {
    detail::cuda_sort_by_passes<AtomicRanking>("check", split, digits,
                                               detail::buffer_route<K>::in_place(keys.data(), alternate.data()), route,
                                               {n, nullptr}, {scratch.data(), head.data()}, backend.stream);
  };
  if constexpr (std::is_same_v<V, detail::none>) sort(detail::no_route{});
  else sort(detail::buffer_route<value>::in_place(carried.data(), other.data()));
  EXPECT_TRUE(test::same(keys.to_host(), test::arranged(values, order)));
  if constexpr (!std::is_same_v<V, detail::none>)
    EXPECT_TRUE(test::same(carried.to_host(), test::arranged(carried_values, order)));
  detail::split_plan plan;
  test::check_cuda(cudaMemcpy(&plan, split.plan(scratch.data()), sizeof plan, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return plan.tiles_redone;
}

template <class V>
void check_pairs_by_origin(const test::cuda_backend& backend) {
  using K = std::uint32_t;
  for (const size s : all_sizes) {
    choose<K, V>(s);
    for (const std::size_t n : numbers_of_keys(s)) {
      for (const test::pattern p : test::all_patterns) {
        if (test::small_only() && p != test::pattern::uniform && p != test::pattern::few_valued) continue;
        for (const int begin_bit : {0, 9}) {
          SCOPED_TRACE(testing::Message() << n << " pairs, " << test::name_of(p) << ", bits from " << begin_bit);
          const auto values = test::keys<K>(n, n, p);
          const auto order = test::sorted_order(values, false, begin_bit);
          const detail::bits_digits<K, true> digits{{begin_bit, 32, false, false}};
          EXPECT_EQ((redone_by_origin<detail::atomic_ranking, V>(backend, digits, values, order)), 0u);
          const unsigned redone = redone_by_origin<test::broken_atomic_ranking, V>(backend, digits, values, order);
          // Fewer are mostly padding in large tiles, and not ranked by atomics.
          if (n > 14000 && p == test::pattern::uniform) EXPECT_GT(redone, 0u);
        }
      }
    }
  }
}

}  // namespace

ONEPASS_GPU_TEST(radix_sort, pairs_by_atomics) { check_pairs_by_origin<std::uint32_t>(backend); }
ONEPASS_GPU_TEST(radix_sort, pairs_with_small_values_by_atomics) { check_pairs_by_origin<std::uint16_t>(backend); }

// Keys by a field: the lower two bytes of four, so that equal keys can be told apart.
ONEPASS_GPU_TEST(radix_sort, fields_by_atomics) {
  using K = std::uint32_t;
  const std::array<detail::field_position, 1> fields = {{{0, 2, false, false}}};
  const detail::field_digits<K, false> digits(fields, false, 0, 16);
  for (const size s : all_sizes) {
    choose<K, detail::none>(s);
    for (const std::size_t n : numbers_of_keys(s)) {
      SCOPED_TRACE(testing::Message() << n << " keys");
      const auto values = test::keys<K>(n, n, test::pattern::uniform);
      const auto order = test::sorted_order(values, false, 0, 16);
      EXPECT_EQ((redone_by_origin<detail::atomic_ranking, detail::none>(backend, digits, values, order)), 0u);
      const unsigned redone =
          redone_by_origin<test::broken_atomic_ranking, detail::none>(backend, digits, values, order);
      if (n > 14000) EXPECT_GT(redone, 0u);
    }
  }
}
#endif
