// SPDX-License-Identifier: Apache-2.0
// What every call must give, as serial loops that are short enough to be seen to be right.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "types.hpp"

namespace test {

// ---- scans -----------------------------------------------------------------------------------------------------

// The types in which scans add up are Thrust's: that of the items; with an initial value what the operator returns for it and
// an item; in an exclusive scan the initial value's.
template <class Op, class A, class B>
using accumulator = std::decay_t<std::invoke_result_t<Op, A, B>>;

template <class Out, class T, class Op>
std::vector<Out> inclusive_reference(const std::vector<T>& in, Op op) {
  std::vector<Out> out(in.size());
  if (in.empty()) return out;
  T total = in[0];
  out[0] = static_cast<Out>(total);
  for (std::size_t i = 1; i < in.size(); ++i) out[i] = static_cast<Out>(total = static_cast<T>(op(total, in[i])));
  return out;
}

template <class Out, class T, class Op, class Init>
std::vector<Out> inclusive_reference(const std::vector<T>& in, Op op, Init init) {
  std::vector<Out> out(in.size());
  accumulator<Op, Init, T> total = init;
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = static_cast<Out>(total = op(total, in[i]));
  return out;
}

template <class Out, class T, class Op, class Init>
std::vector<Out> exclusive_reference(const std::vector<T>& in, Op op, Init init) {
  std::vector<Out> out(in.size());
  Init total = init;
  for (std::size_t i = 0; i < in.size(); ++i) {
    out[i] = static_cast<Out>(total);
    total = static_cast<Init>(op(total, static_cast<Init>(in[i])));
  }
  return out;
}

// ---- segmented scans: heads[i] is set where a segment starts -----------------------------------------------------

template <class T, class Op>
std::vector<T> inclusive_segmented_reference(const std::vector<T>& in, const std::vector<std::uint8_t>& heads, Op op) {
  std::vector<T> out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    out[i] = i == 0 || heads[i] ? in[i] : static_cast<T>(op(out[i - 1], in[i]));
  }
  return out;
}

template <class T, class Op>
std::vector<T> exclusive_segmented_reference(const std::vector<T>& in, const std::vector<std::uint8_t>& heads, T init,
                                             Op op) {
  std::vector<T> out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    out[i] = i == 0 || heads[i] ? init : static_cast<T>(op(out[i - 1], in[i - 1]));
  }
  return out;
}

template <class K, class Equal = std::equal_to<>>
std::vector<std::uint8_t> heads_of_keys(const std::vector<K>& keys, Equal equal = {}) {
  std::vector<std::uint8_t> heads(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) heads[i] = i == 0 || !equal(keys[i - 1], keys[i]);
  return heads;
}

// The values where runs end, of an inclusive segmented scan.
template <class T>
std::vector<T> ends_of(const std::vector<T>& scanned, const std::vector<std::uint8_t>& heads) {
  std::vector<T> out;
  for (std::size_t i = 0; i < scanned.size(); ++i) {
    if (i + 1 == scanned.size() || heads[i + 1]) out.push_back(scanned[i]);
  }
  return out;
}

template <class I>
std::vector<std::uint8_t> heads_of_offsets(const std::vector<I>& offsets, std::size_t n) {
  std::vector<std::uint8_t> heads(n);
  for (const I offset : offsets) {
    if (static_cast<std::size_t>(offset) < n) heads[static_cast<std::size_t>(offset)] = 1;
  }
  return heads;
}

// Flags as bits of words, lowest first, from bit `begin` on; the bits before and behind are ones.
inline std::vector<std::uint32_t> words_of(const std::vector<std::uint8_t>& flags, std::size_t begin = 0) {
  std::vector<std::uint32_t> words((begin + flags.size() + 31) / 32, ~std::uint32_t{0});
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (!flags[i]) words[(begin + i) / 32] &= ~(std::uint32_t{1} << (begin + i) % 32);
  }
  return words;
}

// ---- compaction ------------------------------------------------------------------------------------------------

// The items whose flag is `wanted`, in their order.
template <class T, class F>
std::vector<T> kept(const std::vector<T>& in, const std::vector<F>& flags, bool wanted = true) {
  std::vector<T> out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (static_cast<bool>(flags[i]) == wanted) out.push_back(in[i]);
  }
  return out;
}

template <class T, class Predicate>
std::vector<std::uint8_t> flags_of(const std::vector<T>& in, Predicate predicate) {
  std::vector<std::uint8_t> flags(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) flags[i] = predicate(in[i]) ? 1 : 0;
  return flags;
}

// Those with the flag first, both parts in their order.
template <class T, class F>
std::vector<T> partitioned(const std::vector<T>& in, const std::vector<F>& flags) {
  std::vector<T> out = kept(in, flags), others = kept(in, flags, false);
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

// ---- sorting ---------------------------------------------------------------------------------------------------

// The bits of a key as an unsigned number that orders as the key does: -0 and +0 are the same, NaNs go to the ends by
// their sign bit.
template <class K>
uint128 ordered_bits(const K& key) {
  constexpr int bits = 8 * sizeof(K);
  constexpr uint128 top = uint128{1} << (bits - 1), all = top | (top - 1);
  uint128 value = 0;
  std::memcpy(&value, &key, sizeof(K));
  if constexpr (std::is_integral_v<K> || is_wide_integer<K>) {
    return std::is_signed_v<K> || std::is_same_v<K, int128> ? value ^ top : value;
  } else {
    if (value == top) value = 0;  // -0
    return (value & top) ? ~value & all : value | top;
  }
}

// The order of a stable sort by bits [begin, end) of the keys, as positions in the input.
template <class K>
std::vector<std::size_t> sorted_order(const std::vector<K>& keys, bool descending = false, int begin = 0,
                                      int end = 8 * sizeof(K)) {
  const uint128 mask = end - begin >= 128 ? ~uint128{0} : ((uint128{1} << (end - begin)) - 1);
  std::vector<uint128> bits(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) bits[i] = begin >= 128 ? 0 : (ordered_bits(keys[i]) >> begin) & mask;
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return descending ? bits[b] < bits[a] : bits[a] < bits[b]; });
  return order;
}

template <class T>
std::vector<T> arranged(const std::vector<T>& values, const std::vector<std::size_t>& order) {
  std::vector<T> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = values[order[i]];
  return out;
}

}  // namespace test
