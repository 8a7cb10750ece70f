// SPDX-License-Identifier: Apache-2.0
// Numbers as text, and text as numbers.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace apps {

// As printf does it, up to 255 characters.
template <class... Values>
std::string formatted(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

// 1234567 as 1,234,567.
std::string grouped(std::uint64_t number);

// The number that all of `word` is; nothing where it is none. Infinite where it is too large for a double.
std::optional<double> number_in(std::string_view word);

// `text` for a terminal: control characters, line ends too, and bytes that are not UTF-8 as "\x1b".
std::string escaped(std::string_view text);

// The same of its first 40 bytes, fit to be quoted in a line of an error.
std::string printable(std::string_view text);

}  // namespace apps
