// SPDX-License-Identifier: Apache-2.0
// The CPU as a program sees it: where memory lies, onepass's policy, plain per-item work, waiting. cuda_backend.hpp has the
// same members for a GPU.
#pragma once

#include <thrust/host_vector.h>

#include <onepass/scan.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>
#include <vector>

namespace apps {

class cpu_backend {
 public:
  template <class T>
  using vector = thrust::host_vector<T>;

  static constexpr bool on_host = true;

  explicit cpu_backend(int threads)
      : threads_(threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {}

  std::string name() const { return "cpu, " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads"); }
  auto policy() const { return onepass::cpu(threads_); }
  void wait() const {}

  // Over how many items for_each has to go where their number, at most `most`, stands in the backend's memory. Here it is
  // known.
  std::int64_t bound(const onepass::index_t* count, std::int64_t) const { return *count; }

  // function(i) for every i from 0 to before count; the threads take a range at a time, as ranges differ in work.
  template <class Function>
  void for_each(std::int64_t count, Function function) const {
    const std::int64_t range = std::max<std::int64_t>(1, count / (16 * threads_));
    std::atomic<std::int64_t> next{0};
    const auto run = [&] {
      // A copy, as `end` is one: a store of bytes might change what is read through a reference.
      Function own = function;
      for (std::int64_t begin = next.fetch_add(range); begin < count; begin = next.fetch_add(range)) {
        const std::int64_t end = std::min(begin + range, count);
        for (std::int64_t i = begin; i < end; ++i) own(i);
      }
    };
    const std::int64_t members = std::min<std::int64_t>(threads_, count);
    std::vector<std::thread> others;
    try {
      others.reserve(static_cast<std::size_t>(std::max<std::int64_t>(1, members)) - 1);
      for (std::int64_t i = 1; i < members; ++i) others.emplace_back(run);
    } catch (const std::exception&) {
      // No more threads, or no memory for one: those that have started do the work.
    }
    run();
    for (std::thread& other : others) other.join();
  }

 private:
  int threads_;
};

}  // namespace apps
