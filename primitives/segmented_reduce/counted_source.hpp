// SPDX-License-Identifier: Apache-2.0
// The source of a reduction of segments: (value, number of heads) pairs, made on the fly as those of a segmented scan
// are (core/segments/segmented_source.hpp).
#pragma once

#include "../../core/lookback/descriptor.hpp"
#include "../../core/scan/scan_job.hpp"
#include "../../core/segments/segmented_source.hpp"

#if ONEPASS_HAS_CUDA
#include "../../core/cuda/io/warp.cuh"
#endif

// From 3.1 on CCCL calls thrust::constant_iterator deprecated; what it has instead is not in 3.0.
#if defined(__CUDACC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1444
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <thrust/iterator/constant_iterator.h>
namespace onepass::detail {
template <class T>
using constant_iterator = thrust::constant_iterator<T>;
template <class It>
constexpr bool is_constant = false;
template <class T, class Incrementable, class System>
constexpr bool is_constant<thrust::constant_iterator<T, Incrementable, System>> = true;
}  // namespace onepass::detail
#pragma GCC diagnostic pop
#if defined(__CUDACC__)
#pragma nv_diagnostic pop
#endif

namespace onepass::detail {

template <class T, class Count = index_t>
struct counted {
  T value;  // the combination of the items from the last head on

  Count heads;
  template <class Other>
  ONEPASS_HOST_DEVICE operator counted<T, Other>() const {
    return {value, static_cast<Other>(heads)};
  }
};
// The operator on these pairs.
template <class Op>
struct counting {
  Op op;
  ONEPASS_EXEC_CHECK_DISABLE
  template <class T, class Count>
  ONEPASS_HOST_DEVICE counted<T, Count> operator()(const counted<T, Count>& a, const counted<T, Count>& b) {
    if (b.heads > 0) return {b.value, static_cast<Count>(a.heads + b.heads)};
    return {static_cast<T>(op(a.value, b.value)), a.heads};
  }
};

// A tile has fewer than 2^32 heads, and so have a few tiles. In a descriptor 32 bits are enough for the number of
// heads, so that a pair with a value of 8 bytes is still published as one word.
template <class T>
struct stored_as<counted<T>> {
  using type = counted<T, std::uint32_t>;
};
// In descriptors and between lanes a pair has no padding.
template <class T, class Count>
struct packed<counted<T, Count>> {
  static constexpr std::size_t size = sizeof(T) + sizeof(Count);
  static ONEPASS_HOST_DEVICE void write(unsigned char* to, const counted<T, Count>& x) {
    packed<Count>::write(to, x.heads);
    packed<T>::write(to + sizeof(Count), x.value);
  }
  static ONEPASS_HOST_DEVICE counted<T, Count> read(const unsigned char* from) {
    return {packed<T>::read(from + sizeof(Count)), packed<Count>::read(from)};
  }
};
#if ONEPASS_HAS_CUDA
template <class T, class Count, class Move>
__device__ counted<T, Count> shuffle_words(const counted<T, Count>& x, Move move) {
  return {shuffle_words(x.value, move), shuffle_words(x.heads, move)};
}
#endif

// ---- the source -----------------------------------------------------------------------------------------------------
template <class T, class It, class Heads>
struct counted_source {
  using value_type = counted<T>;
  using heads_type = Heads;
  static constexpr bool reads_values = !is_constant<It>;
  using read_type = value_of<std::conditional_t<reads_values, It, typename Heads::iterator>>;
  static constexpr bool stageable =
      Heads::stageable && (reads_values ? is_stageable<It> : is_stageable<typename Heads::iterator>);
  It values;
  Heads heads;

  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE T value(index_t i) const { return static_cast<T>(static_cast<value_of<It>>(values[i])); }
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE counted<T> at(index_t i) const { return {value(i), heads.is_head(i)}; }
#if ONEPASS_HAS_CUDA
  template <int V>
  __device__ void value_row(index_t i, T (&v)[V]) const {
    value_of<It> x[V];
    detail::load_row(values, i, x);
#pragma unroll
    for (int j = 0; j < V; ++j) v[j] = static_cast<T>(x[j]);
  }
  template <int V>
  __device__ void row(index_t i, counted<T> (&v)[V]) const {
    T x[V];
    bool is_head[V];
    value_row(i, x);
    heads.row(i, is_head);
#pragma unroll
    for (int j = 0; j < V; ++j) v[j] = {x[j], is_head[j]};
  }

  // The first stream has the values, unless they are all the same; the other one, if there is any, what the heads are
  // made from.
  static constexpr int streams = reads_values + Heads::streams;
  static constexpr ONEPASS_HOST_DEVICE stream_shape shape_of(int s) {
    if constexpr (reads_values) {
      if (s == 0) return {stream_of<It>::item_bits, 0};
    }
    return Heads::shape_of(s - reads_values);
  }
  ONEPASS_HOST_DEVICE bit_address stream(int s) const {
    if constexpr (reads_values) {
      if (s == 0) return stream_of<It>::begin(values);
    }
    return heads.stream(s - reads_values);
  }
  template <bool aligned>
  __device__ auto staged(const staged_address* at, index_t first) const {
    const auto tile_heads = heads.template staged<aligned>(at + reads_values, first);
    using tile_heads_type = std::decay_t<decltype(tile_heads)>;
    if constexpr (reads_values) {
      using items = typename stream_of<It>::template staged<aligned>;
      return counted_source<T, items, tile_heads_type>{items(at[0]), tile_heads};
    } else {
      return counted_source<T, It, tile_heads_type>{values, tile_heads};
    }
  }
#endif
};

}  // namespace onepass::detail
