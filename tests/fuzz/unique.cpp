// SPDX-License-Identifier: Apache-2.0
// Draws calls of unique and its like, of items and of keys with values.
#include <onepass/compact.hpp>

#include "compaction.hpp"
#include "families.hpp"
#include "zip.hpp"
#include "segments.hpp"

namespace fuzz {
namespace {

template <class T, class In, class Out, class Equal>
void items_alone(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const execution e(c);
  data<T> items = keys_for<T>(flag_rule(c.d, "x_"), n, Equal::tens);
  range<In, T> x(c, "x", items);
  const std::vector<T> expected = test::kept(items.items, test::heads_of_keys(items.items, Equal()));
  c.define(Equal::definition);
  const auto first = x.begin();
  if constexpr (std::is_same_v<In, Out>) {
    if (c.d.coin("in_place")) {
      run_counted(
          c, e, "unique", {x.text(), last_of(x, n), Equal::name}, expected.size(),
          [&](const auto&... policy) { return onepass::unique(policy..., first, first + n, Equal()) - first; },
          [&](onepass::index_t* count, const auto&... policy) {
            onepass::unique_async(policy..., first, first + n, Equal(), count);
          });
      return x.expect_begin(expected);
    }
  }
  range<Out, T> y(c, "y", room_for(c, "tight", expected.size(), n));
  const auto out = y.begin();
  run_counted(
      c, e, "unique_copy", {x.text(), last_of(x, n), y.text(), Equal::name}, expected.size(),
      [&](const auto&... policy) { return onepass::unique_copy(policy..., first, first + n, out, Equal()) - out; },
      [&](onepass::index_t* count, const auto&... policy) {
        onepass::unique_copy_async(policy..., first, first + n, out, Equal(), count);
      });
  y.expect(expected);
  x.expect_unchanged();
}

template <class K, class KeysIn, class T, class In, class KeysOut, class Out, class Equal>
void with_values(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T) > sizeof(K) ? sizeof(T) : sizeof(K));
  const execution e(c);
  data<K> key_items = keys_for<K>(flag_rule(c.d, "k_"), n, Equal::tens);
  data<T> items = values_for<T>(c.d, "x_", n, domain::any);
  range<KeysIn, K> k(c, "k", key_items);
  range<In, T> x(c, "x", items);
  const flag_list heads = test::heads_of_keys(key_items.items, Equal());
  const std::vector<K> expected_keys = test::kept(key_items.items, heads);
  const std::vector<T> expected = test::kept(items.items, heads);
  c.define(Equal::definition);
  const auto keys = k.begin();
  const auto values = x.begin();
  if constexpr (std::is_same_v<KeysIn, KeysOut> && std::is_same_v<In, Out>) {
    if (c.d.coin("in_place")) {
      run_counted(
          c, e, "unique_by_key", {k.text(), last_of(k, n), x.text(), Equal::name}, expected.size(),
          [&](const auto&... policy) {
            const auto ends = onepass::unique_by_key(policy..., keys, keys + n, values, Equal());
            return ends.first - keys == ends.second - values ? ends.first - keys : -1;
          },
          [&](onepass::index_t* count, const auto&... policy) {
            onepass::unique_by_key_async(policy..., keys, keys + n, values, Equal(), count);
          });
      k.expect_begin(expected_keys);
      return x.expect_begin(expected);
    }
  }
  const std::int64_t room = room_for(c, "tight", expected.size(), n);
  range<KeysOut, K> ok(c, "ok", room);
  range<Out, T> ov(c, "ov", room);
  const auto out_keys = ok.begin();
  const auto out = ov.begin();
  run_counted(
      c, e, "unique_by_key_copy", {k.text(), last_of(k, n), x.text(), ok.text(), ov.text(), Equal::name},
      expected.size(),
      [&](const auto&... policy) {
        return onepass::unique_by_key_copy(policy..., keys, keys + n, values, out_keys, out, Equal()).second - out;
      },
      [&](onepass::index_t* count, const auto&... policy) {
        onepass::unique_by_key_copy_async(policy..., keys, keys + n, values, out_keys, out, Equal(), count);
      });
  ok.expect(expected_keys), ov.expect(expected);
  k.expect_unchanged(), x.expect_unchanged();
}

}  // namespace

const std::vector<shape>& unique_shapes() {
  static const std::vector<shape> all = {
    {"int32", items_alone<std::int32_t, pointer, pointer, same>},
    {"int32, int32", with_values<std::int32_t, pointer, std::int32_t, pointer, pointer, pointer, same>},
    {"uint8", items_alone<std::uint8_t, pointer, pointer, same>},
    {"int16 tens", items_alone<std::int16_t, pointer, pointer, same_tens>},
    {"int64", items_alone<std::int64_t, pointer, pointer, same>},
    {"double", items_alone<double, pointer, pointer, same>},
    {"float tens", items_alone<float, pointer, pointer, same_tens>},
    {"bool", items_alone<bool, pointer, pointer, same>},
    {"b3", items_alone<b3, pointer, pointer, same>},
    {"b16", items_alone<b16, pointer, pointer, same>},
    {"b24", items_alone<b24, pointer, pointer, same>},
    {"uint32 reverse", items_alone<std::uint32_t, reverse, reverse, same>},
    {"int32 permuted", items_alone<std::int32_t, permuted, permuted, same_tens>},
    {"int64 transformed to reverse", items_alone<std::int64_t, transformed, reverse, same>},
    {"int32 counting tens", items_alone<std::int32_t, counting, pointer, same_tens>},
    {"int32 constant to discard", items_alone<std::int32_t, constant, discard, same>},
    {"zipped", items_alone<b8_b8, zipped, zipped, same>},
    {"uint8, b12", with_values<std::uint8_t, pointer, b12, pointer, pointer, pointer, same>},
    {"int64, uint8", with_values<std::int64_t, pointer, std::uint8_t, pointer, pointer, pointer, same>},
    {"b16, double", with_values<b16, pointer, double, pointer, pointer, pointer, same>},
    {"float tens, b32", with_values<float, pointer, b32, pointer, pointer, pointer, same_tens>},
    {"int32 reverse, int64 permuted",
     with_values<std::int32_t, reverse, std::int64_t, permuted, reverse, permuted, same>},
    {"int16, int32 counting", with_values<std::int16_t, pointer, std::int32_t, counting, pointer, pointer, same>},
#if !ONEPASS_HAS_CUDA
    {"b8 deque", items_alone<b8, deque, deque, same>},
    {"int32 deque, int64 deque", with_values<std::int32_t, deque, std::int64_t, deque, deque, deque, same>},
#endif
  };
  return all;
}

}  // namespace fuzz
