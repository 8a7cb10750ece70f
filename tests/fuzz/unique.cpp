// SPDX-License-Identifier: Apache-2.0
// Draws calls of unique and its like, of items and of keys with values.
#include <onepass/compact.hpp>

#include "compaction.hpp"
#include "families.hpp"
#include "refusal.hpp"
#include "zip.hpp"
#include "segments.hpp"

namespace fuzz {

using equal = onepass::detail::equal_to;
template <>
constexpr bool is_default_equal<equal> = true;

namespace {

// Calls that take Equal, or nothing for it: f(functors...).
template <class Equal, class F>
auto pass(const F& f) {
  if constexpr (is_default_equal<Equal>) return f();
  else return f(Equal());
}
template <class Equal>
texts with_equal(texts arguments) {
  if (!is_default_equal<Equal>) arguments.push_back(about_equal<Equal>::name);
  return arguments;
}

template <class T, class In, class Out, class Equal>
void items_alone(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const execution<in_all_ways<T, In, Out>> e(c, n);
  data<T> items = keys_for<T>(flag_rule(c.d, "x_"), n, about_equal<Equal>::tens);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
  const std::vector<T> expected = test::kept(items.items, test::heads_of_keys(items.items, Equal()));
  c.define(about_equal<Equal>::definition);
  const auto first = x.begin();
  if constexpr (std::is_same_v<In, Out>) {
    if (c.d.coin("in_place")) {
      run_counted(
          c, e, "unique", with_equal<Equal>({x.text(), last_of(x, n)}), expected.size(),
          [&](const auto&... policy) {
            return pass<Equal>([&](auto... equal) { return onepass::unique(policy..., first, first + n, equal...); }) -
                   first;
          },
          [&](onepass::index_t* count, const auto&... policy) {
            pass<Equal>([&](auto... equal) { onepass::unique_async(policy..., first, first + n, equal..., count); });
          });
      return x.expect_begin(expected);
    }
  }
  range<Out, T> y(c, "y", room_for_segments(c, "tight", expected.size(), n));
  const auto out = y.begin();
  run_counted(
      c, e, "unique_copy", with_equal<Equal>({x.text(), last_of(x, n), y.text()}), expected.size(),
      [&](const auto&... policy) {
        return pass<Equal>(
                   [&](auto... equal) { return onepass::unique_copy(policy..., first, first + n, out, equal...); }) -
               out;
      },
      [&](onepass::index_t* count, const auto&... policy) {
        pass<Equal>(
            [&](auto... equal) { onepass::unique_copy_async(policy..., first, first + n, out, equal..., count); });
      });
  y.expect(expected);
  x.expect_unchanged();
}

template <class K, class KeysIn, class T, class In, class KeysOut, class Out, class Equal>
void with_values(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T) > sizeof(K) ? sizeof(T) : sizeof(K));
  const execution<in_all_ways<T, KeysIn, In, KeysOut, Out>> e(c, n);
  data<K> key_items = keys_for<K>(flag_rule(c.d, "k_"), n, about_equal<Equal>::tens);
  data<T> items = values_for<T>(c.d, "x_", n, domain::any);
  range<KeysIn, K> k(c, "k", key_items);
  range<In, T> x(c, "x", items);
  e.cut(key_items.items, items.items);
  const flag_list heads = test::heads_of_keys(key_items.items, Equal());
  const std::vector<K> expected_keys = test::kept(key_items.items, heads);
  const std::vector<T> expected = test::kept(items.items, heads);
  c.define(about_equal<Equal>::definition);
  const auto keys = k.begin();
  const auto values = x.begin();
  if constexpr (std::is_same_v<KeysIn, KeysOut> && std::is_same_v<In, Out>) {
    if (c.d.coin("in_place")) {
      run_counted(
          c, e, "unique_by_key", with_equal<Equal>({k.text(), last_of(k, n), x.text()}), expected.size(),
          [&](const auto&... policy) {
            const auto ends = pass<Equal>(
                [&](auto... equal) { return onepass::unique_by_key(policy..., keys, keys + n, values, equal...); });
            return ends.first - keys == ends.second - values ? ends.first - keys : -1;
          },
          [&](onepass::index_t* count, const auto&... policy) {
            pass<Equal>([&](auto... equal) {
              onepass::unique_by_key_async(policy..., keys, keys + n, values, equal..., count);
            });
          });
      k.expect_begin(expected_keys);
      return x.expect_begin(expected);
    }
  }
  const std::int64_t room = room_for_segments(c, "tight", expected.size(), n);
  range<KeysOut, K> ok(c, "ok", room);
  range<Out, T> ov(c, "ov", room);
  const auto out_keys = ok.begin();
  const auto out = ov.begin();
  run_counted(
      c, e, "unique_by_key_copy", with_equal<Equal>({k.text(), last_of(k, n), x.text(), ok.text(), ov.text()}),
      expected.size(),
      [&](const auto&... policy) {
        return pass<Equal>([&](auto... equal) {
                 return onepass::unique_by_key_copy(policy..., keys, keys + n, values, out_keys, out, equal...);
               }).second -
               out;
      },
      [&](onepass::index_t* count, const auto&... policy) {
        pass<Equal>([&](auto... equal) {
          onepass::unique_by_key_copy_async(policy..., keys, keys + n, values, out_keys, out, equal..., count);
        });
      });
  ok.expect(expected_keys), ov.expect(expected);
  k.expect_unchanged(), x.expect_unchanged();
}

#if !ONEPASS_HAS_CUDA
// Of two items, or of two keys with values; to another place or in place.
template <class T>
void throwing(test_case& c) {
  const std::int64_t n = 2 + c.d.size("n", sizeof(T)), at = c.d.below("at", n);
  const bool in_place = c.d.coin("in_place"), by_key = c.d.coin("by_key");
  const execution e(c, n);
  data<T> keys = keys_for<T>(flag_rule(c.d, "x_"), n), values = values_for<T>(c.d, "v_", n, domain::any);
  refuse(keys, at);
  const flag_list heads = test::heads_of_keys(keys.items, same());
  const std::vector<T> expected_keys = test::kept(keys.items, heads), expected = test::kept(values.items, heads);
  const std::int64_t room = room_for_segments(c, "tight", expected.size(), n);
  range<pointer, T> k(c, "k", keys), v(c, "v", values), ok(c, "ok", room), ov(c, "ov", room);
  c.says(std::string(by_key ? "unique_by_key" : "unique") + (in_place ? "" : "_copy"),
         {k.text(), last_of(k, n), v.text(), ok.text(), ov.text(), refusing_text("same{}")});
  const auto first = k.begin();
  const auto call = [&](bool refuses) {
    e.run([&](const auto&... policy) {
      const refusing<same> equal{refuses};
      if (in_place && by_key) onepass::unique_by_key(policy..., first, first + n, v.begin(), equal);
      else if (in_place) onepass::unique(policy..., first, first + n, equal);
      else if (by_key)
        onepass::unique_by_key_copy(policy..., first, first + n, v.begin(), ok.begin(), ov.begin(), equal);
      else onepass::unique_copy(policy..., first, first + n, ok.begin(), equal);
    });
  };
  expect_refusal(true, call, [&] {
    if (!in_place) return k.expect_unchanged(), v.expect_unchanged();
    expect_all_kept(k.now(), expected_keys), expect_all_kept(v.now(), expected);
    k.restore(), v.restore();
  });
  (in_place ? k : ok).expect_begin(expected_keys);
  if (by_key) (in_place ? v : ov).expect_begin(expected);
}
#endif

}  // namespace

const std::vector<shape>& unique_shapes() {
  static const std::vector<shape> all = {
    {"int32", items_alone<std::int32_t, pointer, pointer, equal>},
    {"int32, int32", with_values<std::int32_t, pointer, std::int32_t, pointer, pointer, pointer, equal>},
    {"uint8", items_alone<std::uint8_t, pointer, pointer, equal>},
    {"int16 tens", items_alone<std::int16_t, pointer, pointer, same_tens>},
    {"b24", items_alone<b24, pointer, pointer, equal>},
    {"int32 permuted", items_alone<std::int32_t, permuted, permuted, same_tens>},
    {"int32 counting tens", items_alone<std::int32_t, counting, pointer, same_tens>},
    {"zipped", items_alone<b8_b8, zipped, zipped, same>},
    {"uint8, b12", with_values<std::uint8_t, pointer, b12, pointer, pointer, pointer, equal>},
    {"float tens, b32", with_values<float, pointer, b32, pointer, pointer, pointer, same_tens>},
    {"int32 reverse, int64 permuted",
     with_values<std::int32_t, reverse, std::int64_t, permuted, reverse, permuted, same>},
#if !ONEPASS_HAS_CUDA
    {"word", items_alone<word, live, live, equal>},
    {"int32 throwing", throwing<std::int32_t>},
    {"int32 deque, int64 deque", with_values<std::int32_t, deque, std::int64_t, deque, deque, deque, same>},
#endif
#if !ONEPASS_FUZZ_FEW_SHAPES
    {"int64", items_alone<std::int64_t, pointer, pointer, same>},
    {"double", items_alone<double, pointer, pointer, equal>},
    {"bool", items_alone<bool, pointer, pointer, same>},
    {"b3", items_alone<b3, pointer, pointer, same>},
    {"uint32 reverse", items_alone<std::uint32_t, reverse, reverse, equal>},
    {"int64 transformed to reverse", items_alone<std::int64_t, transformed, reverse, same>},
    {"int32 constant to discard", items_alone<std::int32_t, constant, discard, same>},
    {"int64, uint8", with_values<std::int64_t, pointer, std::uint8_t, pointer, pointer, pointer, same>},
    {"b16, double", with_values<b16, pointer, double, pointer, pointer, pointer, same>},
    {"int16, int32 counting", with_values<std::int16_t, pointer, std::int32_t, counting, pointer, pointer, same>},
#endif
  };
  return all;
}

}  // namespace fuzz
