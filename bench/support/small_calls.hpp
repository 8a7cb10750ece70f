// SPDX-License-Identifier: Apache-2.0
// Calls on few items on the CPU, without a workspace, against the standard call or a plain loop on the same bytes: what a
// call costs beside its work. ofN: items a call. A problem's items are worked on N at a time: 2^10 are one call of 1,000,
// whose branches a core learns as it comes again and again; 2^16 are 65, which it does not.
#pragma once

#include <algorithm>

#include "program.hpp"

namespace bench {

// Adds a loop and onepass's call, each as f(at, policy...) for the items from `at` on.
template <class Where, class Loop, class Call>
void compare_small(problem<Where>& p, index_t items, Loop loop, Call call) {
  const auto in_pieces = [n = p.n(), items](auto f) {
    return [=] {
      for (index_t at = 0; at + items <= n; at += items) f(at);
    };
  };
  p.serial(in_pieces(loop));
  p.peer("onepass_1_thread", in_pieces([=](index_t at) { call(at, ::onepass::cpu(1)); }));
  p.peer("onepass", in_pieces([=, policy = p.policy()](index_t at) { call(at, policy); }));
}

// What no operator of the library is, so that it has no vectors.
struct add {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return static_cast<T>(a + b);
  }
};

// Offsets of each piece of n items: its segments and, behind them, n.
struct piece_offsets {
  using type = index_t;
  segment_number number;
  index_t n, in_piece;
  index_t operator()(index_t k) const {
    const index_t piece = k / in_piece, within = k % in_piece;
    if (within == 0) return 0;
    const index_t cell = within - 1;
    return std::min(n, cell * number.mean + number.boundary(piece * in_piece + cell, number.mean));
  }
};
template <class Where>
auto read_offsets(problem<Where>& p, index_t n, index_t length) {
  const index_t in_piece = (n + length - 1) / length + 2;
  const auto all = p.reads(piece_offsets{{p.random(), length}, n, in_piece}, p.n() / n * in_piece);
  return [=](index_t at) {
    const index_t* const begin = all.begin() + at / n * in_piece;
    return ::onepass::offsets(begin, begin + in_piece);
  };
}

// add(suite, n) adds the calls of n items.
template <class Add>
int run_small_calls(const char* program, int argc, char** argv, Add add) {
  return run_program(program, argc, argv, [&](auto& suite) {
    if constexpr (!std::decay_t<decltype(suite)>::is_gpu) {
      suite.default_sizes({}, {10, 16});
      for (const index_t n : {1000, 100}) add(suite, n);
    }
  });
}

}  // namespace bench
