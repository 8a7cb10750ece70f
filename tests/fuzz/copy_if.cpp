// SPDX-License-Identifier: Apache-2.0
// Draws calls of copy_if and compact: by a predicate, a stencil, flags; to another place and in place.
#include <onepass/compact.hpp>

#include "compaction.hpp"
#include "families.hpp"
#include "refusal.hpp"
#include "zip.hpp"

namespace fuzz {
namespace {

template <class T, class In, class Out>
void by_predicate(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const bool compacts = c.d.coin("compact");
  const execution<in_all_ways<T, In, Out>> e(c, n);
  data<T> items = odd_by<T>(c.d, "x_", n);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
  const std::vector<T> expected = test::kept(items.items, test::flags_of(items.items, is_odd()));
  c.define(is_odd::definition<T>());
  const auto call = [&](const auto& first, const auto& out, const std::string& out_text) {
    run_counted(
        c, e, compacts ? "compact" : "copy_if", {x.text(), last_of(x, n), out_text, "is_odd{}"}, expected.size(),
        [&](const auto&... policy) {
          return (compacts ? onepass::compact(policy..., first, first + n, out, is_odd())
                           : onepass::copy_if(policy..., first, first + n, out, is_odd())) -
                 out;
        },
        [&](onepass::index_t* count, const auto&... policy) {
          if (compacts) onepass::compact_async(policy..., first, first + n, out, is_odd(), count);
          else onepass::copy_if_async(policy..., first, first + n, out, is_odd(), count);
        });
  };
  if constexpr (std::is_same_v<In, Out>) {
    if (c.d.one_in("in_place", 3)) {
      call(x.begin(), x.begin(), x.text());
      return x.expect_begin(expected);
    }
  }
  range<Out, T> y(c, "y", room_for(c, "tight", expected.size(), n));
  call(x.begin(), y.begin(), y.text());
  y.expect(expected);
  x.expect_unchanged();
}

template <class T, class In, class S, class StencilIn, class Out>
void by_stencil(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const bool compacts = c.d.coin("compact");
  const execution<in_all_ways<T, In, StencilIn, Out>> e(c, n);
  data<T> items = values_for<T>(c.d, "x_", n, domain::any);
  data<S> marks = compacts ? flags_of<S>(flag_rule(c.d, "s_"), n) : odd_by<S>(c.d, "s_", n);
  range<In, T> x(c, "x", items);
  range<StencilIn, S> stencil(c, "s", marks);
  e.cut(items.items, marks.items);
  flag_list kept;
  for (const S mark : marks.items) kept.push_back(compacts ? static_cast<bool>(mark) : is_odd()(mark));
  const std::vector<T> expected = test::kept(items.items, kept);
  c.define(is_odd::definition<S>());
  const texts arguments = compacts ? texts{x.text(), last_of(x, n), "onepass::flags(" + stencil.text() + ")"}
                                   : texts{x.text(), last_of(x, n), stencil.text()};
  const auto call = [&](const auto& first, const auto& flags, const auto& out, const std::string& out_text) {
    texts all = arguments;
    all.push_back(out_text);
    if (!compacts) all.push_back("is_odd{}");
    run_counted(
        c, e, compacts ? "compact" : "copy_if", all, expected.size(),
        [&](const auto&... policy) {
          return (compacts ? onepass::compact(policy..., first, first + n, onepass::flags(flags), out)
                           : onepass::copy_if(policy..., first, first + n, flags, out, is_odd())) -
                 out;
        },
        [&](onepass::index_t* count, const auto&... policy) {
          if (compacts) onepass::compact_async(policy..., first, first + n, onepass::flags(flags), out, count);
          else onepass::copy_if_async(policy..., first, first + n, flags, out, is_odd(), count);
        });
    stencil.expect_unchanged();
  };
  if constexpr (std::is_same_v<In, Out>) {
    if (c.d.one_in("in_place", 3)) {
      call(x.begin(), stencil.begin(), x.begin(), x.text());
      return x.expect_begin(expected);
    }
  }
  range<Out, T> y(c, "y", room_for(c, "tight", expected.size(), n));
  call(x.begin(), stencil.begin(), y.begin(), y.text());
  y.expect(expected);
  x.expect_unchanged();
}

// To a place in front of the items, over some of them.
template <class T>
void shifted(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T)), by = c.d.below("by", 200);
  const execution e(c, n);
  data<T> items = odd_by<T>(c.d, "x_", n + by);
  range<pointer, T> x(c, "x", items);
  const std::vector<T> read(items.items.begin() + by, items.items.end());
  const std::vector<T> expected = test::kept(read, test::flags_of(read, is_odd()));
  c.define(is_odd::definition<T>());
  const auto out = x.begin();
  run_counted(
      c, e, "copy_if", {x.text() + " + " + number(by), last_of(x, n + by), x.text(), "is_odd{}"}, expected.size(),
      [&](const auto&... policy) { return onepass::copy_if(policy..., out + by, out + by + n, out, is_odd()) - out; },
      [&](onepass::index_t* count, const auto&... policy) {
        onepass::copy_if_async(policy..., out + by, out + by + n, out, is_odd(), count);
      });
  x.expect_begin(expected);
}

#if !ONEPASS_HAS_CUDA
// The predicate throws at an item, or at its stencil.
template <class T>
void throwing(test_case& c) {
  const std::int64_t n = 1 + c.d.size("n", sizeof(T)), at = c.d.below("at", n);
  const bool by_stencil = c.d.coin("stencil");
  const execution e(c, n);
  data<T> marks = odd_by<T>(c.d, "x_", n);
  refuse(marks, at);
  const data<T> items = by_stencil ? values_for<T>(c.d, "v_", n, domain::any) : marks;
  const std::vector<T> expected = test::kept(items.items, test::flags_of(marks.items, is_odd()));
  range<pointer, T> x(c, "x", items), s(c, "s", marks), y(c, "y", room_for(c, "tight", expected.size(), n));
  texts arguments{x.text(), last_of(x, n), y.text(), refusing_text("is_odd{}")};
  if (by_stencil) arguments.insert(arguments.begin() + 2, s.text());
  c.says("copy_if", arguments);
  const auto call = [&](bool refuses) {
    e.run([&](const auto&... policy) {
      const refusing<is_odd> odd{refuses};
      if (by_stencil) onepass::copy_if(policy..., x.begin(), x.begin() + n, s.begin(), y.begin(), odd);
      else onepass::copy_if(policy..., x.begin(), x.begin() + n, y.begin(), odd);
    });
  };
  expect_refusal(true, call, [&] { x.expect_unchanged(), s.expect_unchanged(); });
  y.expect_begin(expected);
}
#endif

}  // namespace

const std::vector<shape>& copy_if_shapes() {
  static const std::vector<shape> all = {
    {"int32", by_predicate<std::int32_t, pointer, pointer>},
    {"int32 by uint8", by_stencil<std::int32_t, pointer, std::uint8_t, pointer, pointer>},
    {"uint8", by_predicate<std::uint8_t, pointer, pointer>},
    {"b12", by_predicate<b12, pointer, pointer>},
    {"b24", by_predicate<b24, pointer, pointer>},
    {"int32 reverse", by_predicate<std::int32_t, reverse, reverse>},
    {"int64 permuted", by_predicate<std::int64_t, permuted, permuted>},
    {"int32 transformed", by_predicate<std::int32_t, transformed, pointer>},
    {"int32 counting", by_predicate<std::int32_t, counting, pointer>},
    {"b8 to discard", by_predicate<b8, pointer, discard>},
    {"uint8 by uint8", by_stencil<std::uint8_t, pointer, std::uint8_t, pointer, pointer>},
    {"float by permuted int16", by_stencil<float, reverse, std::int16_t, permuted, reverse>},
    {"zipped", by_predicate<b8_b8, zipped, zipped>},
    {"int32 shifted", shifted<std::int32_t>},
#if !ONEPASS_HAS_CUDA
    {"int32 deque", by_predicate<std::int32_t, deque, deque>},
    {"word", by_predicate<word, live, live>},
    {"b3 deque by deque uint8", by_stencil<b3, deque, std::uint8_t, deque, deque>},
    {"int32 throwing", throwing<std::int32_t>},
#endif
#if !ONEPASS_FUZZ_FEW_SHAPES
    {"int64", by_predicate<std::int64_t, pointer, pointer>},
    {"float", by_predicate<float, pointer, pointer>},
    {"bool", by_predicate<bool, pointer, pointer>},
    {"b3", by_predicate<b3, pointer, pointer>},
    {"b16", by_predicate<b16, pointer, pointer>},
    {"b32", by_predicate<b32, pointer, pointer>},
    {"int32 constant to reverse", by_predicate<std::int32_t, constant, reverse>},
    {"int64 by bool", by_stencil<std::int64_t, pointer, bool, pointer, pointer>},
    {"double by int32", by_stencil<double, pointer, std::int32_t, pointer, pointer>},
    {"b12 by int64", by_stencil<b12, pointer, std::int64_t, pointer, pointer>},
    {"int16 by reverse uint8", by_stencil<std::int16_t, pointer, std::uint8_t, reverse, pointer>},
    {"int64 counting by uint8", by_stencil<std::int64_t, counting, std::uint8_t, pointer, pointer>},
    {"b12 shifted", shifted<b12>},
#endif
  };
  return all;
}

}  // namespace fuzz
