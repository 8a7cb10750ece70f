// SPDX-License-Identifier: Apache-2.0
// Which driver takes a call of n items on CUDA: tiles in registers (tile_driver/) for short inputs, the pipeline (pipeline/) for
// long ones where the device has it.
#pragma once

#include "../support/none.hpp"
#include "pipeline/pipeline.cuh"
#include "tile_driver/tile_driver.cuh"

namespace onepass::detail {

// f(driver) with the driver for n items: Small up to most_in_small of them, then Large, or Long (none: there is none) where
// that suits. A workspace for n items serves fewer, too, so each driver has room for the tiles of the others at the most
// items that they would be given. `is_long`: it is known that Long suits, so no kernel of another driver is compiled.
template <class Small, class Large, class Long, bool is_long = false, class F>
auto with_driver(const char* call, index_t n, index_t most_in_small, layout& scratch, F f) {
  const index_t small_tiles = Small::tile_count(most_in_small);
  if constexpr (is_long) {
    return f(Long(call, n, scratch, std::max(small_tiles, Large::tile_count(Long::least_items()))));
  } else {
    if (n <= most_in_small) return f(Small(call, n, scratch));
    if constexpr (!std::is_same_v<Long, none>) {
      if (Long::suits(call, n)) return with_driver<Small, Large, Long, true>(call, n, most_in_small, scratch, f);
    }
    return f(Large(call, n, scratch, small_tiles));
  }
}

}  // namespace onepass::detail
