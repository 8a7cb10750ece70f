// SPDX-License-Identifier: Apache-2.0
// Rungs on one block: each block scans a part of 1,024 items on its own. 8 bytes an item go through memory, so what differs
// is what happens between the load and the store.
// Source: W. D. Hillis, G. L. Steele, "Data Parallel Algorithms" (1986); G. E. Blelloch, "Prefix Sums and Their
// Applications" (1990); M. Harris, S. Sengupta, J. D. Owens, "Parallel Prefix Sum (Scan) with CUDA" (2007).
#pragma once

#include "rung.hpp"

namespace ladder {

constexpr int part_items = 1024;  // the most threads that a block can have

// A block scan: `scan` takes a part of up to part_items items from `in` to `out`, in place too, with `words` of shared memory.

// log2 n steps, in each of which every item adds the one `step` before it. Between two copies, so that one barrier a step is
// enough. Limited by its work: n log n additions, each of which reads shared memory twice and writes it once.
struct hillis_steele {
  static constexpr int threads = part_items;
  static constexpr int words = 2 * part_items;
  static __device__ void scan(const item* in, item* out, int count, item* shared) {
    const int i = static_cast<int>(threadIdx.x);
    item *from = shared, *to = shared + part_items;
    from[i] = i < count ? in[i] : 0;
    for (int step = 1; step < part_items; step *= 2) {
      __syncthreads();
      to[i] = i >= step ? from[i] + from[i - step] : from[i];
      item* const last = from;
      from = to;
      to = last;
    }
    if (i < count) out[i] = from[i];
  }
};

// Where item i of a tree lies in shared memory, which has 32 banks of a word each.
struct plain_layout {
  static constexpr int words = part_items;
  static __device__ int of(int i) { return i; }
};
struct padded_layout {  // a word left free behind every 32
  static constexpr int words = part_items + part_items / 32;
  static __device__ int of(int i) { return i + i / 32; }
};

// A tree of sums, up to the root and down again: 2 n additions, an exclusive scan; each item added to it makes it inclusive.
// Held back, with plain places, by its strides: powers of two, so up to 32 lanes of a warp want words of one bank, and are
// served one after another. Padded, by 20 barriers, at most of which few threads have anything to do.
template <class Layout>
struct blelloch_tree {
  static constexpr int threads = part_items / 2;
  static constexpr int words = Layout::words;
  static __device__ void scan(const item* in, item* out, int count, item* shared) {
    const int t = static_cast<int>(threadIdx.x), other = t + threads;
    const item mine = t < count ? in[t] : 0, others = other < count ? in[other] : 0;
    shared[Layout::of(t)] = mine;
    shared[Layout::of(other)] = others;
    for (int stride = 1; stride < part_items; stride *= 2) {
      __syncthreads();
      const int right = 2 * stride * (t + 1) - 1;
      if (right < part_items) shared[Layout::of(right)] += shared[Layout::of(right - stride)];
    }
    if (t == 0) shared[Layout::of(part_items - 1)] = 0;  // by the thread that wrote it last
    for (int stride = part_items / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int right = 2 * stride * (t + 1) - 1;
      if (right < part_items) {
        const item sum = shared[Layout::of(right - stride)];
        shared[Layout::of(right - stride)] = shared[Layout::of(right)];
        shared[Layout::of(right)] += sum;
      }
    }
    __syncthreads();
    if (t < count) out[t] = mine + shared[Layout::of(t)];
    if (other < count) out[other] = others + shared[Layout::of(other)];
  }
};
using blelloch = blelloch_tree<plain_layout>;
using blelloch_conflict_free = blelloch_tree<padded_layout>;

// ---- one block a part
template <class Scan>
__global__ void __launch_bounds__(Scan::threads) scan_parts_kernel(const item* in, item* out, index_t n) {
  __shared__ item shared[Scan::words];
  const index_t first = static_cast<index_t>(blockIdx.x) * part_items;
  const index_t left = n - first;
  Scan::scan(in + first, out + first, left < part_items ? static_cast<int>(left) : part_items, shared);
}

template <class Scan>
void scan_parts(const item* in, item* out, index_t n, void*, cudaStream_t stream) {
  const auto parts = static_cast<unsigned>(divide_up<index_t>(n, part_items));
  scan_parts_kernel<Scan><<<parts, Scan::threads, 0, stream>>>(in, out, n);
}

// ---- one thread a part, and one for all
// Limited by its loads: the lanes of a warp are a part's length apart, so each wants a line of its own, of which it takes
// 4 bytes at a time.
static __global__ void thread_a_part_kernel(const item* in, item* out, index_t n, index_t part) {
  const index_t first = (static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x) * part;
  const index_t end = first + part < n ? first + part : n;
  item sum = 0;
  for (index_t i = first; i < end; ++i) out[i] = sum += in[i];
}

template <int Part>
void thread_a_part(const item* in, item* out, index_t n, void*, cudaStream_t stream) {
  constexpr int threads = 128;
  const auto blocks = static_cast<unsigned>(divide_up<index_t>(divide_up<index_t>(n, Part), threads));
  thread_a_part_kernel<<<blocks, threads, 0, stream>>>(in, out, n, Part);
}

// Limited by being alone: one thread of some hundred thousand that the device can hold.
inline void sequential(const item* in, item* out, index_t n, void*, cudaStream_t stream) {
  thread_a_part_kernel<<<1, 1, 0, stream>>>(in, out, n, n);
}

}  // namespace ladder
