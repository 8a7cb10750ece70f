// SPDX-License-Identifier: Apache-2.0
// Normals for clouds that come without any, so that they can be lit and their far side left out.
#pragma once

#include <vector>

#include "cloud.hpp"

namespace particle_culling {

// Sets the normal of every point: the direction in which its neighbours spread least, turned outwards. Points with
// fewer than two neighbours keep a null normal. Order: about n log n; deterministic.
void estimate_normals(std::vector<point>& points);

}  // namespace particle_culling
