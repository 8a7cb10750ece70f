// SPDX-License-Identifier: Apache-2.0
// Reads and writes scenes of splats as PLY files, as Kerbl et al.'s program and most others do.
#pragma once

#include <string>
#include <string_view>

#include "scene.hpp"

namespace splats {

// The vertices of a file: x y z; f_dc_0 to 2 and f_rest_0 and up, coefficients of spherical harmonics, f_rest of all degrees of
// red, then of green, then of blue: 0, 9, 24 or 45 of them for the degrees 0 to 3; opacity, before the logistic function;
// scale_0 to 2, logarithms; rot_0 to 3, a quaternion w x y z of any length. Other properties, such as nx ny nz, and other
// elements are skipped, but must be complete. Splats with a value that is no finite number, with one beyond 1e18, with a scale
// whose logarithm is beyond 40, or with a rotation of length 0 are left out and counted. Throws apps::user_error, naming the
// file and what is wrong, for a file that can't be read, isn't PLY, is cut short, lacks a property, or holds no other splats.
// read_splats("-") reads standard input.
scene read_splats(const std::string& file);

// The same on a file's bytes in memory; `file` is the name for messages.
scene parse_splats(std::string_view bytes, const std::string& file);

// The bytes of such a file, binary and little-endian.
std::string splat_file(const scene& what);

}  // namespace splats
