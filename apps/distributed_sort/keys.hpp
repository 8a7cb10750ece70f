// SPDX-License-Identifier: Apache-2.0
// Keys: their types, their order, and keys that are generated from their index among those of all ranks, so that they are
// the same on any number of ranks.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "../common/random.hpp"

namespace distributed_sort {

enum class key_type { u32, u64, i32, i64, f32, f64 };
enum class distribution { uniform, zipf, equal, sorted, few };

inline const char* name_of(key_type type) {
  constexpr const char* names[] = {"u32", "u64", "i32", "i64", "f32", "f64"};
  return names[static_cast<int>(type)];
}
inline std::size_t bytes_of(key_type type) {
  return type == key_type::u32 || type == key_type::i32 || type == key_type::f32 ? 4 : 8;
}
inline const char* name_of(distribution kind) {
  constexpr const char* names[] = {"uniform", "zipf", "equal", "sorted", "few"};
  return names[static_cast<int>(kind)];
}

template <class Key>
using bits_of = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;

template <class Key>
bits_of<Key> raw_bits(Key key) {
  bits_of<Key> bits;
  std::memcpy(&bits, &key, sizeof bits);
  return bits;
}

// The key as an unsigned integer in the order of onepass's sorts: -0 equals +0, NaNs are below and above all numbers.
template <class Key>
bits_of<Key> ordered(Key key) {
  constexpr bits_of<Key> sign = bits_of<Key>{1} << (8 * sizeof(Key) - 1);
  if constexpr (std::is_unsigned_v<Key>) return key;
  else if constexpr (std::is_integral_v<Key>) return raw_bits(key) ^ sign;
  else {
    const bits_of<Key> bits = key == 0 ? 0 : raw_bits(key);
    return (bits & sign) != 0 ? ~bits : bits | sign;
  }
}

// The key that 64 random bits make: any integer; a float from -1 to before 1.
template <class Key>
Key key_of_bits(std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<Key>) {
    constexpr int digits = std::numeric_limits<Key>::digits;
    return std::ldexp(static_cast<Key>(static_cast<std::int64_t>(bits) >> (63 - digits)), -digits);
  } else {
    return static_cast<Key>(bits >> (64 - 8 * sizeof(Key)));
  }
}

template <class Key>
class key_maker {
 public:
  key_maker(distribution kind, std::uint64_t seed, std::uint64_t total) : kind_(kind), seed_(apps::mixed(seed)) {
    constexpr int digits = std::is_integral_v<Key> ? std::numeric_limits<Key>::digits : 64;
    while (total > 1 && shift_ + digits < 64 && (total - 1) >> (shift_ + digits) != 0) ++shift_;
  }
  // Of the key with this index among those of all ranks.
  Key operator()(std::uint64_t index) const {
    const std::uint64_t random = apps::mixed(seed_ ^ index);
    switch (kind_) {
      case distribution::uniform: return key_of_bits<Key>(random);
      case distribution::zipf: return key_of_bits<Key>(apps::mixed(seed_ + 1 + popularity(random)));
      case distribution::equal: return key_of_bits<Key>(seed_);
      case distribution::few: return key_of_bits<Key>(apps::mixed(seed_ + 1 + random % 16));
      case distribution::sorted: break;
    }
    return static_cast<Key>(index >> shift_);  // the same order, also where there are more indices than keys
  }

 private:
  // From 1 on, and k about as often as 1/k says: each range from a power of two up to the next as often as any other, of
  // 24. Integers alone, so that it is the same everywhere.
  static std::uint64_t popularity(std::uint64_t random) {
    const std::uint64_t begin = std::uint64_t{1} << (random % 24);
    return begin + ((random >> 8) & (begin - 1));
  }

  distribution kind_;
  std::uint64_t seed_;
  int shift_ = 0;
};

}  // namespace distributed_sort
