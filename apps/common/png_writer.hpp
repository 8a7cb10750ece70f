// SPDX-License-Identifier: Apache-2.0
// PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace apps {

// Writes `rgb`, width x height x 3 bytes, as `file`: under a temporary name first, so that nobody finds half a picture.
// Throws user_error, naming the file, when that fails; nothing is left behind then.
void write_png(const std::string& file, const std::vector<std::uint8_t>& rgb, int width, int height);

}  // namespace apps
