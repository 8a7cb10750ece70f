// SPDX-License-Identifier: Apache-2.0
// A thread's work on one tile of a reduction by offsets:
//   begin    combines the items from the last offset in the tile on
//   finish   stores the results of the segments that end in the tile; the first of them may have begun before it. Empty
//            segments before the first item are the first tile's
// Sums of integers in short segments are differences between a plain scan's results at the segments' ends.
// Bytes moved: items and offsets are read once, one result a segment is written. No heads are made.
#pragma once

#include "../../../core/cpu/driver/cpu_tile_driver.hpp"
#include "../../../core/cpu/simd/simd_scan.hpp"
#include "../../../core/segments/offset_index.hpp"
#include "../../../core/support/iterator.hpp"

#include "../../../core/cpu/simd/level_avx2.inc"

namespace onepass::detail {

#if ONEPASS_HAS_SIMD
// The sum of n integers, at least as many as a vector has. Behind the whole vectors it loads the last n integers'
// vector, and masks out the lanes that it has added already.
template <class Lane>
ONEPASS_SIMD_TARGET Lane sum_of_few(const Lane* in, index_t n) {
  using vectors = simd<Lane>;
  auto total = vectors::load(in);
  index_t i = vectors::lanes;
  for (; i + vectors::lanes <= n; i += vectors::lanes) total += vectors::load(in + i);
  typename vectors::mask index;
  for (int k = 0; k < vectors::lanes; ++k) index[k] = static_cast<typename vectors::mask_lane>(k);
  const auto added = static_cast<typename vectors::mask_lane>(vectors::lanes - (n - i));
  const auto is_new = index >= simd<typename vectors::mask_lane>::all(added);
  total += vectors::load(in + n - vectors::lanes) & typename vectors::vector(is_new);
  scan_lanes<lane_sum, vectors>(total, typename vectors::vector{});
  return total[vectors::lanes - 1];
}
#endif

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

  // Offset i. Offsets before the first item count as 0, those behind the last item as n.
  index_t offset(index_t i) const { return std::max(index_t{0}, std::min(n, offset_index(offsets[i]))); }
  // Returns the number of the first offset from number `low` on that is larger than `at`, or segments + 1.
  index_t first_above(index_t low, index_t at) const {
    index_t high = segments + 1;
    while (low < high) {
      const index_t middle = low + (high - low) / 2;
      if (offset(middle) > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  // Whether most segments are so short that a scan takes less time than a loop for each segment.
  bool scans() const {
    if constexpr (sums_integers) return segments > n / scanned_items && simd_runs();
    else return false;
  }

  void store_empty(index_t segment) const { out[segment] = as_item_of<Out>(init); }
  T with_initial(Op& o, const T& total) const { return static_cast<T>(o(static_cast<T>(init), total)); }
  // Combines the items [begin, end), at least one.
  T combine(index_t begin, index_t end) const {
    using item = value_of<It>;
    [[maybe_unused]] const index_t size = end - begin;
#if ONEPASS_HAS_SIMD
    if constexpr (in_vectors) {
      using lane = lane_type<lanes, item>;
      const auto* const in = reinterpret_cast<const lane*>(items + begin);
      if constexpr (sums_integers) {
        if (size >= simd<lane>::lanes && size < many_items && simd_runs()) return static_cast<T>(sum_of_few(in, size));
      }
      if (size >= vector_items && simd_runs()) return static_cast<T>(simd_reduce<lanes>(in, size));
    }
#endif
    Op o = op.op;
    T total = static_cast<T>(static_cast<item>(items[begin]));
    for (index_t i = begin + 1; i < end; ++i)
      total = static_cast<T>(o(total, static_cast<T>(static_cast<item>(items[i]))));
    return total;
  }

  using lanes = typename lanes_of_operator<Op>::type;
  static constexpr bool in_vectors = has_simd && std::is_pointer_v<It> && has_lanes<Op, value_of<It>, T, T>;
  static constexpr bool sums_integers = in_vectors && std::is_same_v<lanes, lane_sum> && std::is_integral_v<T>;

 private:
  // None of the three was measured by itself.
  static constexpr index_t vector_items = 32;   // fewer items have few whole vectors
  static constexpr index_t many_items = 256;    // from so many items on it pays to add up several vectors side by side
  static constexpr index_t scanned_items = 24;  // segments of fewer items, in the mean, are scanned
};

template <class Job>
class cpu_offsets_tile {
  using value = typename Job::value_type;

 public:
  static constexpr index_t items =
      std::max<index_t>(1, cpu_tile_bytes / index_t{sizeof(std::decay_t<decltype(std::declval<Job>().items[0])>)});
  static std::size_t scratch_bytes(index_t) { return 0; }
  static constexpr index_t tiles_a_thread = 2;
  static constexpr bool begin_only_combines = true;

  cpu_offsets_tile(const Job& job, char*) : job_(job) {}

  value begin(index_t first, index_t count) {
    const index_t end = first + count;
    const index_t behind = job_.first_above(0, end - 1);
    // Items that no segment has are not combined. What stands for them has a head, so that it is not combined either.
    if (behind == 0 || behind > job_.segments) return {job_.combine(first, first + 1), true};
    const index_t last = job_.offset(behind - 1);
    return {job_.combine(std::max(first, last), end), last >= first};
  }

  void expect(index_t, index_t) {}

  template <class Optional>
  void finish(index_t first, index_t count, const Optional& prefix, bool) {
    const index_t end = first + count, begun = first == 0 ? 0 : job_.first_above(1, first) - 1;
    if constexpr (Job::sums_integers) {
      if (job_.scans()) return finish_by_scan(first, end, begun, prefix ? prefix->value : decltype(prefix->value){});
    }
    auto op = job_.op.op;
    index_t segment_begin = job_.offset(begun), segment_end = 0;
    for (index_t s = begun; s < job_.segments; ++s, segment_begin = segment_end) {
      segment_end = job_.offset(s + 1);
      if (segment_end > end) return;
      if (segment_begin >= segment_end) {
        job_.store_empty(s);
        continue;
      }
      auto total = job_.combine(std::max(first, segment_begin), segment_end);
      if (segment_begin < first) total = static_cast<decltype(total)>(op(prefix->value, total));
      job_.out[s] = as_item_of<decltype(job_.out)>(job_.with_initial(op, total));
    }
  }

 private:
  // `segment`: the first segment of those that finish stores. `before`: the combination of its items before that, if
  // it has some.
  template <class T>
  void finish_by_scan(index_t first, index_t end, index_t segment, T before) const {
#if ONEPASS_HAS_SIMD
    using lane = lane_type<lane_sum, T>;
    constexpr index_t room = 1024;
    lane scanned[room + 1];  // scanned[k]: the sum from the tile's first item up to the block's first k items
    scanned[0] = 0;
    const lane* const in = reinterpret_cast<const lane*>(job_.items);
    const bool is_begun = job_.offset(segment) <= first;
    lane begin = job_.offset(segment) < first ? lane(lane(0) - static_cast<lane>(before)) : lane(0);
    auto op = job_.op.op;
    const auto out = job_.out;
    index_t s = segment + is_begun;  // the next offset
    index_t segment_begin = job_.offset(segment);
    for (index_t block = first; block < end; block += room) {
      const index_t size = std::min(room, end - block);
      read_ahead nothing;
      simd_scan<lane_sum, true>(in + block, scanned + 1, size, scanned[0], nothing, false);
      for (; s <= job_.segments; ++s) {
        const index_t segment_end = job_.offset(s), at = segment_end - block;
        if (at > size) break;
        const lane inclusive = scanned[std::max(at, index_t{0})];
        if (s > 0 && segment_begin == segment_end) job_.store_empty(s - 1);
        else if (s > 0)
          out[s - 1] = as_item_of<decltype(job_.out)>(job_.with_initial(op, static_cast<T>(lane(inclusive - begin))));
        segment_begin = segment_end;
        begin = inclusive;
      }
      scanned[0] = scanned[size];
    }
#endif
  }

  Job job_;
};

}  // namespace onepass::detail

#include "../../../core/cpu/simd/level_end.inc"
