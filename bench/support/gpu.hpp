// SPDX-License-Identifier: Apache-2.0
// The current CUDA device to measure on: memory, filling, comparing, timing by device events on one stream.
// Includes what the GPU's peers need; empty where there is no CUDA.
#pragma once

#include "data.hpp"
#include "options.hpp"

#if ONEPASS_HAS_CUDA
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

inline void check_cuda(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

template <class Generator>
__global__ void fill_kernel(typename Generator::type* out, index_t n, Generator generate) {
  const index_t step = static_cast<index_t>(gridDim.x) * blockDim.x;
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) out[i] = generate(i);
}

static __global__ void count_different_bytes(const char* a, const char* b, index_t bytes, unsigned long long* count) {
  const index_t step = static_cast<index_t>(gridDim.x) * blockDim.x;
  unsigned long long mine = 0;
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < bytes; i += step)
    mine += a[i] != b[i];
  if (mine != 0) atomicAdd(count, mine);
}

// An allocator for Thrust that keeps what it has allocated, for the next call that wants as much.
class kept_memory {
 public:
  using value_type = char;
  kept_memory() = default;
  kept_memory(const kept_memory&) = delete;
  kept_memory& operator=(const kept_memory&) = delete;
  ~kept_memory() {
    for (const auto& [bytes, memory] : free_) (void)cudaFree(memory);
  }
  char* allocate(std::ptrdiff_t bytes) {
    const auto found = free_.find(bytes);
    if (found == free_.end()) {
      void* memory = nullptr;
      check_cuda(cudaMalloc(&memory, static_cast<std::size_t>(bytes)), "memory");
      return static_cast<char*>(memory);
    }
    char* memory = found->second;
    free_.erase(found);
    return memory;
  }
  void deallocate(char* memory, std::size_t bytes) { free_.emplace(static_cast<std::ptrdiff_t>(bytes), memory); }

 private:
  std::multimap<std::ptrdiff_t, char*> free_;  // by size
};

class gpu {
 public:
  static constexpr const char* name = "gpu";
  static constexpr bool is_gpu = true;
  static constexpr int most_events = 2 * 256;

  explicit gpu(const options& o) : in_graph_(o.graph) {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
    check_cuda(cudaMalloc(&counter_, sizeof *counter_), "memory");
    for (cudaEvent_t& event : events_) check_cuda(cudaEventCreate(&event), "an event");
  }
  ~gpu() {
    for (cudaEvent_t event : events_) (void)cudaEventDestroy(event);
    (void)cudaFree(counter_);
    (void)cudaStreamDestroy(stream_);
  }
  gpu(const gpu&) = delete;
  gpu& operator=(const gpu&) = delete;

  static bool exists() {
    int count = 0;
    const bool found = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
    if (!found) (void)cudaGetLastError();
    return found;
  }
  static std::string device() {
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, 0), "the device's properties");
    return properties.name;
  }
  // The newest CUDA version that the driver supports; its own number only nvidia-smi tells.
  static std::string driver() {
    int version = 0;
    check_cuda(cudaDriverGetVersion(&version), "the driver's version");
    return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  }
  std::size_t free_memory() const {
    std::size_t free = 0, total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "free memory");
    return free;
  }

  onepass::cuda_policy policy() const { return onepass::cuda(stream_); }
  cudaStream_t stream() const { return stream_; }

  void* allocate(std::size_t bytes) {
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, bytes), "memory");
    return memory;
  }
  void release(void* memory) { (void)cudaFree(memory); }

  template <class Generator>
  void fill(typename Generator::type* out, index_t n, Generator generate) {
    if (n == 0) return;
    fill_kernel<<<blocks(n), 256, 0, stream_>>>(out, n, generate);
    check_cuda(cudaGetLastError(), "filling");
  }
  void poison(void* memory, std::size_t bytes) {
    check_cuda(cudaMemsetAsync(memory, 0xa5, bytes, stream_), "poisoning");
  }
  void copy(void* to, const void* from, std::size_t bytes) {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_), "copying");
  }
  std::int64_t different_bytes(const void* a, const void* b, std::size_t bytes) {
    if (bytes == 0) return 0;
    check_cuda(cudaMemsetAsync(counter_, 0, sizeof *counter_, stream_), "clearing");
    const auto n = static_cast<index_t>(bytes);
    count_different_bytes<<<blocks(n), 256, 0, stream_>>>(static_cast<const char*>(a), static_cast<const char*>(b), n,
                                                          counter_);
    check_cuda(cudaGetLastError(), "comparing");
    return static_cast<std::int64_t>(fetch(counter_));
  }
  index_t read(const index_t* count) { return fetch(count); }
  void wait() { check_cuda(cudaStreamSynchronize(stream_), "waiting"); }

  // Seconds a call, over `batch` calls back to back. With something to restore before each, every call has its own pair
  // of events, and what lies between the pairs does not count.
  template <class Call, class Restore>
  double time(int batch, const Call& call, const Restore& restore) {
    if (in_graph_ && !restore) return time_in_graph(batch, call);
    if (!restore) {
      record(0);
      for (int i = 0; i < batch; ++i) call();
      record(1);
      wait();
      return seconds(0) / batch;
    }
    batch = std::min(batch, most_events / 2);
    for (int i = 0; i < batch; ++i) {
      restore();
      record(2 * i);
      call();
      record(2 * i + 1);
    }
    wait();
    double sum = 0;
    for (int i = 0; i < batch; ++i) sum += seconds(2 * i);
    return sum / batch;
  }

  bool in_graph() const { return in_graph_; }

 private:
  // The calls as one graph, a chain of nodes; its second launch is timed.
  template <class Call>
  double time_in_graph(int batch, const Call& call) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t chain = nullptr;
    check_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capturing");
    for (int i = 0; i < batch; ++i) call();
    check_cuda(cudaStreamEndCapture(stream_, &graph), "capturing");
    check_cuda(cudaGraphInstantiate(&chain, graph, 0), "a graph");
    check_cuda(cudaGraphLaunch(chain, stream_), "a graph's launch");
    record(0);
    check_cuda(cudaGraphLaunch(chain, stream_), "a graph's launch");
    record(1);
    wait();
    (void)cudaGraphExecDestroy(chain);
    (void)cudaGraphDestroy(graph);
    return seconds(0) / batch;
  }
  static unsigned blocks(index_t n) { return static_cast<unsigned>(std::min<index_t>((n + 255) / 256, 1 << 14)); }
  void record(int event) { check_cuda(cudaEventRecord(events_[event], stream_), "an event"); }
  double seconds(int first) {  // between two events
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, events_[first], events_[first + 1]), "an event's time");
    return milliseconds / 1e3;
  }
  template <class T>
  T fetch(const T* from) {
    T value{};
    check_cuda(cudaMemcpyAsync(&value, from, sizeof value, cudaMemcpyDeviceToHost, stream_), "reading a count");
    wait();
    return value;
  }

  bool in_graph_;
  cudaStream_t stream_ = nullptr;
  unsigned long long* counter_ = nullptr;
  cudaEvent_t events_[most_events] = {};
};

}  // namespace bench
#endif
