// SPDX-License-Identifier: Apache-2.0
// Reads the triangles of a PLY file.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../common/vec3.hpp"

namespace rays {

using apps::vec3;

using triangle = std::array<vec3, 3>;

struct mesh {
  std::vector<triangle> triangles;
  std::uint64_t left_out = 0;  // of the file's triangles: those with a corner that is nowhere
};

// The triangles of a file's faces and triangle strips; a face of more corners becomes a fan. Those with a corner that is no
// finite number or beyond 1e18 are left out and counted. A mesh that is far from 0 is moved there, so that floats hold its
// shape. Throws apps::user_error, naming the file and what is wrong, for a
// file that can't be read, isn't PLY, is cut short, names vertices that it hasn't, or has no other triangles. read_mesh("-")
// reads standard input.
mesh read_mesh(const std::string& file);

// The same on a file's bytes in memory; `file` is the name for messages.
mesh parse_mesh(std::string_view bytes, const std::string& file);

}  // namespace rays
