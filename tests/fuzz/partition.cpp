// SPDX-License-Identifier: Apache-2.0
// Draws partitions: in place, to two places, to three.
#include <onepass/compact.hpp>

#include "compaction.hpp"
#include "families.hpp"
#include "refusal.hpp"
#include "zip.hpp"

namespace fuzz {
namespace {

template <class T, class In>
void in_place(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const bool stable = c.d.coin("stable");
  const execution<in_all_ways<T, In>> e(c, n);
  data<T> items = odd_by<T>(c.d, "x_", n);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
  const auto flags = test::flags_of(items.items, is_odd());
  c.define(is_odd::definition<T>());
  const auto first = x.begin();
  run_counted(
      c, e, stable ? "stable_partition" : "partition", {x.text(), last_of(x, n), "is_odd{}"},
      test::kept(items.items, flags).size(),
      [&](const auto&... policy) {
        return (stable ? onepass::stable_partition(policy..., first, first + n, is_odd())
                       : onepass::partition(policy..., first, first + n, is_odd())) -
               first;
      },
      [&](onepass::index_t* count, const auto&... policy) {
        if (stable) onepass::stable_partition_async(policy..., first, first + n, is_odd(), count);
        else onepass::partition_async(policy..., first, first + n, is_odd(), count);
      });
  x.expect_begin(test::partitioned(items.items, flags));
}

template <class T, class In, class S, class StencilIn>
void in_place_by_stencil(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const bool stable = c.d.coin("stable");
  const execution<in_all_ways<T, In, StencilIn>> e(c, n);
  data<T> items = values_for<T>(c.d, "x_", n, domain::any);
  data<S> marks = odd_by<S>(c.d, "s_", n);
  range<In, T> x(c, "x", items);
  range<StencilIn, S> s(c, "s", marks);
  e.cut(items.items, marks.items);
  const auto flags = test::flags_of(marks.items, is_odd());
  c.define(is_odd::definition<S>());
  const auto first = x.begin();
  const auto stencil = s.begin();
  run_counted(
      c, e, stable ? "stable_partition" : "partition", {x.text(), last_of(x, n), s.text(), "is_odd{}"},
      test::kept(items.items, flags).size(),
      [&](const auto&... policy) {
        return (stable ? onepass::stable_partition(policy..., first, first + n, stencil, is_odd())
                       : onepass::partition(policy..., first, first + n, stencil, is_odd())) -
               first;
      },
      [&](onepass::index_t* count, const auto&... policy) {
        if (stable) onepass::stable_partition_async(policy..., first, first + n, stencil, is_odd(), count);
        else onepass::partition_async(policy..., first, first + n, stencil, is_odd(), count);
      });
  x.expect_begin(test::partitioned(items.items, flags));
  s.expect_unchanged();
}

template <class T, class In, class Kept, class Rejected>
void copied(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const bool stable = c.d.coin("stable");
  const execution<in_all_ways<T, In, Kept, Rejected>> e(c, n);
  data<T> items = odd_by<T>(c.d, "x_", n);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
  const auto flags = test::flags_of(items.items, is_odd());
  const std::vector<T> kept = test::kept(items.items, flags), rejected = test::kept(items.items, flags, false);
  c.define(is_odd::definition<T>());
  const auto first = x.begin();
  const auto call = [&](const auto& out, const auto& rest, const std::string& out_text, const std::string& rest_text) {
    const auto checked = [&](const auto& ends) {
      return ends.second - rest == static_cast<std::ptrdiff_t>(rejected.size()) ? ends.first - out : -1;
    };
    run_counted(
        c, e, stable ? "stable_partition_copy" : "partition_copy",
        {x.text(), last_of(x, n), out_text, rest_text, "is_odd{}"}, kept.size(),
        [&](const auto&... policy) {
          return checked(stable ? onepass::stable_partition_copy(policy..., first, first + n, out, rest, is_odd())
                                : onepass::partition_copy(policy..., first, first + n, out, rest, is_odd()));
        },
        [&](onepass::index_t* count, const auto&... policy) {
          if (stable) onepass::stable_partition_copy_async(policy..., first, first + n, out, rest, is_odd(), count);
          else onepass::partition_copy_async(policy..., first, first + n, out, rest, is_odd(), count);
        });
  };
  // 0, 1: apart; 2, 3: one output where the input is; 4: both in one array.
  const auto where = std::is_same_v<In, Kept> && std::is_same_v<In, Rejected> ? c.d.below("where", 5) : 0;
  if constexpr (std::is_same_v<In, Kept> && std::is_same_v<In, Rejected>) {
    const auto border = static_cast<std::ptrdiff_t>(kept.size());
    range<Kept, T> y(c, "y", where == 4 ? n : room_for(c, "tight", where == 2 ? rejected.size() : kept.size(), n));
    if (where == 2) call(first, y.begin(), x.text(), y.text()), x.expect_begin(kept), y.expect(rejected);
    if (where == 3) call(y.begin(), first, y.text(), x.text()), y.expect(kept), x.expect_begin(rejected);
    if (where == 4) {
      call(y.begin(), y.begin() + border, y.text(), y.text() + " + " + number(border));
      y.expect(test::partitioned(items.items, flags));
    }
    if (where > 1) return;
  }
  range<Kept, T> y(c, "kept", room_for(c, "tight", kept.size(), n));
  range<Rejected, T> z(c, "rest", room_for(c, "tight_rest", rejected.size(), n));
  call(y.begin(), z.begin(), y.text(), z.text());
  y.expect(kept), z.expect(rejected);
  x.expect_unchanged();
}

template <class T, class In, class S, class StencilIn, class Kept, class Rejected>
void copied_by_stencil(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const bool stable = c.d.coin("stable");
  const execution<in_all_ways<T, In, StencilIn, Kept, Rejected>> e(c, n);
  data<T> items = values_for<T>(c.d, "x_", n, domain::any);
  data<S> marks = odd_by<S>(c.d, "s_", n);
  range<In, T> x(c, "x", items);
  range<StencilIn, S> s(c, "s", marks);
  e.cut(items.items, marks.items);
  const auto flags = test::flags_of(marks.items, is_odd());
  const std::vector<T> kept = test::kept(items.items, flags), rejected = test::kept(items.items, flags, false);
  range<Kept, T> y(c, "y", room_for(c, "tight", kept.size(), n));
  range<Rejected, T> z(c, "z", room_for(c, "tight_rest", rejected.size(), n));
  c.define(is_odd::definition<S>());
  const auto first = x.begin();
  const auto stencil = s.begin();
  const auto out = y.begin();
  const auto rest = z.begin();
  run_counted(
      c, e, stable ? "stable_partition_copy" : "partition_copy",
      {x.text(), last_of(x, n), s.text(), y.text(), z.text(), "is_odd{}"}, kept.size(),
      [&](const auto&... policy) {
        const auto ends =
            stable ? onepass::stable_partition_copy(policy..., first, first + n, stencil, out, rest, is_odd())
                   : onepass::partition_copy(policy..., first, first + n, stencil, out, rest, is_odd());
        return ends.second - rest == static_cast<std::ptrdiff_t>(rejected.size()) ? ends.first - out : -1;
      },
      [&](onepass::index_t* count, const auto&... policy) {
        if (stable)
          onepass::stable_partition_copy_async(policy..., first, first + n, stencil, out, rest, is_odd(), count);
        else onepass::partition_copy_async(policy..., first, first + n, stencil, out, rest, is_odd(), count);
      });
  y.expect(kept), z.expect(rejected);
  x.expect_unchanged(), s.expect_unchanged();
}

#if !ONEPASS_HAS_CUDA
struct is_even {
  template <class T>
  bool operator()(const T& x) const {
    return !is_odd()(x);
  }
};
// 0: in place, which leaves all items as they are; 1: to two outputs; 2, 3: to three, by the first predicate or the second one.
template <class T>
void throwing(test_case& c) {
  const std::int64_t n = 1 + c.d.size("n", sizeof(T)), at = c.d.below("at", n), form = c.d.below("form", 4);
  const execution e(c, n);
  data<T> items = odd_by<T>(c.d, "x_", n);
  refuse(items, at);
  const auto flags = test::flags_of(items.items, is_odd());
  const std::vector<T> kept = test::kept(items.items, flags), rest = test::kept(items.items, flags, false);
  range<pointer, T> x(c, "x", items), y(c, "y", room_for(c, "tight", kept.size(), n)),
      z(c, "z", room_for(c, "tight_rest", rest.size(), n)), none(c, "none", 0);
  const char* const names[] = {"partition", "partition_copy", "three_way_partition_copy", "three_way_partition_copy"};
  c.says(names[form], {x.text(), last_of(x, n), y.text(), z.text(), none.text(), refusing_text("is_odd{}")});
  const auto first = x.begin();
  const auto call = [&](bool refuses) {
    e.run([&](const auto&... policy) {
      const refusing<is_odd> odd{refuses};
      const auto to_y = y.begin(), to_z = z.begin();
      if (form == 0) onepass::partition(policy..., first, first + n, odd);
      else if (form == 1) onepass::partition_copy(policy..., first, first + n, to_y, to_z, odd);
      else if (form == 2)
        onepass::three_way_partition_copy(policy..., first, first + n, to_y, to_z, none.begin(), odd, is_even());
      else onepass::three_way_partition_copy(policy..., first, first + n, to_z, to_y, none.begin(), is_even(), odd);
    });
  };
  expect_refusal(true, call, [&] { x.expect_unchanged(); });
  if (form == 0) return x.expect_begin(test::partitioned(items.items, flags));
  y.expect_begin(kept), z.expect_begin(rest);
}
#endif

struct third_of {  // whether the item is of one of three kinds
  int kind;
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const {
    if constexpr (is_struct<T>) return static_cast<int>(x.a % 3) == kind;
    else return static_cast<long long>(x) % 3 == kind;
  }
};
template <class T, class In, class First, class Second, class Rest>
void three_ways(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const execution<in_all_ways<T, In, First, Second, Rest>> e(c, n);
  data<T> items = odd_by<T>(c.d, "x_", n);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
  std::vector<T> parts[3];
  for (const T item : items.items) parts[third_of{1}(item) ? 0 : third_of{0}(item) ? 1 : 2].push_back(item);
  range<First, T> y(c, "y", room_for(c, "tight_1", parts[0].size(), n));
  range<Second, T> z(c, "z", room_for(c, "tight_2", parts[1].size(), n));
  range<Rest, T> w(c, "w", room_for(c, "tight_3", parts[2].size(), n));
  c.define("struct third_of { int kind; template <class T> HD bool operator()(const T& x) const { return " +
           std::string(is_struct<T> ? "int(x.a % 3)" : "(long long)x % 3") + " == kind; } };\n");
  const bool async = c.d.one_in("async", 3);
  const count_place counts(c, 2);
  texts arguments{x.text(), last_of(x, n), y.text(), z.text(), w.text(), "third_of{1}", "third_of{0}"};
  if (async) arguments.push_back("count");
  c.says(async ? "three_way_partition_copy_async" : "three_way_partition_copy", arguments);
  const auto first = x.begin();
  const auto a = y.begin();
  const auto b = z.begin();
  const auto rest = w.begin();
  if (async) {
    e.run([&](const auto&... policy) {
      onepass::three_way_partition_copy_async(policy..., first, first + n, a, b, rest, third_of{1}, third_of{0},
                                              counts.get());
    });
    counts.expect({parts[0].size(), parts[1].size()});
  } else {
    std::int64_t ends[3] = {-1, -1, -1};
    e.run_waiting([&](const auto&... policy) {
      const auto all =
          onepass::three_way_partition_copy(policy..., first, first + n, a, b, rest, third_of{1}, third_of{0});
      ends[0] = thrust::get<0>(all) - a, ends[1] = thrust::get<1>(all) - b, ends[2] = thrust::get<2>(all) - rest;
    });
    for (int kind = 0; kind < 3; ++kind) expect_end(ends[kind], parts[kind].size());
  }
  y.expect(parts[0]), z.expect(parts[1]), w.expect(parts[2]);
  x.expect_unchanged();
}

}  // namespace

const std::vector<shape>& partition_shapes() {
  static const std::vector<shape> all = {
    {"int32", in_place<std::int32_t, pointer>},
    {"int32 copied", copied<std::int32_t, pointer, pointer, pointer>},
    {"int32 three ways", three_ways<std::int32_t, pointer, pointer, pointer, pointer>},
    {"uint8", in_place<std::uint8_t, pointer>},
    {"int32 permuted", in_place<std::int32_t, permuted>},
    {"zipped", in_place<b8_b8, zipped>},
    {"int32 by uint8", in_place_by_stencil<std::int32_t, pointer, std::uint8_t, pointer>},
    {"uint16 reverse by permuted int64", in_place_by_stencil<std::uint16_t, reverse, std::int64_t, permuted>},
    {"uint8 copied", copied<std::uint8_t, pointer, pointer, pointer>},
    {"int64 counting copied", copied<std::int64_t, counting, permuted, discard>},
    {"int32 copied by uint8", copied_by_stencil<std::int32_t, pointer, std::uint8_t, pointer, pointer, pointer>},
    {"uint8 copied by reverse bool", copied_by_stencil<std::uint8_t, pointer, bool, reverse, reverse, pointer>},
    {"b12 three ways", three_ways<b12, pointer, pointer, pointer, pointer>},
    {"double reverse three ways", three_ways<double, reverse, pointer, reverse, discard>},
#if !ONEPASS_HAS_CUDA
    {"int32 throwing", throwing<std::int32_t>},
    {"word", in_place<word, live>},
    {"word copied", copied<word, live, live, live>},
    {"int32 deque copied", copied<std::int32_t, deque, deque, deque>},
    {"int64 deque three ways", three_ways<std::int64_t, deque, deque, pointer, deque>},
#endif
#if !ONEPASS_FUZZ_FEW_SHAPES
    {"b12", in_place<b12, pointer>},
    {"b32", in_place<b32, pointer>},
    {"int64 reverse", in_place<std::int64_t, reverse>},
    {"zipped copied", copied<b8_b8, zipped, zipped, zipped>},
    {"b3 by bool", in_place_by_stencil<b3, pointer, bool, pointer>},
    {"int64 copied", copied<std::int64_t, pointer, pointer, pointer>},
    {"b24 copied", copied<b24, pointer, pointer, pointer>},
    {"int32 copied to reverse", copied<std::int32_t, pointer, pointer, reverse>},
    {"int16 reverse copied, discarded", copied<std::int16_t, reverse, discard, pointer>},
    {"b16 copied by int32", copied_by_stencil<b16, pointer, std::int32_t, pointer, pointer, pointer>},
#endif
  };
  return all;
}

}  // namespace fuzz
