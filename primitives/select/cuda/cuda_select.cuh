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

template <class Kernel, class... Args>
void launch_select_kernel(const char* call, Kernel* kernel, index_t most_blocks, int threads, stream_t stream,
                          const Args&... args) {
  const resident_blocks resident(kernel, threads, 0);
  const index_t blocks = std::clamp<index_t>(most_blocks, 1, resident.on_this_device(call));
  kernel_launch::dependent(call, resident, kernel, dim3(static_cast<unsigned>(blocks)), threads, 0, stream, args...);
}
template <class Job>
void launch_rows(const char* call, const Job& job, item_count size, index_t usual_length, stream_t stream) {
  using ranked = typename Job::ranked;
  if (usual_length <= row_shape<ranked, 32>::sample && job.slots == nullptr)
    return launch_select_kernel(call, row_select_kernel<Job, 32>, job.rows, 32, stream, job, size);
  if (usual_length <= row_shape<ranked, 128>::sample)
    return launch_select_kernel(call, row_select_kernel<Job, 128>, job.rows, 128, stream, job, size);
  launch_select_kernel(call, row_select_kernel<Job, 1024>, job.rows, 1024, stream, job, size);
}

// A block a row. Many results stand in slots first, which are sorted row by row.
template <class Call>
class select_by_blocks {
  using keys = decltype(Call::source_type::keys);
  using source = device_keyed_items<keys>;
  using ranked = typename source::ranked;
  using job = row_job<source, typename Call::bounds_type, typename Call::output_type>;

 public:
  select_by_blocks(const Call& of, index_t n, layout& scratch)
      : of_(of),
        usual_length_(of.bounds.count == 0 ? 0 : std::min(of.bounds.longest(n), 4 * divide_up(n, of.bounds.count))) {
    const index_t most = usual_length_ <= row_shape<ranked, 32>::sample
                             ? row_shape<ranked, 32>::candidates
                             : std::min<index_t>(most_block_results, row_shape<ranked, 128>::candidates);
    has_slots_ = of.mode != selection::nth && of.k > most;
    if (!has_slots_) return;
    slots_ = scratch.add<ranked>(size());
    sort_ =
        nested_call(scratch, cuda_policy(nullptr), [&](const auto& policy) { sort(policy, any_address<ranked>()); });
  }
  void run(const char* call, item_count n, void* scratch, stream_t stream) const {
    ranked* const slots = has_slots_ ? section<ranked>(scratch, slots_) : nullptr;
    const job j{{of_.source},  of_.bounds, of_.output, of_.bounds.count, of_.k, nullptr, of_.mode,
                of_.results(), 0,          slots};
    launch_rows(call, j, n, usual_length_, stream);
    if (!has_slots_) return;
    const index_t blocks = divide_up(size(), index_t{256});
    const auto sorts = [&](const auto& policy) { sort(policy, slots); };
    sort_.run(scratch, cuda_policy(stream), sorts);
    if (of_.mode == selection::input_order) {
      launch_select_kernel(call, keep_indices_kernel<ranked>, blocks, 256, stream, slots, item_count{size(), nullptr});
      sort_.run(scratch, cuda_policy(stream), sorts);
    }
    launch_select_kernel(call, write_results_kernel<job>, blocks, 256, stream, j, n, item_count{size(), nullptr});
  }

 private:
  index_t size() const { return of_.bounds.count * of_.k; }
  template <class Policy>
  void sort(const Policy& policy, ranked* slots) const {
    onepass::segmented_sort(policy, slots, slots + size(), onepass::rows(of_.k), onepass::descending());
  }
  const Call& of_;
  index_t usual_length_;
  bool has_slots_ = false;
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
  static constexpr int sample = row_shape<ranked, 1024>::sample, most_levels = 6;
  static constexpr index_t few_candidates = 1 << 18;  // that a block may select from; not measured

 public:
  select_by_all_blocks(const Call& of, index_t n, layout& scratch) : of_(of), longest_(of.bounds.longest(n)) {
    const bool is_nth = of.mode == selection::nth;
    states_ = scratch.add<long_state<ranked>>(most_levels);
    for (index_t room = longest_, k = std::min(of.k, longest_); levels_ < most_levels; ++levels_) {
      room = room_[levels_] = room_of_candidates(k, room, sample, is_nth);
      candidates_[levels_] = scratch.add<ranked>(room);
      if (!is_nth || room <= few_candidates) {
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
             next_level{{candidates(scratch, level - 1), origin},
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
    const last_job j{{left, origin}, {room, 1},     of_.output,          1,      0, &last.k_inside,
                     of_.mode,       of_.results(), row * of_.results(), nullptr};
    if (!has_sort_)
      return launch_select_kernel(call, row_select_kernel<last_job, 1024>, 1, 1024, stream, j,
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
    launch_select_kernel(call, write_results_kernel<last_job>, blocks, 256, stream, j, item_count{room_[0], nullptr},
                         results);
  }
  template <class Policy>
  void sort(const Policy& policy, ranked* items, const index_t* size) const {
    onepass::radix_sort(policy.sized_by(size), items, items + room_[0], onepass::descending());
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

template <class Policy, class Keys, class Values, class Out, class ValuesOut, class Bounds>
void select_on_cuda(const char* call, const Policy& policy, const select_call<Keys, Values, Out, ValuesOut, Bounds>& of,
                    index_t n) {
  using call_type = select_call<Keys, Values, Out, ValuesOut, Bounds>;
  if constexpr (std::is_same_v<Bounds, row_bounds>) {
    if (of.bounds.longest(n) / of.bounds.count >= least_long_row)
      return run_select<select_by_all_blocks<call_type>>(call, policy, of, n);
  }
  run_select<select_by_blocks<call_type>>(call, policy, of, n);
}

}  // namespace onepass::detail
