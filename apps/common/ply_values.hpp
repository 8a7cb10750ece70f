// SPDX-License-Identifier: Apache-2.0
// The values behind a PLY header, one after the other, as doubles: from text, or from binary of either byte order.
// Both sources have the same three members, so the reader above them is written once:
//   next(type, value)  the next value; false at the end of the file
//   skip(type, count)  leaves out that many values; false if there are fewer
//   least_bytes(type)  the fewest bytes that one value takes, to test a header's promises against the file's size
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "text.hpp"
#include "user_error.hpp"
#include "ply_header.hpp"

namespace apps {

class ply_text {
 public:
  explicit ply_text(std::string_view bytes) : bytes_(bytes) {}

  static std::size_t least_bytes(ply_type) { return 2; }                    // a digit and a blank
  std::size_t bytes_left() const { return bytes_.size() - position_ + 1; }  // the last blank may be missing

  bool next(ply_type, double& value) {
    std::string_view word = next_word();
    if (word.empty()) return false;
    const std::optional<double> number = number_in(word);
    if (!number) throw user_error("\"" + printable(word) + "\" is no number");
    value = *number;
    return true;
  }

  bool skip(ply_type, std::uint64_t count) {
    for (; count > 0; --count) {
      if (next_word().empty()) return false;
    }
    return true;
  }

 private:
  std::string_view next_word() {
    constexpr const char* blanks = " \t\r\n\v\f";
    const std::size_t begin = std::min(bytes_.find_first_not_of(blanks, position_), bytes_.size());
    position_ = std::min(bytes_.find_first_of(blanks, begin), bytes_.size());
    return bytes_.substr(begin, position_ - begin);
  }

  std::string_view bytes_;
  std::size_t position_ = 0;
};

class ply_binary {
 public:
  ply_binary(std::string_view bytes, bool little_endian) : bytes_(bytes), little_endian_(little_endian) {}

  static std::size_t least_bytes(ply_type type) { return size_of(type); }
  std::size_t bytes_left() const { return bytes_.size() - position_; }

  bool next(ply_type type, double& value) {
    const std::size_t size = size_of(type);
    if (bytes_left() < size) return false;
    value = value_of(type, unsigned_value(size));
    position_ += size;
    return true;
  }

  bool skip(ply_type type, std::uint64_t count) {
    if (count > bytes_left() / size_of(type)) return false;
    position_ += static_cast<std::size_t>(count) * size_of(type);
    return true;
  }

 private:
  // The next `size` bytes as a number, whatever the byte order of file and machine.
  std::uint64_t unsigned_value(std::size_t size) const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t at = little_endian_ ? size - 1 - i : i;
      bits = bits << 8 | static_cast<unsigned char>(bytes_[position_ + at]);
    }
    return bits;
  }

  template <class T, class Bits>
  static T as(Bits bits) {
    static_assert(sizeof(T) == sizeof(Bits), "the same bits under another type");
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }

  static double value_of(ply_type type, std::uint64_t bits) {
    switch (type) {
      case ply_type::int8: return as<std::int8_t>(static_cast<std::uint8_t>(bits));
      case ply_type::int16: return as<std::int16_t>(static_cast<std::uint16_t>(bits));
      case ply_type::int32: return as<std::int32_t>(static_cast<std::uint32_t>(bits));
      case ply_type::float32: return static_cast<double>(as<float>(static_cast<std::uint32_t>(bits)));
      case ply_type::float64: return as<double>(bits);
      default: return static_cast<double>(bits);
    }
  }

  std::string_view bytes_;
  bool little_endian_;
  std::size_t position_ = 0;
};

}  // namespace apps
