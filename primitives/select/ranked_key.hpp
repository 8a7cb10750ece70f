// SPDX-License-Identifier: Apache-2.0
// Ranked keys: a key's order with the item's index behind it, as one unsigned integer. The larger one comes first in the
// order of the selection; of equal keys it is the one with the lower index. No two items have the same ranked key and none is
// zero, so the k largest are one set, whatever order they are found in.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../core/support/iterator.hpp"
#include "../../core/support/none.hpp"
#include "../../core/support/radix_keys.hpp"

namespace onepass::detail {

template <class K>
using ranked_key = std::conditional_t<sizeof(K) <= 4, std::uint64_t, typename unsigned_of<16>::type>;

// The lower half has the index, inverted.
template <class R>
constexpr int index_bits = 4 * sizeof(R);
template <class R>
constexpr R index_mask = static_cast<R>((R{1} << index_bits<R>)-1);
template <class R>
constexpr R largest_ranked = static_cast<R>(~R{0});
template <class R>
ONEPASS_HOST_DEVICE index_t index_of(R ranked) {
  return static_cast<index_t>(~ranked & index_mask<R>);
}
// An index of this or more has no ranked key. Below it no ranked key is zero.
template <class R>
constexpr index_t end_of_indices = sizeof(R) == 8 ? index_t{0xFFFFFFFF} : std::numeric_limits<index_t>::max();

// The items of an array as ranked keys; indices count from a row's first item.
template <class Keys>
struct keyed_items {
  using key = value_of<Keys>;
  using ranked = ranked_key<key>;
  static constexpr int order_bits = 8 * sizeof(key);
  Keys keys;
  key_bits_t<key> flip;  // bits to invert, so that the largest number comes first

  ONEPASS_HOST_DEVICE key_bits_t<key> order_of(const key& item) const {
    return static_cast<key_bits_t<key>>(ordered_bits(item) ^ flip);
  }
  ONEPASS_HOST_DEVICE ranked of(const key& item, index_t i) const {
    return first_of(order_of(item)) | (~static_cast<ranked>(i) & index_mask<ranked>);
  }
  // No item of this order has a smaller ranked key.
  static ONEPASS_HOST_DEVICE ranked first_of(key_bits_t<key> order) {
    return static_cast<ranked>(static_cast<ranked>(order) << index_bits<ranked>);
  }
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE ranked at(index_t begin, index_t i) const { return of(static_cast<key>(keys[begin + i]), i); }
};
template <class K>
key_bits_t<K> flip_of(bool smallest) {
  const key_bits_t<K> sign = is_signed_integer<K> ? sign_of<K> : key_bits_t<K>{0};
  return static_cast<key_bits_t<K>>(smallest ? ~sign : sign);
}

// The key that has such ordered bits (core/support/radix_keys.hpp).
template <class K>
K key_of_order(key_bits_t<K> order) {
  if constexpr (is_float_key<K>) return from_key_bits<K>(order);
  else return static_cast<K>(order);
}

// What a selection writes.
enum class selection {
  sorted,       // the k first, in the order of the selection
  input_order,  // the k first, in the order of the input
  nth           // the k-th alone
};

// A sample's ranks, counted from 1, between which the item with rank k is almost always found. Where it is not, a selection
// takes another way to the same result.
struct sample_ranks {
  static constexpr double deviations = 4;
  double expected, margin;
  ONEPASS_HOST_DEVICE sample_ranks(index_t k, index_t n, int sample)
      : expected(static_cast<double>(k) * sample / static_cast<double>(n)),
        margin(deviations * ::sqrt(expected) + deviations) {}
  // Any rank of a range will do, so that the search for it ends early.
  ONEPASS_HOST_DEVICE int least_behind() const { return static_cast<int>(expected + margin) + 1; }
  ONEPASS_HOST_DEVICE int most_behind() const { return least_behind() + static_cast<int>(margin / 4); }
  ONEPASS_HOST_DEVICE int most_before() const { return static_cast<int>(expected - margin); }  // below 1: no rank
  ONEPASS_HOST_DEVICE int least_before() const {
    const int least = most_before() - static_cast<int>(margin / 4);
    return least < 1 ? 1 : least;
  }
};
// Room for the items that a sample of n items leaves, where the k first, or only the k-th, are looked for. Rows that are not
// longer than the sample need none, so there is always room for those.
inline index_t room_of_candidates(index_t k, index_t n, int sample, bool is_nth) {
  if (n <= sample) return n;
  const sample_ranks ranks(k, n, sample);
  // Not less than most_behind(), and not rounded, so that fewer items have no more room.
  const double most = ranks.expected + 1.25 * ranks.margin + 1, deviation = 5 * std::sqrt(most) + 8;
  const double kept = is_nth ? 2.5 * ranks.margin + 2 * deviation : most + deviation;
  const double room = std::max<double>(sample, kept * (static_cast<double>(n) / sample) + 1);
  return room < static_cast<double>(n) ? static_cast<index_t>(room) : n;
}
// The index of one of the items of which a sample of `sample` of n items is made: one of each n / sample.
ONEPASS_HOST_DEVICE inline index_t sampled_index(int i, index_t n, int sample) {
  std::uint64_t mixed = (static_cast<std::uint64_t>(i) + 1) * 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ mixed >> 31) * 0xBF58476D1CE4E5B9u;
  const std::uint64_t stride = static_cast<std::uint64_t>(n / sample);
  return static_cast<index_t>(static_cast<std::uint64_t>(i) * stride + (mixed >> 32) % stride);
}

// Where results go: item `from` to result `to`, and its value, where there are values.
template <class Keys, class Values, class Out, class ValuesOut>
struct selected_items {
  Keys keys;
  Values values;
  Out out;
  ValuesOut values_out;
  ONEPASS_EXEC_CHECK_DISABLE
  ONEPASS_HOST_DEVICE void write(index_t to, index_t from) const {
    out[to] = as_item_of<Out>(static_cast<value_of<Keys>>(keys[from]));
    if constexpr (!std::is_same_v<Values, none>)
      values_out[to] = as_item_of<ValuesOut>(static_cast<value_of<Values>>(values[from]));
  }
};

}  // namespace onepass::detail
