// SPDX-License-Identifier: Apache-2.0
// Keys that are structs or tuples: which of their fields a sort goes by. A decomposer names them, the most significant
// field first. The fields' ordered bits, joined, are the bits of the key.
//
// The CPU joins a key's fields whenever it looks at the key. The device does what field_digits.hpp says.
#pragma once

#include <cuda/std/tuple>
#include <cuda/std/utility>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "../../../core/support/iterator.hpp"
#include "../keys/digits.hpp"

namespace onepass::detail {

// ---- which types have fields ----------------------------------------------------------------------------------------
template <std::size_t i, class Tuple>
decltype(auto) field_of(Tuple&& tuple) {
  using std::get;
  return get<i>(tuple);
}
template <class Tuple, std::size_t i>
using field_type = std::decay_t<decltype(field_of<i>(std::declval<Tuple&>()))>;

// Whether all fields are keys. Tuple: a tuple of references, or a reference to a tuple.
template <class Tuple, std::size_t... i>
constexpr bool are_keys(std::index_sequence<i...>) {
  return (is_radix_key<field_type<Tuple, i>> && ...) &&
         (std::is_lvalue_reference_v<Tuple> ||
          (std::is_reference_v<std::tuple_element_t<i, std::decay_t<Tuple>>> && ...));
}
template <class Tuple, class = void>
constexpr bool has_key_fields = false;
template <class Tuple>
constexpr bool has_key_fields<Tuple, std::enable_if_t<(std::tuple_size<std::decay_t<Tuple>>::value > 0)>> =
    are_keys<Tuple>(std::make_index_sequence<std::tuple_size<std::decay_t<Tuple>>::value>());

template <class T>
constexpr bool is_tuple = false;
template <class A, class B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;
template <class A, class B>
inline constexpr bool is_tuple<::cuda::std::pair<A, B>> = true;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class... T>
inline constexpr bool is_tuple<::cuda::std::tuple<T...>> = true;  // thrust::tuple is the same type

template <class K>
constexpr bool is_tuple_key() {
  if constexpr (is_tuple<K>) return has_key_fields<K&>;
  else return false;
}
template <class K>
constexpr bool is_sort_key = is_radix_key<K> || is_tuple_key<K>();

// Whether F names fields of a K.
template <class F, class K, class = void>
constexpr bool is_decomposer = false;
template <class F, class K>
constexpr bool is_decomposer<F, K, std::void_t<decltype(std::declval<const F&>()(std::declval<K&>()))>> =
    has_key_fields<decltype(std::declval<const F&>()(std::declval<K&>()))>;
template <class F, class K>
using if_decomposer = std::enable_if_t<is_decomposer<F, K>, int>;

// What a sort goes by if the call has no decomposer: the key, or all fields of a tuple.
struct whole_key {};
struct all_fields {
  template <class Tuple>
  Tuple& operator()(Tuple& tuple) const {
    return tuple;
  }
};
template <class K>
using natural_order = std::conditional_t<is_radix_key<K>, whole_key, all_fields>;
template <class Keys>
natural_order<value_of<Keys>> natural_order_of() {
  static_assert(is_sort_key<value_of<Keys>>, "onepass: no key that has digits; a struct takes a decomposer");
  return {};
}

// Items that may be moved as bytes. Pairs and tuples of the standard library are not marked as trivially copyable, but
// those of keys may be moved so.
template <class T>
constexpr bool is_bytes = std::is_trivially_copyable_v<T> || is_tuple_key<T>();

template <std::size_t... i, class F>
void each_index(std::index_sequence<i...>, F&& f) {
  (f(std::integral_constant<std::size_t, i>()), ...);
}

constexpr std::size_t power_of_two_from(std::size_t bytes) {
  std::size_t power = 1;
  while (power < bytes) power *= 2;
  return power;
}

// The fields that Decomposer names in a K. If they have more than 128 bits, a sort goes by groups of fields, the last
// group first.
template <class K, class Decomposer>
struct key_fields {
  using tuple = decltype(std::declval<const Decomposer&>()(std::declval<K&>()));
  static constexpr std::size_t count = std::tuple_size<std::decay_t<tuple>>::value;
  static constexpr std::size_t most_bytes = 16;
  template <std::size_t i>
  using type = field_type<tuple, i>;

  static constexpr std::array<std::size_t, count> sizes() { return sizes(std::make_index_sequence<count>()); }
  // The bytes of the fields [first, end).
  static constexpr std::size_t bytes(std::size_t first = 0, std::size_t end = count) {
    std::size_t sum = 0;
    for (std::size_t i = first; i < end; ++i) sum += sizes()[i];
    return sum;
  }
  static constexpr bool have_floats() { return have_floats(std::make_index_sequence<count>()); }
  // The first field of the group that ends at field `end`.
  static constexpr std::size_t group_before(std::size_t end) {
    std::size_t first = end - 1;
    while (first > 0 && bytes(first - 1, end) <= most_bytes) --first;
    return first;
  }
  // Calls f(first, end) with the fields [first, end) of each group as constants, from the last group on.
  template <std::size_t end = count, class F>
  static void for_each_group(F&& f) {
    constexpr std::size_t first = group_before(end);
    f(std::integral_constant<std::size_t, first>(), std::integral_constant<std::size_t, end>());
    if constexpr (first > 0) for_each_group<first>(f);
  }

 private:
  template <std::size_t... i>
  static constexpr std::array<std::size_t, count> sizes(std::index_sequence<i...>) {
    return {sizeof(type<i>)...};
  }
  template <std::size_t... i>
  static constexpr bool have_floats(std::index_sequence<i...>) {
    return (is_float_key<type<i>> || ...);
  }
};

// ---- on the CPU -----------------------------------------------------------------------------------------------------
// Joins the ordered bits of the fields [first, end) of a key.
template <class K, class Decomposer, std::size_t first = 0, std::size_t end = key_fields<K, Decomposer>::count>
struct joined_fields {
  using key = K;
  using fields = key_fields<K, Decomposer>;
  using bits = typename unsigned_of<power_of_two_from(fields::bytes(first, end))>::type;
  Decomposer decompose;

  bits operator()(const K& k) const {
    return join(decompose(const_cast<K&>(k)), std::make_index_sequence<end - first>());
  }

 private:
  template <class Tuple, std::size_t... i>
  static bits join(Tuple&& tuple, std::index_sequence<i...>) {
    bits all = 0;
    ((all = append(all, field_of<first + i>(tuple))), ...);
    return all;
  }
  template <class F>
  static bits append(bits all, const F& field) {
    const auto own = static_cast<key_bits_t<F>>(ordered_bits(field) ^ (is_signed_integer<F> ? sign_of<F> : 0));
    if constexpr (sizeof(F) == sizeof(bits)) return own;
    else return static_cast<bits>(all << (8 * sizeof(F)) | own);
  }
};

}  // namespace onepass::detail
