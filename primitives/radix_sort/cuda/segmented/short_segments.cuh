// SPDX-License-Identifier: Apache-2.0
// The first kernel of a segmented sort. A warp takes some consecutive segments. It sorts the short ones in registers,
// several at a time, each by as many lanes as its items need, and enqueues all others. Bytes moved: keys and values of
// short segments read and written once, two offsets a segment.
//
// The steps for short ones: load, sort those that take 1 lane, then those that take 2, 4, ... lanes, store.
#pragma once

#include <limits>

#include "../small/register_sort.cuh"
#include "segment_lists.cuh"

namespace onepass::detail {

constexpr int short_warps = 4;
constexpr int segments_a_lane = 2;  // so that logical warps of each size find enough to do

// The shared memory of a warp.
template <bool ties_are_free, class K, class V>
struct short_segments {
  static constexpr bool has_values = stored_size<V> != 0;
  static constexpr std::size_t item_bytes = sizeof(K) + stored_size<V> + (ties_are_free ? 0 : sizeof(unsigned short));
  static constexpr int room = static_cast<int>(std::min<std::size_t>(6 * 1024 / item_bytes, 1024));
  // The stage: segments that stand one behind another. Keys are sorted here if they have no values and ties are free;
  // else `source` says where each item comes from.
  alignas(K) unsigned char keys[room * sizeof(K)];
  alignas(V) unsigned char values[has_values ? room * stored_size<V> : 1];
  unsigned short source[ties_are_free ? 1 : room];
  // The segments that take the same number of lanes.
  index_t begin[segments_a_lane * warp_size];
  int size[segments_a_lane * warp_size];
};

template <bool ties_are_free, class K, class V>
class short_sorter {
  static constexpr int per_lane = items_a_lane;
  static constexpr bool has_values = stored_size<V> != 0;
  static_assert(!(ties_are_free && has_values));

 public:
  using segments = short_segments<ties_are_free, K, V>;

  __device__ short_sorter(const segmented_job<K, V>& job, segments& s) : job_(job), s_(s) {}

  // Sorts each lane's segments, if they are short. Segments that stand one behind another are staged in shared memory,
  // so that all lanes of a warp load and store consecutive items, and not a few bytes of each segment.
  __device__ void sort(const item_range (&given)[segments_a_lane]) {
    sum add;
    int n[segments_a_lane], offset[segments_a_lane], items = 0;
    bool is_one_behind_another = true, has_some = false;  // to sort
    index_t first = -1;
#pragma unroll
    for (int s = 0; s < segments_a_lane; ++s) {
      n[s] = given[s].size <= per_lane * warp_size ? static_cast<int>(given[s].size) : 0;
      const int end = warp_inclusive_scan(n[s], add);
      offset[s] = items + end - n[s];
      items += shuffle_from(end, warp_size - 1);
      const unsigned there = __ballot_sync(all_lanes, n[s] > 0);
      if (there != 0 && first < 0) first = shuffle_from(given[s].begin - offset[s], __ffs(static_cast<int>(there)) - 1);
      has_some |= n[s] > 1;
      is_one_behind_another &= n[s] == 0 || given[s].begin - offset[s] == first;
    }
    if (!__any_sync(all_lanes, has_some)) return;
    is_staged_ = items <= segments::room && __all_sync(all_lanes, is_one_behind_another) != 0;
    index_t begin[segments_a_lane];
#pragma unroll
    for (int s = 0; s < segments_a_lane; ++s) begin[s] = is_staged_ ? offset[s] : given[s].begin;
    if (is_staged_) load_stage(first, items);
    keys_ = is_staged_ ? staged_keys() : job_.keys.primary;
    sort_by_lanes(begin, n, std::make_integer_sequence<int, log_lanes + 1>());
    if (is_staged_) store_stage(first, items);
  }

 private:
  static constexpr int log_lanes = 5;

  __device__ K* staged_keys() { return reinterpret_cast<K*>(s_.keys); }
  __device__ V* staged_values() { return reinterpret_cast<V*>(s_.values); }

  __device__ void load_stage(index_t first, int items) {
#pragma unroll 4
    for (int i = lane_id(); i < items; i += warp_size) {
      staged_keys()[i] = job_.keys.primary[first + i];
      if constexpr (has_values) staged_values()[i] = job_.values[first + i];
      if constexpr (!ties_are_free) s_.source[i] = static_cast<unsigned short>(i);
    }
    __syncwarp();  // all items are there
  }
  __device__ void store_stage(index_t first, int items) {
#pragma unroll 4
    for (int i = lane_id(); i < items; i += warp_size) {
      const int from = ties_are_free ? i : s_.source[i];
      job_.keys.primary[first + i] = staged_keys()[from];
      if constexpr (has_values) job_.values[first + i] = staged_values()[from];
    }
  }

  template <int... log>
  __device__ void sort_by_lanes(const index_t (&begin)[segments_a_lane], const int (&n)[segments_a_lane],
                                std::integer_sequence<int, log...>) {
    (sort_all_by<1 << log>(begin, n), ...);
  }
  // Sorts all segments that take so many lanes, each by a logical warp of them.
  template <int lanes>
  __device__ void sort_all_by(const index_t (&begin)[segments_a_lane], const int (&n)[segments_a_lane]) {
    constexpr int most = lanes * per_lane, at_once = warp_size / lanes;
    int end = 0;
#pragma unroll
    for (int s = 0; s < segments_a_lane; ++s) {
      const bool takes_these = n[s] > (lanes == 1 ? 1 : most / 2) && n[s] <= most;
      const unsigned vote = __ballot_sync(all_lanes, takes_these);
      if (takes_these) {
        const int i = end + __popc(vote & lanes_below());
        s_.begin[i] = begin[s];
        s_.size[i] = n[s];
      }
      end += __popc(vote);
    }
    if (end == 0) return;
    __syncwarp();  // those segments are written
#pragma unroll 1
    for (int i = lane_id() / lanes; i - lane_id() / lanes < end; i += at_once) {
      sort_by_logical_warp<lanes>(i < end ? s_.begin[i] : 0, i < end ? s_.size[i] : 0);
    }
    __syncwarp();  // and have been read
  }

  // Sorts n items from `begin` on; n is 0 for a logical warp without a segment.
  template <int lanes>
  __device__ void sort_by_logical_warp(index_t begin, int n) {
    K* const keys = keys_ + begin;
    const int lane = lane_id() % lanes, first = lane * per_lane;
    const logical_warp_sorter<ties_are_free, bits_digits<K, true>> sorter(job_.digits);
    if constexpr (ties_are_free) {
      typename logical_warp_sorter<true, bits_digits<K, true>>::word words[per_lane];
      sorter.template sort<lanes>(sorter.ordered(keys), n, lane, words);
      __syncwarp();  // all keys of the segment have been read
#pragma unroll
      for (int i = 0; i < per_lane; ++i) {
        if (first + i < n) keys[first + i] = sorter.key_of(words[i]);
      }
    } else {
      unsigned source[per_lane];
      sorter.template sort_sources<lanes>(sorter.ordered(keys), n, lane, source);
      if (is_staged_) {
#pragma unroll
        for (int i = 0; i < per_lane; ++i) {
          if (first + i < n) s_.source[begin + first + i] = static_cast<unsigned short>(begin + source[i]);
        }
      } else {
        K sorted[per_lane];
        V values[has_values ? per_lane : 1];
        take(keys, source, first, n, sorted);
        if constexpr (has_values) take(job_.values + begin, source, first, n, values);
        __syncwarp();  // all items of the segment have been read
        put(keys, first, n, sorted);
        if constexpr (has_values) put(job_.values + begin, first, n, values);
      }
    }
  }

  template <class T>
  static __device__ void take(const T* range, const unsigned (&source)[per_lane], int first, int n,
                              T (&taken)[per_lane]) {
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
      if (first + i < n) taken[i] = range[source[i]];
    }
  }
  template <class T>
  static __device__ void put(T* range, int first, int n, const T (&taken)[per_lane]) {
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
      if (first + i < n) range[first + i] = taken[i];
    }
  }

  const segmented_job<K, V>& job_;
  segments& s_;
  bool is_staged_ = false;
  K* keys_ = nullptr;  // where segments are sorted
};

// a_warp: how many segments a warp takes.
template <bool ties_are_free, class K, class V, class Bounds>
__global__ void __launch_bounds__(short_warps* warp_size)
    short_segments_kernel(const __grid_constant__ segmented_job<K, V> job, const __grid_constant__ Bounds bounds,
                          int a_warp) {
  wait_for_previous_kernel();
  __shared__ short_segments<ties_are_free, K, V> of_warp[short_warps];
  const index_t first = (static_cast<index_t>(blockIdx.x) * short_warps + warp_id()) * a_warp;
  item_range mine[segments_a_lane];
#pragma unroll
  for (int s = 0; s < segments_a_lane; ++s) {
    const int which = s * warp_size + lane_id();
    mine[s] = {0, 0};
    if (which < a_warp && first + which < bounds.count) mine[s] = bounds.at(first + which, job.size.get());
  }
#pragma unroll
  for (int s = 0; s < segments_a_lane; ++s) enqueue<K, V>(job.lists, mine[s]);
  short_sorter<ties_are_free, K, V>(job, of_warp[warp_id()]).sort(mine);
}

template <bool ties_are_free, class K, class V, class Bounds>
void launch_short_sorter(const char* call, const segmented_job<K, V>& job, const Bounds& bounds, cudaStream_t stream) {
  const auto kernel = short_segments_kernel<ties_are_free, K, V, Bounds>;
  const resident_blocks resident(kernel, short_warps * warp_size, 0);
  constexpr index_t room = short_segments<ties_are_free, K, V>::room;
  // Few segments are spread over all multiprocessors. A warp takes no more of them than its stage can mostly hold.
  const index_t warps = index_t{resident.on_this_device(call)} * short_warps, most = segments_a_lane * warp_size;
  const index_t staged = room * 4 / 5 * bounds.count / std::max<index_t>(job.size.most, 1);
  const index_t wanted = std::clamp<index_t>(bounds.count / warps, 1, most);
  const auto a_warp = static_cast<int>(staged < warp_size ? wanted : std::min(wanted, staged));
  const index_t grid = divide_up(bounds.count, index_t{a_warp} * short_warps);
  if (grid > std::numeric_limits<int>::max()) throw invalid_argument(call, "more segments than one call can take");
  kernel_launch::dependent(call, resident, kernel, dim3(static_cast<unsigned>(grid)), short_warps * warp_size, 0,
                           stream, job, bounds, a_warp);
}

template <class K, class V, class Bounds>
void launch_short_segments(const char* call, const segmented_job<K, V>& job, const Bounds& bounds,
                           cudaStream_t stream) {
  if constexpr (stored_size<V> == 0 && is_integer_key<K>) {
    if (job.digits.is_whole_key()) return launch_short_sorter<true>(call, job, bounds, stream);
  }
  launch_short_sorter<false>(call, job, bounds, stream);
}

}  // namespace onepass::detail
