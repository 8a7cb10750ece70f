// SPDX-License-Identifier: Apache-2.0
// Runs of a bucket's words that are equal in the digits that it has been split by (bucket_sorter.cuh). Of 4,096 random
// keys with 19 bits left some 56 are expected to stand before a smaller one. A thread puts such a run in order, if it is short.
#pragma once

#include <cstdint>

#include "../onesweep/plan.cuh"

namespace onepass::detail {

// The words of a bucket, in shared memory: `rows` rows, a word a thread, of which the first `size` words are items.
template <class Shape, int index_bits>
struct bucket_ties {
  static constexpr int most_in_run = 8;  // not measured
  static_assert(Shape::per_thread <= 32, "a bit for each row");
  std::uint32_t* words;
  int size, rows;

  // Puts words in order that ascend from bit `shift` on. Who finds a run's first word that is less than the one before owns it.
  // Returns false if they do not, a run is long, or one of the first `size` words is no item. All threads; ends with a barrier.
  __device__ bool put_in_order(int shift) const {
    bool are_fine = true;
    unsigned descents = 0, owned = 0;  // a bit for each row
#pragma unroll
    for (int i = 0; i < Shape::per_thread; ++i) {
      if (i >= rows) continue;
      const std::uint32_t mine = words[rank_of(i)], before = words[max(rank_of(i) - 1, 0)];
      are_fine &= before >> shift <= mine >> shift &&
                  (rank_of(i) < size) == (static_cast<int>(mine % (1u << index_bits)) < size);
      descents |= unsigned{before > mine} << i;
    }
#pragma unroll 1
    for (; descents != 0; descents &= descents - 1) {
      if (is_first_descent(rank_of(lowest_of(descents)), shift, are_fine)) owned |= descents & (0 - descents);
    }
    if (!__syncthreads_and(are_fine)) return false;  // behind this, all have looked
#pragma unroll 1
    for (; owned != 0; owned &= owned - 1) are_fine &= sort_run(rank_of(lowest_of(owned)), shift);
    return __syncthreads_and(are_fine);
  }

 private:
  __device__ static int rank_of(int row) { return static_cast<int>(threadIdx.x) + row * Shape::threads; }
  __device__ static int lowest_of(unsigned bits) { return __ffs(static_cast<int>(bits)) - 1; }

  // Whether no word of the run descends before the one at `rank`, which does. Not fine: many words are before it, or it is
  // behind all items.
  __device__ bool is_first_descent(int rank, int shift, bool& are_fine) const {
    are_fine &= rank < size;
    for (int i = rank - 1; i > 0 && words[i - 1] >> shift == words[i] >> shift; --i) {
      if (words[i - 1] > words[i]) return false;
      if (rank - i == most_in_run) {
        are_fine = false;
        return false;
      }
    }
    return true;
  }
  // Inserts each word of the run from `rank` on among those before it. Returns whether there are few. Meanwhile other threads
  // may write the words of the runs beside it, whose bits from `shift` on stay as they are.
  __device__ bool sort_run(int rank, int shift) const {
    const std::uint32_t of_run = words[rank] >> shift;
    for (int i = rank; i < size && words[i] >> shift == of_run; ++i) {
      if (i == rank + most_in_run) return false;
      const std::uint32_t moved = words[i];
      int to = i;
      for (; to > 0 && words[to - 1] > moved && words[to - 1] >> shift == of_run; --to) words[to] = words[to - 1];
      words[to] = moved;
    }
    return true;
  }
};

}  // namespace onepass::detail
