// SPDX-License-Identifier: Apache-2.0
// Walks through the items of a PLY file: ascii, binary little-endian or binary big-endian.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ply_header.hpp"

namespace apps {

// What a program makes of a file.
class ply_visitor {
 public:
  virtual ~ply_visitor() = default;

  // Comes before the items of an element: which of its properties are wanted, a value for each; or none at all. What is not
  // wanted is skipped, but must be complete.
  virtual std::vector<bool> begin(const ply_element& element) = 0;

  // One item of an element of which something is wanted. For each property its values: one; as many as a list has; none
  // where it is not wanted.
  virtual void take(const std::vector<std::vector<double>>& values) = 0;
};

// Takes `visitor` through the items of a file's bytes in the order of the file. Throws user_error, naming `file` and what is
// wrong, where it isn't PLY or is cut short, before memory is taken for what isn't there.
void read_ply_items(std::string_view bytes, const std::string& file, ply_visitor& visitor);

// What to subtract from places before they become floats: 0, but the middle of places that lie so far from 0, as those on maps
// do, that floats would lose their shape. Places beyond 1e18 don't count.
std::array<double, 3> float_origin(const std::vector<std::array<double, 3>>& places);

}  // namespace apps
