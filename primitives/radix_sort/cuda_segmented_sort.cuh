// SPDX-License-Identifier: Apache-2.0
// The launches of a segmented sort on CUDA: short segments; middle ones by small blocks and by large ones; for long ones a
// histogram, all passes, and for an odd number of digits a copy. Those for which no segment can be long enough are left out;
// how many segments there are of each kind is known on the device only, and the host does not wait.
#pragma once

#include "../../core/cuda/memory.cuh"
#include "cuda_long_segments.cuh"
#include "cuda_run.cuh"

namespace onepass::detail {

// A segmented sort whose memory is described before. K: a sort_key. Bounds: a segment_bounds.
template <class K, class V, class Bounds>
class cuda_segmented_sorter {
  static constexpr bool alone = std::is_same_v<V, no_value>;
  using classes = segment_classes<K, V>;
  using small_block = typename classes::small_block;
  using large_block = typename classes::large_block;
  using tile = typename classes::tile;
  using word = std::uint64_t;  // of the look-back, whatever the size: a kernel less
  using tuning = split_tuning<sizeof(K), stored_size<V>>;

 public:
  cuda_segmented_sorter(const char* call, item_count size, held_digits<K, true> digits, const Bounds& bounds,
                        layout& scratch)
      : call_(call), size_(size), digits_(digits), bounds_(bounds) {
    // As many segments of more than `items` as there may be.
    const auto longer_than = [&](index_t items) { return std::min(bounds.count, size.most / (items + 1)); };
    middle_[0] = longer_than(classes::in_lanes);
    middle_[1] = longer_than(small_block::items);
    longs_ = longer_than(in_large_block());
    tiles_ = longs_ == 0 ? 0 : size.most / tile::items + longs_;
    if (std::max(tiles_, middle_[0]) >= most_tiles) throw invalid_argument(call, "more items than one call can take");
    counts_at_ = scratch.add<segment_counts>(1);
    for (int which : {0, 1}) middle_at_[which] = scratch.add<item_range>(middle_[which]);
    longs_at_ = scratch.add<item_range>(longs_);
    plans_at_ = scratch.add<char>(longs_ * static_cast<index_t>(split_plan::bytes_used(digits.places())));
    tiles_at_ = scratch.add<segment_tile>(tiles_);
    table_at_ = scratch.add<word>(tiles_ * digit_values * (digits.places() > 1 ? 2 : 1));
  }

  std::size_t tiles() const { return 0; }  // of the workspace

  template <class Values>
  void run(buffer_route<K> keys, Values values, const split_memory& memory, cudaStream_t stream) const {
    if (bounds_.count == 0) return;
    const segmented_job<K, V> job{digits_, keys, values.primary, size_, lists_in(memory.scratch), ~0u};
    if (middle_[0] > 0) check_cuda(call_, cudaMemsetAsync(job.lists.counts, 0, sizeof(segment_counts), stream));
    launch_short_segments(call_, job, bounds_, stream);
    if (middle_[0] > 0) sort_middle<small_block>(job, 0, small_block::items, stream);
    if (middle_[1] > 0) sort_middle<large_block>(job, 1, in_large_block(), stream);
    if (longs_ > 0) sort_long(job, values, section<word>(memory.scratch, table_at_), stream);
  }

 private:
  segment_lists lists_in(void* scratch) const {
    return {section<segment_counts>(scratch, counts_at_),
            {section<item_range>(scratch, middle_at_[0]), section<item_range>(scratch, middle_at_[1])},
            section<item_range>(scratch, longs_at_),
            section<unsigned char>(scratch, plans_at_),
            section<segment_tile>(scratch, tiles_at_),
            digits_.places(),
            {small_block::items, in_large_block()}};
  }
  // As much as this device's shared memory holds, if that is less than what pays.
  int in_large_block() const {
    constexpr int step = 512;
    int items = large_block::items;
    while (items > step && block_sort_bytes<K, V>(items, large_block::threads) > most_shared_memory(call_))
      items -= step;
    return items;
  }

  template <class Shape>
  void sort_middle(const segmented_job<K, V>& job, int which, int room, cudaStream_t stream) const {
    const auto kernel = middle_segments_kernel<Shape, K, V>;
    static resident_blocks resident(kernel, Shape::threads, block_sort_bytes<K, V>(Shape::items, Shape::threads));
    (void)resident.allow_shared_memory(call_);
    const int at_once = multiprocessors(call_) * Shape::blocks;
    const auto grid = static_cast<unsigned>(std::min<index_t>(middle_[which], at_once));
    launch_dependent(call_, resident, kernel, dim3(grid), Shape::threads, block_sort_bytes<K, V>(room, Shape::threads),
                     stream, job, which, room);
  }

  template <class Values>
  void sort_long(const segmented_job<K, V>& job, Values values, word* table, cudaStream_t stream) const {
    // Keys alone, all of their bits, no -0 among them: equal ones cannot be told apart.
    const bool may_be_free = alone && digits_.is_whole_key();
    launch_histogram(job, plan_rules{true, may_be_free, tuning::share_for_lane_order}, table, stream);
    launch_passes(job, values, table, stream);
    if (digits_.places() % 2 == 0) return;
    launch_copy_back(job.keys, job.lists, stream);
    if constexpr (!alone) launch_copy_back(values, job.lists, stream);
  }

  void launch_histogram(const segmented_job<K, V>& job, plan_rules rules, word* table, cudaStream_t stream) const {
    const auto kernel = segment_histogram_kernel<tile, word, K, V>;
    static resident_blocks resident(kernel, segment_histogram_threads, 0);
    const auto grid = static_cast<unsigned>(std::min<index_t>(tiles_, resident.on_this_device(call_)));
    const auto digits = all_digits(digits_, std::make_integer_sequence<int, held_digits<K, true>::most_places>());
    launch_dependent(call_, resident, kernel, dim3(grid), segment_histogram_threads, 0, stream, job, digits, table,
                     rules);
  }

  template <class Values>
  void launch_passes(const segmented_job<K, V>& job, Values values, word* table, cudaStream_t stream) const {
    using order = std::conditional_t<alone, by_lane_order, never>;
    using split = split_job<held_digit<K, true>, buffer_route<K>, Values, word>;
    const auto kernel = segment_passes_kernel<order, tile, split, held_digits<K, true>>;
    constexpr std::size_t shared = sizeof(split_shared<held_bits<K>, V, tile, word>);
    static resident_blocks resident(kernel, tile::threads, shared);
    const auto grid = static_cast<unsigned>(std::min<index_t>(tiles_, resident.on_this_device(call_)));
    const split all{digits_.at(0),
                    0,
                    job.keys,
                    values,
                    size_,
                    nullptr,
                    {table, table + tiles_ * digit_values},
                    0,
                    digits_.places() == 1,
                    tuning::window,
                    job.minus_one};
    launch_dependent(call_, resident, kernel, dim3(grid), tile::threads, shared, stream, all, digits_, job.lists);
  }

  template <class Route>
  void launch_copy_back(Route route, const segment_lists& lists, cudaStream_t stream) const {
    const auto kernel = segment_copy_kernel<tile, Route>;
    static resident_blocks resident(kernel, tile::threads, 0);
    const auto grid = static_cast<unsigned>(std::min<index_t>(tiles_, resident.on_this_device(call_)));
    launch_dependent(call_, resident, kernel, dim3(grid), tile::threads, 0, stream, route, lists);
  }

  const char* call_;
  item_count size_;
  held_digits<K, true> digits_;
  Bounds bounds_;
  index_t middle_[2], longs_, tiles_;  // how many there may be
  std::size_t counts_at_, middle_at_[2], longs_at_, plans_at_, tiles_at_, table_at_;
};

}  // namespace onepass::detail
