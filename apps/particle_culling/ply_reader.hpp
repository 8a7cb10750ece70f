// SPDX-License-Identifier: Apache-2.0
// Reads the points of a PLY file: ascii, binary little-endian or binary big-endian.
#pragma once

#include <string>
#include <string_view>

#include "cloud.hpp"

namespace particle_culling {

// The vertices of a file: x y z, and where the file has them nx ny nz and red green blue (integers count as fractions
// of their type's largest value; files hold colours with gamma, points get them without). Any other property or
// element is skipped, lists too, but must be complete. Points with one of these values that is no finite number (nan, inf,
// 1e999), or beyond 1e18, are left out and counted. Points in doubles that are far from 0 are moved there together, so that
// floats hold their shape. Throws apps::user_error, naming the file and what is wrong,
// for a file that can't be read, isn't PLY, is cut short or holds no other points. read_ply("-") reads standard input.
cloud read_ply(const std::string& file);

// The same on a file's bytes in memory; `file` is the name for messages.
cloud parse_ply(std::string_view bytes, const std::string& file);

}  // namespace particle_culling
