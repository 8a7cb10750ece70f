// SPDX-License-Identifier: Apache-2.0
// A thread's strip on CUDA: some consecutive items of one column, in registers.
#pragma once

#include <cuda/std/optional>

#include "column_grid.cuh"

namespace onepass::detail {

// most: how many items it may have.
template <class Job, int most = column_tuning<typename Job::value_type>::strip>
class column_strip {
  using value = typename Job::value_type;
  using optional = ::cuda::std::optional<value>;

 public:
  // `count` items, of which the first is item `first` of the input, and neighbours stand `width` apart.
  __device__ column_strip(const Job& job, index_t width, index_t first, int count)
      : job_(job), width_(width), first_(first), count_(count) {}

  __device__ int count() const { return count_; }

  __device__ void load() {
    index_t i = first_;
    if (count_ == most) {
#pragma unroll
      for (int j = 0; j < most; ++j, i += width_) items_[j] = job_.source.at(i);
    } else {
#pragma unroll
      for (int j = 0; j < most; ++j, i += width_) {
        if (j < count_) items_[j] = job_.source.at(i);
      }
    }
  }
  __device__ void store() const {
    index_t i = first_;
#pragma unroll
    for (int j = 0; j < most; ++j, i += width_) {
      if (j < count_) job_.out[i] = items_[j];
    }
  }
  // What the items combine to. There has to be one.
  __device__ value combine() const {
    auto op = job_.op;
    value total = items_[0];
#pragma unroll
    for (int j = 1; j < most; ++j) {
      if (j < count_) total = static_cast<value>(op(total, items_[j]));
    }
    return total;
  }
  // before: what precedes the strip. In an exclusive scan that is always something. Returns what precedes the next strip.
  // There has to be an item.
  __device__ value scan(const optional& before) {
    auto op = job_.op;
    if constexpr (Job::result == column_result::exclusive) {
      value prefix = *before;
#pragma unroll
      for (int j = 0; j < most; ++j) {
        if (j >= count_) break;
        const value x = items_[j];
        items_[j] = prefix;
        prefix = static_cast<value>(op(prefix, x));
      }
      return prefix;
    } else {
      if (before) items_[0] = static_cast<value>(op(*before, items_[0]));
      value prefix = items_[0];
#pragma unroll
      for (int j = 1; j < most; ++j) {
        if (j < count_) items_[j] = prefix = static_cast<value>(op(prefix, items_[j]));
      }
      return prefix;
    }
  }

 private:
  const Job& job_;
  index_t width_, first_;
  int count_;
  value items_[most];
};

}  // namespace onepass::detail
