// SPDX-License-Identifier: Apache-2.0
// Where ranks that are threads of one process meet, and learn that one of them has failed. One atomic word says how many
// have come, how often all have, and whether one has failed. So no rank takes a mutex to meet the others; and all ranks
// find the same: either all have come before the failure, or none goes on.
#pragma once

#include <cstdint>
#include <vector>

#include "change_notice.hpp"
#include "exchange_failure.hpp"

namespace onepass::detail {

class rank_barrier {
 public:
  // deadline: of wait(); 0 if there is none.
  rank_barrier(std::size_t size, std::chrono::milliseconds deadline)
      : size_(size), deadline_(deadline_within_reach(deadline)), begun_(size) {}

  // How often this rank has begun to wait for the others.
  std::size_t begun(std::size_t rank) const { return begun_[rank]; }

  // Waits until all ranks have called this. Throws if a rank has failed before that.
  void wait(const char* call, std::size_t rank) {
    ++begun_[rank];
    std::uint64_t seen = state_;
    do {
      if (has_failed(seen)) check(call);
    } while (!state_.compare_exchange_weak(seen, with_one_more(seen)));
    if (count_of(seen) + 1 == size_) return changed_.tell_all();
    const std::uint64_t phase = phase_of(seen);
    // A rank that has ended, and has not been the last to come before that, never comes.
    if (has_ended_ && phase_of(state_) == phase) fail_of_end();
    const auto is_over = [&] {
      const std::uint64_t now = state_;
      return phase_of(now) != phase || has_failed(now);
    };
    if (!changed_.wait(is_over, deadline_)) fail_of_deadline(rank);
    if (phase_of(state_) == phase) check(call);  // else all have come, whatever has happened since
  }
  // The same where it is known that all come: there is no deadline, and no failure counts.
  void leave() {
    std::uint64_t seen = state_;
    while (!state_.compare_exchange_weak(seen, with_one_more(seen))) {
    }
    if (count_of(seen) + 1 == size_) return changed_.tell_all();
    changed_.wait([&] { return phase_of(state_) != phase_of(seen); });
  }

  void fail(std::size_t rank, const char* text) noexcept { set_failure(static_cast<int>(rank), text); }
  [[noreturn]] void give_up(const char* call, std::size_t rank, const char* text) {
    fail(rank, text);
    const std::lock_guard<std::mutex> lock(mutex_);
    failure_.raise(call);
  }
  // Throws if a rank has failed.
  void check(const char* call) {
    if (!has_failed(state_)) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failure_.is_set()) failure_.raise(call);
  }
  // The rank's function has returned, or has thrown what `text` says: who waits for it would wait for ever. If no rank
  // does, nothing has failed.
  void end(std::size_t rank, const char* text) noexcept {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (text != nullptr) ended_ = {};  // what was thrown says more than that a rank has returned
      ended_.set(static_cast<int>(rank), text != nullptr ? text : "has ended, and others still wait for it");
      has_ended_ = true;
    }
    if (count_of(state_) > 0) fail_of_end();
  }
  // All ranks have ended, and begin anew. Throws if a rank has failed.
  void resume(const char* call) {
    check(call);
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = {};
    has_ended_ = false;
  }

 private:
  // ---- the word: whether a rank has failed; how many have come; and above, how often all have
  static constexpr int count_bits = 24;
  static constexpr std::uint64_t failed = 1, one_rank = 2, one_phase = one_rank << count_bits;
  static bool has_failed(std::uint64_t state) { return (state & failed) != 0; }
  static std::uint64_t count_of(std::uint64_t state) { return state % one_phase / one_rank; }
  static std::uint64_t phase_of(std::uint64_t state) { return state / one_phase; }
  std::uint64_t with_one_more(std::uint64_t state) const {
    if (count_of(state) + 1 < size_) return state + one_rank;
    return state - count_of(state) * one_rank + one_phase;
  }

  void set_failure(int rank, const char* text) noexcept {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      failure_.set(rank, text);
    }
    state_ |= failed;
    changed_.tell_all();
  }
  void fail_of_end() noexcept {
    exchange_failure ended;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended = ended_;
    }
    set_failure(ended.rank, ended.text);
  }
  void fail_of_deadline(std::size_t rank) noexcept {
    std::size_t missing = 0;
    while (missing + 1 < size_ && begun_[missing] >= begun_[rank]) ++missing;
    char text[96];
    std::snprintf(text, sizeof text, "has waited %lld ms in vain for rank %zu",
                  static_cast<long long>(deadline_.count()), missing);
    set_failure(static_cast<int>(rank), text);
  }

  const std::size_t size_;
  const std::chrono::milliseconds deadline_;
  std::vector<std::atomic<std::size_t>> begun_;
  alignas(64) std::atomic<std::uint64_t> state_{0};  // apart from what is not written when ranks come
  alignas(64) change_notice changed_;
  std::atomic<bool> has_ended_{false};
  std::mutex mutex_;        // for what follows
  exchange_failure ended_;  // a rank that has ended, if one has; no failure as long as none waits for it
  exchange_failure failure_;
};

}  // namespace onepass::detail
