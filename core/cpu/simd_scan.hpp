// SPDX-License-Identifier: Apache-2.0
// Reducing and scanning a tile in vectors: sum, minimum and maximum of arithmetic types that lie side by side.
//
// A vector is scanned by log2(lanes) steps of "combine with the lane 1, 2, 4, ... before", the last of them from 16 bytes
// to the next, then combined with the carry, which is the same in all lanes. How items are associated depends on their
// place in the tile alone.
// Source: W. D. Hillis and G. L. Steele, "Data Parallel Algorithms" (1986): the scan by doubling distances.
#pragma once

#include <cuda/std/functional>

#include <functional>

#include "../operators.hpp"
#include "../scan_job.hpp"
#include "simd.hpp"

namespace onepass::detail {

// ---- how lanes are combined -----------------------------------------------------------------------------------------
struct no_lanes {};

// combine: two vectors or two lanes. start(x): a carry that changes nothing when x follows it. fill(v): what is shifted
// into the rows of v from below. combine_unless(heads, a, b): just b in the lanes of `heads`.
struct lane_sum {
  template <class T>
  static ONEPASS_SIMD_STEP T combine(const T& a, const T& b) {
    return T(a + b);
  }
  // -0 is the float that changes none, not even -0.
  template <class T>
  static T start(T) {
    return std::is_floating_point_v<T> ? T(-0.0) : T(0);
  }
  template <class Simd>
  static ONEPASS_SIMD_STEP auto fill(const typename Simd::vector&) {
    return Simd::all(start(typename Simd::lane()));
  }
  template <class Simd, class Vector = typename Simd::vector>
  static ONEPASS_SIMD_STEP Vector combine_unless(const typename Simd::mask& heads, const Vector& a, const Vector& b) {
    // Nothing is added instead of a choice, which takes longer.
    using mask = typename Simd::mask;
    const mask kept = mask(a) & ~heads;
    if constexpr (std::is_floating_point_v<typename Simd::lane>)
      return Vector(kept | (heads & mask(Simd::all(start(typename Simd::lane()))))) + b;
    else return Vector(kept) + b;
  }
};
// To combine with the first item of a row once more changes nothing.
template <bool smaller>
struct lane_extreme {
  template <class T>
  static ONEPASS_SIMD_STEP T combine(const T& a, const T& b) {
    if constexpr (smaller) return b < a ? b : a;
    else return a < b ? b : a;
  }
  template <class T>
  static T start(T x) {
    return x;
  }
  template <class Simd>
  static ONEPASS_SIMD_STEP auto fill(const typename Simd::vector& v) {
    return Simd::first_of_rows(v);
  }
  template <class Simd, class Vector = typename Simd::vector>
  static ONEPASS_SIMD_STEP Vector combine_unless(const typename Simd::mask& heads, const Vector& a, const Vector& b) {
    return heads ? b : combine(a, b);
  }
};

// ---- which scans have lanes -----------------------------------------------------------------------------------------
template <class Op>
struct lanes_of_operator {
  using type = no_lanes;
};
template <>
struct lanes_of_operator<sum> {
  using type = lane_sum;
};
template <class T>
struct lanes_of_operator<std::plus<T>> {
  using type = lane_sum;
};
template <class T>
struct lanes_of_operator<::cuda::std::plus<T>> {  // Thrust's
  using type = lane_sum;
};
template <>
struct lanes_of_operator<minimum> {
  using type = lane_extreme<true>;
};
template <>
struct lanes_of_operator<maximum> {
  using type = lane_extreme<false>;
};

// Sums of integers are taken modulo 2^bits of the stored type, which is all of them that is stored. Lanes are unsigned
// then, so that no overflow is undefined.
template <class Lanes, class In, class Value, class Out>
constexpr bool has_lanes = [] {
  constexpr bool integers = std::is_integral_v<In> && std::is_integral_v<Out> && std::is_integral_v<Value> &&
                            !std::is_same_v<In, bool> && !std::is_same_v<Out, bool> && !std::is_same_v<Value, bool>;
  constexpr bool floats = std::is_same_v<In, float> || std::is_same_v<In, double>;
  constexpr bool same = std::is_same_v<In, Value> && std::is_same_v<In, Out>;
  if (std::is_same_v<Lanes, no_lanes>) return false;
  if (std::is_same_v<Lanes, lane_sum> && integers) {
    return sizeof(In) == sizeof(Out) && sizeof(Out) <= sizeof(Value) && sizeof(In) <= 8;
  }
  return same && (integers || floats) && sizeof(In) <= 8;  // not of 128 bits
}();
template <class Lanes, class In>
using lane_type =
    std::conditional_t<std::is_floating_point_v<In>, In,
                       integer_of_size<sizeof(In), std::is_signed_v<In> && !std::is_same_v<Lanes, lane_sum>>>;

#if ONEPASS_HAS_SIMD
// ---- the kernels ----------------------------------------------------------------------------------------------------
// A block is a cache line of items: the unit in which input is asked for ahead.
template <class Lane>
struct lane_block {
  using vectors = simd<Lane>;
  static constexpr int size = static_cast<int>(cache_line / simd_bytes);
  static constexpr index_t items = cache_line / sizeof(Lane);
  typename vectors::vector of[size];

  ONEPASS_SIMD_STEP void load(const Lane* p) {
    for (int k = 0; k < size; ++k) of[k] = vectors::load(p + k * vectors::lanes);
  }
  template <bool streams>
  ONEPASS_SIMD_STEP void store(Lane* p) const {
    for (int k = 0; k < size; ++k) {
      if constexpr (streams) vectors::stream(p + k * vectors::lanes, of[k]);
      else vectors::store(p + k * vectors::lanes, of[k]);
    }
  }
  template <class Lanes>
  ONEPASS_SIMD_STEP void combine(const lane_block& next) {
    for (int k = 0; k < size; ++k) of[k] = Lanes::combine(of[k], next.of[k]);
  }
  // The first n items, and `pad` for the others.
  ONEPASS_SIMD_STEP void load_part(const Lane* p, index_t n, Lane pad) {
    Lane items_of_block[items];
    for (Lane& x : items_of_block) x = pad;
    std::memcpy(items_of_block, p, static_cast<std::size_t>(n) * sizeof(Lane));
    load(items_of_block);
  }
  ONEPASS_SIMD_STEP void store_part(Lane* p, index_t n) const {
    Lane items_of_block[items];
    store<false>(items_of_block);
    std::memcpy(p, items_of_block, static_cast<std::size_t>(n) * sizeof(Lane));
  }
};

template <class Lane>
Lane load_lane(const Lane* p) {
  Lane x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

// Each lane becomes the combination of itself and those before it: first within rows, then the first row's goes into the
// second.
template <class Lanes, class Simd, int by = 1>
ONEPASS_SIMD_STEP void scan_lanes(typename Simd::vector& v, const typename Simd::vector& fill) {
  if constexpr (by < Simd::row) {
    v = Lanes::combine(Simd::template shifted_in_rows<by>(fill, v), v);
    scan_lanes<Lanes, Simd, 2 * by>(v, fill);
  } else if constexpr (Simd::row < Simd::lanes) {
    v = Lanes::combine(Simd::last_of_first_row(fill, v), v);
  }
}

// Combines n > 0 items.
template <class Lanes, class Lane>
ONEPASS_SIMD_TARGET Lane simd_reduce(const Lane* in, index_t n) {
  using block = lane_block<Lane>;
  const Lane start = Lanes::start(load_lane(in));
  block total, next;
  for (auto& v : total.of) v = simd<Lane>::all(start);
  index_t i = 0;
  for (; i + block::items <= n; i += block::items) {
    next.load(in + i);
    total.template combine<Lanes>(next);
  }
  if (i < n) {
    next.load_part(in + i, n - i, start);
    total.template combine<Lanes>(next);
  }
  auto& all = total.of[0];
  for (int k = 1; k < block::size; ++k) all = Lanes::combine(all, total.of[k]);
  scan_lanes<Lanes, simd<Lane>>(all, Lanes::template fill<simd<Lane>>(all));
  return all[simd<Lane>::lanes - 1];
}

// `carry`, in all lanes: of everything before the block, and then with the block.
template <class Lanes, bool inclusive, class Lane>
ONEPASS_SIMD_STEP void scan_block(lane_block<Lane>& block, typename simd<Lane>::vector& carry) {
  using vectors = simd<Lane>;
  for (auto& v : block.of) {
    scan_lanes<Lanes, vectors>(v, Lanes::template fill<vectors>(v));
    const auto upto = Lanes::combine(carry, v);
    const auto last = vectors::template broadcast<vectors::lanes - 1>(v);
    v = inclusive ? upto : vectors::template shifted<1>(carry, upto);
    carry = Lanes::combine(carry, last);  // not from `upto`: a shorter way from block to block
  }
}

// Scans n items from the carry on. `ahead` is what the thread reads next. With `streams`, `out` is aligned to 16 bytes.
template <class Lanes, bool inclusive, bool streams, class Lane>
ONEPASS_SIMD_TARGET void simd_scan(const Lane* in, Lane* out, index_t n, Lane before, read_ahead ahead) {
  lane_block<Lane> block;
  auto carry = simd<Lane>::all(before);
  index_t i = 0;
  for (; i + block.items <= n; i += block.items) {
    ahead.step();
    block.load(in + i);
    scan_block<Lanes, inclusive>(block, carry);
    block.template store<streams>(out + i);
  }
  if (i < n) {
    block.load_part(in + i, n - i, before);
    scan_block<Lanes, inclusive>(block, carry);
    block.store_part(out + i, n - i);
  }
  if (streams) stream_fence();
}
#endif

// ---- for a scan job -------------------------------------------------------------------------------------------------
// Without `possible`, plain loops do the work.
template <class Job, class Source = typename Job::source_type, class Out = decltype(Job::out), class = void>
struct scan_kernels {
  static constexpr bool possible = false;
};
#if ONEPASS_HAS_SIMD
template <class Job>
using lanes_of_job = typename lanes_of_operator<typename Job::op_type>::type;

template <class Job, class Value, class In, class Out>
struct scan_kernels<Job, values_source<Value, In*, as_is>, Out*,
                    std::enable_if_t<std::is_same_v<decltype(Job::emit), emit_value> &&
                                     has_lanes<lanes_of_job<Job>, std::remove_const_t<In>, Value, Out>>> {
  using lanes = lanes_of_job<Job>;
  using lane = lane_type<lanes, std::remove_const_t<In>>;
  static constexpr bool possible = true;

  static Value reduce(const Job& job, index_t first, index_t count) {
    return static_cast<Value>(simd_reduce<lanes>(input(job, first), count));
  }
  static read_ahead ahead(const Job& job, index_t first, index_t count) {
    return {input(job, first), static_cast<std::size_t>(count) * sizeof(lane)};
  }
  template <class Optional>
  static void scan(const Job& job, index_t first, index_t count, const Optional& prefix, read_ahead next) {
    const lane* in = input(job, first);
    lane* out = reinterpret_cast<lane*>(job.out + first);
    const lane before = prefix ? static_cast<lane>(*prefix) : lanes::start(load_lane(in));
    const bool aligned = reinterpret_cast<std::uintptr_t>(out) % 16 == 0;
    if (in != out && aligned && pays_to_stream(static_cast<std::size_t>(job.n) * sizeof(lane)))
      simd_scan<lanes, Job::inclusive, true>(in, out, count, before, next);
    else simd_scan<lanes, Job::inclusive, false>(in, out, count, before, next);
  }

 private:
  static const lane* input(const Job& job, index_t first) {
    return reinterpret_cast<const lane*>(job.source.it + first);
  }
};
#endif

}  // namespace onepass::detail
