// SPDX-License-Identifier: Apache-2.0
// Reads a PLY header line by line; each keyword has a function of its own.
#include "ply_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "text.hpp"
#include "user_error.hpp"

namespace apps {
namespace {

struct type_name {
  std::string_view name;
  ply_type type;
};

// Both generations of names are in use.
constexpr std::array<type_name, 16> type_names{{{"char", ply_type::int8},
                                                {"uchar", ply_type::uint8},
                                                {"short", ply_type::int16},
                                                {"ushort", ply_type::uint16},
                                                {"int", ply_type::int32},
                                                {"uint", ply_type::uint32},
                                                {"float", ply_type::float32},
                                                {"double", ply_type::float64},
                                                {"int8", ply_type::int8},
                                                {"uint8", ply_type::uint8},
                                                {"int16", ply_type::int16},
                                                {"uint16", ply_type::uint16},
                                                {"int32", ply_type::int32},
                                                {"uint32", ply_type::uint32},
                                                {"float32", ply_type::float32},
                                                {"float64", ply_type::float64}}};

constexpr std::size_t longest_line = 4096;  // a longer one means that this is no header

class header_parser {
 public:
  header_parser(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  ply_header parse() {
    if (next_line() != "ply") throw user_error(file_ + ": not a PLY file (it doesn't start with \"ply\")");
    bool format_seen = false;
    for (;;) {
      const std::vector<std::string_view> words = split(next_line());
      if (words.empty() || words[0] == "comment" || words[0] == "obj_info") continue;
      if (words[0] == "end_header") break;
      if (words[0] == "format") {
        read_format(words);
        format_seen = true;
      } else if (words[0] == "element") {
        read_element(words);
      } else if (words[0] == "property") {
        read_property(words);
      } else {
        fail("unknown keyword " + quoted(words[0]));
      }
    }
    if (!format_seen) fail("the header has no format line");
    header_.size = position_;
    return std::move(header_);
  }

 private:
  // The next line without its end, which may be "\n", "\r\n" or "\r".
  std::string_view next_line() {
    ++line_;
    const std::size_t end = bytes_.find_first_of("\r\n", position_);
    if (end == std::string_view::npos || end - position_ > longest_line) {
      if (line_ == 1) return {};
      fail("the file ends, or turns into something else, before \"end_header\"");
    }
    const std::string_view line = bytes_.substr(position_, end - position_);
    position_ = end + 1;
    // A "\r" before binary data whose first byte is "\n" can't be told from "\r\n"; no writer of "\r" alone is left.
    if (bytes_[end] == '\r' && position_ < bytes_.size() && bytes_[position_] == '\n') ++position_;
    return line;
  }

  static std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> words;
    constexpr const char* blanks = " \t";
    for (std::size_t begin = line.find_first_not_of(blanks); begin != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
      words.push_back(line.substr(begin, end - begin));
      begin = line.find_first_not_of(blanks, end);
    }
    return words;
  }

  void read_format(const std::vector<std::string_view>& words) {
    if (words.size() != 3) fail("a format line needs a format and a version");
    if (words[1] == "ascii") {
      header_.format = ply_format::ascii;
    } else if (words[1] == "binary_little_endian") {
      header_.format = ply_format::little_endian;
    } else if (words[1] == "binary_big_endian") {
      header_.format = ply_format::big_endian;
    } else {
      fail("unknown format " + quoted(words[1]));
    }
    if (words[2] != "1.0") fail("unknown version " + quoted(words[2]));
  }

  void read_element(const std::vector<std::string_view>& words) {
    if (words.size() != 3) fail("an element line needs a name and a count");
    ply_element element;
    element.name = std::string(words[1]);
    const char* end = words[2].data() + words[2].size();
    const auto parsed = std::from_chars(words[2].data(), end, element.count);
    if (parsed.ec != std::errc() || parsed.ptr != end) fail(quoted(words[2]) + " is no count of elements");
    header_.elements.push_back(std::move(element));
  }

  void read_property(const std::vector<std::string_view>& words) {
    if (header_.elements.empty()) fail("a property before the first element");
    ply_property property;
    property.is_list = words.size() > 1 && words[1] == "list";
    if (words.size() != (property.is_list ? 5U : 3U)) fail("a property line needs its types and a name");
    if (property.is_list) property.count_type = type_of(words[2]);
    if (property.is_list && property.count_type >= ply_type::float32) fail("a list's length must be an integer");
    property.type = type_of(words[words.size() - 2]);
    property.name = std::string(words.back());
    header_.elements.back().properties.push_back(std::move(property));
  }

  ply_type type_of(std::string_view word) const {
    for (const type_name& known : type_names) {
      if (known.name == word) return known.type;
    }
    fail("unknown type " + quoted(word));
  }

  static std::string quoted(std::string_view word) { return "\"" + printable(word) + "\""; }

  [[noreturn]] void fail(const std::string& what) const {
    throw user_error(file_ + ": line " + std::to_string(line_) + ": " + what);
  }

  std::string_view bytes_;
  const std::string& file_;
  ply_header header_;
  std::size_t position_ = 0;
  std::size_t line_ = 0;
};

}  // namespace

std::size_t size_of(ply_type type) {
  constexpr std::array<std::size_t, 8> sizes{1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

ply_header parse_ply_header(std::string_view bytes, const std::string& file) {
  return header_parser(bytes, file).parse();
}

}  // namespace apps
