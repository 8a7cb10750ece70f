// SPDX-License-Identifier: Apache-2.0
// PNG files as pictures, with all their bits.
#pragma once

#include <string>
#include <string_view>

#include "picture.hpp"

namespace equalize {

// Palettes become colours, fewer than 8 bits become 8, and a transparent colour becomes opacity. Throws apps::user_error,
// naming `file`, for anything that is no PNG, or a damaged one, and for more pixels than a file of its size can hold.
picture parse_png(std::string_view bytes, const std::string& file);
picture read_png(const std::string& file);  // "-": standard input

// The bytes of a PNG file. Throws apps::user_error, naming `file`, where libpng can't make it.
std::string as_png(const picture& what, const std::string& file);

}  // namespace equalize
