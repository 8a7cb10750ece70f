// SPDX-License-Identifier: Apache-2.0
// The inside of a sort on CUDA: both rankings in tiles of every shape, also those that a sort chooses only for far more
// keys than a test has; and an atomic ranking that is not stable, which the sort has to see and to repair.
#include <onepass/radix_sort.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "primitives/radix_sort/broken_atomic_ranking.hpp"
#include "primitives/radix_sort/keys_of_type.hpp"

#if ONEPASS_HAS_CUDA
namespace {

namespace detail = onepass::detail;

// The tiles and words of a sort as a test wants them, for all shapes of a type at once.
template <class K>
struct chosen : detail::split_tuning<sizeof(K), 0> {
  inline static onepass::index_t most_in_few = 0, most_in_small = 0, most_in_narrow_words = 0;
  static constexpr onepass::index_t least_in_buckets = onepass::index_t{1} << 40;  // these are tested apart
};
enum class size { fewest, few, many, most };
constexpr size all_sizes[] = {size::fewest, size::few, size::many, size::most};
template <class K>
void choose(size s) {
  constexpr onepass::index_t all = onepass::index_t{1} << 29;
  chosen<K>::most_in_few = s == size::fewest ? all : 0;
  chosen<K>::most_in_small = s == size::few ? all : 0;
  chosen<K>::most_in_narrow_words = s == size::most ? 0 : all;
}

struct outcome {
  unsigned tiles_redone;
  detail::pass_action action;  // of the first pass
};

// Sorts in place, and to another range, which must do the same to each tile.
template <class AtomicRanking, class K>
outcome check(const test::cuda_backend& backend, const std::vector<K>& values, bool descending, bool in_place) {
  const auto n = static_cast<onepass::index_t>(values.size());
  using stored = detail::sort_key<K>;
  const detail::bits_digits<stored, true> digits{
      {0, static_cast<int>(8 * sizeof(K)), descending, std::is_integral_v<K> && std::is_signed_v<K>}};
  const test::buffer<K> keys(backend, values, values.size() % 3), alternate(backend, values.size(), 1);
  const test::buffer<K> other(backend, in_place ? 0 : values.size());
  const test::buffer<K>& out = in_place ? keys : other;
  detail::layout layout;
  const detail::cuda_split<stored, detail::none, chosen<K>> split("check", {n, nullptr}, digits.positions(), layout);
  const test::buffer<unsigned char> scratch(backend, layout.bytes());
  const test::buffer<detail::control> head(backend, std::vector<detail::control>(1));
  detail::cuda_sort_by_passes<AtomicRanking>(
      "check", split, digits,
      {reinterpret_cast<const stored*>(keys.data()), reinterpret_cast<stored*>(out.data()),
       reinterpret_cast<stored*>(alternate.data())},
      detail::no_route{}, {n, nullptr}, {scratch.data(), head.data()}, backend.stream);
  EXPECT_TRUE(test::identical(out.to_host(), test::arranged(values, test::sorted_order(values, descending))));
  if (!in_place) EXPECT_TRUE(test::identical(keys.to_host(), values));
  detail::split_plan plan;
  test::check_cuda(cudaMemcpy(&plan, split.plan(scratch.data()), sizeof plan, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return {plan.tiles_redone, plan.pass[0].plan.action};
}

template <class AtomicRanking, class K>
outcome check(const test::cuda_backend& backend, const std::vector<K>& values, bool descending) {
  const outcome in_place = check<AtomicRanking>(backend, values, descending, true);
  const outcome to_other = check<AtomicRanking>(backend, values, descending, false);
  EXPECT_EQ(in_place.tiles_redone, to_other.tiles_redone);
  return in_place;
}

// No key is -0, unless it is to be.
template <class K>
std::vector<K> without_zeros(std::vector<K> values) {
  for (K& value : values) {
    if (value == K{}) value = K{1};
  }
  return values;
}

// The fewest tiles are larger from 540,673 keys on, on a device of 132 multiprocessors.
std::vector<std::size_t> numbers_of_keys(size s = size::few) {
  if (test::small_only()) return {2, 15361};
  std::vector<std::size_t> numbers = {2, 255, 4097, 15359, 15360, 15361, 250007};
  if (s == size::fewest) numbers.push_back(700001);
  return numbers;
}

template <class K>
void check_all_shapes(const test::cuda_backend& backend) {
  for (const size s : all_sizes) {
    choose<K>(s);
    for (const std::size_t n : numbers_of_keys(s)) {
      for (const test::pattern p : test::all_patterns) {
        SCOPED_TRACE(testing::Message() << n << " keys, " << test::name_of(p));
        const auto values = test::keys<K>(n, n, p);
        EXPECT_EQ((check<detail::atomic_ranking>(backend, values, n % 2 == 0).tiles_redone), 0u);
      }
    }
  }
}

template <class K>
void check_broken_order(const test::cuda_backend& backend) {
  for (const std::size_t n : numbers_of_keys()) {
    for (const bool descending : {false, true}) {
      SCOPED_TRACE(testing::Message() << n << " keys");
      const outcome o =
          check<test::broken_atomic_ranking>(backend, test::keys<K>(n, n, test::pattern::uniform), descending);
      if (n > 4000) EXPECT_EQ(o.action, detail::pass_action::atomic_ranking);
      if (n > 14000)
        EXPECT_GT(o.tiles_redone, 0u);  // fewer are mostly padding in large tiles, and not ranked by atomics
    }
  }
  // Keys that look like the padding of the last tile, or whose low bits do.
  std::vector<K> values(numbers_of_keys().back());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<K>(test::hash(1, i) % 2 == 0 ? ~K{0} >> (i % 4 * 4) : static_cast<K>(test::hash(2, i)));
  check<test::broken_atomic_ranking>(backend, values, false);
  for (K& value : values) value = static_cast<K>(~value);
  check<test::broken_atomic_ranking>(backend, values, true);
}

}  // namespace

ONEPASS_GPU_TEST(radix_sort, every_shape_32_bits) { check_all_shapes<std::uint32_t>(backend); }
ONEPASS_GPU_TEST(radix_sort, every_shape_64_bits) { check_all_shapes<std::int64_t>(backend); }
ONEPASS_GPU_TEST(radix_sort, every_shape_floats) { check_all_shapes<float>(backend); }

ONEPASS_GPU_TEST(radix_sort, atomic_ranking_that_is_broken) {
  for (const size s : all_sizes) {
    choose<std::uint32_t>(s);
    check_broken_order<std::uint32_t>(backend);
  }
}

namespace {

// Few values: in some tiles a few digits have most of the items, and in some, one digit has all.
template <class AtomicRanking, class K>
void check_few_values(const test::cuda_backend& backend) {
  const std::vector<unsigned> numbers_of_values =
      test::small_only() ? std::vector<unsigned>{2, 5} : std::vector<unsigned>{2, 3, 4, 5, 6, 9, 40};
  for (const size s : all_sizes) {
    choose<K>(s);
    for (const std::size_t n : numbers_of_keys(s)) {
      for (const unsigned different : numbers_of_values) {
        for (const bool in_runs : {false, true}) {
          SCOPED_TRACE(testing::Message() << n << " keys, " << different << (in_runs ? " values in runs" : " values"));
          std::vector<K> values(n);
          for (std::size_t i = 0; i < n; ++i) {
            const std::size_t which = in_runs ? i / 20011 : i;
            values[i] = static_cast<K>(test::hash(different, test::hash(5, which) % different));
            if (i % 7 == 0 && different % 2 == 1) values[i] = static_cast<K>(~K{0});  // as the padding
          }
          check<AtomicRanking>(backend, values, n % 2 == 0);
        }
      }
    }
  }
}

}  // namespace

ONEPASS_GPU_TEST(radix_sort, few_values_32_bits) {
  check_few_values<detail::atomic_ranking, std::uint32_t>(backend);
  check_few_values<test::broken_atomic_ranking, std::uint32_t>(backend);
}
ONEPASS_GPU_TEST(radix_sort, few_values_64_bits) { check_few_values<detail::atomic_ranking, std::int64_t>(backend); }

// Equal keys that can be told apart have to keep their order.
ONEPASS_GPU_TEST(radix_sort, negative_zeros_rank_by_ballots) {
  const auto action = [&](const std::vector<float>& values, bool descending) {
    return check<detail::atomic_ranking>(backend, values, descending).action;
  };
  for (const size s : {size::fewest, size::few, size::many}) {
    choose<float>(s);
    std::vector<float> values = test::keys<float>(test::limited(50021), 1, test::pattern::uniform);
    for (float& value : values) value = value == 0.0f ? 1.0f : value;
    EXPECT_EQ(action(values, false), detail::pass_action::atomic_ranking);
    values[values.size() / 2] = 0.0f;
    EXPECT_EQ(action(values, false), detail::pass_action::atomic_ranking);
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] = i % 2 == 0 ? 0.0f : -0.0f;
    EXPECT_EQ(action(values, false), detail::pass_action::ballot_ranking);
    EXPECT_EQ(action(values, true), detail::pass_action::ballot_ranking);
  }
}

namespace {

// Nothing is moved where the keys are in order; one key out of order, wherever it is, is seen.
template <class K>
void check_sorted(const test::cuda_backend& backend) {
  const std::size_t each = test::small_only() ? 3 : 70;  // up to here one after another, at the end as many in one step
  for (const std::size_t n : {std::size_t{2}, std::size_t{3}, test::limited(4099), test::limited(600011)}) {
    for (const bool descending : {false, true}) {
      SCOPED_TRACE(testing::Message() << n << " keys" << (descending ? ", descending" : ""));
      std::vector<K> values = without_zeros(test::keys<K>(n, n, test::pattern::uniform));
      values = test::arranged(values, test::sorted_order(values, descending));
      const auto action = [&] { return check<detail::atomic_ranking>(backend, values, descending).action; };
      EXPECT_EQ(action(), detail::pass_action::skip);
      for (std::size_t i = 0; i + 1 < n; i = i < each ? i + 1 : std::max(i + 1, std::min(2 * i, n - each))) {
        if (n > 5000 && i % 3 != 0) continue;
        if (values[i] == values[i + 1]) continue;
        std::swap(values[i], values[i + 1]);
        (void)action();  // compares all bits
        std::swap(values[i], values[i + 1]);
      }
    }
  }
}

}  // namespace

ONEPASS_GPU_TEST(radix_sort, sorted_keys_are_not_moved) {
  for (const size s : {size::few, size::many}) {
    choose<std::uint32_t>(s), choose<std::int64_t>(s), choose<float>(s);
    check_sorted<std::uint32_t>(backend);
    check_sorted<std::int64_t>(backend);
    check_sorted<float>(backend);
  }
}

// A digit that all of the items have needs no pass.
ONEPASS_GPU_TEST(radix_sort, actions_by_skew) {
  for (const size s : {size::few, size::many}) {
    choose<std::uint32_t>(s);
    std::vector<std::uint32_t> values(test::limited(50021));
    const auto action = [&] { return check<detail::atomic_ranking>(backend, values, false).action; };
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = i % 4 == 0 ? static_cast<std::uint32_t>(test::hash(1, i)) : 7;
    EXPECT_EQ(action(), detail::pass_action::atomic_ranking);
    for (std::uint32_t& value : values) value &= ~0xFFu;  // three positions are left, so the first pass copies
    EXPECT_EQ(action(), detail::pass_action::copy);
    for (std::uint32_t& value : values) value &= ~0xFFFFu;
    EXPECT_EQ(action(), detail::pass_action::skip);
  }
}
#endif

// A workspace for n items is enough for fewer: the sizes of tiles change between.
ONEPASS_TEST(radix_sort, workspace_serves_fewer_items) {
  std::size_t keys = 0, bytes = 0, pairs = 0;
  const auto scratch = [&](auto* key, std::size_t n, bool with_values) {
    return onepass::measure(backend.policy(),
                            [&](const auto& p) {
                              std::uint32_t* values = reinterpret_cast<std::uint32_t*>(std::uintptr_t{1} << 45);
                              if (with_values) onepass::radix_sort_by_key(p, key, key + n, values);
                              else onepass::radix_sort(p, key, key + n);
                            })
        .scratch;
  };
  auto* const wide = reinterpret_cast<std::uint32_t*>(std::uintptr_t{1} << 44);
  auto* const narrow = reinterpret_cast<std::int16_t*>(std::uintptr_t{1} << 44);
  std::vector<std::size_t> limits;  // where sorts change
  for (const std::size_t limit : {std::size_t{1} << 27, std::size_t{3} << 26, std::size_t{65536} * 4150,
                                  std::size_t{65536} * 8650, std::size_t{1} << 30})
    limits.insert(limits.end(), {limit - 1, limit});
  for (std::size_t n = 2; n < std::size_t{1} << 32; n += n / 7 + 1) limits.push_back(n);
  std::sort(limits.begin(), limits.end());
  for (const std::size_t n : limits) {
    for (const std::size_t m : {n, n + 1}) {
      SCOPED_TRACE(m);
      EXPECT_GE(scratch(wide, m, false), keys);
      EXPECT_GE(scratch(narrow, m, false), bytes);
      EXPECT_GE(scratch(wide, m, true), pairs);
      keys = scratch(wide, m, false), bytes = scratch(narrow, m, false), pairs = scratch(wide, m, true);
    }
  }
}
