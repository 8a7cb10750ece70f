// SPDX-License-Identifier: Apache-2.0
// Pictures and PNG files for the tests.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <random>
#include <string>

#include "../../../apps/equalize/picture.hpp"

namespace test {

// Mostly dark, with few luminances in a large part of it.
inline equalize::picture random_picture(unsigned seed, int width, int height, int channels, int depth) {
  std::mt19937 random(seed);
  equalize::picture result{width, height, channels, depth, {}};
  const unsigned most = (1U << depth) - 1;
  for (std::size_t i = 0; i < result.pixels() * static_cast<std::size_t>(channels); ++i) {
    const std::size_t column = i / static_cast<std::size_t>(channels) % static_cast<std::size_t>(width);
    const unsigned value =
        random() % 8 == 0 ? static_cast<unsigned>(random()) : static_cast<unsigned>(random() % 5 * column);
    result.samples.push_back(static_cast<std::uint16_t>(value % (most + 1)));
  }
  return result;
}

inline std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xFF);
  return bytes;
}

inline std::string png_chunk(const std::string& name, const std::string& data) {
  const std::string body = name + data;
  const uLong sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(static_cast<std::uint32_t>(sum));
}

// `rows` has a filter's byte, 0, before each row; `chunks` come before the pixels.
inline std::string png_of(std::uint32_t width, std::uint32_t height, int depth, int kind, const std::string& rows,
                          const std::string& chunks = "") {
  std::string packed(compressBound(static_cast<uLong>(rows.size())), '\0');
  uLongf size = static_cast<uLongf>(packed.size());
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
           static_cast<uLong>(rows.size()));
  packed.resize(size);
  const std::string kinds = {static_cast<char>(depth), static_cast<char>(kind), 0, 0, 0};
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", big_endian(width) + big_endian(height) + kinds) + chunks +
         png_chunk("IDAT", packed) + png_chunk("IEND", "");
}

}  // namespace test
