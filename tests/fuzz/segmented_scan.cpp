// SPDX-License-Identifier: Apache-2.0
// Draws segmented scans: by keys, head flags, bits, offsets.
#include <onepass/segmented_scan.hpp>

#include "families.hpp"
#include "segments.hpp"

namespace fuzz {
namespace {

template <class T, class Op>
T initial_for() {
  return value_of_bits<T>(described<Op>.items == domain::ones && !is_struct<T> ? ~std::uint64_t{0} : 5);
}
template <class T>
std::string text_of_initial(T init) {
  return name_of<T>() + (is_struct<T> ? text_of(init) : "(" + text_of(init) + ")");
}
template <class T, class Op>
std::vector<T> reference(bool exclusive, const std::vector<T>& items, const heads_list& heads, T init) {
  return exclusive ? test::exclusive_segmented_reference<T>(items, heads, init, Op())
                   : test::inclusive_segmented_reference<T>(items, heads, Op());
}
// In front of the policy's choice, as the size of items is that of a tile.
template <class T>
std::int64_t size_of_call(test_case& c) {
  return c.d.size("n", sizeof(T));
}

template <class T, class In, class K, class KeysIn, class Equal, class Out, class Op>
void by_key(test_case& c) {
  const std::int64_t n = size_of_call<T>(c);
  const bool exclusive = c.d.coin("exclusive");
  const execution<in_all_ways<T, In, KeysIn, Out>> e(c, n);
  const functors<Equal, Op> by(c);
  const bool from_0 = exclusive && is_default_equal<Equal> && c.d.coin("from_0");
  data<K> key_items = keys_for<K>(flag_rule(c.d, "h_"), n, about_equal<Equal>::tens);
  range<KeysIn, K> keys(c, "k", key_items);
  data<T> items = values_for<T>(c.d, "x_", n, described<Op>.items);
  range<In, T> x(c, "x", items);
  e.cut(key_items.items, items.items);
  const T init = from_0 ? T() : initial_for<T, Op>();
  const auto call = [&](const auto& first, const auto& values, const auto& out, const std::string& out_text) {
    const std::string last = keys.text() + " + " + number(n);
    texts arguments{keys.text(), last, x.text(), out_text};
    if (exclusive && !from_0) arguments.push_back(text_of_initial(init));
    c.says(exclusive ? "exclusive_scan_by_key" : "inclusive_scan_by_key", by.text(arguments));
    std::int64_t end = 0;
    e.run([&](const auto&... policy) {
      by.pass([&](auto... functor) {
        if (from_0) {
          if constexpr (is_default_equal<Equal>)
            end = onepass::exclusive_scan_by_key(policy..., first, first + n, values, out) - out;
        } else if (exclusive) {
          end = onepass::exclusive_scan_by_key(policy..., first, first + n, values, out, init, functor...) - out;
        } else {
          end = onepass::inclusive_scan_by_key(policy..., first, first + n, values, out, functor...) - out;
        }
      });
    });
    expect_end(end, static_cast<std::size_t>(n));
    if (out_text != keys.text()) keys.expect_unchanged();
  };
  const std::vector<T> expected =
      reference<T, Op>(exclusive, items.items, test::heads_of_keys(key_items.items, Equal()), init);
  if constexpr (std::is_same_v<In, Out>) {
    if (c.d.one_in("in_place", 3)) {
      call(keys.begin(), x.begin(), x.begin(), x.text());
      return x.expect_begin(expected);
    }
  }
  if constexpr (std::is_same_v<K, T> && std::is_same_v<KeysIn, Out> && std::is_same_v<Out, pointer>) {
    if (c.d.one_in("over_keys", 3)) {
      call(keys.begin(), x.begin(), keys.begin(), keys.text());
      x.expect_unchanged();
      return keys.expect_begin(expected);
    }
  }
  range<Out, T> y(c, "y", n);
  call(keys.begin(), x.begin(), y.begin(), y.text());
  y.expect(expected);
  x.expect_unchanged();
}

// Heads: one of segments.hpp.
template <class T, class In, class Heads, class Out, class Op>
void by_heads(test_case& c) {
  const std::int64_t n = size_of_call<T>(c);
  const bool exclusive = c.d.coin("exclusive");
  const execution<in_all_ways<T, In, Out>> e(c, n);
  constexpr bool adds = std::is_same_v<Op, onepass::sum>;
  const bool no_functor = adds && c.d.coin("no_functor");
  Heads heads(c, n);
  data<T> items = values_for<T>(c.d, "x_", n, described<Op>.items);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
  const T init = initial_for<T, Op>();
  c.define(described<Op>.definition);
  const auto call = [&](const auto& first, const auto& out, const std::string& out_text) {
    const std::string last = x.text() + " + " + number(n);
    texts arguments{x.text(), last, heads.text(), out_text};
    if (exclusive) arguments.push_back(text_of_initial(init));
    if (!no_functor) arguments.push_back(described<Op>.name);
    c.says(exclusive ? "exclusive_segmented_scan" : "inclusive_segmented_scan", arguments);
    const auto segments = heads.argument();
    std::int64_t end = 0;
    e.run([&](const auto&... policy) {
      const auto call = [&](auto... op) {
        if (exclusive)
          end = onepass::exclusive_segmented_scan(policy..., first, first + n, segments, out, init, op...) - out;
        else end = onepass::inclusive_segmented_scan(policy..., first, first + n, segments, out, op...) - out;
      };
      if constexpr (adds) no_functor ? call() : call(Op());
      else call(Op());
    });
    expect_end(end, static_cast<std::size_t>(n));
    heads.expect_unchanged();
  };
  const std::vector<T> expected = reference<T, Op>(exclusive, items.items, heads.heads(), init);
  if constexpr (std::is_same_v<In, Out>) {
    if (c.d.one_in("in_place", 3)) {
      call(x.begin(), x.begin(), x.text());
      return x.expect_begin(expected);
    }
  }
  range<Out, T> y(c, "y", n);
  call(x.begin(), y.begin(), y.text());
  y.expect(expected);
  x.expect_unchanged();
}

template <class T, class Heads>
void rounded(test_case& c) {  // fractions: the same bits with any number of threads
  const std::int64_t n = size_of_call<T>(c);
  execution e(c, n);
  Heads heads(c, n);
  data<T> items{{}, "h(9, i) * 0x1p-64"};
  for (std::int64_t i = 0; i < n; ++i)
    items.items.push_back(static_cast<T>(static_cast<double>(hash(9, static_cast<std::uint64_t>(i))) * 0x1p-64));
  range<pointer, T> x(c, "x", items), y(c, "y", n), z(c, "z", n);
  const auto segments = heads.argument();
  for (const auto* out : {&y, &z}) {
    c.says("inclusive_segmented_scan", {x.text(), x.text() + " + " + number(n), heads.text(), out->text()});
    e.run([&](const auto&... policy) {
      onepass::inclusive_segmented_scan(policy..., x.begin(), x.begin() + n, segments, out->begin());
    });
    e.take_other_threads();
  }
  const std::vector<T> sums = y.now();
  z.expect(sums);
  double sum = 0, length = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (heads.heads()[i]) sum = length = 0;
    sum += static_cast<double>(items.items[i]), length += 1;
    expect_about("y", i, sums[i], sum, length);
  }
}

#if !ONEPASS_HAS_CUDA
template <class T>
void throwing(test_case& c) {
  const std::int64_t n = 2 + size_of_call<T>(c), drawn = 1 + c.d.below("at", n - 1);
  const execution e(c, n);
  flag_heads<pointer, std::uint8_t> heads(c, n);
  data<T> items = values_for<T>(c.d, "x_", n, domain::small);
  const std::int64_t at = refused_place(heads.heads(), drawn);
  refuse(items, at);
  range<pointer, T> x(c, "x", items), y(c, "y", n);
  c.says("inclusive_segmented_scan",
         {x.text(), x.text() + " + " + number(n), heads.text(), y.text(), refusing_text("my_sum{}")});
  const auto call = [&](bool refuses) {
    e.run([&](const auto&... policy) {
      onepass::inclusive_segmented_scan(policy..., x.begin(), x.begin() + n, heads.argument(), y.begin(),
                                        refusing<my_sum>{refuses});
    });
  };
  expect_refusal(at < n, call, [&] { x.expect_unchanged(); });
  y.expect_begin(test::inclusive_segmented_reference<T>(items.items, heads.heads(), my_sum()));
}
// Keys that were to be overwritten are there again.
template <class T>
void throwing_by_key(test_case& c) {
  const std::int64_t n = 2 + size_of_call<T>(c);
  const execution e(c, n);
  const refused_runs<T> runs(c, n);
  range<pointer, T> k(c, "k", runs.keys), x(c, "x", runs.values), y(c, "y", n);
  const range<pointer, T>& out = c.d.coin("over_keys") ? k : y;
  c.says("inclusive_scan_by_key", runs.text({k.text(), k.text() + " + " + number(n), x.text(), out.text()}));
  const auto call = [&](bool refuses) {
    e.run([&](const auto&... policy) {
      onepass::inclusive_scan_by_key(policy..., k.begin(), k.begin() + n, x.begin(), out.begin(), runs.equal(refuses),
                                     runs.op(refuses));
    });
  };
  expect_refusal(runs.throws, call, [&] { x.expect_unchanged(), runs.throws ? k.expect_unchanged() : k.restore(); });
  out.expect_begin(runs.scanned());
}
#endif

using bytes = flag_heads<pointer, std::uint8_t>;
using equal = onepass::detail::equal_to;
using offsets32 = offset_heads<pointer, std::int32_t>;

}  // namespace

const std::vector<shape>& segmented_scan_shapes() {
  using onepass::sum;
  static const std::vector<shape> all = {
    {"int32 by int32", by_key<std::int32_t, pointer, std::int32_t, pointer, equal, pointer, sum>},
    {"int32 by bytes", by_heads<std::int32_t, pointer, bytes, pointer, sum>},
    {"int32 by bits", by_heads<std::int32_t, pointer, flag_heads<bits, bool>, pointer, sum>},
    {"int32 by offsets", by_heads<std::int32_t, pointer, offsets32, pointer, sum>},
    {"int64 my_sum by bytes", by_heads<std::int64_t, pointer, bytes, pointer, my_sum>},
    {"float by bytes", by_heads<float, pointer, bytes, pointer, sum>},
    {"b24 by bytes", by_heads<b24, pointer, bytes, pointer, my_product>},
    {"float by computed offsets", by_heads<float, pointer, offset_heads<computed, std::int64_t>, pointer, sum>},
    {"float by rows", by_heads<float, pointer, offset_heads<equal_rows, std::int64_t>, pointer, sum>},
    {"b24 by rows", by_heads<b24, pointer, offset_heads<equal_rows, std::int64_t>, pointer, my_product>},
    {"int32 reverse by reverse bytes",
     by_heads<std::int32_t, reverse, flag_heads<reverse, std::uint8_t>, reverse, sum>},
    {"int64 transformed by permuted offsets",
     by_heads<std::int64_t, transformed, offset_heads<permuted, std::int32_t>, pointer, my_sum>},
    {"uint8 by uint8", by_key<std::uint8_t, pointer, std::uint8_t, pointer, equal, pointer, sum>},
    {"b32 by uint32", by_key<b32, pointer, std::uint32_t, pointer, same, pointer, my_product>},
    {"uint32 reverse by reverse uint32", by_key<std::uint32_t, reverse, std::uint32_t, reverse, equal, pointer, sum>},
    {"int32 permuted by counting", by_key<std::int32_t, permuted, std::int32_t, counting, same_tens, permuted, sum>},
    {"float rounded by bytes", rounded<float, bytes>},
#if !ONEPASS_HAS_CUDA
    {"int64 deque by deque bytes", by_heads<std::int64_t, deque, flag_heads<deque, std::uint8_t>, deque, sum>},
    {"int32 by deque offsets", by_heads<std::int32_t, pointer, offset_heads<deque, std::int64_t>, pointer, my_sum>},
    {"word by int32", by_key<word, live, std::int32_t, pointer, same, live, my_product>},
    {"int64 throwing", throwing<std::int64_t>},
    {"int64 by int64 throwing", throwing_by_key<std::int64_t>},
#endif
#if !ONEPASS_FUZZ_FEW_SHAPES
    {"uint8 by bytes", by_heads<std::uint8_t, pointer, bytes, pointer, sum>},
    {"int16 max by bytes", by_heads<std::int16_t, pointer, bytes, pointer, onepass::maximum>},
    {"double min by bits", by_heads<double, pointer, flag_heads<bits, bool>, pointer, onepass::minimum>},
    {"uint32 latter by int32 flags",
     by_heads<std::uint32_t, pointer, flag_heads<pointer, std::int32_t>, pointer, latter>},
    {"b3 by offsets", by_heads<b3, pointer, offsets32, pointer, my_product>},
    {"b8 by bits", by_heads<b8, pointer, flag_heads<bits, bool>, pointer, my_product>},
    {"int64 by int64 offsets", by_heads<std::int64_t, pointer, offset_heads<pointer, std::int64_t>, pointer, sum>},
    {"uint32 constant by bytes to discard", by_heads<std::uint32_t, constant, bytes, discard, sum>},
    {"float by int64", by_key<float, pointer, std::int64_t, pointer, same, pointer, onepass::maximum>},
    {"int64 by int16 tens", by_key<std::int64_t, pointer, std::int16_t, pointer, same_tens, pointer, sum>},
    {"b12 by b3", by_key<b12, pointer, b3, pointer, same, pointer, my_product>},
    {"double rounded by offsets", rounded<double, offsets32>},
#endif
  };
  return all;
}

}  // namespace fuzz
