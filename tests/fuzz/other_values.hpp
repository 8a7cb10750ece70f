// SPDX-License-Identifier: Apache-2.0
// Types that come into few shapes: keys of fields of several types, wide integers, and what has a copy of its own.
#pragma once

#include <cstdint>
#include <string>

#include <onepass/config.hpp>
#include "../support/types.hpp"

namespace fuzz {

using test::uint128;

// A key that is sorted by b, then by a.
struct record {
  std::int32_t a;
  float b;
  static record made(std::uint64_t bits) {
    return {static_cast<std::int32_t>(bits), static_cast<float>(static_cast<std::int8_t>(bits >> 7))};
  }
  friend ONEPASS_HOST_DEVICE bool operator==(const record& x, const record& y) { return x.a == y.a && x.b == y.b; }
  static std::string text(const record& x) { return "{" + std::to_string(x.a) + ", " + std::to_string(x.b) + "f}"; }
  static constexpr const char *name = "record",
                              *definition =
                                  "struct record { std::int32_t a; float b; };\n"
                                  "record make(u64 v) { return {std::int32_t(v), float(std::int8_t(v >> 7))}; }\n";
};

// Two strings: an item that is copied byte by byte, or assigned to where none lives, is seen. On the CPU alone. The product is
// associative and not commutative.
struct word {
  std::string a, b;
  static word made(std::uint64_t bits) {
    return {std::to_string(bits), "more than a string has room for: " + std::to_string(bits)};
  }
  friend word operator*(const word& x, const word& y) { return {x.a, y.b}; }
  friend bool operator==(const word& x, const word& y) { return x.a == y.a && x.b == y.b; }
  static std::string text(const word& x) { return "{\"" + x.a + "\", \"" + x.b + "\"}"; }
  static constexpr const char
      *name = "word",
      *definition =
          "#include <string>\n"
          "struct word { std::string a, b; };\n"
          "word operator*(const word& x, const word& y) { return {x.a, y.b}; }\n"
          "bool operator==(const word& x, const word& y) { return x.a == y.a && x.b == y.b; }\n"
          "word make(u64 v) { return {std::to_string(v), \"more than a string has room for: \" + "
          "std::to_string(v)}; }\n";
};

template <class T>
constexpr bool is_word = std::is_same_v<T, word>;
// Those that tell themselves how they are made and said.
template <class T>
constexpr bool tells_itself = is_word<T> || std::is_same_v<T, record>;

inline uint128 wide_of_bits(std::uint64_t bits) {
  return static_cast<uint128>(bits) << 64 | static_cast<uint128>(bits * 0x9E3779B97F4A7C15ull);
}
constexpr const char* wide_definition =
    "using uint128 = unsigned __int128;\n"
    "uint128 wide(u64 v) { return uint128(v) << 64 | v * 0x9E3779B97F4A7C15ull; }\n";

}  // namespace fuzz
