// SPDX-License-Identifier: Apache-2.0
// Benchmarks of onepass/select.hpp. Bytes count keys, read once, and results, written once. kK: the K largest, sorted. uniform:
// floats of [0, 1); bits: floats or integers of all bits; equal: all keys are equal; rowsLxK: the K largest of each row of L.
// Peers on the GPU: cub::DeviceTopK, which gives the largest in any order and as they come, with a sort of its K results behind
// it ("cub"); a sort of all items by cub, of which the first K are copied ("cub_sort").
// On the CPU std::partial_sort_copy, and std::nth_element of a copy.
#include <onepass/select.hpp>

#include <memory>
#include <vector>

#include "support/program.hpp"
#if ONEPASS_HAS_CUDA
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#endif
#endif

using onepass::index_t;

template <class T>
struct equal_keys {
  using type = T;
  ONEPASS_HOST_DEVICE T operator()(index_t) const { return static_cast<T>(7); }
};
// Floats of any exponent but the highest, so without NaN.
struct floats_of_all_bits {
  using type = float;
  bench::random_bits random;
  ONEPASS_HOST_DEVICE float operator()(index_t i) const {
    const auto bits = static_cast<std::int64_t>(random(i));
    return static_cast<float>(bits >> 40) * (bits & 1 ? 1e-20f : 1e10f);
  }
};

#if ONEPASS_HAS_CUDA
struct begin_of_row {
  index_t length;
  ONEPASS_HOST_DEVICE index_t operator()(index_t row) const { return row * length; }
};

// f(memory, bytes) as a peer, with an array of n items in front of its own memory.
template <class T, class F>
cudaError_t with_array(void* memory, std::size_t& bytes, index_t n, F f) {
  const std::size_t array = (static_cast<std::size_t>(n) * sizeof(T) + 255) / 256 * 256;
  std::size_t rest = bytes - array;
  if (memory == nullptr) {
    const cudaError_t status = f(static_cast<T*>(nullptr), nullptr, rest);
    bytes = array + rest;
    return status;
  }
  return f(static_cast<T*>(memory), static_cast<char*>(memory) + array, rest);
}

template <class T, class Keys, class Out, class Where>
void add_cub_peers(bench::problem<Where>& p, const Keys& keys, const Out& out, index_t k) {
  p.cub(
      [=](void* memory, auto& bytes, auto stream) {
        return with_array<T>(memory, bytes, keys.size(), [&](T* sorted, void* own, std::size_t& own_bytes) {
          const cudaError_t status = cub::DeviceRadixSort::SortKeysDescending(own, own_bytes, keys.begin(), sorted,
                                                                              keys.size(), 0, 8 * sizeof(T), stream);
          if (status != cudaSuccess || own == nullptr) return status;
          return cudaMemcpyAsync(out.begin(), sorted, k * sizeof(T), cudaMemcpyDeviceToDevice, stream);
        });
      },
      "cub_sort");
#if __has_include(<cub/device/device_topk.cuh>)
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return with_array<T>(memory, bytes, k, [&](T* found, void* own, std::size_t& own_bytes) {
      const auto how = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                cuda::execution::output_ordering::unsorted);
      const auto env = cuda::std::execution::env{cuda::stream_ref{stream}, how};
      if (own == nullptr) {  // before anything is timed
        std::size_t of_search = 0, of_sort = 0;
        cub::DeviceTopK::MaxKeys(nullptr, of_search, keys.begin(), found, keys.size(), k, env);
        cub::DeviceRadixSort::SortKeysDescending(nullptr, of_sort, found, out.begin(), k, 0, 8 * sizeof(T), stream);
        own_bytes = std::max(of_search, of_sort);
        return cudaSuccess;
      }
      const cudaError_t status = cub::DeviceTopK::MaxKeys(own, own_bytes, keys.begin(), found, keys.size(), k, env);
      if (status != cudaSuccess) return status;
      return cub::DeviceRadixSort::SortKeysDescending(own, own_bytes, found, out.begin(), k, 0, 8 * sizeof(T), stream);
    });
  });
#endif
}
#endif

template <class Generator, class Where>
void largest(bench::problem<Where>& p, const Generator& generate, index_t most) {
  using T = typename Generator::type;
  const auto keys = p.reads(generate);
  const index_t k = std::min(most, p.n());
  const auto out = p.template writes<T>(k);
#if ONEPASS_HAS_CUDA
  add_cub_peers<T>(p, keys, out, k);
#endif
  p.serial([=] { std::partial_sort_copy(keys.begin(), keys.end(), out.begin(), out.end(), std::greater<>()); });
  p.onepass([=](const auto& policy) { onepass::top_k(policy, keys.begin(), keys.end(), k, out.begin()); });
}

template <class Where>
void of_rows(bench::problem<Where>& p, index_t length, index_t k) {
  const auto keys = p.reads(bench::uniform<float>{p.random()});
  const index_t rows = p.n() / length, n = rows * length;
  const auto out = p.template writes<float>(rows * k);
#if ONEPASS_HAS_CUDA
  p.cub(
      [=](void* memory, auto& bytes, auto stream) {
        return with_array<float>(memory, bytes, n, [&](float* sorted, void* own, std::size_t& own_bytes) {
          const auto begins =
              thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0), begin_of_row{length});
          const cudaError_t status =
              cub::DeviceSegmentedSort::SortKeysDescending(own, own_bytes, keys.begin(), sorted, static_cast<int>(n),
                                                           static_cast<int>(rows), begins, begins + 1, stream);
          if (status != cudaSuccess || own == nullptr) return status;
          return cudaMemcpy2DAsync(out.begin(), k * sizeof(float), sorted, length * sizeof(float), k * sizeof(float),
                                   rows, cudaMemcpyDeviceToDevice, stream);
        });
      },
      "cub_sort");
#endif
  p.serial([=] {
    for (index_t row = 0; row < rows; ++row)
      std::partial_sort_copy(keys.begin() + row * length, keys.begin() + (row + 1) * length, out.begin() + row * k,
                             out.begin() + (row + 1) * k, std::greater<>());
  });
  p.onepass([=](const auto& policy) {
    onepass::top_k(policy, keys.begin(), keys.begin() + n, onepass::rows(length), k, out.begin());
  });
}

template <class Where>
void median(bench::problem<Where>& p) {
  const auto keys = p.reads(bench::uniform<float>{p.random()});
  const auto out = p.template writes<float>(1);
  const index_t n = keys.size(), middle = n / 2;
#if ONEPASS_HAS_CUDA
  p.cub(
      [=](void* memory, auto& bytes, auto stream) {
        return with_array<float>(memory, bytes, n, [&](float* sorted, void* own, std::size_t& own_bytes) {
          const cudaError_t status =
              cub::DeviceRadixSort::SortKeys(own, own_bytes, keys.begin(), sorted, n, 0, 32, stream);
          if (status != cudaSuccess || own == nullptr) return status;
          return cudaMemcpyAsync(out.begin(), sorted + middle, sizeof(float), cudaMemcpyDeviceToDevice, stream);
        });
      },
      "cub_sort");
#endif
  // The first call, which is not timed, takes the memory.
  p.serial([=, room = std::make_shared<std::vector<float>>()] {
    auto& copy = *room;
    copy.assign(keys.begin(), keys.end());
    std::nth_element(copy.begin(), copy.begin() + middle, copy.end());
    *out.begin() = copy[static_cast<std::size_t>(middle)];
  });
  p.onepass([=](const auto& policy) { onepass::nth_element(policy, keys.begin(), keys.end(), middle, out.begin()); });
}

int main(int argc, char** argv) {
  return bench::run_program("select", argc, argv, [](auto& suite) {
    suite.default_sizes({10, 16, 20, 24, 28}, {16, 20, 24, 26});
    for (const index_t k : {10, 1000, 1000000}) {
      const std::string name = "k" + std::to_string(k);
      suite.add(name + "/f32/uniform", [=](auto& p) { largest(p, bench::uniform<float>{p.random()}, k); });
      suite.add(name + "/f32/bits", [=](auto& p) { largest(p, floats_of_all_bits{p.random()}, k); });
      suite.add(name + "/f32/equal", [=](auto& p) { largest(p, equal_keys<float>{}, k); });
    }
    suite.add("k1000/u64/uniform", [](auto& p) { largest(p, bench::uniform<std::uint64_t>{p.random()}, 1000); });
    suite.add("median/f32/uniform", [](auto& p) { median(p); });
    suite.add("rows1024x8/f32", [](auto& p) { of_rows(p, 1024, 8); });
    suite.add("rows65536x64/f32", [](auto& p) { of_rows(p, 65536, 64); });
    suite.add("rows128256x50/f32", [](auto& p) { of_rows(p, 128256, 50); });
  });
}
