// SPDX-License-Identifier: Apache-2.0
// A thread's work on one tile of a reduction by offsets.
//   begin:  combine what stands behind the last offset in the tile
//   finish: the results of the segments that end in the tile; the first of them may have begun before
// Bytes moved: items and offsets read once, one result a segment written. No heads are made.
#pragma once

#include "../../core/cpu/driver.hpp"
#include "../../core/cpu/simd_scan.hpp"
#include "../../core/iterator.hpp"

namespace onepass::detail {

template <class T, class It, class Offset, class Out, class Init, class Op>
struct cpu_offsets_job {
  using value_type = flagged<T>;
  using stored_type = value_type;
  using op_type = segmented<Op>;

  It items;
  Offset offsets;
  index_t segments;
  Out out;
  Init init;
  op_type op;
  index_t n;
  ::cuda::std::optional<value_type> initial = {};

  // Item i is in a segment from the offset before it on; offsets outside of the items are at their ends.
  index_t offset(index_t i) const { return std::max(index_t{0}, std::min(n, static_cast<index_t>(offsets[i]))); }
  // The first of the offsets from `low` on that is larger than `at`, or segments + 1.
  index_t first_above(index_t low, index_t at) const {
    index_t high = segments + 1;
    while (low < high) {
      const index_t middle = low + (high - low) / 2;
      if (offset(middle) > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  // Of the items [begin, end), one at least.
  T combine(index_t begin, index_t end) const {
    using item = value_of<It>;
    if constexpr (in_vectors) {
      using lane = lane_type<lanes, item>;
      if (end - begin >= vector_items && simd_runs())
        return static_cast<T>(simd_reduce<lanes>(reinterpret_cast<const lane*>(items + begin), end - begin));
    }
    Op o = op.op;
    T total = static_cast<T>(static_cast<item>(items[begin]));
    for (index_t i = begin + 1; i < end; ++i)
      total = static_cast<T>(o(total, static_cast<T>(static_cast<item>(items[i]))));
    return total;
  }

 private:
  using lanes = typename lanes_of_operator<Op>::type;
  static constexpr bool in_vectors = has_simd && std::is_pointer_v<It> && has_lanes<lanes, value_of<It>, T, T>;
  static constexpr index_t vector_items = 32;  // below, there are few whole vectors
};

template <class Job>
class cpu_offsets_tile {
  using value = typename Job::value_type;

 public:
  static constexpr index_t items =
      std::max<index_t>(1, cpu_tile_bytes / index_t{sizeof(std::decay_t<decltype(std::declval<Job>().items[0])>)});
  static constexpr std::size_t scratch_bytes = 0;
  static constexpr index_t tiles_a_thread = 2;
  static constexpr bool begin_only_combines = true;

  cpu_offsets_tile(const Job& job, char*) : job_(job) {}

  value begin(index_t first, index_t count) {
    const index_t end = first + count;
    const index_t behind = job_.first_above(0, end - 1);
    const index_t last = behind > 0 ? job_.offset(behind - 1) : -1;
    return {job_.combine(std::max(first, last), end), last >= first};
  }

  void expect(index_t, index_t) {}

  template <class Optional>
  void finish(index_t first, index_t count, const Optional& prefix, bool) {
    const index_t end = first + count;
    auto op = job_.op.op;
    for (index_t s = job_.first_above(1, first) - 1; s < job_.segments; ++s) {
      const index_t segment_begin = job_.offset(s), segment_end = job_.offset(s + 1);
      if (segment_begin >= end || segment_end > end) return;
      if (segment_begin == segment_end) continue;
      auto total = job_.combine(std::max(first, segment_begin), segment_end);
      if (segment_begin < first) total = static_cast<decltype(total)>(op(prefix->value, total));
      job_.out[s] = op(job_.init, total);
    }
  }

 private:
  Job job_;
};

}  // namespace onepass::detail
