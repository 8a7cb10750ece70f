// SPDX-License-Identifier: Apache-2.0
// Two pictures side by side, each over its histogram.
#pragma once

#include <string>

#include "picture.hpp"

namespace equalize {

// Draws it as a PNG of 1200 x 900 pixels. Throws apps::user_error where the file can't be written.
void write_figure(const std::string& file, const std::string& title, const picture& before, const picture& after);

}  // namespace equalize
