// SPDX-License-Identifier: Apache-2.0
// Draws radix sorts: of keys, of keys with values, and the sorted order; in place, to another place, with the caller's second
// buffers.
#include "families.hpp"
#include "sort_keys.hpp"
#include "zip.hpp"

namespace fuzz {
namespace {

template <class K, class In, class Out>
void keys_alone(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(K), most_sorted);
  // 0: in place, 1: to another place, 2: a double buffer.
  constexpr bool has_buffer = std::is_same_v<In, pointer>;
  constexpr bool writable = std::is_same_v<In, Out>;
  const auto form = writable ? c.d.below("form", has_buffer ? 3 : 2) : 1;
  const execution<in_all_ways<K, In, Out>> e(c, n, form == 2 && on_device);
  const drawn_options o(c.d, bits_of<K>());
  data<K> items = sort_keys_for<K>(c.d, n);
  range<In, K> x(c, "x", items);
  e.cut(items.items);
  define_keys<K>(c);
  const places order = places_after_sort(items.items, o.options);
  const std::vector<K> expected = test::arranged(items.items, order);
  const auto first = x.begin();
  texts arguments{x.text(), x.text() + " + " + number(n)};
  if constexpr (writable) {
    if (form == 0) {
      add_order<K>(arguments, o.text);
      c.says("radix_sort", arguments);
      with_order<K>([&](auto... by) {
        e.run([&](const auto&... policy) { onepass::radix_sort(policy..., first, first + n, by..., o.options); });
      });
      return x.expect_begin(expected);
    }
  }
  range<Out, K> y(c, "y", n);
  const auto out = y.begin();
  if constexpr (has_buffer && writable) {
    if (form == 2) {
      onepass::double_buffer<K> buffer(x.raw(), y.raw());
      c.line("onepass::double_buffer<" + name_of<K>() + "> both(" + x.raw_text() + ", " + y.raw_text() + ");");
      texts all{"both", number(n)};
      add_order<K>(all, o.text);
      c.says("radix_sort", all);
      with_order<K>([&](auto... by) {
        e.run_on_pointers([&](const auto&... policy) { onepass::radix_sort(policy..., buffer, n, by..., o.options); });
      });
      return x.expect_begin(expected);
    }
  }
  arguments.push_back(y.text());
  add_order<K>(arguments, o.text);
  c.says("radix_sort_copy", arguments);
  std::int64_t end = 0;
  with_order<K>([&](auto... by) {
    e.run([&](const auto&... policy) {
      end = onepass::radix_sort_copy(policy..., first, first + n, out, by..., o.options) - out;
    });
  });
  expect_end(end, static_cast<std::size_t>(n));
  y.expect(expected);
  x.expect_unchanged();
}

template <class K, class KeysIn, class V, class In, class KeysOut, class Out>
void with_values(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(K) > sizeof(V) ? sizeof(K) : sizeof(V), most_sorted);
  constexpr bool has_buffer = std::is_same_v<KeysIn, pointer> && std::is_same_v<In, pointer>;
  constexpr bool writable = std::is_same_v<KeysIn, KeysOut> && std::is_same_v<In, Out>;
  const auto form = writable ? c.d.below("form", has_buffer ? 3 : 2) : 1;
  const execution<in_all_ways<K, KeysIn, In, KeysOut, Out>> e(c, n, form == 2 && on_device);
  const drawn_options o(c.d, bits_of<K>());
  data<K> key_items = sort_keys_for<K>(c.d, n);
  data<V> items = values_for<V>(c.d, "v_", n, domain::any);
  range<KeysIn, K> k(c, "k", key_items);
  range<In, V> v(c, "v", items);
  e.cut(key_items.items, items.items);
  define_keys<K>(c);
  const places order = places_after_sort(key_items.items, o.options);
  const std::vector<K> expected_keys = test::arranged(key_items.items, order);
  const std::vector<V> expected = test::arranged(items.items, order);
  const auto first = k.begin();
  const auto values = v.begin();
  texts arguments{k.text(), k.text() + " + " + number(n), v.text()};
  if constexpr (writable) {
    if (form == 0) {
      add_order<K>(arguments, o.text);
      c.says("radix_sort_by_key", arguments);
      with_order<K>([&](auto... by) {
        e.run([&](const auto&... policy) {
          onepass::radix_sort_by_key(policy..., first, first + n, values, by..., o.options);
        });
      });
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
      texts all{"keys", "both", number(n)};
      add_order<K>(all, o.text);
      c.says("radix_sort_by_key", all);
      with_order<K>([&](auto... by) {
        e.run_on_pointers(
            [&](const auto&... policy) { onepass::radix_sort_by_key(policy..., keys, both, n, by..., o.options); });
      });
      return k.expect_begin(expected_keys), v.expect_begin(expected);
    }
  }
  arguments.push_back(ok.text()), arguments.push_back(ov.text());
  add_order<K>(arguments, o.text);
  c.says("radix_sort_by_key_copy", arguments);
  const auto out_keys = ok.begin();
  const auto out = ov.begin();
  std::int64_t end = 0;
  with_order<K>([&](auto... by) {
    e.run([&](const auto&... policy) {
      end =
          onepass::radix_sort_by_key_copy(policy..., first, first + n, values, out_keys, out, by..., o.options).second -
          out;
    });
  });
  expect_end(end, static_cast<std::size_t>(n));
  ok.expect(expected_keys), ov.expect(expected);
  k.expect_unchanged(), v.expect_unchanged();
}

template <class K, class In, class I, class Out>
void sorted_order(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(K), most_sorted);
  const execution<in_all_ways<K, In, Out>> e(c, n, false);
  const drawn_options o(c.d, bits_of<K>());
  data<K> items = sort_keys_for<K>(c.d, n);
  range<In, K> x(c, "x", items);
  e.cut(items.items);
  define_keys<K>(c);
  const places order = places_after_sort(items.items, o.options);
  std::vector<I> expected;
  for (const auto i : order) expected.push_back(static_cast<I>(i));
  const auto first = x.begin();
  range<Out, I> y(c, "y", n);
  const auto out = y.begin();
  texts arguments{x.text(), x.text() + " + " + number(n), y.text()};
  add_order<K>(arguments, o.text);
  c.says("radix_argsort", arguments);
  std::int64_t end = 0;
  with_order<K>([&](auto... by) {
    e.run([&](const auto&... policy) {
      end = onepass::radix_argsort(policy..., first, first + n, out, by..., o.options) - out;
    });
  });
  expect_end(end, static_cast<std::size_t>(n));
  y.expect(expected);
  x.expect_unchanged();
}

#if !ONEPASS_HAS_CUDA
// The decomposer; then keys and values in place may be lost.
template <class K, class V, class ValuesIn>
void throwing(test_case& c) {
  const std::int64_t n = 2 + c.d.size("n", sizeof(K) > sizeof(V) ? sizeof(K) : sizeof(V), most_sorted);
  const std::int64_t at = c.d.below("at", n);
  const bool by_key = c.d.coin("by_key"), copies = c.d.coin("copies");
  const execution e(c, n);
  data<K> key_items = sort_keys_for<K>(c.d, n);
  const data<V> items = values_for<V>(c.d, "v_", n, domain::any);
  refuse(key_items, at);
  range<pointer, K> k(c, "k", key_items), ok(c, "ok", n);
  range<ValuesIn, V> v(c, "v", items), ov(c, "ov", n);
  c.says(std::string(by_key ? "radix_sort_by_key" : "radix_sort") + (copies ? "_copy" : ""),
         {k.text(), k.text() + " + " + number(n), v.text(), ok.text(), ov.text(), refusing_text("by_fields{}")});
  const auto first = k.begin();
  const auto values = v.begin(), out = ov.begin();
  const auto call = [&](bool refuses) {
    e.run([&](const auto&... policy) {
      const fields_or_refusal by{refuses};
      if (by_key && copies) onepass::radix_sort_by_key_copy(policy..., first, first + n, values, ok.begin(), out, by);
      else if (by_key) onepass::radix_sort_by_key(policy..., first, first + n, values, by);
      else if (copies) onepass::radix_sort_copy(policy..., first, first + n, ok.begin(), by);
      else onepass::radix_sort(policy..., first, first + n, by);
    });
  };
  expect_refusal(true, call, [&] {
    if (copies) return k.expect_unchanged(), v.expect_unchanged();
    k.restore(), v.restore();
  });
  const places order = places_after_sort(key_items.items, {});
  (copies ? ok : k).expect_begin(test::arranged(key_items.items, order));
  if (by_key) (copies ? ov : v).expect_begin(test::arranged(items.items, order));
}
#endif

}  // namespace

const std::vector<shape>& radix_sort_shapes() {
  static const std::vector<shape> all = {
    {"int32", keys_alone<std::int32_t, pointer, pointer>},
    {"int32, uint32", with_values<std::int32_t, pointer, std::uint32_t, pointer, pointer, pointer>},
    {"int32, int32", with_values<std::int32_t, pointer, std::int32_t, pointer, pointer, pointer>},
    {"uint8", keys_alone<std::uint8_t, pointer, pointer>},
    {"float", keys_alone<float, pointer, pointer>},
    {"record", keys_alone<record, pointer, pointer>},
    {"order of int32", sorted_order<std::int32_t, pointer, std::uint32_t, pointer>},
    {"uint128", keys_alone<uint128, pointer, pointer>},
    {"zipped", keys_alone<b8_b8, zipped, zipped>},
    {"int32 transformed to permuted", keys_alone<std::int32_t, transformed, permuted>},
    {"int32 reverse, double permuted", with_values<std::int32_t, reverse, double, permuted, reverse, permuted>},
#if !ONEPASS_HAS_CUDA
    {"int32 deque", keys_alone<std::int32_t, deque, deque>},
    {"record, word throwing", throwing<record, word, live>},
    {"b24, int32 throwing", throwing<b24, std::int32_t, pointer>},
    {"int64 deque, word", with_values<std::int64_t, deque, word, live, deque, live>},
#endif
#if !ONEPASS_FUZZ_FEW_SHAPES
    {"bool", keys_alone<bool, pointer, pointer>},
    {"int16", keys_alone<std::int16_t, pointer, pointer>},
    {"double", keys_alone<double, pointer, pointer>},
    {"b12", keys_alone<b12, pointer, pointer>},
    {"uint32 reverse", keys_alone<std::uint32_t, reverse, reverse>},
    {"uint64, uint8", with_values<std::uint64_t, pointer, std::uint8_t, pointer, pointer, pointer>},
    {"float, b12", with_values<float, pointer, b12, pointer, pointer, pointer>},
    {"b24, int32", with_values<b24, pointer, std::int32_t, pointer, pointer, pointer>},
    {"order of float, int64", sorted_order<float, pointer, std::int64_t, pointer>},
    {"order of uint64 transformed to permuted", sorted_order<std::uint64_t, transformed, std::int32_t, permuted>},
    {"order of b24", sorted_order<b24, pointer, std::int32_t, reverse>},
    {"double, uint32 counting", with_values<double, pointer, std::uint32_t, counting, pointer, pointer>},
#endif
  };
  return all;
}

}  // namespace fuzz
