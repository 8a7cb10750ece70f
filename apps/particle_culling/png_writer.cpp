// SPDX-License-Identifier: Apache-2.0
// Writes a PNG through libpng's simplified interface, under a temporary name that becomes the real one at the end.
#include <png.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "picture.hpp"
#include "user_error.hpp"

namespace particle_culling {

void write_png(const std::string& file, const std::vector<std::uint8_t>& rgb, int width, int height) {
  const std::string unfinished = file + ".part";
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;

  std::error_code error;
  if (png_image_write_to_file(&image, unfinished.c_str(), 0, rgb.data(), 0, nullptr) == 0) {
    const std::string reason = image.message;
    png_image_free(&image);
    std::filesystem::remove(unfinished, error);
    throw user_error(file + ": can't be written: " + reason);
  }
  std::filesystem::rename(unfinished, file, error);
  if (error) {
    const std::string reason = error.message();
    std::filesystem::remove(unfinished, error);
    throw user_error(file + ": can't be written: " + reason);
  }
}

}  // namespace particle_culling
