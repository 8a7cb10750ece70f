// SPDX-License-Identifier: Apache-2.0
// Ranges of more than 2^31 and 2^32 items: made in the backend's memory by a function of the index, and compared there with
// another one, so that nothing of their size is copied or kept on the host.
#pragma once

#include <onepass/memory.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "backend.hpp"
#include "buffer.hpp"
#include "sizes.hpp"

namespace test {

// Just past what an int counts, and well past what 32 bits count.
inline std::int64_t above_int() { return static_cast<std::int64_t>(limited((std::size_t{1} << 31) + 7)); }
inline std::int64_t above_unsigned() { return static_cast<std::int64_t>(limited((std::size_t{1} << 32) + 12345)); }
inline std::vector<std::int64_t> large_sizes() { return {above_int(), above_unsigned()}; }

// Why a test that takes `bytes` of the backend's memory, a GiB more for what the library keeps, cannot run here; empty where
// it can.
inline std::string lacking(std::size_t bytes, std::size_t free) {
  constexpr std::size_t gib = std::size_t{1} << 30;
  if (small_only() || free >= bytes + gib) return {};
  return "needs " + std::to_string(bytes / gib + 1) + " GiB of free memory; " + std::to_string(free / gib) +
         " are free";
}
inline std::string missing_memory(const cpu_backend&, std::int64_t bytes) {
  return lacking(static_cast<std::size_t>(bytes), free_host_memory());
}

template <class T, class Function>
void make_items(const cpu_backend&, T* items, std::int64_t n, Function of) {
  for (std::int64_t i = 0; i < n; ++i) items[i] = static_cast<T>(of(i));
}
template <class Is>
std::int64_t count_where(const cpu_backend&, std::int64_t n, Is is) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < n; ++i) count += is(i);
  return count;
}

#if ONEPASS_HAS_CUDA
inline std::string missing_memory(const cuda_backend&, std::int64_t bytes) {
  onepass::release_memory();  // what the library keeps of an earlier test
  std::size_t free = 0, all = 0;
  check_cuda(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  return lacking(static_cast<std::size_t>(bytes), free);
}

constexpr int item_threads = 256, item_blocks = 4096;

template <class T, class Function>
__global__ void make_items_kernel(T* items, std::int64_t n, Function of) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    items[i] = static_cast<T>(of(i));
}
template <class Is>
__global__ void count_where_kernel(std::int64_t n, Is is, unsigned long long* count) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  unsigned long long found = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) found += is(i);
  if (found > 0) atomicAdd(count, found);
}

// items[i] = of(i) for each i below n.
template <class T, class Function>
void make_items(const cuda_backend& backend, T* items, std::int64_t n, Function of) {
  make_items_kernel<<<item_blocks, item_threads, 0, backend.stream>>>(items, n, of);
  check_cuda(cudaGetLastError(), "make_items");
}
// For how many i below n is(i) is true.
template <class Is>
std::int64_t count_where(const cuda_backend& backend, std::int64_t n, Is is) {
  const buffer<unsigned long long> count(backend, std::vector<unsigned long long>{0});
  count_where_kernel<<<item_blocks, item_threads, 0, backend.stream>>>(n, is, count.data());
  check_cuda(cudaGetLastError(), "count_where");
  return static_cast<std::int64_t>(count.to_host()[0]);
}
#endif

struct always {
  std::int64_t value;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t) const { return value; }
};

template <class T, class Expected>
struct differs_from {
  const T* items;
  Expected expected;
  ONEPASS_HOST_DEVICE bool operator()(std::int64_t i) const { return !(items[i] == static_cast<T>(expected(i))); }
};
// How many of the first n items are not expected(i).
template <class Backend, class T, class Expected>
std::int64_t wrong_items(const Backend& backend, const T* items, std::int64_t n, Expected expected) {
  return count_where(backend, n, differs_from<T, Expected>{items, expected});
}

// n items of a backend's memory, made by a function of the index.
template <class T>
class large_range : public buffer<T> {
 public:
  template <class Backend, class Function>
  large_range(const Backend& backend, std::int64_t n, Function of, std::size_t shift = 0)
      : buffer<T>(backend, static_cast<std::size_t>(n), shift) {
    make_items(backend, this->data(), n, of);
  }
};
// n items that a call is to write.
template <class T>
class large_room : public buffer<T> {
 public:
  template <class Backend>
  large_room(const Backend& backend, std::int64_t n, std::size_t shift = 0)
      : buffer<T>(backend, static_cast<std::size_t>(n), shift) {}
  // EXPECTs that the first n items are expected(i), and that what is behind them is as it was made.
  template <class Backend, class Expected>
  void check(const Backend& backend, std::int64_t n, Expected expected) const {
    EXPECT_EQ(wrong_items(backend, this->data(), n, expected), 0) << "wrong items";
    const auto size = static_cast<std::int64_t>(this->size() * sizeof(T)), from = n * std::int64_t{sizeof(T)};
    const auto* const bytes = reinterpret_cast<const unsigned char*>(this->data());
    EXPECT_EQ(wrong_items(backend, bytes + from, size - from, always{poison}), 0) << "bytes behind the results";
  }
};

// ---- functions of the index -----------------------------------------------------------------------------------------
struct index_over {  // 0, 0, ..., 1, 1, ...: `by` of each
  std::int64_t by;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i / by; }
};
struct index_within {  // 0, 1, ..., period - 1, 0, 1, ...
  std::int64_t period;
  std::int64_t offset = 0, factor = 1;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i % period * factor + offset; }
};
struct index_times {
  std::int64_t factor;
  std::int64_t offset = 0;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i * factor + offset; }
};
struct is_at {  // true for one index in `period`
  std::int64_t period, at;
  ONEPASS_HOST_DEVICE bool operator()(std::int64_t i) const { return i % period == at; }
};
// Word w of bits: 32 items' answers, the lowest bit for the first.
template <class Is>
struct word_of_bits {
  Is is;
  ONEPASS_HOST_DEVICE std::uint32_t operator()(std::int64_t w) const {
    std::uint32_t word = 0;
    for (int bit = 0; bit < 32; ++bit) word |= static_cast<std::uint32_t>(is(32 * w + bit)) << bit;
    return word;
  }
};

}  // namespace test

// Skips a test that takes so many bytes of the backend's memory, where there are not so many.
#define ONEPASS_SKIP_WITHOUT_MEMORY(bytes) \
  if (const std::string missing = test::missing_memory(backend, bytes); !missing.empty()) GTEST_SKIP() << missing
