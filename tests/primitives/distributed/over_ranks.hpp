// SPDX-License-Identifier: Apache-2.0
// One test body for all carriers. A check is a function object that takes a communicator. It is run by threads with 1,
// 2, 3, 4 and 8 ranks, also with delays before each exchange, by MPI (tests/mpi), and on GPUs
// (tests/primitives/cuda_ranks). Its arrays are in the memory of its communicator (array_on), and so are its policies
// (policy_on).
//
// A check knows the whole range and how it is distributed, so each rank compares its own part with a serial reference.
#pragma once

#include <gtest/gtest.h>

#include <thrust/device_ptr.h>

#include <chrono>
#include <numeric>
#include <thread>

#include <onepass/policy.hpp>
#include <onepass/thread_ranks.hpp>

#include "support/buffer.hpp"
#include "support/operators.hpp"
#include "support/random.hpp"
#include "support/references.hpp"

namespace test {

using onepass::index_t;
using rank_sizes = std::vector<index_t>;

// ---- memory of a communicator's ranks -------------------------------------------------------------------------------
template <class Comm>
constexpr bool is_on_device = std::is_same_v<typename Comm::system, onepass::cuda_system>;

#if ONEPASS_HAS_CUDA
// The stream of this rank's thread.
inline cudaStream_t rank_stream() {
  static thread_local const stream own;
  return own.get();
}

// What a std::vector is on the host, with the ends guarded. Its iterators tell their system.
template <class T>
class device_array {
 public:
  explicit device_array(const std::vector<T>& values) : items_(new buffer<T>(cuda_backend{}, values)) {}
  thrust::device_ptr<T> begin() const { return thrust::device_pointer_cast(items_->data()); }
  thrust::device_ptr<T> end() const { return begin() + static_cast<std::ptrdiff_t>(size()); }
  T* data() const { return items_->data(); }
  std::size_t size() const { return items_->size(); }
  friend std::vector<T> on_host(const device_array& a) { return a.items_->to_host(); }

 private:
  std::unique_ptr<buffer<T>> items_;
};
#endif

template <class T>
const std::vector<T>& on_host(const std::vector<T>& values) {
  return values;
}
template <class Comm, class T>
auto array_on(const Comm&, const std::vector<T>& values) {
#if ONEPASS_HAS_CUDA
  if constexpr (is_on_device<Comm>) return device_array<T>(values);
  else
#endif
    return values;
}
// `size` items.
template <class T, class Comm>
auto array_on(const Comm& comm, std::size_t size, const T& value = T()) {
  return array_on(comm, std::vector<T>(size, value));
}
template <class Comm>
auto policy_on(const Comm&, [[maybe_unused]] int threads) {
#if ONEPASS_HAS_CUDA
  if constexpr (is_on_device<Comm>) return onepass::cuda(rank_stream());
  else
#endif
    return onepass::cpu(threads);
}

// ---- distributions --------------------------------------------------------------------------------------------------
// How many items each rank has: evenly, none on every second rank, all on one rank, fewer than there are ranks, at
// random, none.
inline std::vector<rank_sizes> distributions(int ranks, index_t n) {
  const auto size = static_cast<std::size_t>(ranks);
  std::vector<rank_sizes> all(7, rank_sizes(size, 0));
  for (std::size_t r = 0; r < size; ++r) {
    all[0][r] = n / ranks;
    all[1][r] = r % 2 == 0 ? 0 : n / ranks;
    all[4][r] = r % 3 == 1 ? 1 : 0;
    all[5][r] = static_cast<index_t>(hash(static_cast<std::uint64_t>(n), r) % static_cast<std::uint64_t>(n));
  }
  all[2].front() = n;
  all[3].back() = n;
  return all;
}

// The same on short parts; and some of them on parts of several tiles.
inline std::vector<rank_sizes> short_and_long_parts(int ranks) {
  std::vector<rank_sizes> all = distributions(ranks, 60);
  const std::vector<rank_sizes> long_parts = distributions(ranks, 40000);
  if (ranks <= 4) all.push_back(long_parts[5]);
  all.push_back(long_parts[3]);
  return all;
}

inline index_t begin_of(const rank_sizes& of, int rank) {
  return std::accumulate(of.begin(), of.begin() + rank, index_t{0});
}
inline index_t total_of(const rank_sizes& of) { return begin_of(of, static_cast<int>(of.size())); }

template <class T>
std::vector<T> part_of(const std::vector<T>& whole, const rank_sizes& of, int rank) {
  const auto begin = whole.begin() + begin_of(of, rank);
  return std::vector<T>(begin, begin + of[static_cast<std::size_t>(rank)]);
}

inline std::string text_of(const rank_sizes& of, int rank) {
  std::string text = "rank " + std::to_string(rank) + " of sizes";
  for (const index_t n : of) text += " " + std::to_string(n);
  return text;
}

// A communicator that, if it is slow, waits a while before each exchange, another time on each rank and each time.
template <class Comm>
class delayed {
 public:
  using system = typename Comm::system;
  explicit delayed(Comm& comm, bool is_slow = true) : comm_(comm), is_slow_(is_slow) {}
  int rank() const { return comm_.rank(); }
  int size() const { return comm_.size(); }
  void all_gather(const char* call, const void* mine, void* all, std::size_t bytes) {
    delay();
    comm_.all_gather(call, mine, all, bytes);
  }
  void all_sum(const char* call, std::uint64_t* words, std::size_t n) {
    delay();
    comm_.all_sum(call, words, n);
  }
  void all_to_all(const char* call, const void* send, const std::size_t* send_bytes, void* receive,
                  const std::size_t* receive_bytes) {
    delay();
    comm_.all_to_all(call, send, send_bytes, receive, receive_bytes);
  }
  // On GPUs.
  void all_gather(const char* call, onepass::stream_t stream, const void* mine, void* all, std::size_t bytes) {
    delay();
    comm_.all_gather(call, stream, mine, all, bytes);
  }
  void all_to_all(const char* call, onepass::stream_t stream, const void* send, const std::size_t* send_bytes,
                  void* receive, const std::size_t* receive_bytes) {
    delay();
    comm_.all_to_all(call, stream, send, send_bytes, receive, receive_bytes);
  }
  void* host_memory(const char* call, std::size_t bytes) { return comm_.host_memory(call, bytes); }
  void record(const char* call, onepass::stream_t stream) { comm_.record(call, stream); }
  void wait(const char* call) { comm_.wait(call); }
  void fail(const char* text) noexcept { comm_.fail(text); }
  // Where the communicator has them.
  template <class C = Comm>
  auto are_peers() const -> decltype(std::declval<C&>().are_peers()) {
    return comm_.are_peers();
  }
  template <class C = Comm>
  auto begin_call(const char* call, onepass::stream_t stream) -> decltype(std::declval<C&>().begin_call(call, stream)) {
    return comm_.begin_call(call, stream);
  }
  template <class C = Comm>
  auto end_call() noexcept -> decltype(std::declval<C&>().end_call()) {
    comm_.end_call();
  }
  template <class C = Comm>
  auto next_exchange() -> decltype(std::declval<C&>().next_exchange()) {
    delay();
    return comm_.next_exchange();
  }
  template <class C = Comm>
  auto has_enqueued(const char* call) -> decltype(std::declval<C&>().has_enqueued(call)) {
    delay();
    comm_.has_enqueued(call);
  }
  template <class C = Comm>
  auto reach_each_other() const -> decltype(std::declval<const C&>().reach_each_other()) {
    return comm_.reach_each_other();
  }
  template <class Use, class C = Comm>
  auto lend(const char* call, onepass::stream_t stream, const void* mine, Use use)
      -> decltype(std::declval<C&>().lend(call, stream, mine, use)) {
    delay();
    comm_.lend(call, stream, mine, use);
  }

 private:
  void delay() {
    const std::uint64_t chance = hash(static_cast<std::uint64_t>(rank()), exchanges_++);
    if (is_slow_ && chance % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(chance >> 56));
  }
  Comm& comm_;
  bool is_slow_;
  std::uint64_t exchanges_ = 0;
};

constexpr int rank_counts[] = {1, 2, 3, 4, 8};

template <class Check>
void by_threads(const Check& check) {
  const auto run = [&](int ranks, bool is_slow) {
    SCOPED_TRACE(std::to_string(ranks) + (is_slow ? " slow ranks" : " ranks"));
    onepass::distributed::run_ranks(ranks, [&](onepass::distributed::thread_communicator& comm) {
      delayed<onepass::distributed::thread_communicator> own(comm, is_slow);  // one type, to be compiled once
      check(own);
    });
  };
  for (const int ranks : rank_counts) run(ranks, false);
  run(4, true);
}

// Expects that f() throws a distributed_error by `rank` with `text` in it.
template <class F>
void expect_distributed_error(F&& f, int rank, const std::string& text) {
  try {
    f();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const onepass::distributed_error& e) {
    EXPECT_EQ(e.rank(), rank) << e.what();
    EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
  }
}

}  // namespace test
