// SPDX-License-Identifier: Apache-2.0
// Encodes a PNG through libpng's simplified interface.
#include "png_writer.hpp"

#include <png.h>

#include "user_error.hpp"
#include "whole_file.hpp"

namespace apps {

void write_png(const std::string& file, const std::vector<std::uint8_t>& rgb, int width, int height) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, rgb.data(), 0, nullptr) == 0) {
    const std::string reason = image.message;
    png_image_free(&image);
    throw user_error(file + ": can't be written: " + reason);
  }
  bytes.resize(size);
  write_whole(file, bytes);
}

}  // namespace apps
