// SPDX-License-Identifier: Apache-2.0
// A comparison sort in vectors, for keys of 4 and 8 bytes. Keys come as signed integers of their size that ascend in the
// order of the sort:
//   network     a few vectors of keys are sorted in registers, by comparisons that are the same for all keys
//               (sorting_network.inc)
//   partition   more keys are split by a pivot, a vector at a time, until they fit a network (vector_partition.inc):
//               many where they are, those in the near cache from one array to another; a selection goes on with one of the
//               two parts (vector_sort.inc)
// The sort is not stable, which equal integers do not show. It takes fewer steps the fewer different keys there are, and
// n log n at the most, as pivots that are bad again and again are replaced by middles of the keys' range.
#pragma once

#include <limits>

#include "compress.hpp"

namespace onepass::detail {

constexpr bool sorts_in_vectors = has_compress;

// How key bits become signed integers in the order of the sort: the bits of negative floats are inverted, but for the
// sign, and then the bits of `flip`.
template <class Lane>
struct key_form {
  bool is_float;
  Lane flip;
  bool changes() const { return is_float || flip != 0; }
};

// Keys in memory may be of another type than the integers that they are sorted as.
template <class Lane>
Lane load_key(const Lane* p) {
  Lane key;
  std::memcpy(&key, static_cast<const void*>(p), sizeof key);
  return key;
}
template <class Lane>
void store_key(Lane* p, Lane key) {
  std::memcpy(static_cast<void*>(p), &key, sizeof key);
}

// Up to so many keys the pivot is the middle of 2 vectors, then of 8 (not measured).
constexpr index_t most_by_small_sample = index_t{1} << 12;
// So many keys of scratch are enough for a sort whose keys stay where they are.
constexpr index_t scratch_of_vectors = index_t{1} << 16;
// So many partitions may have pivots from samples: twice as many as halves would take.
inline int levels_for(index_t n) {
  int levels = 0;
  for (; n > 0; n /= 2) levels += 2;
  return levels;
}

}  // namespace onepass::detail

#if ONEPASS_HAS_SIMD && (defined(__x86_64__) || defined(__aarch64__))
#if defined(__x86_64__)
#include "level_avx512.inc"
#include "sorting_network.inc"
#include "vector_partition.inc"
#include "vector_sort.inc"
#include "level_end.inc"
#endif
#include "level_avx2.inc"
#include "sorting_network.inc"
#include "vector_partition.inc"
#include "vector_sort.inc"
#include "level_end.inc"
#endif

namespace onepass::detail {

// Calls sort_key_bits of the level in use.
template <class Lane>
struct sorting_in_vectors {
  Lane *keys, *other;
  index_t n;
  bool stays;
  key_form<Lane> form;
  template <class Level>
  ONEPASS_INLINED bool operator()(Level level) const {
    return sort_key_bits(level, keys, other, n, stays, form);
  }
};

// Call has_minus_zero, split_key_bits and sort_split_bits of the level in use.
template <class Lane>
struct finding_minus_zero {
  const Lane* keys;
  index_t n;
  template <class Level>
  ONEPASS_INLINED bool operator()(Level level) const {
    return has_minus_zero(level, keys, n);
  }
};
template <class Lane>
struct splitting_in_vectors {
  Lane* keys;
  index_t n;
  int levels;
  bool is_first;
  key_form<Lane> form;
  template <class Level>
  ONEPASS_INLINED index_t operator()(Level level) const {
    return split_key_bits(level, keys, n, levels, is_first, form);
  }
};
template <class Lane>
struct sorting_split_keys {
  Lane *keys, *other;
  index_t n;
  int levels;
  key_form<Lane> form;
  template <class Level>
  ONEPASS_INLINED void operator()(Level level) const {
    sort_split_bits(level, keys, other, n, levels, form);
  }
};

// Sorts the parts [first, last) of an array, each where it is: part i is part_of(i), which may call functions of the
// caller's if PartOf::calls_functions says so. One that a network cannot sort goes to rest(part).
template <class Lane, class PartOf, class Rest>
struct sorting_parts_in_vectors {
  Lane* keys;
  index_t first, last;
  key_form<Lane> form;
  const PartOf& part_of;
  const Rest& rest;
  template <class Level>
  ONEPASS_INLINED void operator()(Level level) const {
    for (index_t i = first; i < last; ++i) {
      const auto part = apart_from<PartOf::calls_functions>(level, [&](auto) { return part_of(i); });
      if (!sort_few_key_bits(level, keys + part.begin, part.size, form)) rest(part);
    }
  }
};

// Calls select_key_bits of the level in use.
template <class Lane>
struct selecting_in_vectors {
  Lane *keys, *other;
  index_t n, k;
  Lane flip;
  template <class Level>
  ONEPASS_INLINED void operator()(Level level) const {
    select_key_bits(level, keys, other, n, k, flip);
  }
};

}  // namespace onepass::detail
