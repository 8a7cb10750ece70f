// SPDX-License-Identifier: Apache-2.0
// The digits of keys with fields, on the device. The device never calls the decomposer. It takes a key for an integer
// of the key's bytes, in which each field lies at a certain offset; the host asks the decomposer once for these
// offsets. So a kernel depends only on a key's size and on whether it has floats, and a decomposer can be any function
// object of the host.
#pragma once

#include <algorithm>
#include <string>

#include "key_fields.hpp"

namespace onepass::detail {

// Where a field lies, in bytes from the beginning of the key, and of which kind it is.
struct field_position {
  int from, bytes;
  bool is_signed, is_float;
  int end() const { return from + bytes; }
};

// Asks the decomposer where a key's fields are. They are at the same offsets in every key.
template <class K, class Decomposer>
auto find_fields(const char* call, const Decomposer& decompose) {
  using fields = key_fields<K, Decomposer>;
  std::array<field_position, fields::count> found;
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

// One digit of a field, from a key as an integer of its bytes. If no key has floats, a digit costs a shift, a flip and
// a mask.
template <class KeyBits, bool has_floats>
struct field_digit {
  using key_bits = KeyBits;
  int shift;
  unsigned mask, flip;
  unsigned sign_here;               // a float's sign bit, if it is in this digit
  key_bits float_bits, float_sign;  // a float's bits and its sign bit in the key; 0 if the field is no float
  key_bits filling;                 // what pad() returns

  using without_negative_zero = field_digit;
  static constexpr bool can_pad = true, is_checkable = false;

  ONEPASS_HOST_DEVICE static key_bits canonical(key_bits b) { return b; }
  ONEPASS_HOST_DEVICE static bool is_negative_zero(key_bits) { return false; }
  ONEPASS_HOST_DEVICE key_bits to_bits(const key_bits& key) const { return key; }
  ONEPASS_HOST_DEVICE key_bits from_bits(const key_bits& b) const { return b; }
  ONEPASS_HOST_DEVICE unsigned operator()(key_bits b) const { return (ordered(b) ^ flip) & mask; }
  template <int log>
  ONEPASS_HOST_DEVICE unsigned scaled(key_bits b) const {
    return (ordered(b) & mask) << log;
  }
  ONEPASS_HOST_DEVICE unsigned unscaled(unsigned digit) const { return digit ^ (flip & mask); }
  ONEPASS_HOST_DEVICE key_bits pad() const { return filling; }
  // Whether two keys that differ in these bits may differ in this digit. A float's sign inverts all its bits, but not those of
  // -0: so where any bit of a float differs, each of its digits may.
  ONEPASS_HOST_DEVICE bool may_differ(key_bits differing) const {
    return (static_cast<unsigned>(differing >> shift) & mask) != 0 || (has_floats && (differing & float_bits) != 0);
  }

 private:
  // Floats' digits are those of ordered_bits: of negative floats all bits are inverted, of the others the sign. -0 is
  // not above its own sign bit, and so counts as +0.
  ONEPASS_HOST_DEVICE unsigned ordered(key_bits b) const {
    const auto digit = static_cast<unsigned>(b >> shift);
    if constexpr (!has_floats) return digit;
    return (b & float_bits) > float_sign ? ~digit : digit | sign_here;
  }
};

// The digits of a key's fields, which have `bytes` bytes together, from the lowest bit of the last field on. No digit has
// bits of two fields.
template <class KeyBits, bool has_floats, std::size_t bytes = sizeof(KeyBits)>
class field_digits {
 public:
  using key = KeyBits;
  using key_bits = KeyBits;
  using ordered = typename unsigned_of<power_of_two_from(bytes)>::type;
  using digit = field_digit<KeyBits, has_floats>;
  template <bool>
  using digit_type = digit;
  static constexpr int max_positions = sizeof(ordered);
  static constexpr bool is_checkable = false;  // that keys ascend can be seen only digit by digit

  // The digits of the bits [begin, end) of the joined fields.
  template <class Fields>
  field_digits(const Fields& fields, bool descending, int begin, int end) {
    int at = 0;
    for (auto field = fields.rbegin(); field != fields.rend(); ++field) {
      const int bits = 8 * field->bytes;
      const int last = std::min(bits, end - at);
      for (int bit = std::max(0, begin - at); bit < last; bit += digit_bits) {
        digits_[positions_++] = make_digit(*field, descending, bit, std::min(digit_bits, last - bit));
      }
      at += bits;
    }
  }

  ONEPASS_HOST_DEVICE int positions() const { return positions_; }
  ONEPASS_HOST_DEVICE bool is_whole_key() const { return false; }
  ONEPASS_HOST_DEVICE digit at(int position) const { return digits_[position]; }
  // A number that ascends in the order of the sort.
  ONEPASS_HOST_DEVICE ordered order(key_bits b) const {
    ordered all = 0;
#ifdef __CUDA_ARCH__
#pragma unroll  // all digits, so that they can be computed side by side
#endif
    for (int position = 0; position < max_positions; ++position) {
      if (position < positions_) all |= static_cast<ordered>(ordered{digits_[position](b)} << position * digit_bits);
    }
    return all;
  }

 private:
  static digit make_digit(const field_position& field, bool descending, int bit, int width) {
    const int bits = 8 * field.bytes;
    const auto all = static_cast<KeyBits>(bits < 8 * int{sizeof(KeyBits)} ? (KeyBits{1} << bits) - 1 : ~KeyBits{0});
    const auto sign = static_cast<KeyBits>(KeyBits{1} << (bits - 1));
    const unsigned sign_here = bit + width == bits ? 1u << (width - 1) : 0;
    // The field's value that comes last in the order of the sort.
    KeyBits filling = descending ? 0 : all;
    if (field.is_signed) filling = static_cast<KeyBits>(filling ^ sign);
    if (field.is_float) filling = descending ? all : static_cast<KeyBits>(all ^ sign);
    const auto placed = [&](KeyBits b) { return static_cast<KeyBits>(b << (8 * field.from)); };
    return {8 * field.from + bit,
            (1u << width) - 1,
            (field.is_signed ? sign_here : 0) ^ (descending ? ~0u : 0u),
            field.is_float ? sign_here : 0,
            field.is_float ? placed(all) : KeyBits{0},
            field.is_float ? placed(sign) : KeyBits{0},
            placed(filling)};
  }

  int positions_ = 0;
  digit digits_[static_cast<std::size_t>(max_positions)] = {};
};

}  // namespace onepass::detail
