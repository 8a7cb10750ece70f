// SPDX-License-Identifier: Apache-2.0
// From the linear colours that drawing adds up to those of a PNG file.
#pragma once

#include <cstdint>
#include <vector>

#include "vec3.hpp"

namespace apps {

// The exposure under which the brightest 0.7 % of a picture's lit pixels come out nearly white; 1 for an all-black picture.
float find_exposure(const std::vector<vec3>& image);

// 8 bits a channel, RGB. Dark parts are stretched and bright ones compressed, colours keep their hue, and gamma is
// applied. `compress` false leaves colours from 0 to 1 as they are (but for gamma).
std::vector<std::uint8_t> tone_mapped(const std::vector<vec3>& image, float exposure, bool compress);

}  // namespace apps
