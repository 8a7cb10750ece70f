// SPDX-License-Identifier: Apache-2.0
// Merges sorted runs on a GPU, stably. Runs may be in other GPUs' memory. A block loads a tile's part of each run
// (cut_tiles.cuh), merges two neighbouring parts at a time, and stores the tile. Bytes moved: each item is read once
// and written once.
// Source     Green, McColl and Bader, "GPU Merge Path" (2012), for the threads of a tile.
#pragma once

#include "cut_tiles.cuh"

namespace onepass::detail {

constexpr int merge_threads = 512;
// Items that a thread merges: an odd number, so that threads meet few others in a bank; and so many that a tile of keys
// with values has less than 48 KB.
template <class K>
constexpr int merged_by_thread = sizeof(K) <= 4   ? 13
                                 : sizeof(K) == 8 ? 7
                                                  : 3;
template <class K>
constexpr int merged_in_tile = merge_threads* merged_by_thread<K>;

// How many items are in a line of 128 bytes; and how many of the line that `at` is in stand before it.
template <class T>
constexpr int line_items = 128 / static_cast<int>(sizeof(T));
template <class T>
__device__ int items_before_in_line(const T* at) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(at) / sizeof(T) % line_items<T>);
}

// Whether a tile's values can be loaded to where its keys have stood.
template <class K, class V>
constexpr bool values_fit_keys = sizeof(V) <= sizeof(K) &&
                                 alignof(V) <= alignof(K) && std::is_trivially_default_constructible_v<V>;

// A tile in shared memory: parts of runs, one behind the other. begin[r] is where part r begins.
template <class K, bool has_values>
struct merged_tile {
  static constexpr int items = merged_by_thread<K>;
  K keys[merged_in_tile<K> + 1];                           // the last one is read, and never taken
  std::uint16_t from[has_values ? merged_in_tile<K> : 1];  // where an item stood when the tile was loaded
  int begin[most_merged_runs + 1];

  __device__ int part_of(int runs, int slot) const {
    return first_not_before(0, runs, [&](int r) { return begin[r + 1] <= slot; });
  }

  // Loads the parts' keys or values, of which those of part r are at parts_at[r], by warps that begin where lines of
  // 128 bytes do: what comes from another GPU comes in whole pieces. lines[r]: where those of part r begin, of all
  // parts' lines one behind the other.
  template <class T>
  __device__ void load(const T* const* parts_at, const int* lines, int runs, T* to) const {
    for (int base = static_cast<int>(threadIdx.x); base < lines[runs]; base += items * merge_threads) {
      T loaded[items];
      int slots[items];
#pragma unroll
      for (int k = 0; k < items; ++k) {
        const int at = base + k * merge_threads;
        slots[k] = -1;
        if (at >= lines[runs]) continue;
        const int r = first_not_before(0, runs, [&](int part) { return lines[part + 1] <= at; });
        const int i = at - lines[r] - items_before_in_line(parts_at[r]);
        if (i < 0 || i >= begin[r + 1] - begin[r]) continue;
        slots[k] = begin[r] + i;
        loaded[k] = parts_at[r][i];
      }
#pragma unroll
      for (int k = 0; k < items; ++k) {
        if (slots[k] >= 0) to[slots[k]] = loaded[k];
      }
    }
    __syncthreads();  // they are there
  }
  __device__ void number_items(int runs) {
    for (int slot = static_cast<int>(threadIdx.x); slot < begin[runs]; slot += merge_threads)
      from[slot] = static_cast<std::uint16_t>(slot);
  }

  // Merges `width` parts with the `width` parts behind them, and so on. Each thread merges as many items, by a search
  // for where these begin.
  template <class Order>
  __device__ void merge_neighbours(const Order& order, int runs, int width) {
    const int size = begin[runs], first = static_cast<int>(threadIdx.x) * items;
    K own[items];
    std::uint16_t own_from[has_values ? items : 1];
    if (first < size) merge_items(order, runs, width, first, own, own_from);
    __syncthreads();  // all have read
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (first + k >= size) break;
      keys[first + k] = own[k];
      if constexpr (has_values) from[first + k] = own_from[k];
    }
    __syncthreads();  // all have written
  }

 private:
  // Merges this thread's items, from index `first` of the tile on.
  template <class Order>
  __device__ void merge_items(const Order& order, int runs, int width, int first, K* own,
                              std::uint16_t* own_from) const {
    const auto begin_of = [&](int part) { return begin[min(part, runs)]; };
    int pair = first_not_before(0, runs, [&](int p) { return begin_of(2 * (p + 1) * width) <= first; });
    int a = begin_of(2 * pair * width), a_end = begin_of((2 * pair + 1) * width);
    int b = a_end, b_end = begin_of(2 * (pair + 1) * width);
    const int skipped = first - a;
    const int of_a = first_not_before(max(0, skipped - (b_end - b)), min(skipped, a_end - a), [&](int i) {
      return !(order.of(keys[b + skipped - 1 - i]) < order.of(keys[a + i]));
    });
    a += of_a, b += skipped - of_a;
    K key_a = keys[a], key_b = keys[b];
    auto bits_a = order.of(key_a), bits_b = order.of(key_b);
    const bool has_next_pair = b_end < begin[runs];
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (first + k >= begin[runs]) break;
      if (has_next_pair) {
        while (a == a_end && b == b_end && b_end < begin[runs]) {
          ++pair;
          a = b_end, a_end = begin_of((2 * pair + 1) * width), b = a_end, b_end = begin_of(2 * (pair + 1) * width);
          key_a = keys[a], key_b = keys[b];
          bits_a = order.of(key_a), bits_b = order.of(key_b);
        }
      }
      const bool takes_b = b < b_end && (a == a_end || bits_b < bits_a);
      own[k] = takes_b ? key_b : key_a;
      if constexpr (has_values) own_from[k] = from[takes_b ? b : a];
      const int next = takes_b ? ++b : ++a;
      const K key = keys[next];
      const auto bits = order.of(key);
      if (takes_b) key_b = key, bits_b = bits;
      else key_a = key, bits_a = bits;
    }
  }
};

// Where a tile's parts are, in shared memory.
template <class K, class V>
struct tile_parts {
  const K* keys[most_merged_runs];
  const V* values[most_merged_runs];
  int lines[most_merged_runs + 1];  // of the keys, later of the values; merged_tile::load() says what they are
  index_t before;                   // the number of items of the tiles before

  // Finds them, and where the parts begin in the tile. `begins`: of the tile's part of each run. first: how many items
  // are before the first tile. Contains a barrier in the end.
  template <bool has_values>
  __device__ void find(const sorted_run<K, V>* runs, int size, const index_t* begins, index_t first,
                       merged_tile<K, has_values>& tile) {
    if (static_cast<int>(threadIdx.x) < size) {
      const int r = static_cast<int>(threadIdx.x);
      keys[r] = runs[r].keys + begins[r];
      if constexpr (has_values) values[r] = runs[r].values + begins[r];
      tile.begin[r + 1] = static_cast<int>(begins[size + r] - begins[r]);
    }
    __syncthreads();  // the parts' sizes are there
    if (threadIdx.x == 0) {
      tile.begin[0] = 0;
      before = -first;
      for (int r = 0; r < size; ++r) {
        tile.begin[r + 1] += tile.begin[r];
        before += begins[r];
      }
    }
    __syncthreads();  // the parts' begins are there
  }
  // Finds the lines of what is at parts_at.
  template <class T, bool has_values>
  __device__ void find_lines(const T* const* parts_at, int size, const merged_tile<K, has_values>& tile) {
    if (static_cast<int>(threadIdx.x) < size) {
      const int r = static_cast<int>(threadIdx.x);
      const int end = items_before_in_line(parts_at[r]) + tile.begin[r + 1] - tile.begin[r];
      lines[r + 1] = (end + line_items<T> - 1) / line_items<T> * line_items<T>;
    }
    __syncthreads();  // the numbers of lines are there
    if (threadIdx.x == 0) {
      lines[0] = 0;
      for (int r = 0; r < size; ++r) lines[r + 1] += lines[r];
    }
    __syncthreads();  // the lines' begins are there
  }
};

template <bool has_values, class K, class V, class Order>
__global__ void __launch_bounds__(merge_threads)
    merge_tiles_kernel(const sorted_run<K, V>* runs, int size, const Order order, const index_t* begins, index_t first,
                       K* out, V* values_out) {
  __shared__ merged_tile<K, has_values> tile;
  __shared__ tile_parts<K, V> parts;
  wait_for_previous_kernel();
  parts.find(runs, size, begins + static_cast<index_t>(blockIdx.x) * size, first, tile);
  parts.find_lines(parts.keys, size, tile);
  if constexpr (has_values) tile.number_items(size);
  tile.load(parts.keys, parts.lines, size, tile.keys);
  for (int width = 1; width < size; width *= 2) tile.merge_neighbours(order, size, width);
  const auto for_each_slot = [&](auto f) {
    for (int slot = static_cast<int>(threadIdx.x); slot < tile.begin[size]; slot += merge_threads) f(slot);
  };
  for_each_slot([&](int slot) { out[parts.before + slot] = tile.keys[slot]; });
  if constexpr (has_values && values_fit_keys<K, V>) {
    V* const values = reinterpret_cast<V*>(tile.keys);
    parts.find_lines(parts.values, size, tile);  // behind its barriers all keys are stored
    tile.load(parts.values, parts.lines, size, values);
    for_each_slot([&](int slot) { values_out[parts.before + slot] = values[tile.from[slot]]; });
  } else if constexpr (has_values) {
    for_each_slot([&](int slot) {
      const int from = tile.from[slot], r = tile.part_of(size, from);
      values_out[parts.before + slot] = parts.values[r][from - tile.begin[r]];
    });
  }
}

}  // namespace onepass::detail
