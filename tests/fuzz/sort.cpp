// SPDX-License-Identifier: Apache-2.0
// Draws calls of sort and stable_sort, with less, greater and comparators of the caller's, and of split.
#include <onepass/sort.hpp>

#include "families.hpp"
#include "sort_keys.hpp"
#include "zip.hpp"
#include "compaction.hpp"

namespace fuzz {
namespace {

struct less_tens {
  template <class K>
  ONEPASS_HOST_DEVICE bool operator()(const K& a, const K& b) const {
    if constexpr (is_struct<K>) return a.a < b.a;
    else if constexpr (is_word<K>) return a.a.size() < b.a.size();
    else return a / 10 < b / 10;
  }
  static constexpr const char* name = "less_tens{}";
};
// What calls compare with that are given nothing for it.
using less = ::cuda::std::less<>;
// What is handed over to Thrust has no size in memory.
template <class Comp, class... Kinds>
constexpr bool sorts_in_all_ways = in_all_ways<Kinds...> && !std::is_same_v<Comp, less_tens>;

template <class Comp>
std::string comparator_text() {
  if (std::is_same_v<Comp, std::less<>>) return "std::less<>{}";
  if (std::is_same_v<Comp, less>) return "cuda::std::less<>{}";
  return std::is_same_v<Comp, std::greater<>> ? "std::greater<>{}" : less_tens::name;
}
// Calls that take Comp, or may take nothing for it: f(functors...).
template <class Comp, class F>
void pass(bool no_functor, const F& f) {
  if constexpr (std::is_same_v<Comp, less>) no_functor ? f() : f(Comp());
  else f(Comp());
}
template <class K>
void define_comparator(test_case& c) {
  c.define(std::string("struct less_tens { template <class K> HD bool operator()(K a, K b) const { return ") +
           (is_struct<K> ? "a.a < b.a"
            : is_word<K> ? "a.a.size() < b.a.size()"
                         : "a / 10 < b / 10") +
           "; } };\n");
}

// Thrust's sort waits.
template <class Comp, class Execution, class Call>
void run_sort(const Execution& e, const Call& call) {
  if (std::is_same_v<Comp, less_tens>) e.run_waiting(call);
  else e.run(call);
}

// Without NaN, as Thrust's order has no place for them.
template <class K>
data<K> sortable(test_case& c, std::int64_t n) {
  if constexpr (std::is_floating_point_v<K>) return values_for<K>(c.d, "k_", n, domain::any);
  else return sort_keys_for<K>(c.d, n);
}

template <class K, class In, class Comp>
void keys_alone(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(K), most_sorted);
  const bool stable = c.d.coin("stable");
  const bool no_functor = std::is_same_v<Comp, less> && c.d.coin("no_functor");
  const execution<sorts_in_all_ways<Comp, K, In>> e(c, n);
  data<K> items = sortable<K>(c, n);
  range<In, K> x(c, "x", items);
  e.cut(items.items);
  std::vector<K> expected = items.items;
  std::stable_sort(expected.begin(), expected.end(), Comp());
  define_comparator<K>(c);
  texts arguments{x.text(), x.text() + " + " + number(n)};
  if (!no_functor) arguments.push_back(comparator_text<Comp>());
  c.says(stable ? "stable_sort" : "sort", arguments);
  const auto first = x.begin();
  run_sort<Comp>(e, [&](const auto&... policy) {
    pass<Comp>(no_functor, [&](auto... comp) {
      if (stable) onepass::stable_sort(policy..., first, first + n, comp...);
      else onepass::sort(policy..., first, first + n, comp...);
    });
  });
  x.expect_begin(expected);
}

template <class K, class KeysIn, class V, class In, class Comp>
void with_values(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(K) > sizeof(V) ? sizeof(K) : sizeof(V), most_sorted);
  const bool stable = c.d.coin("stable");
  const bool no_functor = std::is_same_v<Comp, less> && c.d.coin("no_functor");
  const execution<sorts_in_all_ways<Comp, K, KeysIn, In>> e(c, n);
  data<K> key_items = sortable<K>(c, n);
  data<V> items = values_for<V>(c.d, "v_", n, domain::any);
  range<KeysIn, K> k(c, "k", key_items);
  range<In, V> v(c, "v", items);
  e.cut(key_items.items, items.items);
  places order(key_items.items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return Comp()(key_items.items[a], key_items.items[b]); });
  define_comparator<K>(c);
  texts arguments{k.text(), k.text() + " + " + number(n), v.text()};
  if (!no_functor) arguments.push_back(comparator_text<Comp>());
  c.says(stable ? "stable_sort_by_key" : "sort_by_key", arguments);
  const auto first = k.begin();
  const auto values = v.begin();
  run_sort<Comp>(e, [&](const auto&... policy) {
    pass<Comp>(no_functor, [&](auto... comp) {
      if (stable) onepass::stable_sort_by_key(policy..., first, first + n, values, comp...);
      else onepass::sort_by_key(policy..., first, first + n, values, comp...);
    });
  });
  k.expect_begin(test::arranged(key_items.items, order));
  v.expect_begin(test::arranged(items.items, order));
}

template <class T, class In, class Out>
void split_by_predicate(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const execution<in_all_ways<T, In, Out>> e(c, n);
  data<T> items = odd_by<T>(c.d, "x_", n);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
  range<Out, T> y(c, "y", n);
  const auto flags = test::flags_of(items.items, is_odd());
  c.define(is_odd::definition<T>());
  const auto first = x.begin();
  const auto out = y.begin();
  run_counted(
      c, e, "split", {x.text(), last_of(x, n), y.text(), "is_odd{}"}, test::kept(items.items, flags).size(),
      [&](const auto&... policy) { return onepass::split(policy..., first, first + n, out, is_odd()) - out; },
      [&](onepass::index_t* count, const auto&... policy) {
        onepass::split_async(policy..., first, first + n, out, is_odd(), count);
      });
  y.expect(test::partitioned(items.items, flags));
  x.expect_unchanged();
}
template <class T, class In, class Out>
void split_by_digit(test_case& c) {
  const std::int64_t n = c.d.size("n", sizeof(T));
  const execution<in_all_ways<T, In, Out>> e(c, n);
  const int bits = 1 + static_cast<int>(c.d.below("bits", 8)),
            shift = static_cast<int>(c.d.below("bit", 8 * sizeof(T) - static_cast<std::size_t>(bits) + 1));
  data<T> items = sort_keys_for<T>(c.d, n);
  range<In, T> x(c, "x", items);
  e.cut(items.items);
  range<Out, T> y(c, "y", n);
  // By the bits as they are, a sign among them.
  const std::vector<std::make_unsigned_t<T>> plain(items.items.begin(), items.items.end());
  const places order = places_after_sort(plain, {false, shift, shift + bits});
  c.says("split", {x.text(), last_of(x, n), y.text(), "onepass::digit{" + number(shift) + ", " + number(bits) + "}"});
  const auto first = x.begin();
  const auto out = y.begin();
  std::int64_t end = 0;
  e.run([&](const auto&... policy) {
    end = onepass::split(policy..., first, first + n, out, onepass::digit{shift, bits}) - out;
  });
  expect_end(end, static_cast<std::size_t>(n));
  y.expect(test::arranged(items.items, order));
  x.expect_unchanged();
}

#if !ONEPASS_HAS_CUDA
template <class T>
void split_throwing(test_case& c) {
  const std::int64_t n = 1 + c.d.size("n", sizeof(T)), at = c.d.below("at", n);
  const execution e(c, n);
  data<T> items = odd_by<T>(c.d, "x_", n);
  refuse(items, at);
  range<pointer, T> x(c, "x", items), y(c, "y", n);
  c.says("split", {x.text(), last_of(x, n), y.text(), refusing_text("is_odd{}")});
  const auto call = [&](bool refuses) {
    e.run([&](const auto&... policy) {
      onepass::split(policy..., x.begin(), x.begin() + n, y.begin(), refusing<is_odd>{refuses});
    });
  };
  expect_refusal(true, call, [&] { x.expect_unchanged(); });
  y.expect(test::partitioned(items.items, test::flags_of(items.items, is_odd())));
}
// The comparator; then items may be lost. Few items, as Thrust sorts them, on one thread, and the words among them slowly.
template <class K, class In, class V, class ValuesIn>
void throwing(test_case& c) {
  const std::int64_t n = 2 + c.d.size("n", sizeof(K), most_sorted / 8), at = c.d.below("at", n);
  const bool by_key = c.d.coin("by_key");
  const execution e(c, n);
  data<K> key_items = sort_keys_for<K>(c.d, n);
  const data<V> items = values_for<V>(c.d, "v_", n, domain::any);
  refuse(key_items, at);
  range<In, K> k(c, "k", key_items);
  range<ValuesIn, V> v(c, "v", items);
  places order(key_items.items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return less_tens()(key_items.items[a], key_items.items[b]); });
  texts arguments{k.text(), last_of(k, n), refusing_text("less_tens{}")};
  if (by_key) arguments.insert(arguments.begin() + 2, v.text());
  c.says(by_key ? "stable_sort_by_key" : "sort", arguments);
  const auto first = k.begin();
  const auto values = v.begin();
  const auto call = [&](bool refuses) {
    e.run([&](const auto&... policy) {
      const refusing<less_tens> less{refuses};
      if (by_key) onepass::stable_sort_by_key(policy..., first, first + n, values, less);
      else onepass::sort(policy..., first, first + n, less);
    });
  };
  expect_refusal(true, call, [&] { k.restore(), v.restore(); });
  k.expect_begin(test::arranged(key_items.items, order));
  v.expect_begin(by_key ? test::arranged(items.items, order) : items.items);
}
#endif

}  // namespace

const std::vector<shape>& sort_shapes() {
  static const std::vector<shape> all = {
    {"int32 less", keys_alone<std::int32_t, pointer, less>},
    {"int32 less_tens", keys_alone<std::int32_t, pointer, less_tens>},
    {"b12 less_tens", keys_alone<b12, pointer, less_tens>},
    {"int32 less, uint64", with_values<std::int32_t, pointer, std::uint64_t, pointer, less>},
    {"int64 less_tens, int32", with_values<std::int64_t, pointer, std::int32_t, pointer, less_tens>},
    {"split uint32", split_by_predicate<std::uint32_t, pointer, pointer>},
    {"split int64 transformed to reverse", split_by_predicate<std::int64_t, transformed, reverse>},
    {"split uint32 by digit", split_by_digit<std::uint32_t, pointer, pointer>},
    {"split uint8 reverse by digit", split_by_digit<std::uint8_t, reverse, pointer>},
#if !ONEPASS_HAS_CUDA
    {"split int32 throwing", split_throwing<std::int32_t>},
    {"int32, word throwing", throwing<std::int32_t, pointer, word, live>},
    {"word, b24 throwing", throwing<word, live, b24, pointer>},
    {"zipped less", keys_alone<b8_b8, zipped, less>},
    {"word less_tens", keys_alone<word, live, less_tens>},
    {"int32 deque less", keys_alone<std::int32_t, deque, std::less<>>},
#endif
#if !ONEPASS_FUZZ_FEW_SHAPES
    {"uint64 greater", keys_alone<std::uint64_t, pointer, std::greater<>>},
    {"double less", keys_alone<double, pointer, less>},
    {"int16 reverse less", keys_alone<std::int16_t, reverse, std::less<>>},
    {"float greater, b16", with_values<float, pointer, b16, pointer, std::greater<>>},
    {"split uint8", split_by_predicate<std::uint8_t, pointer, pointer>},
    {"split b24", split_by_predicate<b24, pointer, pointer>},
    {"split int64 by digit", split_by_digit<std::int64_t, pointer, pointer>},
#endif
  };
  return all;
}

}  // namespace fuzz
