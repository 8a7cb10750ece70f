// SPDX-License-Identifier: Apache-2.0
// Segment offsets as a bit an item, made in shared memory:
//   heads_from_offsets    of each tile of a scan, where they are read at once: by the block, or by a warp of the pipeline
//   mark_heads_kernel  of all items, into n / 8 bytes of memory
// Bytes moved: about each item range's first offset a few are read to find it, and the offsets in it once.
#pragma once

#include "../cuda/runtime/launch.cuh"
#include "../cuda/io/warp.cuh"
#include "segmented_source.hpp"

namespace onepass::detail {

// A warp looks for the first offset that is `item` or more: at 32 or more offsets at a time, `probes` a lane, one in `stride`,
// until those between two of them are few. It goes on from where it was, with strides as the last advance suggests, as items
// rise from call to call.
template <class It, int probes = 1>
class offset_search {
 public:
  __device__ offset_search(It offsets, index_t count) : offsets_(offsets), count_(count), stride_(count / width + 1) {}

  // All offsets before the one that is returned are less than `item`, and of those from it on no more than `few`.
  __device__ index_t find(index_t item) {
    const index_t last = before_;
    if (!asked_) ask();
    for (;; ask()) {
      int less = 0;
#pragma unroll
      for (int p = 0; p < probes; ++p) less += __popc(__ballot_sync(all_lanes, begins_[p] < item));
      before_ += less * stride_;
      if (less == width) stride_ *= width;
      else if (stride_ <= few) break;
      else stride_ = divide_up(stride_, index_t{width});
    }
    stride_ = (before_ - last) / (width * 3 / 4) + 1;
    asked_ = false;
    return before_;
  }
  // The next call's first look does not depend on its item, so it may be on its way before.
  __device__ void ask() {
#pragma unroll
    for (int p = 0; p < probes; ++p) begins_[p] = begin_of(before_ + (p * warp_size + lane_id() + 1) * stride_ - 1);
    asked_ = true;
  }

  // An offset, or what is behind all items.
  __device__ index_t begin_of(index_t i) const {
    return i < count_ ? static_cast<index_t>(offsets_[i]) : ::cuda::std::numeric_limits<index_t>::max();
  }

 private:
  static constexpr int width = probes * warp_size;
  // So that one look is mostly enough; all these are read at once afterwards, by a block or by a warp.
  static constexpr index_t few = probes == 1 ? 256 : 64;
  It offsets_;
  index_t count_, stride_;
  index_t before_ = 0;  // so many are known to be less
  index_t begins_[probes];
  bool asked_ = false;
};

// A warp of the pipeline that makes the bits of tiles, whose numbers rise. Loads that pass a multiprocessor's stores on their
// way to memory are slow, so as few as can be wait for others: one mostly, for a tile's offsets, where those are few.
template <class It>
class head_producer {
 public:
  __device__ head_producer(It offsets, index_t count) : search_(offsets, count) { search_.ask(); }

  // The bits of `items` items from `first` on; that item's is number `bit` of the words.
  __device__ void make(index_t first, int items, std::uint32_t* words, int count, int bit) {
    index_t i = search_.find(first);
    for (int w = lane_id(); w < count; w += warp_size) words[w] = 0;
    __syncwarp();  // all are cleared
    const index_t end = first + items;
    while (mark(i, first, end, words, bit)) {
    }
    search_.ask();
  }

 private:
  // Marks where segments begin by the offsets from number i on, so many a lane. Whether there may be more of them.
  __device__ bool mark(index_t& i, index_t first, index_t end, std::uint32_t* words, int bit) {
    constexpr int size = 8;
    index_t begins[size];
#pragma unroll
    for (int k = 0; k < size; ++k) begins[k] = search_.begin_of(i + k * warp_size + lane_id());
#pragma unroll
    for (int k = 0; k < size; ++k) {
      if (begins[k] < first || begins[k] >= end) continue;
      const int place = static_cast<int>(begins[k] - first) + bit;
      atomicOr(words + place / 32, 1u << place % 32);
    }
    const index_t last = __shfl_sync(all_lanes, begins[size - 1], warp_size - 1);
    if (last >= end) return false;
    i += size * warp_size;
    // Of empty segments there may be a great many in a row: those between two that begin at the same item are passed over.
    if (__shfl_sync(all_lanes, begins[0], 0) == last) {
      for (index_t leap = size * warp_size; search_.begin_of(i + leap - 1) == last; leap *= 2) i += leap;
    }
    return true;
  }

  offset_search<It, 4> search_;
};

// Whether a long scan's bits are better made before it: so many offsets take a maker longer than their tile has. From
// docs/performance.md, "Segmented scan: flags, bits and offsets".
inline bool are_dense(index_t offsets, index_t n) { return offsets > n / 80; }

// How segments are given (segmented_source.hpp): by offsets.
template <class It>
struct heads_from_offsets {
  using iterator = bit_iterator;
  It offsets;
  index_t count;
  bool many;  // of them for a block, so that its threads begin with several
  static constexpr bool stageable = true, made = true;

  ONEPASS_HOST_DEVICE heads_from_offsets(It begin, index_t size, index_t n)
      : offsets(begin), count(size), many(size > n / 32) {}
  __device__ offset_search<It> search() const { return {offsets, count}; }

  // By a block: the bits of `items` items from `first` on; all offsets before number `found` are less. Two barriers. Words
  // are cleared by the threads that a loop with as many steps gives them to, so who reads them so needs no barrier after.
  template <int threads>
  __device__ void make(index_t first, int items, index_t found, std::uint32_t* words) const {
    for (int w = static_cast<int>(threadIdx.x); w < divide_up(items, 32); w += threads) words[w] = 0;
    __syncthreads();  // all are cleared
    const index_t end = first + items;
    const auto begin_of = [&](index_t i) { return i < count ? static_cast<index_t>(offsets[i]) : end; };
    const auto mark = [&](index_t begin) {
      const auto item = static_cast<unsigned>(begin - first);
      if (begin >= first && begin < end) atomicOr(words + item / 32, 1u << item % 32);
    };
    index_t i = found + threadIdx.x,
            last = first;  // `last`: of the offsets that this thread has looked at, the one before i
    if (!many) {
      mark(last = begin_of(i));
      i += threads;
    }
    while (last < end) {
      index_t begins[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) begins[k] = begin_of(i + k * threads);
#pragma unroll
      for (const index_t begin : begins) mark(begin);
      last = begins[3];
      i += 4 * threads;
      // Of empty segments there may be a great many in a row: those between two that begin at the same item are passed over.
      if (begins[0] == last) {
        for (index_t leap = 4 * threads; last < end && begin_of(i + leap - threads) == last; leap *= 2) i += leap;
      }
    }
    __syncthreads();  // all are marked
  }

  // In the pipeline.
  static constexpr int streams = 1;
  static constexpr ONEPASS_HOST_DEVICE stream_shape shape_of(int) { return {1, 0, true}; }
  ONEPASS_HOST_DEVICE bit_address stream(int) const { return 0; }
  template <bool>
  __device__ heads_from_flags<staged_bits> staged(const staged_address* at, bool is_first) const {
    return {staged_bits(at[0]), is_first ? 0 : -1};
  }
  __device__ head_producer<It> producer() const { return {offsets, count}; }

  // In the other driver.
  template <int threads>
  __device__ heads_from_flags<bit_iterator> in_tile(index_t first, int items, std::uint32_t* words) const {
    make<threads>(first, items, search().find(first), words);
    return {bits(words) - first};
  }
};

constexpr int mark_threads = 256;
constexpr int least_marked = 1 << 12, most_marked = 1 << 17;  // items at a time

// Each block makes the bits of neighbouring items, `step` at a time.
template <class It>
__global__ void __launch_bounds__(mark_threads)
    mark_heads_kernel(heads_from_offsets<It> heads, std::uint32_t* words, index_t n, int step) {
  __shared__ std::uint32_t made[most_marked / 32];
  wait_for_previous_kernel();
  const index_t mine = divide_up(divide_up(n, index_t{step}), static_cast<index_t>(gridDim.x)) * step;
  const index_t end = min(n, (blockIdx.x + 1) * mine);
  auto search = heads.search();
  for (index_t first = blockIdx.x * mine; first < end; first += step) {
    const auto items = static_cast<int>(min(index_t{step}, end - first));
    heads.template make<mark_threads>(first, items, search.find(first), made);
    for (int w = static_cast<int>(threadIdx.x); w < divide_up(items, 32); w += mark_threads)
      words[first / 32 + w] = made[w];
  }
}

// Enqueues the making of all bits.
template <class It>
void mark_heads(const char* call, stream_t stream, const heads_from_offsets<It>& heads, std::uint32_t* words, index_t n) {
  if (n == 0) return;
  const resident_blocks resident(mark_heads_kernel<It>, mark_threads, 0);
  const index_t blocks = resident.on_this_device(call);
  const index_t a_block = round_up(divide_up(n, blocks), index_t{32});
  const index_t step = std::max(index_t{least_marked}, std::min(index_t{most_marked}, a_block));
  const index_t grid = std::min(divide_up(n, step), blocks);
  kernel_launch::dependent(call, resident, mark_heads_kernel<It>, static_cast<unsigned>(grid), mark_threads, 0, stream,
                           heads, words, n, static_cast<int>(step));
}

}  // namespace onepass::detail
