// SPDX-License-Identifier: Apache-2.0
// A block's counters of bins. All have the same functions, of which all threads of the block call the last three:
//   add(bin, amount)           adds to a bin's counter
//   add_one(bin)               the same for one item, which may be in no bin. Not zero: carry(bin) is to follow
//   carry(bin)                 moves a part of the counter elsewhere
//   add_many(bin, amount)      adds any amount, for many items at once
//   ones_conflict              whether lanes that count one bin wait for each other, unless the next says that none do
//   by_one_loop                whether vectors are counted faster by one loop than by one for full rounds and one for the last
//   has_conflicts()            whether lanes that add to one bin wait for each other
//   prepare(row)               makes all counters zero; between barriers of the caller
//   between_rounds()           before each round of items
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

// By all threads of a block. There is room for a multiple of four words.
__device__ inline void clear_words(unsigned* words, unsigned size) {
  for (unsigned i = threadIdx.x; i < divide_up(size, 4u); i += blockDim.x) reinterpret_cast<uint4*>(words)[i] = uint4{};
}

// ---- columns in shared memory ---------------------------------------------------------------------------------------
// A bin has 2^log_columns counters side by side, and a lane uses the one of its own column. With 32 columns the lanes of
// a warp never meet in a bank, whatever the items are. Items in no bin have counters behind the others: an addition to those
// costs less than a branch. Lanes that add the constant one to one counter do not wait for each other: the hardware counts
// them first. Sums of 8 bytes are two words, in tables of their own: to add 64 bits at once would be a loop of comparisons
// in shared memory.
template <class Sum, class Count>
class column_counters {
  static constexpr bool is_wide = sizeof(Sum) == 8;

 public:
  struct shape {
    int log_columns;
  };
  static constexpr bool ones_conflict = false, by_one_loop = false;

  __device__ column_counters(unsigned* words, const histogram_result<Sum, Count>& result, shape s)
      : words_(words), result_(result), log_columns_(s.log_columns) {
    own_column_ = static_cast<unsigned>(__cvta_generic_to_shared(words + (lane_id() & ((1u << log_columns_) - 1))));
    bytes_of_bin_ = sizeof(unsigned) << log_columns_;
  }

  __device__ unsigned add_one(unsigned bin) {
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(counter_of(min(bin, result_.bins))) : "memory");
    return 0;
  }
  __device__ void add(unsigned bin, Sum amount) {
    const auto low = static_cast<unsigned>(amount);
    if constexpr (!is_wide) {
      asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(counter_of(bin)), "r"(low) : "memory");
    } else {
      unsigned before;
      asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(before) : "r"(counter_of(bin)), "r"(low) : "memory");
      const unsigned high = static_cast<unsigned>(amount >> 32) + (before + low < low), behind = counters() * 4;
      if (high != 0) asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(counter_of(bin) + behind), "r"(high) : "memory");
    }
  }
  __device__ void carry(unsigned) {}
  __device__ void add_many(unsigned bin, Sum amount) { add(bin, amount); }
  // With eight columns at most four lanes meet in a counter.
  __device__ bool has_conflicts() const { return log_columns_ < 3; }

  __device__ void prepare(index_t) { clear_words(words_, counters() << is_wide); }
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
  __device__ unsigned counters() const { return (result_.bins + 1) << log_columns_; }
  // An address in shared memory.
  __device__ unsigned counter_of(unsigned bin) const { return own_column_ + bin * bytes_of_bin_; }
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
  unsigned own_column_, bytes_of_bin_;
};

// ---- halves of words in shared memory -------------------------------------------------------------------------------
// A counter of 16 bits a bin, two to a word, for as many bins as possible. The thread that brings a counter to half of its
// range moves that half to the counts, which are zero before the launch. Between two barriers no more is added than the
// other half, so no counter overflows.
template <class Sum, class Count>
class half_counters {
  static_assert(sizeof(Sum) == 4);
  static constexpr unsigned half = 1u << 15, mask = 2 * half - 1;

 public:
  struct shape {};
  static constexpr bool ones_conflict = true, by_one_loop = true;
  static constexpr int most_round_items = half;  // of a block

  __device__ half_counters(unsigned* words, const histogram_result<Sum, Count>& result, shape)
      : words_(words), first_(static_cast<unsigned>(__cvta_generic_to_shared(words))), result_(result) {
    of_none_ = sizeof(unsigned) * (pairs(result.bins) + lane_id());
  }

  // For items in no bin each lane has a word behind the counters.
  __device__ unsigned add_one(unsigned bin) {
    const unsigned one = (bin & 1) * (2 * half - 1) + 1;
    unsigned before;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "r"(first_ + min(bin << 1 & ~3u, of_none_)), "r"(one)
                 : "memory");
    return (before ^ (before + one)) & (half << 16 | half);  // the highest bit of a counter, when it becomes set
  }
  __device__ void carry(unsigned bin) {
    if (bin == no_bin) return;
    atomicSub(words_ + bin / 2, half << bin % 2 * 16);
    atomicAdd(counts_ + bin, static_cast<Count>(half));
  }
  __device__ void add_many(unsigned bin, Sum amount) { atomicAdd(counts_ + bin, static_cast<Count>(amount)); }
  __device__ bool has_conflicts() const { return true; }

  __device__ void prepare(index_t row) {
    counts_ = result_.counts + row * result_.bins;
    clear_words(words_, pairs(result_.bins));
  }
  __device__ void between_rounds() const {
    __syncthreads();  // all items of the rounds before are counted
  }

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
  static std::size_t shared_bytes(unsigned bins) { return (pairs(bins) + warp_size) * sizeof(unsigned); }

 private:
  unsigned* words_;
  unsigned first_, of_none_;  // an address in shared memory, and the distance from it
  const histogram_result<Sum, Count>& result_;
  Count* counts_ = nullptr;
};

// ---- global memory --------------------------------------------------------------------------------------------------
// More bins than shared memory has counters for: each item is added to its count, which is zero before the launch.
template <class Sum, class Count>
class global_counters {
 public:
  struct shape {};
  static constexpr bool ones_conflict = true, by_one_loop = false;

  __device__ global_counters(unsigned*, const histogram_result<Sum, Count>& result, shape) : result_(result) {}

  __device__ void add(unsigned bin, Sum amount) { atomicAdd(counts_ + bin, static_cast<Count>(amount)); }
  __device__ unsigned add_one(unsigned bin) {
    if (bin != no_bin) add(bin, 1);
    return 0;
  }
  __device__ void carry(unsigned) {}
  __device__ void add_many(unsigned bin, Sum amount) { add(bin, amount); }
  __device__ bool has_conflicts() const { return true; }

  __device__ void prepare(index_t row) { counts_ = result_.counts + row * result_.bins; }
  __device__ void between_rounds() const {}
  __device__ void finish(index_t, unsigned) const {}

 private:
  const histogram_result<Sum, Count>& result_;
  Count* counts_ = nullptr;
};

}  // namespace onepass::detail
