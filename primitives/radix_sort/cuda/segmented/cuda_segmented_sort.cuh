// SPDX-License-Identifier: Apache-2.0
// The launches of a segmented sort on CUDA. Only the device knows how many segments there are of each length, and the
// host does not wait. It leaves out the kernels for which no segment can be long enough.
//   many segments   a kernel for short ones, which lists the others; for long ones a histogram and all passes; beside
//                   these, kernels for medium ones: one by large blocks, one by small blocks
//   few segments    for long ones a list, a histogram and all passes; beside these, one kernel for all others, a block
//                   each
// A sort by an odd number of digits ends with a copy of the long ones.
#pragma once

#include "../../../../core/cuda/runtime/cuda_call_memory.cuh"
#include "../onesweep/range_passes.cuh"
#include "medium_segments.cuh"
#include "../cuda_sort.cuh"
#include "short_segments.cuh"

namespace onepass::detail {

// Hidden, as it is given a kernel (core/cuda/runtime/launch.cuh).
class ONEPASS_HIDDEN launch_blocks {
 public:
  // room: how many items a block has shared memory for.
  template <class Shape, class Kernel, class... Args>
  static void of(const char* call, Kernel kernel, index_t blocks, int room, cudaStream_t stream, const Args&... args) {
    const resident_blocks resident(kernel, Shape::threads, Shape::shared(Shape::items));
    (void)resident.allow_shared_memory(call);
    kernel_launch::dependent(call, resident, kernel, dim3(static_cast<unsigned>(blocks)), Shape::threads,
                             Shape::shared(room), stream, args...);
  }
};

// A segmented sort. The constructor describes its memory, run() launches. K: a sort_key. Bounds: a segment_bounds.
template <class K, class V, class Bounds>
class cuda_segmented_sorter {
  static constexpr bool alone = std::is_same_v<V, none>;
  using classes = segment_classes<K, V>;
  using small_block = typename classes::small_block;
  using large_block = typename classes::large_block;
  using tuning = typename classes::tuning;
  using word = std::uint64_t;  // of a descriptor, whatever the size, so that there is only one kernel

 public:
  cuda_segmented_sorter(const char* call, item_count size, bits_digits<K, true> digits, const Bounds& bounds,
                        layout& scratch)
      : call_(call),
        size_(size),
        digits_(digits),
        bounds_(bounds),
        are_few_(bounds.count <= few_segments_a_multiprocessor * multiprocessors(call)) {
    // How many segments of more than `items` items there may be.
    const auto longer_than = [&](index_t items) { return std::min(bounds.count, size.most / (items + 1)); };
    most_medium_[0] = are_few_ ? 0 : longer_than(classes::in_lanes);
    most_medium_[1] = are_few_ ? 0 : longer_than(small_block::items);
    most_long_ = longer_than(in_large_block());
    if (most_long_ > 0) {
      // A workspace for n items has to be enough for fewer items, too, although these may get smaller tiles.
      const index_t of_small = std::min(size.most, tuning::most_in_small) / classes::small_tile::items;
      tiles_ = std::max(of_small, size.most / tile_items()) + most_long_;
    }
    if (std::max(tiles_, most_medium_[0]) >= most_tiles)
      throw invalid_argument(call, "more items than one call can take");
    counts_at_ = scratch.add<segment_counts>(1);
    for (int which : {0, 1}) medium_at_[which] = scratch.add<item_range>(most_medium_[which]);
    long_at_ = scratch.add<item_range>(most_long_);
    plans_at_ = scratch.add<char>(most_long_ * static_cast<index_t>(split_plan::bytes_used(digits.positions())));
    tiles_at_ = scratch.add<range_tile>(tiles_);
    table_at_ = scratch.add<word>(tiles_ * digit_values * (digits.positions() > 1 ? 2 : 1));
  }

  std::size_t tiles() const { return 0; }  // of the workspace

  template <class Values>
  void run(buffer_route<K> keys, Values values, const split_memory& memory, cudaStream_t stream) const {
    if (bounds_.count == 0) return;
    const segmented_job<K, V> job{digits_, keys, values.primary, size_, lists_in(memory.scratch), ~0u};
    if (are_few_) sort_few(job, values, memory, stream);
    else sort_many(job, values, memory, stream);
    if (most_long_ == 0 || digits_.positions() % 2 == 0) return;
    launch_copy_back(job.keys, job.lists.long_segments, stream);
    if constexpr (!alone) launch_copy_back(values, job.lists.long_segments, stream);
  }

 private:
  segment_lists lists_in(void* scratch) const {
    auto* const counts = section<segment_counts>(scratch, counts_at_);
    return {counts,
            {section<item_range>(scratch, medium_at_[0]), section<item_range>(scratch, medium_at_[1])},
            {small_block::items, in_large_block()},
            {&counts->long_segments, section<item_range>(scratch, long_at_), section<unsigned char>(scratch, plans_at_),
             section<range_tile>(scratch, tiles_at_), digits_.positions(), tile_items()}};
  }
  bool has_small_tiles() const { return tiles_are_small<tuning>(call_, size_.most); }
  int tile_items() const { return has_small_tiles() ? classes::small_tile::items : classes::large_tile::items; }
  // How many items a large block sorts: fewer than large_block::items on a device with less shared memory.
  int in_large_block() const {
    constexpr int step = large_block::step;
    const std::size_t has = most_shared_memory(call_) - 1024;  // the kernels have some static shared memory, too
    int items = large_block::items;
    while (items > large_block::merged && large_block::shared(items) > has) items -= step;
    return std::max(items, large_block::merged);
  }

  template <class Values>
  void sort_many(const segmented_job<K, V>& job, Values values, const split_memory& memory, cudaStream_t stream) const {
    if (most_medium_[0] > 0) check_cuda(call_, cudaMemsetAsync(job.lists.counts, 0, sizeof(segment_counts), stream));
    launch_short_segments(call_, job, bounds_, stream);
    // Long ones come first: when their passes begin, the lists are complete, and the kernels after them can run beside
    // the passes.
    if (most_long_ > 0) sort_long(job, values, memory, dependency::wait_then_trigger, stream);
    if (most_medium_[1] > 0) {
      sort_medium<large_block>(job, 1, in_large_block(),
                               most_long_ > 0 ? dependency::trigger_only : dependency::wait_then_trigger, stream);
    }
    if (most_medium_[0] > 0) {
      sort_medium<small_block>(job, 0, small_block::items,
                               most_medium_[1] > 0 ? dependency::trigger_only : dependency::wait_then_trigger, stream);
    }
  }

  template <class Values>
  void sort_few(const segmented_job<K, V>& job, Values values, const split_memory& memory, cudaStream_t stream) const {
    if (most_long_ > 0) {
      const auto kernel = list_long_segments_kernel<Bounds>;
      const resident_blocks resident(kernel, list_threads, 0);
      kernel_launch::dependent(call_, resident, kernel, dim3(1), list_threads, 0, stream, bounds_, size_, job.lists);
      sort_long(job, values, memory, dependency::trigger_then_wait, stream);
    }
    const int room = static_cast<int>(std::min<index_t>(in_large_block(), round_up(size_.most, index_t{16})));
    launch_blocks::of<large_block>(call_, few_segments_kernel<large_block, K, V, Bounds>, bounds_.count, room, stream,
                                   job, bounds_, room,
                                   most_long_ > 0 ? dependency::trigger_only : dependency::wait_then_trigger);
  }

  template <class Shape>
  void sort_medium(const segmented_job<K, V>& job, int which, int room, dependency how, cudaStream_t stream) const {
    const int at_once = multiprocessors(call_) * Shape::blocks;
    launch_blocks::of<Shape>(call_, medium_segments_kernel<Shape, K, V>,
                             std::min<index_t>(most_medium_[which], at_once), room, stream, job, which, room, how);
  }

  template <class Values>
  void sort_long(const segmented_job<K, V>& job, Values values, const split_memory& memory, dependency how,
                 cudaStream_t stream) const {
    word* const table = section<word>(memory.scratch, table_at_);
    const plan_rules rules{true, true, rule_of_atomics<V>(digits_)};
    const range_job<K> ranges{job.digits, job.keys, job.size, job.lists.long_segments, job.minus_one};
    launch_range_histogram(call_, tiles_, ranges, table, rules, how, stream);
    const auto launch_passes = [&](auto shape) {
      launch_range_passes<atomic_ranking, decltype(shape)>(call_, tiles_, ranges, values, table, tuning::window,
                                                           stream);
    };
    if (has_small_tiles()) launch_passes(typename classes::small_tile());
    else launch_passes(typename classes::large_tile());
  }

  template <class Route>
  void launch_copy_back(Route route, const range_lists& lists, cudaStream_t stream) const {
    const auto kernel = range_copy_kernel<Route>;
    const resident_blocks resident(kernel, range_copy_threads, 0);
    const auto grid = static_cast<unsigned>(std::min<index_t>(tiles_, resident.on_this_device(call_)));
    kernel_launch::dependent(call_, resident, kernel, dim3(grid), range_copy_threads, 0, stream, route, lists);
  }

  const char* call_;
  item_count size_;
  bits_digits<K, true> digits_;
  Bounds bounds_;
  bool are_few_;
  index_t most_medium_[2], most_long_, tiles_ = 0;  // how many there may be
  std::size_t counts_at_, medium_at_[2], long_at_, plans_at_, tiles_at_, table_at_;
};

}  // namespace onepass::detail
