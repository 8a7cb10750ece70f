// SPDX-License-Identifier: Apache-2.0
// Seeded inputs: the same numbers on every machine, because each is a hash of the seed and its index.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "types.hpp"

namespace test {

// Source: G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators" (2014): SplitMix64.
inline ONEPASS_HOST_DEVICE std::uint64_t hash(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = (seed + 1) * 0xD1B54A32D192ED03ull + (index + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// A value of any bits: an integer in its whole range, a float in [-1, 1), a struct of such. Maps and matrices have an inverse:
// products of others are soon zero, as memory is that nobody has written.
template <class T>
T value_from(std::uint64_t bits) {
  if constexpr (is_wide_integer<T>)
    return static_cast<T>(static_cast<uint128>(bits) << 64 | static_cast<uint128>(bits * 0x9E3779B97F4A7C15ull));
  else if constexpr (std::is_integral_v<T>) return static_cast<T>(bits);
  else if constexpr (std::is_same_v<T, matrix>) {
    const auto b = static_cast<std::uint32_t>(hash(bits, 0)), c = static_cast<std::uint32_t>(hash(bits, 1));
    return {1 + b * c, b, c, 1};
  } else if constexpr (std::is_same_v<T, triple>) {
    return {hash(bits, 0), hash(bits, 1), hash(bits, 2)};
  } else if constexpr (std::is_same_v<T, byte_map>) {
    return {static_cast<std::uint8_t>(bits | 1), static_cast<std::uint8_t>(bits >> 8)};
  } else {
    return from_double<T>(static_cast<double>(static_cast<std::int64_t>(bits)) / 9223372036854775808.0);
  }
}

template <class T>
std::vector<T> random_values(std::size_t n, std::uint64_t seed) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = value_from<T>(hash(seed, i));
  return values;
}

// Whole numbers in [low, high]: sums of them are exact in any type that holds them.
template <class T>
std::vector<T> random_between(std::size_t n, std::uint64_t seed, std::int64_t low, std::int64_t high) {
  std::vector<T> values(n);
  const auto range = static_cast<std::uint64_t>(high - low + 1);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t whole = low + static_cast<std::int64_t>(hash(seed, i) % range);
    if constexpr (std::is_integral_v<T>) values[i] = static_cast<T>(whole);
    else values[i] = from_double<T>(static_cast<double>(whole));
  }
  return values;
}

// Floats in [0, 1): a running sum of them loses nothing to cancellation.
template <class T>
std::vector<T> random_fractions(std::size_t n, std::uint64_t seed) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = from_double<T>(static_cast<double>(hash(seed, i) >> 11) * 0x1p-53);
  return values;
}

// Orders that sorts and compactions meet.
enum class pattern { uniform, few_valued, presorted, reversed, all_equal, low_entropy };
constexpr pattern all_patterns[] = {pattern::uniform,  pattern::few_valued, pattern::presorted,
                                    pattern::reversed, pattern::all_equal,  pattern::low_entropy};

inline const char* name_of(pattern p) {
  switch (p) {
    case pattern::uniform: return "uniform";
    case pattern::few_valued: return "few valued";
    case pattern::presorted: return "presorted";
    case pattern::reversed: return "reversed";
    case pattern::all_equal: return "all equal";
    case pattern::low_entropy: return "low entropy";
  }
  return "";
}

template <class T>
std::vector<T> keys(std::size_t n, std::uint64_t seed, pattern p) {
  std::vector<T> values(n);
  const auto less = [](const T& a, const T& b) {
    if constexpr (std::is_integral_v<T> || is_wide_integer<T>) return a < b;
    else return as_double(a) < as_double(b);
  };
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t bits = hash(seed, i);
    if (p == pattern::few_valued) bits = hash(seed + 1, bits % 5);
    if (p == pattern::all_equal) bits = hash(seed, 0);
    // The and of words: each bit is set once in 2^4 times (Thearling and Smith, "An Improved Supercomputer Sorting
    // Benchmark", 1992).
    if (p == pattern::low_entropy) bits &= hash(seed + 2, i) & hash(seed + 3, i) & hash(seed + 4, i);
    values[i] = value_from<T>(bits);
  }
  if (p == pattern::presorted || p == pattern::reversed) std::stable_sort(values.begin(), values.end(), less);
  if (p == pattern::reversed) std::reverse(values.begin(), values.end());
  return values;
}

// Flags that are set with probability `share`.
inline std::vector<std::uint8_t> random_flags(std::size_t n, std::uint64_t seed, double share) {
  std::vector<std::uint8_t> flags(n);
  const auto limit = static_cast<std::uint64_t>(share * 0x1p53);
  for (std::size_t i = 0; i < n; ++i) flags[i] = (hash(seed, i) >> 11) < limit ? 1 : 0;
  return flags;
}

// Where segments start: lengths from 1 to 2 `mean` - 1; with `mean` 0, a few lengths of every magnitude up to n.
inline std::vector<std::int64_t> segment_starts(std::size_t n, std::uint64_t seed, std::size_t mean) {
  std::vector<std::int64_t> starts;
  std::uint64_t i = 0;
  for (std::size_t at = 0; at < n; ++i) {
    starts.push_back(static_cast<std::int64_t>(at));
    const std::uint64_t bits = hash(seed, i);
    at += mean > 0 ? 1 + bits % (2 * mean - 1) : 1 + (hash(seed + 1, i) & ((std::uint64_t{1} << (bits % 18)) - 1));
  }
  return starts;
}

inline std::vector<std::uint8_t> flags_at(const std::vector<std::int64_t>& starts, std::size_t n) {
  std::vector<std::uint8_t> flags(n);
  for (const std::int64_t start : starts) flags[static_cast<std::size_t>(start)] = 1;
  return flags;
}

// Keys that change where segments start, and come again later: only neighbours are compared.
template <class K>
std::vector<K> keys_of(const std::vector<std::int64_t>& starts, std::size_t n, std::uint64_t seed) {
  std::vector<K> keys(n);
  for (std::size_t s = 0; s < starts.size(); ++s) {
    const std::size_t end = s + 1 < starts.size() ? static_cast<std::size_t>(starts[s + 1]) : n;
    for (auto i = static_cast<std::size_t>(starts[s]); i < end; ++i)
      keys[i] = static_cast<K>(hash(seed, s) % 50 * 2 + s % 2);
  }
  return keys;
}

}  // namespace test
