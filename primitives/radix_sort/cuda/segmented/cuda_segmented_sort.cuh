// SPDX-License-Identifier: Apache-2.0
// The launches of a segmented sort on CUDA. Only the device knows how many segments there are of each length, and the
// host does not wait. It leaves out the kernels for which no segment can be long enough.
//   many segments   a kernel for short ones, which lists the others; for long ones a histogram and all passes; beside
//                   these, a kernel for medium ones by each kind of blocks
//   few segments    for long ones a list, a histogram and all passes; beside these, one kernel for all others, a block
//                   each. If the mean length lets suppose that none is long, this kernel comes first and makes the list;
//                   where its blocks are smaller ones, a kernel for those that they do not hold comes last
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
  using middle_block = typename classes::middle_block;
  using large_block = typename classes::large_block;
  using row_block = typename classes::row_block;
  using tuning = typename classes::tuning;
  using word = std::uint64_t;  // of a descriptor, whatever the size, so that there is only one kernel

 public:
  cuda_segmented_sorter(const char* call, item_count size, bits_digits<K, true> digits, const Bounds& bounds,
                        layout& scratch)
      : call_(call),
        size_(size),
        digits_(digits),
        bounds_(bounds),
        items_in_{small_block::items, items_in<middle_block>(call, small_block::items),
                  items_in<large_block>(call, large_block::merged)},
        are_few_(bounds.count <= few_segments_a_multiprocessor * multiprocessors(call)) {
    if (are_few_ && mean() <= large_block::merged)
      items_in_[kinds_of_blocks - 1] = std::min(items_in_[kinds_of_blocks - 1], classes::in_large_beside_cache);
    items_in_[1] = std::min(items_in_[1], items_in_[2]);  // with little shared memory, large blocks may hold fewer
    // How many segments of more than `items` items there may be.
    const auto longer_than = [&](index_t items) {
      return bounds.longest(size.most) <= items ? 0 : std::min(bounds.count, size.most / (items + 1));
    };
    index_t above = classes::in_lanes;
    for (int kind = 0; kind < kinds_of_blocks; ++kind) {
      most_medium_[kind] = are_few_ || items_in_[kind] <= above ? 0 : longer_than(above);
      above = items_in_[kind];
    }
    // A workspace for n items has to be enough for fewer, too, of which blocks may take fewer.
    const index_t least = are_few_ ? std::min(above, index_t{classes::in_large_beside_cache}) : above;
    most_long_ = longer_than(above) == 0 ? 0 : longer_than(least);
    // Also where no segment of these items is long: of fewer items, whose mean blocks merge, one may be.
    // All rows have one length.
    const bool may_be_long = are_few_ && !std::is_same_v<Bounds, row_bounds> &&
                             std::min(size.most, (index_t{large_block::merged} + 1) * bounds.count - 1) > least;
    const index_t room_for_long = may_be_long ? longer_than(least) : most_long_;
    // Also where a list of the long ones is made first, as fewer items may have blocks first.
    if (are_few_ && bounds.count > multiprocessors(call))
      most_medium_[kinds_of_blocks - 1] = longer_than(in_row_beside_cache());
    if (room_for_long > 0) {
      // A workspace for n items has to be enough for fewer items, too, although these may get smaller tiles.
      const index_t of_small = std::min(size.most, tuning::most_in_small) / classes::small_tile::items;
      tiles_ = std::max(of_small, size.most / tile_items()) + room_for_long;
    }
    if (std::max(tiles_, most_medium_[0]) >= most_tiles)
      throw invalid_argument(call, "more items than one call can take");
    counts_at_ = scratch.add<segment_counts>(1);
    for (int kind = 0; kind < kinds_of_blocks; ++kind) medium_at_[kind] = scratch.add<item_range>(most_medium_[kind]);
    long_at_ = scratch.add<item_range>(room_for_long);
    plans_at_ = scratch.add<char>(room_for_long * static_cast<index_t>(split_plan::bytes_used(digits.positions())));
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
    const auto medium = [&](int kind) { return section<item_range>(scratch, medium_at_[kind]); };
    return {counts,
            {medium(0), medium(1), medium(2)},
            {items_in_[0], items_in_[1], items_in_[2]},
            {&counts->long_segments, section<item_range>(scratch, long_at_), section<unsigned char>(scratch, plans_at_),
             section<range_tile>(scratch, tiles_at_), digits_.positions(), tile_items()}};
  }
  bool has_small_tiles() const { return tiles_are_small<tuning>(call_, size_.most); }
  int tile_items() const { return has_small_tiles() ? classes::small_tile::items : classes::large_tile::items; }
  // How many items a block of this device sorts, if it has less shared memory than Shape takes. At least `least`, for
  // which another way has room.
  template <class Shape>
  static int items_in(const char* call, int least) {
    const std::size_t has = most_shared_memory(call) - 1024;  // the kernels have some static shared memory, too
    int items = Shape::items;
    while (items > least && Shape::shared(items) > has) items -= Shape::step;
    return std::max(items, least);
  }

  template <class Values>
  void sort_many(const segmented_job<K, V>& job, Values values, const split_memory& memory, cudaStream_t stream) const {
    if (most_medium_[0] > 0) check_cuda(call_, cudaMemsetAsync(job.lists.counts, 0, sizeof(segment_counts), stream));
    launch_short_segments(call_, job, bounds_, stream);
    // Long ones come first: when their passes begin, the lists are complete, and the kernels after them can run beside
    // the passes.
    if (most_long_ > 0) sort_long(job, values, memory, dependency::wait_then_trigger, stream);
    auto how = most_long_ > 0 ? dependency::trigger_only : dependency::wait_then_trigger;
    const auto sort = [&](auto shape, int kind) {
      if (most_medium_[kind] == 0) return;
      sort_medium<decltype(shape)>(job, kind, how, stream);
      how = dependency::trigger_only;
    };
    sort(large_block(), 2);
    sort(middle_block(), 1);
    sort(small_block(), 0);
  }

  // Where few segments have lengths that only the device knows, but of a mean that a block merges, most likely none of
  // them is long. Then a block for each begins at once, and the others come behind. Else a list of the long ones is made
  // first, so that they are sorted beside the others.
  bool begins_with_blocks() const { return are_few_ && most_long_ > 0 && mean() <= large_block::merged; }
  // Of rows the length, as the last one may be far shorter.
  index_t mean() const {
    if constexpr (std::is_same_v<Bounds, row_bounds>) return bounds_.longest(size_.most);
    else return size_.most / std::max<index_t>(bounds_.count, 1);
  }
  // More blocks than multiprocessors, two of which fit one multiprocessor. With a lower mean, some may be far longer.
  bool takes_row_blocks() const { return bounds_.count > multiprocessors(call_) && mean() >= least_mean_of_row_blocks; }
  int in_row_block() const { return items_in<row_block>(call_, row_block::merged); }
  int in_row_beside_cache() const { return std::min(in_row_block(), classes::in_row_beside_cache); }

  template <class Values>
  void sort_few(const segmented_job<K, V>& job, Values values, const split_memory& memory, cudaStream_t stream) const {
    if (begins_with_blocks()) return begin_with_blocks(job, values, memory, stream);
    if (most_long_ > 0) {
      const auto kernel = list_long_segments_kernel<Bounds>;
      const resident_blocks resident(kernel, list_threads, 0);
      kernel_launch::dependent(call_, resident, kernel, dim3(1), list_threads, 0, stream, bounds_, size_, job.lists);
      sort_long(job, values, memory, dependency::trigger_then_wait, stream);
    }
    const auto how = most_long_ > 0 ? dependency::trigger_only : dependency::wait_then_trigger;
    if (bounds_.longest(size_.most) <= in_row_block())
      sort_by_blocks<row_block>(job, in_row_block(), false, how, stream);
    else sort_by_blocks<large_block>(job, items_in_[2], false, how, stream);
  }

  template <class Values>
  void begin_with_blocks(const segmented_job<K, V>& job, Values values, const split_memory& memory,
                         cudaStream_t stream) const {
    constexpr auto first = dependency::wait_then_trigger;
    if (takes_row_blocks()) {
      sort_by_blocks<row_block>(job, in_row_beside_cache(), true, first, stream);
      sort_long(job, values, memory, dependency::wait_then_trigger, stream);
      if (most_medium_[2] > 0) sort_medium<large_block>(job, 2, dependency::trigger_only, stream);
    } else {
      sort_by_blocks<large_block>(job, items_in_[2], true, first, stream);
      sort_long(job, values, memory, dependency::trigger_then_wait, stream);
    }
  }

  // A block for each segment of up to `most` items.
  template <class Shape>
  void sort_by_blocks(const segmented_job<K, V>& job, int most, bool lists_others, dependency how,
                      cudaStream_t stream) const {
    const index_t longest = bounds_.longest(size_.most);
    const int room = static_cast<int>(std::min(index_t{most}, round_up(longest, index_t{16})));
    launch_blocks::of<Shape>(call_, few_segments_kernel<Shape, K, V, Bounds>, bounds_.count + lists_others, room,
                             stream, job, bounds_, room, most, lists_others, how);
  }

  template <class Shape>
  void sort_medium(const segmented_job<K, V>& job, int kind, dependency how, cudaStream_t stream) const {
    const int at_once = multiprocessors(call_) * Shape::blocks, room = items_in_[kind];
    launch_blocks::of<Shape>(call_, medium_segments_kernel<Shape, K, V>, std::min<index_t>(most_medium_[kind], at_once),
                             room, stream, job, kind, room, how);
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
  int items_in_[kinds_of_blocks];  // how many items a block sorts
  bool are_few_;
  index_t most_medium_[kinds_of_blocks], most_long_, tiles_ = 0;  // how many there may be
  std::size_t counts_at_, medium_at_[kinds_of_blocks], long_at_, plans_at_, tiles_at_, table_at_;
};

}  // namespace onepass::detail
