// SPDX-License-Identifier: Apache-2.0
// Columns made value by value from values that have types already.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "table.hpp"

namespace query {

// The number that a floating-point number of 16 bits is.
inline double number_of_half(int bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  if (exponent == 31) value = fraction == 0 ? greatest(double{}) : missing_real;
  return bits >> 15 != 0 ? -value : value;
}

// Of numbers. One that an integer column can't hold makes all of it reals.
class number_column {
 public:
  explicit number_column(column_type type) { result_.type = type; }

  void reserve(std::size_t rows) {
    if (result_.type == column_type::integer) result_.integers.reserve(rows);
    else result_.reals.reserve(rows);
  }

  void add(std::int64_t value) {
    if (value == missing_integer) become_real();
    if (result_.type == column_type::integer) result_.integers.push_back(value);
    else result_.reals.push_back(static_cast<double>(value));
  }
  void add(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(greatest(std::int64_t{}))) add(static_cast<double>(value));
    else add(static_cast<std::int64_t>(value));
  }
  void add(double value) {
    become_real();
    result_.reals.push_back(is_missing(value) ? missing_real : value);
  }
  void add(std::string_view digits) {  // of a number
    if (const std::optional<std::int64_t> whole = integer_in(digits)) return add(*whole);
    const std::optional<double> number = apps::number_in(digits);
    if (!number) throw apps::user_error("\"" + apps::printable(digits) + "\" is no number");
    add(*number);
  }
  void add_missing() {
    if (result_.type == column_type::integer) result_.integers.push_back(missing_integer);
    else result_.reals.push_back(missing_real);
  }

  column built() { return std::move(result_); }

 private:
  void become_real() {
    if (result_.type == column_type::real) return;
    result_.type = column_type::real;
    result_.reals.reserve(result_.integers.capacity());
    for (const std::int64_t value : result_.integers) {
      result_.reals.push_back(is_missing(value) ? missing_real : static_cast<double>(value));
    }
    result_.integers = {};
  }

  column result_;
};

// Of texts, each given by a key. The keys' order is the texts' order, and no two keys have the same text.
template <class Key>
class text_column {
 public:
  void reserve(std::size_t rows) { result_.texts.reserve(rows); }

  void add(Key key) {
    auto place = found_.find(key);
    if (place == found_.end()) {
      place = found_.emplace(kept(key), static_cast<std::uint32_t>(found_.size())).first;
      keys_.push_back(*place);
    }
    result_.texts.push_back(place->second);
  }
  void add_missing() { result_.texts.push_back(missing_text); }

  column built() {  // of keys that are texts
    return ranked([&](const numbered& key) { return std::move(owned_[key.second]); });
  }
  template <class AsText>
  column built(AsText as_text) {
    return ranked([&](const numbered& key) { return as_text(key.first); });
  }

 private:
  using numbered = std::pair<Key, std::uint32_t>;  // in the order in which they came

  static std::int64_t kept(std::int64_t number) { return number; }
  std::string_view kept(std::string_view text) { return owned_.emplace_back(text); }

  template <class Word>
  column ranked(Word word) {
    found_ = {};
    std::vector<std::uint32_t> ranks(keys_.size());
    std::sort(keys_.begin(), keys_.end());
    result_.words.reserve(keys_.size());
    for (const numbered& key : keys_) {
      ranks[key.second] = static_cast<std::uint32_t>(result_.words.size());
      result_.words.push_back(word(key));
    }
    for (std::uint32_t& text : result_.texts) {
      if (text != missing_text) text = ranks[text];
    }
    result_.type = column_type::text;
    return std::move(result_);
  }

  column result_;
  std::unordered_map<Key, std::uint32_t> found_;
  std::vector<numbered> keys_;
  std::deque<std::string> owned_;  // by number, which views refer to
};

}  // namespace query
