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
#include <thread>
#include <vector>

#include "../../../core/exchange/thread_exchange.hpp"
#include "errors.hpp"

namespace onepass::distributed {

// One rank's end. One thread at a time uses it. Copies are the same rank.
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

// The ends of `size` ranks, for threads that the caller starts: rank r's thread uses communicator(r).
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
  // Says that rank `rank` makes no more calls. Ranks that wait for it, now or later, throw.
  void end(int rank) const noexcept { exchange_->end(static_cast<std::size_t>(rank)); }
  // The same as fail(text) of that rank's communicator.
  void fail(int rank, const char* text) const noexcept { exchange_->fail(static_cast<std::size_t>(rank), text); }

 private:
  std::shared_ptr<detail::thread_exchange> exchange_;
};

}  // namespace onepass::distributed

namespace onepass::detail {

// Calls f(rank) on a thread for each rank of `ranks`, as run_ranks below says.
template <class Ranks, class F>
void run_on_threads(const Ranks& ranks, F&& f) {
  std::mutex mutex;
  std::exception_ptr first;
  const auto give_up = [&](int rank, const char* text) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!first) first = std::current_exception();
    }
    ranks.fail(rank, text);
  };
  const auto run = [&](int rank) {
    try {
      f(rank);
    } catch (const std::exception& e) {
      give_up(rank, e.what());
    } catch (...) {
      give_up(rank, "an exception of unknown type");
    }
    ranks.end(rank);
  };
  std::vector<std::thread> threads;
  try {
    threads.reserve(static_cast<std::size_t>(ranks.size()));
    for (int rank = 0; rank < ranks.size(); ++rank) threads.emplace_back(run, rank);
  } catch (const std::exception& e) {  // no more threads, or no memory for one
    give_up(static_cast<int>(threads.size()), e.what());
  }
  for (std::thread& t : threads) t.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace onepass::detail

namespace onepass::distributed {

// Calls f(communicator) on `size` threads of their own, rank r on one with a communicator of that rank, and returns
// when all have ended. If a rank's f throws, the others' exchanges throw distributed_error instead of waiting; and this
// call throws the exception that was the first.
//   Errors     onepass::invalid_argument if size is below 1; std::system_error if a thread cannot be started.
template <class F>
void run_ranks(int size, F&& f, const communicator_options& options = {}) {
  const thread_ranks ranks(size, options);
  detail::run_on_threads(ranks, [&](int rank) {
    thread_communicator comm = ranks.communicator(rank);
    f(comm);
  });
}

}  // namespace onepass::distributed
