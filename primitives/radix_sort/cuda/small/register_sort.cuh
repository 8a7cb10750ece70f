// SPDX-License-Identifier: Apache-2.0
// Sorting up to 256 items in the registers of a logical warp: 1, 2, 4, ... or 32 lanes, each with eight items. Each
// lane sorts its own items; then the runs of 1, 2, 4, ... lanes are merged by bitonic merges.
//
// What is sorted are words that stand for the keys: a key's ordered bits and, where equal keys can be told apart, its
// index behind them. Then no two words are equal, and the sorting network, which is not stable, makes a stable sort.
// The index takes the lowest bits of the word. Mostly no comparison needs the key's bits that it displaces; the result
// is checked for the case that one does (fix_up_ties).
//
// Source: K. E. Batcher, "Sorting Networks and Their Applications" (1968).
#pragma once

#include "../../../../core/cuda/io/warp.cuh"
#include "../../keys/digits.hpp"

namespace onepass::detail {

// ---- words that stand for keys --------------------------------------------------------------------------------------
template <class Bits>
using sort_word = std::conditional_t<sizeof(Bits) <= 4, unsigned, Bits>;

// All of the bits, and the index.
template <class Bits>
struct indexed_bits {
  Bits bits;
  unsigned index;
  friend __device__ bool operator<(const indexed_bits& a, const indexed_bits& b) {
    return a.bits != b.bits ? a.bits < b.bits : a.index < b.index;
  }
};

template <class Word>
__device__ int leading_zeros(Word word) {
  static_assert(sizeof(Word) == 4 || sizeof(Word) == 8 || sizeof(Word) == 16);
  if constexpr (sizeof(Word) == 4) {
    return __clz(static_cast<int>(word));
  } else if constexpr (sizeof(Word) == 8) {
    return __clzll(static_cast<long long>(word));
  } else {
    const auto high = static_cast<long long>(word >> 64);
    return high != 0 ? __clzll(high) : 64 + __clzll(static_cast<long long>(word));
  }
}

// ---- the network ----------------------------------------------------------------------------------------------------
template <class T>
__device__ void put_in_order(T& a, T& b) {
  const T low = b < a ? b : a;
  b = b < a ? a : b;
  a = low;
}
// Returns the lower of two, or the higher.
template <class T>
__device__ T lower_or_higher(const T& mine, const T& other, bool is_lower) {
  if constexpr (std::is_same_v<T, unsigned>) return is_lower ? min(mine, other) : max(mine, other);
  else return (other < mine) == is_lower ? other : mine;
}

template <int per_lane, class T>
class bitonic_sorter {
 public:
  // Sorts the items of each logical warp of `lanes` lanes, a power of two: afterwards, item i of the order is item i %
  // per_lane of lane i / per_lane. All lanes of the warp. Inlined, so that all steps are constants where `lanes` is
  // one.
  static __device__ __forceinline__ void sort(T (&item)[per_lane], int lanes) {
    sort_in_lane(item);
#pragma unroll
    for (int run = 2; run <= lanes; run *= 2) {
      mirror(item, run);
#pragma unroll
      for (int distance = run / 4; distance > 0; distance /= 2) exchange(item, distance);
      bitonic_merge_in_lane(item);
    }
  }

  // A bitonic merge of one lane's items: they ascend and then descend, or descend and then ascend.
  static __device__ void bitonic_merge_in_lane(T (&item)[per_lane]) {
#pragma unroll
    for (int distance = per_lane / 2; distance > 0; distance /= 2) {
#pragma unroll
      for (int i = 0; i < per_lane; ++i) {
        if ((i & distance) == 0) put_in_order(item[i], item[i | distance]);
      }
    }
  }

  // Merges both halves of one lane's items, which ascend.
  static __device__ void merge_halves_in_lane(T (&item)[per_lane]) { odd_even_steps<per_lane / 2, per_lane / 2>(item); }

 private:
  // Sorts one lane's items by Batcher's odd-even merges, which take the fewest steps. A function for each length and
  // distance: of 16 items, loops over them are not unrolled.
  template <int run = 1>
  static __device__ __forceinline__ void sort_in_lane(T (&item)[per_lane]) {
    odd_even_steps<run, run>(item);
    if constexpr (2 * run < per_lane) sort_in_lane<2 * run>(item);
  }
  template <int run, int distance>
  static __device__ __forceinline__ void odd_even_steps(T (&item)[per_lane]) {
    constexpr int first = distance % run;
#pragma unroll
    for (int i = first; i + distance < per_lane; ++i) {
      const bool is_first = (i - first) / distance % 2 == 0;
      if (is_first && i / (2 * run) == (i + distance) / (2 * run)) put_in_order(item[i], item[i + distance]);
    }
    if constexpr (distance > 1) odd_even_steps<run, distance / 2>(item);
  }
  // The first step of a merge of two ascending runs: compares item i of the first run with item i from the end of the
  // second.
  static __device__ void mirror(T (&item)[per_lane], int run) {
    const bool is_lower = (lane_id() & run / 2) == 0;
    T other[per_lane];
#pragma unroll
    for (int i = 0; i < per_lane; ++i) other[i] = shuffle_xor(item[per_lane - 1 - i], run - 1);
#pragma unroll
    for (int i = 0; i < per_lane; ++i) item[i] = lower_or_higher(item[i], other[i], is_lower);
  }
  static __device__ void exchange(T (&item)[per_lane], int distance) {
    const bool is_lower = (lane_id() & distance) == 0;
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
      item[i] = lower_or_higher(item[i], shuffle_xor(item[i], distance), is_lower);
    }
  }
};

constexpr int items_a_lane = 8;
using lane_sources = unsigned long long;  // which item each of a lane's eight items was before the sort: a byte each

// ---- ties -----------------------------------------------------------------------------------------------------------
// Looks at all neighbours once, and swaps those that descend. All lanes of the warp. Returns whether any were swapped.
template <class Ordered>
__device__ bool swap_neighbours(const Ordered& ordered, int n, int lanes, lane_sources& sources) {
  constexpr int last_shift = 8 * (items_a_lane - 1);
  const int lane = lane_id() & (lanes - 1), here = min(n - lane * items_a_lane, items_a_lane);
  const auto bits_of = [&](lane_sources source) { return ordered(static_cast<int>(source & 255)); };
  bool swapped = false;
  auto last = bits_of(here > 0 ? sources : 0);
#pragma unroll 1
  for (int i = 1; i < here; ++i) {
    const int shift = 8 * (i - 1);
    const auto now = bits_of(sources >> shift >> 8);
    if (now < last) {
      const lane_sources differing = (sources >> 8 ^ sources) & lane_sources{255} << shift;
      sources ^= differing | differing << 8;
      swapped = true;
    } else {
      last = now;
    }
  }
  // A lane's last item and the first one of the next lane: both lanes compare them, and each takes its own.
  const auto last_of_lower = static_cast<lane_sources>(shuffle_up(static_cast<unsigned>(sources >> last_shift), 1));
  const auto first_of_upper = static_cast<lane_sources>(shuffle_down(static_cast<unsigned>(sources & 255), 1));
  const bool gives_first = here > 0 && lane > 0 && bits_of(sources) < bits_of(last_of_lower);
  const bool gives_last = (lane + 1) * items_a_lane < n && bits_of(first_of_upper) < last;
  if (gives_first) sources = (sources & ~lane_sources{255}) | last_of_lower;
  if (gives_last) sources = (sources & ~(lane_sources{255} << last_shift)) | first_of_upper << last_shift;
  return __any_sync(all_lanes, swapped || gives_first);
}

// Sorts by all bits: returns the sources of this lane's items.
template <class Ordered>
__device__ __noinline__ lane_sources sort_by_all_bits(const Ordered ordered, int n, int lanes) {
  using word = std::decay_t<decltype(ordered(0))>;
  using item = std::conditional_t<sizeof(word) == 4, unsigned long long, indexed_bits<word>>;
  const int lane = lane_id() & (lanes - 1);
  item items[items_a_lane];
#pragma unroll
  for (int i = 0; i < items_a_lane; ++i) {
    const int at = i * lanes + lane;
    const word bits = at < n ? ordered(at) : static_cast<word>(~word{0});
    if constexpr (sizeof(word) == 4) items[i] = static_cast<item>(bits) << 32 | static_cast<unsigned>(at);
    else items[i] = {bits, static_cast<unsigned>(at)};
  }
  bitonic_sorter<items_a_lane, item>::sort(items, lanes);
  lane_sources sources = 0;
#pragma unroll
  for (int i = 0; i < items_a_lane; ++i) {
    unsigned index;
    if constexpr (sizeof(word) == 4) index = static_cast<unsigned>(items[i]);
    else index = items[i].index;
    sources |= static_cast<lane_sources>(index & 255) << 8 * i;
  }
  return sources;
}

// Fixes up ties: words that agree in all bits but the index, though the keys may differ. A few are swapped; only where
// there are more, all is sorted again. Neither is inlined, as the code that is often called has to fit the instruction
// cache. The swaps are a short loop: where ties are rare, their code is in no cache when it is called, and with a sort
// instead one tie took as long as all the rest of a short segment's sort (docs/history/performance-log.md).
template <class Ordered>
__device__ __noinline__ lane_sources fix_up_ties(const Ordered ordered, int n, int lanes, lane_sources sources) {
  constexpr int looks = 4;  // two keys in a tie take two: the second one sees that all ascend
#pragma unroll 1
  for (int i = 0; i < looks; ++i) {
    if (!swap_neighbours(ordered, n, lanes, sources)) return sources;
  }
  return sort_by_all_bits(ordered, n, lanes);
}

// ---- sorting keys ---------------------------------------------------------------------------------------------------
// Sorts by a logical warp: n items, where ordered(i) returns the ordered bits of item i. The logical warp has `lanes`
// lanes, of which this is lane `lane`. ties_are_free: equal keys cannot be told apart, so they may come in any order.
template <bool ties_are_free, class Digits>
class logical_warp_sorter {
  using K = typename Digits::key;
  using bits = typename Digits::key_bits;

 public:
  using word = sort_word<typename Digits::ordered>;
  static constexpr int per_lane = items_a_lane;

  __device__ explicit logical_warp_sorter(const Digits& digits) : digits_(digits) {}

  // The key's ordered bits.
  __device__ word order(const K& key) const {
    const bits key_bits = to_key_bits(key);
    if constexpr (ties_are_free) return static_cast<bits>(key_bits ^ digits_.of.flip());  // all bits
    else return digits_.order(key_bits);
  }
  __device__ K key_of(const word& ordered) const {
    static_assert(ties_are_free);
    return from_key_bits<K>(static_cast<bits>(ordered ^ digits_.of.flip()));
  }

  // ordered(i) for keys in memory.
  __device__ auto ordered(const K* keys) const {
    return [sorter = *this, keys](int i) { return sorter.order(keys[i]); };
  }

  // If ties are free: the ordered bits, sorted; all ones for items that are not there.
  template <int lanes, class Ordered>
  __device__ void sort(const Ordered& ordered, int n, int lane, word (&words)[per_lane]) const {
    load(ordered, n, lane, lanes, words);
    bitonic_sorter<per_lane, word>::sort(words, lanes);
  }

  // Which items are this lane's eight in the order of the sort.
  template <int lanes, class Ordered>
  __device__ void sort_sources(const Ordered& ordered, int n, int lane, unsigned (&source)[per_lane]) const {
    if (!__any_sync(all_lanes, sort_in_words<lanes>(ordered, n, lane, source))) return;
    lane_sources sources = 0;
#pragma unroll
    for (int i = 0; i < per_lane; ++i) sources |= static_cast<lane_sources>(source[i]) << 8 * i;
    sources = fix_up_ties(ordered, n, lanes, sources);
#pragma unroll
    for (int i = 0; i < per_lane; ++i) source[i] = static_cast<unsigned>(sources >> 8 * i & 255);
  }

 private:
  // This lane loads the items i * lanes + lane.
  template <class Ordered>
  static __device__ void load(const Ordered& ordered, int n, int lane, int lanes, word (&words)[per_lane]) {
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
      words[i] = static_cast<word>(~word{0});
      if (i * lanes + lane < n) words[i] = ordered(i * lanes + lane);
    }
  }
  // Sorts by words: leading bits that are the same in all keys are shifted out, and the index takes the lowest bits.
  // Returns whether neighbouring words agree in all bits but the index.
  template <int lanes, class Ordered>
  static __device__ bool sort_in_words(const Ordered& ordered, int n, int lane, unsigned (&source)[per_lane]) {
    constexpr word index_mask = per_lane * lanes - 1;
    word words[per_lane], differing = 0;
    load(ordered, n, lane, lanes, words);
    const word one = shuffle_from(words[0], lane_id() - lane);
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
      if (i * lanes + lane < n) differing |= words[i] ^ one;
    }
    bit_or any;
    const int shift = leading_zeros(static_cast<word>(warp_fold(differing, warp_size, any) | index_mask));
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
      const auto index = static_cast<word>(i * lanes + lane);
      if (i * lanes + lane < n) words[i] = static_cast<word>(words[i] << shift & ~index_mask) | index;
    }
    bitonic_sorter<per_lane, word>::sort(words, lanes);
#pragma unroll
    for (int i = 0; i < per_lane; ++i) source[i] = static_cast<unsigned>(words[i] & index_mask);
    word before = shuffle_up(words[per_lane - 1], 1);
    bool has_ties = false;
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
      const int at = lane * per_lane + i;
      has_ties |= at > 0 && at < n && ((before ^ words[i]) & ~index_mask) == 0;
      before = words[i];
    }
    return has_ties;
  }

  const Digits& digits_;
};

}  // namespace onepass::detail
