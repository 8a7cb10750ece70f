// SPDX-License-Identifier: Apache-2.0
// Reads and writes numbers; makes text from files safe for a terminal.
#include "text.hpp"

#include <charconv>
#include <cstddef>
#include <cstdlib>

namespace apps {
namespace {

// The character at the start of `text`, and its bytes; of no bytes where that is not UTF-8.
struct character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t bytes = byte(0) < 0xC0 ? 0 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : byte(0) < 0xF8 ? 4 : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t code = byte(0) & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  const std::uint32_t least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code < least || code > 0x10FFFF || surrogate ? character{} : character{code, bytes};
}

// Neither a control character nor one that turns the order of what follows.
bool harmless(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return false;
  return !(code >= 0x2028 && code <= 0x202E) && !(code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
  return digits;
}

std::optional<double> number_in(std::string_view word) {
  std::string_view digits = word;
  if (!digits.empty() && digits[0] == '+') digits.remove_prefix(1);
  if (digits.empty() || digits[0] == '+' || (digits[0] == '-' && digits.size() != word.size())) return std::nullopt;
  double value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ptr != digits.data() + digits.size() || parsed.ec == std::errc::invalid_argument) return std::nullopt;
  // from_chars doesn't say whether a number is too large or too small.
  if (parsed.ec == std::errc::result_out_of_range) value = std::strtod(std::string(digits).c_str(), nullptr);
  return value;
}

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const character next = first_character(text);
    if (next.bytes != 0 && harmless(next.code)) {
      result += text.substr(0, next.bytes);
      text.remove_prefix(next.bytes);
    } else {
      result += formatted("\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
      text.remove_prefix(1);
    }
  }
  return result;
}

std::string printable(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string_view start = text.substr(0, most);
  // Not in the middle of a character.
  while (start.size() < text.size() && !start.empty() &&
         (static_cast<unsigned char>(text[start.size()]) & 0xC0) == 0x80) {
    start.remove_suffix(1);
  }
  return escaped(start);
}

}  // namespace apps
