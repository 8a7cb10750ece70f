// SPDX-License-Identifier: Apache-2.0
// The launches of a merge of sorted runs on a GPU: of whole runs, or of a rank's share of their merge, which the device
// cuts out of them (find_cuts.cuh). A few tiles are cut like a share. For more, samples of the runs are merged, and
// tiles are cut by these (cut_tiles.cuh). A block merges a tile (merge_runs.cuh).
#pragma once

#include "find_cuts.cuh"
#include "merge_runs.cuh"

namespace onepass::detail {

// Runs are told to the device as parameters of kernels, so many at once: a copy of the host's list might read it when it
// is no more.
constexpr int told_runs = 32;
template <class K, class V>
struct run_group {
  sorted_run<K, V> runs[told_runs];
};
template <class K, class V>
__global__ void __launch_bounds__(told_runs)
    put_runs_kernel(const __grid_constant__ run_group<K, V> group, int size, sorted_run<K, V>* to) {
  wait_for_previous_kernel();
  if (static_cast<int>(threadIdx.x) < size) to[threadIdx.x] = group.runs[threadIdx.x];
}

// A merge of sorted runs. Its memory is taken before.
template <class K, class V, bool has_values>
class device_merge {
  using order_type = bits_in_order<K>;
  using run_type = sorted_run<K, V>;

 public:
  // `most`: how many items all runs have at most.
  device_merge(const char* call, stream_t stream, int runs, index_t most, const radix_options& options)
      : call_(call), order_(options), cuts_(runs, merged_in_tile<K>) {
    const index_t samples = most_samples(most);
    layout memory;
    for (std::size_t& of : runs_) of = memory.add<run_type>(runs + 1);
    samples_ = memory.add<K>(samples);
    for (std::size_t& numbers : numbers_) numbers = memory.add<index_t>(samples);
    begins_ = memory.add<index_t>((std::max(cuts_.tiles(samples), divide_up(most, tile)) + 1) * runs);
    memory_.emplace(call, memory.bytes(), stream);
  }

  void run(stream_t stream, const std::vector<run_type>& runs, K* out, V* values_out) const {
    index_t all = 0;
    for (const run_type& r : runs) all += r.size;
    run_share(stream, runs, 0, all, out, values_out);
  }
  // Merges what is to stand from index `begin` to `end` of the merge.
  void run_share(stream_t stream, const std::vector<run_type>& runs, index_t begin, index_t end, K* out,
                 V* values_out) const {
    if (begin == end) return;
    if (const run_type* const only = only_run(runs)) return copy(stream, *only, begin, end, out, values_out);
    auto* const all = at<run_type>(runs_[0]);
    put_runs(stream, runs, all);
    const index_t tiles = divide_up(end - begin, tile);
    if (tiles <= most_cut_a_multiprocessor * multiprocessors(call_)) {
      find_cuts(stream, begin, end, tile);
      return merge_tiles(stream, all, tiles, begin, out, values_out);
    }
    find_cuts(stream, begin, end, end - begin);
    launch(cut_runs_kernel<K, V>, 1, 1, stream, all, cuts_.runs, at<index_t>(begins_), cuts_.spacing,
           at<run_type>(runs_[1]));
    merge_by_samples(stream, most_samples(end - begin), out, values_out);
  }

 private:
  static constexpr index_t tile = merged_in_tile<K>;
  // So many tiles at most are cut one by one: by two waves of blocks that search. Not measured.
  static constexpr index_t most_cut_a_multiprocessor = 4;

  void put_runs(stream_t stream, const std::vector<run_type>& runs, run_type* to) const {
    for (std::size_t first = 0; first < runs.size(); first += told_runs) {
      run_group<K, V> group;
      const std::size_t size = std::min<std::size_t>(told_runs, runs.size() - first);
      std::copy_n(runs.data() + first, size, group.runs);
      launch(put_runs_kernel<K, V>, 1, told_runs, stream, group, size, to + first);
    }
  }
  index_t most_samples(index_t items) const { return cuts_.samples_of(items) + cuts_.runs; }
  // The cuts of the border at `begin`, and then at each `step` items up to `end`.
  void find_cuts(stream_t stream, index_t begin, index_t end, index_t step) const {
    launch(find_cuts_kernel<K, V, order_type>, (divide_up(end - begin, step) + 1) * cut_threads, cut_threads, stream,
           at<run_type>(runs_[0]), cuts_.runs, order_, begin, end, step, at<index_t>(begins_));
  }
  // first: how many items are before the first tile.
  void merge_tiles(stream_t stream, const run_type* runs, index_t tiles, index_t first, K* out, V* values_out) const {
    launch(merge_tiles_kernel<has_values, K, V, order_type>, tiles * merge_threads, merge_threads, stream, runs,
           cuts_.runs, order_, at<index_t>(begins_), first, out, values_out);
  }
  // Merges what stands in runs_[1], which has up to `most` samples.
  void merge_by_samples(stream_t stream, index_t most, K* out, V* values_out) const {
    const auto* const runs = at<run_type>(runs_[1]);
    K* const samples = at<K>(samples_);
    index_t *from = at<index_t>(numbers_[0]), *to = at<index_t>(numbers_[1]);
    launch(take_samples_kernel<K, V>, most, sample_threads, stream, runs, cuts_, samples, from);
    for (int width = 1; width < cuts_.runs; width *= 2) {
      launch(merge_samples_kernel<K, V, order_type>, most, sample_threads, stream, runs, cuts_, width, order_, samples,
             from, to);
      std::swap(from, to);
    }
    const index_t tiles = cuts_.tiles(most);
    launch(cut_tiles_kernel<K, V, order_type>, (tiles + 1) * cuts_.runs, sample_threads, stream, runs, cuts_, tiles,
           order_, samples, from, at<index_t>(begins_));
    merge_tiles(stream, runs, tiles, 0, out, values_out);
  }

  // The run that has all items, if there is one.
  static const run_type* only_run(const std::vector<run_type>& runs) {
    const run_type* only = nullptr;
    for (const run_type& r : runs) {
      if (r.size == 0) continue;
      if (only != nullptr) return nullptr;
      only = &r;
    }
    return only;
  }
  void copy(stream_t stream, const run_type& run, index_t begin, index_t end, K* out, V* values_out) const {
    const auto size = static_cast<std::size_t>(end - begin);
    check_cuda(call_, cudaMemcpyAsync(out, run.keys + begin, size * sizeof(K), cudaMemcpyDefault, stream));
    if constexpr (has_values) {
      check_cuda(call_, cudaMemcpyAsync(values_out, run.values + begin, size * sizeof(V), cudaMemcpyDefault, stream));
    }
  }

  template <class T>
  T* at(std::size_t part) const {
    return section<T>(memory_->get(), part);
  }
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), index_t size, int threads, stream_t stream, Arguments... arguments) const {
    kernel_launch::dependent(call_, resident_blocks(kernel, threads, 0), kernel,
                             static_cast<unsigned>(divide_up(size, index_t{threads})), threads, 0, stream,
                             static_cast<Parameters>(arguments)...);
  }

  const char* call_;
  order_type order_;
  tile_cuts cuts_;
  std::size_t runs_[2] = {}, samples_ = 0, numbers_[2] = {}, begins_ = 0;  // in memory_
  std::optional<device_block> memory_;
};

}  // namespace onepass::detail
