// SPDX-License-Identifier: Apache-2.0
// The launches behind a sort by the upper digits alone: of keys of 8 and more bytes the fix-up of ties (fix_ties.cuh), of
// very many keys of 4 bytes the sort of buckets (sort_buckets.cuh), and then the sort of ranges that these have found too
// long; of fewer the fix-up of many ties. All return at once if the plan has left out no position.
#pragma once

#include "../../../../core/execution/scratch_layout.hpp"
#include "fix_many_ties.cuh"
#include "fix_ties.cuh"
#include "sort_buckets.cuh"

namespace onepass::detail {

// What n keys with so many digit positions may leave open, unless the device has no room for it.
template <class K, class V, class Tuning>
left_open may_leave(index_t n, int positions) {
  if (leaves_few_ties<K>(positions)) return left_open::few_ties;
  if (sizeof(K) != 4 || positions != 4 || stored_size < V >> 8 || n < Tuning::least_msd_first)
    return left_open::nothing;
  return n < Tuning::least_in_buckets ? left_open::many_ties : left_open::buckets;
}

// The constructor describes its memory, run() launches. Shape, Word: of the tiles and the tables of long ranges.
template <class K, class V, class Shape, class Word>
class msd_first_finish {
  using digits_type = bits_digits<K, true>;

 public:
  msd_first_finish(index_t n, int positions, layout& scratch) : chunks_(chunks_for(n)) {
    tiles_ = tiles_of<Shape>(n) + chunks_;
    ranges_at_ = scratch.add<item_range>(chunks_);
    plans_at_ = scratch.add<char>(chunks_ * static_cast<index_t>(split_plan::bytes_used(positions)));
    tiles_at_ = scratch.add<range_tile>(tiles_);
    if (sizeof(K) == 4) starts_at_ = scratch.add<unsigned>((1 << most_bucket_bits) + 1);
  }
  // The rows of the tables, which may be those of the passes before.
  index_t rows() const { return tiles_; }
  // The bytes of memory that is zero before each run.
  index_t cleared_bytes() const { return sizeof(range_counts) + chunks_ * index_t{sizeof(long_range)}; }

  // AtomicRanking: atomic_ranking, except in tests.
  template <class AtomicRanking, class Values>
  void run(const char* call, const digits_type& digits, buffer_route<K> keys, Values values, item_count size,
           bucket_shape buckets, split_plan* plan, range_counts* cleared, Word* tables, const split_memory& memory,
           cudaStream_t stream) const {
    const range_lists lists{cleared,
                            section<item_range>(memory.scratch, ranges_at_),
                            section<unsigned char>(memory.scratch, plans_at_),
                            section<range_tile>(memory.scratch, tiles_at_),
                            digits.positions(),
                            Shape::items};
    auto* const ranges = reinterpret_cast<long_range*>(cleared + 1);
    if constexpr (finishes_in_buckets<digits_type>) {
      bucket_job<digits_type, V> job{
          digits, keys.primary, values.primary, size, buckets, plan, section<unsigned>(memory.scratch, starts_at_),
          ranges, lists,        memory.head,    ~0u};
      job.output = detail::output_of(values);
      launch_sort_buckets<AtomicRanking>(call, job, stream);
    } else {
      launch_fix_ties(
          call, tie_job<digits_type, Values>{digits, keys.primary, values, size, plan, ranges, lists, memory.head},
          stream);
    }
    const range_job<K> job{digits, keys.of_result(), size, lists, ~0u};
    launch_range_histogram(call, tiles_, job, tables, plan_rules{true, true}, dependency::wait_then_trigger, stream);
    launch_range_passes<none, Shape>(call, tiles_, job, values.of_result(), tables, 1, stream);
  }

 private:
  index_t chunks_, tiles_;  // at most
  std::size_t ranges_at_, plans_at_, tiles_at_, starts_at_ = 0;
};

}  // namespace onepass::detail
