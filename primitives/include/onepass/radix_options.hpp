// SPDX-License-Identifier: Apache-2.0
// onepass/radix_options.hpp: which bits of a key a sort or a split goes by, in which direction, and in how much memory.
#pragma once

namespace onepass {

// The options of a radix sort. For floats, bits are those of the ordered form: bit 31 of a float is its (inverted)
// sign. ascending() and descending() make them.
struct radix_options {
  bool descending = false;
  int begin_bit = 0;
  int end_bit = -1;  // one past the last bit; -1: the key's last bit is included
};

// Sorts by the bits [begin_bit, end_bit) of the key, by all bits if these are not given.
//   onepass::radix_sort(first, last, onepass::descending());
//   onepass::radix_sort(first, last, onepass::ascending(8, 16));  // by the second byte
constexpr radix_options ascending(int begin_bit = 0, int end_bit = -1) { return {false, begin_bit, end_bit}; }
constexpr radix_options descending(int begin_bit = 0, int end_bit = -1) { return {true, begin_bit, end_bit}; }

// Asks a sort for little memory (onepass/little_memory_sort.hpp).
//   onepass::radix_sort(first, last, onepass::in_little_memory());
//   onepass::radix_sort(first, last, onepass::in_little_memory(onepass::descending()));
struct in_little_memory {
  radix_options options;
  constexpr explicit in_little_memory(const radix_options& asked = {}) : options(asked) {}
};

// A digit of an integer: `bits` (1 to 8) bits, the lowest of which is bit `shift`. What split(first, last, out, digit)
// goes by.
struct digit {
  int shift = 0;
  int bits = 8;
};

}  // namespace onepass
