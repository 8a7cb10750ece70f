// SPDX-License-Identifier: Apache-2.0
// The launches of a selection on CUDA. All rows at once, a block a row; or, where rows are long and few, one row after
// another, each by all blocks.
#pragma once

#include <onepass/radix_sort.hpp>
#include <onepass/segmented_sort.hpp>

#include "../nested_call.hpp"
#include "long_select.cuh"

namespace onepass::detail {

// Rows of fewer items are read by one block each. For each row behind the first as many items more, as blocks read rows
// side by side. Estimated, not measured.
constexpr index_t least_long_row = 1 << 19;
// The same where more results are wanted than a block sorts, as it has too little room for what a sample leaves.
constexpr index_t least_far_row = 1 << 14;
// The same for ranked keys of 16 bytes, of which one block searches and sorts many slowly, in rows that are not cut.
constexpr index_t least_wide_row = 1 << 15;
// So many pieces of rows that are cut keep the device busy.
constexpr index_t least_pieces = 64;

template <class Kernel, class... Args>
void launch_select_kernel(const char* call, Kernel* kernel, index_t most_blocks, int threads, stream_t stream,
                          const Args&... args) {
  const resident_blocks resident(kernel, threads, 0);
  const index_t blocks = std::clamp<index_t>(most_blocks, 1, resident.on_this_device(call));
  kernel_launch::dependent(call, resident, kernel, dim3(static_cast<unsigned>(blocks)), threads, 0, stream, args...);
}
// What a block of so many threads can hold of the rows of a job.
template <class Job, int threads>
constexpr index_t most_in_registers = row_in_registers<typename Job::source_type, threads>::most;

template <class Job>
void launch_rows(const char* call, const Job& job, item_count size, index_t usual_length, stream_t stream) {
  const index_t blocks = job.rows * job.pieces;
  if (usual_length <= most_in_registers<Job, 32> && job.results <= most_warp_results && job.slots == nullptr)
    return detail::launch_select_kernel(call, row_select_kernel<Job, 32>, blocks, 32, stream, job, size);
  if (usual_length <= most_in_registers<Job, 128>)
    return detail::launch_select_kernel(call, row_select_kernel<Job, 128>, blocks, 128, stream, job, size);
  constexpr int most_threads = sizeof(typename Job::ranked) == 8 ? 512 : 1024;  // which have twice the work
  detail::launch_select_kernel(call, row_select_kernel<Job, most_threads>, blocks, most_threads, stream, job, size);
}

// Few rows are cut into pieces, so that all blocks have some. One block more a row selects from what pieces leave. Of 2^24
// floats that is faster than all blocks row by row, of 2^28 slower; other limits were not measured.
constexpr index_t most_pieces = 264, least_piece = 4096, most_in_pieces = 1 << 26;
// The results of a piece. Of ranked keys of 16 bytes a block searches and sorts many slowly.
template <class R>
constexpr index_t most_piece_results = sizeof(R) == 8 ? most_block_results : most_warp_results;
template <class R>
constexpr index_t most_of_pieces = row_in_registers<ranked_items<R, 0>, 1024>::most;
template <class R>
index_t pieces_of_row(const row_bounds& bounds, index_t n, index_t k) {
  if (bounds.count == 0 || k == 0 || k > most_piece_results<R> || bounds.longest(n) > most_in_pieces) return 1;
  const index_t pieces =
      std::min({most_pieces / bounds.count, bounds.longest(n) / std::max(least_piece, 4 * k), most_of_pieces<R> / k});
  return std::max<index_t>(pieces, 1);
}
template <class R, class Begins, class Ends>
index_t pieces_of_row(const segment_bounds<Begins, Ends>&, index_t, index_t) {
  return 1;
}

// How ranked keys are sorted. in_input_order: they stand in the order of the input, so equal keys need no comparison of
// their indices, which are the lowest bits.
template <class Source>
radix_options order_of_ranked(bool in_input_order) {
  constexpr int bits = index_bits<typename Source::ranked>;
  return descending(in_input_order ? bits : 0, bits + Source::order_bits);
}

// A block a row, or a piece of a row. Many results stand in slots first, which are sorted row by row.
template <class Call>
class select_by_blocks {
  using keys = decltype(Call::source_type::keys);
  using source = device_keyed_items<keys>;
  using ranked = typename source::ranked;
  using job = row_job<source, typename Call::bounds_type, typename Call::output_type>;
  using last_job = row_job<ranked_items<ranked, source::order_bits>, row_bounds, typename Call::output_type>;

 public:
  select_by_blocks(const Call& of, index_t n, layout& scratch)
      : of_(of),
        longest_(of.bounds.longest(n)),
        usual_length_(of.bounds.count == 0 ? 0 : std::min(of.bounds.longest(n), 4 * divide_up(n, of.bounds.count))),
        pieces_(pieces_of_row<ranked>(of.bounds, n, of.k)) {
    // Pieces begin at whole vectors, if rows do.
    if (pieces_ > 1) usual_length_ = round_up(divide_up(usual_length_, pieces_), index_t{16});
    is_sorted_apart_ = of.mode != selection::nth && of.k > most_block_results;
    if (is_sorted_apart_ || pieces_ > 1) slots_ = scratch.add<ranked>(size());
    if (!is_sorted_apart_) return;
    sort_ =
        nested_call(scratch, cuda_policy(nullptr), [&](const auto& policy) { sort(policy, any_address<ranked>()); });
  }
  void run(const char* call, item_count n, void* scratch, stream_t stream) const {
    job j{{of_.source}, of_.bounds, of_.output, of_.bounds.count, of_.k, nullptr, of_.mode, of_.results(), 0, nullptr};
    if (pieces_ > 1) return select_from_pieces(call, j, n, section<ranked>(scratch, slots_), stream);
    ranked* const slots = is_sorted_apart_ ? section<ranked>(scratch, slots_) : nullptr;
    j.slots = slots;
    detail::launch_rows(call, j, n, usual_length_, stream);
    if (!is_sorted_apart_) return;
    const index_t blocks = divide_up(size(), index_t{256});
    const auto sorts = [&](const auto& policy) { sort(policy, slots); };
    sort_.run(scratch, cuda_policy(stream), sorts);
    if (of_.mode == selection::input_order) {
      launch_select_kernel(call, keep_indices_kernel<ranked>, blocks, 256, stream, slots, item_count{size(), nullptr});
      sort_.run(scratch, cuda_policy(stream), sorts);
    }
    detail::launch_select_kernel(call, write_results_kernel<job>, blocks, 256, stream, j, n,
                                 item_count{size(), nullptr});
  }

 private:
  index_t size() const { return of_.bounds.count * pieces_ * of_.k; }
  void select_from_pieces(const char* call, job j, item_count n, ranked* slots, stream_t stream) const {
    if constexpr (std::is_same_v<typename Call::bounds_type, row_bounds>) {
      j.mode = selection::sorted;
      j.results = of_.k;
      j.slots = slots;
      j.pieces = pieces_;
      j.piece_length = usual_length_;
      detail::launch_rows(call, j, n, usual_length_, stream);
      const index_t of_row = pieces_ * of_.k;
      const last_job last{{slots, 0, of_row, of_.bounds.length},
                          {of_row, of_.bounds.count},
                          of_.output,
                          of_.bounds.count,
                          of_.k,
                          nullptr,
                          of_.mode,
                          of_.results(),
                          0,
                          nullptr};
      detail::launch_select_kernel(call, row_select_kernel<last_job, 1024>, of_.bounds.count, 1024, stream, last,
                                   item_count{size(), nullptr});
    }
  }
  template <class Policy>
  void sort(const Policy& policy, ranked* slots) const {
    const bool has_all = of_.mode == selection::sorted && of_.k >= longest_;
    onepass::segmented_sort(policy, slots, slots + size(), onepass::rows(of_.k), order_of_ranked<source>(has_all));
  }
  const Call& of_;
  index_t longest_, usual_length_, pieces_;
  bool is_sorted_apart_ = false;
  std::size_t slots_ = 0;
  nested_call sort_;
};

// All blocks for one row after another. A selection of one item from very many leaves many candidates, which are filtered
// again.
template <class Call>
class select_by_all_blocks {
  using keys = decltype(Call::source_type::keys);
  using source = device_keyed_items<keys>;
  using ranked = typename source::ranked;
  using candidates_source = ranked_items<ranked, source::order_bits>;
  using first_level = long_job<source, typename Call::bounds_type>;
  using next_level = long_job<candidates_source, row_bounds>;
  using last_job = row_job<candidates_source, row_bounds, typename Call::output_type>;
  static constexpr int sample = long_sample<ranked>, most_levels = 6;
  static constexpr index_t one_block_candidates = 1 << 18;  // that a block may select from; not measured

 public:
  select_by_all_blocks(const Call& of, index_t n, layout& scratch) : of_(of), longest_(of.bounds.longest(n)) {
    const bool is_nth = of.mode == selection::nth;
    states_ = scratch.add<long_state<ranked>>(most_levels);
    for (index_t room = longest_, k = std::min(of.k, longest_); levels_ < most_levels; ++levels_) {
      room = room_[levels_] = room_of_candidates(k, room, sample, is_nth);
      candidates_[levels_] = scratch.add<ranked>(room);
      if (!is_nth || room <= one_block_candidates) {
        ++levels_;
        break;
      }
      k = room;
    }
    has_sort_ = !is_nth && of.k > most_block_results;
    if (has_sort_) {
      const auto sorts = [&](const auto& policy) { sort(policy, any_address<ranked>(), any_address<index_t>()); };
      sort_ = nested_call(scratch, cuda_policy(nullptr), sorts);
    }
  }
  void run(const char* call, item_count n, void* scratch, stream_t stream) const {
    for (index_t row = 0; row < of_.bounds.count; ++row) select_row(call, row, n, scratch, stream);
  }

 private:
  using state = long_state<ranked>;
  void select_row(const char* call, index_t row, item_count n, void* scratch, stream_t stream) const {
    state* const states = section<state>(scratch, states_);
    const bool is_nth = of_.mode == selection::nth;
    const index_t origin = of_.bounds.at(row, n.most).begin;
    filter(call,
           first_level{{of_.source}, of_.bounds, row, of_.k, nullptr, is_nth, candidates(scratch, 0), room_[0], states},
           n, longest_, stream);
    for (int level = 1; level < levels_; ++level) {
      const state& before = states[level - 1];
      filter(call,
             next_level{{candidates(scratch, level - 1), origin, 1, 0},
                        {room_[level - 1], 1},
                        0,
                        0,
                        &before.k_inside,
                        is_nth,
                        candidates(scratch, level),
                        room_[level],
                        states + level},
             item_count{room_[level - 1], &before.inside}, room_[level - 1], stream);
    }
    const state& last = states[levels_ - 1];
    const index_t room = room_[levels_ - 1];
    ranked* const left = candidates(scratch, levels_ - 1);
    const last_job j{{left, origin, 1, 0}, {room, 1},           of_.output, 1, 0, &last.k_inside, of_.mode,
                     of_.results(),        row * of_.results(), nullptr};
    if (!has_sort_)
      return detail::launch_select_kernel(call, row_select_kernel<last_job, 1024>, 1, 1024, stream, j,
                                          item_count{room, &last.inside});
    write_sorted(call, j, left, last, scratch, stream);
  }
  template <class Job>
  static void filter(const char* call, const Job& job, item_count size, index_t most, stream_t stream) {
    launch_select_kernel(call, sample_kernel<Job>, 1, 1024, stream, job, size);
    const index_t blocks = divide_up(most, index_t{16} * filter_threads);  // 16 items of 4 bytes a round
    launch_select_kernel(call, filter_kernel<Job>, blocks, filter_threads, stream, job, size);
  }
  void write_sorted(const char* call, last_job j, ranked* left, const state& last, void* scratch,
                    stream_t stream) const {
    const index_t blocks = divide_up(of_.k, index_t{256});
    const item_count results{of_.k, &last.k_inside};
    sort_.run(scratch, cuda_policy(stream), [&](const auto& policy) { sort(policy, left, &last.inside); });
    if (of_.mode == selection::input_order) {
      launch_select_kernel(call, keep_indices_kernel<ranked>, blocks, 256, stream, left, results);
      sort_.run(scratch, cuda_policy(stream), [&](const auto& policy) { sort(policy, left, &last.k_inside); });
    }
    j.slots = left;
    detail::launch_select_kernel(call, write_results_kernel<last_job>, blocks, 256, stream, j,
                                 item_count{room_[0], nullptr}, results);
  }
  template <class Policy>
  void sort(const Policy& policy, ranked* items, const index_t* size) const {
    const bool has_all = of_.mode == selection::sorted && room_[0] >= longest_;
    onepass::radix_sort(policy.sized_by(size), items, items + room_[0], order_of_ranked<source>(has_all));
  }
  ranked* candidates(void* scratch, int level) const { return section<ranked>(scratch, candidates_[level]); }

  const Call& of_;
  index_t longest_;
  int levels_ = 0;
  index_t room_[most_levels] = {};
  std::size_t states_, candidates_[most_levels] = {};
  bool has_sort_;
  nested_call sort_;
};

template <class Select, class Policy, class Call>
void run_select(const char* call, const Policy& policy, const Call& of, index_t n) {
  layout scratch;
  const Select select(of, n, scratch);
  const cuda_call_memory memory(call, policy, {0, scratch.bytes()});
  if (!memory.measuring()) select.run(call, count_of(policy, n), memory.scratch(), policy.stream());
}

// A workspace for some rows has to be enough for fewer, too, which may be selected from in another way.
template <class Policy, class Call>
void measure_rows(const char* call, const Policy& policy, Call of, index_t n) {
  for (index_t rows = of.bounds.count; rows >= 1; rows = std::min(rows - 1, most_pieces)) {
    of.bounds.count = rows;
    const index_t items = std::min(n, of.bounds.length > n / rows ? n : rows * of.bounds.length);
    run_select<select_by_all_blocks<Call>>(call, policy, of, items);
    run_select<select_by_blocks<Call>>(call, policy, of, items);
  }
}

template <class Policy, class Keys, class Values, class Out, class ValuesOut, class Bounds>
void select_on_cuda(const char* call, const Policy& policy, const select_call<Keys, Values, Out, ValuesOut, Bounds>& of,
                    index_t n) {
  using call_type = select_call<Keys, Values, Out, ValuesOut, Bounds>;
  if constexpr (std::is_same_v<Bounds, row_bounds>) {
    if (is_measuring(policy)) return measure_rows(call, policy, of, n);
    using ranked = typename call_type::source_type::ranked;
    const index_t pieces = pieces_of_row<ranked>(of.bounds, n, of.k);
    const bool is_far = of.k > most_block_results, is_wide = sizeof(ranked) == 16 && pieces == 1;
    const index_t least = is_far ? least_far_row : is_wide ? least_wide_row : least_long_row;
    if (of.bounds.longest(n) / of.bounds.count >= least && pieces < least_pieces)
      return run_select<select_by_all_blocks<call_type>>(call, policy, of, n);
  }
  run_select<select_by_blocks<call_type>>(call, policy, of, n);
}

}  // namespace onepass::detail
