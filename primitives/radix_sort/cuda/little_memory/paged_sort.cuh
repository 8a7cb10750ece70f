// SPDX-License-Identifier: Apache-2.0
// The launches of a stable sort in place with little scratch: a histogram, a pass for each digit (paged_pass.cuh) over
// pages (pages.cuh), and then each page is moved to where it belongs (restore_pages.cuh).
#pragma once

#include "../../../../core/cuda/runtime/cuda_call_memory.cuh"
#include "../onesweep/histogram.cuh"
#include "../sort_tuning.cuh"
#include "paged_pass.cuh"
#include "restore_pages.cuh"

namespace onepass::detail {

// Shapes of tiles. A block waits more often than one of the usual pass, for pages and for their numbers. So there are
// three blocks on a multiprocessor, where registers and shared memory allow.
template <std::size_t key_bytes, std::size_t value_bytes>
struct paged_tuning : split_tuning<key_bytes, value_bytes> {
  using usual = split_tuning<key_bytes, value_bytes>;
  using keys = pass_shape<digit_values, 40, 3>;
  using pairs = pass_shape<digit_values, 24, 3>;
  using large = std::conditional_t<(key_bytes > 4 || value_bytes > 4), typename usual::large_of_pages,
                                   std::conditional_t<value_bytes == 0, keys, pairs>>;
  // A block's shared memory: a tile's, and what it keeps of pages.
  template <class Shape>
  static constexpr std::size_t shared_with_pages = usual::template shared_of<Shape> + sizeof(block_pages);
  static_assert(shared_with_pages<typename usual::small> <= room_everywhere);

  // Where descriptors have 64 bits. Narrow items take larger tiles, as two tables for the others would take more than
  // n/8 of such items.
  static constexpr int a_thread = value_bytes == 0 ? 36 : key_bytes + value_bytes <= 4 ? 24 : 20;
  using narrow = pass_shape<2 * digit_values, a_thread, 1>;
  static constexpr bool are_narrow = value_bytes == 0 ? key_bytes <= 2 : key_bytes + value_bytes <= 5;
  static constexpr int usual_a_thread = usual::wide::per_thread;
  static constexpr bool usual_fits = shared_with_pages<typename usual::wide> <= room_everywhere;
  using others =
      pass_shape<usual::wide::threads, usual_fits ? usual_a_thread : usual_a_thread - 4, usual::wide::blocks>;
  using wide =
      std::conditional_t<are_narrow, narrow, std::conditional_t<(key_bytes > 4 || value_bytes > 4), others, large>>;
  static constexpr std::size_t shared_of_large = shared_with_pages<large>, shared_of_wide = shared_with_pages<wide>;
  static_assert(shared_of_wide <= room_everywhere);
};

// The constructor describes the memory, of at least as many pages as one block needs; run() launches.
//   scratch_items: how many items of scratch there may be in all
template <class Digits, class V>
class paged_sorter {
  using K = typename Digits::key;
  using tuning = paged_tuning<sizeof(K), stored_size<V>>;
  using large = typename tuning::large;
  using small = typename tuning::small;
  using wide = typename tuning::wide;
  static constexpr bool alone = std::is_same_v<V, none>;

 public:
  paged_sorter(const char* call, item_count size, const Digits& digits, index_t scratch_items, layout& scratch)
      : call_(call),
        size_(size),
        digits_(digits),
        is_wide_(descriptors_are_wide<tuning>(call, size.most)),
        is_small_(!is_wide_ && tiles_are_small<tuning>(call, size.most)) {
    const index_t n = size.most;
    const index_t rows = is_wide_ ? tiles_of<wide>(n) : is_small_ ? tiles_of<small>(n) : tiles_of<large>(n);
    pages_ = divide_up(n, index_t{page_items});
    if (pages_ >= most_pages) throw invalid_argument(call, "more items than one call can take");
    rows_ = static_cast<unsigned>(rows);
    const index_t table = rows * digit_values * static_cast<index_t>(word_bytes());
    plan_ = scratch.add<split_plan>(1);
    const std::size_t cleared = tables_ = scratch.add<char>(table);
    counters_ = scratch.add<page_counters>(1);
    for (std::size_t& at : page_tables_) at = scratch.add<unsigned>(pages_ + behind);
    users_ = scratch.add<unsigned>(pages_);
    freed_ = scratch.add<unsigned>(pages_ * digits.positions());
    vectors_to_clear_ = static_cast<index_t>((scratch.bytes() - cleared) / sizeof(uint4));
    second_table_ = scratch.add<char>(digits.positions() > 1 ? table : 0);
    const index_t needed = least_spare_pages(1, tile_items(), 0);
    spare_ = add_spare_pages<K, V>(scratch, scratch_items, needed, spare_keys_, spare_values_);
  }

  std::size_t tiles() const { return 1; }  // of the workspace

  // AtomicRanking: atomic_ranking, except in tests.
  template <class AtomicRanking = atomic_ranking>
  void run(K* keys, V* values, const split_memory& memory, cudaStream_t stream) const {
    const plan_rules rules{true, false, rule_of_atomics<V>(digits_)};
    launch_histogram(call_, static_cast<const K*>(keys), size_, digits_,
                     {plan(memory.scratch), section<char>(memory.scratch, tables_), vectors_to_clear_, memory.head},
                     rules, stream);
    const paged_route<K> route{items_of(keys, memory.scratch, spare_keys_), pool(memory.scratch), 0};
    page_items_of<V> value_pages{};
    if constexpr (alone) {
      run_passes<AtomicRanking>(route, no_route{}, memory.scratch, stream);
    } else {
      value_pages = items_of(values, memory.scratch, spare_values_);
      run_passes<AtomicRanking>(route, paged_route<V>{value_pages, route.pool, 0}, memory.scratch, stream);
    }
    detail::launch_restore_pages(
        call_, restore_job<K, V>{route.items, value_pages, route.pool, section<unsigned>(memory.scratch, users_)},
        stream);
  }

 private:
  static constexpr int behind = 64;  // entries of room behind a table's last one
  static constexpr index_t most_pages = index_t{1} << 31;

  std::size_t word_bytes() const { return is_wide_ ? 8 : 4; }
  int tile_items() const { return is_wide_ ? wide::items : is_small_ ? small::items : large::items; }
  split_plan* plan(void* scratch) const { return section<split_plan>(scratch, plan_); }
  page_pool pool(void* scratch) const {
    const auto table = [&](int which) { return section<unsigned>(scratch, page_tables_[which]); };
    return {section<page_counters>(scratch, counters_),
            section<unsigned>(scratch, freed_),
            {table(0), table(1)},
            static_cast<unsigned>(pages_),
            static_cast<unsigned>(spare_),
            size_};
  }
  template <class T>
  page_items_of<T> items_of(T* own, void* scratch, std::size_t spare) const {
    return {own, section<T>(scratch, spare) - pages_ * page_items, static_cast<unsigned>(pages_)};
  }

  template <class AtomicRanking, class Values>
  void run_passes(const paged_route<K>& keys, const Values& values, void* scratch, cudaStream_t stream) const {
    const auto launch = [&](auto shape, auto word) {
      for (int position = 0; position < digits_.positions(); ++position)
        this->launch<AtomicRanking, decltype(shape), decltype(word)>(position, keys, values, scratch, stream);
    };
    if (is_wide_) launch(wide(), std::uint64_t());
    else if (is_small_) launch(small(), std::uint32_t());
    else launch(large(), std::uint32_t());
  }

  template <class AtomicRanking, class Shape, class Word, class Values>
  void launch(int position, paged_route<K> keys, const Values& values, void* scratch, cudaStream_t stream) const {
    using digit_of = decltype(digits_.at(0));
    using job = split_job<digit_of, paged_route<K>, Values, Word>;
    keys.position = position;
    const auto kernel = paged_pass_kernel<AtomicRanking, Shape, job>;
    constexpr std::size_t shared = sizeof(split_shared<digit_of, V, Shape, Word>);
    const resident_blocks resident(kernel, Shape::threads, shared);
    constexpr index_t of_tile = Shape::items / page_items;
    const index_t left = spare_ - least_spare_pages(0, 0, 0);
    const auto grid =
        static_cast<unsigned>(std::min({index_t{resident.on_this_device(call_)}, index_t{rows_}, left / of_tile}));
    const auto kept = static_cast<int>(std::min<index_t>(left / grid - of_tile, most_kept));
    Word* const tables[] = {section<Word>(scratch, tables_), section<Word>(scratch, second_table_)};
    const job j{digits_.at(position),
                position,
                keys,
                values,
                size_,
                plan(scratch),
                {tables[0], tables[1]},
                0,  // rows are cleared by the kernel
                0,
                digits_.positions() == 1,
                rows_ <= tuning::few_waves * grid ? tuning::window : tuning::window_of_many_waves,
                ~0u};
    kernel_launch::dependent(call_, resident, kernel, dim3(grid), Shape::threads, shared, stream, j,
                             digits_.positions() == 1 ? 0 : rows_, kept);
  }

  const char* call_;
  item_count size_;
  Digits digits_;
  bool is_wide_;  // descriptors have 64 bits
  bool is_small_;
  unsigned rows_ = 0;  // of a table of descriptors
  index_t pages_ = 0, spare_ = 0;
  std::size_t plan_ = 0, tables_ = 0, second_table_ = 0, counters_ = 0, page_tables_[2] = {}, users_ = 0, freed_ = 0;
  std::size_t spare_keys_ = 0, spare_values_ = 0;
  index_t vectors_to_clear_ = 0;
};

}  // namespace onepass::detail
