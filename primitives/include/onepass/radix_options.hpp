// SPDX-License-Identifier: Apache-2.0
// onepass/radix_options.hpp: which bits of a key a sort or a split goes by.
#pragma once

namespace onepass {

// Which bits of a radix sort's key count, and in which direction. For floats, bits are those of the ordered form: bit 31 of
// a float is its (inverted) sign.
struct radix_options {
  bool descending = false;
  int begin_bit = 0;
  int end_bit = -1;  // behind the last one; -1: all bits of the key
};

// `bits` (1 to 8) bits of an integer from bit `shift` on; what split(first, last, out, digit) goes by.
struct digit {
  int shift = 0;
  int bits = 8;
};

}  // namespace onepass
