// SPDX-License-Identifier: Apache-2.0
// The launches of a split and of a sort on CUDA. What one block can sort takes one launch. Any other sort takes a histogram
// and a pass for each digit. Wide keys and many keys of 4 bytes may be sorted by their upper digits alone, and more launches
// finish the rest (msd_first/finish.cuh). In place and by an odd number of digits, a kernel at the end moves the result if it
// is in the other buffer. Nothing waits for the device: a pass without work is launched, too.
#pragma once

#include <optional>

#include "../../../core/cuda/runtime/cuda_call_memory.cuh"
#include "small/block_counting_sort.cuh"
#include "small/block_radix_sort.cuh"
#include "counting/counting_sort.cuh"
#include "msd_first/finish.cuh"
#include "onesweep/histogram.cuh"
#include "small/merge_tiles.cuh"
#include "onesweep/pass.cuh"
#include "sort_tuning.cuh"

namespace onepass::detail {

// The passes of a split or sort. The constructor describes their memory: plan, and descriptors of two passes. The rest launches.
template <class K, class V, class Tuning = split_tuning<sizeof(K), stored_size<V>>>
class cuda_split {
  using large = typename Tuning::large;
  using small = typename Tuning::small;
  using one_wave = typename Tuning::one_wave;
  using wide = typename Tuning::wide;

 public:
  // may_leave: whether the digits are such that a sort may leave out its lowest positions.
  cuda_split(const char* call, item_count size, int positions, layout& scratch, bool may_leave = true)
      : call_(call),
        size_(size),
        few_(call, size.most, may_leave && leaves_few_ties<K>(positions)),
        positions_(positions),
        is_wide_(descriptors_are_wide<Tuning>(call, size.most)) {
    // A workspace for n items has to be enough for fewer items, too, although these may get other tiles.
    const index_t n = size.most, narrow = std::min(n, Tuning::most_in_narrow_words);
    const bool has_large = has_room_for_large_tiles<Tuning>(call);
    const index_t by_small = tiles_of<small>(has_large ? std::min(narrow, Tuning::most_in_small) : narrow);
    const index_t by_large = has_large && n > Tuning::most_in_small ? tiles_of<large>(narrow) : 0;
    const index_t by_wide = is_wide_ ? tiles_of<wide>(n) : 0;
    is_small_ = !is_wide_ && by_large == 0;
    rows_ = static_cast<unsigned>(is_wide_ ? by_wide : is_small_ ? by_small : by_large);
    plan_ = scratch.add<split_plan>(1);
    index_t by_finish = 0;
    if (may_leave && has_large && n > few_.most_items()) may_leave_ = detail::may_leave<K, V, Tuning>(n, positions);
    if (may_leave_ == left_open::few_ties || may_leave_ == left_open::buckets) {
      sample_ = scratch.add<K>(most_sampled);
      finish_.emplace(narrow, positions, scratch);
      by_finish = finish_->rows();
      cleared_ = round_up(finish_->cleared_bytes(), table_alignment);
    }
    const index_t words = std::max({few_.most_tiles(), by_small, by_large, by_finish, 2 * by_wide}) * digit_values;
    tables_ =
        scratch.add<char>(cleared_ + words * static_cast<index_t>(sizeof(std::uint32_t)) * (positions > 1 ? 2 : 1));
  }

  split_plan* plan(void* scratch) const { return section<split_plan>(scratch, plan_); }

  template <class In, class Digits>
  void histogram(In in, Digits digits, plan_rules rules, const split_memory& memory, cudaStream_t stream) const {
    const index_t first_table = index_t{rows(rules)} * digit_values * static_cast<index_t>(word_bytes());
    launch_histogram(call_, in, size_, digits,
                     {plan(memory.scratch), section<char>(memory.scratch, tables_),
                      (cleared_ + first_table) / static_cast<index_t>(sizeof(uint4)), memory.head,
                      section<K>(memory.scratch, sample_)},
                     rules, stream);
  }

  // What is left open if the lowest digit positions are left out: only while descriptors are narrow, so that the passes
  // that sort long ranges are compiled for one width only; and by few tiles nothing, as their passes make the plan.
  left_open may_leave() const {
    const bool has_room = may_leave_ != left_open::buckets || suits_buckets<V>(call_, buckets(), size_.most);
    return has_room && !is_wide_ ? may_leave_ : left_open::nothing;
  }

  bucket_shape buckets() const {
    return sizeof(K) == 4 ? buckets_of(size_.most, Tuning::least_bucket_bits, Tuning::least_bucket_room)
                          : bucket_shape{};
  }

  // After the passes. Does nothing if the plan has left out no position.
  template <class AtomicRanking, class Digits, class Values>
  void finish(const Digits& digits, buffer_route<K> keys, Values values, const split_memory& memory,
              cudaStream_t stream) const {
    if constexpr (finishes_in_buckets<Digits> && stored_size<V> == 0) {
      if (may_leave_ == left_open::many_ties)
        return launch_fix_many_ties<Digits>(
            call_, {keys.alternate, keys.primary, size_, plan(memory.scratch), digits.of.flip()}, stream);
    }
    finish_->template run<AtomicRanking>(call_, digits, keys, values, size_, buckets(), plan(memory.scratch),
                                         section<range_counts>(memory.scratch, tables_),
                                         table<finish_word>(memory.scratch), memory, stream);
  }

  bool has_few_tiles() const { return few_.are_enough(); }

  // rules: those that the histogram was given.
  template <class AtomicRanking, class Digits, class Keys, class Values>
  void pass(int position, Digits digits, Keys keys, Values values, const plan_rules& rules, void* scratch,
            cudaStream_t stream) const {
    constexpr bool is_split = std::is_same_v<AtomicRanking, none>;  // which has fewer kernels
    constexpr bool is_sort = std::is_same_v<Keys, buffer_route<K>>;
    const auto digit = digits.at(position);
    const auto launch = [&](auto shape, auto word, auto... has_few_tiles) {
      using job = split_job<decltype(digits.at(0)), Keys, Values, decltype(word), decltype(has_few_tiles)::value...>;
      this->launch<AtomicRanking, decltype(shape), job>(position, digit, keys, values, rules, scratch, stream);
    };
    if constexpr (is_sort) {
      if (rules.has_few_tiles) return launch(typename Tuning::few(), std::uint32_t(), std::true_type());
    }
    if (is_small_) launch(small(), std::uint32_t());
    else if (is_wide_) launch(wide(), std::uint64_t());
    else if (fits_one_wave()) launch(std::conditional_t<is_split, large, one_wave>(), std::uint32_t());
    else launch(large(), std::uint32_t());
  }

 private:
  template <class Word>
  Word* table(void* scratch) const {
    return reinterpret_cast<Word*>(section<char>(scratch, tables_) + cleared_);
  }
  // Whether all of its tiles are resident at once, and not all large tiles.
  bool fits_one_wave() const {
    const index_t at_once = index_t{one_wave::blocks} * multiprocessors(call_);
    return tiles_of<one_wave>(size_.most) <= at_once && at_once < tiles_of<large>(size_.most);
  }
  std::size_t word_bytes() const { return is_wide_ ? 8 : 4; }
  unsigned rows(const plan_rules& rules) const {
    return rules.has_few_tiles ? static_cast<unsigned>(few_.most_tiles()) : rows_;
  }

  template <class AtomicRanking, class Shape, class job, class Digit, class Keys, class Values>
  void launch(int position, Digit digit, Keys keys, Values values, const plan_rules& rules, void* scratch,
              cudaStream_t stream) const {
    using Word = typename job::word;
    const auto kernel = split_pass_kernel<AtomicRanking, Shape, job>;
    constexpr std::size_t needed = sizeof(split_shared<Digit, V, Shape, Word>);
    static_assert(sizeof(Word) == 4 || needed <= Tuning::shared_of_wide);
    const std::size_t shared = job::has_few_tiles ? few_.shared(needed) : needed;
    const resident_blocks resident(kernel, Shape::threads, shared);
    const unsigned at_once = resident.on_this_device(call_);  // this also lets the kernel have its shared memory
    const int threads = job::has_few_tiles ? few_.threads() : Shape::threads;
    const auto grid = static_cast<unsigned>(divide_up(size_.most, index_t{threads} * Shape::per_thread));
    const int window = grid <= Tuning::few_waves * at_once ? Tuning::window : Tuning::window_of_many_waves;
    const job j{digit,
                position,
                keys,
                values,
                size_,
                plan(scratch),
                {table<Word>(scratch), table<Word>(scratch) + index_t{rows(rules)} * digit_values},
                rows(rules),
                grid,
                positions_ == 1,
                window,
                ~0u,
                positions_,
                rules};
    kernel_launch::dependent(call_, resident, kernel, dim3(grid), threads, shared, stream, j);
  }

  using finish_word = std::uint32_t;
  // Rows of tables begin where lines of L2 do. With tables 32 bytes behind that, passes take 5 % longer.
  static constexpr index_t table_alignment = 256;

  const char* call_;
  item_count size_;
  few_tiles<Tuning> few_;
  int positions_;
  bool is_wide_;  // descriptors have 64 bits
  bool is_small_ = false;
  unsigned rows_ = 0;  // of a table: as many as a pass may have tiles, unless there are few
  left_open may_leave_ = left_open::nothing;
  std::size_t plan_ = 0, sample_ = 0, tables_ = 0;
  std::optional<msd_first_finish<K, V, large, finish_word>> finish_;
  index_t cleared_ = 0;  // bytes before the tables, for the finish
};

// Splits by the digit at each position in turn. The result ends in the primary buffers. Keys and values are sorted both
// in place, or both to another range. AtomicRanking: atomic_ranking, except in tests.
template <class AtomicRanking = atomic_ranking, class K, class V, class Tuning, class Digits, class Values>
void cuda_sort_by_passes(const char* call, const cuda_split<K, V, Tuning>& split, const Digits& digits,
                         buffer_route<K> keys, Values values, item_count size, const split_memory& memory,
                         cudaStream_t stream) {
  const left_open may_leave = detail::may_leave_positions(call, digits) ? split.may_leave() : left_open::nothing;
  const plan_rules rules{true,      keys.is_in_place(),    rule_of_atomics<V>(digits),
                         may_leave, split.has_few_tiles(), split.buckets()};
  split.histogram(keys.input, digits, rules, memory, stream);
  for (int position = 0; position < digits.positions(); ++position) {
    split.template pass<AtomicRanking>(position, digits, keys, values, rules, memory.scratch, stream);
  }
  if constexpr (may_be_msd_first<Digits>) {
    if (may_leave != left_open::nothing) split.template finish<AtomicRanking>(digits, keys, values, memory, stream);
  }
  if (!rules.in_place || digits.positions() % 2 == 0) return;
  const bool* const in_alternate = &split.plan(memory.scratch)->result_in_alternate;
  launch_copy(call, keys.primary, static_cast<const K*>(keys.alternate), size, in_alternate, stream);
  if constexpr (!std::is_same_v<V, none>)
    launch_copy(call, values.primary, static_cast<const V*>(values.alternate), size, in_alternate, stream);
}

// A sort of a whole array. The constructor describes its memory, run() launches. The keys are of a sort_key type.
template <class Digits, class V>
class cuda_sorter {
  using K = typename Digits::key;
  static constexpr bool alone = std::is_same_v<V, none>;
  static constexpr bool may_count = alone && Digits::is_checkable && is_integer_key<K> && sizeof(K) <= 2;
  static constexpr index_t least_to_count = sizeof(K) == 1 ? 0 : index_t{1} << 25;  // for fewer keys, passes are faster
  using one_block = block_sort<Digits, V>;
  static constexpr bool may_merge = merge_sort<Digits, V>::is_possible;
  // More than one tile only where the sort's order is seen from the key's bits at once.
  static constexpr index_t most_merged =
      Digits::is_checkable ? split_tuning<sizeof(K), stored_size<V>>::most_merged : merge_sort<Digits, V>::tile;

 public:
  cuda_sorter(const char* call, item_count size, const Digits& digits, layout& scratch)
      : call_(call), size_(size), digits_(digits), method_(method_for(call, size.most, digits)) {
    if (!needs_plan()) return;
    const bool counts = method_ == method::counting;
    if (counts) counts_ = sizeof(K) == 1 ? scratch.add<split_plan>(1) : scratch.add<wide_counts>(1);
    // A workspace for n items has to be enough for fewer items, too: those are sorted by passes.
    if (!counts || least_to_count > 0) {
      const item_count by_passes{counts ? least_to_count - 1 : size.most, size.size};
      split_.emplace(call, by_passes, digits.positions(), scratch, may_leave_positions(call, digits));
    }
  }

  // How many tiles the workspace needs. Where it is one, only the control block before it is used.
  std::size_t tiles() const { return needs_plan() ? 1 : 0; }

  template <class Values>
  void run(buffer_route<K> keys, Values values, const split_memory& memory, cudaStream_t stream,
           const index_output& output = {}) const {
    switch (method_) {
      case method::counting_in_block:
        if constexpr (may_count && sizeof(K) == 1)
          launch_block_count(call_, keys.input, keys.primary, size_, digits_.of.flip(), stream);
        return;
      case method::one_block: {
        const block_sort_items<K, V> items{keys.input, keys.primary, values.input, values.primary, output.widened};
        return one_block::launch(call_, digits_, items, size_, stream);
      }
      case method::merging:
        if constexpr (may_merge) sort_by_merging<Digits, V>(call_, digits_, keys, values, size_, output, stream);
        return;
      case method::passes:
        return cuda_sort_by_passes(call_, *split_, digits_, keys, detail::ending_in(values, output), size_, memory,
                                   stream);
      case method::counting:
        if constexpr (may_count) count_and_fill(keys, memory, stream);
    }
  }

  // Whether run() stores indices in 8 bytes, where that is wanted, whatever the keys are. Else the device says so.
  bool always_widens() const { return method_ != method::passes; }
  const bool* is_narrow(void* scratch) const { return split_ ? &split_->plan(scratch)->result_is_narrow : nullptr; }

 private:
  enum class method { counting_in_block, one_block, merging, passes, counting };
  bool needs_plan() const { return method_ == method::passes || method_ == method::counting; }
  static method method_for(const char* call, index_t n, const Digits& digits) {
    if constexpr (may_merge) {
      if (n <= most_merged && merge_sort<Digits, V>::suits(call, n, digits)) return method::merging;
    }
    const bool may_count_these = may_count && digits.is_whole_key();
    if (may_count_these && sizeof(K) == 1 && n <= most_counted_by_block) return method::counting_in_block;
    if (one_block::holds(call, n)) return method::one_block;
    const bool counts = may_count_these && n >= least_to_count;
    const bool has_room = sizeof(K) == 1 || count_shared_bytes < most_shared_memory(call);
    return counts && has_room ? method::counting : method::passes;
  }

  void count_and_fill(const buffer_route<K>& keys, const split_memory& memory, cudaStream_t stream) const {
    if constexpr (sizeof(K) == 1) {
      auto* plan = section<split_plan>(memory.scratch, counts_);
      launch_histogram(call_, keys.input, size_, digits_, {plan, nullptr, 0, memory.head}, plan_rules{}, stream);
      launch_fill_runs(call_, keys.primary, size_, plan->count[0], digits_.of.flip(), stream);
    } else {
      auto* counts = section<wide_counts>(memory.scratch, counts_);
      launch_count_keys(call_, keys.input, size_, digits_.of.flip(), counts, stream);
      launch_fill_runs(call_, keys.primary, size_, counts->of, digits_.of.flip(), stream);
    }
  }

  const char* call_;
  item_count size_;
  Digits digits_;
  method method_;
  std::optional<cuda_split<K, V>> split_;
  std::size_t counts_ = 0;
};

}  // namespace onepass::detail
