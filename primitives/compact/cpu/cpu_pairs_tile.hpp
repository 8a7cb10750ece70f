// SPDX-License-Identifier: Apache-2.0
// A thread's work on one tile of unique-by-key, where keys and values lie in arrays of their own. It does what
// cpu_compact_tile.hpp does, but one word of flags, made from the keys, compacts both arrays.
#pragma once

#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include "cpu_compact_tile.hpp"

namespace onepass::detail {

// Compares tuples by their first elements, the keys.
template <class Equal>
struct equal_keys {
  Equal equal;
  ONEPASS_EXEC_CHECK_DISABLE
  template <class Pair>
  ONEPASS_HOST_DEVICE bool operator()(const Pair& a, const Pair& b) {
    return static_cast<bool>(equal(thrust::get<0>(a), thrust::get<0>(b)));
  }
};

template <class Equal>
constexpr bool is_equal_keys = false;
template <class Equal>
constexpr bool is_equal_keys<equal_keys<Equal>> = true;

// Without the other item's value: where values alone are in place, another thread may be storing it again.
ONEPASS_EXEC_CHECK_DISABLE
template <class Equal, class It, class Pair>
ONEPASS_HOST_DEVICE bool equals_item_before(equal_keys<Equal>& equal, const It& it, index_t i, const Pair& x) {
  using key = typename thrust::tuple_element<0, Pair>::type;
  return static_cast<bool>(equal.equal(static_cast<key>(thrust::get<0>(it[i - 1])), thrust::get<0>(x)));
}

template <class Key, class Value>
using zipped_arrays = thrust::zip_iterator<thrust::tuple<Key*, Value*>>;

template <class Job, class Key, class Value, class Equal>
class cpu_pairs_tile {
 public:
  static constexpr index_t items =
      cpu_tile_bytes / index_t{sizeof(Key) + sizeof(Value)} / compress_block * compress_block;
  static std::size_t scratch_bytes(index_t n) {
    return static_cast<std::size_t>(room(n)) * (sizeof(Key) + sizeof(Value));
  }
  static constexpr index_t tiles_a_thread = 2;
  static constexpr bool begin_only_combines = false;

  cpu_pairs_tile(const Job& job, char* scratch)
      : job_(job),
        keys_(thrust::get<0>(job.rule.it.get_iterator_tuple())),
        values_(thrust::get<1>(job.rule.it.get_iterator_tuple())),
        equal_(job.rule.equal.equal),
        kept_keys_(reinterpret_cast<Key*>(scratch)),
        kept_values_(reinterpret_cast<Value*>(scratch + room(job.n) * index_t{sizeof(Key)})) {}

  std::uint32_t begin(index_t first, index_t count) {
    kept_ = 0;
    leading_ = count;
    index_t i = first;
#if ONEPASS_HAS_SIMD
    if (simd_in_use() != simd_level::none) i = detail::at_simd_level(compacting_blocks{*this, first, count});
#endif
    for (; i < first + count; ++i) {
      std::memcpy(kept_keys_ + kept_, keys_ + i, sizeof(Key));
      std::memcpy(kept_values_ + kept_, values_ + i, sizeof(Value));
      if (is_first_of_run(i)) ++kept_;
      else if (leading_ == count) leading_ = i - first;
    }
    return static_cast<std::uint32_t>(kept_);
  }

  void expect(index_t, index_t) {}

  template <class Optional>
  void finish(index_t first, index_t, const Optional& prefix, bool is_last) {
    const index_t before = prefix ? *prefix : 0;
    const auto& out = job_.outputs.kept.get_iterator_tuple();
    move_out(kept_keys_, keys_, thrust::get<0>(out), first, before);
    move_out(kept_values_, values_, thrust::get<1>(out), first, before);
    if (is_last) *job_.count = before + kept_;
  }

 private:
  // How many items a tile's buffers hold where the input has n: whole blocks, because whole blocks are written.
  static index_t room(index_t n) { return std::min(items, round_up(n, index_t{compress_block})); }

  bool is_first_of_run(index_t i) {
    return i == job_.rule.origin || !static_cast<bool>(equal_(Key(keys_[i - 1]), Key(keys_[i])));
  }

#if ONEPASS_HAS_SIMD
  struct compacting_blocks {
    cpu_pairs_tile& tile;
    index_t first, count;
    template <class Level>
    ONEPASS_INLINED index_t operator()(Level level) const {
      return tile.compact_blocks(level, first, count);
    }
  };
  // Appends the whole blocks of a tile, and returns where they end.
  template <class Level>
  ONEPASS_INLINED index_t compact_blocks(Level level, index_t first, index_t count) {
    index_t kept = 0, i = first;
    for (; i + compress_block <= first + count; i += compress_block) {
      prefetch_block(keys_ + i);
      prefetch_block(values_ + i);
      const std::uint64_t bits = apart_from<!compares_numbers<Equal, Key>>(level, [&](auto here) {
        unsigned char flags[compress_block];
        if (i != job_.rule.origin) {
          flag_changes<compress_block>(keys_ + i, equal_, flags);
        } else {
          flags[0] = 1;
          flag_changes<compress_block - 1>(keys_ + i + 1, equal_, flags + 1);
        }
        return word_of_heads(here, flags);
      });
      if (leading_ == count && ~bits != 0) leading_ = i - first + __builtin_ctzll(~bits);
      compress(level, values_ + i, bits, kept_values_ + kept);
      kept += compress(level, keys_ + i, bits, kept_keys_ + kept);
    }
    kept_ = kept;
    return i;
  }
#endif
  template <class Item>
  static ONEPASS_INLINED void prefetch_block(const Item* block) {
    for (int k = 0; k < compress_block; k += static_cast<int>(cache_line / sizeof(Item)))
      detail::prefetch_ahead(block + k);
  }

  // In place, items before the first rejected item are not written again, for the reason in cpu_compact_tile.hpp.
  template <class Item>
  void move_out(const Item* from, const Item* in, Item* out, index_t first, index_t before) const {
    const bool in_place = in == out;
    const index_t skip = in_place && before == first ? std::min(leading_, kept_) : 0;
    const std::size_t bytes = static_cast<std::size_t>(kept_ - skip) * sizeof(Item);
    if (!in_place && pays_to_stream(static_cast<std::size_t>(job_.n) * sizeof(Item)))
      detail::stream_copy(out + before + skip, from + skip, bytes);
    else if (bytes > 0) std::memcpy(out + before + skip, from + skip, bytes);
  }

  Job job_;
  const Key* keys_;
  const Value* values_;
  Equal equal_;
  Key* kept_keys_;
  Value* kept_values_;
  index_t kept_ = 0;
  index_t leading_ = 0;  // how many kept items precede the tile's first rejected item
};

// The class of a compaction's tiles.
template <class Job>
struct cpu_tile_of {
  using type = cpu_compact_tile<Job>;
};
template <class KeyIn, class ValueIn, class Equal, class Key, class Value>
struct cpu_tile_of<compact_job<kept_if_first_of_run<zipped_arrays<KeyIn, ValueIn>, equal_keys<Equal>>,
                               compact_outputs<zipped_arrays<Key, Value>>>> {
  using job = compact_job<kept_if_first_of_run<zipped_arrays<KeyIn, ValueIn>, equal_keys<Equal>>,
                          compact_outputs<zipped_arrays<Key, Value>>>;
  static constexpr bool same =
      std::is_same_v<std::remove_const_t<KeyIn>, Key> && std::is_same_v<std::remove_const_t<ValueIn>, Value>;
  using type = std::conditional_t<same && is_compressible<Key> && is_compressible<Value>,
                                  cpu_pairs_tile<job, Key, Value, Equal>, cpu_compact_tile<job>>;
};

}  // namespace onepass::detail
