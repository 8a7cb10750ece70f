// SPDX-License-Identifier: Apache-2.0
// The CPU's sort in vectors where keys are: its splits by themselves, by one thread and by several, and through the calls.
#include <onepass/little_memory_sort.hpp>
#include <onepass/radix_sort.hpp>

#include <limits>

#include "../../../primitives/radix_sort/cpu/cpu_in_place_sort.hpp"
#include "primitives/radix_sort/keys_of_type.hpp"
#include "support/simd_levels.hpp"

namespace {

using onepass::index_t;
using onepass::detail::key_form;

#if ONEPASS_HAS_SIMD
// Random keys, few different ones, runs up and down, one key, the extreme ones, and one key with a few others.
template <class Lane>
std::vector<Lane> lanes_of(std::size_t n, int kind) {
  using limits = std::numeric_limits<Lane>;
  std::vector<Lane> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = test::hash(n * 16 + static_cast<std::size_t>(kind), i);
    const auto any = static_cast<Lane>(bits), index = static_cast<Lane>(i);
    switch (kind) {
      case 0: keys[i] = any; break;
      case 1: keys[i] = static_cast<Lane>(bits % 3); break;
      case 2: keys[i] = index; break;
      case 3: keys[i] = static_cast<Lane>(-index); break;
      case 4: keys[i] = limits::max(); break;
      case 5: keys[i] = bits % 2 == 0 ? limits::max() : limits::min(); break;
      default: keys[i] = bits % 5000 == 0 ? any : 7; break;
    }
  }
  return keys;
}
constexpr int kinds = 7;

// Keys as they are, unsigned ones, and signed ones that descend.
template <class Lane>
std::vector<key_form<Lane>> forms() {
  return {{false, 0}, {false, std::numeric_limits<Lane>::min()}, {false, static_cast<Lane>(-1)}};
}
template <class Lane>
std::vector<Lane> sorted(std::vector<Lane> keys, const key_form<Lane>& form) {
  std::sort(keys.begin(), keys.end(), [&](Lane a, Lane b) { return (a ^ form.flip) < (b ^ form.flip); });
  return keys;
}

// Some keys with guards on both sides.
template <class Lane>
struct guarded {
  static constexpr std::size_t guard = 64;
  static constexpr Lane filler = static_cast<Lane>(0x5A5A5A5A5A5A5A5A);
  std::vector<Lane> all;
  explicit guarded(std::size_t n) : all(n + 2 * guard, filler) {}
  explicit guarded(const std::vector<Lane>& keys) : guarded(keys.size()) {
    std::copy(keys.begin(), keys.end(), all.begin() + guard);
  }
  Lane* data() { return all.data() + guard; }
  std::vector<Lane> keys() const { return {all.begin() + guard, all.end() - guard}; }
  void check() const {
    EXPECT_EQ(std::count(all.begin(), all.begin() + guard, filler), std::ptrdiff_t{guard});
    EXPECT_EQ(std::count(all.end() - guard, all.end(), filler), std::ptrdiff_t{guard});
  }
};

// One split: no key in front is greater than one behind, none is lost, and both parts have some.
template <class Lane>
void check_split(const std::vector<Lane>& in, bool is_first, int levels, const key_form<Lane>& form) {
  guarded<Lane> keys(in);
  const auto n = static_cast<index_t>(in.size());
  const index_t lows = onepass::detail::at_simd_level(
      onepass::detail::splitting_in_vectors<Lane>{keys.data(), n, levels, is_first, form});
  keys.check();
  std::vector<Lane> got = keys.keys(), expected = in;
  const bool is_one = std::count(in.begin(), in.end(), in[0]) == n;
  ASSERT_EQ(lows == 0, is_one);
  ASSERT_LT(lows, n);
  if (is_first && !is_one) {  // in their form
    for (Lane& key : expected) key = static_cast<Lane>(key ^ form.flip);
  }
  const auto middle = got.begin() + lows;
  if (lows > 0) {
    EXPECT_LT(*std::max_element(got.begin(), middle), *std::min_element(middle, got.end()));
  }
  std::sort(got.begin(), got.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_TRUE(got == expected);
}
template <class Lane>
void check_splits() {
  for (std::size_t n = 257; n < 700; n += n < 400 ? 1 : 37) {
    for (int kind = 0; kind < kinds; ++kind) {
      SCOPED_TRACE(testing::Message() << n << " keys of kind " << kind);
      const std::vector<Lane> in = lanes_of<Lane>(n, kind);
      for (const int levels : {40, 0}) check_split<Lane>(in, false, levels, {});
      for (const auto& form : forms<Lane>()) check_split<Lane>(in, true, 40, form);
    }
  }
}

// Around the sizes up to which keys are split between two arrays. Keys that stay have no more scratch than promised.
template <class Lane>
void check_whole_sorts() {
  const std::size_t sizes[] = {8192, 8193, 20011, 65536, 65537, test::limited(200003)};
  int kind = 0;
  for (const std::size_t n : sizes) {
    for (const auto& form : forms<Lane>()) {
      for (const bool stays : {true, false, true, false}) {
        kind = (kind + 1) % kinds;
        SCOPED_TRACE(testing::Message() << n << " keys of kind " << kind << (stays ? ", in place" : ""));
        const std::vector<Lane> in = lanes_of<Lane>(n, kind);
        guarded<Lane> keys(in);
        guarded<Lane> other(stays ? std::min(n, static_cast<std::size_t>(onepass::detail::scratch_of_vectors)) : n);
        EXPECT_TRUE(onepass::detail::at_simd_level(onepass::detail::sorting_in_vectors<Lane>{
            keys.data(), other.data(), static_cast<index_t>(n), stays, form}));
        EXPECT_TRUE((stays ? keys : other).keys() == sorted(in, form));
        keys.check();
        other.check();
      }
    }
  }
}

template <class Lane>
void check_teams() {
  constexpr auto scratch = static_cast<std::size_t>(onepass::detail::scratch_of_vectors);
  for (const std::size_t n : {scratch - 1, scratch + 1, scratch + test::limited(600011)}) {
    for (int kind = 0; kind < kinds; ++kind) {
      const std::vector<Lane> in = lanes_of<Lane>(n, kind);
      const key_form<Lane> form = forms<Lane>()[static_cast<std::size_t>(kind) % 3];
      const std::vector<Lane> expected = sorted(in, form);
      for (const int members : {1, 2, 3, 7}) {
        SCOPED_TRACE(testing::Message() << n << " keys of kind " << kind << ", " << members << " threads");
        guarded<Lane> keys(in), other(static_cast<std::size_t>(std::min(members, 3)) * scratch);  // not for all of them
        const onepass::detail::cpu_in_place_sort<Lane> sort(keys.data(), static_cast<index_t>(n), members, other.data(),
                                                            static_cast<index_t>(other.keys().size()), form);
        EXPECT_TRUE(sort.run());
        EXPECT_TRUE(keys.keys() == expected);
        keys.check();
        other.check();
      }
    }
  }
}
#endif

// Long ranges in place and to another range, or in little memory; floats with NaN, and with zeros of both signs among them,
// which keep their order.
template <class K>
void check_calls(std::size_t n, bool little_memory) {
  std::vector<K> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = test::hash(n, i);
    if constexpr (std::is_floating_point_v<K>) keys[i] = static_cast<K>(static_cast<std::int64_t>(bits)) / 3;
    else keys[i] = static_cast<K>(bits);
  }
  if constexpr (std::is_floating_point_v<K>) {
    keys[n / 2] = std::numeric_limits<K>::quiet_NaN(), keys[n / 3] = -std::numeric_limits<K>::quiet_NaN();
    keys[7] = std::numeric_limits<K>::infinity();
  }
  for (const bool has_zeros : {false, true}) {
    for (std::size_t i = 0; has_zeros && i < n; i += 1000) keys[i] = static_cast<K>(i % 3000 == 0 ? -0.0 : 0.0);
    for (const bool descending : {false, true}) {
      onepass::radix_options options;
      options.descending = descending;
      const std::vector<K> expected = test::arranged(keys, test::sorted_order(keys, descending));
      for (const int threads : {1, 2, 3}) {
        SCOPED_TRACE(testing::Message() << n << " keys, " << threads << " threads" << (descending ? ", descending" : "")
                                        << (has_zeros ? ", zeros" : ""));
        std::vector<K> in_place = keys, out(n);
        if (little_memory) {
          onepass::radix_sort(onepass::cpu(threads), in_place.begin(), in_place.end(),
                              onepass::in_little_memory(options));
        } else {
          onepass::radix_sort(onepass::cpu(threads), in_place.begin(), in_place.end(), options);
          onepass::radix_sort_copy(onepass::cpu(threads), keys.begin(), keys.end(), out.begin(), options);
          EXPECT_TRUE(test::identical(out, expected)) << "to another range";
        }
        EXPECT_TRUE(test::identical(in_place, expected));
      }
    }
    if (!std::is_floating_point_v<K>) break;
  }
}

}  // namespace

#if ONEPASS_HAS_SIMD
ONEPASS_CPU_TEST(in_place_sort, splits) {
  test::at_each_simd_level(test::least_vectors, [] {
    check_splits<std::int32_t>();
    check_splits<std::int64_t>();
  });
}
ONEPASS_CPU_TEST(in_place_sort, around_two_arrays) {
  test::at_each_simd_level(test::least_vectors, [] {
    check_whole_sorts<std::int32_t>();
    check_whole_sorts<std::int64_t>();
  });
}
ONEPASS_CPU_TEST(in_place_sort, by_several_threads) {
  test::at_each_simd_level(test::least_vectors, [] {
    check_teams<std::int32_t>();
    check_teams<std::int64_t>();
  });
}
#endif

ONEPASS_CPU_TEST(in_place_sort, calls) {
  test::at_each_simd_level([] {
    const std::size_t n = test::limited((std::size_t{1} << 19) + 12345);
    check_calls<std::uint32_t>(n, false);
    check_calls<float>(n, false);
    check_calls<double>(n, false);
  });
}
// More than a sort in little memory takes with a second array.
ONEPASS_CPU_TEST(in_place_sort, calls_in_little_memory) {
  const std::size_t n = test::limited((std::size_t{3} << 20) + 12345);
  check_calls<std::int32_t>(n, true);
  check_calls<float>(n, true);
  check_calls<std::uint64_t>(n, true);
}
