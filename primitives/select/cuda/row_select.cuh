// SPDX-License-Identifier: Apache-2.0
// A block selects from a row. Bytes moved: the row is read once; results are read again where they are written from.
//   short rows   all ranked keys are in registers, and the one of rank k is found bit by bit
//   long rows    the same is done with a sample, for bounds between which the result lies; the row is read, and what is within
//                the bounds is collected in shared memory. If the sample has misled, digits of the whole row are counted
//   many results are stored as ranked keys, to be sorted by another kernel
#pragma once

#include "../../../core/cuda/runtime/launch.cuh"
#include "../../../core/execution/resolve_policy.hpp"
#include "../select_call.hpp"
#include "candidate_sort.cuh"
#include "row_in_registers.cuh"

namespace onepass::detail {

constexpr int most_block_results = 1024;  // more are sorted by other kernels
constexpr int most_warp_results = 128;
// Up to so many candidates are ranked by comparing each with each, more are sorted.
constexpr int few_candidates = 384;

// The sizes of a block's work. Not measured.
template <class R, int block_threads>
struct row_shape {
  static constexpr int threads = block_threads;
  static constexpr int candidates =
      (threads == 32 ? 2 * most_warp_results : 2 * most_block_results) * (threads >= 512 && sizeof(R) == 8 ? 2 : 1);
  static constexpr int blocks = threads == 1024 ? 1 : threads == 32 ? 32 : 1024 / threads;  // 64 registers a thread
};

// What all rows of a launch have in common. A row may be cut into pieces, from each of which a block selects.
template <class Source, class Bounds, class Output>
struct row_job {
  using source_type = Source;
  using ranked = typename Source::ranked;
  Source source;
  Bounds bounds;
  Output output;
  index_t rows, k;
  const index_t* k_in_memory;  // null: k is known
  selection mode;
  index_t results, first_result;  // of a row; the first row's
  ranked* slots;  // for results that other kernels go on with: as many for each piece; null if the block writes them
  index_t pieces = 1, piece_length = 0;
};

template <class R, int threads>
struct row_shared {
  R candidates[row_shape<R, threads>::candidates];
  typename digit_search_shared<R>::count above, inside;
  digit_search_shared<R> digits;
  typename block_sum<threads>::shared sums;
  candidate_sort_shared<row_shape<R, threads>::candidates> sort;
};

template <class Job, int threads>
class row_selection {
  using source_type = typename Job::source_type;
  using ranked = typename Job::ranked;
  using register_key = typename source_type::register_key;
  using row = row_in_registers<source_type, threads>;
  using shape = row_shape<ranked, threads>;
  using count = typename digit_search_shared<ranked>::count;
  static constexpr int in_sample = 8;  // items of a thread
  static_assert(row::in_thread >= in_sample, "a row that is not in registers has as many items as the sample or more");
  static constexpr int room = shape::candidates, most_ranked = few_candidates < threads ? few_candidates : threads;

 public:
  __device__ row_selection(const Job& job, row_shared<ranked, threads>& s)
      : job_(job), s_(s), sum_(s.sums), goes_to_slots_(job.slots != nullptr && job.results > most_ranked) {}

  // Piece `number`, counted through all rows.
  __device__ void select(index_t number, index_t n) {
    number_ = number;
    range_ = job_.bounds.at(job_.pieces == 1 ? number : number / job_.pieces, n);
    if (job_.pieces > 1) {
      piece_begin_ = number % job_.pieces * job_.piece_length;
      range_.begin += piece_begin_;
      range_.size = max(index_t{0}, min(range_.size - piece_begin_, job_.piece_length));
    }
    index_t k = job_.k_in_memory == nullptr ? job_.k : *job_.k_in_memory;
    if (k > range_.size) k = job_.mode == selection::nth ? 0 : range_.size;
    if (threadIdx.x == 0) s_.above = s_.inside = 0;
    __syncthreads();  // the counters are zero
    if (k > 0) {
      if (goes_to_slots_ && k == range_.size) store_all();
      else if (range_.size <= row::most) select_in_registers(static_cast<unsigned>(k));
      else if (goes_to_slots_) collect(by_digits(k, false), largest_ranked<ranked>);
      else select_by_sample(k);
    }
    if (job_.slots == nullptr) return;
    for (index_t i = k + threadIdx.x; i < job_.results; i += threads) job_.slots[number * job_.results + i] = 0;
  }

 private:
  // The bound is at first what k threads' largest items reach: little more than k items do so. Where many do, because they are
  // equal or belong to few threads, all items are searched.
  __device__ void select_in_registers(unsigned k) {
    const row items(job_.source, range_);
    const bool is_exact = job_.mode == selection::nth && k > threads / 2;
    const unsigned most = is_exact ? 0 : goes_to_slots_ ? k : enough_candidates(k);
    register_key least = 0;
    int last = items.size() - 1;
    if (k <= threads / 2) least = find_by_votes<threads>(items.largest(), source_type::register_bits, k, k + k / 4);
    if (!source_type::has_ties && least == 0) least = 1;  // zero is none, and fewer than k items may be there
    unsigned found = items.reaching(least, last);
    if (sum_(__popc(found)) > most) {
      unsigned above = sum_(__popc(items.reaching(least, -1)));
      if (above >= k) {
        least = items.find_least(k, most, least, sum_);
        above = sum_(__popc(items.reaching(least, -1)));
      }
      if (source_type::has_ties && sum_(__popc(items.reaching(least, last))) > most)
        last = items.find_tie(least, k - above, is_exact ? 0 : most - above, sum_);
      found = items.reaching(least, last);
      if (is_exact) found &= ~items.reaching(least, source_type::has_ties ? last - 1 : -1);
    }
    for (; found != 0; found &= found - 1)
      append(job_.source.at(range_.begin, items.position(__ffs(static_cast<int>(found)) - 1)));
    if (goes_to_slots_) return;
    __syncthreads();  // all candidates are there
    const auto count = static_cast<int>(s_.inside);
    write_first(count, is_exact ? count : static_cast<int>(k));
  }

  // How many candidates a search may leave: as many as are ranked, or as there is room for.
  static __device__ unsigned enough_candidates(unsigned k) {
    return 2 * k <= most_ranked ? min(2 * k + 64, static_cast<unsigned>(most_ranked)) : static_cast<unsigned>(room);
  }

  __device__ void select_by_sample(index_t k) {
    const bool is_nth = job_.mode == selection::nth;
    ranked first = 0, last = largest_ranked<ranked>;
    bounds_of_sample<threads, in_sample, room>(job_.source, range_, k, is_nth, first, last, sum_);
    collect(first, last);
    index_t above = static_cast<index_t>(s_.above), inside = static_cast<index_t>(s_.inside);
    if (above >= k || above + inside < k || inside > room) {  // the sample has misled
      first = by_digits(k, is_nth);
      if (is_nth && threadIdx.x == 0) write(0, first);
      if (is_nth) return;
      if (threadIdx.x == 0) s_.above = s_.inside = 0;
      __syncthreads();  // the counters are zero
      collect(first, largest_ranked<ranked>);
      above = 0;
      inside = k;
    }
    write_first(static_cast<int>(inside), static_cast<int>(k - above));
  }

  // All items are results. They stand in the slots in the order of the input.
  __device__ void store_all() const {
    ranked* const to = job_.slots + number_ * job_.results;
    for_each_ranked(
        job_.source, range_.begin, range_.size, 0, threads, ranked{0}, [&](ranked r) { to[index_of(r)] = in_row(r); },
        [] {});
  }

  __device__ ranked by_digits(index_t k, bool exact) {
    return find_by_digits(job_.source, range_.begin, range_.size, k, exact, s_.digits);
  }

  // Collects the ranked keys from `first` up to `last`, and counts those above. Ends with a barrier.
  __device__ void collect(ranked first, ranked last) {
    count above = 0;
    for_each_ranked(
        job_.source, range_.begin, range_.size, 0, threads, first,
        [&](ranked r) {
          if (r > last) ++above;
          else append(r);
        },
        [] {});
    if (above > 0) atomicAdd(&s_.above, above);
    __syncthreads();  // all items are collected or counted
  }
  __device__ void append(ranked r) {
    const auto at = static_cast<index_t>(atomicAdd(&s_.inside, count{1}));
    if (goes_to_slots_) {
      if (at < job_.results) job_.slots[number_ * job_.results + at] = in_row(r);
    } else if (at < room) {
      s_.candidates[at] = r;
    }
  }
  // A piece's ranked key, as one of the row: indices are inverted.
  __device__ ranked in_row(ranked r) const { return r - static_cast<ranked>(piece_begin_); }

  __device__ void write(index_t result, ranked r) const {
    if (job_.slots != nullptr) job_.slots[number_ * job_.results + result] = in_row(r);
    else if (source_type::has_ties || r != 0)
      job_.output.write(job_.first_result + number_ * job_.results + result, job_.source.item(range_.begin, r));
  }
  // Writes the k first of the candidates, or the k-th. All threads call it, after a barrier.
  __device__ void write_first(int count, int k) {
    if (k > count) k = job_.mode == selection::nth ? 0 : count;
    if (count <= most_ranked && job_.mode != selection::input_order) return write_ranked(count, k);
    sort_candidates(count);
    if (job_.mode == selection::nth) {
      if (threadIdx.x == 0 && k > 0) write(0, s_.candidates[k - 1]);
      return;
    }
    if (job_.mode == selection::input_order) {
      for (int i = threadIdx.x; i < k; i += threads) s_.candidates[i] &= index_mask<ranked>;
      __syncthreads();  // indices alone are left
      sort_candidates(k);
    }
    for (int i = threadIdx.x; i < k; i += threads) write(i, s_.candidates[i]);
  }
  __device__ void sort_candidates(int count) {
    if (count > 0) sort_candidates_of_block<threads, room>(s_.candidates, count, s_.sort);
  }
  // The same for few candidates, of which each is compared with each. A warp has every so many, one in each lane.
  __device__ void write_ranked(int count, int k) const {
    constexpr int warps = threads / warp_size;
    const int lane = lane_id(), mine = warp_id() + lane * warps;
    int rank = 0;
    for (int i = 0; i < count; i += warp_size) {
      const ranked other = i + lane < count ? s_.candidates[i + lane] : ranked{0};
      for (int j = warp_id(); j < count; j += warps) {
        const int larger = __popc(__ballot_sync(all_lanes, other > s_.candidates[j]));
        if (j == mine) rank += larger;
      }
    }
    if (mine >= count) return;
    if (job_.mode == selection::nth ? rank == k - 1 : rank < k)
      write(job_.mode == selection::nth ? 0 : rank, s_.candidates[mine]);
  }

  const Job& job_;
  row_shared<ranked, threads>& s_;
  block_sum<threads> sum_;
  bool goes_to_slots_;
  index_t number_ = 0, piece_begin_ = 0;
  item_range range_{};
};

template <class Job, int threads>
__global__ void __launch_bounds__(threads, row_shape<typename Job::ranked, threads>::blocks)
    row_select_kernel(const __grid_constant__ Job job, item_count size) {
  __shared__ row_shared<typename Job::ranked, threads> s;
  wait_for_previous_kernel();
  const index_t n = size.get();
  row_selection<Job, threads> selection(job, s);
  for (index_t i = blockIdx.x; i < job.rows * job.pieces; i += gridDim.x) {
    selection.select(i, n);
    __syncthreads();  // shared memory may be used for the next row
  }
}

}  // namespace onepass::detail
