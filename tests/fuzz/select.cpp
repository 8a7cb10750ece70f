// SPDX-License-Identifier: Apache-2.0
// Draws selections: the k first of keys, of keys with values, and the item of a rank; of an array, of rows, of segments.
#include "drawn_selections.hpp"
#include "families.hpp"

namespace fuzz {
namespace {

template <class K, class In, class Segments, class Out>
void keys_alone(test_case& c) {
  const std::int64_t n = selected_size(c.d, sizeof(K));
  const execution<in_all_ways<K, In, Out>> e(c, n);
  Segments segments(c, n);
  const selection s(c.d, segments, n, true);
  data<K> items = selected_keys_for<K>(c, n, segments.of(static_cast<std::int64_t>(e.size())));
  range<In, K> x(c, "x", items);
  e.cut(items.items);
  define_keys<K>(c);
  const places chosen = s.of(segments, items.items);
  range<Out, K> y(c, "y", static_cast<std::int64_t>(chosen.size()));
  texts arguments{x.text(), x.text() + " + " + number(n)};
  segments.add(arguments);
  arguments.push_back(number(s.k)), arguments.push_back(y.text());
  if (!s.is_nth) arguments.push_back(s.options_text());
  c.says(s.name("top_k"), arguments);
  const auto first = x.begin();
  const auto out = y.begin();
  std::int64_t end = 0;
  segments.pass([&](auto... of) {
    e.run([&](const auto&... policy) {
      end = s.is_nth ? onepass::nth_element(policy..., first, first + n, of..., s.k, out) - out
                     : onepass::top_k(policy..., first, first + n, of..., s.k, out, s.options) - out;
    });
  });
  expect_end(end, chosen.size());
  y.expect(items_at(items.items, chosen));
  x.expect_unchanged(), segments.expect_unchanged();
}

template <class K, class KeysIn, class V, class In, class Segments, class KeysOut, class Out>
void with_values(test_case& c) {
  const std::int64_t n = selected_size(c.d, sizeof(K) > sizeof(V) ? sizeof(K) : sizeof(V));
  const execution<in_all_ways<V, KeysIn, In, KeysOut, Out>> e(c, n);
  Segments segments(c, n);
  const selection s(c.d, segments, n, false);
  data<K> key_items = selected_keys_for<K>(c, n, segments.of(static_cast<std::int64_t>(e.size())));
  data<V> items = values_for<V>(c.d, "v_", n, domain::any);
  range<KeysIn, K> k(c, "k", key_items);
  range<In, V> v(c, "v", items);
  e.cut(key_items.items, items.items);
  define_keys<K>(c);
  const places chosen = s.of(segments, key_items.items);
  const auto results = static_cast<std::int64_t>(chosen.size());
  range<KeysOut, K> ok(c, "ok", results);
  range<Out, V> ov(c, "ov", results);
  texts arguments{k.text(), k.text() + " + " + number(n), v.text()};
  segments.add(arguments);
  for (const std::string& text : {number(s.k), ok.text(), ov.text(), s.options_text()}) arguments.push_back(text);
  c.says("top_k_by_key", arguments);
  const auto first = k.begin();
  const auto values = v.begin();
  const auto keys_out = ok.begin();
  const auto out = ov.begin();
  std::int64_t keys_end = 0, end = 0;
  segments.pass([&](auto... of) {
    e.run([&](const auto&... policy) {
      const auto ends =
          onepass::top_k_by_key(policy..., first, first + n, values, of..., s.k, keys_out, out, s.options);
      keys_end = ends.first - keys_out, end = ends.second - out;
    });
  });
  expect_end(keys_end, chosen.size()), expect_end(end, chosen.size());
  ok.expect(items_at(key_items.items, chosen)), ov.expect(items_at(items.items, chosen));
  k.expect_unchanged(), v.expect_unchanged(), segments.expect_unchanged();
}

#if !ONEPASS_HAS_CUDA
struct itself {
  template <class T>
  T operator()(const T& x) const {
    return x;
  }
};
template <class It>
auto throwing_at(It first, bool refuses) {
  return thrust::make_transform_iterator(first, refusing<itself>{refuses});
}
// The iterator of the keys, of which a call reads all in segments that have results; or that of the values, of which it reads
// those of results. Then results mean nothing.
template <class K, class V, class Segments>
void throwing(test_case& c) {
  const std::int64_t n = 1 + selected_size(c.d, sizeof(K)), at = c.d.below("at", n);
  const execution e(c, n);
  Segments segments(c, n);
  const selection s(c.d, segments, n, true);
  const bool by_values = c.d.coin("by_values") && !s.is_nth;
  const parts all = segments.of(n);
  data<K> key_items = selected_keys_for<K>(c, n, all);
  data<V> items = values_for<V>(c.d, "v_", n, domain::any);
  refuse(key_items, by_values ? n : at), refuse(items, by_values ? at : n);
  const places chosen = s.of(segments, key_items.items);
  bool throws = by_values && std::count(chosen.begin(), chosen.end(), static_cast<std::size_t>(at)) > 0;
  for (std::size_t p = 0; p < all.size(); ++p)
    throws |= !by_values && s.results() > 0 && all[p].begin <= at && at < all[p].end &&
              chosen[p * static_cast<std::size_t>(s.results())] != selection::none;
  range<pointer, K> k(c, "k", key_items), ok(c, "ok", static_cast<std::int64_t>(chosen.size()));
  range<pointer, V> v(c, "v", items), ov(c, "ov", static_cast<std::int64_t>(chosen.size()));
  texts arguments{k.text() + (by_values ? "" : ", through " + refusing_text("itself{}")), number(n),
                  v.text() + (by_values ? ", through " + refusing_text("itself{}") : "")};
  segments.add(arguments);
  for (const std::string& text : {number(s.k), ok.text(), ov.text(), s.options_text()}) arguments.push_back(text);
  c.says(s.name("top_k_by_key"), arguments);
  const auto call = [&](bool refuses) {
    const auto first = throwing_at(k.begin(), refuses && !by_values);
    const auto values = throwing_at(v.begin(), refuses && by_values);
    segments.pass([&](auto... of) {
      e.run([&](const auto&... policy) {
        if (s.is_nth) onepass::nth_element(policy..., first, first + n, of..., s.k, ok.begin());
        else onepass::top_k_by_key(policy..., first, first + n, values, of..., s.k, ok.begin(), ov.begin(), s.options);
      });
    });
  };
  expect_refusal(throws, call, [&] { k.expect_unchanged(), v.expect_unchanged(); });
  ok.expect(items_at(key_items.items, chosen));
  if (!s.is_nth) ov.expect(items_at(items.items, chosen));
  segments.expect_unchanged();
}
#endif

using offsets32 = in_segments<by_offsets<pointer, std::int32_t>>;
using ranges64 = in_segments<by_ranges<pointer, std::int64_t>>;

}  // namespace

const std::vector<shape>& select_shapes() {
  static const std::vector<shape> all = {
    {"int32", keys_alone<std::int32_t, pointer, whole, pointer>},
    {"int32 in rows", keys_alone<std::int32_t, pointer, in_rows, pointer>},
    {"int32, int32", with_values<std::int32_t, pointer, std::int32_t, pointer, whole, pointer, pointer>},
    {"float in segments", keys_alone<float, pointer, offsets32, pointer>},
    {"uint64 in rows", keys_alone<std::uint64_t, pointer, in_rows, pointer>},
    {"uint8, uint32 counting in rows",
     with_values<std::uint8_t, pointer, std::uint32_t, counting, in_rows, pointer, pointer>},
    {"double, b12 in segments", with_values<double, pointer, b12, pointer, offsets32, pointer, pointer>},
    {"int64 transformed in ranges", keys_alone<std::int64_t, transformed, ranges64, reverse>},
    {"int16 reverse, b24 permuted", with_values<std::int16_t, reverse, b24, permuted, whole, permuted, reverse>},
#if !ONEPASS_HAS_CUDA
    {"int32 deque, word in rows", with_values<std::int32_t, deque, word, live, in_rows, deque, live>},
    {"int32, int64 throwing", throwing<std::int32_t, std::int64_t, whole>},
    {"float, uint8 in rows throwing", throwing<float, std::uint8_t, in_rows>},
#endif
#if !ONEPASS_FUZZ_FEW_SHAPES
    {"double", keys_alone<double, pointer, whole, pointer>},
    {"bool in rows", keys_alone<bool, pointer, in_rows, pointer>},
    {"int8", keys_alone<std::int8_t, pointer, whole, permuted>},
    {"uint16 in ranges", keys_alone<std::uint16_t, pointer, ranges64, pointer>},
    {"uint32 counting in segments", keys_alone<std::uint32_t, counting, offsets32, pointer>},
    {"float permuted in rows", keys_alone<float, permuted, in_rows, pointer>},
    {"int32 constant, int64 in rows",
     with_values<std::int32_t, constant, std::int64_t, pointer, in_rows, discard, pointer>},
    {"int64, b3 in ranges", with_values<std::int64_t, pointer, b3, pointer, ranges64, pointer, permuted>},
    {"float, uint8 constant", with_values<float, pointer, std::uint8_t, constant, whole, pointer, pointer>},
    {"uint64, b32 in rows", with_values<std::uint64_t, pointer, b32, pointer, in_rows, pointer, pointer>},
#endif
  };
  return all;
}

}  // namespace fuzz
