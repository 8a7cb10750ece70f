// SPDX-License-Identifier: Apache-2.0
// A thread's work on one tile of a compaction:
//   begin    calls the predicate once for each item and copies the kept items side by side into a buffer of the thread,
//            and the rejected items into another buffer where they are wanted
//   finish   moves them to the indices that the tile's prefix gives
// Items of 1, 2, 4 and 8 bytes are copied a vector at a time (compress.hpp).
#pragma once

#include "../../../core/support/equal_to.hpp"
#include "cpu_blocks.hpp"

namespace onepass::detail {

// Whether a rule calls functions of the caller's, or reads by an iterator that may.
template <class Rule>
constexpr bool rule_calls_functions = true;
template <class T, class Equal>
constexpr bool rule_calls_functions<kept_if_first_of_run<T*, Equal>> = !compares_numbers<Equal, std::remove_const_t<T>>;
template <class T, class Mark>
constexpr bool rule_calls_functions<kept_by_stencil<T*, Mark*, is_true>> =
    !std::is_arithmetic_v<std::remove_const_t<Mark>>;

template <class Job>
class cpu_compact_tile {
  using item = typename Job::item;
  static constexpr bool takes_rejected = Job::outputs_type::takes_rejected;
  static constexpr bool plain = moves_as_bytes<item>;
  static constexpr bool compressible = is_compressible<item>;
  static constexpr bool calls_functions = rule_calls_functions<typename Job::rule_type>;

 public:
  static constexpr index_t items = std::max<index_t>(1, cpu_tile_bytes / index_t{sizeof(item)});
  static std::size_t scratch_bytes(index_t n) {
    return static_cast<std::size_t>(room(n)) * sizeof(item) * (takes_rejected ? 2 : 1);
  }
  // With a predicate that costs nothing, two threads are faster than one from 1 MB on, which is 8 tiles. A predicate
  // may cost something, so two threads begin at 4 tiles, and at 2 where items are not copied a vector at a time
  // (neither was measured).
  static constexpr index_t tiles_a_thread = compressible ? 2 : 1;
  static constexpr bool begin_only_combines = false;

  cpu_compact_tile(const Job& job, char* scratch)
      : job_(job),
        kept_(reinterpret_cast<item*>(scratch)),
        rejected_(kept_ + room(job.n)),
        in_vectors_(compressible && simd_in_use() != simd_level::none),
        streams_(!job.outputs.in_place && pays_to_stream(static_cast<std::size_t>(job.n) * sizeof(item))) {}
  ~cpu_compact_tile() { clear(); }
  cpu_compact_tile(const cpu_compact_tile&) = delete;
  cpu_compact_tile& operator=(const cpu_compact_tile&) = delete;

  std::uint32_t begin(index_t first, index_t count) {
    auto rule = job_.rule;
    leading_ = count;
#if ONEPASS_HAS_SIMD
    if constexpr (compressible) {
      if (in_vectors_) {
        detail::at_simd_level(compacting_blocks<decltype(rule)>{*this, first, count, rule});
        return static_cast<std::uint32_t>(kept_count_);
      }
    }
#endif
    index_t i = first;
    const index_t end = first + count;
    for (; i < end && leading_ == count; ++i) {  // up to the first rejected item
      if (!append(i, rule)) leading_ = i - first;
    }
    for (; i < end; ++i) append(i, rule);
    return static_cast<std::uint32_t>(kept_count_);
  }

  void expect(index_t, index_t) {}

  template <class Optional>
  void finish(index_t first, index_t, const Optional& prefix, bool is_last) {
    const index_t kept_before = prefix ? *prefix : 0;
    // In place, items before the first rejected item are where they belong. They are not written again, because the
    // next tile may be reading the last of them to compare it with its own first item.
    const index_t skip = job_.outputs.in_place && kept_before == first ? std::min(leading_, kept_count_) : 0;
    detail::move_out(kept_ + skip, kept_count_ - skip, job_.outputs.kept, kept_before + skip, streams_);
    if constexpr (takes_rejected)
      detail::move_out(rejected_, rejected_count_, job_.outputs.rejected, first - kept_before, streams_);
    if (is_last) *job_.count = kept_before + kept_count_;
    clear();
  }

 private:
  // How many items a tile's buffer holds where the input has n: whole blocks, because whole blocks are written.
  static index_t room(index_t n) { return std::min(items, round_up(n, index_t{compress_block})); }

  template <class Rule>
  bool append(index_t i, Rule& rule) {
    const item x(job_.rule.it[i]);
    const bool keeps = rule.keeps(i, x);
    if constexpr (plain) {  // no branch: a misprediction costs more than a store that is overwritten
      std::memcpy(static_cast<void*>(kept_ + kept_count_), object_address(x), sizeof(item));
      if constexpr (takes_rejected) {
        std::memcpy(static_cast<void*>(rejected_ + rejected_count_), object_address(x), sizeof(item));
        rejected_count_ += !keeps;
      }
      kept_count_ += keeps;
    } else if (keeps) {
      ::new (static_cast<void*>(kept_ + kept_count_)) item(x);
      ++kept_count_;
    } else if (takes_rejected) {
      ::new (static_cast<void*>(rejected_ + rejected_count_)) item(x);
      ++rejected_count_;
    }
    return keeps;
  }

#if ONEPASS_HAS_SIMD
  // Appends block by block. The loop over a whole block's flags contains the predicate alone, so that the compiler can
  // vectorise it.
  template <class Rule>
  struct compacting_blocks {
    cpu_compact_tile& tile;
    index_t first, count;
    Rule& rule;
    template <class Level>
    ONEPASS_INLINED void operator()(Level level) const {
      tile.compact_blocks(level, first, count, rule);
    }
  };
  template <class Level, class Rule>
  ONEPASS_INLINED void compact_blocks(Level level, index_t first, index_t count, Rule& rule) {
    index_t kept = 0, rejected = 0, i = first;
    item copies[compress_block];
    for (; i + compress_block <= first + count; i += compress_block) {
      const item* block = nullptr;
      const std::uint64_t keeps = apart_from<calls_functions>(level, [&](auto here) {
        unsigned char flags[compress_block];
        block = detail::block_at(job_.rule.it, i, copies);
        flag_kept(rule, i, block, flags);
        return word_of_heads(here, flags);
      });
      compact_block(level, i - first, count, block, keeps, compress_block, kept, rejected);
    }
    if (const index_t rest = first + count - i; rest > 0) {
      const std::uint64_t keeps = apart_from<calls_functions>(level, [&](auto here) {
        unsigned char flags[compress_block];
        for (index_t k = 0; k < compress_block; ++k) copies[k] = job_.rule.it[i + std::min(k, rest - 1)];
        for (index_t k = 0; k < compress_block; ++k) flags[k] = k < rest && rule.keeps(i + k, copies[k]);
        return word_of_heads(here, flags);
      });
      compact_block(level, i - first, count, copies, keeps, rest, kept, rejected);
    }
    kept_count_ = kept;
    rejected_count_ = rejected;
  }
  // Appends the first n items of a block. The block begins at item `at` of the tile, which has `count` items.
  template <class Level>
  ONEPASS_INLINED void compact_block(Level level, index_t at, index_t count, const item* block, std::uint64_t keeps,
                                     index_t n, index_t& kept, index_t& rejected) {
    if (leading_ == count && ~keeps != 0) leading_ = at + __builtin_ctzll(~keeps);
    kept += compress(level, block, keeps, kept_ + kept);
    if constexpr (takes_rejected)
      rejected += compress(level, block, ~keeps & (~std::uint64_t{0} >> (compress_block - n)), rejected_ + rejected);
  }
#endif
  template <class Rule>
  static ONEPASS_INLINED void flag_kept(Rule& rule, index_t i, const item* block, unsigned char* flags) {
    for (int k = 0; k < compress_block; ++k) flags[k] = rule.keeps(i + k, block[k]);
  }
  template <class It, class Equal>
  static ONEPASS_INLINED void flag_kept(kept_if_first_of_run<It, Equal>& rule, index_t i, const item* block,
                                        unsigned char* flags) {
    if (std::is_pointer_v<It> && i != rule.origin) return flag_changes<compress_block>(block, rule.equal, flags);
    for (int k = 0; k < compress_block; ++k) flags[k] = rule.keeps(i + k, block[k]);
  }

  void clear() {
    detail::destroy_items(kept_, kept_count_);
    detail::destroy_items(rejected_, rejected_count_);
    kept_count_ = rejected_count_ = 0;
  }

  Job job_;
  item* kept_;
  item* rejected_;
  const bool in_vectors_, streams_;
  index_t kept_count_ = 0, rejected_count_ = 0;
  index_t leading_ = 0;  // how many kept items precede the tile's first rejected item
};

}  // namespace onepass::detail
