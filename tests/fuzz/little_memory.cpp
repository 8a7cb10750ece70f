// SPDX-License-Identifier: Apache-2.0
// Draws radix sorts in little memory: of keys, and of keys with values. Some are of more items than are sorted with a second
// array (3 * 2^20).
#include <onepass/little_memory_sort.hpp>

#include "families.hpp"
#include "sort_keys.hpp"

namespace fuzz {
namespace {

std::int64_t drawn_size(test_case& c, std::size_t item_bytes) {
  if (c.d.one_in("many", 40)) return (std::int64_t{3} << 20) + 1 + c.d.magnitude("more", 400000);
  return c.d.size("n", item_bytes, most_sorted);
}
std::string little(const drawn_options& o) { return "onepass::in_little_memory(" + o.text + ")"; }

template <class K, class In>
void keys_alone(test_case& c) {
  const std::int64_t n = drawn_size(c, sizeof(K));
  const execution<in_all_ways<K, In>> e(c, n);
  const drawn_options o(c.d, bits_of<K>());
  data<K> items = sort_keys_for<K>(c.d, n);
  range<In, K> x(c, "x", items);
  e.cut(items.items);
  define_keys<K>(c);
  const std::vector<K> expected = test::arranged(items.items, places_after_sort(items.items, o.options));
  c.says("radix_sort", {x.text(), x.text() + " + " + number(n), little(o)});
  const auto first = x.begin();
  e.run([&](const auto&... policy) {
    onepass::radix_sort(policy..., first, first + n, onepass::in_little_memory(o.options));
  });
  x.expect_begin(expected);
}

template <class K, class V, class In>
void with_values(test_case& c) {
  const std::int64_t n = drawn_size(c, sizeof(K) > sizeof(V) ? sizeof(K) : sizeof(V));
  const execution<in_all_ways<K, In>> e(c, n);
  const drawn_options o(c.d, bits_of<K>());
  data<K> key_items = sort_keys_for<K>(c.d, n);
  data<V> items = values_for<V>(c.d, "v_", n, domain::any);
  range<In, K> k(c, "k", key_items);
  range<In, V> v(c, "v", items);
  e.cut(key_items.items, items.items);
  define_keys<K>(c);
  const places order = places_after_sort(key_items.items, o.options);
  const std::vector<K> expected_keys = test::arranged(key_items.items, order);
  const std::vector<V> expected = test::arranged(items.items, order);
  c.says("radix_sort_by_key", {k.text(), k.text() + " + " + number(n), v.text(), little(o)});
  const auto first = k.begin();
  const auto values = v.begin();
  e.run([&](const auto&... policy) {
    onepass::radix_sort_by_key(policy..., first, first + n, values, onepass::in_little_memory(o.options));
  });
  k.expect_begin(expected_keys), v.expect_begin(expected);
}

}  // namespace

const std::vector<shape>& little_memory_shapes() {
  static const std::vector<shape> all = {
    {"int32", keys_alone<std::int32_t, pointer>},
    {"int32, uint32", with_values<std::int32_t, std::uint32_t, pointer>},
    {"uint8", keys_alone<std::uint8_t, pointer>},
    {"double", keys_alone<double, pointer>},
    {"uint16, b3", with_values<std::uint16_t, b3, pointer>},
    {"uint128", keys_alone<uint128, pointer>},
#if !ONEPASS_HAS_CUDA
    {"int64, b32 in vectors", with_values<std::int64_t, b32, live>},
#endif
#if !ONEPASS_FUZZ_FEW_SHAPES
    {"float", keys_alone<float, pointer>},
    {"uint64, b12", with_values<std::uint64_t, b12, pointer>},
    {"bool, uint8", with_values<bool, std::uint8_t, pointer>},
#endif
  };
  return all;
}

}  // namespace fuzz
