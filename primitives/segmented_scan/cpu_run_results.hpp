// SPDX-License-Identifier: Apache-2.0
// Results of runs on the CPU, by groups of 64 items: for cpu_runs.hpp, which knows where the heads are.
//
// Groups without a head are only added up. In others all is scanned, and what stands in front of each head is taken out, so
// how long runs are costs no branch. Lengths of runs are differences of places.
#pragma once

#include "counted.hpp"
#include "cpu_vectors.hpp"

namespace onepass::detail {

// Made for a tile from `first` on, after the prefix. Then, group by group: skip(at) without a head, take(at, heads, n) with
// n items from `at` on; after that end(k) for each item k of it that is a head: the result of the run before it.
// last(end): of the run that the tile, up to item `end`, ends in.
// combined(job, begin, end): of one item at least.
struct no_results {
  static constexpr bool possible = false;
};
#if ONEPASS_HAS_SIMD
// Of values that lie side by side.
template <class T, class In, class Lanes>
class results_in_lanes {
  using lane = lane_type<Lanes, In>;
  using vectors = simd<lane>;

 public:
  static constexpr bool possible = true;

  template <class Job>
  static T combined(const Job& job, index_t begin, index_t end) {
    return static_cast<T>(simd_reduce<Lanes>(reinterpret_cast<const lane*>(job.source.values + begin), end - begin));
  }

  template <class Job, class Optional>
  ONEPASS_SIMD_STEP results_in_lanes(const Job& job, index_t first, const Optional& prefix)
      : in_(reinterpret_cast<const lane*>(job.source.values)),
        carry_(vectors::all(prefix ? static_cast<lane>(prefix->value) : Lanes::start(load_lane(in_ + first)))) {}

  ONEPASS_SIMD_STEP void skip(index_t at) {
    ask_ahead(at);
    if (!adds_) {
      adds_ = true;
      sum_.fill(Lanes::start(load_lane(in_ + at)));
    }
    lane_block<lane> next;
    for (index_t i = at; i < at + head_group; i += next.items) {
      next.load(in_ + i);
      sum_.template combine<Lanes>(next);
    }
  }
  ONEPASS_SIMD_STEP void take(index_t at, const unsigned char* heads, index_t n) {
    end_sum();
    scanned_[0] = carry_[0];
    read_ahead nothing;
    if (n == head_group) {
      ask_ahead(at);
      scan_group<Lanes, true>(in_ + at, scanned_ + 1, heads, carry_, carry_, nothing, false);
    } else {
      lane part[head_group];
      for (index_t k = 0; k < head_group; ++k) part[k] = load_lane(in_ + at + std::min(k, n - 1));
      scan_group<Lanes, true>(part, scanned_ + 1, heads, carry_, carry_, nothing, false);
      carry_ = vectors::all(scanned_[n]);
    }
  }
  T end(index_t k) { return static_cast<T>(scanned_[k]); }
  ONEPASS_SIMD_STEP T last(index_t) {
    end_sum();
    return static_cast<T>(carry_[0]);
  }

 private:
  ONEPASS_SIMD_STEP void ask_ahead(index_t at) const {
    for (index_t k = 0; k < head_group; k += lane_block<lane>::items) prefetch_ahead(in_ + at + k);
  }
  ONEPASS_SIMD_STEP void end_sum() {
    if (!adds_) return;
    adds_ = false;
    carry_ = Lanes::combine(carry_, vectors::all(sum_.template combined<Lanes>()));
  }

  const lane* in_;
  typename vectors::vector carry_;  // the run's result so far, in all lanes, without sum_
  lane_block<lane> sum_;            // of the groups without a head since
  bool adds_ = false;
  lane scanned_[head_group + 1];  // of the group taken last, and what was before it
};

// Sums of a constant.
template <class T>
class results_by_place {
 public:
  static constexpr bool possible = true;

  template <class Job>
  static T combined(const Job& job, index_t begin, index_t end) {
    return times(job.source.value(begin), end - begin);
  }

  template <class Job, class Optional>
  results_by_place(const Job& job, index_t first, const Optional& prefix)
      : item_(job.source.value(first)), begin_(first), before_(prefix ? prefix->value : T{0}) {}

  void skip(index_t) {}
  void take(index_t at, const unsigned char*, index_t) { at_ = at; }
  T end(index_t k) {
    const T result = last(at_ + k);
    begin_ = at_ + k;
    before_ = T{0};
    return result;
  }
  T last(index_t end) const {
    return static_cast<T>(static_cast<std::uint64_t>(before_) + static_cast<std::uint64_t>(times(item_, end - begin_)));
  }

 private:
  static T times(T item, index_t n) {  // modulo 2^bits, as lanes add
    return static_cast<T>(static_cast<std::uint64_t>(item) * static_cast<std::uint64_t>(n));
  }

  T item_;
  index_t begin_;  // of the run, or of the tile
  T before_;       // what the run has in front of the tile
  index_t at_ = 0;
};
#endif

template <class T, class Values, class Op, class = void>
struct results_of {
  using type = no_results;
};
#if ONEPASS_HAS_SIMD
template <class Op>
using lanes_of = typename lanes_of_operator<Op>::type;

template <class T, class In, class Op>
struct results_of<T, In*, Op, std::enable_if_t<has_lanes<lanes_of<Op>, std::remove_const_t<In>, T, T>>> {
  using type = results_in_lanes<T, std::remove_const_t<In>, lanes_of<Op>>;
};
template <class T, class Values, class Op>
struct results_of<T, Values, Op,
                  std::enable_if_t<is_constant<Values> && std::is_same_v<lanes_of<Op>, lane_sum> &&
                                   std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8>> {
  using type = results_by_place<T>;
};
#endif

}  // namespace onepass::detail
