// SPDX-License-Identifier: Apache-2.0
// Builds PLY files in memory: a header from lines, then values as text or as binary of either byte order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
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

// Third-party sample data that lies beside the project on some machines; empty where it doesn't.
inline std::string data_file(const std::string& name) {
  for (const std::filesystem::path& start : {std::filesystem::current_path(), std::filesystem::path(__FILE__)}) {
    for (std::filesystem::path folder = start; folder != folder.parent_path(); folder = folder.parent_path()) {
      const std::filesystem::path file = folder / "shared" / "data" / name;
      if (std::filesystem::exists(file)) return file.string();
    }
  }
  return {};
}

}  // namespace test
