// SPDX-License-Identifier: Apache-2.0
// What a column holds, and how its values become unsigned numbers of the same order, on any backend.
#pragma once

#include <onepass/config.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

namespace query {

// A text is stored as its index in a sorted dictionary, so that indices compare as texts do.
enum class column_type : std::uint8_t { integer, real, text };

// The values that stand for a missing one. No other NaN is in a column.
constexpr std::int64_t missing_integer = std::numeric_limits<std::int64_t>::min();
constexpr double missing_real = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint32_t missing_text = std::numeric_limits<std::uint32_t>::max();

ONEPASS_HOST_DEVICE inline bool is_missing(std::int64_t value) { return value == missing_integer; }
ONEPASS_HOST_DEVICE inline bool is_missing(double value) { return value != value; }
ONEPASS_HOST_DEVICE inline bool is_missing(std::uint32_t value) { return value == missing_text; }

// A number for each value that is not missing, in the values' order.
ONEPASS_HOST_DEVICE inline std::uint64_t code_of(std::int64_t value) {
  return static_cast<std::uint64_t>(value) ^ std::uint64_t{1} << 63;
}
ONEPASS_HOST_DEVICE inline std::uint64_t code_of(double value) {
  value += 0.0;  // both zeros are one value
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits >> 63 != 0 ? 0 - bits
                         : bits | std::uint64_t{1} << 63;  // so that no code lies between those of two values
}
ONEPASS_HOST_DEVICE inline std::uint64_t code_of(std::uint32_t value) { return value; }

// The least and the greatest value of a type, and the value of a code; of one that is none's, the nearest value.
inline std::int64_t least(std::int64_t) { return std::numeric_limits<std::int64_t>::min(); }
inline double least(double) { return -std::numeric_limits<double>::infinity(); }
inline std::uint32_t least(std::uint32_t) { return 0; }
inline std::int64_t greatest(std::int64_t) { return std::numeric_limits<std::int64_t>::max(); }
inline double greatest(double) { return std::numeric_limits<double>::infinity(); }
inline std::uint32_t greatest(std::uint32_t) { return std::numeric_limits<std::uint32_t>::max(); }

inline std::int64_t value_of(std::uint64_t code, std::int64_t) {
  return static_cast<std::int64_t>(code ^ std::uint64_t{1} << 63);
}
inline std::uint32_t value_of(std::uint64_t code, std::uint32_t) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(code, std::numeric_limits<std::uint32_t>::max()));
}
inline double value_of(std::uint64_t code, double) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (code <= code_of(-infinity)) return -infinity;
  if (code >= code_of(infinity)) return infinity;
  const std::uint64_t bits = code >> 63 != 0 ? code ^ std::uint64_t{1} << 63 : 0 - code;
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// -1, 0, 1: an integer beside a real number, exactly.
ONEPASS_HOST_DEVICE inline int compared(std::int64_t a, double b) {
  constexpr double end = 9223372036854775808.0;  // 2^63
  if (b >= end) return -1;
  if (b < -end) return 1;
  const auto whole = static_cast<std::int64_t>(b);  // towards zero
  if (a != whole) return a < whole ? -1 : 1;
  const double rest = b - static_cast<double>(whole);
  return rest > 0 ? -1 : rest < 0 ? 1 : 0;
}

// A column's values in the memory of a backend.
struct column_view {
  const void* values = nullptr;
  column_type type = column_type::integer;

  template <class T>
  ONEPASS_HOST_DEVICE T at(std::int64_t row) const {
    return static_cast<const T*>(values)[row];
  }
  ONEPASS_HOST_DEVICE bool missing(std::int64_t row) const {
    if (type == column_type::integer) return is_missing(at<std::int64_t>(row));
    if (type == column_type::text) return is_missing(at<std::uint32_t>(row));
    return is_missing(at<double>(row));
  }
  ONEPASS_HOST_DEVICE std::uint64_t code(std::int64_t row) const {  // of a value that is not missing
    if (type == column_type::integer) return code_of(at<std::int64_t>(row));
    if (type == column_type::text) return code_of(at<std::uint32_t>(row));
    return code_of(at<double>(row));
  }
};

}  // namespace query
