// SPDX-License-Identifier: Apache-2.0
// The launches of a split and of a sort on CUDA: clear the plan and the first descriptors, histogram, a pass a digit, and
// for a sort of an odd number of digits a last kernel that moves the result if it ended in the other buffer. Nothing here
// waits for the device: a pass that would move nothing is launched and returns at once.
#pragma once

#include <optional>

#include "../../core/cuda/memory.cuh"
#include "cuda_counting_sort.cuh"
#include "cuda_histogram.cuh"
#include "cuda_pass.cuh"
#include "cuda_tuning.cuh"

namespace onepass::detail {

constexpr int copy_threads = 256;

// to[i] = from[i] for all i, if the plan says so (or there is none).
template <class To, class From>
__global__ void __launch_bounds__(copy_threads) copy_kernel(To to, From from, item_count size, const split_plan* plan) {
  if (plan != nullptr && !plan->result_in_alternate) return;
  const index_t n = size.get(), step = static_cast<index_t>(gridDim.x) * copy_threads;
  for (index_t i = static_cast<index_t>(blockIdx.x) * copy_threads + threadIdx.x; i < n; i += step) to[i] = from[i];
}
template <class To, class From>
void launch_copy(const char* call, To to, From from, item_count size, const split_plan* plan, cudaStream_t stream) {
  // No more blocks than are resident: mostly there is nothing to do, and blocks that return at once cost time, too.
  static resident_blocks resident(copy_kernel<To, From>, copy_threads, 0);
  const auto grid = static_cast<unsigned>(
      std::min<index_t>(divide_up(size.most, index_t{copy_threads} * 4), resident.on_this_device(call)));
  launch_kernel(call, copy_kernel<To, From>, dim3(grid), copy_threads, 0, stream, to, from, size, plan);
}

// The passes of a split or of a sort, whose memory is described before: the plan, and descriptors for two passes.
template <class K, class V, class Tuning = split_tuning<sizeof(K), stored_size<V>>>
class cuda_split {
  using large = typename Tuning::large;
  using small = typename Tuning::small;

 public:
  cuda_split(const char* call, item_count size, int places, layout& scratch)
      : call_(call), size_(size), places_(places), is_small_(size.most <= Tuning::most_in_small) {
    const index_t n = size.most;
    // What serves n serves fewer items, too, though those may get smaller tiles.
    const index_t if_small = tiles_of<typename small::ballots>(std::min(n, Tuning::most_in_small));
    const index_t rows = std::max(if_small, is_small_ ? 0 : tiles_of<typename large::ballots>(n));
    if (rows >= most_tiles) throw invalid_argument(call, "more items than one call can take");
    rows_ = static_cast<unsigned>(is_small_ ? if_small : tiles_of<typename large::ballots>(n));
    const index_t bytes_of_row = digit_values * static_cast<index_t>(word_bytes());
    plan_ = scratch.add<split_plan>(1);
    tables_ = scratch.add<char>(rows * bytes_of_row * (places > 1 ? 2 : 1));
    cleared_ = tables_ - plan_ + static_cast<std::size_t>(rows_ * bytes_of_row);
  }

  split_plan* plan(void* scratch) const { return section<split_plan>(scratch, plan_); }

  template <class In, class Digits>
  void histogram(In in, Digits digits, plan_rules rules, void* scratch, cudaStream_t stream) const {
    launch_histogram(call_, in, size_, digits, plan(scratch), cleared_, rules, stream);
  }

  template <class LaneOrder, class Digits, class Keys, class Values>
  void pass(int place, Digits digits, Keys keys, Values values, void* scratch, cudaStream_t stream) const {
    const auto digit = digits.at(place);
    if (is_small_) launch<LaneOrder, small, std::uint32_t>(place, digit, keys, values, scratch, stream);
    else if (word_bytes() == 4) launch<LaneOrder, large, std::uint32_t>(place, digit, keys, values, scratch, stream);
    else launch<LaneOrder, large, std::uint64_t>(place, digit, keys, values, scratch, stream);
  }

 private:
  std::size_t word_bytes() const { return is_small_ || size_.most <= Tuning::most_in_narrow_words ? 4 : 8; }

  template <class LaneOrder, class Shapes, class Word, class Digit, class Keys, class Values>
  void launch(int place, Digit digit, Keys keys, Values values, void* scratch, cudaStream_t stream) const {
    using job = split_job<Digit, Keys, Values, Word>;
    using first_choice =
        std::conditional_t<std::is_same_v<LaneOrder, never>, typename Shapes::ballots, typename Shapes::lane_order>;
    const auto kernel = split_pass_kernel<LaneOrder, Shapes, job>;
    constexpr std::size_t shared = sizeof(split_shared<typename Digit::held, V, first_choice, Word>);
    static resident_blocks resident(kernel, Shapes::threads, shared);
    (void)resident.on_this_device(call_);  // lets the kernel have its shared memory
    Word* table = section<Word>(scratch, tables_);
    const job j{digit, place,        keys, values, size_, plan(scratch), {table, table + index_t{rows_} * digit_values},
                rows_, places_ == 1, ~0u};
    const dim3 grid(static_cast<unsigned>(tiles_of<first_choice>(size_.most)));
    launch_dependent(call_, resident, kernel, grid, Shapes::threads, shared, stream, j);
  }

  const char* call_;
  item_count size_;
  int places_;
  bool is_small_;
  unsigned rows_ = 0;  // of the tables: the most tiles that a pass has
  std::size_t plan_ = 0, tables_ = 0;
  std::size_t cleared_ = 0;  // bytes: the plan and the first pass's table
};

// Splits by each place in turn. The result ends in the routes' primary buffers. LaneOrder: by_lane_order, except in tests.
template <class LaneOrder = by_lane_order, class K, class V, class Tuning, class Values>
void cuda_sort_by_passes(const char* call, const cuda_split<K, V, Tuning>& split, key_digits<K> digits,
                         buffer_route<K> keys, Values values, item_count size, void* scratch, cudaStream_t stream) {
  constexpr bool alone = std::is_same_v<V, no_value>;
  using order = std::conditional_t<alone, LaneOrder, never>;
  const held_digits<K, true> held{digits};
  // Keys alone, all of their bits, no -0 among them: equal ones cannot be told apart.
  const bool may_be_free = alone && digits.is_whole_key();
  split.histogram(static_cast<const K*>(keys.primary), held,
                  plan_rules{true, may_be_free, Tuning::share_for_lane_order}, scratch, stream);
  for (int place = 0; place < digits.places(); ++place) {
    split.template pass<order>(place, held, keys, values, scratch, stream);
  }
  if (digits.places() % 2 == 0) return;
  launch_copy(call, keys.primary, static_cast<const K*>(keys.alternate), size, split.plan(scratch), stream);
  if constexpr (!alone) {
    launch_copy(call, values.primary, static_cast<const V*>(values.alternate), size, split.plan(scratch), stream);
  }
}

// A sort whose memory is described before.
template <class K, class V>
class cuda_sorter {
  static constexpr bool may_count = std::is_same_v<V, no_value> && std::is_integral_v<K> && sizeof(K) <= 2;
  static constexpr index_t least_to_count = sizeof(K) == 1 ? 0 : index_t{1} << 25;  // below, passes are faster

 public:
  cuda_sorter(const char* call, item_count size, key_digits<K> digits, layout& scratch)
      : call_(call), size_(size), digits_(digits) {
    const bool counts = may_count && digits.is_whole_key() && size.most >= least_to_count;
    if (counts) counts_ = sizeof(K) == 1 ? scratch.add<split_plan>(1) : scratch.add<wide_counts>(1);
    // What serves n serves fewer items, too.
    if (!counts || least_to_count > 0) {
      const item_count by_passes{counts ? least_to_count - 1 : size.most, size.size};
      split_.emplace(call, by_passes, digits.places(), scratch);
    }
    counts_all_ = counts;
  }

  template <class Values>
  void run(buffer_route<K> keys, Values values, void* scratch, cudaStream_t stream) const {
    if constexpr (may_count) {
      if (counts_all_) return count_and_fill(keys.primary, scratch, stream);
    }
    cuda_sort_by_passes(call_, *split_, digits_, keys, values, size_, scratch, stream);
  }

 private:
  void count_and_fill(K* keys, void* scratch, cudaStream_t stream) const {
    const unsigned flip = digits_.flip();
    if constexpr (sizeof(K) == 1) {
      auto* plan = section<split_plan>(scratch, counts_);
      launch_histogram(call_, static_cast<const K*>(keys), size_, held_digits<K, true>{digits_}, plan, sizeof *plan,
                       plan_rules{}, stream);
      launch_fill_runs(call_, keys, size_, plan->count[0], flip, stream);
    } else {
      auto* counts = section<wide_counts>(scratch, counts_);
      launch_count_keys(call_, static_cast<const K*>(keys), size_, flip, counts, stream);
      launch_fill_runs(call_, keys, size_, counts->of, flip, stream);
    }
  }

  const char* call_;
  item_count size_;
  key_digits<K> digits_;
  std::optional<cuda_split<K, V>> split_;
  std::size_t counts_ = 0;
  bool counts_all_ = false;
};

}  // namespace onepass::detail
