// SPDX-License-Identifier: Apache-2.0
// Draws calls of remove, remove_if and their forms that copy.
#include <onepass/compact.hpp>

#include "compaction.hpp"
#include "families.hpp"

namespace fuzz {
namespace {

template <class T, class In, class Out>
void by_predicate(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const execution e(c);
  data<T> items = odd_by<T>(c.d, "x_", n);
  range<In, T> x(c, "x", items);
  const std::vector<T> expected = test::kept(items.items, test::flags_of(items.items, is_odd()), false);
  c.define(is_odd::definition<T>());
  const auto first = x.begin();
  if constexpr (std::is_same_v<In, Out>) {
    if (c.d.coin("in_place")) {
      run_counted(
          c, e, "remove_if", {x.text(), last_of(x, n), "is_odd{}"}, expected.size(),
          [&](const auto&... policy) { return onepass::remove_if(policy..., first, first + n, is_odd()) - first; },
          [&](onepass::index_t* count, const auto&... policy) {
            onepass::remove_if_async(policy..., first, first + n, is_odd(), count);
          });
      return x.expect_begin(expected);
    }
  }
  range<Out, T> y(c, "y", room_for(c, "tight", expected.size(), n));
  const auto out = y.begin();
  run_counted(
      c, e, "remove_copy_if", {x.text(), last_of(x, n), y.text(), "is_odd{}"}, expected.size(),
      [&](const auto&... policy) { return onepass::remove_copy_if(policy..., first, first + n, out, is_odd()) - out; },
      [&](onepass::index_t* count, const auto&... policy) {
        onepass::remove_copy_if_async(policy..., first, first + n, out, is_odd(), count);
      });
  y.expect(expected);
  x.expect_unchanged();
}

template <class T, class In, class S, class StencilIn, class Out>
void by_stencil(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const execution e(c);
  data<T> items = values_for<T>(c.d, "x_", n, domain::any);
  data<S> marks = odd_by<S>(c.d, "s_", n);
  range<In, T> x(c, "x", items);
  range<StencilIn, S> s(c, "s", marks);
  const std::vector<T> expected = test::kept(items.items, test::flags_of(marks.items, is_odd()), false);
  c.define(is_odd::definition<S>());
  const auto first = x.begin();
  const auto stencil = s.begin();
  if constexpr (std::is_same_v<In, Out>) {
    if (c.d.coin("in_place")) {
      run_counted(
          c, e, "remove_if", {x.text(), last_of(x, n), s.text(), "is_odd{}"}, expected.size(),
          [&](const auto&... policy) {
            return onepass::remove_if(policy..., first, first + n, stencil, is_odd()) - first;
          },
          [&](onepass::index_t* count, const auto&... policy) {
            onepass::remove_if_async(policy..., first, first + n, stencil, is_odd(), count);
          });
      s.expect_unchanged();
      return x.expect_begin(expected);
    }
  }
  range<Out, T> y(c, "y", room_for(c, "tight", expected.size(), n));
  const auto out = y.begin();
  run_counted(
      c, e, "remove_copy_if", {x.text(), last_of(x, n), s.text(), y.text(), "is_odd{}"}, expected.size(),
      [&](const auto&... policy) {
        return onepass::remove_copy_if(policy..., first, first + n, stencil, out, is_odd()) - out;
      },
      [&](onepass::index_t* count, const auto&... policy) {
        onepass::remove_copy_if_async(policy..., first, first + n, stencil, out, is_odd(), count);
      });
  y.expect(expected);
  x.expect_unchanged(), s.expect_unchanged();
}

// Items that equal one.
template <class T, class In, class Out>
void by_value(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const execution e(c);
  data<T> items = keys_for<T>(flag_rule(c.d, "x_"), n);
  range<In, T> x(c, "x", items);
  const T value = value_of_bits<T>(static_cast<std::uint64_t>(c.d.below("value", 4)));
  flag_list goes;
  for (const T item : items.items) goes.push_back(item == value);
  const std::vector<T> expected = test::kept(items.items, goes, false);
  const std::string value_text =
      name_of<T>() + (is_struct<T> ? fuzz::text_of(value) : "(" + fuzz::text_of(value) + ")");
  const auto first = x.begin();
  if constexpr (std::is_same_v<In, Out>) {
    if (c.d.coin("in_place")) {
      run_counted(
          c, e, "remove", {x.text(), last_of(x, n), value_text}, expected.size(),
          [&](const auto&... policy) { return onepass::remove(policy..., first, first + n, value) - first; },
          [&](onepass::index_t* count, const auto&... policy) {
            onepass::remove_async(policy..., first, first + n, value, count);
          });
      return x.expect_begin(expected);
    }
  }
  range<Out, T> y(c, "y", room_for(c, "tight", expected.size(), n));
  const auto out = y.begin();
  run_counted(
      c, e, "remove_copy", {x.text(), last_of(x, n), y.text(), value_text}, expected.size(),
      [&](const auto&... policy) { return onepass::remove_copy(policy..., first, first + n, out, value) - out; },
      [&](onepass::index_t* count, const auto&... policy) {
        onepass::remove_copy_async(policy..., first, first + n, out, value, count);
      });
  y.expect(expected);
  x.expect_unchanged();
}

}  // namespace

const std::vector<shape>& remove_shapes() {
  static const std::vector<shape> all = {
    {"int32", by_predicate<std::int32_t, pointer, pointer>},
    {"int32 value", by_value<std::int32_t, pointer, pointer>},
    {"int32 by uint8", by_stencil<std::int32_t, pointer, std::uint8_t, pointer, pointer>},
    {"int8", by_predicate<std::int8_t, pointer, pointer>},
    {"double", by_predicate<double, pointer, pointer>},
    {"b12", by_predicate<b12, pointer, pointer>},
    {"uint32 reverse", by_predicate<std::uint32_t, reverse, reverse>},
    {"int64 transformed to permuted", by_predicate<std::int64_t, transformed, permuted>},
    {"uint8 value", by_value<std::uint8_t, pointer, pointer>},
    {"int64 value", by_value<std::int64_t, pointer, pointer>},
    {"float value", by_value<float, pointer, pointer>},
    {"b24 value", by_value<b24, pointer, pointer>},
    {"int32 counting value to reverse", by_value<std::int32_t, counting, reverse>},
    {"uint16 by uint16", by_stencil<std::uint16_t, pointer, std::uint16_t, pointer, pointer>},
    {"b3 by bool", by_stencil<b3, pointer, bool, pointer, pointer>},
    {"int64 permuted by reverse int32", by_stencil<std::int64_t, permuted, std::int32_t, reverse, permuted>},
#if !ONEPASS_HAS_CUDA
    {"int32 deque", by_predicate<std::int32_t, deque, deque>},
    {"b16 deque value", by_value<b16, deque, deque>},
#endif
  };
  return all;
}

}  // namespace fuzz
