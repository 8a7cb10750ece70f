// SPDX-License-Identifier: Apache-2.0
// Draws sorts of segments, told by offsets or by begins and ends.
#include <onepass/segmented_sort.hpp>

#include "families.hpp"
#include "parts.hpp"

namespace fuzz {
namespace {

template <class K, class In, class Segments, class Out>
void keys_alone(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(K), most_sorted);
  constexpr bool writable = std::is_same_v<In, Out>;
  constexpr bool has_buffer = std::is_same_v<In, pointer> && !has_fields<K>;
  const auto form = writable ? c.d.below("form", has_buffer ? 3 : 2) : 1;
  const execution<in_all_ways<K, In, Out>> e(c, n, form == 2 && on_device);
  const drawn_options o(c.d, bits_of<K>());
  Segments segments(c, n);
  data<K> items = sort_keys_for<K>(c.d, n);
  range<In, K> x(c, "x", items);
  e.cut(items.items);
  define_keys<K>(c);
  const std::vector<K> expected = test::arranged(items.items, order_in_parts(segments, items.items, o.options));
  const auto first = x.begin();
  const auto parts = segments.argument();
  texts arguments{x.text(), x.text() + " + " + number(n)};
  if constexpr (writable) {
    if (form == 0) {
      arguments.push_back(segments.text());
      add_order<K>(arguments, o.text);
      c.says("segmented_sort", arguments);
      with_order<K>([&](auto... by) {
        e.run([&](const auto&... policy) {
          onepass::segmented_sort(policy..., first, first + n, parts, by..., o.options);
        });
      });
      segments.expect_unchanged();
      return x.expect_begin(expected);
    }
  }
  range<Out, K> y(c, "y", n);
  if constexpr (has_buffer && writable) {
    if (form == 2) {
      onepass::double_buffer<K> buffer(x.raw(), y.raw());
      c.line("onepass::double_buffer<" + name_of<K>() + "> both(" + x.raw_text() + ", " + y.raw_text() + ");");
      c.says("segmented_sort", {"both", number(n), segments.text(), o.text});
      e.run_on_pointers(
          [&](const auto&... policy) { onepass::segmented_sort(policy..., buffer, n, parts, o.options); });
      return x.expect_begin(expected);
    }
  }
  arguments.push_back(y.text()), arguments.push_back(segments.text());
  add_order<K>(arguments, o.text);
  c.says("segmented_sort_copy", arguments);
  const auto out = y.begin();
  std::int64_t end = 0;
  with_order<K>([&](auto... by) {
    e.run([&](const auto&... policy) {
      end = onepass::segmented_sort_copy(policy..., first, first + n, out, parts, by..., o.options) - out;
    });
  });
  expect_end(end, static_cast<std::size_t>(n));
  y.expect(expected);
  x.expect_unchanged(), segments.expect_unchanged();
}

template <class K, class KeysIn, class V, class In, class Segments, class KeysOut, class Out>
void with_values(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(K) > sizeof(V) ? sizeof(K) : sizeof(V), most_sorted);
  constexpr bool writable = std::is_same_v<KeysIn, KeysOut> && std::is_same_v<In, Out>;
  // 0: in place, 1: to another place, 2: double buffers.
  constexpr bool has_buffer = std::is_same_v<KeysIn, pointer> && std::is_same_v<In, pointer> && !has_fields<K>;
  const auto form = writable ? c.d.below("form", has_buffer ? 3 : 2) : 1;
  const execution<in_all_ways<V, KeysIn, In, KeysOut, Out>> e(c, n, form == 2 && on_device);
  const drawn_options o(c.d, bits_of<K>());
  Segments segments(c, n);
  data<K> key_items = sort_keys_for<K>(c.d, n);
  data<V> items = values_for<V>(c.d, "v_", n, domain::any);
  range<KeysIn, K> k(c, "k", key_items);
  range<In, V> v(c, "v", items);
  e.cut(key_items.items, items.items);
  define_keys<K>(c);
  const places order = order_in_parts(segments, key_items.items, o.options);
  const std::vector<K> expected_keys = test::arranged(key_items.items, order);
  const std::vector<V> expected = test::arranged(items.items, order);
  const auto first = k.begin();
  const auto values = v.begin();
  const auto parts = segments.argument();
  texts arguments{k.text(), k.text() + " + " + number(n), v.text()};
  if constexpr (writable) {
    if (form == 0) {
      arguments.push_back(segments.text());
      add_order<K>(arguments, o.text);
      c.says("segmented_sort_by_key", arguments);
      with_order<K>([&](auto... by) {
        e.run([&](const auto&... policy) {
          onepass::segmented_sort_by_key(policy..., first, first + n, values, parts, by..., o.options);
        });
      });
      segments.expect_unchanged();
      return k.expect_begin(expected_keys), v.expect_begin(expected);
    }
  }
  range<KeysOut, K> ok(c, "ok", n);
  range<Out, V> ov(c, "ov", n);
  if constexpr (has_buffer && writable) {
    if (form == 2) {
      onepass::double_buffer<K> keys(k.raw(), ok.raw());
      onepass::double_buffer<V> both(v.raw(), ov.raw());
      c.line("onepass::double_buffer<" + name_of<K>() + "> keys(" + k.raw_text() + ", " + ok.raw_text() + ");");
      c.line("onepass::double_buffer<" + name_of<V>() + "> both(" + v.raw_text() + ", " + ov.raw_text() + ");");
      c.says("segmented_sort_by_key", {"keys", "both", number(n), segments.text(), o.text});
      e.run_on_pointers(
          [&](const auto&... policy) { onepass::segmented_sort_by_key(policy..., keys, both, n, parts, o.options); });
      return k.expect_begin(expected_keys), v.expect_begin(expected);
    }
  }
  arguments.push_back(ok.text()), arguments.push_back(ov.text()), arguments.push_back(segments.text());
  add_order<K>(arguments, o.text);
  c.says("segmented_sort_by_key_copy", arguments);
  const auto out_keys = ok.begin();
  const auto out = ov.begin();
  std::int64_t end = 0;
  with_order<K>([&](auto... by) {
    e.run([&](const auto&... policy) {
      end = onepass::segmented_sort_by_key_copy(policy..., first, first + n, values, out_keys, out, parts, by...,
                                                o.options)
                .second -
            out;
    });
  });
  expect_end(end, static_cast<std::size_t>(n));
  ok.expect(expected_keys), ov.expect(expected);
  k.expect_unchanged(), v.expect_unchanged(), segments.expect_unchanged();
}

#if !ONEPASS_HAS_CUDA
// The decomposer; then keys in place may be lost.
template <class K>
void throwing(test_case& c) {
  const std::int64_t n = 2 + c.d.size("n", sizeof(K), most_sorted), at = c.d.below("at", n);
  const bool copies = c.d.coin("copies");
  const execution e(c, n);
  by_offsets<pointer, std::int32_t> segments(c, n);
  data<K> items = sort_keys_for<K>(c.d, n);
  // Where another one is in the segment. Of a key that is alone the decomposer may be asked, or not.
  std::int64_t place = n;
  for (const part& p : segments.of(n))
    if (place == n && p.size() > 1 && at < p.end) place = std::max(at, p.begin);
  refuse(items, place);
  range<pointer, K> x(c, "x", items), y(c, "y", n);
  const std::vector<K> expected = test::arranged(items.items, order_in_parts(segments, items.items, {}));
  c.says(copies ? "segmented_sort_copy" : "segmented_sort",
         {x.text(), x.text() + " + " + number(n), y.text(), segments.text(), refusing_text("by_fields{}")});
  const auto first = x.begin();
  const auto parts = segments.argument();
  const auto call = [&](bool refuses) {
    e.run([&](const auto&... policy) {
      const fields_or_refusal by{refuses};
      if (copies) onepass::segmented_sort_copy(policy..., first, first + n, y.begin(), parts, by);
      else onepass::segmented_sort(policy..., first, first + n, parts, by);
    });
  };
  expect_refusal(place < n, call, [&] {
    if (copies) x.expect_unchanged();
    x.restore();
  });
  (copies ? y : x).expect_begin(expected), segments.expect_unchanged();
}
#endif

using offsets32 = by_offsets<pointer, std::int32_t>;
using ranges32 = by_ranges<pointer, std::int32_t>;

}  // namespace

const std::vector<shape>& segmented_sort_shapes() {
  static const std::vector<shape> all = {
    {"int32", keys_alone<std::int32_t, pointer, offsets32, pointer>},
    {"int32 by ranges", keys_alone<std::int32_t, pointer, ranges32, pointer>},
    {"int32, int32", with_values<std::int32_t, pointer, std::int32_t, pointer, offsets32, pointer, pointer>},
    {"uint8", keys_alone<std::uint8_t, pointer, offsets32, pointer>},
    {"record", keys_alone<record, pointer, offsets32, pointer>},
    {"uint128", keys_alone<uint128, pointer, offsets32, pointer>},
    {"float, uint8 by ranges", with_values<float, pointer, std::uint8_t, pointer, ranges32, pointer, pointer>},
    {"uint16 permuted, int32 counting",
     with_values<std::uint16_t, permuted, std::int32_t, counting, offsets32, permuted, reverse>},
#if !ONEPASS_HAS_CUDA
    {"record throwing", throwing<record>},
    {"int32 deque, int64 deque",
     with_values<std::int32_t, deque, std::int64_t, deque, by_offsets<deque, std::int32_t>, deque, deque>},
#endif
#if !ONEPASS_FUZZ_FEW_SHAPES
    {"double by ranges", keys_alone<double, pointer, by_ranges<pointer, std::int64_t>, pointer>},
    {"uint32 by rows", keys_alone<std::uint32_t, pointer, by_offsets<equal_rows, std::int64_t>, pointer>},
    {"int64 reverse by computed", keys_alone<std::int64_t, reverse, by_offsets<computed, std::int64_t>, reverse>},
    {"int16 transformed by permuted",
     keys_alone<std::int16_t, transformed, by_offsets<permuted, std::int32_t>, pointer>},
    {"uint64, b24", with_values<std::uint64_t, pointer, b24, pointer, offsets32, pointer, pointer>},
#endif
  };
  return all;
}

}  // namespace fuzz
