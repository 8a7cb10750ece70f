// SPDX-License-Identifier: Apache-2.0
// Where a scan's items come from. A source has value_type and
//   at(i):         the i-th item, on host or device
//   row<V>(i, v):  the V items from i on (device); 16-byte loads where the memory allows
//   reader<items>(begin):  row<V>(i, v) of it gives the items from begin + i on (device). For the rows of `items` items, one
//                          after another, of which it may keep in registers what several want
// A source that is `stageable` reads plain arrays only, its streams, and can be made again on copies of their parts in
// shared memory (core/cuda/pipeline/staging.cuh):
//   streams, shape_of(s), stream(s):  how many, the shape of each and where its first item is
//   staged<aligned>(at, is_first):    the source of a tile, counted from the tile's first item; at[s] is where that item of
//                                     stream s is; is_first: the tile is the input's first
// A source may be made anew for each tile (is_produced<Source>), by a block:
//   in_tile<threads>(first, count, words):  the source to be read for the items from `first` on, counted as always; `words`,
//                                     in shared memory, has a bit for each of them; contains barriers
// If it is stageable, too, it has streams that are `made`, which lie in no array, and a warp of the pipeline fills their
// windows:
//   maker():                          an object of the warp, for tiles that rise
//   make(first, count, window, words, bit) of it:  fills a window of so many words for the items from `first` on; that item's
//                                     place is `bit`
#pragma once

#include "../support/bits.hpp"
#include "../support/iterator.hpp"

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

// A pointer to items that can be copied as bytes, at any address that their type allows.
template <class It>
constexpr bool is_stageable = std::is_pointer_v<It>&& std::is_trivially_copyable_v<std::remove_pointer_t<It>> &&
                              alignof(std::remove_pointer_t<It>) <= 16;
template <class Source, class = void>
constexpr bool is_produced = false;
template <class Source>
constexpr bool is_produced<Source, std::enable_if_t<Source::produced>> = true;

// Flags, beside items, may also be bits.
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

// unary(it[i]) as a T.
template <class T, class It, class Unary = as_is>
struct values_source {
  using value_type = T;
  using read_type = value_of<It>;
  static constexpr bool stageable = is_stageable<It>;
  It it;
  Unary unary;

  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE T at(index_t i) const { return static_cast<T>(unary(static_cast<read_type>(it[i]))); }

#if ONEPASS_HAS_CUDA
  template <int V>
  __device__ void row(index_t i, T (&v)[V]) const {
    read_type items[V];
    load_row(it, i, items);
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
  __device__ auto staged(const staged_address* at, bool) const {
    using items = typename stream_of<It>::template staged<aligned>;
    return values_source<T, items, Unary>{items(at[0]), unary};
  }
#endif
};

}  // namespace onepass::detail
