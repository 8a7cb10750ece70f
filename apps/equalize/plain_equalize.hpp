// SPDX-License-Identifier: Apache-2.0
// The same equalisation as a serial program does it: what a backend's result is checked against, value by value.
#pragma once

#include <cstdint>
#include <vector>

#include "picture.hpp"

namespace equalize {

struct plain_result {
  std::vector<std::uint16_t> samples;
  std::vector<std::uint32_t> lit;  // indices of pixels whose luminance is not 0
};

plain_result plainly_equalized(const picture& what, int columns, int rows, double clip);

// The luminance of a pixel, by its index.
int light_at(const picture& what, std::size_t pixel);

// How many pixels have each luminance.
std::vector<std::uint64_t> histogram_of(const picture& what);

}  // namespace equalize
