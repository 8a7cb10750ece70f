// SPDX-License-Identifier: Apache-2.0
// The results of runs on the CPU, made in groups of 64 items for cpu_run_reduce_tile.hpp, which knows where the heads
// are.
//
// A group without a head is only combined. Any other group is scanned, and the scan's result before each head is the
// result of a run, so that no branch depends on the lengths of runs. Sums of integers are differences of a plain scan's
// results, sums of a constant are differences of indices. Any other functor combines a run's items one after another.
#pragma once

#include "../counted_source.hpp"
#include "../../../core/segments/cpu_segmented_simd.hpp"

#include "../../../core/cpu/simd/level_avx2.inc"

namespace onepass::detail {

// A class of results is made for a tile that begins at item `first`, with the tile's prefix. It is called group by
// group:
//   skip(at)            a group of 64 items from `at` on without a head
//   take(at, heads, n)  a group of n items from `at` on; then follows
//   end(k)              for each item k of the group that is a head: returns the result of the run before it
//   last(end)           at the end of the tile: returns the result so far of the run that the tile ends in
//   fast                whether it does better than one item after another; then it also has
//   combined(job, begin, end)  the combination of at least one item

// Combines one item after another.
template <class T, class Values, class Op>
class results_item_by_item {
 public:
  static constexpr bool fast = false;

  // Without a prefix the tile's first item is the first of its run.
  template <class Job, class Optional>
  ONEPASS_SIMD_STEP results_item_by_item(const Job& job, index_t first, const Optional& prefix)
      : values_(job.source.values),
        op_(job.op.op),
        so_far_(prefix ? prefix->value : value(first)),
        next_(prefix ? first : first + 1) {}

  ONEPASS_SIMD_STEP void skip(index_t at) {  // the compiler vectorises the loop where it can
    for (; next_ < at + head_group; ++next_) so_far_ = static_cast<T>(op_(so_far_, value(next_)));
  }
  ONEPASS_SIMD_STEP void take(index_t at, const unsigned char*, index_t) { at_ = at; }
  ONEPASS_SIMD_STEP T end(index_t k) {
    combine(at_ + k);
    return begin(k);
  }
  // Instead of end(), the items of a group one by one: go_to(k) for the first, then for each item add(k), or for a head
  // begin(k), which returns the result of the run before it.
  ONEPASS_SIMD_STEP void go_to(index_t k) { combine(at_ + k); }
  ONEPASS_SIMD_STEP void add(index_t k) {
    so_far_ = static_cast<T>(op_(so_far_, value(at_ + k)));
    next_ = at_ + k + 1;
  }
  ONEPASS_SIMD_STEP T begin(index_t k) {
    const T result = so_far_;
    so_far_ = value(at_ + k);
    next_ = at_ + k + 1;
    return result;
  }
  ONEPASS_SIMD_STEP T last(index_t end) {
    combine(end);
    return so_far_;
  }

 private:
  ONEPASS_SIMD_STEP T value(index_t i) const { return static_cast<T>(static_cast<value_of<Values>>(values_[i])); }
  ONEPASS_SIMD_STEP void combine(index_t end) {
    for (; next_ < end; ++next_) {
      so_far_ = static_cast<T>(op_(so_far_, value(next_)));
      // No vectors: the branches around them are mispredicted in short runs, beside the one at a run's end.
      asm volatile("");
    }
  }

  Values values_;
  Op op_;
  T so_far_;      // the run's result so far
  index_t next_;  // the next item
  index_t at_ = 0;
};
#if ONEPASS_HAS_SIMD
// Combines in vectors the values of an array.
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
    prefetch_group(at);
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
      prefetch_group(at);
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
  // Returns what was added since the run began, and begins the next run. `inclusive`: the sum at the end of the run.
  ONEPASS_SIMD_STEP T since_begin(lane inclusive) {
    const lane before = begin_;
    begin_ = inclusive;
    return static_cast<T>(lane(inclusive - before));
  }
  ONEPASS_SIMD_STEP void prefetch_group(index_t at) const {
    for (index_t k = 0; k < head_group; k += lane_block<lane>::items) prefetch_ahead(in_ + at + k);
  }
  ONEPASS_SIMD_STEP void end_sum() {
    if (!adds_) return;
    adds_ = false;
    carry_ = Lanes::combine(carry_, vectors::all(sum_.template combined<Lanes>()));
  }

  const lane* in_;
  // In all lanes the run's result so far, without sum_. Where the class subtracts, it is the tile's sum so far.
  typename vectors::vector carry_;
  lane begin_ = 0;                // where the class subtracts: carry_ at the begin of the run
  lane_block<lane> sum_;          // the combination of groups without a head that carry_ does not have yet
  bool adds_ = false;             // there are such groups
  lane scanned_[head_group + 1];  // the scan of the last group that has heads, and before it the carry
};

// Sums of a constant: products of it with the runs' lengths.
template <class T>
class constant_results {
 public:
  static constexpr bool fast = true;

  template <class Job>
  static T combined(const Job& job, index_t begin, index_t end) {
    return times(job.source.value(begin), end - begin);
  }

  template <class Job, class Optional>
  constant_results(const Job& job, index_t first, const Optional& prefix)
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
  static T times(T item, index_t n) {  // modulo 2^bits, as additions in lanes are
    return static_cast<T>(static_cast<std::uint64_t>(item) * static_cast<std::uint64_t>(n));
  }

  T item_;
  index_t begin_;  // where the run begins, or the tile if that is later
  T before_;       // the run's result before the tile
  index_t at_ = 0;
};
#endif

template <class T, class Values, class Op, class = void>
struct results_of {
  using type = results_item_by_item<T, Values, Op>;
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
  using type = constant_results<T>;
};
#endif

}  // namespace onepass::detail

#include "../../../core/cpu/simd/level_end.inc"
