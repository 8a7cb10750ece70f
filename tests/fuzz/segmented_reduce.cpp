// SPDX-License-Identifier: Apache-2.0
// Draws reductions of segments: by keys, by flags, by offsets, and run lengths.
#include <onepass/segmented_reduce.hpp>

#include "compaction.hpp"
#include "families.hpp"
#include "zip.hpp"
#include "segments.hpp"

namespace fuzz {
namespace {

template <class T, class In, class K, class KeysIn, class Equal, class KeysOut, class Out, class Op>
void by_key(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const execution<in_all_ways<T, In, KeysIn, KeysOut, Out>> e(c, n);
  const functors<Equal, Op> by(c);
  data<K> key_items = keys_for<K>(flag_rule(c.d, "h_"), n, about_equal<Equal>::tens);
  range<KeysIn, K> keys(c, "k", key_items);
  data<T> items = values_for<T>(c.d, "x_", n, described<Op>.items);
  range<In, T> x(c, "x", items);
  e.cut(key_items.items, items.items);
  const heads_list heads = test::heads_of_keys(key_items.items, Equal());
  const std::vector<K> expected_keys = test::kept(key_items.items, heads);
  const std::vector<T> expected =
      test::ends_of(test::inclusive_segmented_reference<T>(items.items, heads, Op()), heads);
  const auto first = keys.begin();
  const auto values = x.begin();
  const auto call = [&](const auto& to_keys, const auto& to, const std::string& keys_text, const std::string& text) {
    run_counted(
        c, e, "reduce_by_key", by.text({keys.text(), last_of(keys, n), x.text(), keys_text, text}), expected.size(),
        [&](const auto&... policy) {
          const auto ends = by.pass([&](auto... functor) {
            return onepass::reduce_by_key(policy..., first, first + n, values, to_keys, to, functor...);
          });
          return ends.first - to_keys == ends.second - to ? ends.second - to : -1;
        },
        [&](onepass::index_t* count, const auto&... policy) {
          by.pass([&](auto... functor) {
            onepass::reduce_by_key_async(policy..., first, first + n, values, to_keys, to, functor..., count);
          });
        });
  };
  // In place in arrays alone: of other iterators no copy is made.
  if constexpr (std::is_same_v<KeysIn, KeysOut> && std::is_same_v<In, Out> && std::is_same_v<KeysIn, pointer> &&
                std::is_same_v<In, pointer>) {
    if (c.d.one_in("in_place", 4)) {
      call(first, values, keys.text(), x.text());
      return keys.expect_begin(expected_keys), x.expect_begin(expected);
    }
  }
  // Room for all items, or for the results alone, beside which there is a guard.
  const std::int64_t room = room_for_segments(c, "tight", expected.size(), n);
  range<KeysOut, K> out_keys(c, "ok", room);
  range<Out, T> out(c, "ov", room);
  call(out_keys.begin(), out.begin(), out_keys.text(), out.text());
  out_keys.expect(expected_keys);
  out.expect(expected);
  keys.expect_unchanged(), x.expect_unchanged();
}

template <class K, class KeysIn, class Length, class KeysOut, class Out>
void run_lengths(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(K));
  const execution<in_all_ways<K, KeysIn, KeysOut, Out>> e(c, n);
  data<K> key_items = keys_for<K>(flag_rule(c.d, "h_"), n);
  range<KeysIn, K> keys(c, "k", key_items);
  e.cut(key_items.items);
  const heads_list heads = test::heads_of_keys(key_items.items);
  const std::vector<Length> ones(e.size(), Length(1));
  const std::vector<Length> expected =
      test::ends_of(test::inclusive_segmented_reference<Length>(ones, heads, my_sum()), heads);
  const std::int64_t room = room_for_segments(c, "tight", expected.size(), n);
  range<KeysOut, K> out_keys(c, "ok", room);
  range<Out, Length> out(c, "length", room);
  const auto first = keys.begin();
  const auto to_keys = out_keys.begin();
  const auto to = out.begin();
  run_counted(
      c, e, "run_length_encode", {keys.text(), last_of(keys, n), out_keys.text(), out.text()}, expected.size(),
      [&](const auto&... policy) {
        return onepass::run_length_encode(policy..., first, first + n, to_keys, to).second - to;
      },
      [&](onepass::index_t* count, const auto&... policy) {
        onepass::run_length_encode_async(policy..., first, first + n, to_keys, to, count);
      });
  out_keys.expect(test::kept(key_items.items, heads));
  out.expect(expected);
  keys.expect_unchanged();
}

template <class T, class In, class Heads, class Out, class Op>
void by_flags(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const execution<in_all_ways<T, In, Out>> e(c, n);
  Heads heads(c, n);
  data<T> items = values_for<T>(c.d, "x_", n, described<Op>.items);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
  const std::vector<T> expected =
      test::ends_of(test::inclusive_segmented_reference<T>(items.items, heads.heads(), Op()), heads.heads());
  c.define(described<Op>.definition);
  const auto flags = heads.argument();
  const auto first = x.begin();
  const auto call = [&](const auto& out, const std::string& text) {
    run_counted(
        c, e, "segmented_reduce", {x.text(), last_of(x, n), heads.text(), text, described<Op>.name}, expected.size(),
        [&](const auto&... policy) {
          return onepass::segmented_reduce(policy..., first, first + n, flags, out, Op()) - out;
        },
        [&](onepass::index_t* count, const auto&... policy) {
          onepass::segmented_reduce_async(policy..., first, first + n, flags, out, Op(), count);
        });
    heads.expect_unchanged();
  };
  if constexpr (std::is_same_v<In, pointer> && std::is_same_v<Out, pointer>) {
    if (c.d.one_in("in_place", 4)) {
      call(first, x.text());
      return x.expect_begin(expected);
    }
  }
  range<Out, T> y(c, "y", room_for_segments(c, "tight", expected.size(), n));
  call(y.begin(), y.text());
  y.expect(expected);
  x.expect_unchanged();
}

template <class T, class In, class Heads, class Out, class Op>
void by_offsets(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const execution<in_all_ways<T, In, Out>> e(c, n);
  Heads heads(c, n);
  data<T> items = values_for<T>(c.d, "x_", n, described<Op>.items);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
  const T init = value_of_bits<T>(described<Op>.items == domain::ones && !is_struct<T> ? ~std::uint64_t{0} : 5);
  const std::vector<T> expected =
      reference_of_offsets<T, std::decay_t<decltype(heads.offsets())>, Op>(items.items, heads.offsets(), init);
  range<Out, T> y(c, "y", static_cast<std::int64_t>(expected.size()));
  c.define(described<Op>.definition);
  c.says("segmented_reduce",
         {x.text(), x.text() + " + " + number(n), heads.text(), y.text(),
          name_of<T>() + (is_struct<T> ? text_of(init) : "(" + text_of(init) + ")"), described<Op>.name});
  const auto offsets = heads.argument();
  const auto out = y.begin();
  std::int64_t end = 0;
  e.run([&](const auto&... policy) {
    end = onepass::segmented_reduce(policy..., x.begin(), x.begin() + n, offsets, out, init, Op()) - out;
  });
  expect_end(end, expected.size());
  y.expect(expected);
  x.expect_unchanged(), heads.expect_unchanged();
}

// Fractions: close to what double gives, and the same bits with any number of threads.
template <class T>
void rounded(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  execution e(c, n);
  flag_heads<pointer, std::uint8_t> heads(c, n);
  data<T> items{{}, "h(9, i) * 0x1p-64"};
  for (std::int64_t i = 0; i < n; ++i)
    items.items.push_back(static_cast<T>(static_cast<double>(hash(9, static_cast<std::uint64_t>(i))) * 0x1p-64));
  range<pointer, T> x(c, "x", items), y(c, "y", n), z(c, "z", n);
  const auto segments = static_cast<std::size_t>(std::count(heads.heads().begin(), heads.heads().end(), 1));
  for (const auto* out : {&y, &z}) {
    c.says("segmented_reduce", {x.text(), x.text() + " + " + number(n), heads.text(), out->text(), "onepass::sum{}"});
    e.run_waiting([&](const auto&... policy) {
      onepass::segmented_reduce(policy..., x.begin(), x.begin() + n, heads.argument(), out->begin(), onepass::sum());
    });
    e.take_other_threads();
  }
  std::vector<T> sums = y.now();
  sums.resize(segments);
  z.expect(sums);
  double sum = 0, length = 0;
  for (std::size_t i = 0, which = 0; i < items.items.size(); ++i) {
    sum += static_cast<double>(items.items[i]), length += 1;
    if (i + 1 < items.items.size() && !heads.heads()[i + 1]) continue;
    expect_about("y", which, sums[which], sum, length);
    ++which, sum = length = 0;
  }
}

#if !ONEPASS_HAS_CUDA
template <class T>
void throwing(test_case& c) {
  const std::int64_t n = 2 + c.d.size("n", sizeof(T)), drawn = 1 + c.d.below("at", n - 1);
  const execution e(c, n);
  flag_heads<pointer, std::uint8_t> heads(c, n);
  data<T> items = values_for<T>(c.d, "x_", n, domain::small);
  const std::int64_t at = refused_place(heads.heads(), drawn);
  refuse(items, at);
  range<pointer, T> x(c, "x", items);
  const std::vector<T> expected =
      test::ends_of(test::inclusive_segmented_reference<T>(items.items, heads.heads(), my_sum()), heads.heads());
  range<pointer, T> y(c, "y", room_for(c, "tight", expected.size(), n));
  c.says("segmented_reduce", {x.text(), last_of(x, n), heads.text(), y.text(), refusing_text("my_sum{}")});
  const auto call = [&](bool refuses) {
    e.run([&](const auto&... policy) {
      onepass::segmented_reduce(policy..., x.begin(), x.begin() + n, heads.argument(), y.begin(),
                                refusing<my_sum>{refuses});
    });
  };
  expect_refusal(at < n, call, [&] { x.expect_unchanged(); });
  y.expect_begin(expected);
}
// Keys and values that were to be overwritten are there again.
template <class T>
void throwing_by_key(test_case& c) {
  const std::int64_t n = 2 + c.d.size("n", sizeof(T));
  const execution e(c, n);
  const refused_runs<T> runs(c, n);
  const std::vector<T> sums = test::ends_of(runs.scanned(), runs.heads);
  const std::int64_t room = room_for(c, "tight", sums.size(), n);
  range<pointer, T> k(c, "k", runs.keys), x(c, "x", runs.values), ok(c, "ok", room), ov(c, "ov", room);
  const bool in_place = c.d.coin("in_place");
  const range<pointer, T>&out_keys = in_place ? k : ok, &out = in_place ? x : ov;
  c.says("reduce_by_key", runs.text({k.text(), last_of(k, n), x.text(), out_keys.text(), out.text()}));
  const auto call = [&](bool refuses) {
    e.run([&](const auto&... policy) {
      onepass::reduce_by_key(policy..., k.begin(), k.begin() + n, x.begin(), out_keys.begin(), out.begin(),
                             runs.equal(refuses), runs.op(refuses));
    });
  };
  expect_refusal(runs.throws, call, [&] {
    if (runs.throws) k.expect_unchanged(), x.expect_unchanged();
    k.restore(), x.restore();
  });
  out_keys.expect_begin(test::kept(runs.keys.items, runs.heads)), out.expect_begin(sums);
}
#endif

using bytes = flag_heads<pointer, std::uint8_t>;
using equal = onepass::detail::equal_to;
using offsets32 = offset_heads<pointer, std::int32_t>;

}  // namespace

const std::vector<shape>& segmented_reduce_shapes() {
  using onepass::sum;
  static const std::vector<shape> all = {
    {"int32 by int32", by_key<std::int32_t, pointer, std::int32_t, pointer, equal, pointer, pointer, sum>},
    {"int32 my_sum by int32", by_key<std::int32_t, pointer, std::int32_t, pointer, same, pointer, pointer, my_sum>},
    {"int32 by bytes", by_flags<std::int32_t, pointer, bytes, pointer, sum>},
    {"int64 my_sum by bytes", by_flags<std::int64_t, pointer, bytes, pointer, my_sum>},
    {"int32 by offsets", by_offsets<std::int32_t, pointer, offsets32, pointer, sum>},
    {"int32 lengths", run_lengths<std::int32_t, pointer, std::int32_t, pointer, pointer>},
    {"uint8 by uint8", by_key<std::uint8_t, pointer, std::uint8_t, pointer, equal, pointer, pointer, sum>},
    {"float my_sum by int16 tens", by_key<float, pointer, std::int16_t, pointer, same_tens, pointer, pointer, my_sum>},
    {"b32 by int32", by_key<b32, pointer, std::int32_t, pointer, same, pointer, pointer, my_product>},
    {"int32 reverse by reverse", by_key<std::int32_t, reverse, std::int32_t, reverse, same, reverse, reverse, sum>},
    {"int64 transformed by permuted",
     by_key<std::int64_t, transformed, std::int32_t, permuted, same, pointer, permuted, sum>},
    {"zipped by int32", by_key<b8_b8, zipped, std::int32_t, pointer, same, pointer, zipped, sum_of_both>},
    {"b24 lengths", run_lengths<b24, pointer, std::uint32_t, pointer, pointer>},
    {"float max by bits", by_flags<float, pointer, flag_heads<bits, bool>, pointer, onepass::maximum>},
    {"b24 by int32 flags", by_flags<b24, pointer, flag_heads<pointer, std::int32_t>, pointer, my_product>},
    {"int32 reverse by reverse bytes",
     by_flags<std::int32_t, reverse, flag_heads<reverse, std::uint8_t>, reverse, sum>},
    {"b16 by offsets", by_offsets<b16, pointer, offsets32, pointer, my_product>},
    {"int32 by rows", by_offsets<std::int32_t, pointer, offset_heads<equal_rows, std::int64_t>, pointer, sum>},
    {"int32 by computed offsets",
     by_offsets<std::int32_t, pointer, offset_heads<computed, std::int64_t>, pointer, sum>},
    {"uint32 my_sum reverse by offsets",
     by_offsets<std::uint32_t, reverse, offset_heads<permuted, std::int32_t>, reverse, my_sum>},
    {"float rounded", rounded<float>},
#if !ONEPASS_HAS_CUDA
    {"int64 deque by deque", by_key<std::int64_t, deque, std::int32_t, deque, same, deque, deque, sum>},
    {"word by int32", by_key<word, live, std::int32_t, pointer, same, pointer, live, my_product>},
    {"word by bytes", by_flags<word, live, bytes, live, my_product>},
    {"int32 deque by bytes", by_flags<std::int32_t, deque, flag_heads<deque, std::uint8_t>, deque, sum>},
    {"int32 deque by deque offsets", by_offsets<std::int32_t, deque, offset_heads<deque, std::int32_t>, deque, sum>},
    {"int64 throwing", throwing<std::int64_t>},
    {"int64 by int64 throwing", throwing_by_key<std::int64_t>},
#endif
#if !ONEPASS_FUZZ_FEW_SHAPES
    {"int16 max by int64",
     by_key<std::int16_t, pointer, std::int64_t, pointer, same, pointer, pointer, onepass::maximum>},
    {"uint32 latter by uint8", by_key<std::uint32_t, pointer, std::uint8_t, pointer, same, pointer, pointer, latter>},
    {"double by int32", by_key<double, pointer, std::int32_t, pointer, equal, pointer, pointer, sum>},
    {"b3 by double", by_key<b3, pointer, double, pointer, same, pointer, pointer, my_product>},
    {"b12 by b12", by_key<b12, pointer, b12, pointer, same, pointer, pointer, my_product>},
    {"int32 by constant to discard",
     by_key<std::int32_t, pointer, std::int32_t, constant, same, discard, pointer, my_sum>},
    {"uint8 lengths", run_lengths<std::uint8_t, pointer, std::int64_t, pointer, pointer>},
    {"float lengths reverse", run_lengths<float, reverse, std::int32_t, pointer, reverse>},
    {"uint8 by bits", by_flags<std::uint8_t, pointer, flag_heads<bits, bool>, pointer, sum>},
    {"uint64 xor by bytes", by_flags<std::uint64_t, pointer, bytes, pointer, onepass::bit_xor>},
    {"b8 by bytes", by_flags<b8, pointer, bytes, pointer, my_product>},
    {"uint32 counting by bytes", by_flags<std::uint32_t, counting, bytes, pointer, my_sum>},
    {"double by int64 offsets", by_offsets<double, pointer, offset_heads<pointer, std::int64_t>, pointer, sum>},
    {"int64 min by offsets", by_offsets<std::int64_t, pointer, offsets32, pointer, onepass::minimum>},
    {"double rounded", rounded<double>},
#endif
  };
  return all;
}

}  // namespace fuzz
