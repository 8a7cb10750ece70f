// SPDX-License-Identifier: Apache-2.0
// Draws calls of copy_if and compact: by a predicate, a stencil, flags; to another place and in place.
#include <onepass/compact.hpp>

#include "compaction.hpp"
#include "families.hpp"
#include "zip.hpp"

namespace fuzz {
namespace {

template <class T, class In, class Out>
void by_predicate(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const bool compacts = c.d.coin("compact");
  const execution e(c);
  data<T> items = odd_by<T>(c.d, "x_", n);
  range<In, T> x(c, "x", items);
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
  const execution e(c);
  data<T> items = values_for<T>(c.d, "x_", n, domain::any);
  data<S> marks = compacts ? flags_of<S>(flag_rule(c.d, "s_"), n) : odd_by<S>(c.d, "s_", n);
  range<In, T> x(c, "x", items);
  range<StencilIn, S> stencil(c, "s", marks);
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

// On the first items, as many as memory says.
template <class T>
void sized(test_case& c) {
  const std::int64_t room = c.d.size("n", sizeof(T));
  const execution e(c, true);
  const std::int64_t asked = asked_size(c, room);
  data<T> items = odd_by<T>(c.d, "x_", room);
  range<pointer, T> x(c, "x", items), y(c, "y", room);
  c.define(is_odd::definition<T>());
  const count_place count(c);
  c.says("copy_if_async", {x.text(), last_of(x, room), y.text(), "is_odd{}", "count"});
  e.run_sized(asked, [&](const auto& policy) {
    onepass::copy_if_async(policy, x.begin(), x.begin() + room, y.begin(), is_odd(), count.get());
  });
  items.items.resize(items_of(asked, room));
  const std::vector<T> expected = test::kept(items.items, test::flags_of(items.items, is_odd()));
  count.expect({expected.size()});
  y.expect(expected);
}

// To a place in front of the items, over some of them.
template <class T>
void shifted(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T)), by = c.d.below("by", 200);
  const execution e(c);
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
struct refusing_odd {
  template <class T>
  bool operator()(const T& x) const {
    if (x == static_cast<T>(refused)) throw refusal();
    return is_odd()(x);
  }
};
template <class T>
void throwing(test_case& c) {
  const std::int64_t n = 1 + c.d.size("n", sizeof(T)), at = c.d.below("at", n);
  const execution e(c);
  data<T> items = odd_by<T>(c.d, "x_", n);
  items.items[static_cast<std::size_t>(at)] = static_cast<T>(refused);
  range<pointer, T> x(c, "x", items), y(c, "y", n);
  c.says("copy_if", {x.text(), last_of(x, n), y.text(), "throws at item " + number(at)});
  bool thrown = false;
  try {
    e.run([&](const auto&... policy) {
      onepass::copy_if(policy..., x.begin(), x.begin() + n, y.begin(), refusing_odd());
    });
  } catch (const refusal&) {
    thrown = true;
  }
  if (!thrown) throw difference("what the predicate throws does not reach the caller");
  x.expect_unchanged();
  e.run([&](const auto&... policy) { onepass::copy_if(policy..., x.begin(), x.begin() + n, y.begin(), is_odd()); });
  y.expect_begin(test::kept(items.items, test::flags_of(items.items, is_odd())));
}
#endif

}  // namespace

const std::vector<shape>& copy_if_shapes() {
  static const std::vector<shape> all = {
    {"int32", by_predicate<std::int32_t, pointer, pointer>},
    {"int32 by uint8", by_stencil<std::int32_t, pointer, std::uint8_t, pointer, pointer>},
    {"uint8", by_predicate<std::uint8_t, pointer, pointer>},
    {"int16", by_predicate<std::int16_t, pointer, pointer>},
    {"int64", by_predicate<std::int64_t, pointer, pointer>},
    {"float", by_predicate<float, pointer, pointer>},
    {"double", by_predicate<double, pointer, pointer>},
    {"bool", by_predicate<bool, pointer, pointer>},
    {"b2", by_predicate<b2, pointer, pointer>},
    {"b3", by_predicate<b3, pointer, pointer>},
    {"b12", by_predicate<b12, pointer, pointer>},
    {"b16", by_predicate<b16, pointer, pointer>},
    {"b24", by_predicate<b24, pointer, pointer>},
    {"b32", by_predicate<b32, pointer, pointer>},
    {"int32 reverse", by_predicate<std::int32_t, reverse, reverse>},
    {"int64 permuted", by_predicate<std::int64_t, permuted, permuted>},
    {"int32 transformed", by_predicate<std::int32_t, transformed, pointer>},
    {"int32 counting", by_predicate<std::int32_t, counting, pointer>},
    {"int32 constant to reverse", by_predicate<std::int32_t, constant, reverse>},
    {"b8 to discard", by_predicate<b8, pointer, discard>},
    {"uint8 by uint8", by_stencil<std::uint8_t, pointer, std::uint8_t, pointer, pointer>},
    {"int64 by bool", by_stencil<std::int64_t, pointer, bool, pointer, pointer>},
    {"double by int32", by_stencil<double, pointer, std::int32_t, pointer, pointer>},
    {"b12 by int64", by_stencil<b12, pointer, std::int64_t, pointer, pointer>},
    {"int16 by reverse uint8", by_stencil<std::int16_t, pointer, std::uint8_t, reverse, pointer>},
    {"int64 counting by uint8", by_stencil<std::int64_t, counting, std::uint8_t, pointer, pointer>},
    {"float by permuted int16", by_stencil<float, reverse, std::int16_t, permuted, reverse>},
    {"zipped", by_predicate<b8_b8, zipped, zipped>},
    {"int32 shifted", shifted<std::int32_t>},
    {"b12 shifted", shifted<b12>},
    {"uint8 shifted", shifted<std::uint8_t>},
    {"int32 sized", sized<std::int32_t>},
    {"b24 sized", sized<b24>},
#if !ONEPASS_HAS_CUDA
    {"int32 deque", by_predicate<std::int32_t, deque, deque>},
    {"b3 deque by deque uint8", by_stencil<b3, deque, std::uint8_t, deque, deque>},
    {"int32 throwing", throwing<std::int32_t>},
#endif
  };
  return all;
}

}  // namespace fuzz
