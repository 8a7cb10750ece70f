// SPDX-License-Identifier: Apache-2.0
// Draws calls of positions: by a predicate, by flags, by bits.
#include <onepass/positions.hpp>

#include "compaction.hpp"
#include "families.hpp"
#include "refusal.hpp"
#include "segments.hpp"

namespace fuzz {
namespace {

template <class I>
std::vector<I> places(const flag_list& flags) {
  std::vector<I> all;
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i]) all.push_back(static_cast<I>(i));
  return all;
}

template <class S, class In, class I, class Out>
void by_items(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(S));
  const bool asks = c.d.coin("predicate");
  const execution<in_all_ways<S, In, Out>> e(c, n);
  data<S> items = asks ? odd_by<S>(c.d, "x_", n) : flags_of<S>(flag_rule(c.d, "x_"), n);
  range<In, S> x(c, "x", items);
  e.cut(items.items);
  flag_list set;
  for (const S item : items.items) set.push_back(asks ? is_odd()(item) : static_cast<bool>(item));
  const std::vector<I> expected = places<I>(set);
  range<Out, I> y(c, "y", room_for(c, "tight", expected.size(), n));
  c.define(is_odd::definition<S>());
  texts arguments{x.text(), last_of(x, n), y.text()};
  if (asks) arguments.push_back("is_odd{}");
  const auto first = x.begin();
  const auto out = y.begin();
  run_counted(
      c, e, "positions", arguments, expected.size(),
      [&](const auto&... policy) {
        return (asks ? onepass::positions(policy..., first, first + n, out, is_odd())
                     : onepass::positions(policy..., first, first + n, out)) -
               out;
      },
      [&](onepass::index_t* count, const auto&... policy) {
        if (asks) onepass::positions_async(policy..., first, first + n, out, is_odd(), count);
        else onepass::positions_async(policy..., first, first + n, out, count);
      });
  y.expect(expected);
  x.expect_unchanged();
}

template <class I>
void by_bits(test_case& c) {
  const std::int64_t n = c.d.size("n", 1);
  const execution e(c, n);
  flag_heads<bits, bool> flags(c, n);
  heads_list set = flags.heads();
  if (n > 0) set[0] = *flags.argument();  // a head in any case
  const std::vector<I> expected = places<I>(set);
  range<pointer, I> y(c, "y", room_for(c, "tight", expected.size(), n));
  const auto first = flags.argument();
  const auto out = y.begin();
  run_counted(
      c, e, "positions", {flags.text(), flags.text() + " + " + number(n), y.text()}, expected.size(),
      [&](const auto&... policy) { return onepass::positions(policy..., first, first + n, out) - out; },
      [&](onepass::index_t* count, const auto&... policy) {
        onepass::positions_async(policy..., first, first + n, out, count);
      });
  y.expect(expected);
}

#if !ONEPASS_HAS_CUDA
template <class S>
void throwing(test_case& c) {
  const std::int64_t n = 1 + c.d.size("n", sizeof(S)), at = c.d.below("at", n);
  const execution e(c, n);
  data<S> items = odd_by<S>(c.d, "x_", n);
  refuse(items, at);
  const auto expected = places<std::int32_t>(test::flags_of(items.items, is_odd()));
  range<pointer, S> x(c, "x", items);
  range<pointer, std::int32_t> y(c, "y", room_for(c, "tight", expected.size(), n));
  c.says("positions", {x.text(), last_of(x, n), y.text(), refusing_text("is_odd{}")});
  const auto call = [&](bool refuses) {
    e.run([&](const auto&... policy) {
      onepass::positions(policy..., x.begin(), x.begin() + n, y.begin(), refusing<is_odd>{refuses});
    });
  };
  expect_refusal(true, call, [&] { x.expect_unchanged(); });
  y.expect_begin(expected);
}
#endif

}  // namespace

const std::vector<shape>& positions_shapes() {
  static const std::vector<shape> all = {
    {"int32", by_items<std::int32_t, pointer, std::int32_t, pointer>},
    {"uint8 to int64", by_items<std::uint8_t, pointer, std::int64_t, pointer>},
    {"int32 reverse to reverse", by_items<std::int32_t, reverse, std::int64_t, reverse>},
    {"int64 transformed to permuted uint32", by_items<std::int64_t, transformed, std::uint32_t, permuted>},
#if !ONEPASS_HAS_CUDA
    {"uint8 deque to deque", by_items<std::uint8_t, deque, std::int32_t, deque>},
    {"int32 throwing", throwing<std::int32_t>},
    // A pointer does not tell that bits are the device's.
    {"bits", by_bits<std::int32_t>},
#endif
#if !ONEPASS_FUZZ_FEW_SHAPES
    {"bool to uint32", by_items<bool, pointer, std::uint32_t, pointer>},
    {"double to double", by_items<double, pointer, double, pointer>},
    {"int32 counting to discard", by_items<std::int32_t, counting, std::int32_t, discard>},
#endif
  };
  return all;
}

}  // namespace fuzz
