// SPDX-License-Identifier: Apache-2.0
// One pass of a split: items go, stably, to the place of their digit. A tile's items are put in order of digit in shared
// memory first, so that neighbouring threads store to neighbouring addresses. Where a tile's items of a digit start is
// learned by look-back, one thread a digit. Bytes moved: n items read and written once.
//
// The steps, in order: load, count, publish, rank and gather, look back, store.
//
// Source: A. Adinets and D. Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs" (2022), section 3.
#pragma once

#include "../../core/look_back.hpp"
#include "cuda_histogram.cuh"

namespace onepass::detail {

struct no_value {};  // an item without one
template <class V>
constexpr std::size_t stored_size = std::is_same_v<V, no_value> ? 0 : sizeof(V);

// Where a pass reads and writes. A split has two fixed places; a sort goes to and fro between two buffers.
template <class In, class Out>
struct fixed_route {
  static constexpr bool may_skip = false;  // a pass that keeps the order still has to copy
  using item = value_of<In>;
  using in_type = In;
  using out_type = Out;
  In in;
  Out out;
  __device__ In source(bool) const { return in; }
  __device__ Out target(bool) const { return out; }
};
template <class T>
struct buffer_route {
  static constexpr bool may_skip = true;
  using item = T;
  using in_type = const T*;
  using out_type = T*;
  T* primary;
  T* alternate;
  __device__ const T* source(bool from_alternate) const { return from_alternate ? alternate : primary; }
  __device__ T* target(bool from_alternate) const { return from_alternate ? primary : alternate; }
};
struct no_route {
  using item = no_value;
  using in_type = no_value;
  using out_type = no_value;
  __device__ no_value source(bool) const { return {}; }
  __device__ no_value target(bool) const { return {}; }
};

template <class Digits, class Keys, class Values, class Word>
struct split_job {
  Digits digits;
  int place;
  Keys keys;
  Values values;
  index_t n;
  split_plan* plan;
  Word* table;  // descriptors: a row a tile, 256 digits each
};

// As many items a thread as 72 KB of shared memory and 80 registers hold: three blocks a multiprocessor for small items.
template <class K, class V>
struct split_shape {
  static constexpr int threads = digit_values;  // a thread a digit
  static constexpr int warps = threads / warp_size;
  static constexpr int fits = static_cast<int>(72 * 1024 / (threads * (sizeof(K) + stored_size<V>)));
  static constexpr int most = sizeof(K) + stored_size<V> <= 4 ? 32 : sizeof(K) + stored_size<V> <= 8 ? 24 : 16;
  static constexpr int items_per_thread = fits < 1 ? 1 : fits < most ? fits : most;
  static constexpr int items = threads * items_per_thread;
  static constexpr int blocks = sizeof(K) + stored_size<V> <= 4 ? 3 : sizeof(K) + stored_size<V> <= 16 ? 2 : 1;
};

template <class K, class V>
struct split_shared {
  using shape = split_shape<K, V>;
  alignas(16) unsigned char keys[shape::items * sizeof(K)];
  alignas(16) unsigned char values[stored_size<V> == 0 ? 16 : shape::items * stored_size<V>];
  unsigned warp_count[shape::warps][digit_values];  // then: rank in the tile of the warp's next item of the digit
  index_t store_offset[digit_values];               // plus the rank in the tile: the index in the output
  unsigned warp_total[shape::warps];
  unsigned tile;
};

// The lanes whose digit is this lane's, by one vote a bit.
__device__ inline unsigned lanes_with_digit(unsigned digit) {
  unsigned same = all_lanes;
#pragma unroll
  for (int bit = 0; bit < digit_bits; ++bit) {
    const bool one = digit >> bit & 1;
    const unsigned vote = __ballot_sync(all_lanes, one);
    same &= one ? vote : ~vote;
  }
  return same;
}

template <class Job, class K, class V, class Word, bool full>
class split_tile {
  using shape = split_shape<K, V>;
  static constexpr int per_thread = shape::items_per_thread;
  static constexpr bool has_values = stored_size<V> > 0;
  using state = chained_descriptor<Word>;
  using digit_of = decltype(std::declval<Job>().digits.at(0));

 public:
  __device__ split_tile(const Job& job, split_shared<K, V>& s, unsigned tile)
      : job_(job),
        s_(s),
        digit_(job.digits.at(job.place)),
        from_alternate_(job.plan->from_alternate[job.place]),
        tile_(tile),
        begin_(static_cast<index_t>(tile) * shape::items),
        size_(full ? shape::items : static_cast<int>(job.n - begin_)) {}

  __device__ void run() {
    load();
    count();
    publish();
    rank_and_gather();
    look_back();
    store();
  }

 private:
  // Item i of this thread: in a warp (i, lane) is the order of the input, and loads are coalesced.
  __device__ int local(int i) const { return (warp_id() * per_thread + i) * warp_size + lane_id(); }
  __device__ bool exists(int i) const { return full || local(i) < size_; }

  __device__ void load() {
    const auto in = job_.keys.source(from_alternate_);
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      if (exists(i)) key_[i] = in[begin_ + local(i)];
    }
  }

  // A histogram a warp.
  __device__ void count() {
    unsigned* counters = s_.warp_count[warp_id()];
#pragma unroll
    for (int d = 0; d < digit_values; d += warp_size) counters[d + lane_id()] = 0;
    __syncwarp();  // this warp's counters are zero
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      if (exists(i)) atomicAdd(counters + digit_(key_[i]), 1u);
    }
    __syncthreads();  // all warps have counted
  }

  // A thread a digit from here to the next barrier. The tile's count is published as early as can be, as later tiles wait
  // for it; then the warps' counters become ranks.
  __device__ void publish() {
    const int d = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int w = 0; w < shape::warps; ++w) digit_count_ += s_.warp_count[w][d];
    // Tile 0's count is its prefix, too; who looks back never walks past it.
    set(static_cast<Word>(digit_count_) | (tile_ == 0 ? state::inclusive : state::aggregate));
    digit_begin_ = count_of_digits_before();
    unsigned rank = digit_begin_;
#pragma unroll
    for (int w = 0; w < shape::warps; ++w) {
      const unsigned c = s_.warp_count[w][d];
      s_.warp_count[w][d] = rank;
      rank += c;
    }
    __syncthreads();  // all counters are ranks
  }
  __device__ unsigned count_of_digits_before() {
    sum add;
    const unsigned upto = warp_inclusive_scan(digit_count_, add);
    if (lane_id() == warp_size - 1) s_.warp_total[warp_id()] = upto;
    __syncthreads();  // totals are written
    unsigned before = upto - digit_count_;
#pragma unroll
    for (int w = 0; w < shape::warps; ++w) before += w < warp_id() ? s_.warp_total[w] : 0;
    return before;
  }

  // The rank of an item: the warp's next of its digit, plus the lanes below with the same digit. Missing items vote, as all
  // lanes must, but are neither counted nor stored: their lanes are the highest, so they stand behind the real ones.
  __device__ void rank_and_gather() {
    K* keys = reinterpret_cast<K*>(s_.keys);
    unsigned* counters = s_.warp_count[warp_id()];
    unsigned lanes_below;
    asm("mov.u32 %0,%%lanemask_lt;" : "=r"(lanes_below));
    [[maybe_unused]] const auto values_in = job_.values.source(from_alternate_);
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      const bool there = exists(i);
      [[maybe_unused]] V value;
      if constexpr (has_values) {
        if (there) value = values_in[begin_ + local(i)];
      }
      const unsigned d = there ? digit_(key_[i]) : digit_values - 1u;
      const unsigned same = lanes_with_digit(d), below = __popc(same & lanes_below);
      const int leader = warp_size - 1 - __clz(same);
      unsigned before = 0;
      // A branch an item, and not a select: else the compiler moves all votes to the front, and spills.
      if (lane_id() == leader) {
        before = counters[d];
        counters[d] = before + below + 1;
      }
      __syncwarp();  // orders this access before the next item's by other lanes
      const unsigned rank = __shfl_sync(all_lanes, before, leader) + below;
      if (there) {
        keys[rank] = key_[i];
        if constexpr (has_values) reinterpret_cast<V*>(s_.values)[rank] = value;
      }
    }
  }

  // Only now: the tiles before have had the time of the ranking to publish.
  __device__ void look_back() {
    const auto start = static_cast<index_t>(job_.plan->count[job_.place][threadIdx.x]);
    index_t before = 0;
    if (tile_ > 0) {
      spin_guard guard;
      before = static_cast<index_t>(
          chained_prefix<on_device>(descriptor() - digit_values, index_t{digit_values}, [&] { guard.wait(); }));
      set(static_cast<Word>(before + digit_count_) | state::inclusive);
    }
    s_.store_offset[threadIdx.x] = start + before - digit_begin_;
    __syncthreads();  // all items are gathered, all offsets written
  }

  __device__ void store() {
    const K* keys = reinterpret_cast<const K*>(s_.keys);
    const auto out = job_.keys.target(from_alternate_);
    [[maybe_unused]] const auto values_out = job_.values.target(from_alternate_);
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      const int rank = static_cast<int>(threadIdx.x) + i * shape::threads;
      if (!full && rank >= size_) break;
      const K key = keys[rank];
      const index_t at = s_.store_offset[digit_(key)] + rank;
      out[at] = key;
      if constexpr (has_values) values_out[at] = reinterpret_cast<const V*>(s_.values)[rank];
    }
  }

  __device__ Word* descriptor() const { return job_.table + static_cast<index_t>(tile_) * digit_values + threadIdx.x; }
  __device__ void set(Word word) const {
    ::cuda::atomic_ref<Word, ::cuda::thread_scope_device>(*descriptor()).store(word, ::cuda::memory_order_relaxed);
  }

  const Job& job_;
  split_shared<K, V>& s_;
  digit_of digit_;
  bool from_alternate_;
  unsigned tile_;
  index_t begin_;
  int size_;
  unsigned digit_count_ = 0, digit_begin_ = 0;
  K key_[per_thread];
};

template <class Job, class K, class V, class Word>
__global__ void __launch_bounds__(split_shape<K, V>::threads, split_shape<K, V>::blocks)
    split_pass_kernel(const __grid_constant__ Job job) {
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  auto& s = *reinterpret_cast<split_shared<K, V>*>(dynamic_shared);
  if (decltype(job.keys)::may_skip && job.plan->skipped[job.place]) return;
  // Tiles by ticket: who holds one knows that blocks which run hold all before it.
  if (threadIdx.x == 0) s.tile = atomicAdd(&job.plan->ticket[job.place], 1u);
  __syncthreads();  // the tile's number is written
  const unsigned tile = s.tile;
  if (static_cast<index_t>(tile + 1) * split_shape<K, V>::items <= job.n) {
    split_tile<Job, K, V, Word, true>(job, s, tile).run();
  } else {
    split_tile<Job, K, V, Word, false>(job, s, tile).run();
  }
}

}  // namespace onepass::detail
