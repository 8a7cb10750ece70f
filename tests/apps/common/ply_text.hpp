// SPDX-License-Identifier: Apache-2.0
// Builds PLY files in memory: a header from lines, then values as text or as binary of either byte order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>

namespace test {

inline std::string ply_header(const std::string& format, std::initializer_list<const char*> lines,
                              const std::string& line_end = "\n") {
  std::string text = "ply" + line_end + "format " + format + " 1.0" + line_end;
  for (const char* line : lines) text += line + line_end;
  return text + "end_header" + line_end;
}

class binary_values {
 public:
  explicit binary_values(bool little_endian) : little_endian_(little_endian) {}

  template <class T>
  binary_values& add(T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    const std::uint16_t one = 1;
    const bool machine_is_little = *reinterpret_cast<const unsigned char*>(&one) == 1;
    if (machine_is_little != little_endian_) std::reverse(bytes, bytes + sizeof(T));
    text_.append(bytes, sizeof(T));
    return *this;
  }

  const std::string& text() const { return text_; }

 private:
  bool little_endian_;
  std::string text_;
};

}  // namespace test
