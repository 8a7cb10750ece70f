// SPDX-License-Identifier: Apache-2.0
// Sums of one-byte integers in 32 bits, four at a time: one instruction (dp4a) adds all bytes of a word to the sum, or
// the first few of them, and no byte has to be taken out of its word. Sums of integers are exact, so only the speed
// changes. The like for two-byte integers gained nothing (docs/history/performance-log.md, "Scan: the pipeline").
#pragma once

#include <onepass/operators.hpp>
#include "../../scan/source.hpp"

namespace onepass::detail {

// Whether a tile's items are bytes and the operator is a sum, so that this applies.
template <class Items, class Op>
constexpr bool has_packed_sums = false;
template <class Sum, class T, bool aligned>
constexpr bool has_packed_sums<values_source<Sum, staged_pointer<T, aligned>, as_is>, sum> =
    (std::is_same_v<Sum, int> || std::is_same_v<Sum, unsigned>)&&std::is_integral_v<T> && sizeof(T) == 1 &&
    !std::is_same_v<T, bool>;

// Returns `before` plus the first `count` bytes of a word.
template <class T>
__device__ int add_bytes(int before, unsigned word, int count) {
  const unsigned ones = count == 0 ? 0 : 0x01010101u >> 8 * (4 - count);
  if constexpr (std::is_signed_v<T>) return __dp4a(static_cast<int>(word), static_cast<int>(ones), before);
  else return static_cast<int>(__dp4a(word, ones, static_cast<unsigned>(before)));
}

// Loads a row as words, from a source or from a reader of it.
template <class Sum, class T, bool aligned, int words>
__device__ void load_words(const values_source<Sum, staged_pointer<T, aligned>, as_is>& from, index_t i,
                           unsigned (&row)[words]) {
  T items[4 * words];
  detail::load_row(from.it, i, items);
  memcpy(row, items, sizeof row);
}
template <class Source, int words>
__device__ void load_words(const plain_reader<Source>& from, index_t i, unsigned (&row)[words]) {
  load_words(from.source, from.begin + i, row);
}

template <class T, int words>
__device__ int sum_of_words(const unsigned (&row)[words]) {
  int sum = 0;
#pragma unroll
  for (const unsigned word : row) sum = add_bytes<T>(sum, word, 4);
  return sum;
}

// Scans a row, with `sum` before its first item, and returns the sum behind its last.
template <class T, bool inclusive, int words, class Result>
__device__ int scan_words(const unsigned (&row)[words], int sum, Result (&results)[4 * words]) {
#pragma unroll
  for (int w = 0; w < words; ++w) {
#pragma unroll
    for (int j = 0; j < 4; ++j)
      results[4 * w + j] = static_cast<Result>(add_bytes<T>(sum, row[w], inclusive ? j + 1 : j));
    sum = add_bytes<T>(sum, row[w], 4);
  }
  return sum;
}

}  // namespace onepass::detail
