// SPDX-License-Identifier: Apache-2.0
// The classic look-back, for exact counts: a tile publishes first its aggregate, then its inclusive prefix, and who looks back
// stops at the first prefix that it meets. One reader a column (a digit of a split), so a table of 256 columns does not have
// to be read in full. Sums of other things, such as floats, take look_back.hpp, where the order of additions is fixed.
//
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (2016), sections 4.1 to 4.4.
#pragma once

#include <cuda/atomic>

#include <type_traits>

#include "../support/where.hpp"

namespace onepass::detail {

// A count with its state in one atomic word: the upper two bits say what the rest is.
template <class Word>
struct chained_descriptor {
  static constexpr Word aggregate = Word{1} << (8 * sizeof(Word) - 2);  // 0: nothing is published yet
  static constexpr Word inclusive = Word{2} << (8 * sizeof(Word) - 2);
  static constexpr Word count_mask = aggregate - 1;
};

// The sum of the counts of the `tiles` tiles before, in one column. `p`: the descriptor of the tile just before; `stride`:
// from one tile's descriptor to the next. Tile 0 publishes an inclusive prefix from the start: it ends every walk. A walk
// looks at `window` (1 to most_window) tiles at once: tiles that begin together have to walk far, a visit to memory a window.
constexpr int most_window = 8;
ONEPASS_EXEC_CHECK_DISABLE
template <class Where, class Word, class Wait>
ONEPASS_HOST_DEVICE Word chained_prefix(Word* p, index_t stride, index_t tiles, int window, Wait&& wait) {
  using state = chained_descriptor<Word>;
  constexpr auto order = std::is_same_v<Where, on_host> ? ::cuda::memory_order_acquire : ::cuda::memory_order_relaxed;
  Word sum = 0;
  for (;;) {
    Word d[most_window];
    for (int i = 0; i < most_window; ++i) {
      d[i] = i < window && i < tiles ? ::cuda::atomic_ref<Word, Where::scope>(p[-i * stride]).load(order) : Word{0};
    }
    int seen = 0;
    for (int i = 0; i < most_window; ++i) {
      if (d[i] == 0) break;  // not published, or not looked at
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
