// SPDX-License-Identifier: Apache-2.0
// The classic look-back, for exact counts. A tile publishes first its aggregate and later its inclusive prefix, and
// another tile that looks back stops at the first inclusive prefix that it meets. A split uses it with one reader for
// each of 256 columns (the digits), and so does not have to read the table of descriptors in full. Other values, such
// as floats, need look_back.hpp, where the order of the operations is fixed.
//
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (2016), sections 4.1 to 4.4.
#pragma once

#include "../support/atomic_words.hpp"

namespace onepass::detail {

// A count and its state in one atomic word. The upper two bits say what the rest is; 0 says that nothing is published
// yet.
template <class Word>
struct chained_descriptor {
  static constexpr Word aggregate = Word{1} << (8 * sizeof(Word) - 2);
  static constexpr Word inclusive = Word{2} << (8 * sizeof(Word) - 2);
  static constexpr Word count_mask = aggregate - 1;
};

template <class Word>
ONEPASS_HOST_DEVICE Word load_descriptor(const Word* p) {
#if defined(__CUDA_ARCH__)
  return detail::load_relaxed(p);
#else
  return detail::load_acquire(p);
#endif
}

// Returns the sum of the counts of the `tiles` tiles before this one, in one column. `p` is the descriptor of the tile
// just before, and `stride` the distance from one tile's descriptor to the next. Tile 0 publishes an inclusive prefix
// from the start, which ends every walk. A walk reads `window` descriptors (1 to most_window) at once: tiles that begin
// together have to walk far, and each window takes one visit to memory. Up to 32 were measured
// (docs/history/performance-log.md, "Radix sort"); 8 was as fast as any, but for few tiles,
// which a sort treats apart (primitives/radix_sort/cuda/onesweep/few_tiles.cuh).
constexpr int most_window = 8;
ONEPASS_EXEC_CHECK_DISABLE
template <class Word, class Wait>
ONEPASS_HOST_DEVICE Word chained_prefix(Word* p, index_t stride, index_t tiles, int window, Wait&& wait) {
  using state = chained_descriptor<Word>;
  Word sum = 0;
  for (;;) {
    Word d[most_window];
    for (int i = 0; i < most_window; ++i) {
      d[i] = i < window && i < tiles ? detail::load_descriptor(p - i * stride) : Word{0};
    }
    int seen = 0;
    for (int i = 0; i < most_window; ++i) {
      if (d[i] == 0) break;  // not published, or outside of the window
      sum += d[i] & state::count_mask;
      if (d[i] & state::inclusive) return sum;
      ++seen;
    }
    if (seen == 0) wait();
    p -= seen * stride;
    tiles -= seen;
  }
}

}  // namespace onepass::detail
