// SPDX-License-Identifier: Apache-2.0
// Reads and writes numbers.
#include "text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace apps {

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

std::string printable(std::string_view text) {
  std::string result(text.substr(0, 40));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return result;
}

}  // namespace apps
