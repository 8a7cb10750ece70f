// SPDX-License-Identifier: Apache-2.0
// The same picture by a serial program without tiles: all splats in the order of their depths, each over the pixels of its box.
#pragma once

#include <vector>

#include "scene.hpp"

namespace splats {

std::vector<vec3> plainly_drawn(const scene& what, const std::vector<solid_splat>& splats, const camera& view);

}  // namespace splats
