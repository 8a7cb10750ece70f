// SPDX-License-Identifier: Apache-2.0
// The fix-up of many ties, after a sort of 4-byte keys without values by all digit positions but the lowest
// (choose_digits.cuh). A tie is a run of neighbouring keys that are equal in the bits that have been sorted by: of 2^24
// random keys, each is tied with one other on average, and of 2^27 with eight. In place of the last pass, one read and
// write puts all ties in order. Bytes moved: n keys read and written once.
//
// A block sorts a tile in shared memory. Each thread sorts a window of keys by a network. Then it merges the halves of a
// window that begins half a window further on, then those of its own again, and so on by turns until all are in order, at
// most as many turns as there are windows. No key leaves its tie, so few turns are enough. A tile also sees some keys of
// the tiles beside it, its halos, so a tie that crosses an edge comes out the same on both sides. If such a tie is longer
// than the halos, the block in whose tile it begins counts its keys by their lowest digit, and writes them.
//
// Source: G. Baudet and D. Stevenson, "Optimal Sorting Algorithms for Parallel Computers" (1978): merging neighbours.
#pragma once

#include "../../../../core/cuda/io/vector_access.cuh"
#include "../../../../core/cuda/runtime/launch.cuh"
#include "../onesweep/plan.cuh"
#include "../small/block_scan.cuh"
#include "../small/register_sort.cuh"
#include "last_where.cuh"

namespace onepass::detail {

template <class Digits>
struct many_ties_job {
  using key = typename Digits::key;
  const key* from;  // sorted by the upper positions
  key* to;
  item_count size;
  const split_plan* plan;
  unsigned flip;  // the bits to invert, so that key bits ascend in the order of the sort
};

constexpr int many_ties_threads = 256;
// Blocks a multiprocessor: eight on sm_90, 100 and 103, which have 2,048 threads there, so that loads and merges of some
// overlap those of others. (sm_80 has as many threads, and was not tried.)
#if __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000 || __CUDA_ARCH__ == 1030
constexpr int many_ties_blocks = 8;
#else
constexpr int many_ties_blocks = 4;
#endif

// The words of a tile are its keys' bits, as they ascend in the order of the sort. Where there is no key, words are 0
// before the first one and the highest behind the last one.
template <class Digits>
class many_ties_tile {
  using K = typename Digits::key;
  static constexpr int per_thread = 16, half = per_thread / 2, items = many_ties_threads * per_thread;
  static constexpr int halo = 64;  // a tie that crosses an edge is long if it reaches so far on one of its sides
  using sorter = bitonic_sorter<per_thread, unsigned>;

 public:
  static constexpr int inner = items - 2 * halo;  // the keys that a tile stores
  struct shared {
    alignas(16) unsigned words[items];
    unsigned counts[digit_values];  // of a long tie; later how many of its keys have this digit or a lower one
    unsigned totals[many_ties_threads / warp_size];
    index_t begin, end;  // of a long tie
    bool has_long_tie;   // that crosses an edge
  };

  __device__ many_ties_tile(shared& s, const many_ties_job<Digits>& job, index_t n, index_t tile)
      : s_(s), job_(job), n_(n), begin_(tile * inner - halo) {}

  // All threads.
  __device__ void fix_up() {
    load();
    sort_windows();
    merge_between_windows();
    if (threadIdx.x == 0) s_.has_long_tie = left_is_long() || right_is_long();
    while (__syncthreads_or(is_out_of_order())) {
      merge_window(mine());
      __syncthreads();  // these windows are in order
      merge_between_windows();
    }
    if (s_.has_long_tie) fix_up_long_ties();
    else store(halo, halo + inner);
  }

 private:
  // ---- words ----
  // Where word i stands: windows of neighbouring threads are in different banks, four words of each.
  static __device__ int at(int i) { return i ^ (i >> 5 & 3) << 2; }
  __device__ unsigned word(int i) const { return s_.words[at(i)]; }
  __device__ uint4& four_words(int i) { return *reinterpret_cast<uint4*>(s_.words + at(i)); }
  __device__ unsigned word_of(const K& key) const { return static_cast<unsigned>(to_key_bits(key)) ^ job_.flip; }
  __device__ K key_of(unsigned word) const { return from_key_bits<K>(word ^ job_.flip); }
  static __device__ unsigned upper(unsigned word) { return word >> digit_bits; }
  template <class Change>
  static __device__ uint4 with_each(const uint4& of, Change change) {
    return {change(of.x), change(of.y), change(of.z), change(of.w)};
  }

  // Whole tiles are loaded and stored four keys at a time, if these are aligned.
  __device__ void load() {
    if (begin_ >= 0 && begin_ + items <= n_ && is_aligned_to_vector(job_.from + begin_)) {
      constexpr int vectors = per_thread / 4;
      const auto* const from = reinterpret_cast<const uint4*>(job_.from + begin_);
      uint4 loaded[vectors];
#pragma unroll
      for (int v = 0; v < vectors; ++v) loaded[v] = __ldcs(from + v * many_ties_threads + threadIdx.x);
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
        four_words(4 * (v * many_ties_threads + static_cast<int>(threadIdx.x))) =
            with_each(loaded[v], [&](unsigned bits) { return word_of(::cuda::std::bit_cast<K>(bits)); });
      }
    } else {
#pragma unroll 4
      for (int i = threadIdx.x; i < items; i += many_ties_threads) {
        const index_t from = begin_ + i;
        s_.words[at(i)] = from < 0 ? 0 : from >= n_ ? ~0u : word_of(job_.from[from]);
      }
    }
    __syncthreads();  // all words are there
  }
  // Stores the keys of words [first, end), as far as there are keys.
  __device__ void store(int first, int end) {
    if (end - first == inner && begin_ + end <= n_ && is_aligned_to_vector(job_.to + begin_ + first)) {
      auto* const to = reinterpret_cast<uint4*>(job_.to + begin_ + first);
      for (int v = threadIdx.x; v < inner / 4; v += many_ties_threads) {
        __stcs(to + v, with_each(four_words(first + 4 * v),
                                 [&](unsigned word) { return ::cuda::std::bit_cast<unsigned>(key_of(word)); }));
      }
    } else {
#pragma unroll 4
      for (int i = first + static_cast<int>(threadIdx.x); i < end && begin_ + i < n_; i += many_ties_threads)
        job_.to[begin_ + i] = key_of(word(i));
    }
  }

  // ---- merging neighbours ----
  __device__ static int mine() { return static_cast<int>(threadIdx.x) * per_thread; }
  __device__ void sort_windows() {
    unsigned words[per_thread];
    take(words, mine());
    sorter::sort(words, 1);
    put(words, mine());
    __syncthreads();  // windows are in order
  }
  __device__ void merge_window(int begin) {
    unsigned words[per_thread];
    take(words, begin);
    sorter::merge_halves_in_lane(words);
    put(words, begin);
  }
  // What is in order then are windows that begin half a window behind those of sort_windows.
  __device__ void merge_between_windows() {
    if (threadIdx.x < many_ties_threads - 1) merge_window(mine() + half);
    __syncthreads();  // these windows are in order
  }
  // Whether a word belongs before the last one of the window before.
  __device__ bool is_out_of_order() const { return word(mine() + half - 1) > word(mine() + half); }
  __device__ void take(unsigned (&words)[per_thread], int begin) {
#pragma unroll
    for (int i = 0; i < per_thread; i += 4) {
      const uint4 four = four_words(begin + i);
      words[i] = four.x, words[i + 1] = four.y, words[i + 2] = four.z, words[i + 3] = four.w;
    }
  }
  __device__ void put(const unsigned (&words)[per_thread], int begin) {
#pragma unroll
    for (int i = 0; i < per_thread; i += 4)
      four_words(begin + i) = {words[i], words[i + 1], words[i + 2], words[i + 3]};
  }

  // ---- ties that reach far ----
  // Whether a long tie crosses the edge before word `edge`. The tiles on both of its sides find the same.
  __device__ bool is_long_at(int edge) const {
    const unsigned of_tie = upper(word(edge));
    return upper(word(edge - 1)) == of_tie &&
           (upper(word(edge - halo)) == of_tie || upper(word(edge + halo - 1)) == of_tie);
  }
  __device__ bool left_is_long() const { return begin_ + halo > 0 && is_long_at(halo); }
  __device__ bool right_is_long() const { return begin_ + items - halo < n_ && is_long_at(items - halo); }

  // Stores all but the long ties that cross an edge, and counts the one that begins in this tile.
  __device__ __noinline__ void fix_up_long_ties() {
    const auto is_tied_with = [&](int i) {
      return [this, of_tie = upper(word(i))](int j) { return upper(word(j)) == of_tie; };
    };
    constexpr int left = halo, right = items - halo;
    const bool left_is_out = left_is_long(), right_is_out = right_is_long();
    const int first = left_is_out ? last_where(is_tied_with(left), left, items) + 1 : left;
    const int end = right_is_out ? last_where(is_tied_with(right), right, -1) : right;
    store(first, end);
    const bool begins_here = !left_is_out || upper(word(left)) != upper(word(right));
    if (right_is_out && begins_here) count_tie(begin_ + right);
  }

  // Writes the keys of the tie of key i in order. They differ in their lowest digit alone.
  __device__ void count_tie(index_t i) {
    const unsigned of_tie = upper(word_of(job_.from[i]));
    const auto is_of_tie = [&](index_t j) { return upper(word_of(job_.from[j])) == of_tie; };
    if (threadIdx.x == 0) s_.begin = last_where(is_of_tie, i, index_t{-1});
    if (threadIdx.x == warp_size) s_.end = last_where(is_of_tie, i, n_) + 1;
    s_.counts[threadIdx.x] = 0;
    __syncthreads();  // counts are zero, and the ends are known
    const index_t begin = s_.begin, end = s_.end;
#pragma unroll 8
    for (index_t j = begin + threadIdx.x; j < end; j += many_ties_threads)
      atomicAdd(s_.counts + word_of(job_.from[j]) % digit_values, 1u);
    __syncthreads();  // all keys are counted
    const unsigned count = s_.counts[threadIdx.x];
    s_.counts[threadIdx.x] = count + block_scan(count, sum(), s_.totals).before;
    __syncthreads();  // sums are there
    for (index_t j = begin + threadIdx.x; j < end; j += many_ties_threads) {
      unsigned digit = 0;  // the first one up to which there are more than j - begin keys
#pragma unroll
      for (unsigned step = digit_values / 2; step > 0; step /= 2) {
        if (s_.counts[digit + step - 1] <= static_cast<unsigned>(j - begin)) digit += step;
      }
      job_.to[j] = key_of(of_tie << digit_bits | digit);
    }
  }

  shared& s_;
  const many_ties_job<Digits>& job_;
  index_t n_, begin_;  // of the words
};

template <class Digits>
__global__ void __launch_bounds__(many_ties_threads, many_ties_blocks)
    fix_many_ties_kernel(const __grid_constant__ many_ties_job<Digits> job) {
  wait_for_previous_kernel();
  if (job.plan->lowest_position == 0) return;
  __shared__ typename many_ties_tile<Digits>::shared s;
  const index_t n = job.size.get();
  for (index_t tile = blockIdx.x; tile * many_ties_tile<Digits>::inner < n; tile += gridDim.x) {
    many_ties_tile<Digits>(s, job, n, tile).fix_up();
    __syncthreads();  // all words have been read
  }
}

template <class Digits>
void launch_fix_many_ties(const char* call, const many_ties_job<Digits>& job, cudaStream_t stream) {
  const auto kernel = fix_many_ties_kernel<Digits>;
  const resident_blocks resident(kernel, many_ties_threads, 0);
  // More blocks than are resident begin and end at different times, so that loads go on all the time.
  const index_t tiles = divide_up(job.size.most, index_t{many_ties_tile<Digits>::inner});
  const auto grid = static_cast<unsigned>(std::min(tiles, index_t{2} * resident.on_this_device(call)));
  kernel_launch::dependent(call, resident, kernel, dim3(grid), many_ties_threads, 0, stream, job);
}

}  // namespace onepass::detail
