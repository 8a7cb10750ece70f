// SPDX-License-Identifier: Apache-2.0
// Draws calls of remove, remove_if and their forms that copy.
#include <onepass/compact.hpp>

#include "compaction.hpp"
#include "families.hpp"
#include "refusal.hpp"

namespace fuzz {
namespace {

template <class T, class In, class Out>
void by_predicate(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const execution<in_all_ways<T, In, Out>> e(c, n);
  data<T> items = odd_by<T>(c.d, "x_", n);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
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
  const execution<in_all_ways<T, In, StencilIn, Out>> e(c, n);
  data<T> items = values_for<T>(c.d, "x_", n, domain::any);
  data<S> marks = odd_by<S>(c.d, "s_", n);
  range<In, T> x(c, "x", items);
  range<StencilIn, S> s(c, "s", marks);
  e.cut(items.items, marks.items);
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
  const execution<in_all_ways<T, In, Out>> e(c, n);
  data<T> items = keys_for<T>(flag_rule(c.d, "x_"), n);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
  const T value = value_of_bits<T>(static_cast<std::uint64_t>(c.d.below("value", 4)));
  flag_list goes;
  for (const T& item : items.items) goes.push_back(item == value);
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

#if !ONEPASS_HAS_CUDA
template <class T>
void throwing(test_case& c) {
  const std::int64_t n = 1 + c.d.size("n", sizeof(T)), at = c.d.below("at", n);
  const execution e(c, n);
  data<T> items = odd_by<T>(c.d, "x_", n);
  refuse(items, at);
  const std::vector<T> expected = test::kept(items.items, test::flags_of(items.items, is_odd()), false);
  const bool copies = c.d.coin("copies");
  range<pointer, T> x(c, "x", items), y(c, "y", room_for(c, "tight", expected.size(), n));
  c.says(copies ? "remove_copy_if" : "remove_if", {x.text(), last_of(x, n), refusing_text("is_odd{}")});
  const auto first = x.begin();
  const auto call = [&](bool refuses) {
    e.run([&](const auto&... policy) {
      const refusing<is_odd> odd{refuses};
      if (copies) onepass::remove_copy_if(policy..., first, first + n, y.begin(), odd);
      else onepass::remove_if(policy..., first, first + n, odd);
    });
  };
  expect_refusal(true, call, [&] {
    if (copies) x.expect_unchanged();
    else expect_all_kept(x.now(), expected), x.restore();
  });
  (copies ? y : x).expect_begin(expected);
}
#endif

}  // namespace

const std::vector<shape>& remove_shapes() {
  static const std::vector<shape> all = {
    {"int32", by_predicate<std::int32_t, pointer, pointer>},
    {"int32 value", by_value<std::int32_t, pointer, pointer>},
    {"int32 by uint8", by_stencil<std::int32_t, pointer, std::uint8_t, pointer, pointer>},
    {"uint32 reverse", by_predicate<std::uint32_t, reverse, reverse>},
    {"int64 transformed to permuted", by_predicate<std::int64_t, transformed, permuted>},
    {"b24 value", by_value<b24, pointer, pointer>},
    {"b3 by bool", by_stencil<b3, pointer, bool, pointer, pointer>},
    {"int64 permuted by reverse int32", by_stencil<std::int64_t, permuted, std::int32_t, reverse, permuted>},
#if !ONEPASS_HAS_CUDA
    {"int32 deque", by_predicate<std::int32_t, deque, deque>},
    {"word value", by_value<word, live, live>},
    {"int32 throwing", throwing<std::int32_t>},
#endif
#if !ONEPASS_FUZZ_FEW_SHAPES
    {"int8", by_predicate<std::int8_t, pointer, pointer>},
    {"b12", by_predicate<b12, pointer, pointer>},
    {"uint8 value", by_value<std::uint8_t, pointer, pointer>},
    {"int64 value", by_value<std::int64_t, pointer, pointer>},
    {"float value", by_value<float, pointer, pointer>},
    {"int32 counting value to reverse", by_value<std::int32_t, counting, reverse>},
#endif
  };
  return all;
}

}  // namespace fuzz
