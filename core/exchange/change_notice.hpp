// SPDX-License-Identifier: Apache-2.0
// How threads wait for each other.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace onepass::detail {

// A condition variable over atomic variables. Who waits looks at them for a while before it sleeps: to be woken takes
// some 20 us, and to take a mutex by turns with three other threads some 5 (docs/history/performance-log.md).
class change_notice {
 public:
  // Waits until is_over(), which reads atomic variables. A deadline of 0 never passes; returns false if it has.
  template <class IsOver>
  bool wait(IsOver is_over, std::chrono::milliseconds deadline = {}) {
    if (look(is_over)) return true;
    std::unique_lock<std::mutex> lock(mutex_);
    ++sleeping_;
    bool has_come = true;
    if (deadline.count() > 0) has_come = changed_.wait_for(lock, deadline, is_over);
    else changed_.wait(lock, is_over);
    --sleeping_;
    return has_come;
  }
  // Called after a variable has changed. Who does not see the change has been counted in sleeping_ before this reads it.
  void tell_all() noexcept {
    if (sleeping_ == 0) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    changed_.notify_all();
  }

 private:
  template <class IsOver>
  static bool look(IsOver is_over) {
    constexpr std::chrono::microseconds longest{100};  // not measured
    const auto started = std::chrono::steady_clock::now();
    for (int tries = 0; !is_over(); ++tries) {
      if (tries < 2000) continue;  // some microseconds; not measured
      if (std::chrono::steady_clock::now() - started > longest) return false;
      std::this_thread::yield();  // a thread that shares this core may be the one that is waited for
    }
    return true;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<int> sleeping_{0};
};

}  // namespace onepass::detail
