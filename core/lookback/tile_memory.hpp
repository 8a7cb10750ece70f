// SPDX-License-Identifier: Apache-2.0
// The part of a workspace that the look-back works in: a control block and one slot a tile. Zeroed once, when the workspace
// is made; after that the kernels keep it in order themselves (descriptor.hpp says how), so no call has to clear it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <onepass/config.hpp>

namespace onepass::detail {

constexpr std::size_t section_alignment = 256;  // bytes; as cudaMalloc's, so any type and any vector access fits

// Stands at the start of a CUDA workspace. All zero to begin with; then moved on by the kernels (core/cuda/tile_driver/tile_driver.cuh).
struct control {
  std::uint64_t word;     // {epoch of the last launch, ticket base}
  std::uint64_t gap[15];  // atomics on `ticket` stay off the word's cache line
  std::uint32_t ticket;   // never reset: the base is what it stands at between launches
  std::uint32_t gap2[28];
  // Where the blocks of one launch come together; all zero between launches. From core/cuda/runtime/grid_sync.cuh.
  std::uint32_t blocks_begun, is_prepared, blocks_done;
};
static_assert(sizeof(control) == section_alignment);

// One a tile. Every layout of descriptors keeps its tag in `tag`, so that what one call left in a slot can never look
// like a tag to a call with another layout.
struct alignas(16) slot {
  std::uint32_t tag;  // the epoch in which the tile's aggregate was published; 0: never
  std::uint32_t value[3];
};

struct tile_memory {
  control* head = nullptr;
  slot* slots = nullptr;
  tile_t capacity = 0;
};

}  // namespace onepass::detail
