// SPDX-License-Identifier: Apache-2.0
// How often each digit occurs, for all digits of a key in one read; and from that the plan: where each digit starts in the
// output, which passes move nothing, and how the others rank. Reads n keys.
//
// A column of counters for each lane: counter d of lane l stands at d * 32 + l, so it is in bank l and a warp's lanes never
// meet, whatever the keys are. Where keys have more than four digits, there is room for counters of 16 bits only, two
// neighbouring digits' in a word; they are added up before they can run over. Where they have more than eight, two lanes
// share a column.
#pragma once

#include <climits>

#include "../../core/cuda/launch.cuh"
#include "../../core/cuda/meeting.cuh"
#include "cuda_count_rows.cuh"
#include "cuda_vectors.cuh"

namespace onepass::detail {

constexpr int histogram_threads = 1024;
constexpr int least_keys_a_thread = 4;  // so that few keys, too, are counted by many blocks
inline index_t useful_histogram_blocks(index_t n) {
  return divide_up(n, index_t{histogram_threads} * least_keys_a_thread);
}

// The digits of all places; behind the last place, the last one's again.
template <class Digits>
struct place_digits {
  using digit_of = decltype(std::declval<const Digits>().at(0));
  digit_of at[Digits::most_places];
};
template <class Digits, int... place>
place_digits<Digits> all_digits(const Digits& digits, std::integer_sequence<int, place...>) {
  return {{digits.at(std::min(place, digits.places() - 1))...}};
}

// A block's columns for all places.
template <int places>
struct histogram_columns {
  static constexpr bool is_packed = places > 4;  // two counters in a word
  static constexpr int columns = places > 8 ? warp_size / 2 : warp_size;
  static constexpr int log_words_a_digit = (is_packed ? 4 : 5) - (columns < warp_size);
  static constexpr int words = places * digit_values << log_words_a_digit;
  // How many items a thread may count before columns are added up: what all threads of a column add to one counter.
  static constexpr int most_between = is_packed ? 0xFFFF / (histogram_threads / columns) : INT_MAX;

  // The digit as count() wants it: times the words of one. If packed, as it is: a pair's row and the half of a word are then
  // found by multiply-adds, which leaves less to the units for logic and shifts.
  static constexpr int log_scale = is_packed ? 0 : log_words_a_digit;
  static __device__ void count(unsigned* words, int place, unsigned digit, unsigned lane) {
    unsigned* of_place = words + (place * digit_values << log_words_a_digit);
    const unsigned column = lane % columns;
    if constexpr (is_packed) {
      atomicAdd(of_place + ((digit & ~1u) * (columns / 2) + column), (digit & 1u) * 0xFFFFu + 1u);
    } else {
      atomicAdd(of_place + (digit | column), 1u);
    }
  }
  // Of counter c, a place's digits after the other's.
  static __device__ unsigned sum(const unsigned* words, int c) {
    const unsigned* row = words + (is_packed ? c / 2 : c) * columns;
    unsigned sum = 0;
#pragma unroll
    for (int l = 0; l < columns; ++l) {
      const unsigned word = row[(l + lane_id()) % columns];  // rotated: no bank twice
      sum += is_packed ? word >> c % 2 * 16 & 0xFFFFu : word;
    }
    return sum;
  }
};

// Counts the digits of a block's items in its columns. All threads call add_up() before the columns run over.
template <class In, class Digits>
class digit_counter {
  using key = value_of<In>;
  static constexpr int most_places = Digits::most_places;
  using columns = histogram_columns<most_places>;

 public:
  __device__ digit_counter(const place_digits<Digits>& digits, int places, unsigned* words)
      : words_(words), lane_(static_cast<unsigned>(lane_id())), places_(places) {
#pragma unroll
    for (int p = 0; p < most_places; ++p) digit_[p] = digits.at[p];
  }

  template <class AddUp>
  __device__ void count_all(const In& in, index_t n, AddUp add_up) {
    if constexpr (std::is_pointer_v<In> && is_vectorizable<key, items_per_vector<key>>) {
      constexpr int a_round = vectors_a_round * items_per_vector<key>;
      constexpr int rounds = columns::most_between / a_round - 1;  // -1: items before and behind the vectors
      int left = rounds;
      for_each_of_grid<key>(
          in, n, [this](const key& item) { count(item); },
          [&] {
            if (columns::is_packed && left-- == 0) {
              add_up();
              left = rounds - 1;
            }
          });
    } else {
      static_assert(!columns::is_packed);
      const index_t step = static_cast<index_t>(gridDim.x) * histogram_threads;
      const index_t mine = static_cast<index_t>(blockIdx.x) * histogram_threads + threadIdx.x;
      for (index_t i = mine; i < n; i += step) count(in[i]);
    }
  }

  __device__ bool has_negative_zero() const { return negative_zero_; }

 private:
  // Four places, or all: what is counted behind the last one is not looked at, and a branch for each would cost more.
  __device__ void count(const key& item) {
    const auto held = digit_[0].hold(item);
    count_places < 0, most_places<4 ? most_places : 4>(held);
    if constexpr (most_places > 4) {
      if (places_ > 4) count_places<4, most_places>(held);
    }
    negative_zero_ |= place_digits<Digits>::digit_of::is_negative_zero(held);
  }
  template <int first, int end, class Held>
  __device__ void count_places(const Held& held) {
#pragma unroll
    for (int p = first; p < end; ++p) {
      columns::count(words_, p, digit_[p].template scaled<columns::log_scale>(held), lane_);
    }
  }

  unsigned* words_;
  unsigned lane_;
  int places_;
  typename place_digits<Digits>::digit_of digit_[most_places];
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
      made[place] = {way_of_place(largest, static_cast<unsigned long long>(n), free_ties, rules), false, false,
                     static_cast<unsigned char>(hot)};
    }
  }
  __syncthreads();  // all places know their way
  if (threadIdx.x == 0) plan->result_in_alternate = chain_places(made, places);
  __syncthreads();  // and the rest
  if (threadIdx.x < places) plan->pass[threadIdx.x].plan = made[threadIdx.x];
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
  count_rows counted = {};  // if there are rows, the blocks do not meet, and the plan is left to the passes
};

template <class In, class Digits>
__global__ void __launch_bounds__(histogram_threads, 1)
    histogram_kernel(const __grid_constant__ In in, item_count size,
                     const __grid_constant__ place_digits<Digits> digits, int places, histogram_memory memory,
                     plan_rules rules) {
  using columns = histogram_columns<Digits::most_places>;
  extern __shared__ __align__(16) unsigned words[];
  const auto clear_columns = [&] { clear_vectors(words, columns::words / 4, threadIdx.x, histogram_threads); };
  clear_columns();
  join_previous_kernel();
  const index_t n = size.get();
  split_plan* const plan = memory.plan;
  const bool by_rows = memory.counted.counts != nullptr;
  block_meeting meeting(memory.head);
  if (warp_id() == 0 && by_rows) {
    if (lane_id() == 0) *memory.counted.found(blockIdx.x) = 0;
    if (blockIdx.x == 0) clear_vectors(plan, split_plan::bytes_used(0) / sizeof(uint4), lane_id(), warp_size);
  } else if (warp_id() == 0) {
    meeting.arrive([&] { clear_vectors(plan, split_plan::bytes_used(places) / sizeof(uint4), lane_id(), warp_size); });
  }
  clear_vectors(memory.to_clear, memory.vectors_to_clear, index_t{blockIdx.x} * histogram_threads + threadIdx.x,
                index_t{gridDim.x} * histogram_threads);
  __syncthreads();  // the columns are zero, and what has been found
  const auto add_up = [&] {
    if (threadIdx.x == 0) meeting.wait();
    __syncthreads();  // all has been counted so far, and the plan is zero
    for (int c = threadIdx.x; c < places * digit_values; c += histogram_threads) {
      const unsigned sum = columns::sum(words, c);
      const int place = c / digit_values;
      unsigned long long* counts = plan->count[place];
      if (sum != 0)
        atomicAdd(counts + digits.at[place].unscaled(c % digit_values), static_cast<unsigned long long>(sum));
    }
  };
  digit_counter<In, Digits> counter(digits, places, words);
  counter.count_all(in, n, [&] {
    add_up();
    __syncthreads();  // all columns have been read
    clear_columns();
    __syncthreads();  // and are zero again
  });
  if constexpr (Digits::most_places > 1) {
    if (by_rows) {
      __syncthreads();  // all has been counted
      return leave_row(memory.counted, digits, digits.at[0].hold(in[0]), counter.has_negative_zero(),
                       [&](int c) { return columns::sum(words, c); });
    }
  }
  add_up();
  if (counter.has_negative_zero()) plan->negative_zeros = 1;
  if (meeting.leave(gridDim.x)) make_plan(plan, places, n, rules);
}

template <class In, class Digits>
void launch_histogram(const char* call, In in, item_count size, Digits digits, const histogram_memory& memory,
                      plan_rules rules, cudaStream_t stream) {
  const auto kernel = histogram_kernel<In, Digits>;
  constexpr std::size_t shared = histogram_columns<Digits::most_places>::words * sizeof(unsigned);
  static resident_blocks resident(kernel, histogram_threads, shared);
  const index_t useful = useful_histogram_blocks(size.most), resident_at_once = resident.on_this_device(call);
  const auto blocks = memory.counted.counts != nullptr ? memory.counted.rows
                                                       : static_cast<unsigned>(std::min(useful, resident_at_once));
  const auto places = all_digits(digits, std::make_integer_sequence<int, Digits::most_places>());
  launch_dependent(call, resident, kernel, dim3(blocks), histogram_threads, shared, stream, in, size, places,
                   digits.places(), memory, rules);
}

}  // namespace onepass::detail
