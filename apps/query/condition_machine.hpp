// SPDX-License-Identifier: Apache-2.0
// Runs a condition's steps on a backend, each for all rows before the next one. A stack has the truth of every row, a byte for
// each: of two of them the lesser is their "and", the greater their "or". A comparison whose truth the next step would join
// with the one below it joins it at once.
#pragma once

#include <cstdint>
#include <deque>
#include <type_traits>
#include <vector>

#include "../common/vectors.hpp"
#include "condition.hpp"
#include "values.hpp"

namespace query {

using truth_value = std::uint8_t;
constexpr truth_value is_false = 0, is_neither = 1, is_true = 2;

enum class joining : std::uint8_t { none, both, either };

ONEPASS_HOST_DEVICE inline truth_value joined(joining how, truth_value a, truth_value b) {
  const truth_value least = a < b ? a : b, most = a < b ? b : a;
  return how == joining::both ? least : most;
}

// Where a comparison's truths go: in place of what is there, or joined with it.
struct truth_output {
  truth_value* truths;
  joining how;
  ONEPASS_HOST_DEVICE void put(std::int64_t row, truth_value truth) const {
    truths[row] = how == joining::none ? truth : joined(how, truths[row], truth);
  }
};

template <class T>
struct find_missing {
  const T* values;
  truth_output out;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t row) const {
    out.put(row, is_missing(values[row]) ? is_true : is_false);
  }
};

template <class T>
struct find_in_range {
  const T* values;
  T low, high;  // low > high: none
  truth_output out;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t row) const {
    const T value = values[row];
    // Without a branch on the first comparison, which would often be mispredicted.
    const bool inside = static_cast<bool>((value >= low) & (value <= high));
    out.put(row, static_cast<truth_value>(is_missing(value) ? is_neither : is_true * inside));
  }
};

// -1, 0, 1.
template <class T>
ONEPASS_HOST_DEVICE int compared(T a, T b) {
  return a < b ? -1 : b < a ? 1 : 0;
}
ONEPASS_HOST_DEVICE inline int compared(double a, std::int64_t b) { return -compared(b, a); }

template <class A, class B>
struct compare_columns {
  const A* a;
  const B* b;
  const std::uint32_t *ranks_a, *ranks_b;  // of texts
  relation how;
  truth_output out;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t row) const {
    const A left = a[row];
    const B right = b[row];
    if (is_missing(left) || is_missing(right)) return out.put(row, is_neither);
    const int order = ranks_a == nullptr ? compared(left, right)
                                         : compared(ranks_a[static_cast<std::uint32_t>(left)],
                                                    ranks_b[static_cast<std::uint32_t>(right)]);
    out.put(row, holds(how, order) ? is_true : is_false);
  }
};

struct negate_truth {
  truth_value* out;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t row) const {
    out[row] = static_cast<truth_value>(is_true - out[row]);
  }
};

struct join_truths {
  const truth_value* other;
  truth_output out;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t row) const { out.put(row, other[row]); }
};

struct is_true_value {
  ONEPASS_HOST_DEVICE bool operator()(truth_value value) const { return value == is_true; }
};

template <class Backend>
class condition_machine {
 public:
  template <class T>
  using vector = typename Backend::template vector<T>;

  explicit condition_machine(const Backend& backend) : backend_(backend) {}

  // The truth of every row, until the next call. `columns` are those of the table, in the backend's memory.
  const vector<truth_value>& run(const std::vector<condition_step>& steps, const std::vector<column_view>& columns,
                                 std::int64_t rows) {
    rows_ = rows;
    depth_ = 0;
    ranks_.clear();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!compares(steps[i])) {
        take(steps[i]);
        continue;
      }
      const joining how = i + 1 < steps.size() ? joining_of(steps[i + 1]) : joining::none;
      compare(steps[i], how, columns);
      if (how != joining::none) ++i;
    }
    return truths_[0];
  }

 private:
  using kind = condition_step::kind;

  static joining joining_of(const condition_step& step) {
    return step.what == kind::both ? joining::both : step.what == kind::either ? joining::either : joining::none;
  }
  static bool compares(const condition_step& step) {
    return step.what != kind::negate && joining_of(step) == joining::none;
  }

  void take(const condition_step& step) {
    if (step.what == kind::negate) {
      backend_.for_each(rows_, negate_truth{top(1)});
    } else {
      backend_.for_each(rows_, join_truths{top(1), {top(2), joining_of(step)}});
      --depth_;
    }
  }

  void compare(const condition_step& step, joining how, const std::vector<column_view>& columns) {
    if (how == joining::none) push();
    const truth_output out{top(1), how};
    with_values(columns[step.a], [&](const auto* values) { look_at(step, values, columns, out); });
  }

  template <class T>
  void look_at(const condition_step& step, const T* values, const std::vector<column_view>& columns,
               const truth_output& out) {
    if (step.what == kind::missing) {
      backend_.for_each(rows_, find_missing<T>{values, out});
    } else if (step.what == kind::in_range) {
      const bool none = step.low > step.high || step.low > code_of(greatest(T{})) || step.high < code_of(least(T{}));
      const T low = none ? T{1} : value_of(step.low, T{}), high = none ? T{0} : value_of(step.high, T{});
      backend_.for_each(rows_, find_in_range<T>{values, low, high, out});
    } else {
      const std::uint32_t *ranks_a = stored(step.ranks_a), *ranks_b = stored(step.ranks_b);
      with_values(columns[step.b], [&](const auto* others) {
        using other = std::decay_t<decltype(*others)>;
        constexpr bool text = std::is_same<T, std::uint32_t>::value,
                       other_text = std::is_same<other, std::uint32_t>::value;
        if constexpr (text == other_text) {
          backend_.for_each(rows_, compare_columns<T, other>{values, others, ranks_a, ranks_b, step.how, out});
        }
      });
    }
  }

  template <class Function>
  static void with_values(const column_view& view, Function function) {
    if (view.type == column_type::integer) function(static_cast<const std::int64_t*>(view.values));
    else if (view.type == column_type::real) function(static_cast<const double*>(view.values));
    else function(static_cast<const std::uint32_t*>(view.values));
  }

  void push() {
    if (truths_.size() == depth_) truths_.emplace_back(static_cast<std::size_t>(rows_) + 1);
    ++depth_;
  }
  // Of the n-th truth from above.
  truth_value* top(std::size_t n) { return apps::pointer_to(truths_[depth_ - n]); }

  const std::uint32_t* stored(const std::vector<std::uint32_t>& ranks) {
    if (ranks.empty()) return nullptr;
    ranks_.emplace_back(ranks);
    return apps::pointer_to(ranks_.back());
  }

  const Backend& backend_;
  std::int64_t rows_ = 0;
  std::size_t depth_ = 0;
  std::deque<vector<truth_value>> truths_;  // deques: what is in them stays where it is
  std::deque<vector<std::uint32_t>> ranks_;
};

}  // namespace query
