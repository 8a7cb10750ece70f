// SPDX-License-Identifier: Apache-2.0
// How often each digit occurs, for all digits of a key in one read; and from that the plan: where each digit starts in the
// output, which passes move nothing, and how the others rank. Reads n keys (twice if a key has more than four digits).
//
// A column of counters for each lane: counter d of lane l stands at d * 32 + l, so it is in bank l and a warp's lanes never
// meet, whatever the keys are.
#pragma once

#include "../../core/cuda/launch.cuh"
#include "../../core/cuda/meeting.cuh"
#include "cuda_job.cuh"
#include "cuda_vectors.cuh"

namespace onepass::detail {

constexpr int places_at_once = 4;  // 4 x 256 x 32 counters are 128 KB
constexpr int histogram_threads = 1024;
constexpr int least_keys_a_thread = 4;  // so that few keys, too, are counted by many blocks

// The digits of all places; behind the last place, the last one's again.
template <class Digits>
struct place_digits {
  using digit_of = decltype(std::declval<const Digits>().at(0));
  static constexpr int counted = std::min(Digits::most_places, places_at_once);  // by a block
  digit_of at[Digits::most_places];
};
template <class Digits, int... place>
place_digits<Digits> all_digits(const Digits& digits, std::integer_sequence<int, place...>) {
  return {{digits.at(std::min(place, digits.places() - 1))...}};
}

// Counts the digits of a block's items in its columns.
template <class In, class Digits>
class digit_counter {
  using key = value_of<In>;
  static constexpr int counted = place_digits<Digits>::counted;

 public:
  __device__ digit_counter(const place_digits<Digits>& digits, int first_place, unsigned* columns)
      : columns_(columns), lane_(static_cast<unsigned>(lane_id())) {
#pragma unroll
    for (int p = 0; p < counted; ++p) digit_[p] = digits.at[first_place + p];
  }

  __device__ void count_all(const In& in, index_t n) {
    if constexpr (std::is_pointer_v<In> && is_vectorizable<key, items_per_vector<key>>) {
      for_each_of_grid<key>(
          in, n, [this](const key& item) { count(item); }, [] {});
    } else {
      const index_t step = static_cast<index_t>(gridDim.x) * histogram_threads;
      const index_t mine = static_cast<index_t>(blockIdx.x) * histogram_threads + threadIdx.x;
      for (index_t i = mine; i < n; i += step) count(in[i]);
    }
  }

  __device__ bool has_negative_zero() const { return negative_zero_; }

 private:
  // All places that there is room for: what is counted behind the last one is not looked at, and a branch would cost more.
  __device__ void count(const key& item) {
    const auto held = digit_[0].hold(item);
#pragma unroll
    for (int p = 0; p < counted; ++p)
      atomicAdd(columns_ + p * digit_values * warp_size + (digit_[p].template scaled<5>(held) | lane_), 1u);
    negative_zero_ |= place_digits<Digits>::digit_of::is_negative_zero(held);
  }

  unsigned* columns_;
  unsigned lane_;
  typename place_digits<Digits>::digit_of digit_[counted];
  bool negative_zero_ = false;
};

// Where each place finds its input. Returns whether the last one's output is in the alternate buffer.
__device__ inline bool chain_places(place_plan* place, int places) {
  bool is_odd = false;
  for (int p = 0; p < places; ++p) is_odd ^= place[p].way != split_way::skip;
  bool in_alternate = false;
  place_plan* last = nullptr;
  for (int p = 0; p < places; ++p) {
    place[p].from_alternate = in_alternate;
    if (place[p].way == split_way::skip) {
      if (!is_odd) continue;
      place[p].way = split_way::copy;
      is_odd = false;
    }
    in_alternate = !in_alternate;
    last = place + p;
  }
  if (last != nullptr) last->is_last = true;
  return in_alternate;
}

// By the last block of the histogram, when the sums of all blocks are there: a warp a place turns counts into starts, a
// lane eight digits in a row.
__device__ inline void make_plan(split_plan* plan, int places, index_t n, plan_rules rules) {
  __shared__ place_plan made[most_places];
  constexpr int mine = digit_values / warp_size;
  const int place = warp_id();
  if (place < places) {
    unsigned long long* counts = plan->count[place] + lane_id() * mine;
    const bool free_ties = __ldcg(&plan->negative_zeros) == 0;
    unsigned long long count[mine], all = 0, largest = 0;
    unsigned hot = 0;
#pragma unroll
    for (int i = 0; i < mine; ++i) count[i] = __ldcg(counts + i);
#pragma unroll
    for (int i = 0; i < mine; ++i) {
      all += count[i];
      if (count[i] > largest) largest = count[i], hot = static_cast<unsigned>(lane_id() * mine + i);
    }
    sum add;
    maximum most;
    unsigned long long before = warp_inclusive_scan(all, add) - all;
    const unsigned long long mine_largest = largest;
    largest = warp_fold(largest, warp_size, most);
    hot = shuffle_from(hot, __ffs(static_cast<int>(__ballot_sync(all_lanes, mine_largest == largest))) - 1);
#pragma unroll
    for (int i = 0; i < mine; ++i) {
      counts[i] = before;
      before += count[i];
    }
    if (lane_id() == 0) {
      split_way way = split_way::by_ballots;
      if (rules.may_skip && largest == static_cast<unsigned long long>(n)) way = split_way::skip;
      else if (rules.may_use_lane_order && free_ties)
        way = static_cast<double>(largest) <= rules.share_for_lane_order * static_cast<double>(n)
                  ? split_way::by_lane_order
                  : split_way::by_lane_order_but_one;
      made[place] = {way, false, false, static_cast<unsigned char>(hot)};
    }
  }
  __syncthreads();  // all places know their way
  if (threadIdx.x == 0) plan->result_in_alternate = chain_places(made, places);
  __syncthreads();  // and the rest
  if (threadIdx.x < places) plan->place[threadIdx.x] = made[threadIdx.x];
}

// By one thread of `threads`.
__device__ inline void clear_vectors(void* memory, index_t vectors, index_t thread, index_t threads) {
  for (index_t i = thread; i < vectors; i += threads) static_cast<uint4*>(memory)[i] = uint4{};
}

// What a histogram works with besides the keys. Nothing of it is cleared before, but for head's counters.
struct histogram_memory {
  split_plan* plan;
  void* to_clear;  // for the passes to come
  index_t vectors_to_clear;
  control* head;
};

template <class In, class Digits>
__global__ void __launch_bounds__(histogram_threads, 1)
    histogram_kernel(const __grid_constant__ In in, item_count size,
                     const __grid_constant__ place_digits<Digits> digits, int all_places, histogram_memory memory,
                     plan_rules rules) {
  extern __shared__ __align__(16) unsigned columns[];
  join_previous_kernel();
  const index_t n = size.get();
  split_plan* const plan = memory.plan;
  const int first_place = static_cast<int>(blockIdx.y) * places_at_once;
  const int counters = min(all_places - first_place, places_at_once) * digit_values;
  const unsigned blocks = gridDim.x * gridDim.y, block = blockIdx.y * gridDim.x + blockIdx.x;
  block_meeting meeting(memory.head);
  if (warp_id() == 0) {
    meeting.arrive([&] { clear_vectors(plan, sizeof *plan / sizeof(uint4), lane_id(), warp_size); });
  }
  clear_vectors(columns, counters * warp_size / 4, threadIdx.x, histogram_threads);
  clear_vectors(memory.to_clear, memory.vectors_to_clear, index_t{block} * histogram_threads + threadIdx.x,
                index_t{blocks} * histogram_threads);
  __syncthreads();  // the columns are zero
  digit_counter<In, Digits> counter(digits, first_place, columns);
  counter.count_all(in, n);
  if (threadIdx.x == 0) meeting.wait();
  __syncthreads();  // all keys of the block are counted, and the plan is zero
  if (counter.has_negative_zero()) plan->negative_zeros = 1;
  for (int c = threadIdx.x; c < counters; c += histogram_threads) {
    unsigned sum = 0;
#pragma unroll
    for (int l = 0; l < warp_size; ++l)
      sum += columns[c * warp_size + (l + lane_id()) % warp_size];  // rotated: no bank twice
    if (sum == 0) continue;
    const int place = first_place + c / digit_values;
    atomicAdd(&plan->count[place][digits.at[place].unscaled(c % digit_values)], static_cast<unsigned long long>(sum));
  }
  if (meeting.leave(blocks)) make_plan(plan, all_places, n, rules);
}

template <class In, class Digits>
void launch_histogram(const char* call, In in, item_count size, Digits digits, const histogram_memory& memory,
                      plan_rules rules, cudaStream_t stream) {
  const auto kernel = histogram_kernel<In, Digits>;
  constexpr std::size_t shared =
      std::size_t{place_digits<Digits>::counted} * digit_values * warp_size * sizeof(unsigned);
  static resident_blocks resident(kernel, histogram_threads, shared);
  const int groups = divide_up(digits.places(), places_at_once);
  const index_t useful = divide_up(size.most, index_t{histogram_threads} * least_keys_a_thread);
  const auto blocks = static_cast<unsigned>(std::min<index_t>(useful, resident.on_this_device(call)));
  const auto places = all_digits(digits, std::make_integer_sequence<int, Digits::most_places>());
  launch_dependent(call, resident, kernel, dim3(blocks, static_cast<unsigned>(groups)), histogram_threads, shared,
                   stream, in, size, places, digits.places(), memory, rules);
}

}  // namespace onepass::detail
