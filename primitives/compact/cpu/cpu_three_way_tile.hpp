// SPDX-License-Identifier: Apache-2.0
// A thread's work on one tile of a partition to three ranges:
//   begin    asks for each item's kind, and copies the items of each kind side by side into a buffer of the thread
//   finish   moves them to the indices that the tile's prefix gives
// Items of 1, 2, 4 and 8 bytes are copied a vector at a time (compress.hpp).
#pragma once

#include "../three_way_job.hpp"
#include "cpu_blocks.hpp"

namespace onepass::detail {

template <class Job>
class cpu_three_way_tile {
  using item = typename Job::item;
  using kinds_type = decltype(Job::kinds);
  static constexpr bool plain = moves_as_bytes<item>;
  static constexpr bool compressible = is_compressible<item>;

 public:
  static constexpr index_t items = std::max<index_t>(1, cpu_tile_bytes / index_t{sizeof(item)});
  static std::size_t scratch_bytes(index_t n) { return 3 * static_cast<std::size_t>(room(n)) * sizeof(item); }
  static constexpr index_t tiles_a_thread = compressible ? 2 : 1;  // as for compactions
  static constexpr bool begin_only_combines = false;

  cpu_three_way_tile(const Job& job, char* scratch)
      : job_(job),
        in_vectors_(compressible && simd_in_use() != simd_level::none),
        streams_(pays_to_stream(static_cast<std::size_t>(job.n) * sizeof(item))) {
    for (int k = 0; k < 3; ++k) of_[k] = reinterpret_cast<item*>(scratch) + k * room(job.n);
  }
  ~cpu_three_way_tile() { clear(); }
  cpu_three_way_tile(const cpu_three_way_tile&) = delete;
  cpu_three_way_tile& operator=(const cpu_three_way_tile&) = delete;

  two_counts<std::uint32_t> begin(index_t first, index_t count) {
    kinds_type kinds = job_.kinds;
#if ONEPASS_HAS_SIMD
    if constexpr (compressible) {
      if (in_vectors_) {
        detail::at_simd_level(separating_blocks{*this, first, count, kinds});
        return aggregate();
      }
    }
#endif
    for (index_t i = first; i < first + count; ++i) append(i, kinds);
    return aggregate();
  }

  void expect(index_t, index_t) {}

  template <class Optional>
  void finish(index_t first, index_t, const Optional& prefix, bool is_last) {
    const two_counts<index_t> before = prefix ? *prefix : two_counts<index_t>{0, 0};
    detail::move_out(of_[0], count_[0], job_.out_first, before.first, streams_);
    detail::move_out(of_[1], count_[1], job_.out_second, before.second, streams_);
    detail::move_out(of_[2], count_[2], job_.out_rest, first - before.first - before.second, streams_);
    if (is_last) job_.counts[0] = before.first + count_[0], job_.counts[1] = before.second + count_[1];
    clear();
  }

 private:
  // How many items of a kind a tile has room for where the input has n: whole blocks, because whole blocks are written.
  static index_t room(index_t n) { return std::min(items, round_up(n, index_t{compress_block})); }

  two_counts<std::uint32_t> aggregate() const {
    return {static_cast<std::uint32_t>(count_[0]), static_cast<std::uint32_t>(count_[1])};
  }

  void append(index_t i, kinds_type& kinds) {
    const item x(job_.source.it[i]);
    const int kind = kinds.of(x);
    if constexpr (plain) std::memcpy(static_cast<void*>(of_[kind] + count_[kind]), object_address(x), sizeof(item));
    else ::new (static_cast<void*>(of_[kind] + count_[kind])) item(x);
    ++count_[kind];
  }

#if ONEPASS_HAS_SIMD
  // First the items of the first kind go to their buffer, and all others to the last one; then those of the second kind
  // from there to theirs. So each loop over a block calls one predicate alone, and the compiler can vectorise it.
  struct separating_blocks {
    cpu_three_way_tile& tile;
    index_t first, count;
    kinds_type& kinds;
    template <class Level>
    ONEPASS_INLINED void operator()(Level level) const {
      tile.count_[2] = separate(level, tile.job_.source.it + first, count, kinds.first, 0);
      tile.count_[2] = separate(level, tile.of_[2], tile.count_[2], kinds.second, 1);
    }

    // The n items from `in` on: those for which pred is true go to the buffer of `kind`, others to the last buffer, which
    // may be where they are read. Returns how many others there are.
    template <class Level, class It, class Pred>
    ONEPASS_INLINED index_t separate(Level level, It in, index_t n, Pred& pred, int kind) const {
      item* const rest_to = tile.of_[2];
      item* const to = tile.of_[kind];
      index_t kept = 0, rest = 0;
      item copies[compress_block];
      for (index_t i = 0; i < n; i += compress_block) {
        const index_t size = std::min(n - i, index_t{compress_block});
        const std::uint64_t keeps = apart_from<true>(level, [&](auto here) {
          unsigned char flags[compress_block] = {};
          if (size == compress_block) {
            for (int k = 0; k < compress_block; ++k) copies[k] = in[i + k];
            for (int k = 0; k < compress_block; ++k) flags[k] = detail::holds(pred, copies[k]);
          } else {
            for (index_t k = 0; k < size; ++k) copies[k] = in[i + k];
            for (index_t k = 0; k < size; ++k) flags[k] = detail::holds(pred, copies[k]);
          }
          return word_of_heads(here, flags);
        });
        kept += compress(level, copies, keeps, to + kept);
        rest += compress(level, copies, ~keeps & (~std::uint64_t{0} >> (compress_block - size)), rest_to + rest);
      }
      tile.count_[kind] = kept;
      return rest;
    }
  };
#endif

  void clear() {
    for (int k = 0; k < 3; ++k) {
      detail::destroy_items(of_[k], count_[k]);
      count_[k] = 0;
    }
  }

  Job job_;
  const bool in_vectors_, streams_;
  item* of_[3];            // a buffer for each kind
  index_t count_[3] = {};  // and how many items it has
};

}  // namespace onepass::detail
