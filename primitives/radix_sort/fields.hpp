// SPDX-License-Identifier: Apache-2.0
// Keys that are structs or tuples: which of their fields a sort goes by. A decomposer names them, the most significant one
// first; their ordered bits, joined, are the bits of the key.
//
// The CPU joins a key's fields whenever it looks at the key. The device never calls the decomposer: it takes the key for an
// integer in which each field has its place, and the host asks once where that is. So kernels know the size of a key and
// nothing else of it, and a decomposer can be any function object of the host.
#pragma once

#include <cuda/std/tuple>
#include <cuda/std/utility>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "../../core/iterator.hpp"
#include "digits.hpp"

namespace onepass::detail {

// ---- what the types say -------------------------------------------------------------------------------------------------
template <std::size_t i, class Tuple>
decltype(auto) field_of(Tuple&& tuple) {
  using std::get;
  return get<i>(tuple);
}
template <class Tuple, std::size_t i>
using field_type = std::decay_t<decltype(field_of<i>(std::declval<Tuple&>()))>;

// Tuple: a tuple of references, or a reference to a tuple.
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
inline constexpr bool is_tuple<::cuda::std::tuple<T...>> = true;  // thrust's, too

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

// What a sort goes by where the call does not say: the key, or all fields of a tuple.
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

// Items that may be moved as bytes. Pairs and tuples of the standard library do not say so, but of keys they may.
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

// The fields that Decomposer names in a K. Where they have more than 128 bits, a sort goes by groups of them, the last first.
template <class K, class Decomposer>
struct key_fields {
  using tuple = decltype(std::declval<const Decomposer&>()(std::declval<K&>()));
  static constexpr std::size_t count = std::tuple_size<std::decay_t<tuple>>::value;
  static constexpr std::size_t most_bytes = 16;
  template <std::size_t i>
  using type = field_type<tuple, i>;

  static constexpr std::array<std::size_t, count> sizes() { return sizes(std::make_index_sequence<count>()); }
  // Of the fields from `first` up to `end`.
  static constexpr std::size_t bytes(std::size_t first = 0, std::size_t end = count) {
    std::size_t sum = 0;
    for (std::size_t i = first; i < end; ++i) sum += sizes()[i];
    return sum;
  }
  // The first field of the group that ends at field `end`.
  static constexpr std::size_t group_before(std::size_t end) {
    std::size_t first = end - 1;
    while (first > 0 && bytes(first - 1, end) <= most_bytes) --first;
    return first;
  }
  // f(number of the group's first field, of its end), both as constants, for each group from the last.
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
};

// ---- on the CPU ---------------------------------------------------------------------------------------------------------
// The fields [first, end) of a key, joined.
template <class K, class Decomposer, std::size_t first = 0, std::size_t end = key_fields<K, Decomposer>::count>
struct joined_fields {
  using key = K;
  using fields = key_fields<K, Decomposer>;
  using bits = typename unsigned_of<power_of_two_from(fields::bytes(first, end))>::type;
  Decomposer decompose;

  bits operator()(const K& key) const {
    return join(decompose(const_cast<K&>(key)), std::make_index_sequence<end - first>());
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
    const auto own = static_cast<held_bits<F>>(ordered_bits(field) ^ (is_signed_integer<F> ? sign_of<F> : 0));
    if constexpr (sizeof(F) == sizeof(bits)) return own;
    else return static_cast<bits>(all << (8 * sizeof(F)) | own);
  }
};

// ---- on the device ------------------------------------------------------------------------------------------------------
// Where the host has found a field, in bytes from the beginning of the key, and what it is.
struct field_place {
  int from, bytes;
  bool is_signed, is_float;
  int end() const { return from + bytes; }
};

// Asks the decomposer where the fields of any key are.
template <class K, class Decomposer>
auto find_fields(const char* call, const Decomposer& decompose) {
  using fields = key_fields<K, Decomposer>;
  std::array<field_place, fields::count> found;
  alignas(K) unsigned char memory[sizeof(K)] = {};
  auto&& tuple = decompose(*reinterpret_cast<K*>(memory));
  const auto look_at = [&](auto i) {
    using type = typename fields::template type<i>;
    const auto* field = reinterpret_cast<const unsigned char*>(&field_of<i>(tuple));
    const auto from = reinterpret_cast<std::intptr_t>(field) - reinterpret_cast<std::intptr_t>(memory);
    if (from < 0 || from + sizeof(type) > sizeof(K)) {
      throw invalid_argument(call, "field " + std::to_string(i) + " of the decomposer is no part of the key");
    }
    found[i] = {static_cast<int>(from), sizeof(type), is_signed_integer<type>, is_float_key<type>};
  };
  each_index(std::make_index_sequence<fields::count>(), look_at);
  auto sorted = found;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i - 1].end() > sorted[i].from) throw invalid_argument(call, "fields of the decomposer overlap");
  }
  return found;
}

// The digit of one place of a field, from a key as the device holds it: an integer of its bytes.
template <class Held>
struct field_digit {
  using held = Held;
  int shift;
  unsigned mask, flip;
  unsigned sign_here;           // a float's sign, if it is in this digit
  held float_bits, float_sign;  // of the whole field; 0: it is no float
  held filling;

  using ties_free = field_digit;
  static constexpr bool can_pad = true;

  ONEPASS_HOST_DEVICE static held met(held b) { return b; }
  ONEPASS_HOST_DEVICE static bool is_negative_zero(held) { return false; }
  ONEPASS_HOST_DEVICE held hold(const held& key) const { return key; }
  ONEPASS_HOST_DEVICE held release(const held& b) const { return b; }
  ONEPASS_HOST_DEVICE unsigned operator()(held b) const { return (ordered(b) ^ flip) & mask; }
  template <int log>
  ONEPASS_HOST_DEVICE unsigned scaled(held b) const {
    return (ordered(b) & mask) << log;
  }
  ONEPASS_HOST_DEVICE unsigned unscaled(unsigned digit) const { return digit ^ (flip & mask); }
  ONEPASS_HOST_DEVICE held pad() const { return filling; }
  // Whether two keys may have other digits here if they differ in these bits. A float's sign turns all its bits.
  ONEPASS_HOST_DEVICE bool may_differ(held differing) const {
    return (static_cast<unsigned>(differing >> shift) & mask) != 0 || (differing & float_sign) != 0;
  }

 private:
  // Of floats, as ordered_bits: negative ones inverted, others with the sign; -0, which is not above its sign, as +0.
  ONEPASS_HOST_DEVICE unsigned ordered(held b) const {
    const auto digit = static_cast<unsigned>(b >> shift);
    return (b & float_bits) > float_sign ? ~digit : digit | sign_here;
  }
};

// The digits of fields of a key, from the lowest bit of the last field on. No place has bits of two fields.
template <class Held>
class field_digits {
 public:
  using key = Held;
  template <bool>
  using digit_type = field_digit<Held>;
  static constexpr int most_places = sizeof(Held);
  static constexpr bool is_checkable = false;  // what ascends can be seen only digit by digit

  // By the bits [begin, end) of the joined fields.
  template <class Fields>
  field_digits(const Fields& fields, bool descending, int begin, int end) {
    int at = 0;
    for (auto field = fields.rbegin(); field != fields.rend(); ++field) {
      const int bits = 8 * field->bytes;
      const int last = std::min(bits, end - at);
      for (int bit = std::max(0, begin - at); bit < last; bit += digit_bits) {
        digits_[places_++] = make_digit(*field, descending, bit, std::min(digit_bits, last - bit));
      }
      at += bits;
    }
  }

  ONEPASS_HOST_DEVICE int places() const { return places_; }
  ONEPASS_HOST_DEVICE bool is_whole_key() const { return false; }
  ONEPASS_HOST_DEVICE field_digit<Held> at(int place) const { return digits_[place]; }

 private:
  static field_digit<Held> make_digit(const field_place& field, bool descending, int bit, int width) {
    const int bits = 8 * field.bytes;
    const auto all = static_cast<Held>(bits < 8 * int{sizeof(Held)} ? (Held{1} << bits) - 1 : ~Held{0});
    const auto sign = static_cast<Held>(Held{1} << (bits - 1));
    const unsigned sign_here = bit + width == bits ? 1u << (width - 1) : 0;
    // What is behind all others in this order.
    Held filling = descending ? 0 : all;
    if (field.is_signed) filling = static_cast<Held>(filling ^ sign);
    if (field.is_float) filling = descending ? all : static_cast<Held>(all ^ sign);
    const auto placed = [&](Held b) { return static_cast<Held>(b << (8 * field.from)); };
    return {8 * field.from + bit,
            (1u << width) - 1,
            (field.is_signed ? sign_here : 0) ^ (descending ? ~0u : 0u),
            field.is_float ? sign_here : 0,
            field.is_float ? placed(all) : Held{0},
            field.is_float ? placed(sign) : Held{0},
            placed(filling)};
  }

  int places_ = 0;
  field_digit<Held> digits_[most_places] = {};
};

}  // namespace onepass::detail
