// SPDX-License-Identifier: Apache-2.0
// The CPU's comparison sort in vectors, by itself and through the calls, at every level of vectors.
#include <onepass/radix_sort.hpp>

#include <limits>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "../../../core/cpu/simd/vector_sort.hpp"
#include "primitives/radix_sort/keys_of_type.hpp"
#include "primitives/radix_sort/segments_fixture.hpp"
#include "support/simd_levels.hpp"

namespace {

using onepass::index_t;

// Around all sizes of networks, which have 2 to 16 lanes and 1 to 16 rows, and some that are split.
std::vector<std::size_t> network_sizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t n = 0; n <= 70; ++n) sizes.push_back(n);
  for (std::size_t n = 96; n <= 1024; n *= 2) {
    for (const std::size_t near : {n - 33, n - 1, n, n + 1, n + 17}) sizes.push_back(near);
  }
  for (const std::size_t n : {1500u, 4095u, 4096u, 4097u, 20011u}) sizes.push_back(n);
  return sizes;
}

// Keys that networks and pivots can get wrong: those that fill up a network, few different ones, runs up and down.
template <class Lane>
std::vector<Lane> lanes_of(std::size_t n, std::size_t kind) {
  using limits = std::numeric_limits<Lane>;
  std::vector<Lane> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = test::hash(n * 16 + kind, i);
    const auto any = static_cast<Lane>(bits), index = static_cast<Lane>(i);
    switch (kind) {
      case 0: keys[i] = any; break;
      case 1: keys[i] = bits % 3 == 0 ? limits::max() : bits % 3 == 1 ? limits::min() : any; break;
      case 2: keys[i] = static_cast<Lane>(bits % 3); break;
      case 3: keys[i] = limits::max(); break;
      case 4: keys[i] = index; break;
      case 5: keys[i] = static_cast<Lane>(-index); break;
      case 6: keys[i] = i < n / 2 ? index : static_cast<Lane>(static_cast<Lane>(n) - index); break;
      default: keys[i] = bits % 50 == 0 ? any : 7; break;
    }
  }
  return keys;
}
constexpr std::size_t kinds_of_lanes = 8;

#if ONEPASS_HAS_SIMD
// sort_lanes, whose pivots are bad after so many partitions.
template <class Lane>
struct sorting_lanes {
  Lane *keys, *other;
  index_t n;
  bool stays;
  int levels;
  template <class Level>
  ONEPASS_INLINED void operator()(Level level) const {
    sort_lanes(level, keys, other, n, stays, levels);
  }
};

// select_lanes.
template <class Lane>
struct selecting_lanes {
  Lane *keys, *other;
  index_t n, k;
  int levels;
  template <class Level>
  ONEPASS_INLINED void operator()(Level level) const {
    select_lanes(level, keys, other, n, k, levels);
  }
};

// Every rank of few keys, and some of more.
template <class Lane>
void check_selected_lanes(int levels) {
  for (const std::size_t n : network_sizes()) {
    for (std::size_t kind = 0; kind < kinds_of_lanes; ++kind) {
      const std::vector<Lane> in = lanes_of<Lane>(n, kind);
      std::vector<Lane> sorted = in;
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t k = 1; k <= n; k += n < 40 ? 1 : 1 + n / 7) {
        SCOPED_TRACE(testing::Message() << k << " of " << n << " keys of kind " << kind);
        constexpr std::size_t guard = 64;
        const Lane filler = static_cast<Lane>(0x5A5A5A5A5A5A5A5A);
        std::vector<Lane> keys(n + 2 * guard, filler), other = keys;
        std::copy(in.begin(), in.end(), keys.begin() + guard);
        onepass::detail::at_simd_level(selecting_lanes<Lane>{keys.data() + guard, other.data() + guard,
                                                             static_cast<index_t>(n), static_cast<index_t>(k), levels});
        const auto first = keys.begin() + guard, end_of_first = first + static_cast<std::ptrdiff_t>(k);
        EXPECT_EQ(*(end_of_first - 1), sorted[k - 1]);
        std::sort(first, end_of_first);
        std::sort(end_of_first, keys.end() - guard);
        EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), first));
        for (const auto* array : {&keys, &other}) {
          EXPECT_EQ(std::count(array->begin(), array->begin() + guard, filler), std::ptrdiff_t{guard});
          EXPECT_EQ(std::count(array->end() - guard, array->end(), filler), std::ptrdiff_t{guard});
        }
      }
    }
  }
}

template <class Lane>
void check_lanes(int levels) {
  for (const std::size_t n : network_sizes()) {
    for (std::size_t kind = 0; kind < kinds_of_lanes; ++kind) {
      const std::vector<Lane> in = lanes_of<Lane>(n, kind);
      std::vector<Lane> expected = in;
      std::sort(expected.begin(), expected.end());
      for (const bool stays : {true, false}) {
        SCOPED_TRACE(testing::Message() << n << " keys of kind " << kind << (stays ? ", in place" : ""));
        // Guards on both sides of both arrays.
        constexpr std::size_t guard = 64;
        const Lane filler = static_cast<Lane>(0x5A5A5A5A5A5A5A5A);
        std::vector<Lane> keys(n + 2 * guard, filler), other = keys;
        std::copy(in.begin(), in.end(), keys.begin() + guard);
        onepass::detail::at_simd_level(
            sorting_lanes<Lane>{keys.data() + guard, other.data() + guard, static_cast<index_t>(n), stays, levels});
        const std::vector<Lane>& to = stays ? keys : other;
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), to.begin() + guard));
        for (const auto* array : {&keys, &other}) {
          EXPECT_EQ(std::count(array->begin(), array->begin() + guard, filler), std::ptrdiff_t{guard});
          EXPECT_EQ(std::count(array->end() - guard, array->end(), filler), std::ptrdiff_t{guard});
        }
      }
    }
  }
}
#endif

// Every size of a network, through the calls.
template <class K>
void check_few(const test::cpu_backend& backend) {
  test::at_each_simd_level([&] {
    std::size_t which = 0;
    for (const std::size_t n : network_sizes()) {
      const test::pattern p = test::all_patterns[++which % 6];
      SCOPED_TRACE(testing::Message() << n << " keys, " << test::name_of(p));
      test::check_sort(backend, test::keys<K>(n, n, p), which % 2 == 0 ? onepass::radix_options{} : test::descending());
    }
  });
}

// Whole ranges of buckets at every level, and parts of the key's bits, by which a sort has to stay stable.
template <class K>
void check_buckets(const test::cpu_backend& backend) {
  test::at_each_simd_level([&] {
    for (const test::pattern p : test::all_patterns) {
      SCOPED_TRACE(test::name_of(p));
      test::check_sort(backend, test::keys<K>(test::limited(30011), 3, p), {});
      onepass::radix_options part = test::descending();
      part.begin_bit = 3, part.end_bit = 8 * sizeof(K) - 5;
      test::check_sort(backend, test::keys<K>(2011, 4, p), part);
    }
  });
}

// Floats whose digits leave many ties, and zeros of both signs among them, which keep their order.
template <class K>
void check_floats(const test::cpu_backend& backend) {
  test::at_each_simd_level([&] {
    for (const std::size_t n : {std::size_t{5}, std::size_t{40}, std::size_t{700}, test::limited(30011)}) {
      std::vector<K> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<K>(static_cast<std::int64_t>(test::hash(n, i)));
      test::check_sort(backend, keys, {});
      test::check_sort(backend, keys, test::descending());
      for (std::size_t i = 0; i < n; i += 3) keys[i] = test::hash(1, i) % 2 == 0 ? K(0.0) : K(-0.0);
      test::check_sort(backend, keys, {});
      test::check_sort(backend, keys, test::descending());
    }
  });
}

// Segments of every size that a network holds, side by side and with an item between them; some have zeros of both signs.
template <class K>
void check_parts(const test::cpu_backend& backend) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < 300; ++i) sizes.push_back(i * 7 % 300);
  test::at_each_simd_level([&] {
    for (const int gap : {0, 1}) {
      const test::segment_list list(sizes, gap);
      auto keys = test::keys<K>(static_cast<std::size_t>(list.n), 5, test::pattern::uniform);
      for (std::size_t s = 0; std::is_floating_point_v<K> && s < sizes.size(); s += 3) {
        for (auto i = static_cast<std::size_t>(list.begins[s]); i < static_cast<std::size_t>(list.ends[s]); i += 2)
          keys[i] = i % 4 == 0 ? static_cast<K>(0.0) : static_cast<K>(-0.0);
      }
      for (const bool descending : {false, true}) {
        SCOPED_TRACE(testing::Message() << "gaps of " << gap << (descending ? ", descending" : ""));
        test::check_segments_alone(backend, keys, list, {descending});
      }
    }
  });
}

// Offsets that are computed with floats: each is one less where the multiplication and the subtraction are rounded once.
struct rounded_offset {
  double step;
  index_t operator()(index_t i) const { return static_cast<index_t>(static_cast<double>(10 * i + 10) * step - 6.0); }
};

}  // namespace

#if ONEPASS_HAS_SIMD
ONEPASS_CPU_TEST(vector_sort, lanes) {
  test::at_each_simd_level(test::least_vectors, [] {
    check_lanes<std::int32_t>(40);
    check_lanes<std::int64_t>(40);
  });
}
ONEPASS_CPU_TEST(vector_sort, selected_lanes) {
  test::at_each_simd_level(test::least_vectors, [] {
    check_selected_lanes<std::int32_t>(40);
    check_selected_lanes<std::int64_t>(40);
    check_selected_lanes<std::int64_t>(1);
  });
}
// Without levels pivots are never taken from a sample.
ONEPASS_CPU_TEST(vector_sort, bad_pivots) {
  test::at_each_simd_level(test::least_vectors, [] {
    check_lanes<std::int32_t>(0);
    check_lanes<std::int64_t>(1);
  });
}
#endif

ONEPASS_CPU_TEST(vector_sort, few_uint32) { check_few<std::uint32_t>(backend); }
ONEPASS_CPU_TEST(vector_sort, few_int64) { check_few<std::int64_t>(backend); }
ONEPASS_CPU_TEST(vector_sort, few_float) { check_few<float>(backend); }
ONEPASS_CPU_TEST(vector_sort, buckets_int32) { check_buckets<std::int32_t>(backend); }
ONEPASS_CPU_TEST(vector_sort, buckets_uint64) { check_buckets<std::uint64_t>(backend); }
ONEPASS_CPU_TEST(vector_sort, parts_of_integers) {
  check_parts<std::int32_t>(backend);
  check_parts<std::uint64_t>(backend);
}
ONEPASS_CPU_TEST(vector_sort, parts_of_floats) {
  check_parts<float>(backend);
  check_parts<double>(backend);
}
ONEPASS_CPU_TEST(vector_sort, floats) { check_floats<float>(backend); }
ONEPASS_CPU_TEST(vector_sort, doubles) { check_floats<double>(backend); }
ONEPASS_CPU_TEST(vector_sort, rounded_offsets) {
  const auto offsets = thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0), rounded_offset{0.7});
  test::at_each_simd_level([&] {
    for (const index_t count : {100, 30000}) {  // by one thread, and by several
      const std::vector<index_t> stored(offsets, offsets + count);
      std::vector<std::int32_t> keys(static_cast<std::size_t>(stored.back()) + 10);
      std::iota(keys.rbegin(), keys.rend(), 0);
      std::vector<std::int32_t> expected = keys;
      for (std::size_t s = 0; s + 1 < stored.size(); ++s)
        std::sort(expected.begin() + stored[s], expected.begin() + stored[s + 1]);
      onepass::segmented_sort(onepass::cpu(3), keys.begin(), keys.end(), onepass::offsets(offsets, offsets + count));
      EXPECT_TRUE(test::same(keys, expected));
    }
  });
}
