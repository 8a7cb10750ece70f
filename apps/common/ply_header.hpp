// SPDX-License-Identifier: Apache-2.0
// The header of a PLY file: which elements follow, how many of each, and of which properties they are made.
// Format: Greg Turk, "The PLY Polygon File Format", 1994.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace apps {

enum class ply_format { ascii, little_endian, big_endian };
enum class ply_type { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct ply_property {
  std::string name;
  ply_type type = ply_type::float32;
  bool is_list = false;
  ply_type count_type = ply_type::uint8;  // of a list's length
};

struct ply_element {
  std::string name;
  std::uint64_t count = 0;
  std::vector<ply_property> properties;
};

struct ply_header {
  ply_format format = ply_format::ascii;
  std::vector<ply_element> elements;
  std::size_t size = 0;  // bytes up to and with the line end of "end_header"
};

// Bytes of one value in a binary file.
std::size_t size_of(ply_type type);

// Reads the header at the start of a file's bytes. Throws user_error, naming `file` and the line, when it isn't one.
ply_header parse_ply_header(std::string_view bytes, const std::string& file);

}  // namespace apps
