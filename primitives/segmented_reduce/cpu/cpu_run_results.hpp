// SPDX-License-Identifier: Apache-2.0
// Results of runs on the CPU, by groups of 64 items: for cpu_run_reduce_tile.hpp, which knows where the heads are.
//
// Groups without a head are only added up. In others all is scanned, and what stands in front of each head is taken out, so
// how long runs are costs no branch. Sums of integers are differences of what a plain scan gives, lengths of runs are
// differences of places. Any other functor combines a run's items one after another.
#pragma once

#include "../counted_source.hpp"
#include "../../../core/segments/cpu_segmented_simd.hpp"

#include "../../../core/cpu/simd/level_avx2.inc"

namespace onepass::detail {

// Made for a tile from `first` on, after the prefix. Then, group by group: skip(at) without a head, take(at, heads, n) with
// n items from `at` on; after that end(k) for each item k of it that is a head: the result of the run before it.
// last(end): of the run that the tile, up to item `end`, ends in.
// `fast`: not one item after another; then also combined(job, begin, end), of one item at least.
template <class T, class Values, class Op>
class results_one_by_one {
 public:
  static constexpr bool fast = false;

  // Without a prefix the first item is a head, or the whole run's first.
  template <class Job, class Optional>
  ONEPASS_SIMD_STEP results_one_by_one(const Job& job, index_t first, const Optional& prefix)
      : values_(job.source.values),
        op_(job.op.op),
        upto_(prefix ? prefix->value : value(first)),
        next_(prefix ? first : first + 1) {}

  ONEPASS_SIMD_STEP void skip(index_t at) {  // in vectors, where the compiler sees how
    for (; next_ < at + head_group; ++next_) upto_ = static_cast<T>(op_(upto_, value(next_)));
  }
  ONEPASS_SIMD_STEP void take(index_t at, const unsigned char*, index_t) { at_ = at; }
  ONEPASS_SIMD_STEP T end(index_t k) {
    combine(at_ + k);
    return begin(k);
  }
  // Or, item by item from item k of the group on: go_to(k), then for each item add(k), or for a head begin(k), which gives
  // the result of the run before it.
  ONEPASS_SIMD_STEP void go_to(index_t k) { combine(at_ + k); }
  ONEPASS_SIMD_STEP void add(index_t k) {
    upto_ = static_cast<T>(op_(upto_, value(at_ + k)));
    next_ = at_ + k + 1;
  }
  ONEPASS_SIMD_STEP T begin(index_t k) {
    const T result = upto_;
    upto_ = value(at_ + k);
    next_ = at_ + k + 1;
    return result;
  }
  ONEPASS_SIMD_STEP T last(index_t end) {
    combine(end);
    return upto_;
  }

 private:
  ONEPASS_SIMD_STEP T value(index_t i) const { return static_cast<T>(static_cast<value_of<Values>>(values_[i])); }
  ONEPASS_SIMD_STEP void combine(index_t end) {
    for (; next_ < end; ++next_) {
      upto_ = static_cast<T>(op_(upto_, value(next_)));
      asm volatile("");  // no vectors: with what stands around them, a short run mispredicts more than its end
    }
  }

  Values values_;
  Op op_;
  T upto_;        // the run's result so far
  index_t next_;  // the item that comes next
  index_t at_ = 0;
};
#if ONEPASS_HAS_SIMD
// Of values that lie side by side.
template <class T, class In, class Lanes>
class results_in_lanes {
  using lane = lane_type<Lanes, In>;
  using vectors = simd<lane>;
  static constexpr bool subtracts = std::is_same_v<Lanes, lane_sum> && std::is_integral_v<lane>;

 public:
  static constexpr bool fast = true;

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
    if (n == head_group) {
      ask_ahead(at);
      scan(in_ + at, heads);
    } else {
      lane part[head_group];
      std::fill(part, part + head_group, load_lane(in_ + at));
      std::memcpy(part, in_ + at, static_cast<std::size_t>(n) * sizeof(lane));
      scan(part, heads);
      carry_ = vectors::all(scanned_[n]);
    }
  }
  ONEPASS_SIMD_STEP T end(index_t k) {
    if constexpr (subtracts) return since_begin(scanned_[k]);
    else return static_cast<T>(scanned_[k]);
  }
  ONEPASS_SIMD_STEP T last(index_t) {
    end_sum();
    if constexpr (subtracts) return since_begin(carry_[0]);
    else return static_cast<T>(carry_[0]);
  }

 private:
  ONEPASS_SIMD_STEP void scan(const lane* in, const unsigned char* heads) {
    read_ahead nothing;
    if constexpr (subtracts) {
      lane_block<lane> block;
      for (index_t i = 0; i < head_group; i += block.items) {
        block.load(in + i);
        scan_block<Lanes, true>(block, carry_);
        block.store(scanned_ + 1 + i, false);
      }
    } else {
      scan_group<Lanes, true>(in, scanned_ + 1, heads, carry_, carry_, nothing, false);
    }
  }
  // What was added since the run began, which ends with a sum of `upto`.
  ONEPASS_SIMD_STEP T since_begin(lane inclusive) {
    const lane before = begin_;
    begin_ = inclusive;
    return static_cast<T>(lane(inclusive - before));
  }
  ONEPASS_SIMD_STEP void ask_ahead(index_t at) const {
    for (index_t k = 0; k < head_group; k += lane_block<lane>::items) prefetch_ahead(in_ + at + k);
  }
  ONEPASS_SIMD_STEP void end_sum() {
    if (!adds_) return;
    adds_ = false;
    carry_ = Lanes::combine(carry_, vectors::all(sum_.template combined<Lanes>()));
  }

  const lane* in_;
  typename vectors::vector
      carry_;             // the run's result so far, in all lanes, without sum_; where it subtracts, the tile's
  lane begin_ = 0;        // where it subtracts, what carry_ was when the run began
  lane_block<lane> sum_;  // of the groups without a head since
  bool adds_ = false;
  lane scanned_[head_group + 1];  // of the group taken last, and what was before it
};

// Sums of a constant.
template <class T>
class results_by_place {
 public:
  static constexpr bool fast = true;

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
  using type = results_one_by_one<T, Values, Op>;
};
#if ONEPASS_HAS_SIMD
template <class Op>
using lanes_of = typename lanes_of_operator<Op>::type;

template <class T, class In, class Op>
struct results_of<T, In*, Op, std::enable_if_t<has_lanes<Op, std::remove_const_t<In>, T, T>>> {
  using type = results_in_lanes<T, std::remove_const_t<In>, lanes_of<Op>>;
};
template <class T, class Values, class Op>
struct results_of<T, Values, Op,
                  std::enable_if_t<is_constant<Values> && std::is_same_v<lanes_of<Op>, lane_sum> &&
                                   keeps_bits_of<Op, T> && is_number<T> && sizeof(T) <= 8>> {
  using type = results_by_place<T>;
};
#endif

}  // namespace onepass::detail

#include "../../../core/cpu/simd/level_end.inc"
