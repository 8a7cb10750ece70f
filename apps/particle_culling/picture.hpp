// SPDX-License-Identifier: Apache-2.0
// From the linear colours that drawing adds up to a PNG file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vec3.hpp"

namespace particle_culling {

// The exposure under which the brightest 0.7 % of a picture's lit pixels come out nearly white; 1 for an all-black picture.
float find_exposure(const std::vector<vec3>& image);

// 8 bits a channel, RGB. Dark parts are stretched and bright ones compressed, colours keep their hue, and gamma is
// applied. `compress` false leaves colours from 0 to 1 as they are (but for gamma).
std::vector<std::uint8_t> tone_mapped(const std::vector<vec3>& image, float exposure, bool compress);

// Writes `rgb`, width x height x 3 bytes, as `file`: under a temporary name first, so that nobody finds half a picture.
// Throws user_error, naming the file, when that fails; nothing is left behind then.
void write_png(const std::string& file, const std::vector<std::uint8_t>& rgb, int width, int height);

}  // namespace particle_culling
