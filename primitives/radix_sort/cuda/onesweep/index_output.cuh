// SPDX-License-Identifier: Apache-2.0
// The end of an argsort, whose indices are sorted in 4 bytes: they may be stored in 8, and nobody wants the keys.
#pragma once

#include "../../../../core/cuda/io/cached_access.cuh"
#include "plan.cuh"

namespace onepass::detail {

// Of a sort of indices of 4 bytes. `alone`: the caller does not want the sorted keys. `widened`: if not null, the caller
// wants the indices there, in 8 bytes, and alone. Then what ends the sort stores them there and not in the primary buffer,
// or says that it has not (split_plan::result_is_narrow).
struct index_output {
  bool alone = false;
  std::uint64_t* widened = nullptr;
};
template <class T>
struct result_route : buffer_route<T> {
  index_output output;
};
template <class Values>
constexpr bool may_end_in_indices = false;
template <>
inline constexpr bool may_end_in_indices<result_route<std::uint32_t>> = true;

// A route with an output for indices, where its items can be such indices.
template <class Values>
auto ending_in(const Values& values, [[maybe_unused]] const index_output& output) {
  if constexpr (std::is_same_v<Values, buffer_route<std::uint32_t>>) return result_route<std::uint32_t>{values, output};
  else return values;
}
template <class Values>
index_output output_of([[maybe_unused]] const Values& values) {
  if constexpr (may_end_in_indices<Values>) return values.output;
  else return {};
}

// ---- a pass's store ----------------------------------------------------------------------------------------------------
// Whether a pass stores indices in 8 bytes, and whether nobody wants the keys that it could store.
template <class Job>
__device__ bool widens(const Job& job, const pass_plan& plan) {
  return plan.ends_sort && job.values.output.widened != nullptr;
}
template <class Job>
__device__ bool leaves_out_keys([[maybe_unused]] const Job& job, [[maybe_unused]] const pass_plan& plan) {
  if constexpr (may_end_in_indices<decltype(job.values)>) return plan.ends_sort && job.values.output.alone;
  else return false;
}

// Stores the indices of a tile that has been gathered, and whose offsets are known. Returns whether it was in order, if
// Ranking is checked (pass_tile.cuh). only_digit: if below digit_values, all items have it, and have not been gathered.
// Not inlined: the usual store of keys and values would not be as fast beside it.
template <class Ranking, class Shape, class Digit, class Job, class Shared>
__device__ __noinline__ bool store_widened(const Job& job, const Shared& s, int size, unsigned only_digit) {
  using key_bits = typename Digit::key_bits;
  const Digit digit_of(job.digit);
  const auto* const keys = reinterpret_cast<const key_bits*>(s.keys);
  const auto* const indices = reinterpret_cast<const std::uint32_t*>(s.values);
  std::uint64_t* const out = job.values.output.widened;
  const auto index_of = [&](unsigned digit, int rank) {
    return static_cast<index_t>(static_cast<typename Job::word>(s.store_offset[digit] + static_cast<unsigned>(rank)));
  };
  const int threads = threads_of_tile<Shape, Job>();
  const auto first = static_cast<int>(threadIdx.x);
  if (only_digit < digit_values) {
    const index_t to = index_of(only_digit, 0);
#pragma unroll 4
    for (int i = first; i < size; i += threads) store_with(out, to + i, std::uint64_t{indices[i]}, evict_normal());
    return true;
  }
  const auto order_of = [&](int rank) { return digit_of(keys[rank]) << 16 | s.origins[rank]; };
  // What fills up a tile comes behind all items, and is looked at, too: no item may stand there.
  const int end = Ranking::is_checked && Digit::can_pad ? threads * Shape::per_thread : size;
  bool ascends = true;
#pragma unroll 4
  for (int rank = first; rank < end; rank += threads) {
    const unsigned order = order_of(rank);
    if (rank < size)
      store_with(out, index_of(order >> 16, rank), std::uint64_t{indices[order & 0xFFFFu]}, evict_normal());
    if constexpr (Ranking::is_checked) ascends &= order_of(max(rank - 1, 0)) <= order;
  }
  return ascends;
}

}  // namespace onepass::detail
