// SPDX-License-Identifier: Apache-2.0
// onepass/thread_ranks.hpp: ranks that are threads of one process. They need nothing but threads, so they also serve to
// test a program that is to run across processes. onepass/communicator.hpp says what a communicator is.
//
//   std::vector<int> sums(3);
//   onepass::distributed::run_ranks(3, [&](onepass::distributed::thread_communicator& comm) {
//     int x = comm.rank() + 1;  // 1, 2 and 3
//     onepass::distributed::inclusive_scan(comm, onepass::cpu(1), &x, &x + 1, &sums[comm.rank()]);
//   });  // sums = 1 3 6
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "../../../core/exchange/rank_threads.hpp"
#include "../../../core/exchange/thread_exchange.hpp"
#include "errors.hpp"

namespace onepass::distributed {

// The communicator of one rank. One thread at a time uses it. Copies are the same rank.
class thread_communicator {
 public:
  using system = cpu_system;
  thread_communicator(std::shared_ptr<detail::thread_exchange> exchange, int rank)
      : exchange_(std::move(exchange)), rank_(static_cast<std::size_t>(rank)) {}
  int rank() const { return static_cast<int>(rank_); }
  int size() const { return static_cast<int>(exchange_->size()); }

  void all_gather(const char* call, const void* mine, void* all, std::size_t bytes) {
    exchange_->all_gather(call, rank_, mine, all, bytes);
  }
  void all_sum(const char* call, std::uint64_t* words, std::size_t n) { exchange_->all_sum(call, rank_, words, n); }
  void all_to_all(const char* call, const void* send, const std::size_t* send_bytes, void* receive,
                  const std::size_t* receive_bytes) {
    static detail::host_copies copies;  // it has no state
    exchange_->all_to_all(call, rank_, send, send_bytes, receive, receive_bytes, copies);
  }
  void fail(const char* text) noexcept { exchange_->fail(rank_, text); }

 private:
  std::shared_ptr<detail::thread_exchange> exchange_;
  std::size_t rank_;
};

// The communicators of `size` ranks, for threads that the caller starts: rank r's thread uses communicator(r).
//   Errors     onepass::invalid_argument if size is below 1.
class thread_ranks {
 public:
  explicit thread_ranks(int size, const communicator_options& options = {}) {
    if (size < 1) throw invalid_argument("distributed::thread_ranks", "size is below 1");
    exchange_ = std::make_shared<detail::thread_exchange>(static_cast<std::size_t>(size), options);
  }
  int size() const { return static_cast<int>(exchange_->size()); }
  thread_communicator communicator(int rank) const {
    if (rank < 0 || rank >= size()) throw invalid_argument("distributed::thread_ranks", "there is no such rank");
    return {exchange_, rank};
  }
  // Says that rank `rank` makes no more calls: it has returned, or it has thrown what `text` says. If a rank waits for
  // it, now or later, that one throws, and the communicator has failed.
  void end(int rank, const char* text = nullptr) const noexcept {
    exchange_->end(static_cast<std::size_t>(rank), text);
  }
  // Says that all ranks, which have ended, will make calls again. `call` names the caller for error messages.
  //   Errors   onepass::distributed_error if the communicator has failed.
  void resume(const char* call) const { exchange_->resume(call); }
  // The same as fail(text) of that rank's communicator.
  void fail(int rank, const char* text) const noexcept { exchange_->fail(static_cast<std::size_t>(rank), text); }

 private:
  std::shared_ptr<detail::thread_exchange> exchange_;
};

}  // namespace onepass::distributed

namespace onepass::detail {

// Calls f(rank) on the rank's thread for each rank of `ranks`, as rank_group below says.
template <class Ranks, class F>
void run_on_threads(const char* call, const Ranks& ranks, rank_threads& threads, F&& f) {
  ranks.resume(call);
  std::mutex mutex;
  std::exception_ptr first;
  const auto give_up = [&](int rank, const char* text) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!first) first = std::current_exception();
    }
    ranks.end(rank, text);
  };
  threads.run([&](int rank) {
    try {
      f(rank);
      ranks.end(rank);
    } catch (const std::exception& e) {
      give_up(rank, e.what());
    } catch (...) {
      give_up(rank, "an exception of unknown type");
    }
  });
  if (first) std::rethrow_exception(first);
}

}  // namespace onepass::detail

namespace onepass::distributed {

// Ranks for a program that makes their calls out of one thread. Each has a thread and a communicator, which stay as
// long as the group does: what a rank keeps (memory, streams) lasts from run to run.
//   Cost       A run wakes the threads and waits for them. They look for work for 100 us before they sleep, so runs
//              that follow each other sooner cost some microseconds. A group that has nothing to do takes no time of a
//              core.
//   Errors     onepass::invalid_argument if size is below 1; std::system_error if a thread cannot be started.
//
//   onepass::distributed::rank_group group(2);
//   std::vector<int> x = {3, 1, 4, 1}, sums(4);
//   group.run([&](onepass::distributed::thread_communicator& comm) {
//     const int begin = 2 * comm.rank();
//     onepass::distributed::inclusive_scan(comm, onepass::cpu(1), &x[begin], &x[begin] + 2, &sums[begin]);
//   });  // sums = 3 4 8 9
class rank_group {
 public:
  explicit rank_group(int size, const communicator_options& options = {}) : ranks_(size, options), threads_(size) {
    for (int rank = 0; rank < size; ++rank) own_.push_back(ranks_.communicator(rank));
  }
  int size() const { return ranks_.size(); }

  // Calls f(communicator) on the threads of all ranks, and returns when all have returned. Called by one thread at a
  // time, and by none of the group's own.
  //   Errors   If a rank's f throws, this call throws that, the first if there are several. If another rank waits for
  //            such a one in an exchange, or for one whose f has returned, it throws distributed_error instead, and the
  //            communicator has failed. Then each later run throws distributed_error before it calls f. Otherwise the
  //            group can be used again.
  template <class F>
  void run(F&& f) {
    detail::run_on_threads("distributed::rank_group", ranks_, threads_,
                           [&](int rank) { f(own_[static_cast<std::size_t>(rank)]); });
  }

 private:
  thread_ranks ranks_;
  std::vector<thread_communicator> own_;
  detail::rank_threads threads_;  // ends before the others
};

// Calls f(communicator) on `size` threads of their own, rank r on one with a communicator of that rank, and returns
// when all have ended: one run of a rank_group. If a rank's f throws, the others' exchanges throw distributed_error
// instead of waiting; and this call throws the exception that was the first.
//   Errors     onepass::invalid_argument if size is below 1; std::system_error if a thread cannot be started.
template <class F>
void run_ranks(int size, F&& f, const communicator_options& options = {}) {
  rank_group(size, options).run(f);
}

}  // namespace onepass::distributed
