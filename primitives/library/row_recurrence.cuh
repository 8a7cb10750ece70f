// SPDX-License-Identifier: Apache-2.0
// Linear recurrences of many rows on CUDA: a warp goes along each row, so no row waits for another one and there is no
// look-back. A warp reads a chunk of its row by 16 bytes a lane, scans the affine maps of the lanes' items (Blelloch, "Prefix
// Sums and Their Applications", 1990, section 1.4), and then each lane runs the recurrence itself over its few items. Each
// factor, term and result is moved once.
#pragma once

#include "../../core/cuda/io/vector_access.cuh"
#include "../../core/cuda/io/warp.cuh"
#include "../../core/cuda/runtime/launch.cuh"
#include <onepass/config.hpp>

namespace onepass::library::detail {

template <class T>
struct recurrence_rows {
  const T *a, *b;
  T* out;
  index_t n, length;  // the last row may be shorter
  bool next_factor;

  ONEPASS_HOST_DEVICE index_t rows() const { return (n - 1) / length + 1; }
};

// Fewer rows would leave the memory idle, and of shorter ones a warp would have too little: both are one scan instead. On an
// H200 that scan takes 433 to 449 us for 2^26 floats; warps take 505 for rows of 64 items and 188 for rows of 256, 458 for 512
// rows and 273 for 1,024.
template <class T>
bool has_row_for_each_warp(const recurrence_rows<T>& all) {
  return all.length >= 128 && all.rows() >= 528;
}

// What a warp knows of its row. Step t is the t-th item that the recurrence meets.
template <class T, bool reverse>
class recurrence_row {
 public:
  static constexpr int items = onepass::detail::items_per_vector<T>;  // of a lane, next to each other
  static constexpr int lane_steps = 32 * items, rounds = items;       // with 4 rounds doubles would be spilled
  static constexpr index_t chunk = index_t{rounds} * lane_steps;

  __device__ recurrence_row(const recurrence_rows<T>& all, index_t row)
      : a_(all.a + row * all.length),
        b_(all.b + row * all.length),
        out_(all.out + row * all.length),
        length_(min(all.length, all.n - row * all.length)),
        next_factor_(all.next_factor),
        lane_(static_cast<int>(threadIdx.x) % 32) {}

  __device__ void run() {
    for (index_t begin = 0; begin < length_; begin += chunk) {
      T factors[rounds][items], terms[rounds][items];
#pragma unroll
      for (int r = 0; r < rounds; ++r) {
        const index_t step = step_of(begin, r);
        load(a_, step, factors[r]);
        load(b_, step, terms[r]);
      }
#pragma unroll
      for (int r = 0; r < rounds; ++r) {
        if (begin + r * lane_steps >= length_) break;
        if (next_factor_) take_factors_of_steps_before(factors[r]);
        recur(factors[r], terms[r], begin == 0 && r == 0);
        store(step_of(begin, r), terms[r]);
      }
    }
  }

 private:
  __device__ index_t step_of(index_t begin, int round) const { return begin + round * lane_steps + lane_ * items; }

  // The items of the lane's steps, those behind the row's end as zeros.
  __device__ void load(const T* from, index_t step, T (&out)[items]) const {
    if (step + items <= length_) {
      T row[items];
      onepass::detail::load_row(from, reverse ? length_ - step - items : step, row);
#pragma unroll
      for (int j = 0; j < items; ++j) out[j] = row[reverse ? items - 1 - j : j];
    } else {
#pragma unroll
      for (int j = 0; j < items; ++j) {
        out[j] = step + j < length_ ? from[reverse ? length_ - 1 - step - j : step + j] : T(0);
      }
    }
  }
  __device__ void store(index_t step, const T (&values)[items]) const {
    if (step + items <= length_) {
      T row[items];
#pragma unroll
      for (int j = 0; j < items; ++j) row[reverse ? items - 1 - j : j] = values[j];
      onepass::detail::store_row(out_, reverse ? length_ - step - items : step, row);
    } else {
#pragma unroll
      for (int j = 0; j < items; ++j) {
        if (step + j < length_) out_[reverse ? length_ - 1 - step - j : step + j] = values[j];
      }
    }
  }

  __device__ void take_factors_of_steps_before(T (&factors)[items]) {
    const T last = factors[items - 1];
    T before = __shfl_up_sync(~0U, last, 1);
    if (lane_ == 0) before = last_factor_;
    last_factor_ = __shfl_sync(~0U, last, 31);
#pragma unroll
    for (int j = items - 1; j > 0; --j) factors[j] = factors[j - 1];
    factors[0] = before;
  }

  // terms become the results of the warp's steps. Nothing is before a row's first one: its factor must not meet other factors,
  // as an infinite one among them would make a NaN of 0.
  __device__ void recur(T (&factors)[items], T (&terms)[items], bool first) {
    // The map of the lane's steps, then of these and those of the lanes before it.
    T factor = factors[0], term = terms[0];
#pragma unroll
    for (int j = 1; j < items; ++j) {
      term = factors[j] * term + terms[j];
      factor *= factors[j];
    }
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const T factor_before = __shfl_up_sync(~0U, factor, distance), term_before = __shfl_up_sync(~0U, term, distance);
      if (lane_ >= distance) {
        term = factor * term_before + term;
        factor *= factor_before;
      }
    }
    const T factor_before = __shfl_up_sync(~0U, factor, 1), term_before = __shfl_up_sync(~0U, term, 1);
    T value = last_value_;
    if (lane_ > 0) value = first ? term_before : factor_before * last_value_ + term_before;
    else if (first) factors[0] = 0;
#pragma unroll
    for (int j = 0; j < items; ++j) terms[j] = value = factors[j] * value + terms[j];
    last_value_ = __shfl_sync(~0U, value, 31);
  }

  const T *a_, *b_;
  T* out_;
  index_t length_;
  bool next_factor_;
  int lane_;
  T last_factor_ = 0, last_value_ = -T(0);  // of the step before; 0 * -0 + b is b, -0 too
};

constexpr int recurrence_threads = 256;

template <bool reverse, class T>
__global__ void __launch_bounds__(recurrence_threads, 4) recurrence_rows_kernel(recurrence_rows<T> all) {
  const index_t row = (index_t{blockIdx.x} * recurrence_threads + threadIdx.x) / 32;
  if (row < all.rows()) recurrence_row<T, reverse>(all, row).run();
}

template <bool reverse, class T>
ONEPASS_HIDDEN void recur_by_warps(const char* call, const recurrence_rows<T>& all, cudaStream_t stream) {
  constexpr index_t rows_a_block = recurrence_threads / 32;
  const auto blocks = static_cast<unsigned>((all.rows() - 1) / rows_a_block + 1);
  onepass::detail::kernel_launch::in_order(call, recurrence_rows_kernel<reverse, T>, dim3(blocks), recurrence_threads,
                                           0, stream, all);
}

}  // namespace onepass::library::detail
