// SPDX-License-Identifier: Apache-2.0
// Input data: functions from an item's index to its value, so that any number of items is made in parallel, on either
// backend, and the same seed gives the same data everywhere. Never constant: hardware is faster on zeros than on data.
#pragma once

#include <onepass/onepass.hpp>

#if ONEPASS_HAS_CUDA
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace bench {

using onepass::index_t;

template <class T>
std::string name_of() {
  if constexpr (std::is_floating_point_v<T> || std::is_class_v<T>) return "f" + std::to_string(8 * sizeof(T));
  else return (std::is_signed_v<T> ? "i" : "u") + std::to_string(8 * sizeof(T));
}

// Calls f with a value of each type.
template <class... T, class F>
void for_types(F&& f) {
  (f(T{}), ...);
}

// 64 random bits for (seed, index): the finaliser of splitmix64 (Steele, Lea, Flood, 2014).
struct random_bits {
  std::uint32_t seed;
  ONEPASS_HOST_DEVICE std::uint64_t operator()(index_t i) const {
    std::uint64_t x =
        (static_cast<std::uint64_t>(i) + 1 + (static_cast<std::uint64_t>(seed) << 40)) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
};

// For sums: around zero (of floats, exactly balanced), and of such a size that no sum of 2^30 of them overflows or, of floats, has to be rounded. Then
// every order of adding them gives the same bits, and results can be compared exactly.
template <class T>
struct summands {
  using type = T;
  random_bits random;
  ONEPASS_HOST_DEVICE T operator()(index_t i) const {
    const auto bits = static_cast<std::int64_t>(random(i));
    if constexpr (std::is_same_v<T, float>) return static_cast<float>((bits >> 56) | 1) / 16;
    else if constexpr (std::is_same_v<T, double>) return static_cast<double>(bits >> 40) / 65536;
    else if constexpr (sizeof(T) == 4) return static_cast<T>(bits >> 50);
    else if constexpr (sizeof(T) == 8) return static_cast<T>(bits >> 32);
    else return static_cast<T>(bits >> (64 - 8 * sizeof(T)));
  }
};

#if ONEPASS_HAS_CUDA
// For __half and __nv_bfloat16: the steps between random whole numbers from -4 to 3. Every sum of neighbours is exact, and
// those of a thread's items are, whatever their order: CUB adds up every other one apart.
template <class T>
struct steps {
  using type = T;
  random_bits random;
  ONEPASS_HOST_DEVICE int level(index_t i) const { return static_cast<int>(random(i) >> 61) - 4; }
  ONEPASS_HOST_DEVICE type operator()(index_t i) const {
    return type(static_cast<float>(i == 0 ? level(0) : level(i) - level(i - 1)));
  }
};
#endif

// Over the whole range of the type; floats in [0, 1).
template <class T>
struct uniform {
  using type = T;
  random_bits random;
  ONEPASS_HOST_DEVICE T operator()(index_t i) const {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr int digits = std::numeric_limits<T>::digits;
      return static_cast<T>(random(i) >> (64 - digits)) / static_cast<T>(std::uint64_t{1} << digits);
    } else {
      return static_cast<T>(random(i) >> (64 - 8 * sizeof(T)));
    }
  }
};

// What `percent` of all values of uniform<T> are less than.
template <class T>
T threshold(int percent) {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(percent) / 100;
  const double least = static_cast<double>(limits::lowest()), most = static_cast<double>(limits::max());
  return static_cast<T>(least + (most - least) * percent / 100);
}

// Keys as CUB's benchmarks define them: `ands` + 1 random words and-ed together; with 0, 2, 4 ands a bit has an entropy of
// 1, 0.544, 0.201. A float key is such an integer's value, so it is never NaN.
template <class T>
struct keys {
  using type = T;
  random_bits random;
  int ands;
  ONEPASS_HOST_DEVICE T operator()(index_t i) const {
    std::uint64_t bits = ~std::uint64_t{0};
    for (int k = 0; k <= ands; ++k) bits &= random(i * 8 + k);
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(static_cast<std::int64_t>(bits));
    else return static_cast<T>(bits >> (64 - 8 * sizeof(T)));
  }
};

// Keys that are not random, or lie in a part of their range only.
enum class key_pattern { presorted, constant, three_values, three_spread, sixteen_spread, modulo_1000, below_2_16 };
struct patterned_keys {
  using type = std::uint32_t;
  random_bits random;
  key_pattern pattern;
  ONEPASS_HOST_DEVICE type operator()(index_t i) const {
    switch (pattern) {
      case key_pattern::presorted: return static_cast<type>(i);
      case key_pattern::constant: return 12345;
      case key_pattern::three_values: return static_cast<type>(random(i) % 3);
      case key_pattern::three_spread: return static_cast<type>(random(i) % 3) * 0x10203040u;  // in all digits
      case key_pattern::sixteen_spread: return static_cast<type>(random(i) % 16) * 0x9E3779B1u;
      case key_pattern::modulo_1000: return static_cast<type>(i % 1000);
      default: return static_cast<type>(random(i) & 0xFFFF);
    }
  }
};

// Keys of 64 bits whose highest digits do not tell them apart: all are below 2^32, or repeat 16 bits four times, or one in
// 10,000 is below 2^32.
enum class pattern_of_equal_bits { below_2_32, repeated, one_in_10000 };
struct keys_of_equal_bits {
  using type = std::uint64_t;
  random_bits random;
  pattern_of_equal_bits pattern;
  ONEPASS_HOST_DEVICE type operator()(index_t i) const {
    const type bits = random(2 * i);
    switch (pattern) {
      case pattern_of_equal_bits::below_2_32: return bits >> 32;
      case pattern_of_equal_bits::repeated: return (bits & 0xFFFF) * 0x0001000100010001u;
      default: return random(2 * i + 1) % 10000 == 0 ? bits >> 32 : bits;
    }
  }
};

__extension__ typedef unsigned __int128 uint128;
struct wide_keys {
  using type = uint128;
  random_bits random;
  ONEPASS_HOST_DEVICE type operator()(index_t i) const { return type{random(2 * i)} << 64 | random(2 * i + 1); }
};

// Structs that are sorted by all of their fields, or by the first one.
struct two_fields {
  float weight;
  std::int32_t kind;
};
template <int bytes>
struct record {
  std::uint32_t key;
  std::uint32_t others[bytes / 4 - 1];
};
template <class T>
struct structs {
  using type = T;
  random_bits random;
  ONEPASS_HOST_DEVICE type operator()(index_t i) const {
    if constexpr (std::is_same_v<T, two_fields>) {
      const auto bits = static_cast<std::int64_t>(random(i));
      return {static_cast<float>(bits >> 40), static_cast<std::int32_t>(bits)};
    } else {
      type item = {static_cast<std::uint32_t>(random(i) >> 32), {}};
      for (auto& other : item.others) other = static_cast<std::uint32_t>(i++);
      return item;
    }
  }
};

template <class Index>
struct indices_of {
  using type = Index;
  ONEPASS_HOST_DEVICE type operator()(index_t i) const { return static_cast<type>(i); }
};
using indices = indices_of<std::uint32_t>;
using wide_indices = indices_of<std::int64_t>;

// ---- segments -----------------------------------------------------------------------------------------------------------
// The number of item i's segment; numbers ascend, with gaps. Every `mean` items have one boundary at a random index, so
// lengths vary from 1 to 2 mean - 1. With mean = 0 the lengths follow a power law: each stretch of 2^20 items draws its
// mean from 1, 2, 4, ..., 2^19.
struct segment_number {
  random_bits random;
  index_t mean;

  ONEPASS_HOST_DEVICE index_t boundary(index_t cell, index_t length) const {  // where in a cell
    return length == 1 ? 0 : static_cast<index_t>(random(cell) % static_cast<std::uint64_t>(length));
  }
  ONEPASS_HOST_DEVICE index_t operator()(index_t i) const {
    if (mean > 0) return i / mean + (i % mean >= boundary(i / mean, mean) ? 1 : 0);
    const index_t stretch = i >> 20, within = i & 0xfffff;
    const index_t length = index_t{1} << (random(~stretch) % 20);
    return (stretch << 20) + stretch + within / length + (within % length >= boundary(i / length, length) ? 1 : 0);
  }
};

template <class T>
struct segment_keys {
  using type = T;
  segment_number number;
  ONEPASS_HOST_DEVICE T operator()(index_t i) const { return static_cast<T>(number(i)); }
};

struct segment_flags {
  using type = std::uint8_t;
  segment_number number;
  ONEPASS_HOST_DEVICE type operator()(index_t i) const { return i == 0 || number(i) != number(i - 1); }
};

struct segment_bits {  // the same, 32 to a word
  using type = std::uint32_t;
  segment_number number;
  ONEPASS_HOST_DEVICE type operator()(index_t word) const {
    type bits = 0;
    for (int b = 0; b < 32; ++b) bits |= static_cast<type>(segment_flags{number}(word * 32 + b)) << b;
    return bits;
  }
};

struct segment_offsets {  // of segments with a mean; item i is where segment i starts
  using type = index_t;
  segment_number number;
  ONEPASS_HOST_DEVICE type operator()(index_t i) const {
    return i == 0 ? 0 : (i - 1) * number.mean + number.boundary(i - 1, number.mean);
  }
};

// Offsets whose segments' lengths follow a power law: 1,024 in each stretch of 2^20 items, at k^4 / 2^20 for k = 0, 1, ... .
// So lengths grow from 0 (many segments are empty) to 4,090.
struct power_law_offsets {
  using type = index_t;
  static constexpr index_t a_stretch = 1024;
  static ONEPASS_HOST_DEVICE index_t begin_of(index_t k) { return k * k * k * k >> 20; }
  ONEPASS_HOST_DEVICE type operator()(index_t i) const { return (i / a_stretch << 20) + begin_of(i % a_stretch); }
};

struct power_law_keys {  // the same segments as keys
  using type = std::int32_t;
  ONEPASS_HOST_DEVICE type operator()(index_t i) const {
    const index_t stretch = i >> 20, within = i & 0xfffff;
    index_t k = 0;  // the last offset at or before i
    for (index_t step = power_law_offsets::a_stretch / 2; step > 0; step /= 2) {
      if (power_law_offsets::begin_of(k + step) <= within) k += step;
    }
    return static_cast<type>(stretch * power_law_offsets::a_stretch + k);
  }
};

}  // namespace bench
