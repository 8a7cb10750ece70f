// SPDX-License-Identifier: Apache-2.0
// Cuts a merge of sorted runs into tiles that a block holds. Every so many items of each run there is a sample; samples
// are merged, and a tile begins at every so many of these. A tile has few items of a run between two samples, so its
// size has a bound whatever the keys are.
// Source     Davidson, Tarjan, Garland and Owens, "Efficient Parallel Merge Sort for Fixed and Variable Length Keys"
//            (2012).
#pragma once

#include "count_sorted_digits.cuh"

namespace onepass::detail {

constexpr int most_merged_runs = 128;
template <class K, class V>
struct sorted_run {
  const K* keys;
  const V* values;
  index_t size;
  index_t first_sample;  // the number of samples of the runs before
};

// How runs are cut into tiles. A tile of `group` samples has fewer than (group + runs) * spacing items: of each run
// those between its samples, and those before the first one and behind the last.
struct tile_cuts {
  int runs;
  index_t spacing, group;

  tile_cuts(int run_count, int tile_items) : runs(run_count) {
    spacing = std::max(1, tile_items / (4 * runs));  // so that tiles are three quarters full
    group = tile_items / spacing - runs;
  }
  index_t samples_of(index_t items) const { return divide_up(items, spacing); }
  ONEPASS_HOST_DEVICE index_t tiles(index_t samples) const { return (samples + group - 1) / group; }
  // `all` has one entry more than there are runs, which says how many samples there are.
  template <class Run>
  ONEPASS_HOST_DEVICE index_t samples(const Run* all) const {
    return all[runs].first_sample;
  }
};

template <class K, class V>
__device__ int run_of_sample(const sorted_run<K, V>* runs, int size, index_t sample) {
  return first_not_before(0, size, [&](int r) { return runs[r + 1].first_sample <= sample; });
}

constexpr int sample_threads = 256;
template <class K, class V>
__global__ void __launch_bounds__(sample_threads)
    take_samples_kernel(const sorted_run<K, V>* runs, const tile_cuts cuts, K* samples, index_t* numbers) {
  wait_for_previous_kernel();
  const index_t i = static_cast<index_t>(blockIdx.x) * sample_threads + threadIdx.x;
  if (i >= cuts.samples(runs)) return;
  const sorted_run<K, V> run = runs[run_of_sample(runs, cuts.runs, i)];
  samples[i] = run.keys[(i - run.first_sample) * cuts.spacing];
  numbers[i] = i;
}

// Merges the samples of `width` runs with those of the `width` runs behind them, and so on, by their numbers: `from`
// has them in the order so far, `to` gets them in the new one. A sample goes behind those of its own half that stand
// before it, and those of the other half that a search finds to.
template <class K, class V, class Order>
__global__ void __launch_bounds__(sample_threads)
    merge_samples_kernel(const sorted_run<K, V>* runs, const tile_cuts cuts, int width, const Order order,
                         const K* samples, const index_t* from, index_t* to) {
  wait_for_previous_kernel();
  const index_t i = static_cast<index_t>(blockIdx.x) * sample_threads + threadIdx.x;
  if (i >= cuts.samples(runs)) return;
  const int half = run_of_sample(runs, cuts.runs, i) / width;
  const auto begin_of = [&](int h) { return runs[min(h * width, cuts.runs)].first_sample; };
  const bool is_second = half % 2 == 1;
  const int other = is_second ? half - 1 : half + 1;
  const index_t sample = from[i];
  const auto key = order.of(samples[sample]);
  const index_t before = first_not_before(begin_of(other), begin_of(other + 1),
                                          [&](index_t at) {
                                            const auto found = order.of(samples[from[at]]);
                                            return is_second ? !(key < found) : found < key;
                                          }) -
                         begin_of(other);
  to[i + before - (is_second ? begin_of(half) - begin_of(other) : 0)] = sample;
}

// begins[tile * runs + r]: where the tile's part of run r begins; behind the last tile, where the run ends, up to
// most_tiles. sorted[i] is the number of the sample that is at i when they are merged.
template <class K, class V, class Order>
__global__ void __launch_bounds__(sample_threads)
    cut_tiles_kernel(const sorted_run<K, V>* runs, const tile_cuts cuts, index_t most_tiles, const Order order,
                     const K* samples, const index_t* sorted, index_t* begins) {
  wait_for_previous_kernel();
  const index_t i = static_cast<index_t>(blockIdx.x) * sample_threads + threadIdx.x;
  const index_t tile = i / cuts.runs, tiles = cuts.tiles(cuts.samples(runs));
  const int r = static_cast<int>(i % cuts.runs);
  if (tile > most_tiles) return;
  const sorted_run<K, V> run = runs[r];
  if (tile >= tiles) {
    begins[i] = run.size;
    return;
  }
  const index_t sample = sorted[tile * cuts.group];
  const int own = run_of_sample(runs, cuts.runs, sample);
  if (r == own) {
    begins[i] = (sample - run.first_sample) * cuts.spacing;
    return;
  }
  const auto key = order.of(samples[sample]);
  const auto is_before = [&](const K& other) { return r < own ? !(key < order.of(other)) : order.of(other) < key; };
  // First among the run's samples, which are near; then between two of them.
  const index_t passed =
      first_not_before(run.first_sample, runs[r + 1].first_sample, [&](index_t s) { return is_before(samples[s]); }) -
      run.first_sample;
  const index_t low = passed == 0 ? 0 : (passed - 1) * cuts.spacing + 1;
  const index_t high = passed == 0 ? 0 : min(run.size, passed * cuts.spacing);
  begins[i] = first_not_before(low, high, [&](index_t at) { return is_before(run.keys[at]); });
}

}  // namespace onepass::detail
