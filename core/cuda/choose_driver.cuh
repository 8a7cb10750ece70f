// SPDX-License-Identifier: Apache-2.0
// Chooses the driver for a call of n items on CUDA: the tile driver (tile_driver/) for short inputs, the pipeline
// (pipeline/) for long ones, where the device can run it.
#pragma once

#include "../support/none.hpp"
#include "pipeline/pipeline.cuh"
#include "tile_driver/tile_driver.cuh"

namespace onepass::detail {

// Calls f(driver) with the driver for n items. That is Small up to most_in_small items. Above, it is Long if that
// suits, and Large otherwise. If Long is `none`, there is no such driver. A workspace that was measured for n items
// must serve fewer items, too, and these may take another driver: so each driver also has room for the tiles that the
// others would have at the most items that they are given. With `is_long`, the caller knows that Long suits, and no
// kernel of another driver is compiled. `sized`: the job's size stands in memory (tile_driver.cuh).
template <class Small, class Large, class Long, bool sized, bool is_long = false, class F>
auto with_driver(const char* call, index_t n, index_t most_in_small, layout& scratch, F f) {
  const index_t small_tiles = Small::tile_count(most_in_small);
  if constexpr (is_long) {
    return f(Long(call, n, scratch, std::max(small_tiles, Large::tile_count(Long::least_items()))));
  } else {
    if (n <= most_in_small) return f(Small(call, n, scratch));
    if constexpr (!std::is_same_v<Long, none>) {
      if (Long::template suits<sized>(call, n))
        return with_driver<Small, Large, Long, sized, true>(call, n, most_in_small, scratch, f);
    }
    return f(Large(call, n, scratch, small_tiles));
  }
}

}  // namespace onepass::detail
