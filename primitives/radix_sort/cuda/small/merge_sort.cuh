// SPDX-License-Identifier: Apache-2.0
// A stable sort of up to eight items a thread by one block. Each warp sorts 256 of them in registers
// (register_sort.cuh). Then the runs of 1, 2, 4, ... warps are merged in shared memory. Each thread makes eight
// consecutive items of the merged run: it searches for where these begin in both runs, and depends on no other thread.
// Bytes moved: n items read and written once.
//
// What is merged are the ordered bits of the keys and, where equal keys can be told apart, their indices in the input.
//
// Source: O. Green, R. McColl and D. Bader, "GPU Merge Path" (2012).
#pragma once

#include "../../../../core/cuda/runtime/launch.cuh"
#include "register_sort.cuh"
#include "../sort_tuning.cuh"
#include "block_shape.cuh"

namespace onepass::detail {

ONEPASS_HOST_DEVICE constexpr int merge_sort_items(int threads) { return threads * items_a_lane; }
// For ordered bits of such a type, the threads of a large block, as its registers allow.
template <class Ordered>
constexpr int most_merge_threads = sizeof(Ordered) <= 8 ? 512 : 256;

// The bytes of shared memory: two arrays of ordered bits, and two of indices.
template <class Ordered>
constexpr std::size_t merge_sort_bytes(int threads) {
  return 2 * merge_sort_items(threads) * (std::max(sizeof(Ordered), sizeof(unsigned)) + sizeof(unsigned short));
}

// ties_are_free: equal keys cannot be told apart, as keys without values are sorted by all of their bits and none is
// -0.
template <bool ties_are_free, class Digits, class V>
class merge_sorter {
  using K = typename Digits::key;
  using items_type = block_sort_items<K, V>;
  using warp_sorter = logical_warp_sorter<ties_are_free, Digits>;
  using word = typename warp_sorter::word;
  static constexpr int mine = items_a_lane, run_of_warp = mine * warp_size;

 public:
  __device__ merge_sorter(const Digits& digits, const items_type& items, index_t first, int n)
      : sorter_(digits),
        items_(items),
        first_(first),
        n_(n),
        room_(merge_sort_items(static_cast<int>(blockDim.x))),
        words_(&shared_of_block<word>()),
        source_(reinterpret_cast<unsigned short*>(words_ + 2 * room_)) {}

  __device__ void run() {
    sort_run();
    __syncthreads();  // each warp has sorted its run
    for (int run = run_of_warp; run < n_; run *= 2) {
      merge(run);
      now_ ^= 1;
      __syncthreads();  // all runs are merged
    }
    store();
  }

 private:
  __device__ void sort_run() {
    const int begin = warp_id() * run_of_warp, n = min(n_ - begin, run_of_warp);
    if (n <= 0) return;
    word words[mine];
    if constexpr (ties_are_free) {
      sorter_.template sort<warp_size>(sorter_.ordered(items_.keys_in + first_ + begin), n, lane_id(), words);
    } else {
      const auto ordered = [to = words_of(1) + begin](int i) -> word& { return to[i]; };
#pragma unroll
      for (int i = lane_id(); i < run_of_warp; i += warp_size) {
        if (i < n) ordered(i) = sorter_.order(items_.keys_in[first_ + begin + i]);
      }
      __syncwarp();  // the run's ordered bits are in the second array, which holds no run yet
      unsigned sources[mine];
      sorter_.template sort_sources<warp_size>(ordered, n, lane_id(), sources);
      unsigned short source[mine];
#pragma unroll
      for (int i = 0; i < mine; ++i) {
        source[i] = static_cast<unsigned short>(begin + static_cast<int>(sources[i]));
        if (lane_id() * mine + i < n) words[i] = ordered(static_cast<int>(sources[i]));
      }
      put(source, source_of(0));
    }
    put(words, words_of(0));
  }

  // Merges neighbouring runs of so many items. Of equal items, those of the first run come first.
  __device__ void merge(int run) {
    const int index = static_cast<int>(threadIdx.x) * mine;
    if (index >= n_) return;
    const int base = index & -2 * run, middle = min(base + run, n_), end = min(base + 2 * run, n_);
    const word* const from = words_of(now_);
    const int a = first_of(from + base, middle - base, from + middle, end - middle, index - base) + base;
    const int b = middle + index - a;
    if constexpr (ties_are_free) merge_by_network(a, middle, b, end);
    else merge_in_turn(a, middle, b, end);
  }
  // How many of the first `index` items of both runs, merged, are of the first run.
  static __device__ int first_of(const word* first, int count, const word* second, int count_of_second, int index) {
    int low = max(0, index - count_of_second), high = min(index, count);
    while (low < high) {
      const int middle = (low + high) / 2;
      if (second[index - 1 - middle] < first[middle]) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  // Takes the next eight items of each run, and of these 16 the eight lowest: the lower of the first of one run and the
  // last of the other, of the second and the last but one, and so on. A bitonic merge puts them in order. No load waits
  // for another.
  __device__ void merge_by_network(int a, int middle, int b, int end) {
    const word* const from = words_of(now_);
    word lowest[mine];
#pragma unroll
    for (int i = 0; i < mine; ++i) {
      const word of_a = a + i < middle ? from[a + i] : static_cast<word>(~word{0});
      const int last = mine - 1 - i;
      const word of_b = b + last < end ? from[b + last] : static_cast<word>(~word{0});
      lowest[i] = of_b < of_a ? of_b : of_a;
    }
    bitonic_sorter<mine, word>::bitonic_merge_in_lane(lowest);
    put(lowest, words_of(now_ ^ 1));
  }
  // Takes one item after another from the run whose next item is lower.
  __device__ void merge_in_turn(int a, int middle, int b, int end) {
    const word* const from = words_of(now_);
    word next_a{}, next_b{};
    if (a < middle) next_a = from[a];
    if (b < end) next_b = from[b];
    word merged[mine];
    int taken[mine];
#pragma unroll
    for (int i = 0; i < mine; ++i) {
      const bool is_a = b >= end || (a < middle && !(next_b < next_a));
      merged[i] = is_a ? next_a : next_b;
      taken[i] = is_a ? a++ : b++;
      word next{};  // one load instruction for all lanes, from whichever run
      if (is_a ? a < middle : b < end) next = from[taken[i] + 1];
      (is_a ? next_a : next_b) = next;
    }
    put(merged, words_of(now_ ^ 1));
    unsigned short source[mine];
#pragma unroll
    for (int i = 0; i < mine; ++i) source[i] = taken[i] < end ? source_of(now_)[taken[i]] : 0;
    put(source, source_of(now_ ^ 1));
  }

  __device__ void store() const {
    const int threads = static_cast<int>(blockDim.x);
    if constexpr (ties_are_free) {
#pragma unroll 4
      for (int i = threadIdx.x; i < n_; i += threads) items_.keys[first_ + i] = sorter_.key_of(words_of(now_)[i]);
    } else {
      K keys[mine];
      V values[stored_size<V> == 0 ? 1 : mine];
#pragma unroll
      for (int i = 0; i < mine; ++i) {
        const int to = static_cast<int>(threadIdx.x) + i * threads;
        if (to >= n_) continue;
        const index_t from = first_ + source_of(now_)[to];
        keys[i] = items_.keys_in[from];
        if constexpr (stored_size<V> != 0) values[i] = detail::item_or_number(items_.values_in, from);
      }
      __syncthreads();  // all items have been read
#pragma unroll
      for (int i = 0; i < mine; ++i) {
        const int to = static_cast<int>(threadIdx.x) + i * threads;
        if (to >= n_) continue;
        items_.keys[first_ + to] = keys[i];
        if constexpr (stored_size<V> != 0) items_.store_value(first_ + to, values[i]);
      }
    }
  }

  // Stores this thread's items by wide stores. There is room for all of them, and nothing behind the last item is ever
  // read.
  template <class T>
  static __device__ void put(const T (&all)[mine], T* to) {
    struct alignas(16) items {
      T of[mine];
    };
    items& mine_there = reinterpret_cast<items*>(to)[threadIdx.x];
    items together;
#pragma unroll
    for (int i = 0; i < mine; ++i) together.of[i] = all[i];
    mine_there = together;
  }
  __device__ word* words_of(int which) const { return words_ + which * room_; }
  __device__ unsigned short* source_of(int which) const { return source_ + which * room_; }

  warp_sorter sorter_;
  items_type items_;
  index_t first_;  // of the items that this block sorts
  int n_, room_;
  word* words_;
  unsigned short* source_;
  int now_ = 0;  // which arrays hold the items
};

template <class Digits, class V>
__device__ __noinline__ void merge_sort_with_indices(const Digits& digits,
                                                     const block_sort_items<typename Digits::key, V>& items,
                                                     index_t first, int n) {
  merge_sorter<false, Digits, V>(digits, items, first, n).run();
}

// Whether equal keys cannot be told apart. All threads of the block.
template <class Digits>
__device__ bool ties_are_free(const Digits& digits, const typename Digits::key* keys, int n) {
  bool may_be = digits.is_whole_key();
  if constexpr (is_float_key<typename Digits::key>) {
    for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) {
      may_be &= !Digits::template digit_type<true>::is_negative_zero(to_key_bits(keys[i]));
    }
    return __syncthreads_and(may_be);
  }
  return may_be;
}

// Sorts n > 0 items from `first` on, no more than merge_sort_items.
template <class Digits, class V>
__device__ __forceinline__ void sort_block_by_merging(const Digits& digits,
                                                      const block_sort_items<typename Digits::key, V>& items,
                                                      index_t first, int n) {
  if constexpr (Digits::is_checkable && stored_size<V> == 0) {
    if (!ties_are_free(digits, items.keys_in + first, n)) return merge_sort_with_indices(digits, items, first, n);
    merge_sorter<true, Digits, V>(digits, items, first, n).run();
  } else {
    merge_sorter<false, Digits, V>(digits, items, first, n).run();
  }
}

// ---- the kernel of a whole sort, or of all tiles of one (merge_tiles.cuh) -------------------------------------------
template <class Digits, class V>
struct merge_sort_job {
  Digits digits;
  block_sort_items<typename Digits::key, V> items;
  item_count size;
};

template <class Digits, class V>
__global__ void __launch_bounds__(most_merge_threads<typename Digits::ordered>, 1)
    merge_sort_kernel(const __grid_constant__ merge_sort_job<Digits, V> job) {
  wait_for_previous_kernel();
  const index_t here = merge_sort_items(static_cast<int>(blockDim.x)), first = blockIdx.x * here;
  const auto n = static_cast<int>(min(job.size.get() - first, here));
  if (n >= 1) detail::sort_block_by_merging(job.digits, job.items, first, n);
}

// Launches the kernel, with as few threads as n items need. More than a block can sort are left in sorted tiles.
template <class Digits, class V>
class merge_sort {
  using K = typename Digits::key;
  using ordered = typename Digits::ordered;
  static constexpr int most_threads = most_merge_threads<ordered>;

 public:
  static constexpr int tile = merge_sort_items(most_threads);
  // Sorts by fewer digits are faster digit by digit, and so are sorts of wide keys whose ordered bits take long to
  // compute.
  static constexpr int min_positions = 3;
  static constexpr bool is_possible =
      Digits::max_positions >= min_positions && (Digits::is_checkable || sizeof(ordered) <= sizeof(std::uint64_t));
  // Whether blocks of this device sort up to n <= `tile` items faster by merging than digit by digit.
  static bool suits(const char* call, index_t n, const Digits& digits) {
    return digits.positions() >= min_positions && merge_sort_bytes<ordered>(threads_for(n)) <= most_shared_memory(call);
  }

  static void launch(const char* call, const Digits& digits, const block_sort_items<K, V>& items, item_count size,
                     cudaStream_t stream) {
    const auto kernel = merge_sort_kernel<Digits, V>;
    const resident_blocks resident(kernel, most_threads, merge_sort_bytes<ordered>(most_threads));
    (void)resident.allow_shared_memory(call);
    const int threads = threads_for(size.most);
    const auto tiles = static_cast<unsigned>(std::max<index_t>(divide_up(size.most, index_t{tile}), 1));
    kernel_launch::dependent(call, resident, kernel, dim3(tiles), threads, merge_sort_bytes<ordered>(threads), stream,
                             merge_sort_job<Digits, V>{digits, items, size});
  }

 private:
  static int threads_for(index_t n) {
    const auto in_a_tile = static_cast<int>(std::clamp<index_t>(n, 1, tile));
    return round_up(divide_up(in_a_tile, items_a_lane), warp_size);
  }
};

}  // namespace onepass::detail
