// SPDX-License-Identifier: Apache-2.0
// All blocks read a long row, once:
//   sample kernel   one block finds bounds between which the results lie, from a sample
//   filter kernel   stores the ranked keys within the bounds, in any order, and counts those above. The last block sees
//                   whether the sample has misled; if so, it finds the bound by digits and filters the row by itself
// Bytes moved: the row once; ranked keys of the candidates.
#pragma once

#include "../../../core/cuda/runtime/grid_sync.cuh"
#include "row_select.cuh"

namespace onepass::detail {

// What the kernels of a row pass on. The sample kernel sets all of it.
template <class R>
struct long_state {
  R first, last;          // bounds; both belong to the candidates
  index_t items, k;       // in the row; wanted, or 0 if there is no such item
  index_t above, inside;  // how many items are above the bounds; candidates
  index_t k_inside;       // which rank of the candidates is the one with rank k of all
  unsigned blocks_done;
};

template <class Source, class Bounds>
struct long_job {
  using source_type = Source;
  using ranked = typename Source::ranked;
  Source source;
  Bounds bounds;
  index_t row, k;
  const index_t* k_in_memory;  // null: k is known
  bool is_nth;
  ranked* candidates;
  index_t room;
  long_state<ranked>* state;
};

template <class R>
constexpr int long_sample = sizeof(R) == 8 ? 1 << 14 : 1 << 13;

template <class Job>
__global__ void __launch_bounds__(1024, 1) sample_kernel(const __grid_constant__ Job job, item_count size) {
  using ranked = typename Job::ranked;
  __shared__ typename block_sum<1024>::shared sums;
  wait_for_previous_kernel();
  const item_range range = job.bounds.at(job.row, size.get());
  index_t k = job.k_in_memory == nullptr ? job.k : *job.k_in_memory;
  if (k > range.size) k = job.is_nth ? 0 : range.size;
  ranked first = 0, last = largest_ranked<ranked>;
  if (k > 0 && range.size > job.room) {
    block_sum<1024> sum(sums);
    bounds_of_sample<1024, long_sample<ranked> / 1024, index_t{1} << 40>(job.source, range, k, job.is_nth, first, last,
                                                                         sum);
  }
  if (threadIdx.x == 0) *job.state = {first, last, k > 0 ? range.size : 0, k, 0, 0, 0, 0};
}

constexpr int filter_threads = 512;  // not measured

// Collects candidates of a block in shared memory, so that few additions go to the counter that all blocks share.
template <class Job>
class candidate_store {
  using ranked = typename Job::ranked;
  static constexpr unsigned room = 2048, enough = 1024;  // not measured

 public:
  struct shared {
    ranked items[room];
    unsigned count;
    index_t begin;
  };
  __device__ candidate_store(const Job& job, shared& s) : job_(job), s_(s) {
    if (threadIdx.x == 0) s_.count = 0;
    __syncthreads();  // the counter is zero
  }
  __device__ void add(ranked r) {
    const unsigned at = count_of_lanes([&](unsigned lanes) { return atomicAdd(&s_.count, lanes); });
    if (at < room) return void(s_.items[at] = r);
    put(count_of_lanes([&](unsigned lanes) { return reserve(lanes); }), r);
  }
  // All threads of the block call these.
  __device__ void empty_if_full() {
    if (__syncthreads_or(s_.count >= enough)) empty();
  }
  __device__ void empty() {
    __syncthreads();  // all items are there
    const unsigned count = min(s_.count, room);
    if (threadIdx.x == 0) s_.begin = reserve(count);
    __syncthreads();  // all have read the count, and there is room
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) put(s_.begin + i, s_.items[i]);
    if (threadIdx.x == 0) s_.count = 0;
    __syncthreads();  // items may be added again
  }

 private:
  // Lanes that come here together make one addition, and each gets a number of its own.
  template <class Add>
  static __device__ auto count_of_lanes(Add add) {
    const unsigned together = __activemask();
    const int leader = __ffs(static_cast<int>(together)) - 1;
    decltype(add(1u)) begin = 0;
    if (lane_id() == leader) begin = add(static_cast<unsigned>(__popc(together)));
    const auto before = static_cast<unsigned>(__popc(together & ((1u << lane_id()) - 1)));
    return static_cast<decltype(begin)>(__shfl_sync(together, begin, leader) + before);
  }
  __device__ index_t reserve(unsigned count) const {
    auto* const inside = reinterpret_cast<unsigned long long*>(&job_.state->inside);
    return static_cast<index_t>(atomicAdd(inside, static_cast<unsigned long long>(count)));
  }
  __device__ void put(index_t at, ranked r) const {
    if (at < job_.room) job_.candidates[at] = r;
  }
  const Job& job_;
  shared& s_;
};

// Filters the share of the row that blocks from `first` on, of `threads` threads in all, have.
template <class Job>
__device__ void filter_row(const Job& job, const item_range& range, typename Job::ranked least,
                           typename Job::ranked most, index_t first, index_t threads,
                           typename candidate_store<Job>::shared& s) {
  using ranked = typename Job::ranked;
  candidate_store<Job> store(job, s);
  unsigned long long above = 0;
  for_each_ranked(
      job.source, range.begin, range.size, first, threads, least,
      [&](ranked r) {
        if (r > most) ++above;
        else store.add(r);
      },
      [&] { store.empty_if_full(); });
  store.empty();
  if (above > 0) atomicAdd(reinterpret_cast<unsigned long long*>(&job.state->above), above);
}

// Whether all items of a row are candidates. Then these stand in the order of the input.
template <class Job>
__device__ bool has_room_for_all(const Job& job, const item_range& range) {
  return Job::source_type::has_ties && range.size <= job.room;
}
template <class Job>
__device__ void store_all(const Job& job, const item_range& range, index_t first, index_t threads) {
  using ranked = typename Job::ranked;
  for_each_ranked(
      job.source, range.begin, range.size, first, threads, ranked{0},
      [&](ranked r) { job.candidates[index_of(r)] = r; }, [] {});
  if (first + threadIdx.x == 0) job.state->inside = range.size;
}

template <class Job>
__global__ void __launch_bounds__(filter_threads) filter_kernel(const __grid_constant__ Job job, item_count size) {
  using ranked = typename Job::ranked;
  __shared__ typename candidate_store<Job>::shared s;
  __shared__ digit_search_shared<ranked> digits;
  wait_for_previous_kernel();
  long_state<ranked>& state = *job.state;
  item_range range = job.bounds.at(job.row, size.get());
  range.size = state.items;
  const index_t k = state.k;
  const index_t first = index_t{blockIdx.x} * filter_threads, threads = index_t{gridDim.x} * filter_threads;
  if (has_room_for_all(job, range)) store_all(job, range, first, threads);
  else filter_row(job, range, state.first, state.last, first, threads, s);
  if (!is_last_block(state.blocks_done, 1, gridDim.x)) return;
  index_t above = __ldcg(&state.above);
  const index_t inside = __ldcg(&state.inside);
  if (k > 0 && (above >= k || above + inside < k || inside > job.room)) {  // the sample has misled
    const ranked kth = find_by_digits(job.source, range.begin, range.size, k, job.is_nth, digits);
    __syncthreads();  // all threads have read the counts
    if (threadIdx.x == 0) state.above = state.inside = 0;
    __threadfence_block();
    __syncthreads();  // and they are zero
    filter_row(job, range, kth, job.is_nth ? kth : largest_ranked<ranked>, 0, filter_threads, s);
    above = job.is_nth ? k - 1 : 0;
  }
  if (threadIdx.x == 0) state.k_inside = k - above;
}

// ---- results that are sorted by other kernels ----------------------------------------------------------------------------
// Leaves the indices alone of the first `size` ranked keys, so that the next sort brings them into the order of the input.
template <class R>
__global__ void __launch_bounds__(256) keep_indices_kernel(R* slots, item_count size) {
  wait_for_previous_kernel();
  const index_t n = size.get();
  for (index_t i = index_t{blockIdx.x} * 256 + threadIdx.x; i < n; i += index_t{gridDim.x} * 256)
    slots[i] &= index_mask<R>;
}

// Writes the results whose ranked keys stand in the first `size` slots; zero is none.
template <class Job>
__global__ void __launch_bounds__(256)
    write_results_kernel(const __grid_constant__ Job job, item_count items, item_count size) {
  wait_for_previous_kernel();
  const index_t n = size.get(), all = items.get();
  for (index_t i = index_t{blockIdx.x} * 256 + threadIdx.x; i < n; i += index_t{gridDim.x} * 256) {
    const auto ranked = job.slots[i];
    const index_t row = i / job.results;
    if (ranked != 0) job.output.write(job.first_result + i, job.source.item(job.bounds.at(row, all).begin, ranked));
  }
}

}  // namespace onepass::detail
