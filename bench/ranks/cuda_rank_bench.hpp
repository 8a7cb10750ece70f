// SPDX-License-Identifier: Apache-2.0
// What bench_cuda_ranks has for each rank's thread: memory, filling and checking on the device, and times of all GPUs
// together.
#pragma once

#include <onepass/distributed.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace bench {

namespace od = onepass::distributed;
using onepass::index_t;

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}
// The other ranks would wait for this one: the program ends.
[[noreturn]] inline void give_up(int rank, const char* text) {
  std::fprintf(stderr, "rank %d: %s\n", rank, text);
  std::fflush(stderr);
  _exit(1);
}

// ---- options --------------------------------------------------------------------------------------------------------
struct options {
  std::string exchange = "threads", out;
  std::string command = "bench_cuda_ranks";  // without the name of the file
  int ranks = 0, devices = 0, samples = 5;
  std::vector<int> sizes = {20, 24, 28};
};
inline options read_options(int argc, char** argv) {
  options o;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name != "--out") o.command += " " + name + " " + value;
    if (name == "--exchange") o.exchange = value;
    else if (name == "--ranks") o.ranks = std::atoi(value.c_str());
    else if (name == "--samples") o.samples = std::atoi(value.c_str());
    else if (name == "--out") o.out = value;
    else if (name == "--sizes") {
      o.sizes.clear();
      for (std::size_t at = 0; at < value.size(); at = std::min(value.find(',', at), value.size() - 1) + 1)
        o.sizes.push_back(std::atoi(value.c_str() + at));
    } else throw std::runtime_error("unknown option " + name);
  }
  check(cudaGetDeviceCount(&o.devices), "cudaGetDeviceCount");
  if (o.ranks == 0) o.ranks = o.devices;
  const auto is_size = [](int size) { return size >= 10 && size <= 32; };
  if (argc % 2 == 0 || o.ranks < 1 || o.samples < 1 || !std::all_of(o.sizes.begin(), o.sizes.end(), is_size) ||
      (o.exchange != "nccl" && o.exchange != "threads")) {
    throw std::runtime_error(
        "usage: [--exchange nccl|threads] [--ranks N] [--sizes 20,24,28] [--samples 5] [--out FILE]");
  }
  if (o.exchange == "nccl" && o.ranks > o.devices) throw std::runtime_error("NCCL needs a GPU for each rank");
  return o;
}

// ---- what the threads share -----------------------------------------------------------------------------------------
// Threads leave it within a microsecond of each other.
class spinning_barrier {
 public:
  explicit spinning_barrier(int size) : size_(size) {}
  void wait() {
    const int phase = phase_.load();
    if (count_.fetch_add(1) + 1 == size_) {
      count_ = 0;
      phase_ = phase + 1;
    } else {
      while (phase_.load() == phase) std::this_thread::yield();
    }
  }

 private:
  const int size_;
  std::atomic<int> count_{0}, phase_{0};
};

struct results {
  explicit results(const options& given) : o(given), barrier(given.ranks) {}
  options o;
  spinning_barrier barrier;
  double now_us = 0;    // what the threads measure together
  std::string entries;  // of the file

  // Times are those of a call of all ranks, of each rank's own, and of a copy; 0 if there is none.
  void add(const std::string& call, index_t items, double us, double own_us, double copy_us) {
    char line[256];
    std::snprintf(line, sizeof line,
                  "%s    {\"call\": \"%s\", \"items\": %lld, \"us\": %.2f, \"own_us\": %.2f, \"copy_us\": %.2f}",
                  entries.empty() ? "" : ",\n", call.c_str(), static_cast<long long>(items), us, own_us, copy_us);
    entries += line;
  }
  void write() const {
    if (o.out.empty()) return;
    cudaDeviceProp device = {};
    check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
    char date[16] = "";
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::FILE* const file = std::fopen(o.out.c_str(), "w");
    if (file == nullptr) throw std::runtime_error("cannot write " + o.out);
    std::fprintf(file,
                 "{\n  \"date\": \"%s\", \"device\": \"%s\", \"devices\": %d, \"ranks\": %d, \"exchange\": \"%s\",\n"
                 "  \"command\": \"%s\",\n  \"times\": [\n%s\n  ]\n}\n",
                 date, device.name, o.devices, o.ranks, o.exchange.c_str(), o.command.c_str(), entries.c_str());
    if (std::fclose(file) != 0) throw std::runtime_error("cannot write " + o.out);
  }
};

// ---- memory and items -----------------------------------------------------------------------------------------------
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t size) : size_(size) {
    check(cudaMalloc(&memory_, std::max<std::size_t>(1, size) * sizeof(T)), "cudaMalloc");
  }
  ~device_array() { (void)cudaFree(memory_); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  T* data() const { return static_cast<T*>(memory_); }
  std::size_t size() const { return size_; }

 private:
  void* memory_ = nullptr;
  std::size_t size_;
};

// Item i of an array.
struct constant_items {
  std::uint32_t value;
  __device__ std::uint32_t operator()(index_t) const { return value; }
};
struct rising_items {
  std::uint32_t first;
  __device__ std::uint32_t operator()(index_t i) const { return first + static_cast<std::uint32_t>(i); }
};
struct runs_of_100 {
  __device__ std::uint32_t operator()(index_t i) const { return static_cast<std::uint32_t>(i / 100 + 1); }
};
struct ranks_of_100 {
  __device__ std::uint32_t operator()(index_t i) const { return static_cast<std::uint32_t>(i % 100 + 1); }
};
template <class K>
struct random_items {
  std::uint64_t seed;
  __device__ K operator()(index_t i) const {
    std::uint64_t x = (seed << 40) + static_cast<std::uint64_t>(i) + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return static_cast<K>(x ^ (x >> 31));
  }
};
template <class K>
struct same_items {
  const K* other;
  __device__ K operator()(index_t i) const { return other[i]; }
};
// An array that is in order has this at item i: its own item, if that is not below the one before.
template <class K>
struct not_below_last {
  const K* items;
  __device__ K operator()(index_t i) const {
    return i > 0 && items[i] < items[i - 1] ? static_cast<K>(~items[i]) : items[i];
  }
};
struct is_odd {
  template <class T>
  __host__ __device__ bool operator()(const T& x) const {
    return x % 2 == 1;
  }
};

template <class T, class Items>
__global__ void fill_items_kernel(T* out, index_t n, Items items) {
  const index_t step = static_cast<index_t>(gridDim.x) * blockDim.x;
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) out[i] = items(i);
}
template <class T, class Items>
__global__ void count_wrong_kernel(const T* x, index_t n, Items items, unsigned long long* wrong) {
  const index_t step = static_cast<index_t>(gridDim.x) * blockDim.x;
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    if (x[i] != items(i)) atomicAdd(wrong, 1ull);
  }
}

// ---- one rank -------------------------------------------------------------------------------------------------------
class rank_bench {
 public:
  rank_bench(const options& o, results& shared, int rank) : o_(o), shared_(shared), rank_(rank), wrong_(1) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    if (rank == 0) {
      std::printf("%d ranks on %d GPUs, %s; us a call, Gitem/s of all ranks\n%-36s %10s %12s %10s %12s %10s\n", o.ranks,
                  o.devices, o.exchange.c_str(), "call", "items", "all ranks", "Gitem/s", "rank's own", "copy");
    }
  }
  ~rank_bench() { (void)cudaStreamDestroy(stream_); }
  rank_bench(const rank_bench&) = delete;
  rank_bench& operator=(const rank_bench&) = delete;
  cudaStream_t stream() const { return stream_; }

  // Microseconds a call of all ranks at once. All ranks make as many calls in a sample: about 5 ms of them.
  template <class F>
  double time(F call) {
    alarm(60);  // a device that hangs ends the program
    const double once = sample(call, 1);
    const int calls = static_cast<int>(std::min(100.0, std::max(1.0, 5000.0 / sample(call, 1))));
    (void)once;  // the first call warms up
    std::vector<double> samples;
    for (int s = 0; s < o_.samples; ++s) samples.push_back(sample(call, calls));
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2];
  }
  // The time to copy as many bytes on each device.
  double copy_time(double bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    const device_array<char> from(size), to(size);
    return time([&] {
      check(cudaMemcpyAsync(to.data(), from.data(), size, cudaMemcpyDeviceToDevice, stream_), "cudaMemcpyAsync");
    });
  }
  void report(const std::string& call, index_t items, double us, double own_us, double copy_us) {
    if (rank_ != 0) return;
    std::printf("%-36s %10lld %12.2f %10.2f %12.2f %10.2f\n", call.c_str(), static_cast<long long>(items), us,
                static_cast<double>(items) * o_.ranks / us * 1e-3, own_us, copy_us);
    std::fflush(stdout);
    shared_.add(call, items, us, own_us, copy_us);
  }

  template <class T, class Items>
  void fill(const device_array<T>& x, Items items) const {
    fill_items_kernel<<<1024, 256, 0, stream_>>>(x.data(), static_cast<index_t>(x.size()), items);
    check(cudaStreamSynchronize(stream_), "fill");
  }
  template <class T, class Items>
  void expect(const device_array<T>& x, Items items, const char* what) const {
    check(cudaMemsetAsync(wrong_.data(), 0, sizeof(unsigned long long), stream_), "cudaMemset");
    count_wrong_kernel<<<1024, 256, 0, stream_>>>(x.data(), static_cast<index_t>(x.size()), items, wrong_.data());
    unsigned long long wrong = 0;
    read(wrong_, 0, wrong);
    expect(wrong == 0, what);
  }
  void expect(bool is_right, const char* what) const {
    if (!is_right) give_up(rank_, (std::string(what) + " gives a wrong result").c_str());
  }
  template <class T>
  void read(const device_array<T>& x, index_t i, T& to) const {
    check(cudaMemcpyAsync(&to, x.data() + i, sizeof to, cudaMemcpyDefault, stream_), "cudaMemcpy");
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

 private:
  template <class F>
  double sample(F& call, int calls) {
    using clock = std::chrono::steady_clock;
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    shared_.barrier.wait();
    const auto started = clock::now();
    for (int i = 0; i < calls; ++i) call();
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    shared_.barrier.wait();
    const double us = std::chrono::duration<double, std::micro>(clock::now() - started).count() / calls;
    if (rank_ == 0) shared_.now_us = us;
    shared_.barrier.wait();  // all ranks know it
    return shared_.now_us;
  }

  const options& o_;
  results& shared_;
  int rank_;
  cudaStream_t stream_ = nullptr;
  device_array<unsigned long long> wrong_;
};

}  // namespace bench
