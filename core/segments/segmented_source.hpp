// SPDX-License-Identifier: Apache-2.0
// The source of a segmented scan: (value, head flag) pairs, made on the fly from the values and from flags, bits, keys
// or offsets. Bytes read an item: the value, and the flag, the key, or a bit.
#pragma once

#include <onepass/operators.hpp>
#include "../scan/source.hpp"

namespace onepass::detail {

// ---- heads ----------------------------------------------------------------------------------------------------------
// A class of heads has is_head(i), and on the device row(i, heads): the heads of V items from i on, also through a
// reader. `origin` is the index of the input's first item, which is a head in any case. It is 0, or negative where
// items are counted from the first item of a later tile. Rows do not begin before it. With `continues` the first item
// may go on with a segment that began before the input: then it is a head only if its flag says so. The rest is as
// core/scan/source.hpp says.

#if ONEPASS_HAS_CUDA
// Reads `items` heads that it keeps as bits. word(w), called for rising w, gives those of the items from 32 w on.
template <int items>
class bit_reader {
  static constexpr int words = (items + 31) / 32;

 public:
  template <class Word>
  __device__ explicit bit_reader(Word word) {
#pragma unroll
    for (int w = 0; w < words; ++w) words_[w] = word(w);
  }
  template <int V>
  __device__ void row(int i, bool (&heads)[V]) const {
    static_assert(32 % V == 0);
#pragma unroll
    for (int j = 0; j < V; ++j) heads[j] = words_[i / 32] >> (i % 32 + j) & 1;
  }

 private:
  unsigned words_[words];
};

// Reads the heads that keys give from item `begin` on. It keeps the last key of a row, to compare it with the next
// row's first.
template <class Heads>
class key_reader {
  using key = typename Heads::key;

 public:
  __device__ key_reader(const Heads& heads, index_t begin) : heads_(heads), begin_(begin) {}
  template <int V>
  __device__ void row(int i, bool (&heads)[V]) {
    key k[V];
    detail::load_row(heads_.keys, begin_ + i, k);
    heads[0] = i == 0 ? heads_.is_head(begin_) : !heads_.equal(before_, k[0]);
#pragma unroll
    for (int j = 1; j < V; ++j) heads[j] = !heads_.equal(k[j - 1], k[j]);
    before_ = k[V - 1];
  }

 private:
  Heads heads_;
  index_t begin_;
  key before_;
};
#endif

// Heads from flags: any iterator whose items convert to bool.
template <class It>
struct heads_from_flags {
  using iterator = It;
  It flags;
  index_t origin = 0;
  bool continues = false;
  static constexpr bool stageable = is_stageable_flag<It>;

  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE bool is_head(index_t i) const { return starts_at(i) || static_cast<bool>(flags[i]); }
  ONEPASS_HOST_DEVICE bool starts_at(index_t i) const { return i == origin && !continues; }
#if ONEPASS_HAS_CUDA
  template <int V>
  __device__ void row(index_t i, bool (&heads)[V]) const {
    value_of<It> f[V];
    detail::load_row(flags, i, f);
#pragma unroll
    for (int j = 0; j < V; ++j) heads[j] = static_cast<bool>(f[j]);
    heads[0] = heads[0] || starts_at(i);
  }
  template <int items>
  __device__ auto reader(index_t begin) const {
    if constexpr (std::is_same_v<It, staged_bits>) {
      return bit_reader<items>(
          [&](int w) { return flags.row(begin + 32 * w) | static_cast<unsigned>(w == 0 && starts_at(begin)); });
    } else {
      return plain_reader<heads_from_flags>{*this, begin};
    }
  }

  static constexpr int streams = 1;
  static constexpr ONEPASS_HOST_DEVICE stream_shape shape_of(int) { return {stream_of<It>::item_bits, 0}; }
  ONEPASS_HOST_DEVICE bit_address stream(int) const { return stream_of<It>::begin(flags); }
  template <bool aligned>
  __device__ auto staged(const staged_address* at, index_t first) const {
    using items = typename stream_of<It>::template staged<aligned>;
    return heads_from_flags<items>{items(at[0]), first == 0 ? 0 : -1, continues};
  }
#endif
};

// Heads from keys: a segment begins where a key differs from the one before.
template <class It, class Equal>
struct heads_from_keys {
  using iterator = It;
  It keys;
  mutable Equal equal;  // the operator() of a user's functor may lack the const
  index_t origin = 0;
  bool continues = false;
  using key = value_of<It>;
  static constexpr bool stageable = is_stageable<It>;

  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE bool is_head(index_t i) const {
    return i == origin ? !continues : !equal(static_cast<key>(keys[i - 1]), static_cast<key>(keys[i]));
  }
#if ONEPASS_HAS_CUDA
  template <int V>
  __device__ void row(index_t i, bool (&heads)[V]) const {
    key k[V];
    detail::load_row(keys, i, k);
    heads[0] = i == origin ? !continues : !equal(static_cast<key>(keys[i - 1]), k[0]);
#pragma unroll
    for (int j = 1; j < V; ++j) heads[j] = !equal(k[j - 1], k[j]);
  }
  template <int>
  __device__ key_reader<heads_from_keys> reader(index_t begin) const {
    return {*this, begin};
  }

  static constexpr int streams = 1;
  static constexpr ONEPASS_HOST_DEVICE stream_shape shape_of(int) { return {stream_of<It>::item_bits, 1}; }
  ONEPASS_HOST_DEVICE bit_address stream(int) const { return stream_of<It>::begin(keys); }
  template <bool aligned>
  __device__ auto staged(const staged_address* at, index_t first) const {
    using items = typename stream_of<It>::template staged<aligned>;
    return heads_from_keys<items, Equal>{items(at[0]), equal, first == 0 ? 0 : -1, continues};
  }
#endif
};

// ---- what precedes the first item of a segment ----------------------------------------------------------------------
// In an inclusive scan, nothing.
template <class T>
struct starts_without_initial {
  template <class U>
  ONEPASS_HOST_DEVICE T operator()(const U& x) const {
    return static_cast<T>(x);
  }
};
// In an exclusive scan, the initial value.
template <class T, class Op>
struct starts_with_initial {
  T initial;
  Op op;
  ONEPASS_EXEC_CHECK_DISABLE
  template <class U>
  ONEPASS_HOST_DEVICE T operator()(const U& x) const {
    Op o = op;
    return static_cast<T>(o(initial, static_cast<T>(x)));
  }
};

// ---- the source -----------------------------------------------------------------------------------------------------
template <class T, class It, class Heads, class Start>
struct segmented_source {
  using value_type = flagged<T>;
  using read_type = value_of<It>;
  static constexpr bool stageable = is_stageable<It> && Heads::stageable;
  static constexpr bool produced = is_produced<Heads>;
  It values;
  Heads heads;
  Start start;

  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE flagged<T> at(index_t i) const {
    return pair(static_cast<read_type>(values[i]), heads.is_head(i));
  }
#if ONEPASS_HAS_CUDA
  template <int V>
  __device__ void row(index_t i, flagged<T> (&v)[V]) const {
    bool is_head[V];
    heads.row(i, is_head);
    pair_row(i, is_head, v);
  }
  template <class Reader>
  struct pair_reader {
    segmented_source source;
    Reader heads;
    index_t begin;
    template <int V>
    __device__ void row(int i, flagged<T> (&v)[V]) {
      bool is_head[V];
      heads.row(i, is_head);
      source.pair_row(begin + i, is_head, v);
    }
  };
  template <int items>
  __device__ auto reader(index_t begin) const {
    const auto own = heads.template reader<items>(begin);
    return pair_reader<std::decay_t<decltype(own)>>{*this, own, begin};
  }

  // The first stream has the values, the other one, if there is any, what the heads are made from.
  static constexpr int streams = 1 + Heads::streams;
  static constexpr ONEPASS_HOST_DEVICE stream_shape shape_of(int s) {
    return s == 0 ? stream_shape{stream_of<It>::item_bits, 0} : Heads::shape_of(s - 1);
  }
  ONEPASS_HOST_DEVICE bit_address stream(int s) const {
    return s == 0 ? stream_of<It>::begin(values) : heads.stream(s - 1);
  }
  template <bool aligned>
  __device__ auto staged(const staged_address* at, index_t first) const {
    using items = typename stream_of<It>::template staged<aligned>;
    const auto tile_heads = heads.template staged<aligned>(at + 1, first);
    return segmented_source<T, items, std::decay_t<decltype(tile_heads)>, Start>{items(at[0]), tile_heads, start};
  }

  __device__ auto producer() const { return heads.producer(); }

  template <int threads>
  __device__ auto in_tile(index_t first, int count, std::uint32_t* words) const {
    const auto own = heads.template in_tile<threads>(first, count, words);
    return segmented_source<T, It, std::decay_t<decltype(own)>, Start>{values, own, start};
  }
#endif

 private:
#if ONEPASS_HAS_CUDA
  template <int V>
  __device__ void pair_row(index_t i, const bool (&is_head)[V], flagged<T> (&v)[V]) const {
    read_type x[V];
    detail::load_row(values, i, x);
#pragma unroll
    for (int j = 0; j < V; ++j) v[j] = pair(x[j], is_head[j]);
  }
#endif
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE flagged<T> pair(const read_type& x, bool is_head) const {
    if (is_head) return {start(x), true};
    return {static_cast<T>(x), false};
  }
};

}  // namespace onepass::detail
