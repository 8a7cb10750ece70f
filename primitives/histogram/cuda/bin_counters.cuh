// SPDX-License-Identifier: Apache-2.0
// A block's counters of bins. All have the same functions, of which all threads of the block call prepare() and finish():
//   prepare(row)               makes all counters zero; between barriers of the caller
//   add(bin, amount)           adds to a bin's counter
//   add_frequent(bin, amount)  the same, for a bin that a vote has found frequent
//   wants_votes()              whether many lanes that add to one bin should be found by a vote
//   between_rounds()           called by all threads before each round of items
//   finish(row, task)          adds up and stores what has been counted; between barriers of the caller
#pragma once

#include "../../../core/cuda/io/warp.cuh"
#include "../bin_finder.hpp"

namespace onepass::detail {

// Where the counts of a launch go. A task is a part of a row; where rows have several parts, each task stores a table of
// sums, which another kernel adds up.
template <class Sum, class Count>
struct histogram_result {
  Count* counts;  // of all rows, `bins` each
  Sum* tables;    // of all tasks; not used if rows have one part
  std::uint32_t bins;
  unsigned parts;
};

// ---- columns in shared memory ---------------------------------------------------------------------------------------
// A bin has 2^log_columns counters side by side, and a lane uses the one of its own column. With 32 columns the lanes of
// a warp never meet in a bank, whatever the items are. Sums of 8 bytes are two words, in tables of their own: to add 64
// bits at once would be a loop of comparisons in shared memory.
template <class Sum, class Count>
class column_counters {
  static constexpr bool is_wide = sizeof(Sum) == 8;

 public:
  struct shape {
    int log_columns;
  };

  __device__ column_counters(unsigned* words, const histogram_result<Sum, Count>& result, shape s)
      : words_(words), result_(result), log_columns_(s.log_columns) {}

  __device__ void prepare(index_t) {
    for (unsigned i = threadIdx.x; i < (counters() << is_wide); i += blockDim.x) words_[i] = 0;
  }
  __device__ void add(unsigned bin, Sum amount) {
    unsigned* const counter = words_ + (bin << log_columns_) + (lane_id() & ((1u << log_columns_) - 1));
    const auto low = static_cast<unsigned>(amount);
    if constexpr (!is_wide) {
      atomicAdd(counter, low);
    } else {
      const bool carries = atomicAdd(counter, low) + low < low;
      const unsigned high = static_cast<unsigned>(amount >> 32) + carries;
      if (high != 0) atomicAdd(counter + counters(), high);
    }
  }
  __device__ void add_frequent(unsigned bin, Sum amount) { add(bin, amount); }
  // With eight columns at most four lanes meet in a counter, which costs no more than a vote.
  __device__ bool wants_votes() const { return log_columns_ < 3; }
  __device__ void between_rounds() const {}

  __device__ void finish(index_t row, unsigned task) const {
    Count* const counts = result_.counts + row * result_.bins;
    Sum* const table = result_.tables + index_t{task} * result_.bins;
    for (unsigned bin = threadIdx.x; bin < result_.bins; bin += blockDim.x) {
      if (result_.parts == 1) counts[bin] = static_cast<Count>(sum_of(bin));
      else table[bin] = sum_of(bin);
    }
  }

 private:
  __device__ unsigned counters() const { return result_.bins << log_columns_; }
  // Lanes have neighbouring bins, and begin in columns that are in different banks.
  __device__ Sum sum_of(unsigned bin) const {
    const unsigned columns = 1u << log_columns_, first = (bin << log_columns_) / warp_size;
    Sum sum = 0;
    for (unsigned c = 0; c < columns; ++c) {
      const unsigned i = (bin << log_columns_) + ((first + c) & (columns - 1));
      sum += words_[i];
      if constexpr (is_wide) sum += static_cast<Sum>(words_[counters() + i]) << 32;
    }
    return sum;
  }

  unsigned* words_;
  const histogram_result<Sum, Count>& result_;
  int log_columns_;
};

// ---- halves of words in shared memory -------------------------------------------------------------------------------
// A counter of 16 bits a bin, two to a word, for as many bins as possible. The thread that brings a counter to half of its
// range moves that half to the counts, which are zero before the launch. A round adds no more than the other half, so no
// counter overflows.
template <class Sum, class Count>
class half_counters {
  static_assert(sizeof(Sum) == 4);
  static constexpr unsigned half = 1u << 15, mask = 2 * half - 1;

 public:
  struct shape {};
  static constexpr int most_round_items = half;  // of a block

  __device__ half_counters(unsigned* words, const histogram_result<Sum, Count>& result, shape)
      : words_(words), result_(result) {}

  __device__ void prepare(index_t row) {
    counts_ = result_.counts + row * result_.bins;
    for (unsigned i = threadIdx.x; i < pairs(result_.bins); i += blockDim.x) words_[i] = 0;
  }
  __device__ void add(unsigned bin, Sum amount) {
    const unsigned shift = bin % 2 * 16;
    const unsigned before = atomicAdd(words_ + bin / 2, amount << shift) >> shift & mask;
    if (before < half && before + amount >= half) {
      atomicSub(words_ + bin / 2, half << shift);
      atomicAdd(counts_ + bin, static_cast<Count>(half));
    }
  }
  __device__ void add_frequent(unsigned bin, Sum amount) { add(bin, amount); }
  __device__ bool wants_votes() const { return true; }
  __device__ void between_rounds() const { __syncthreads(); }  // all items of the round before are counted

  // Tables hold pairs, as they are here.
  __device__ void finish(index_t, unsigned task) const {
    if (result_.parts == 1) {
      for (unsigned bin = threadIdx.x; bin < result_.bins; bin += blockDim.x) {
        const unsigned count = words_[bin / 2] >> bin % 2 * 16 & mask;
        if (count > 0) atomicAdd(counts_ + bin, static_cast<Count>(count));
      }
    } else {
      Sum* const table = result_.tables + index_t{task} * pairs(result_.bins);
      for (unsigned i = threadIdx.x; i < pairs(result_.bins); i += blockDim.x) table[i] = words_[i];
    }
  }

  static ONEPASS_HOST_DEVICE unsigned pairs(unsigned bins) { return divide_up(bins, 2u); }

 private:
  unsigned* words_;
  const histogram_result<Sum, Count>& result_;
  Count* counts_ = nullptr;
};

// ---- global memory --------------------------------------------------------------------------------------------------
// More bins than shared memory has counters for: each item is added to its count, which is zero before the launch. Bins
// that many lanes add to at once are counted in shared memory, as additions to one address in L2 wait for each other. A
// bin has one slot there, which belongs to whichever of its bins comes first.
template <class Sum, class Count>
class global_counters {
  static constexpr unsigned slots = 1024;
  static constexpr int log_slots = 10;

 public:
  struct shape {};
  static constexpr std::size_t shared_bytes = slots * (sizeof(unsigned) + sizeof(unsigned long long));

  __device__ global_counters(unsigned* words, const histogram_result<Sum, Count>& result, shape)
      : sums_(reinterpret_cast<unsigned long long*>(words)), tags_(words + 2 * slots), result_(result) {}

  __device__ void prepare(index_t row) {
    counts_ = result_.counts + row * result_.bins;
    for (unsigned i = threadIdx.x; i < slots; i += blockDim.x) {
      sums_[i] = 0;
      tags_[i] = no_bin;
    }
  }
  __device__ void add(unsigned bin, Sum amount) { atomicAdd(counts_ + bin, static_cast<Count>(amount)); }
  __device__ void add_frequent(unsigned bin, Sum amount) {
    const unsigned i = bin * 2654435761u >> (32 - log_slots);  // Knuth's multiplicative hash
    unsigned tag = *const_cast<volatile unsigned*>(tags_ + i);
    if (tag == no_bin) {
      tag = atomicCAS(tags_ + i, no_bin, bin);
      if (tag == no_bin) tag = bin;
    }
    if (tag == bin) atomicAdd(sums_ + i, static_cast<unsigned long long>(amount));
    else add(bin, amount);
  }
  __device__ bool wants_votes() const { return true; }
  __device__ void between_rounds() const {}
  __device__ void finish(index_t, unsigned) {
    for (unsigned i = threadIdx.x; i < slots; i += blockDim.x) {
      if (tags_[i] != no_bin) atomicAdd(counts_ + tags_[i], static_cast<Count>(sums_[i]));
    }
  }

 private:
  unsigned long long* sums_;
  unsigned* tags_;
  const histogram_result<Sum, Count>& result_;
  Count* counts_ = nullptr;
};

}  // namespace onepass::detail
