// SPDX-License-Identifier: Apache-2.0
// How threads wait for each other.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace onepass::detail {

// A condition variable. Who waits looks for a change for a while before it sleeps: to be woken takes some 20 us
// (docs/history/performance-log.md).
class change_notice {
 public:
  // Called with the mutex locked that those who wait have locked.
  void tell_all() noexcept {
    changes_.fetch_add(1, std::memory_order_release);
    changed_.notify_all();
  }
  // Waits until is_over(). A deadline of 0 never passes; returns false if it has.
  template <class IsOver>
  bool wait(std::unique_lock<std::mutex>& lock, IsOver is_over, std::chrono::milliseconds deadline = {}) {
    if (is_over()) return true;
    look(lock);
    if (deadline.count() > 0) return changed_.wait_for(lock, deadline, is_over);
    changed_.wait(lock, is_over);
    return true;
  }

 private:
  void look(std::unique_lock<std::mutex>& lock) {
    constexpr std::chrono::microseconds longest{100};  // not measured
    const std::size_t seen = changes_.load(std::memory_order_relaxed);
    lock.unlock();
    const auto started = std::chrono::steady_clock::now();
    for (int tries = 0; changes_.load(std::memory_order_acquire) == seen; ++tries) {
      if (tries < 2000) continue;  // some microseconds; not measured
      if (std::chrono::steady_clock::now() - started > longest) break;
      std::this_thread::yield();  // a thread that shares this core may be the one that is waited for
    }
    lock.lock();
  }

  std::condition_variable changed_;
  std::atomic<std::size_t> changes_{0};  // how often `changed_` was told; also read without the mutex
};

}  // namespace onepass::detail
