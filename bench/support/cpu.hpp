// SPDX-License-Identifier: Apache-2.0
// The CPU to measure on: memory, parallel filling and copying, comparing, timing. support/gpu.hpp has the same
// members for a GPU.
#pragma once

#include <sys/sysinfo.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <new>
#include <string>
#include <thread>
#include <vector>

#if ONEPASS_BENCH_OPENMP
#include <omp.h>
#include <thrust/system/omp/execution_policy.h>
#endif
#if ONEPASS_BENCH_TBB
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <thrust/system/tbb/execution_policy.h>
#endif

#include "data.hpp"
#include "options.hpp"

namespace bench {

class cpu {
 public:
  static constexpr const char* name = "cpu";
  static constexpr bool is_gpu = false;

  explicit cpu(const options& o)
      : threads_(o.threads)
#if ONEPASS_BENCH_TBB
        ,
        tbb_threads_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(o.threads))
#endif
  {
#if ONEPASS_BENCH_OPENMP
    omp_set_num_threads(threads_);
#endif
  }

  static std::string device() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
      if (line.compare(0, 10, "model name") == 0) return line.substr(line.find(':') + 2);
    }
    return "unknown CPU";
  }
  std::size_t free_memory() const {
    struct sysinfo info;
    sysinfo(&info);
    return (info.freeram + info.bufferram) * info.mem_unit;
  }

  int threads() const { return threads_; }
  onepass::cpu_policy policy() const { return onepass::cpu(threads_); }

  void* allocate(std::size_t bytes) { return ::operator new (bytes, std::align_val_t{4096}); }
  void release(void* memory) { ::operator delete (memory, std::align_val_t{4096}); }

  template <class Generator>
  void fill(typename Generator::type* out, index_t n, Generator generate) {
    in_parallel(n, [&](index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) out[i] = generate(i);
    });
  }
  void poison(void* memory, std::size_t bytes) {
    in_parallel(bytes, [&](index_t begin, index_t end) {
      std::memset(static_cast<char*>(memory) + begin, 0xa5, static_cast<std::size_t>(end - begin));
    });
  }
  // As the ceiling: with the threads that the other calls have.
  void copy(void* to, const void* from, std::size_t bytes) {
    in_parallel(bytes, [&](index_t begin, index_t end) {
      std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
                  static_cast<std::size_t>(end - begin));
    });
  }
  std::int64_t different_bytes(const void* a, const void* b, std::size_t bytes) {
    const auto *x = static_cast<const char*>(a), *y = static_cast<const char*>(b);
    std::int64_t count = 0;
    for (std::size_t i = 0; i < bytes; ++i) count += x[i] != y[i];
    return count;
  }
  index_t read(const index_t* count) { return *count; }
  void wait() {}

  // Seconds a call, over `batch` calls; what `restore` takes does not count.
  template <class Call, class Restore>
  double time(int batch, const Call& call, const Restore& restore) {
    using clock = std::chrono::steady_clock;
    std::chrono::duration<double> sum{0};
    if (!restore) {
      const auto start = clock::now();
      for (int i = 0; i < batch; ++i) call();
      sum = clock::now() - start;
    } else {
      for (int i = 0; i < batch; ++i) {
        restore();
        const auto start = clock::now();
        call();
        sum += clock::now() - start;
      }
    }
    return sum.count() / batch;
  }

 private:
  // body(begin, end) for a part of [0, n) on each thread; what is small is not worth waking one. Not on OpenMP, whose threads
  // go on spinning for a while, beside whatever is timed next.
  template <class Body>
  void in_parallel(index_t n, Body body) {
    const index_t parts = n < (1 << 16) ? 1 : threads_;
    const auto part = [&](index_t p) { body(n * p / parts, n * (p + 1) / parts); };
#if ONEPASS_BENCH_TBB
    if (parts == 1) part(0);
    else tbb::parallel_for(index_t{0}, parts, part, tbb::static_partitioner());
#else
    std::vector<std::thread> others;
    for (index_t p = 1; p < parts; ++p) others.emplace_back(part, p);
    part(0);
    for (std::thread& t : others) t.join();
#endif
  }

  int threads_;
#if ONEPASS_BENCH_TBB
  tbb::global_control tbb_threads_;
#endif
};

}  // namespace bench
