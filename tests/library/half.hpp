// SPDX-License-Identifier: Apache-2.0
// Floats of 16 bits for tests: to floats and back by arithmetic alone, so that nothing is shared with the library.
#pragma once

#include <cmath>
#include <limits>
#include <numeric>

#include "library/fixture.hpp"

namespace onepass::library {  // so that a failed comparison can show one
inline std::ostream& operator<<(std::ostream& out, half item) { return out << "bits " << item.bits; }
inline std::ostream& operator<<(std::ostream& out, bfloat16 item) { return out << "bits " << item.bits; }
}  // namespace onepass::library

namespace test {

template <class F>
void for_each_half(F f) {
  f(type_tag<library::half>{});
  f(type_tag<library::bfloat16>{});
}

template <class H>
constexpr int fraction_bits = std::is_same_v<H, library::half> ? 10 : 7;
template <class H>
constexpr int exponent_bias = std::is_same_v<H, library::half> ? 15 : 127;

template <class H>
float widened(H item) {
  constexpr int fraction = fraction_bits<H>, bias = exponent_bias<H>;
  const int exponent = (item.bits & 0x7fff) >> fraction, rest = item.bits & ((1 << fraction) - 1);
  double x = exponent == 0 ? std::ldexp(rest, 1 - bias - fraction)
                           : std::ldexp((1 << fraction) + rest, exponent - bias - fraction);
  if (exponent == 2 * bias + 1) x = rest == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
  return static_cast<float>((item.bits & 0x8000) != 0 ? -x : x);
}

// Rounded to the nearest, and of two equally near ones to the even one.
template <class H>
H narrow(float x) {
  constexpr int fraction = fraction_bits<H>, bias = exponent_bias<H>;
  const int sign = std::signbit(x) ? 0x8000 : 0, infinity = (2 * bias + 1) << fraction;
  int bits = infinity;
  if (std::isnan(x)) {
    bits = infinity + 1;
  } else if (x == 0) {
    bits = 0;
  } else if (!std::isinf(x)) {
    int exponent;
    (void)std::frexp(x, &exponent);
    const int quantum = std::max(exponent - 1, 1 - bias) - fraction;  // what the last bit stands for
    const auto units = static_cast<int>(std::nearbyint(std::ldexp(std::abs(static_cast<double>(x)), -quantum)));
    // A carry into the exponent makes the next power of two. A number below the first power of two has exponent 0.
    bits = std::min(((quantum + fraction + bias - 1) << fraction) + units, infinity);
  }
  return H{static_cast<std::uint16_t>(sign | bits)};
}

template <class H>
std::vector<float> widened(const std::vector<H>& items) {
  std::vector<float> all;
  for (const H item : items) all.push_back(widened(item));
  return all;
}
template <class H>
std::vector<H> narrowed(const std::vector<float>& items) {
  std::vector<H> all;
  for (const float item : items) all.push_back(narrow<H>(item));
  return all;
}

// The same bits, but that any NaN is another.
template <class H>
testing::AssertionResult same_numbers(const std::vector<H>& actual, const std::vector<H>& expected) {
  return detail::compare(actual, expected, [](H a, H b, std::size_t) {
    return a.bits == b.bits || (std::isnan(widened(a)) && std::isnan(widened(b)));
  });
}

}  // namespace test
