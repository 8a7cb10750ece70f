// SPDX-License-Identifier: Apache-2.0
// onepass/little_memory_sort.hpp: radix sorts in place with an eighth of the memory of a second array.
//
// All calls here share this:
//   Keys       as radix_sort: numbers, and pairs and tuples of them, of 1, 2, 4, 8 or 16 bytes. Structs are not taken.
//              On CUDA at addresses that are multiples of their size. In arrays (contiguous iterators).
//   Values     items of at most 12 bytes (on the CPU of 32) that can be copied as bytes. In arrays.
//   Ranges     in place; keys and values must not overlap. n may be past 2^32.
//   Order      stable, ascending unless asked otherwise.
//   Scratch    n/8 keys and n/8 values in all, or 2^22 of each if that is more; onepass::measure says how much. Up to
//              3 * 2^20 items are sorted as by radix_sort, with a second array. Keys of 1 byte alone take up to n/7.
//   Cost       on CUDA one read of the keys for the histograms; for each 8 bits of the key in which keys differ one
//              read and one write of keys and values, as radix_sort; then about one more read and write of both. All
//              digits are sorted by: radix_sort leaves out the lowest ones of many keys that look random, this does
//              not. Keys that are sorted already are read once. No synchronisation with the host.
//              On the CPU all threads sort whole keys of 4 and 8 bytes without values in vectors of AVX2, AVX-512 or
//              NEON, unless there are -0 among them: about log2 n reads and writes, most of them in the near cache. Of
//              all others one thread does all: for each 8 bits keys are read once more.
//   Policy, errors: as onepass/radix_sort.hpp. If keys are at an address that is no multiple of their size (CUDA), an
//              onepass::invalid_argument is thrown before anything is written.
//   Source     Adinets and Merrill, "Onesweep" (2022), for a pass. Blocks of the array that are free once they have
//              been read take other items, and are put in order in the end: Axtmann, Witt, Ferizovic and Sanders,
//              "Engineering In-Place (Shared-Memory) Sorting Algorithms" (2022); a table of them makes each pass
//              stable. In vectors: Bramas, "A novel hybrid quicksort algorithm vectorized using AVX-512 on Intel
//              Skylake" (2017).
#pragma once

#include "../../radix_sort/little_memory_dispatch.hpp"
#include "radix_options.hpp"

namespace onepass {

// Sorts [first, last) in place by the key's bits [begin_bit, end_bit).
//
//   std::vector<unsigned> x = {30, 10, 20};
//   onepass::radix_sort(x.begin(), x.end(), onepass::in_little_memory());                          // x = 10 20 30
//   onepass::radix_sort(x.begin(), x.end(), onepass::in_little_memory(onepass::descending()));     // x = 30 20 10
template <class Policy, class Keys, detail::if_policy<Policy, Keys> = 0>
void radix_sort(const Policy& policy, Keys first, Keys last, const in_little_memory& how) {
  const index_t n = detail::checked_distance("radix_sort", first, last);
  detail::sort_keys_in_little_memory("radix_sort", policy, first, n, how.options);
}
template <class Keys, detail::if_not_policy<Keys> = 0>
void radix_sort(Keys first, Keys last, const in_little_memory& how) {
  onepass::radix_sort(detail::default_policy<Keys>(), first, last, how);
}

// The same for keys with values: values[i] moves with key i.
template <class Policy, class Keys, class Values, detail::if_policy<Policy, Keys> = 0>
void radix_sort_by_key(const Policy& policy, Keys first, Keys last, Values values, const in_little_memory& how) {
  const index_t n = detail::checked_distance("radix_sort_by_key", first, last);
  detail::sort_pairs_in_little_memory("radix_sort_by_key", policy, first, n, values, how.options);
}
template <class Keys, class Values, detail::if_not_policy<Keys> = 0>
void radix_sort_by_key(Keys first, Keys last, Values values, const in_little_memory& how) {
  onepass::radix_sort_by_key(detail::default_policy<Keys, Values>(), first, last, values, how);
}

}  // namespace onepass
