// SPDX-License-Identifier: Apache-2.0
// The CPU as the frame pipeline sees it: where memory lies, onepass's policy, plain per-item work, waiting, and the peers
// from the standard library that stages are compared with. cuda_backend.hpp has the same members for a GPU.
#pragma once

#include <thrust/host_vector.h>

#include <onepass/scan.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace particle_culling {

class cpu_backend {
 public:
  template <class T>
  using vector = thrust::host_vector<T>;

  static constexpr bool draws_by_pixel = false;
  static constexpr const char* copy_if_name = "std::copy_if";
  static constexpr const char* sort_name = "std::stable_sort";
  static constexpr const char* scan_name = "std::inclusive_scan";
  static constexpr const char* count_name = "a loop";  // the standard library has no scan by key

  explicit cpu_backend(int threads)
      : threads_(threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {}

  std::string name() const { return "cpu, " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads"); }
  auto policy() const { return onepass::cpu(threads_); }
  void wait() const {}

  // function(i) for every i from 0 to before count; the threads take a range at a time, as ranges differ in work.
  template <class Function>
  void for_each(std::int64_t count, Function function) const {
    const std::int64_t range = std::max<std::int64_t>(1, count / (16 * threads_));
    std::atomic<std::int64_t> next{0};
    const auto run = [&] {
      for (std::int64_t begin = next.fetch_add(range); begin < count; begin = next.fetch_add(range)) {
        for (std::int64_t i = begin; i < std::min(begin + range, count); ++i) function(i);
      }
    };
    std::vector<std::thread> others;
    for (int thread = 1; thread < std::min<std::int64_t>(threads_, count); ++thread) others.emplace_back(run);
    run();
    for (std::thread& other : others) other.join();
  }

  template <class In1, class In2>
  bool equal(In1 first, In1 last, In2 other) const {
    return std::equal(first, last, other);
  }

  template <class In, class Out, class Predicate>
  Out peer_copy_if(In first, In last, Out out, Predicate predicate) const {
    return std::copy_if(first, last, out, predicate);
  }
  template <class In, class Out>
  void peer_inclusive_scan(In first, In last, Out out) const {
    std::inclusive_scan(first, last, out);
  }
  template <class Keys, class Out>
  void peer_running_count(Keys first, Keys last, Out out) const {
    std::uint32_t number = 0;
    for (Keys key = first; key != last; ++key, ++out) {
      number = key != first && *key == *(key - 1) ? number + 1 : 1;
      *out = number;
    }
  }

  // What the peer sorts: std::stable_sort has no values beside its keys, so it gets pairs.
  template <class Key, class Order>
  class peer_sort {
   public:
    peer_sort(const cpu_backend&, const vector<Key>& keys, const vector<std::uint32_t>& values, std::size_t count)
        : pairs_(count) {
      for (std::size_t i = 0; i < count; ++i) pairs_[i] = {keys[i], values[i]};
    }
    void run() {
      std::stable_sort(pairs_.begin(), pairs_.end(),
                       [](const auto& a, const auto& b) { return Order()(a.first, b.first); });
    }
    bool equals(const vector<Key>& keys, const vector<std::uint32_t>& values) const {
      for (std::size_t i = 0; i < pairs_.size(); ++i) {
        if (pairs_[i].first != keys[i] || pairs_[i].second != values[i]) return false;
      }
      return true;
    }

   private:
    std::vector<std::pair<Key, std::uint32_t>> pairs_;
  };

 private:
  int threads_;
};

}  // namespace particle_culling
