// SPDX-License-Identifier: Apache-2.0
// Conditions from text, by recursive descent.
#include <algorithm>
#include <cmath>
#include <utility>

#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "condition.hpp"

namespace query {
namespace {

using node = std::unique_ptr<condition>;

node joined(condition::kind what, node one, node two) {
  node result = std::make_unique<condition>();
  result->what = what;
  result->one = std::move(one);
  result->two = std::move(two);
  return result;
}

class parser {
 public:
  parser(const std::string& text, const table& on) : text_(text), on_(on) { next(); }

  node all() {
    node result = either();
    if (token_ != token::end) fail("is more than one condition; there is no \"and\" or \"or\" before it");
    return result;
  }

 private:
  enum class token { word, column, number, text, sign, end };

  [[noreturn]] void fail(const std::string& what) const {
    const std::string name = token_ == token::end ? "the end" : "\"" + apps::printable(value_) + "\"";
    throw apps::user_error("--where: character " + std::to_string(begin_ + 1) + ": " + name + " " + what);
  }

  node either() {
    node result = both();
    while (take("or") || take("||")) result = joined(condition::kind::either, std::move(result), both());
    return result;
  }

  node both() {
    node result = negated();
    while (take("and") || take("&&")) result = joined(condition::kind::both, std::move(result), negated());
    return result;
  }

  node negated() {
    constexpr int deepest = 200;  // so that no text overflows the stack
    if (++depth_ > deepest) fail("is nested too deeply");
    node result;
    if (take("not") || take("!")) {
      result = joined(condition::kind::negate, negated(), nullptr);
    } else if (take("(")) {
      result = either();
      if (!take(")")) fail("is where a closing parenthesis was expected");
    } else {
      result = comparison();
    }
    --depth_;
    return result;
  }

  node comparison() {
    operand a = value();
    if (take("is")) {
      const bool negative = take("not");
      if (!take("missing") && !take("null")) fail("is where \"missing\" was expected");
      if (a.what != operand::kind::column) fail("follows a constant; only a column can be missing");
      count_comparison();
      node result = joined(condition::kind::missing, nullptr, nullptr);
      result->a = std::move(a);
      return negative ? joined(condition::kind::negate, std::move(result), nullptr) : std::move(result);
    }
    if (take("in")) return one_of(a);
    static const std::pair<const char*, relation> relations[] = {
        {"=", relation::equal},    {"==", relation::equal},        {"!=", relation::unequal},
        {"<>", relation::unequal}, {"<", relation::less},          {"<=", relation::less_equal},
        {">", relation::greater},  {">=", relation::greater_equal}};
    for (const auto& [name, how] : relations) {
      if (take(name)) return compared(std::move(a), how, value());
    }
    fail("is where a comparison was expected, such as == or <");
  }

  void count_comparison() {
    constexpr int most = 1000;  // a tree is as deep as that, and walked by recursion
    if (++comparisons_ > most) fail("comes after 1,000 comparisons, which is the most");
  }

  node compared(operand a, relation how, operand b) {
    count_comparison();
    node result = std::make_unique<condition>();
    result->a = std::move(a);
    result->how = how;
    result->b = std::move(b);
    return result;
  }

  node one_of(const operand& a) {
    if (!take("(")) fail("is where an opening parenthesis was expected");
    node result;
    do {
      node next = compared(a, relation::equal, value());
      result = result ? joined(condition::kind::either, std::move(result), std::move(next)) : std::move(next);
    } while (take(","));
    if (!take(")")) fail("is where a comma or a closing parenthesis was expected");
    return result;
  }

  operand value() {
    operand result;
    result.text = value_;
    result.where = begin_;
    if (token_ == token::number) result.what = operand::kind::number;
    else if (token_ == token::text) result.what = operand::kind::text;
    else if (token_ == token::word || token_ == token::column) result.column = column_index(on_, value_, "--where");
    else fail("is where a column or a constant was expected");
    next();
    return result;
  }

  // Takes the next token if it is this sign, or this word in any case.
  bool take(const std::string& wanted) {
    if (token_ != token::sign && token_ != token::word) return false;
    const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
    if (!std::equal(value_.begin(), value_.end(), wanted.begin(), wanted.end(), same)) return false;
    next();
    return true;
  }

  static bool begins_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (static_cast<unsigned char>(c) & 0x80) != 0;
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  void next() {
    begin_ = std::min(text_.find_first_not_of(" \t\r\n", end_), text_.size());
    end_ = begin_;
    value_.clear();
    token_ = token::end;
    if (begin_ == text_.size()) return;
    const char first = text_[begin_];
    if (first == '"' || first == '\'' || first == '`') return quoted(first);
    if (begins_word(first)) {
      token_ = token::word;
      while (end_ < text_.size() && (begins_word(text_[end_]) || is_digit(text_[end_]))) ++end_;
    } else if (is_digit(first) || first == '.' || first == '-' || first == '+') {
      number();
    } else {
      token_ = token::sign;
      static const std::string two[] = {"==", "!=", "<>", "<=", ">=", "&&", "||"};
      end_ += std::find(std::begin(two), std::end(two), text_.substr(begin_, 2)) != std::end(two) ? 2 : 1;
    }
    value_ = text_.substr(begin_, end_ - begin_);
    if (token_ != token::number) return;
    const std::optional<double> number = apps::number_in(value_);
    if (!number || std::isnan(*number)) fail("is no number");
  }

  void number() {
    token_ = token::number;
    ++end_;
    for (; end_ < text_.size(); ++end_) {
      const char c = text_[end_];
      const bool after_exponent = text_[end_ - 1] == 'e' || text_[end_ - 1] == 'E';
      if (!is_digit(c) && !begins_word(c) && c != '.' && !(after_exponent && (c == '-' || c == '+'))) break;
    }
  }

  // The quote inside is written twice.
  void quoted(char quote) {
    token_ = quote == '`' ? token::column : token::text;
    for (++end_; end_ < text_.size(); ++end_) {
      if (text_[end_] == quote) {
        if (end_ + 1 >= text_.size() || text_[end_ + 1] != quote) break;
        ++end_;
      }
      value_ += text_[end_];
    }
    if (end_ >= text_.size()) fail("has no closing quote");
    ++end_;
  }

  const std::string& text_;
  const table& on_;
  token token_ = token::end;
  std::string value_;
  std::size_t begin_ = 0, end_ = 0;  // of the token
  int depth_ = 0, comparisons_ = 0;
};

}  // namespace

std::unique_ptr<condition> parse_condition(const std::string& text, const table& on) { return parser(text, on).all(); }

}  // namespace query
