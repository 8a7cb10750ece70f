// SPDX-License-Identifier: Apache-2.0
// Reducing and scanning a tile in vectors, where items lie side by side and the operator has lanes (simd_lanes.hpp).
//
// A vector is scanned by log2(lanes) steps of "combine with the lane 1, 2, 4, ... before", the last of them from 16 bytes
// to the next, then combined with the carry, which is the same in all lanes. How items are associated depends on their
// place in the tile alone.
// Source: W. D. Hillis and G. L. Steele, "Data Parallel Algorithms" (1986): the scan by doubling distances.
#pragma once

#include "../scan_job.hpp"
#include "simd_lanes.hpp"

namespace onepass::detail {

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
  ONEPASS_SIMD_STEP void fill(Lane x) {
    for (auto& v : of) v = vectors::all(x);
  }
  // Of all its items.
  template <class Lanes>
  ONEPASS_SIMD_STEP Lane combined() const;
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

template <class Lane>
template <class Lanes>
ONEPASS_SIMD_STEP Lane lane_block<Lane>::combined() const {
  auto all = of[0];
  for (int k = 1; k < size; ++k) all = Lanes::combine(all, of[k]);
  scan_lanes<Lanes, vectors>(all, Lanes::template fill<vectors>(all));
  return all[vectors::lanes - 1];
}

// Combines n > 0 items.
template <class Lanes, class Lane>
ONEPASS_SIMD_TARGET Lane simd_reduce(const Lane* in, index_t n) {
  using block = lane_block<Lane>;
  const Lane start = Lanes::start(load_lane(in));
  block total, next;
  total.fill(start);
  index_t i = 0;
  for (; i + block::items <= n; i += block::items) {
    next.load(in + i);
    total.template combine<Lanes>(next);
  }
  if (i < n) {
    next.load_part(in + i, n - i, start);
    total.template combine<Lanes>(next);
  }
  return total.template combined<Lanes>();
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

// Scans n items from the carry on, and returns the carry behind the last whole block. `next` is what the thread reads next.
// With `streams`, `out` is aligned to 16 bytes.
template <class Lanes, bool inclusive, bool streams, class Lane>
ONEPASS_SIMD_TARGET Lane simd_scan(const Lane* in, Lane* out, index_t n, Lane before, read_ahead& next) {
  read_ahead ahead = next;  // not in memory
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
  next = ahead;
  return carry[0];
}

// The same past the caches to anywhere: blocks go through a buffer, so that the place of an item in its block, and with it
// what floats are associated by, does not depend on where `out` is.
template <class Lanes, bool inclusive, class Lane>
ONEPASS_SIMD_TARGET void simd_scan_to_unaligned(const Lane* in, Lane* out, index_t n, Lane before, read_ahead& next) {
  constexpr index_t room = 8192 / sizeof(Lane);
  Lane buffer[room];
  for (index_t i = 0; i < n; i += room) {
    const index_t count = std::min(room, n - i);
    before = simd_scan<Lanes, inclusive, false>(in + i, buffer, count, before, next);
    stream_copy(out + i, buffer, static_cast<std::size_t>(count) * sizeof(Lane));
  }
}
#endif

// Whether results are stored past the caches. Not in place.
template <class Lane>
bool scan_streams(const Lane* in, const Lane* out, index_t n) {
  return in != out && pays_to_stream(static_cast<std::size_t>(n) * sizeof(Lane));
}
inline bool takes_whole_rows(const void* out) { return reinterpret_cast<std::uintptr_t>(out) % 16 == 0; }

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
    if (!scan_streams(in, out, job.n)) simd_scan<lanes, Job::inclusive, false>(in, out, count, before, next);
    else if (takes_whole_rows(out)) simd_scan<lanes, Job::inclusive, true>(in, out, count, before, next);
    else simd_scan_to_unaligned<lanes, Job::inclusive>(in, out, count, before, next);
  }

 private:
  static const lane* input(const Job& job, index_t first) {
    return reinterpret_cast<const lane*>(job.source.it + first);
  }
};
#endif

}  // namespace onepass::detail
