// SPDX-License-Identifier: Apache-2.0
// A sort in one launch, by one block whose shared memory holds all items. There, keys alternate between two arrays.
// Values stay in the order of the input, and each key takes its index in the input along. Bytes moved: n items read and
// written once.
//
// The steps, in order: load; for each digit position: rank in the warp, turn the warps' counts into ranks, move; check;
// store.
//
// Keys are ranked by atomics (warp_rank.cuh). In the end all neighbours are compared, equal keys by their indices in
// the input. If any two are out of order, nothing has been stored yet, and all is done again by ballots. Keys without
// values have no indices, so they are ranked by ballots where equal keys can be told apart.
//
// Keys of 16 bits whose equals cannot be told apart take one step for both digits: each key's rank is the number of
// lower keys, and of equal keys that were counted before it (small_counters.cuh).
//
// The loops run over shared memory and not over registers: with few items, the time is that of the instructions, and an
// unrolled loop executes them also for items that are not there.
#pragma once

#include "../../../../core/cuda/runtime/launch.cuh"
#include "../sort_tuning.cuh"
#include "block_shape.cuh"
#include "small_counters.cuh"

namespace onepass::detail {

template <class Digits, class V>
struct block_sort_job {
  Digits digits;
  block_sort_items<typename Digits::key, V> items;
  item_count size;
  int room;            // how many items shared memory is laid out for: a multiple of 16, so that all arrays are aligned
  unsigned minus_one;  // see lanes_with_digit
  std::size_t counters_at = 0;  // in shared memory, where the small_counters are, which are zero; 0: there are none
};
template <class K, class V>
constexpr bool may_have_small_counters = sizeof(K) == 2 && stored_size<V> == 0;
template <class Digits, class V>
__device__ small_counters& counters_of(const block_sort_job<Digits, V>& job) {
  return *reinterpret_cast<small_counters*>(&shared_of_block<unsigned char>() + job.counters_at);
}

// Shared memory begins with this. Behind it are the counters, with a row for each warp of the block, and `room` items.
template <class K>
struct alignas(16) block_sort_head {
  static constexpr int most_warps = 32;
  using counters = unsigned[most_warps][digit_values];
  unsigned warp_total[digit_values / warp_size];
  unsigned differing[divide_up(sizeof(K), sizeof(unsigned))];  // the bits in which some keys differ
};
template <class K, class V>
constexpr std::size_t block_sort_bytes(int room, int threads) {
  return sizeof(block_sort_head<K>) + static_cast<std::size_t>(threads / warp_size) * digit_values * sizeof(unsigned) +
         static_cast<std::size_t>(room) * block_sort_shape<sizeof(K), stored_size<V>>::item_bytes;
}

template <class Ranking, class Digits, class V>
class block_sorter {
  using K = typename Digits::key;
  using key_bits = key_bits_t<K>;
  using job = block_sort_job<Digits, V>;
  using head = block_sort_head<K>;
  static constexpr bool has_values = stored_size<V> != 0;
  static constexpr bool ties_are_free = Ranking::is_checked && !has_values;
  using digit_of = typename Digits::template digit_type<!ties_are_free>;

 public:
  __device__ block_sorter(const job& j, int n)
      : job_(j), s_(shared_of_block<head>()), n_(n), threads_(static_cast<int>(blockDim.x)) {
    unsigned char* next = reinterpret_cast<unsigned char*>(&s_ + 1);
    const auto take = [&](std::size_t bytes) {
      unsigned char* taken = next;
      next += bytes;
      return taken;
    };
    warp_count_ = reinterpret_cast<unsigned*>(take(threads_ / warp_size * digit_values * sizeof(unsigned)));
    keys_ = reinterpret_cast<key_bits*>(take(2 * j.room * sizeof(key_bits)));
    values_ = reinterpret_cast<V*>(take(j.room * stored_size<V>));
    rank_ = reinterpret_cast<unsigned short*>(take(j.room * sizeof(unsigned short)));
    source_ = reinterpret_cast<unsigned short*>(next);
    const int rows = divide_up(n, threads_);
    mine_ = warp_id() * rows * warp_size + lane_id();
    end_ = min(mine_ - lane_id() + rows * warp_size, n);
  }

  // Returns whether it has sorted; else nothing is changed.
  __device__ bool run() {
    if (ties_are_free && !job_.digits.is_whole_key()) return false;
    if (!load()) return false;
    key_bits differing;
    memcpy(&differing, s_.differing, sizeof differing);
    if constexpr (may_have_small_counters<K, V> && ties_are_free) {
      if (job_.counters_at > 0 && differing / digit_values > 0 && differing % digit_values > 0 && move_by_all_bits()) {
        store();
        return true;
      }
    }
    const int positions = job_.digits.positions();
    for (int position = 0; position < positions; ++position) {
      const digit_of digit = job_.digits.at(position);
      if (!digit.may_differ(differing)) continue;
      rank(digit);
      move(digit);
    }
    if constexpr (Ranking::is_checked) {
      if (!ascends()) return false;
    }
    store();
    return true;
  }

 private:
  // Also finds the bits in which keys differ. Returns whether the sort may go on.
  __device__ bool load() {
    constexpr int words = sizeof s_.differing / sizeof(unsigned);
    if (threadIdx.x < words) s_.differing[threadIdx.x] = 0;
    const key_bits first = to_key_bits<K>(job_.items.keys_in[0]);
    key_bits differing = 0;
    bool negative_zero = false;
#pragma unroll 8
    for (int i = threadIdx.x; i < n_; i += threads_) {
      const key_bits key = to_key_bits<K>(job_.items.keys_in[i]);
      keys(0)[i] = key;
      if constexpr (has_values) source(0)[i] = static_cast<unsigned short>(i);
      differing |= digit_of::canonical(key) ^ digit_of::canonical(first);
      negative_zero |= digit_of::is_negative_zero(key);
    }
    if constexpr (has_values) {
#pragma unroll 4
      for (int i = threadIdx.x; i < n_; i += threads_) values_[i] = detail::item_or_number(job_.items.values_in, i);
    }
    __syncthreads();  // the bits are zero
    bit_or any;
    differing = warp_fold(differing, warp_size, any);
    unsigned word[words] = {};
    memcpy(word, &differing, sizeof differing);
#pragma unroll
    for (int w = 0; w < words; ++w) {
      if (lane_id() == 0) atomicOr(s_.differing + w, word[w]);
    }
    return !__syncthreads_or(ties_are_free && negative_zero);  // behind this, all items are loaded
  }

  // A warp counts rows of 32 consecutive items, so in a warp (row, lane) is the order of the items.
  __device__ void rank(const digit_of& digit) {
    unsigned* counters = warp_count_ + warp_id() * digit_values;
#pragma unroll
    for (int d = 0; d < digit_values; d += warp_size) counters[d + lane_id()] = 0;
    __syncwarp();  // this warp's counters are zero
    constexpr int batch = Ranking::is_checked ? 4 : Ranking::most_in_batch;
    const key_bits* from = keys(now_);
    Ranking ranking(counters, job_.minus_one);
    for (int i = mine_; i - lane_id() < end_; i += batch * warp_size) {
      unsigned digits[batch], ranks[batch];
      bool there[batch];
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        there[j] = i + j * warp_size < end_;
        digits[j] = there[j] ? digit(from[i + j * warp_size]) : 0;
      }
      ranking.rank(digits, there, ranks);
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        if (there[j]) rank_[i + j * warp_size] = static_cast<unsigned short>(ranks[j]);
      }
    }
    __syncthreads();  // all warps have counted
    auto& counts = *reinterpret_cast<typename head::counters*>(warp_count_);
    (void)counters_to_ranks<head::most_warps>(counts, s_.warp_total, threads_ / warp_size);
  }

  __device__ void move(const digit_of& digit) {
    const unsigned* begin = warp_count_ + warp_id() * digit_values;
#pragma unroll 4
    for (int i = mine_; i < end_; i += warp_size) {
      const key_bits key = keys(now_)[i];
      const unsigned to = begin[digit(key)] + rank_[i];
      keys(now_ ^ 1)[to] = key;
      if constexpr (has_values) source(now_ ^ 1)[to] = source(now_)[i];
    }
    now_ ^= 1;
    __syncthreads();  // all keys are moved
  }

  // Returns false, and leaves the keys where they are, if some key occurs too often.
  __device__ bool move_by_all_bits() {
    const auto ordered = [&](int i) { return job_.digits.order(keys(0)[i]); };
    small_counters& counters = counters_of(job_);
    if (!counters.add_all(ordered, n_, rank_)) return false;
    counters.sum_up();
#pragma unroll 4
    for (int i = threadIdx.x; i < n_; i += threads_) keys(1)[counters.lower(ordered(i)) + rank_[i]] = keys(0)[i];
    now_ = 1;
    __syncthreads();  // all keys are moved
    return true;
  }

  __device__ bool ascends() const {
    bool good = true;
#pragma unroll 4
    for (int i = threadIdx.x + 1; i < n_; i += threads_) {
      const key_bits before = job_.digits.order(keys(now_)[i - 1]), key = job_.digits.order(keys(now_)[i]);
      if constexpr (has_values) good &= before < key || (before == key && source(now_)[i - 1] < source(now_)[i]);
      else good &= before <= key;
    }
    return __syncthreads_and(good);
  }

  __device__ void store() const {
#pragma unroll 4
    for (int i = threadIdx.x; i < n_; i += threads_) {
      job_.items.keys[i] = from_key_bits<K>(keys(now_)[i]);
      if constexpr (has_values) job_.items.store_value(i, values_[source(now_)[i]]);
    }
  }

  __device__ key_bits* keys(int which) const { return keys_ + which * job_.room; }
  __device__ unsigned short* source(int which) const { return source_ + which * job_.room; }

  const job& job_;
  head& s_;
  unsigned* warp_count_;
  key_bits* keys_;          // two arrays
  V* values_;               // in the order of the input
  unsigned short* rank_;    // in the warp, among the items of the digit
  unsigned short* source_;  // each key's index in the input: two arrays, if there are values
  int n_, threads_;
  int mine_, end_;  // this lane's first item, and where its warp's items end
  int now_ = 0;     // which array holds the keys
};

template <class Digits, class V>
__device__ __noinline__ void block_sort_by_ballots(const block_sort_job<Digits, V>& job, int n) {
  (void)block_sorter<ballot_ranking, Digits, V>(job, n).run();
}

// Sorts n > 0 items, no more than there is room for. Keys whose order cannot be checked are ranked by ballots.
template <class AtomicRanking, class Digits, class V>
__device__ __forceinline__ void sort_by_block(const block_sort_job<Digits, V>& job, int n) {
  if constexpr (Digits::is_checkable) {
    if (block_sorter<AtomicRanking, Digits, V>(job, n).run()) return;
    __syncthreads();  // shared memory may be overwritten
  }
  block_sort_by_ballots(job, n);
}

// AtomicRanking: atomic_ranking, except in tests.
template <class AtomicRanking, class Digits, class V>
__global__ void __launch_bounds__(block_sort_shape<sizeof(typename Digits::key), stored_size<V>>::threads, 1)
    block_sort_kernel(const __grid_constant__ block_sort_job<Digits, V> job) {
  if constexpr (may_have_small_counters<typename Digits::key, V>) {
    if (job.counters_at > 0) counters_of(job).clear();
  }
  wait_for_previous_kernel();
  const int n = static_cast<int>(job.size.get());
  if (n >= 1) sort_by_block<AtomicRanking>(job, n);
}

// Launches the kernel, with as few threads and as little shared memory as n items need. A multiprocessor with less
// memory can then sort few items, too.
template <class Digits, class V>
class block_sort {
  using K = typename Digits::key;
  using shape = block_sort_shape<sizeof(K), stored_size<V>>;
  static constexpr std::size_t counter_bytes = may_have_small_counters<K, V> ? sizeof(small_counters) : 0;
  static_assert(shape::items > 0 && block_sort_bytes<K, V>(shape::items, shape::threads) + counter_bytes <= 163 * 1024);

 public:
  // Whether one block of this device can sort n items.
  static bool holds(const char* call, index_t n) {
    return n <= shape::items && bytes_for(n) <= most_shared_memory(call);
  }

  template <class AtomicRanking = atomic_ranking>
  static void launch(const char* call, const Digits& digits, const block_sort_items<K, V>& items, item_count size,
                     cudaStream_t stream) {
    const auto kernel = block_sort_kernel<AtomicRanking, Digits, V>;
    const resident_blocks resident(kernel, shape::threads, bytes_for(shape::items) + counter_bytes);
    (void)resident.allow_shared_memory(call);
    const index_t n = size.most;
    const std::size_t bytes = bytes_for(n);
    const bool has_counters = counter_bytes > 0 && bytes + counter_bytes <= most_shared_memory(call);
    kernel_launch::dependent(
        call, resident, kernel, dim3(1), threads_for(n), bytes + (has_counters ? counter_bytes : 0), stream,
        block_sort_job<Digits, V>{digits, items, size, room_for(n), ~0u, has_counters ? bytes : 0});
  }

 private:
  static int room_for(index_t n) { return round_up(static_cast<int>(n), 16); }
  static int threads_for(index_t n) {
    const auto wanted = static_cast<int>(divide_up(n, index_t{shape::rows}));
    if (counter_bytes > 0)
      return wanted <= small_counters::least_threads ? small_counters::least_threads : shape::threads;
    return std::clamp(round_up(wanted, digit_values), digit_values, shape::threads);
  }
  static std::size_t bytes_for(index_t n) { return block_sort_bytes<K, V>(room_for(n), threads_for(n)); }
};

}  // namespace onepass::detail
