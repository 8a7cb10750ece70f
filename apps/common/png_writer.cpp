// SPDX-License-Identifier: Apache-2.0
// Writes a PNG through libpng's simplified interface.
#include "png_writer.hpp"

#include <png.h>

#include <stdexcept>

#include "whole_file.hpp"

namespace apps {

void write_png(const std::string& file, const std::vector<std::uint8_t>& rgb, int width, int height) {
  write_whole(file, [&](const std::string& name) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width);
    image.height = static_cast<png_uint_32>(height);
    image.format = PNG_FORMAT_RGB;
    if (png_image_write_to_file(&image, name.c_str(), 0, rgb.data(), 0, nullptr) == 0) {
      const std::string reason = image.message;
      png_image_free(&image);
      throw std::runtime_error(reason);
    }
  });
}

}  // namespace apps
