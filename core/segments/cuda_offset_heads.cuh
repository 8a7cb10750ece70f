// SPDX-License-Identifier: Apache-2.0
// Makes one head bit an item from segment offsets, in shared memory:
//   heads_from_offsets  makes the bits of each tile of a scan, which reads them at once. A block makes them, or a
//                       producer warp of the pipeline
//   mark_heads_kernel   makes the bits of all items and stores them to n / 8 bytes of memory
// Bytes moved: for each tile a few offsets to find its first one, then each of its offsets once.
#pragma once

#include "../cuda/runtime/launch.cuh"
#include "../cuda/io/warp.cuh"
#include "offset_index.hpp"
#include "segmented_source.hpp"

namespace onepass::detail {

// A warp searches for the first offset that is `item` or more. It looks at `probes` offsets a lane at a time, which are
// `stride` apart, and reduces the stride until few offsets lie between two of them. `item` rises from call to call, so
// a search begins where the last one ended, with a stride that the last advance suggests.
template <class It, int probes = 1>
class offset_search {
 public:
  __device__ offset_search(It offsets, index_t count) : offsets_(offsets), count_(count), stride_(count / width + 1) {}

  // Returns the number of an offset. All offsets before it are less than `item`, and at most `few` from it on are.
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
  // Loads what the next call looks at first. This does not depend on the next item, so the loads can be on their way
  // early.
  __device__ void ask() {
#pragma unroll
    for (int p = 0; p < probes; ++p) begins_[p] = begin_of(before_ + (p * warp_size + lane_id() + 1) * stride_ - 1);
    asked_ = true;
  }

  // Offset i, or a number behind all items where there is no such offset.
  __device__ index_t begin_of(index_t i) const {
    return i < count_ ? offset_index(offsets_[i]) : ::cuda::std::numeric_limits<index_t>::max();
  }

 private:
  static constexpr int width = probes * warp_size;
  // Chosen so that one look is mostly enough. A block, or a warp, then reads so many offsets at once.
  static constexpr index_t few = probes == 1 ? 256 : 64;
  It offsets_;
  index_t count_, stride_;
  index_t before_ = 0;  // how many offsets are known to be less than the item
  index_t begins_[probes];
  bool asked_ = false;
};

// A producer warp of the pipeline, which makes the bits of tiles with rising numbers. Loads are slow while a
// multiprocessor's stores are on their way to memory, so as few loads as possible wait for the result of another:
// mostly only the load of a tile's offsets, where these are few.
template <class It>
class head_producer {
 public:
  __device__ head_producer(It offsets, index_t count) : search_(offsets, count) { search_.ask(); }

  // Makes the bits of `items` items from `first` on. The bit of item `first` is number `bit` of the words.
  __device__ void produce(index_t first, int items, std::uint32_t* words, int count, int bit) {
    index_t i = search_.find(first);
    for (int w = lane_id(); w < count; w += warp_size) words[w] = 0;
    __syncwarp();  // all are cleared
    const index_t end = first + items;
    while (mark(i, first, end, words, bit)) {
    }
    search_.ask();
  }

 private:
  // Marks the heads that the offsets from number i on give, `size` offsets a lane, and moves i past them. Returns
  // whether the tile may have more offsets.
  __device__ bool mark(index_t& i, index_t first, index_t end, std::uint32_t* words, int bit) {
    constexpr int size = 8;
    index_t begins[size];
#pragma unroll
    for (int k = 0; k < size; ++k) begins[k] = search_.begin_of(i + k * warp_size + lane_id());
#pragma unroll
    for (int k = 0; k < size; ++k) {
      if (begins[k] < first || begins[k] >= end) continue;
      const int index = static_cast<int>(begins[k] - first) + bit;
      atomicOr(words + index / 32, 1u << index % 32);
    }
    const index_t last = __shfl_sync(all_lanes, begins[size - 1], warp_size - 1);
    if (last >= end) return false;
    i += size * warp_size;
    // Many empty segments may follow one another. Offsets between two that are equal are skipped.
    if (__shfl_sync(all_lanes, begins[0], 0) == last) {
      for (index_t leap = size * warp_size; search_.begin_of(i + leap - 1) == last; leap *= 2) i += leap;
    }
    return true;
  }

  offset_search<It, 4> search_;
};

// Whether a kernel before a long scan should make its bits: for so many offsets a producer warp takes longer than the
// pipeline takes for a tile. From docs/history/performance-log.md, "Segmented scan: flags, bits and offsets".
inline bool are_dense(index_t offsets, index_t n) { return offsets > n / 80; }

// Heads (segmented_source.hpp) from offsets.
template <class It>
struct heads_from_offsets {
  using iterator = bit_iterator;
  It offsets;
  index_t count;
  bool many;  // so many offsets for a block's items that each thread begins with several
  bool continues = false;
  static constexpr bool stageable = true, produced = true;

  ONEPASS_HOST_DEVICE heads_from_offsets(It begin, index_t size, index_t n)
      : offsets(begin), count(size), many(size > n / 32) {}
  __device__ offset_search<It> search() const { return {offsets, count}; }

  // A block makes the bits of `items` items from `first` on. All offsets before number `found` are less than `first`.
  // Contains two barriers. Word w is cleared by thread w % threads, and a later loop that reads word w with the same
  // thread needs no barrier before the next call.
  template <int threads>
  __device__ void make(index_t first, int items, index_t found, std::uint32_t* words) const {
    for (int w = static_cast<int>(threadIdx.x); w < divide_up(items, 32); w += threads) words[w] = 0;
    __syncthreads();  // all are cleared
    const index_t end = first + items;
    const auto begin_of = [&](index_t i) { return i < count ? offset_index(offsets[i]) : end; };
    const auto mark = [&](index_t begin) {
      const auto item = static_cast<unsigned>(begin - first);
      if (begin >= first && begin < end) atomicOr(words + item / 32, 1u << item % 32);
    };
    index_t i = found + threadIdx.x;
    index_t last = first;  // an offset behind which this thread may have some to look at
    if (!many) {
      last = begin_of(found + threads - 1);  // at once with its own: mostly there are no more
      mark(begin_of(i));
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
      // Many empty segments may follow one another. Offsets between two that are equal are skipped.
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
  __device__ heads_from_flags<staged_bits> staged(const staged_address* at, index_t first) const {
    return {staged_bits(at[0]), first == 0 ? 0 : -1, continues};
  }
  __device__ head_producer<It> producer() const { return {offsets, count}; }

  // In the tile driver.
  template <int threads>
  __device__ heads_from_flags<bit_iterator> in_tile(index_t first, int items, std::uint32_t* words) const {
    make<threads>(first, items, search().find(first), words);
    return {bits(words) - first, 0, continues};
  }
};

constexpr int mark_threads = 256;
constexpr int least_marked = 1 << 12, most_marked = 1 << 17;  // items at a time

// Each block makes the bits of consecutive items, `step` at a time.
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

// Enqueues the kernel that makes the bits of all n items.
template <class It>
void mark_heads(const char* call, stream_t stream, const heads_from_offsets<It>& heads, std::uint32_t* words,
                index_t n) {
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
