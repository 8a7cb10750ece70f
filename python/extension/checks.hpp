// SPDX-License-Identifier: Apache-2.0
// What the package's Python code asks about items in the CPU's memory, each answer from one read of it.
#pragma once

#include "arguments.hpp"

#include <cmath>

namespace onepass::python {

// The items that are asked about. A null pointer is refused: an array that says it has items may have no memory.
template <class T>
const T* items_of(const input& from, std::size_t n) {
  if (n != 0 && from.is_null()) throw std::invalid_argument("onepass._core: items without memory");
  return from.of<const T>();
}

// Whether all bytes of a bool array are 0 or 1. In a NumPy array they may be others, which count as true.
inline bool are_bools(nb::handle x, std::size_t n) {
  const input from(x);
  const auto* bytes = items_of<std::uint8_t>(from, n);
  const gil_released no_gil;
  std::uint8_t all = 0;
  for (std::size_t i = 0; i < n; ++i) all |= bytes[i];
  return all <= 1;
}

// Whether some of n floats are NaN. One comparison looks at an item of each half.
template <class T>
bool any_nan(const T* x, std::size_t n) {
  const std::size_t half = n / 2;
  bool any = n % 2 == 1 && std::isnan(x[n - 1]);
  for (std::size_t i = 0; i < half; ++i) any |= std::isunordered(x[i], x[half + i]);
  return any;
}
// The same for the bits of floats of 16 bits. What is beyond infinity is NaN.
inline bool any_nan(const std::uint16_t* x, std::size_t n, int infinity) {
  int any = 0;
  for (std::size_t i = 0; i < n; ++i) any |= (x[i] & 0x7FFF) > infinity;
  return any != 0;
}
inline bool has_nan(nb::handle x, std::size_t n, int type) {
  const input from(x);
  const gil_released no_gil;
  switch (type) {
    case 8: return any_nan(items_of<float>(from, n), n);
    case 9: return any_nan(items_of<double>(from, n), n);
    case 10: return any_nan(items_of<std::uint16_t>(from, n), n, 0x7C00);
    case 11: return any_nan(items_of<std::uint16_t>(from, n), n, 0x7F80);
    default: return false;
  }
}

// Whether offsets ascend, from at least 0 to at most n.
inline bool are_offsets(nb::handle offsets, std::size_t count, std::int64_t n) {
  const input from(offsets);
  const auto* starts = items_of<std::int64_t>(from, count);
  const gil_released no_gil;
  if (count == 0) return true;
  bool descends = starts[0] < 0 || starts[count - 1] > n;
  for (std::size_t i = 1; i < count; ++i) descends |= starts[i] < starts[i - 1];
  return !descends;
}

}  // namespace onepass::python
