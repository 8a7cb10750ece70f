// SPDX-License-Identifier: Apache-2.0
// The launches of a histogram on CUDA: one kernel counts, and where several blocks share a row, a second one adds up what
// they have counted. Bytes moved: items and weights are read once.
#pragma once

#include "../../../core/cuda/runtime/cuda_call_memory.cuh"
#include "../histogram_call.hpp"
#include "count_items.cuh"

namespace onepass::detail {

// How a launch is shaped. `shared` is one of a few sizes, as facts are remembered for each.
struct histogram_shape {
  int log_columns, threads;
  std::size_t shared;
};
constexpr index_t least_part_items = 8192;   // not measured
constexpr index_t longest_short_row = 8192;  // not measured
constexpr std::size_t shared_of_two_blocks = 112 * 1024;

inline histogram_shape shape_of_columns(std::size_t bytes_of_bins, index_t rows, index_t length,
                                        std::size_t most_shared) {
  const bool is_short = rows > 1 && length <= longest_short_row;
  // Short rows have no more counters than items, if possible, as each has to be cleared and added up.
  const std::size_t room = std::min(most_shared, is_short ? std::size_t{1} << 14 : shared_of_two_blocks);
  int log_columns = 0;
  while (log_columns < 5 && bytes_of_bins << (log_columns + 1) <= room) ++log_columns;
  std::size_t shared = most_shared;
  for (const std::size_t size : {std::size_t{1} << 14, std::size_t{1} << 15, shared_of_two_blocks}) {
    if (bytes_of_bins << log_columns <= size) shared = std::min(shared, size);
  }
  return {log_columns, is_short ? 256 : most_histogram_threads, shared};
}

// The memory and the launches for one kind of counters.
template <class Counters, class Sum, class Call, class Count>
class histogram_launch {
  using job =
      histogram_job<decltype(Call::items), decltype(Call::weights), decltype(Call::finder), Counters, Sum, Count>;
  static constexpr bool has_tables = !std::is_same_v<Counters, global_counters<Sum, Count>>;
  static constexpr bool has_pairs = std::is_same_v<Counters, half_counters<unsigned, Count>>;

 public:
  histogram_launch(const char* call, const Call& of, typename Counters::shape counters, const histogram_shape& shape,
                   layout& scratch)
      : call_(call),
        of_(of),
        counters_(counters),
        shape_(shape),
        resident_(histogram_of_bins_kernel<job>, shape.threads, shape.shared) {
    const index_t blocks = resident_.on_this_device(call);
    const index_t least = has_tables ? std::max(least_part_items, index_t{of.bins}) : least_part_items;
    const bool is_short = shape.threads < most_histogram_threads;
    const index_t parts = is_short ? 1 : std::max<index_t>(1, std::min(blocks / of.rows, of.length / least));
    const index_t most_more = parts > 1 ? most_histogram_threads * 16 + 32 : 0;  // a vector a thread, and the ends
    if ((of.length / parts + most_more) >> 32 != 0) throw invalid_argument(call, "more items than one call can take");
    parts_ = static_cast<unsigned>(parts);
    blocks_ = static_cast<unsigned>(std::min(blocks, of.rows * parts));
    // A workspace for n items has to be enough for fewer items, too, which may be shared out otherwise. A row that is too
    // short for two parts needs no table, however many rows there are.
    const index_t most_tables = std::min(blocks, divide_up(2 * of.rows * of.length, least));
    if (has_tables && !is_short && of.length >= 2 * least) tables_ = scratch.add<Sum>(most_tables * table_words());
  }

  void run(item_count size, void* scratch, cudaStream_t stream) const {
    const histogram_result<Sum, Count> result{of_.counts, section<Sum>(scratch, tables_), of_.bins, parts_};
    const job j{of_.items, of_.weights, of_.finder, counters_, result, of_.rows, of_.length};
    if constexpr (!std::is_same_v<Counters, column_counters<Sum, Count>>) {
      const auto bytes = static_cast<std::size_t>(of_.rows) * of_.bins * sizeof(Count);
      check_cuda(call_, cudaMemsetAsync(of_.counts, 0, bytes, stream));
    }
    kernel_launch::dependent(call_, resident_, histogram_of_bins_kernel<job>, dim3(blocks_), shape_.threads,
                             shape_.shared, stream, j, size);
    if constexpr (has_tables) {
      if (parts_ > 1) add_up(result, stream);
    }
  }

 private:
  index_t table_words() const { return has_pairs ? divide_up(of_.bins, 2u) : of_.bins; }

  void add_up(const histogram_result<Sum, Count>& result, cudaStream_t stream) const {
    const auto kernel = sum_tables_kernel<has_pairs, Sum, Count>;
    const resident_blocks resident(kernel, sum_threads, 0);
    const auto grid = static_cast<unsigned>(divide_up(of_.rows * table_words(), index_t{warp_size}));
    kernel_launch::dependent(call_, resident, kernel, dim3(grid), sum_threads, 0, stream, result, of_.rows);
  }

  const char* call_;
  const Call& of_;
  typename Counters::shape counters_;
  histogram_shape shape_;
  resident_blocks resident_;
  unsigned parts_, blocks_;
  std::size_t tables_ = 0;
};

// Calls f with the launch that suits the number of bins.
template <class In, class Weights, class Finder, class Count, class F>
void with_histogram_launch(const char* call, const histogram_call<In, Weights, Finder, Count>& of, layout& scratch,
                           F f) {
  constexpr bool weighs = !std::is_same_v<Weights, none>;
  using sum = std::conditional_t<weighs, Count, unsigned>;  // of a part
  using call_type = histogram_call<In, Weights, Finder, Count>;
  const std::size_t room = most_shared_memory(call), bytes = (of.bins + std::size_t{1}) * sizeof(sum);
  if (bytes <= room) {
    const histogram_shape shape = shape_of_columns(bytes, of.rows, of.length, room);
    return f(histogram_launch<column_counters<sum, Count>, sum, call_type, Count>(call, of, {shape.log_columns}, shape,
                                                                                  scratch));
  }
  if constexpr (!weighs && sizeof(value_of<In>) > 1) {
    using counters = half_counters<sum, Count>;
    static_assert(most_histogram_threads * std::max(items_a_round, vectors_a_round * items_per_vector<value_of<In>>) <=
                  counters::most_round_items);
    if (counters::shared_bytes(of.bins) <= room)
      return f(
          histogram_launch<counters, sum, call_type, Count>(call, of, {}, {0, most_histogram_threads, room}, scratch));
  }
  using counters = global_counters<sum, Count>;
  f(histogram_launch<counters, sum, call_type, Count>(call, of, {}, {0, most_histogram_threads, 0}, scratch));
}

template <class Policy, class In, class Weights, class Finder, class Count>
void histogram_on_cuda(const char* call, const Policy& policy, const histogram_call<In, Weights, Finder, Count>& of,
                       index_t n) {
  layout scratch;
  with_histogram_launch(call, of, scratch, [&](const auto& launch) {
    const cuda_call_memory memory(call, policy, {0, scratch.bytes()});
    if (!memory.measuring()) launch.run(count_of(policy, n), memory.scratch(), policy.stream());
  });
}

}  // namespace onepass::detail
