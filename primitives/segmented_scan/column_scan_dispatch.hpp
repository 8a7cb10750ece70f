// SPDX-License-Identifier: Apache-2.0
// Scans of columns, from a call's arguments to a job. Arrays of one column are rows. A few narrow columns of one array are
// a scan of items that have a value for each column: that goes at the speed of any scan.
#pragma once

#include "../../core/columns/run_columns.hpp"
#include "segmented_scan_dispatch.hpp"

namespace onepass::detail {

// A value for each of some neighbouring columns.
template <class T, std::size_t columns>
struct column_group {
  T of[columns];
};
template <class To>
struct convert_group {
  template <class From, std::size_t columns>
  ONEPASS_HOST_DEVICE column_group<To, columns> operator()(const column_group<From, columns>& from) const {
    column_group<To, columns> to;
    ONEPASS_UNROLL
    for (std::size_t c = 0; c < columns; ++c) to.of[c] = static_cast<To>(from.of[c]);
    return to;
  }
};
// The operator on each column's values.
template <class Op>
struct on_each_column {
  Op op;
  ONEPASS_EXEC_CHECK_DISABLE
  template <class T, std::size_t columns>
  ONEPASS_HOST_DEVICE column_group<T, columns> operator()(const column_group<T, columns>& a,
                                                          const column_group<T, columns>& b) {
    column_group<T, columns> result;
    ONEPASS_UNROLL
    for (std::size_t c = 0; c < columns; ++c) result.of[c] = static_cast<T>(op(a.of[c], b.of[c]));
    return result;
  }
};
template <class Out>
struct emit_group {
  static constexpr bool marks = false;
  template <class T>
  ONEPASS_HOST_DEVICE bool mark(const T&) const {
    return false;
  }
  template <class T, std::size_t columns>
  ONEPASS_HOST_DEVICE column_group<Out, columns> operator()(const column_group<T, columns>& scanned, bool) const {
    return convert_group<Out>()(scanned);
  }
};

// Whether columns of such items can be grouped: their groups can be copied as bytes, and are as large as an item may be
// that a lane loads at once.
template <class It, class Out, class T, std::size_t columns>
constexpr bool groups_columns = [] {
  if constexpr (!std::is_pointer_v<It> || !std::is_pointer_v<Out>) {
    return false;
  } else {
    using item = std::remove_pointer_t<It>;
    using result = std::remove_pointer_t<Out>;
    return std::is_trivially_copyable_v<item> && std::is_trivially_copyable_v<result> &&
           std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T> &&
           std::is_trivially_default_constructible_v<result> && sizeof(item) * columns <= 16 &&
           sizeof(T) * columns <= 16;
  }
}();

template <std::size_t columns, class Policy, class It, class Out, class Init, class Op>
void scan_column_groups(const char* call, const Policy& policy, It first, index_t n, Out out, Init init, Op op) {
  constexpr bool inclusive = std::is_same_v<Init, none>;
  using value = scanned_type<inclusive, Op, Init, value_of<It>, Out>;
  using read = const column_group<std::remove_const_t<std::remove_pointer_t<It>>, columns>*;
  using result = std::remove_pointer_t<Out>;
  using source = values_source<column_group<value, columns>, read, convert_group<value>>;
  using job = scan_job<source, column_group<result, columns>*, on_each_column<Op>, emit_group<result>, inclusive>;
  job work{{reinterpret_cast<read>(first), {}},
           reinterpret_cast<column_group<result, columns>*>(out),
           {op},
           {},
           {},
           n / index_t{columns}};
  if constexpr (!inclusive) {
    column_group<value, columns> initial;
    for (value& x : initial.of) x = static_cast<value>(init);
    work.initial = initial;
  }
  detail::run_scan(call, policy, work);
}

// The policy of a call whose size in memory is null. Its kernel is the plain one.
template <class P>
const P& without_size(const P& policy) {
  return policy;
}
template <class P>
const P& without_size(const sized_policy<P>& policy) {
  return policy;
}

// Scans n items in groups, if they make whole ones of `columns` columns, or of fewer; says whether it has.
template <std::size_t columns, class Policy, class It, class Out, class Init, class Op>
bool scan_in_groups(const char* call, const Policy& policy, It first, const column_shape& shape, Out out, Init init,
                    Op op) {
  using value = scanned_type<std::is_same_v<Init, none>, Op, Init, value_of<It>, Out>;
  if constexpr (columns < 2) {
    return false;
  } else {
    if constexpr (groups_columns<It, Out, value, columns>) {
      if (count_of(policy, shape.n).size == nullptr && shape.width == index_t{columns} && shape.arrays() == 1 &&
          shape.n % shape.width == 0) {
        scan_column_groups<columns>(call, without_size(policy), first, shape.n, out, init, op);
        return true;
      }
    }
    return scan_in_groups<columns - 1>(call, policy, first, shape, out, init, op);
  }
}

template <class Policy, class It, class Out, class Init, class Op>
Out segmented_scan(const char* call, const Policy& any_policy, It first, It last, column_segments columns, Out out,
                   Init init, Op op) {
  constexpr bool inclusive = std::is_same_v<Init, none>;
  check_columns(call, columns);
  const index_t n = check_segmented(call, first, last, out);
  if (n == 0) return out;
  if (columns.width == 1) return segmented_scan(call, any_policy, first, last, rows(columns.height), out, init, op);
  const auto policy = as_policy(any_policy);
  const column_shape shape = shape_of(columns, n);
  // A workspace for n items has to be enough for fewer, too: for whole groups where these are none, and for others where
  // these are. So both are measured.
  const bool measuring = is_measuring(policy);
  const index_t whole = std::min(n, shape.array_items()) / shape.width * shape.width;
  const column_shape in_groups = measuring ? shape_of(columns, whole) : shape;
  if (!scan_in_groups<4>(call, policy, unwrap(first), in_groups, unwrap(out), init, op) || measuring) {
    using value = scanned_type<inclusive, Op, Init, value_of<It>, unwrapped<Out>>;
    using source = values_source<value, unwrapped<It>>;
    constexpr auto result = inclusive ? column_result::inclusive : column_result::exclusive;
    column_job<source, unwrapped<Out>, Op, result> job{{unwrap(first), {}}, unwrap(out), op, {}, shape};
    if constexpr (!inclusive) job.initial = static_cast<value>(init);
    detail::run_columns(call, policy, job, [] {});
  }
  wait_for_host<It, Out>(call, policy);
  return out + n;
}

}  // namespace onepass::detail
