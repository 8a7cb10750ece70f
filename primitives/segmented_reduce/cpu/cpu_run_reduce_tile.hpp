// SPDX-License-Identifier: Apache-2.0
// A thread's work on one tile of a reduction of runs, by keys or by flags:
//   begin    counts the tile's heads, and combines the items from the last head on
//   finish   stores at each head its key and the result of the run before; the input's last tile also ends the last run
// It finds heads 64 items at a time. The results are made as cpu_run_results.hpp says.
// Bytes moved: keys and values are read once (keys a second time from the cache), a key and a result a run are written.
#pragma once

#include "../../../core/cpu/driver/cpu_tile_driver.hpp"
#include "cpu_run_results.hpp"

#include "../../../core/cpu/simd/level_avx2.inc"

namespace onepass::detail {

template <class T, class Values, class Heads, class Ends, class Op>
using runs_job = scan_job<counted_source<T, Values, Heads>, Ends, counting<Op>, emit_value, /*is_inclusive=*/true>;

template <class T, class Values, class Heads, class Ends, class Op>
class cpu_runs_tile {
  using job_type = runs_job<T, Values, Heads, Ends, Op>;
  using results_type = typename results_of<T, Values, Op>::type;
  using values_out = decltype(std::declval<job_type>().out.out_values);

 public:
  using item = typename job_type::source_type::read_type;
  static constexpr index_t items = std::max<index_t>(1, cpu_tile_bytes / index_t{sizeof(item)});
  static std::size_t scratch_bytes(index_t) { return 0; }
  static constexpr index_t tiles_a_thread = results_type::fast ? 2 : 1;
  static constexpr bool begin_only_combines = true;

  cpu_runs_tile(const job_type& job, char*) : job_(job), op_(job.op.op), by_groups_(simd_runs()) {}

  counted<T> begin(index_t first, index_t count) {
    const auto [heads, last] = heads_of(first, count);
    return {combined(std::max(first, last), first + count), heads};
  }

  void expect(index_t, index_t) {}

  template <class Optional>
  void finish(index_t first, index_t count, const Optional& prefix, bool is_last) {
    index_t rank = prefix ? prefix->heads : 0;  // the rank of the run that begins next
    const T last = [&] {
      if constexpr (has_simd) {
        if (by_groups_) return finish_by_groups(first, first + count, prefix, rank);
      }
      return finish_plainly(first, first + count, prefix, rank);
    }();
    if (!is_last) return;
    job_.out.out_values[rank - 1] = as_item_of<values_out>(last);
    *job_.out.count = rank;
  }

 private:
  struct head_count {
    index_t heads, last;  // the number of heads, and the index of the last one or -1
  };
  head_count heads_of(index_t first, index_t count) const {
#if ONEPASS_HAS_SIMD
    if (by_groups_) return heads_of_groups(first, first + count);
#endif
    head_count found{0, -1};
    for (index_t i = first; i < first + count; ++i)
      if (job_.source.heads.is_head(i)) found = {found.heads + 1, i};
    return found;
  }
  T combined(index_t begin, index_t end) {
    if constexpr (results_type::fast) {
      if (by_groups_) return results_type::combined(job_, begin, end);
    }
    T total = job_.source.value(begin);
    for (index_t i = begin + 1; i < end; ++i) total = static_cast<T>(op_(total, job_.source.value(i)));
    return total;
  }

  void start_run(index_t rank, index_t i) const {
    if constexpr (Ends::writes_keys) job_.out.out_keys[rank] = static_cast<key>(job_.out.keys[i]);
  }

  template <class Optional>
  T finish_plainly(index_t first, index_t end, const Optional& prefix, index_t& rank) {
    const auto& source = job_.source;
    const bool starts = source.heads.is_head(first);
    if (starts && prefix) job_.out.out_values[rank - 1] = as_item_of<values_out>(prefix->value);
    if (starts) start_run(rank++, first);
    T inclusive = starts ? source.value(first) : static_cast<T>(op_(prefix->value, source.value(first)));
    for (index_t i = first + 1; i < end; ++i) {
      if (source.heads.is_head(i)) {
        job_.out.out_values[rank - 1] = as_item_of<values_out>(inclusive);
        start_run(rank++, i);
        inclusive = source.value(i);
      } else {
        inclusive = static_cast<T>(op_(inclusive, source.value(i)));
      }
    }
    return inclusive;
  }

#if ONEPASS_HAS_SIMD
  // Up to 64 items: their heads as bytes and as bits of a word.
  struct group {
    index_t size;
    const unsigned char* heads;
    std::uint64_t word;
  };
  ONEPASS_SIMD_STEP group group_at(index_t i, index_t end, unsigned char* room) const {
    const head_bytes<Heads> heads{job_.source.heads};
    group g{std::min(head_group, end - i), room, 0};
    if (g.size == head_group) g.heads = heads.group(i, room);
    else heads.part(i, g.size, room);
    g.word = word_of_heads(g.heads) | (i == 0);
    return g;
  }
  ONEPASS_SIMD_TARGET head_count heads_of_groups(index_t first, index_t end) const {
    head_count found{0, -1};
    unsigned char room[head_group];
    for (index_t i = first; i < end; i += head_group) {
      const std::uint64_t word = group_at(i, end, room).word;
      found.heads += __builtin_popcountll(word);
      if (word != 0) found.last = i + 63 - __builtin_clzll(word);
    }
    return found;
  }

  // At each head of the group that begins at item i, ends a run and begins the next one. Returns the next run's rank.
  ONEPASS_SIMD_STEP index_t store_runs(results_type& results, index_t i, const group& g, index_t rank) const {
    std::uint64_t word = g.word;
    if (rank == 0) {  // the input's first item has no run before it
      results.end(0);
      start_run(rank++, i);
      word &= word - 1;
    }
    const auto keys = job_.out.keys;
    auto out_keys = job_.out.out_keys;
    auto out_values = job_.out.out_values;
    if constexpr (!results_type::fast) {
      if (__builtin_popcountll(word) > short_runs) {  // here a step for each item costs less than a loop for each run
        index_t k = i == 0;
        results.go_to(k);
        for (; k < g.size; ++k) {
          if ((word >> k & 1) == 0) {
            results.add(k);
          } else {
            out_values[rank - 1] = as_item_of<values_out>(results.begin(k));
            if constexpr (Ends::writes_keys) out_keys[rank] = static_cast<key>(keys[i + k]);
            ++rank;
          }
        }
        return rank;
      }
    }
    for (; word != 0; word &= word - 1, ++rank) {
      const index_t k = __builtin_ctzll(word);
      out_values[rank - 1] = as_item_of<values_out>(results.end(k));
      if constexpr (Ends::writes_keys) out_keys[rank] = static_cast<key>(keys[i + k]);
    }
    return rank;
  }
  template <class Optional>
  ONEPASS_SIMD_TARGET T finish_by_groups(index_t first, index_t end, const Optional& prefix, index_t& next_rank) const {
    results_type results(job_, first, prefix);
    index_t rank = next_rank;
    unsigned char room[head_group];
    for (index_t i = first; i < end; i += head_group) {
      const group g = group_at(i, end, room);
      if (g.word == 0 && g.size == head_group) {
        results.skip(i);
      } else {
        results.take(i, g.heads, g.size);
        rank = store_runs(results, i, g, rank);
      }
    }
    next_rank = rank;
    return results.last(end);
  }
#endif

  using key = value_of<decltype(Ends::keys)>;
  static constexpr int short_runs = 12;  // groups with more heads have short runs (not measured)
  job_type job_;
  Op op_;
  const bool by_groups_;
};

}  // namespace onepass::detail

#include "../../../core/cpu/simd/level_end.inc"
