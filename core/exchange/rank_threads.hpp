// SPDX-License-Identifier: Apache-2.0
// Threads, one a rank, that run one function after another.
#pragma once

#include <functional>
#include <vector>

#include "change_notice.hpp"

namespace onepass::detail {

class rank_threads {
 public:
  // Throws std::system_error if a thread cannot be started.
  explicit rank_threads(int size) {
    try {
      threads_.reserve(static_cast<std::size_t>(size));
      for (int rank = 0; rank < size; ++rank) threads_.emplace_back([this, rank] { serve(rank); });
    } catch (...) {
      end();
      throw;
    }
  }
  ~rank_threads() { end(); }
  rank_threads(const rank_threads&) = delete;
  rank_threads& operator=(const rank_threads&) = delete;

  // Calls work(rank) on each thread, and returns when all have returned. It must not throw. Only one call at a time.
  void run(const std::function<void(int)>& work) {
    work_ = &work;
    running_ = threads_.size();
    ++runs_;
    begun_.tell_all();
    ended_.wait([&] { return running_ == 0; });
  }

 private:
  void serve(int rank) {
    for (std::size_t done = 0;; ++done) {
      begun_.wait([&] { return runs_ != done || is_over_; });
      if (runs_ == done) return;
      (*work_)(rank);
      if (--running_ == 0) ended_.tell_all();
    }
  }
  void end() noexcept {
    is_over_ = true;
    begun_.tell_all();
    for (std::thread& t : threads_) t.join();
  }

  change_notice begun_, ended_;
  const std::function<void(int)>* work_ = nullptr;  // of the last run, written before runs_
  std::atomic<std::size_t> runs_{0};                // how many have begun
  std::atomic<std::size_t> running_{0};             // threads that have not ended the last one
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> threads_;
};

}  // namespace onepass::detail
