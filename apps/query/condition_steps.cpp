// SPDX-License-Identifier: Apache-2.0
// Conditions as steps: a comparison with a constant becomes a range of codes, which a row's code lies in or not.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "condition.hpp"

namespace query {
namespace {

// The codes from `low` to `last`; none where low > last.
struct codes {
  std::uint64_t low = 0, last = ~std::uint64_t{0};
};

constexpr codes all_codes{}, no_codes{1, 0};
codes up_to(std::uint64_t last) { return {0, last}; }
codes from(std::uint64_t low) { return {low, ~std::uint64_t{0}}; }
codes before(std::uint64_t end) { return end == 0 ? no_codes : up_to(end - 1); }
codes after(std::uint64_t last) { return last == ~std::uint64_t{0} ? no_codes : from(last + 1); }

// The codes that stand in a relation to the value of a code.
codes related(relation how, std::uint64_t code) {
  switch (how) {
    case relation::less: return before(code);
    case relation::less_equal: return up_to(code);
    case relation::greater: return after(code);
    case relation::greater_equal: return from(code);
    default: return {code, code};
  }
}

// The same where the constant lies between two codes: `next` is the first one behind it.
codes related_between(relation how, std::uint64_t next) {
  if (how == relation::less || how == relation::less_equal) return before(next);
  if (how == relation::greater || how == relation::greater_equal) return from(next);
  return no_codes;
}

// A number in digits, with or without a point: the whole number in front of it, and whether a digit behind it is not 0.
struct digits {
  std::int64_t whole;
  bool has_rest;
};

// Nothing for a number with an exponent, or whose whole numbers on both sides are not all of 64 bits.
std::optional<digits> digits_of(const std::string& number) {
  if (number.find_first_of("eE") != std::string::npos) return std::nullopt;
  const std::size_t point = std::min(number.find('.'), number.size());
  std::string front = number.substr(0, point);
  if (front.find_first_of("0123456789") == std::string::npos) front += '0';  // of ".5"
  const std::optional<std::int64_t> whole = integer_in(front);
  const bool has_rest = number.find_first_not_of('0', point + 1) != std::string::npos;
  if (!whole || (has_rest && *whole == greatest(*whole))) return std::nullopt;
  return digits{*whole, has_rest};
}

codes related_to_number(relation how, const std::string& constant, column_type type) {
  const double number = *apps::number_in(constant);
  const std::optional<std::int64_t> integer = integer_in(constant);
  if (type == column_type::real) {
    const std::uint64_t code = code_of(number);
    const int beside = integer ? compared(*integer, number) : 0;  // of a constant that no double has
    return beside == 0 ? related(how, code) : related_between(how, beside > 0 ? code + 1 : code);
  }
  if (const std::optional<digits> exact = digits_of(constant)) {
    const std::uint64_t code = code_of(exact->whole);
    return exact->has_rest ? related_between(how, constant[0] == '-' ? code : code + 1) : related(how, code);
  }
  constexpr double end = 9223372036854775808.0;  // 2^63
  const double whole = std::ceil(number);
  const bool takes_less = how == relation::less || how == relation::less_equal;
  const bool takes_greater = how == relation::greater || how == relation::greater_equal;
  if (whole >= end) return takes_less ? all_codes : no_codes;
  if (whole < -end) return takes_greater ? all_codes : no_codes;
  const std::uint64_t code = code_of(static_cast<std::int64_t>(whole));
  return whole == number ? related(how, code) : related_between(how, code);
}

codes related_to_text(relation how, const std::string& text, const std::vector<std::string>& words) {
  const auto place = std::lower_bound(words.begin(), words.end(), text);
  const auto code = static_cast<std::uint64_t>(place - words.begin());
  return place != words.end() && *place == text ? related(how, code) : related_between(how, code);
}

relation turned(relation how) {
  switch (how) {
    case relation::less: return relation::greater;
    case relation::less_equal: return relation::greater_equal;
    case relation::greater: return relation::less;
    case relation::greater_equal: return relation::less_equal;
    default: return how;
  }
}

class compiler {
 public:
  explicit compiler(const table& on) : on_(on) {}

  std::vector<condition_step> steps(const condition& what) {
    add(what, 1);
    return std::move(steps_);
  }

 private:
  using kind = condition_step::kind;

  // `depth`: how many truth values the stack holds then.
  void add(const condition& what, int depth) {
    if (depth > deepest_stack) throw apps::user_error("--where: is nested too deeply");
    switch (what.what) {
      case condition::kind::compare: return compare(what);
      case condition::kind::missing: return add_step(kind::missing, what.a.column);
      case condition::kind::negate: add(*what.one, depth); return add_step(kind::negate);
      default:
        add(*what.one, depth);
        add(*what.two, depth + 1);
        add_step(what.what == condition::kind::both ? kind::both : kind::either);
    }
  }

  void add_step(kind what, std::size_t a = 0) {
    steps_.emplace_back();
    steps_.back().what = what;
    steps_.back().a = a;
  }

  const column& column_of(const operand& what) const { return on_.columns[what.column]; }

  [[noreturn]] static void fail(const operand& at, const std::string& what) {
    throw apps::user_error("--where: character " + std::to_string(at.where + 1) + ": " + what);
  }

  void compare(const condition& what) {
    if (what.b.what != operand::kind::column) return compare_constant(what.a, what.how, what.b);
    if (what.a.what != operand::kind::column) return compare_constant(what.b, turned(what.how), what.a);
    const column &a = column_of(what.a), &b = column_of(what.b);
    if ((a.type == column_type::text) != (b.type == column_type::text)) {
      fail(what.b, "columns of texts and of numbers can't be compared: " + apps::printable(a.name) + ", " +
                       apps::printable(b.name));
    }
    add_step(kind::compare, what.a.column);
    condition_step& step = steps_.back();
    step.b = what.b.column;
    step.how = what.how;
    if (a.type == column_type::text) {
      std::vector<std::string> words;
      std::set_union(a.words.begin(), a.words.end(), b.words.begin(), b.words.end(), std::back_inserter(words));
      step.ranks_a = ranks(a.words, words);
      step.ranks_b = ranks(b.words, words);
    }
  }

  static std::vector<std::uint32_t> ranks(const std::vector<std::string>& of, const std::vector<std::string>& among) {
    std::vector<std::uint32_t> result;
    for (const std::string& word : of) {
      result.push_back(static_cast<std::uint32_t>(std::lower_bound(among.begin(), among.end(), word) - among.begin()));
    }
    return result;
  }

  void compare_constant(const operand& a, relation how, const operand& constant) {
    if (a.what != operand::kind::column) fail(a, "two constants are compared");
    const column& values = column_of(a);
    const bool is_text = constant.what == operand::kind::text;
    if (is_text != (values.type == column_type::text)) {
      fail(constant, "column " + apps::printable(values.name) +
                         (is_text ? " is of numbers, and this a text" : " is of texts; write this in quotes"));
    }
    const codes found = is_text ? related_to_text(how, constant.text, values.words)
                                : related_to_number(how, constant.text, values.type);
    add_step(kind::in_range, a.column);
    steps_.back().low = found.low;
    steps_.back().high = found.last;
    if (how == relation::unequal) add_step(kind::negate);
  }

  const table& on_;
  std::vector<condition_step> steps_;
};

}  // namespace

std::vector<condition_step> steps_of(const condition& what, const table& on) { return compiler(on).steps(what); }

}  // namespace query
