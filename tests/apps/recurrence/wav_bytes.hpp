// SPDX-License-Identifier: Apache-2.0
// WAV files made byte by byte, so that reading them is not tested against the library that reads them.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace test {

inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 255);
  return text;
}

// Values from -1 to 1, channels one after the other in each frame; `bits` of PCM, or 0 for 32-bit floats.
inline std::string wav_bytes(const std::vector<double>& values, int bits, int channels, int rate) {
  const int bytes = bits == 0 ? 4 : bits / 8;
  std::string data;
  for (const double value : values) {
    if (bits == 0) {
      const auto narrow = static_cast<float>(value);
      std::uint32_t pattern = 0;
      std::memcpy(&pattern, &narrow, 4);
      data += little_endian(pattern, 4);
    } else {
      data += little_endian(static_cast<std::uint64_t>(std::llround(std::ldexp(value, bits - 1))), bytes);
    }
  }
  const std::string format = little_endian(bits == 0 ? 3 : 1, 2) +
                             little_endian(static_cast<std::uint64_t>(channels), 2) +
                             little_endian(static_cast<std::uint64_t>(rate), 4) +
                             little_endian(static_cast<std::uint64_t>(rate * channels * bytes), 4) +
                             little_endian(static_cast<std::uint64_t>(channels * bytes), 2) +
                             little_endian(static_cast<std::uint64_t>(bytes * 8), 2);
  const std::string chunks =
      "WAVEfmt " + little_endian(format.size(), 4) + format + "data" + little_endian(data.size(), 4) + data;
  return "RIFF" + little_endian(chunks.size(), 4) + chunks;
}

}  // namespace test
