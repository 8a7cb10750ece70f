// SPDX-License-Identifier: Apache-2.0
// The part of a workspace that the look-back works in: a control block and one slot for each tile. It is zeroed once,
// when the workspace is made. After that the kernels keep it in order (descriptor.hpp says how), so no call has to
// clear it, but one whose memory is its own: a policy's allocator's, a captured call's, or a call's within another.
#pragma once

#include <cstddef>
#include <cstdint>

#include <onepass/config.hpp>

namespace onepass::detail {

constexpr std::size_t section_alignment =
    256;  // bytes, the alignment of cudaMalloc: any type and any vector access fits

// The first bytes of a CUDA workspace. All are zero at first; then the kernels move them on
// (core/cuda/tile_driver/tile_driver.cuh).
struct control {
  std::uint64_t word;     // {epoch of the last launch, ticket base}
  std::uint64_t gap[15];  // so that atomics on `ticket` do not touch the word's cache line
  std::uint32_t ticket;   // never reset: between launches it is equal to the base
  std::uint32_t gap2[27];
  // For the synchronisation of a launch's blocks (core/cuda/runtime/grid_sync.cuh), and to count the parts of long
  // segments (primitives/segmented_reduce/cuda/long_segments.cuh). All zero between launches, but for the counters' tags.
  std::uint32_t blocks_begun, is_prepared, blocks_done, gap3;
  static constexpr int most_counters = 2048;
  std::uint32_t counters[most_counters];
};
static_assert(sizeof(control) % section_alignment == 0);

// A tile's descriptor. Every layout has its tag in `tag`, so what one call has left in a slot never looks like a tag to
// a call with another layout.
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
