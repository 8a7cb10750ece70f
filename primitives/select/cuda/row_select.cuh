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
#include "block_search.cuh"

namespace onepass::detail {

constexpr int most_block_results = 1024;  // more are sorted by other kernels

// The sizes of a block's work. Not measured.
template <class R, int block_threads>
struct row_shape {
  static constexpr int threads = block_threads, in_registers = sizeof(R) == 8 ? 16 : 8;
  static constexpr int sample = threads * in_registers;
  static constexpr int candidates = sample < 2 * most_block_results ? sample : 2 * most_block_results;
  static constexpr int blocks = threads == 1024 ? 1 : 2048 / threads / 2 < 16 ? 2048 / threads / 2 : 16;
};

// What all rows of a launch have in common.
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
  ranked* slots;  // for results that are to be sorted: as many for each row; null if the block writes them
};

template <class R, int threads>
struct row_shared {
  R candidates[row_shape<R, threads>::candidates];
  typename digit_search_shared<R>::count above, inside;
  digit_search_shared<R> digits;
  typename block_sum<threads>::shared sums;
};

template <class Job, int threads>
class row_selection {
  using ranked = typename Job::ranked;
  using shape = row_shape<ranked, threads>;
  using count = typename digit_search_shared<ranked>::count;
  static constexpr int N = shape::in_registers, top_bit = index_bits<ranked> + Job::source_type::order_bits - 1;
  static constexpr index_t room = shape::candidates;

 public:
  __device__ row_selection(const Job& job, row_shared<ranked, threads>& s) : job_(job), s_(s), sum_(s.sums) {}

  __device__ void select(index_t row, const item_range& range) {
    index_t k = job_.k_in_memory == nullptr ? job_.k : *job_.k_in_memory;
    if (k > range.size) k = job_.mode == selection::nth ? 0 : range.size;
    row_ = row;
    range_ = range;
    if (threadIdx.x == 0) s_.above = s_.inside = 0;
    __syncthreads();  // the counters are zero
    if (k > 0) {
      if (range.size <= shape::sample) select_in_registers(k);
      else if (job_.slots != nullptr) collect(by_digits(k, false), largest_ranked<ranked>);
      else select_by_sample(k);
    }
    if (job_.slots == nullptr) return;
    for (index_t i = k + threadIdx.x; i < job_.results; i += threads) job_.slots[row * job_.results + i] = 0;
  }

 private:
  __device__ void select_in_registers(index_t k) {
    ranked x[N];
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const index_t i = j * threads + static_cast<int>(threadIdx.x);
      x[j] = i < range_.size ? job_.source.at(range_.begin, i) : ranked{0};
    }
    const bool is_nth = job_.mode == selection::nth;
    const ranked least =
        find_by_bits(x, top_bit, static_cast<unsigned>(k), is_nth ? 0u : static_cast<unsigned>(k), sum_);
    if (is_nth) return write_one(least);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if (x[j] >= least) append(x[j]);
    }
    if (job_.slots == nullptr) write_sorted(static_cast<int>(k), static_cast<int>(k));
  }

  __device__ void select_by_sample(index_t k) {
    ranked first = 0, last = largest_ranked<ranked>;
    bounds_of_sample(k, first, last);
    collect(first, last);
    index_t above = static_cast<index_t>(s_.above), inside = static_cast<index_t>(s_.inside);
    if (above >= k || above + inside < k || inside > room) {  // the sample has misled
      const bool is_nth = job_.mode == selection::nth;
      first = by_digits(k, is_nth);
      if (is_nth) return write_one(first);
      if (threadIdx.x == 0) s_.above = s_.inside = 0;
      __syncthreads();  // the counters are zero
      collect(first, largest_ranked<ranked>);
      above = 0;
      inside = k;
    }
    write_sorted(static_cast<int>(inside), static_cast<int>(k - above));
  }

  __device__ void bounds_of_sample(index_t k, ranked& first, ranked& last) {
    ranked x[N];
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const int i = j * threads + static_cast<int>(threadIdx.x);
      x[j] = job_.source.at(range_.begin, sampled_index(i, range_.size, shape::sample));
    }
    const sample_ranks ranks(k, range_.size, shape::sample);
    if (ranks.least_behind() <= shape::sample)
      first = find_by_bits(x, top_bit, static_cast<unsigned>(ranks.least_behind()),
                           static_cast<unsigned>(ranks.most_behind()), sum_);
    if (job_.mode == selection::nth && ranks.most_before() >= 1)
      last = find_by_bits(x, top_bit, static_cast<unsigned>(ranks.least_before()),
                          static_cast<unsigned>(ranks.most_before()), sum_);
  }

  __device__ ranked by_digits(index_t k, bool exact) {
    return find_by_digits(job_.source, range_.begin, range_.size, k, exact, s_.digits);
  }

  // Collects the ranked keys from `first` up to `last`, and counts those above. Ends with a barrier.
  __device__ void collect(ranked first, ranked last) {
    count above = 0;
    for_each_ranked(
        job_.source, range_.begin, range_.size, 0, threads,
        [&](ranked r) {
          if (r < first) return;
          if (r > last) ++above;
          else append(r);
        },
        [] {});
    if (above > 0) atomicAdd(&s_.above, above);
    __syncthreads();  // all items are collected or counted
  }
  __device__ void append(ranked r) {
    const auto at = static_cast<index_t>(atomicAdd(&s_.inside, count{1}));
    if (job_.slots != nullptr) {
      if (at < job_.results) job_.slots[row_ * job_.results + at] = r;
    } else if (at < room) {
      s_.candidates[at] = r;
    }
  }

  __device__ void write_one(ranked r) const { write(0, r); }
  __device__ void write(index_t result, ranked r) const {
    if (job_.mode == selection::nth && threadIdx.x > 0) return;
    job_.output.write(job_.first_result + row_ * job_.results + result, job_.source.item(range_.begin, r));
  }
  // Writes the k first of the candidates, or the k-th.
  __device__ void write_sorted(int candidates, int k) {
    __syncthreads();  // all candidates are there
    sort_block(s_.candidates, candidates);
    if (job_.mode == selection::nth) return write_one(s_.candidates[k - 1]);
    if (job_.mode == selection::input_order) {
      for (int i = threadIdx.x; i < k; i += threads) s_.candidates[i] &= index_mask<ranked>;
      sort_block(s_.candidates, k);
    }
    for (int i = threadIdx.x; i < k; i += threads) write(i, s_.candidates[i]);
  }

  const Job& job_;
  row_shared<ranked, threads>& s_;
  block_sum<threads> sum_;
  index_t row_ = 0;
  item_range range_{};
};

template <class Job, int threads>
__global__ void __launch_bounds__(threads, row_shape<typename Job::ranked, threads>::blocks)
    row_select_kernel(const __grid_constant__ Job job, item_count size) {
  __shared__ row_shared<typename Job::ranked, threads> s;
  wait_for_previous_kernel();
  const index_t n = size.get();
  row_selection<Job, threads> selection(job, s);
  for (index_t row = blockIdx.x; row < job.rows; row += gridDim.x) {
    selection.select(row, job.bounds.at(row, n));
    __syncthreads();  // shared memory may be used for the next row
  }
}

}  // namespace onepass::detail
