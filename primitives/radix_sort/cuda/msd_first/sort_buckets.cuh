// SPDX-License-Identifier: Apache-2.0
// The end of a sort of 4-byte keys by their upper two digits alone (choose_buckets.cuh): keys that are equal in those
// digits lie together, in up to 2^16 buckets. A block sorts a bucket by the lower two digits in shared memory. So the
// last two passes over memory become one, which reads and writes whole lines. Bytes moved: n items read and written
// once.
//
// The steps, for each bucket: load; for each of the two digits: rank in the warp, turn the warps' counts into ranks,
// gather; check; store. Only the lower two digits of keys are moved, as the bucket has the others; with values, so are
// the items' indices, and the values wait in shared memory.
//
// Items are ranked by atomics (warp_rank.cuh), and the order of all is checked before any is stored; indices also show
// whether equal keys have kept their order. If not, the bucket is sorted again by ballots. Keys among which is a -0 are
// not sorted so, as that one is not made of its digits.
//
// Buckets with more items than a block has room for are listed (long_ranges.cuh).
#pragma once

#include "choose_buckets.cuh"
#include "long_ranges.cuh"

namespace onepass::detail {

template <class Digits, class V>
struct bucket_job {
  Digits digits;
  typename Digits::key* keys;
  V* values;
  item_count size;
  split_plan* plan;
  unsigned* starts;    // of the buckets; behind them, the number of items
  long_range* ranges;  // one for each chunk
  range_lists lists;   // of those that are not empty
  control* head;
  unsigned minus_one;  // see lanes_with_digit
};

// ---- where buckets start --------------------------------------------------------------------------------------------
// Each thread searches for the start of one bucket among the keys with its highest digit.
constexpr int find_threads = 256;
template <class Digits, class V>
__global__ void __launch_bounds__(find_threads) find_buckets_kernel(const __grid_constant__ bucket_job<Digits, V> job) {
  wait_for_previous_kernel();
  if (job.plan->lowest_position == 0) return;
  const index_t n = job.size.get();
  const unsigned bucket = blockIdx.x * find_threads + threadIdx.x, high = bucket / digit_values;
  const auto* const starts = job.plan->count[3];
  const auto digit = job.digits.at(2);
  auto begin = static_cast<index_t>(starts[high]);
  index_t end = high + 1 < digit_values ? static_cast<index_t>(starts[high + 1]) : n;
  while (begin < end) {
    const index_t middle = begin + (end - begin) / 2;
    if (digit(to_key_bits(job.keys[middle])) < bucket % digit_values) begin = middle + 1;
    else end = middle;
  }
  job.starts[bucket] = static_cast<unsigned>(begin);
  if (bucket == 0) job.starts[bucket_count] = static_cast<unsigned>(n);
}

// An array of numbers in registers, two to a register.
template <int size>
class short_numbers {
 public:
  __device__ void put(int i, unsigned number) {  // for i = 0, 1, 2, ... in this order
    if (i % 2 == 0) words_[i / 2] = number;
    else words_[i / 2] |= number << 16;
  }
  __device__ unsigned get(int i) const { return words_[i / 2] >> i % 2 * 16 & 0xFFFFu; }

 private:
  unsigned words_[divide_up(size, 2)];
};

// ---- a bucket -------------------------------------------------------------------------------------------------------
// What is moved while a bucket is sorted: the lower two digits of a key, as they are in the order of the sort; with
// values, above the item's index in the bucket.
template <class V>
using bucket_word = std::conditional_t<stored_size<V> == 0, std::uint16_t, std::uint32_t>;

template <class Shape, class V>
struct bucket_shared {
  static constexpr std::size_t value_bytes = stored_size<V> == 0 ? 1 : Shape::items * stored_size<V>;
  unsigned warp_count[Shape::warps][digit_values];  // later: where the warp's items of the digit go
  unsigned warp_total[digit_values / warp_size];
  alignas(16) bucket_word<V> words[Shape::items];
  alignas(16) unsigned char values[value_bytes];  // in the order of the input
};

template <class Ranking, class Shape, class Digits, class V>
class bucket_sorter {
  using K = typename Digits::key;
  using key_bits = typename Digits::key_bits;
  using word = bucket_word<V>;
  static constexpr bool has_values = stored_size<V> != 0;
  static constexpr int per_thread = Shape::per_thread, digits_begin = has_values ? 16 : 0;
  static_assert(sizeof(key_bits) == 4 && Shape::items <= 1 << 16);

 public:
  using shared = bucket_shared<Shape, V>;

  __device__ bucket_sorter(const bucket_job<Digits, V>& job, shared& s, unsigned bucket, index_t begin, int size)
      : s_(s),
        minus_one_(job.minus_one),
        flip_(job.digits.of.flip()),
        bucket_(bucket),
        size_(size),
        rows_(divide_up(size, Shape::threads)),
        keys_(job.keys + begin),
        values_(has_values ? job.values + begin : nullptr) {}

  // Returns whether it has sorted; else nothing is changed. All threads.
  __device__ bool run() {
    load();
    split_by(0);
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      if (i < rows_) item_[i] = s_.words[local(i)];
    }
    split_by(1);
    return store();
  }

 private:
  // Where item i of this thread stands in the bucket. In a warp, (i, lane) is the order of the input.
  __device__ int local(int i) const { return (warp_id() * rows_ + i) * warp_size + lane_id(); }
  __device__ V* staged_values() const { return reinterpret_cast<V*>(s_.values); }

  // Where the last row has no items, words come behind all others. Values arrive while the keys are sorted.
  __device__ void load() {
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      item_[i] = ~flip_;
      if (i < rows_ && local(i) < size_) {
        item_[i] = static_cast<unsigned>(to_key_bits(load_with(keys_, local(i), evict_first())));
        if constexpr (has_values) copy_async_with(staged_values() + local(i), values_ + local(i), evict_first());
      }
    }
    if constexpr (has_values) __pipeline_commit();
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      if constexpr (has_values) item_[i] = (item_[i] ^ flip_) << 16 | static_cast<unsigned>(local(i));
      else item_[i] = (item_[i] ^ flip_) & 0xFFFFu;
    }
  }
  // Gathers the words in the order of one of their two digits. Contains barriers before and behind all writes.
  __device__ void split_by(int which) {
    constexpr int batch = batch_of<Ranking, per_thread>;
    const int shift = digits_begin + which * digit_bits;
    unsigned* const counters = s_.warp_count[warp_id()];
#pragma unroll
    for (int d = 0; d < digit_values; d += warp_size) counters[d + lane_id()] = 0;
    __syncwarp();  // this warp's counters are zero
    Ranking ranking(counters, minus_one_);
    short_numbers<has_values ? per_thread : 1> ranks;
#pragma unroll
    for (int i = 0; i < per_thread; i += batch) {
      unsigned digit[batch], rank[batch] = {};
      bool there[batch];
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        there[j] = i + j < rows_;
        digit[j] = item_[i + j] >> shift & (digit_values - 1u);
      }
      if (there[0]) ranking.rank(digit, there, rank);
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        if constexpr (has_values) ranks.put(i + j, rank[j]);
        else item_[i + j] |= rank[j] << 16;
      }
    }
    __syncthreads();  // all warps have counted, and have read their words
    (void)counters_to_ranks<Shape::warps>(s_.warp_count, s_.warp_total, Shape::warps);
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      if (i >= rows_) continue;
      unsigned to = counters[item_[i] >> shift & (digit_values - 1u)];
      if constexpr (has_values) to += ranks.get(i);
      else to += item_[i] >> 16;
      s_.words[to] = static_cast<word>(item_[i]);
    }
    __syncthreads();  // all words are gathered
  }

  // Words ascend, those behind the last item, too; with an index no two are equal.
  __device__ bool store() {
    bool ascends = true;
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      const int rank = static_cast<int>(threadIdx.x) + i * Shape::threads;
      if (i >= rows_) continue;
      item_[i] = s_.words[rank];
      if constexpr (Ranking::is_checked) ascends &= s_.words[max(rank - 1, 0)] <= item_[i];
    }
    if constexpr (has_values) __pipeline_wait_prior(0);
    if (!__syncthreads_and(ascends)) return false;  // behind this, all values are there
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      const int rank = static_cast<int>(threadIdx.x) + i * Shape::threads;
      if (rank >= size_) continue;
      keys_[rank] = from_key_bits<K>((bucket_ << 16 | item_[i] >> digits_begin) ^ flip_);
      if constexpr (has_values) values_[rank] = staged_values()[item_[i] & 0xFFFFu];
    }
    return true;
  }

  shared& s_;
  unsigned minus_one_, flip_, bucket_;
  int size_, rows_;
  K* keys_;
  V* values_;
  unsigned item_[per_thread];  // a word, and above it, without values, its rank in the warp
};

template <class Shape, class Digits, class V>
__device__ __noinline__ void sort_bucket_by_ballots(const bucket_job<Digits, V>& job, unsigned bucket, index_t begin,
                                                    int size) {
  using sorter = bucket_sorter<ballot_ranking, Shape, Digits, V>;
  (void)sorter(job, shared_of_block<typename sorter::shared>(), bucket, begin, size).run();
}

template <class AtomicRanking, class Shape, class Digits, class V>
__device__ __forceinline__ void sort_bucket(const bucket_job<Digits, V>& job, unsigned bucket, index_t begin,
                                            int size) {
  using sorter = bucket_sorter<AtomicRanking, Shape, Digits, V>;
  if (sorter(job, shared_of_block<typename sorter::shared>(), bucket, begin, size).run()) return;
  __syncthreads();  // shared memory may be overwritten
  if (threadIdx.x == 0) atomicAdd(&job.plan->tiles_redone, 1u);
  sort_bucket_by_ballots<Shape>(job, bucket, begin, size);
}

template <class AtomicRanking, class Shape, class Digits, class V>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    sort_buckets_kernel(const __grid_constant__ bucket_job<Digits, V> job) {
  wait_for_previous_kernel();
  if (job.plan->lowest_position == 0) return;
  const index_t n = job.size.get();
  for (unsigned bucket = blockIdx.x; bucket < bucket_count; bucket += gridDim.x) {
    const index_t begin = job.starts[bucket], size = job.starts[bucket + 1] - begin;
    if (size <= 1) continue;
    if (size > Shape::items) {
      if (threadIdx.x == 0) add_to_range(job.ranges, begin, begin + size, n);
      continue;
    }
    sort_bucket<AtomicRanking, Shape>(job, bucket, begin, static_cast<int>(size));
    __syncthreads();  // the bucket is stored
  }
  if (grid_sync(job.head).is_last_block(gridDim.x)) list_ranges(job.ranges, job.lists, n);
}

// ---- the launches ---------------------------------------------------------------------------------------------------
template <class AtomicRanking, class Shape, class Digits, class V>
void launch_sort_buckets_of(const char* call, const bucket_job<Digits, V>& job, cudaStream_t stream) {
  const auto kernel = sort_buckets_kernel<AtomicRanking, Shape, Digits, V>;
  constexpr std::size_t shared = sizeof(bucket_shared<Shape, V>);
  const resident_blocks resident(kernel, Shape::threads, shared);
  const unsigned grid = std::min(resident.on_this_device(call), bucket_count);
  kernel_launch::dependent(call, resident, kernel, dim3(grid), Shape::threads, shared, stream, job);
}

template <class V>
struct bucket_shapes {
  using small = pass_shape<256, stored_size<V> == 0 ? 18 : 20, 4>;
  using large = pass_shape<512, stored_size<V> == 0 ? 18 : 20, 2>;
  static_assert(small::items >= small_bucket && large::items >= large_bucket);
};

// Whether the mean bucket of n keys fits a block of this device.
template <class V>
bool suits_buckets(const char* call, index_t n) {
  using shapes = bucket_shapes<V>;
  const std::size_t shared = bucket_room(n) == small_bucket ? sizeof(bucket_shared<typename shapes::small, V>)
                                                            : sizeof(bucket_shared<typename shapes::large, V>);
  return n <= most_in_buckets && shared < most_shared_memory(call);
}

// AtomicRanking: atomic_ranking, except in tests.
template <class AtomicRanking, class Digits, class V>
void launch_sort_buckets(const char* call, const bucket_job<Digits, V>& job, cudaStream_t stream) {
  using small = typename bucket_shapes<V>::small;
  using large = typename bucket_shapes<V>::large;
  const auto find = find_buckets_kernel<Digits, V>;
  kernel_launch::dependent(call, resident_blocks(find, find_threads, 0), find, dim3(bucket_count / find_threads),
                           find_threads, 0, stream, job);
  if (bucket_room(job.size.most) == small_bucket) launch_sort_buckets_of<AtomicRanking, small>(call, job, stream);
  else launch_sort_buckets_of<AtomicRanking, large>(call, job, stream);
}

}  // namespace onepass::detail
