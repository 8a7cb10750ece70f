// SPDX-License-Identifier: Apache-2.0
// What a rung of the ladder is: one way to compute an inclusive sum of 32-bit integers, modulo 2^32. The first rungs of the
// GPU scan parts of the input, each on its own, by what a block or a warp can do alone; all others scan the whole input.
#pragma once

#include <cstddef>
#include <cstdint>

#include <onepass/config.hpp>

namespace ladder {

using onepass::index_t;
using onepass::detail::divide_up;
using onepass::detail::round_up;
using item = std::uint32_t;

// Context: what a rung runs on; a stream on the GPU, a number of threads on the CPU.
template <class Context>
struct rung {
  const char* name;
  const char* held_back_by;  // why it is slower than the next
  index_t part;              // 0: scans the whole input; otherwise each run of so many items on its own
  std::size_t (*scratch_bytes)(index_t n);
  // Scans n items, n > 0, from `in` to `out`, which do not overlap and are aligned to 16 bytes, with scratch_bytes(n) bytes
  // of scratch, aligned to 16 bytes, whose contents mean nothing.
  void (*scan)(const item* in, item* out, index_t n, void* scratch, Context where);
};

inline std::size_t no_scratch(index_t) { return 0; }

}  // namespace ladder
