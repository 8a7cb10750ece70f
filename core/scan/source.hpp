// SPDX-License-Identifier: Apache-2.0
// Where a scan's items come from. A source has value_type and
//   at(i)                 returns item i, on host or device
//   row<V>(i, v)          reads the V items from i on (device); by 16-byte loads where the memory allows it
//   reader<items>(begin)  returns a reader for the rows of `items` items from `begin` on, one after another (device).
//                         Its row<V>(i, v) reads the items from begin + i on. It may keep in registers what several
//                         rows need
// A source that is `stageable` reads plain arrays only, its streams, and can be made again on copies of their parts in
// shared memory (core/cuda/pipeline/staging.cuh):
//   streams, shape_of(s), stream(s)
//                         the number of streams, the shape of each, and the address of its first item
//   staged<aligned>(at, first)
//                         returns the source of a tile, with indices from the tile's first item on. at[s] is where that
//                         item stands in stream s; `first` is the item's index in the input
// A part of a source may be produced anew for each tile (is_produced<Source>). In the tile driver a block does so:
//   in_tile<threads>(first, count, words)
//                         returns the source to read the items from `first` on, with their usual indices. It sets a bit
//                         for each of them in `words`, in shared memory. Contains barriers
// In the pipeline such a source has streams that are `produced`, which stand in no array. A warp fills their windows:
//   producer()            returns an object that a warp keeps, for tiles in rising order
//   producer.produce(first, count, window, words, bit)
//                         fills a window of `words` words for `count` items from `first` on; the first of them is bit
//                         `bit` of the window
#pragma once

#include "../support/bits.hpp"
#include "../support/iterator.hpp"
#include "../support/may_look_up.hpp"

#if ONEPASS_HAS_CUDA
#include "../cuda/pipeline/staging.cuh"
#endif

namespace onepass::detail {

struct as_is {
  template <class T>
  constexpr ONEPASS_HOST_DEVICE const T& operator()(const T& x) const {
    return x;
  }
};

// Whether a part of an array can be staged: it has a pointer, and its items can be copied as bytes to a window that
// keeps their address modulo 16.
template <class It>
constexpr bool is_stageable = std::is_pointer_v<It>&& std::is_trivially_copyable_v<std::remove_pointer_t<It>> &&
                              alignof(std::remove_pointer_t<It>) <= 16;
template <class Source, class = void>
constexpr bool is_produced = false;
template <class Source>
constexpr bool is_produced<Source, std::enable_if_t<Source::produced>> = true;

// Flags beside the items may also be bits.
template <class It>
constexpr bool is_stageable_flag = is_stageable<It> || std::is_same_v<It, bit_iterator>;

// A reader that keeps nothing.
template <class Source>
struct plain_reader {
  Source source;
  index_t begin;
#if ONEPASS_HAS_CUDA
  template <int V, class T>
  __device__ void row(int i, T (&v)[V]) {
    source.template row<V>(begin + i, v);
  }
#endif
};

// The source of unary(it[i]), converted to T.
template <class T, class It, class Unary = as_is>
struct values_source {
  using value_type = T;
  using read_type = value_of<It>;
  static constexpr bool stageable = is_stageable<It>, looks_up = may_look_up<Unary>();
  It it;
  mutable Unary unary;  // the operator() of a user's functor may lack the const

  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE T at(index_t i) const { return static_cast<T>(unary(static_cast<read_type>(it[i]))); }

#if ONEPASS_HAS_CUDA
  template <int V>
  __device__ void row(index_t i, T (&v)[V]) const {
    read_type items[V];
    detail::load_row(it, i, items);
#pragma unroll
    for (int j = 0; j < V; ++j) v[j] = static_cast<T>(unary(items[j]));
  }
  template <int>
  __device__ plain_reader<values_source> reader(index_t begin) const {
    return {*this, begin};
  }

  static constexpr int streams = 1;
  static constexpr ONEPASS_HOST_DEVICE stream_shape shape_of(int) { return {stream_of<It>::item_bits, 0}; }
  ONEPASS_HOST_DEVICE bit_address stream(int) const { return stream_of<It>::begin(it); }
  template <bool aligned>
  __device__ auto staged(const staged_address* at, index_t) const {
    using items = typename stream_of<It>::template staged<aligned>;
    return values_source<T, items, Unary>{items(at[0]), unary};
  }
#endif
};

}  // namespace onepass::detail
