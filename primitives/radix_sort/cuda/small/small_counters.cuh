// SPDX-License-Identifier: Apache-2.0
// Counters of 4 bits for all keys of 16 bits, of one block: 32 KB where counters of 16 bits would be 128 KB, which take
// longer to clear and to read than a block takes to sort few keys. Few keys are rarely 16 times the same.
#pragma once

#include "block_scan.cuh"

namespace onepass::detail {

// In shared memory. The block's number of threads is a power of two, and not below least_threads.
struct small_counters {
  static constexpr int bits = 4, a_word = 32 / bits, words = (1 << 16) / a_word, least_threads = 512;
  static constexpr unsigned most = (1u << bits) - 1, every_other = 0x0f0f0f0fu;
  alignas(16) unsigned of[words];
  unsigned short before[words];  // the keys that are counted in all words before
  unsigned total[32];

  __device__ void clear() {
    for (int i = threadIdx.x; i < words / 4; i += blockDim.x) reinterpret_cast<uint4*>(of)[i] = uint4{};
  }

  // Counts n keys, and gives each the number of equal keys that were counted before it. Returns false as soon as a
  // counter has overflowed into the next.
  template <class Keys>
  __device__ bool add_all(const Keys& keys, int n, unsigned short* equal_before) {
    constexpr int batch = 4;
    const int threads = static_cast<int>(blockDim.x);
    for (int first = threadIdx.x; first - static_cast<int>(threadIdx.x) < n; first += batch * threads) {
      bool has_overflow = false;
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        const int i = first + j * threads;
        if (i >= n) continue;
        const unsigned earlier = add(keys(i));
        equal_before[i] = static_cast<unsigned short>(earlier);
        has_overflow |= earlier == most;
      }
      if (__syncthreads_or(has_overflow)) return false;
    }
    return true;
  }

  // When all keys are counted. All threads of the block.
  __device__ void sum_up() {
    const int mine = words / static_cast<int>(blockDim.x), first = static_cast<int>(threadIdx.x) * mine;
    unsigned keys = 0;
    for (int i = 0; i < mine; i += 4) {
      const uint4 w = *reinterpret_cast<const uint4*>(of + slot(first + i));
      keys += sum_of(w.x) + sum_of(w.y) + sum_of(w.z) + sum_of(w.w);
    }
    unsigned next = block_scan(keys, sum(), total).before;
    for (int i = 0; i < mine; i += 4) {
      const uint4 w = *reinterpret_cast<const uint4*>(of + slot(first + i));
      const unsigned b = next + sum_of(w.x), c = b + sum_of(w.y), d = c + sum_of(w.z);
      *reinterpret_cast<uint2*>(before + first + i) = {next | b << 16, c | d << 16};
      next = d + sum_of(w.w);
    }
    __syncthreads();  // all counters are summed up
  }

  // How many of the keys are lower than `key`.
  __device__ unsigned lower(unsigned key) const {
    const unsigned word = key / a_word, lower_of_word = (1u << key % a_word * bits) - 1;
    return before[word] + sum_of(of[slot(word)] & lower_of_word);
  }

 private:
  __device__ unsigned add(unsigned key) {
    const unsigned shift = key % a_word * bits;
    return atomicAdd(of + slot(key / a_word), 1u << shift) >> shift & most;
  }

  // A thread reads consecutive words, four at once. Of 16 a thread, these lie so that no two of eight threads read
  // from the same banks.
  static __device__ unsigned slot(unsigned word) { return word ^ (word >> 5) % 4 * 4; }
  static __device__ unsigned sum_of(unsigned counters) {
    return __dp4a(counters & every_other, 0x01010101u, __dp4a(counters >> bits & every_other, 0x01010101u, 0u));
  }
};

}  // namespace onepass::detail
