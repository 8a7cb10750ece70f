// SPDX-License-Identifier: Apache-2.0
// The rungs on the GPU, from the ground up. onepass itself, CUB, Thrust and a copy stand beside them in bench/ladder.cpp.
#pragma once

#include "multi_pass.cuh"
#include "single_pass.cuh"

namespace ladder {

using cuda_rung = rung<cudaStream_t>;

inline constexpr cuda_rung cuda_rungs[] = {
    // On one block
    {"thread_a_part", "lanes are a part apart, so each load fetches a line for 4 bytes", part_items, no_scratch,
     thread_a_part<part_items>},
    {"hillis_steele", "n log n additions in shared memory, a barrier for each step", part_items, no_scratch,
     scan_parts<hillis_steele>},
    {"blelloch", "strides are powers of two: up to 32 lanes want one bank of shared memory", part_items, no_scratch,
     scan_parts<blelloch>},
    {"blelloch_conflict_free", "20 barriers, and few threads with work between most of them", part_items, no_scratch,
     scan_parts<blelloch_conflict_free>},
    {"block_of_warps", "one item a thread, and two barriers for them: little is under way in memory", part_items,
     no_scratch, scan_parts<block_of_warps>},
    // In one warp
    {"thread_a_part", "lanes are a part apart, so each load fetches a line for 4 bytes", lanes, no_scratch,
     thread_a_part<lanes>},
    {"warp_serial", "31 lanes wait for one", lanes, no_scratch, scan_in_warps<warp_serial>},
    {"warp_shared", "a branch, two fences, a store and a load a step", lanes, no_scratch, scan_in_warps<warp_shared>},
    {"warp_padded", "two fences, a store and a load a step", lanes, no_scratch, scan_in_warps<warp_padded>},
    {"warp_shuffle", "a comparison a step", lanes, no_scratch, scan_in_warps<warp_shuffle>},
    {"warp_shuffle_predicated", "one item a thread: little is under way in memory", lanes, no_scratch,
     scan_in_warps<warp_shuffle_predicated>},
    // Many blocks, several passes
    {"sequential", "one thread of all that the device can hold", 0, no_scratch, sequential},
    {"scan_then_fan", "one thread adds up the sums of all parts", 0, scratch_of_sums, scan_then_fan},
    {"scan_then_fan_recursive", "the barriers of a tree in each block", 0, scratch_of_sums,
     scan_then_fan_recursive<blelloch_conflict_free>},
    {"scan_then_fan_shuffle", "16 bytes an item: results are read and written again", 0, scratch_of_sums,
     scan_then_fan_recursive<block_of_warps>},
    {"reduce_then_scan", "small parts: a block starts, waits for 4 KB, and ends", 0, scratch_of_sums, reduce_then_scan},
    {"reduce_then_scan_two_pass", "12 bytes an item: the input is read twice", 0, scratch_of_sums,
     reduce_then_scan_two_pass},
    // One pass
    {"chained", "tiles are handed on one after another", 0, scratch_of_tiles<1024>,
     single_pass<wait_for_predecessor, 1024, 1>},
    {"look_back_thread", "one thread walks back, a tile at a time", 0, scratch_of_tiles<1024>,
     single_pass<look_back_by_thread, 1024, 1>},
    {"look_back_warp", "one item a thread, and a block of 1,024 of them waits for each look-back", 0,
     scratch_of_tiles<1024>, single_pass<look_back_by_warp, 1024, 1>},
    {"look_back_vector_4", "small tiles: a look-back for every 4 KB", 0, scratch_of_tiles<256 * 4>,
     single_pass<look_back_by_warp, 256, 4>},
    {"look_back_vector_8", "small tiles, and two lanes meet in each bank", 0, scratch_of_tiles<256 * 8>,
     single_pass<look_back_by_warp, 256, 8>},
    {"look_back_vector_12", "small tiles: a look-back for every 12 KB", 0, scratch_of_tiles<256 * 12>,
     single_pass<look_back_by_warp, 256, 12>},
    {"look_back_vector_16", "four lanes meet in each bank", 0, scratch_of_tiles<256 * 16>,
     single_pass<look_back_by_warp, 256, 16>},
    {"look_back_vector_20", "a block does one thing after another, and waits while it looks back", 0,
     scratch_of_tiles<256 * 20>, single_pass<look_back_by_warp, 256, 20>},
};

}  // namespace ladder
