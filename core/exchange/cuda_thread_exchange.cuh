// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of one process and have their data on GPUs: each on a GPU of its own, or several on one. The
// host tells the ranks of each other's memory (thread_exchange.hpp). Each rank copies what it receives, by the GPU's
// copy engines, in the order of its stream. Events order the streams: a copy begins when the sender's stream has come
// to the exchange, and the sender's stream goes on when its memory has been read. Where each rank has a GPU of its own,
// small messages go through mailboxes, which kernels store into.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cuda_rank.cuh"
#include "peer_mailboxes.cuh"
#include "thread_exchange.hpp"

namespace onepass::detail {

// One rank's copies (host_copies in thread_exchange.hpp says what each function is for).
class device_copies {
 public:
  explicit device_copies(const char* call) : ready_(call), done_(call) {}
  void use(stream_t stream) { stream_ = stream; }

  void begin(const char* call) const { ready_.record(call, stream_); }
  void may_read(const char* call, const device_copies& other) const {
    if (&other != this) other.ready_.hold(call, stream_);
  }
  void copy(const char* call, const device_copies& other, void* to, const void* from, std::size_t bytes) const {
    may_read(call, other);
    check_cuda(call, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_));
  }
  void end(const char* call) const { done_.record(call, stream_); }
  void wait_for(const char* call, const device_copies& other) const {
    if (&other != this) other.done_.hold(call, stream_);
  }

 private:
  stream_t stream_ = nullptr;
  cuda_event ready_, done_;
};

// The current device may read and write the memory of `other`, if the machine can do that; else copies go through the
// host.
inline void allow_peer(const char* call, int other) {
  const int mine = current_device(call);
  int can = 0;
  if (mine != other) check_cuda(call, cudaDeviceCanAccessPeer(&can, mine, other));
  if (can == 0) return;
  const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) (void)cudaGetLastError();
  else check_cuda(call, status);
}

// What all ranks share.
class cuda_thread_exchange {
 public:
  cuda_thread_exchange(std::vector<int> devices, const communicator_options& options)
      : devices_(std::move(devices)),
        options_(options),
        reach_each_other_(detail::reach_each_other(devices_)),
        are_peers_(reach_each_other_ && detail::are_peers(devices_)),
        host_(devices_.size(), options),
        enqueued_(devices_.size()),
        waiting_kernels_(are_peers_),
        ranks_(devices_.size()) {}
  // After a failure a kernel may still store into another rank's mailbox.
  ~cuda_thread_exchange() {
    int before = 0;
    if (!are_peers_ || cudaGetDevice(&before) != cudaSuccess) return;
    const beside_captures guard;
    for (const int device : devices_) {
      if (cudaSetDevice(device) == cudaSuccess) (void)cudaDeviceSynchronize();
    }
    (void)cudaSetDevice(before);
  }
  cuda_thread_exchange(const cuda_thread_exchange&) = delete;
  cuda_thread_exchange& operator=(const cuda_thread_exchange&) = delete;

  std::size_t size() const { return devices_.size(); }
  int device(std::size_t rank) const { return devices_[rank]; }

  // Called by each rank's thread before its first exchange, on the rank's device.
  void join(const char* call, std::size_t rank) {
    if (current_device(call) != devices_[rank]) {
      throw invalid_argument(call, "the current device is not the one of this rank");
    }
    for (const int other : devices_) allow_peer(call, other);
    share_pool_with_peers(call);
    auto state = std::make_unique<rank_state>(call);
    if (are_peers_) state->mailbox.emplace(call, devices_.size());
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ranks_[rank] != nullptr) throw invalid_argument(call, "the rank has got its communicator before");
    ranks_[rank] = std::move(state);
    if (!are_peers_ || incomplete_from_ != nullptr) return;
    incomplete_from_ = static_cast<std::uint64_t*>(incomplete_memory_.get(call, sizeof *incomplete_from_));
    *incomplete_from_ = std::numeric_limits<std::uint64_t>::max();
  }

  // Whether kernels of each rank may read the memory of all others, so that ranks may lend it.
  bool reach_each_other() const { return reach_each_other_; }
  // Whether the ranks have mailboxes.
  bool are_peers() const { return are_peers_; }
  // Begins a call of this rank that exchanges something through them, and gives it the rank's own memory. What it
  // enqueues in `stream` is behind all that the call before has enqueued.
  peer_memory begin_call(const char* call, std::size_t rank, stream_t stream) {
    rank_state& mine = *ranks_[rank];
    mine.own.check_device(call);
    unsigned long long id = 0;  // a handle may be that of another stream, which has been destroyed
    check_cuda(call, cudaStreamGetId(stream, &id));
    if (mine.has_called && mine.stream_id != id) mine.called.hold(call, stream);
    mine.has_called = true;
    mine.stream = stream;
    mine.stream_id = id;
    peer_memory own = mine.mailbox->own();
    own.blocks_may_wait = waiting_kernels_.are_allowed();
    return own;
  }
  void end_call(std::size_t rank) noexcept { ranks_[rank]->called.try_record(ranks_[rank]->stream); }
  // The next exchange, for which the rank then enqueues one kernel. All ranks call this together, and they have agreed
  // before that each is well.
  peer_exchange next_exchange(std::size_t rank) {
    rank_state& mine = *ranks_[rank];
    peer_exchange next = {};
    next.rank = static_cast<int>(rank), next.ranks = static_cast<int>(size());
    next.number = ++mine.exchanges;
    next.incomplete_from = incomplete_from_;
    for (std::size_t q = 0; q < size(); ++q) next.mailboxes[q] = ranks_[q]->mailbox->slots();
    return next;
  }
  // Called when that kernel is enqueued, or those that share the exchange. Waits until the other ranks have enqueued
  // theirs: nothing that a rank does afterwards, such as to take memory, can then keep another rank from enqueuing a
  // kernel that this one's waits for.
  void has_enqueued(const char* call, std::size_t rank) {
    enqueued_[rank] = ranks_[rank]->exchanges;
    try {
      host_.wait_for_all(call, rank);
    } catch (...) {
      leave_incomplete(rank);
      throw;
    }
  }

  void all_gather(const char* call, std::size_t rank, const void* mine, void* all, std::size_t bytes) {
    host_.all_gather(call, rank, mine, all, bytes);
  }
  void all_sum(const char* call, std::size_t rank, std::uint64_t* words, std::size_t n) {
    host_.all_sum(call, rank, words, n);
  }
  void all_gather(const char* call, std::size_t rank, stream_t stream, const void* mine, void* all, std::size_t bytes) {
    host_.all_gather(call, rank, mine, all, bytes, copies_in(call, rank, stream));
  }
  void all_to_all(const char* call, std::size_t rank, stream_t stream, const void* send, const std::size_t* send_bytes,
                  void* receive, const std::size_t* receive_bytes) {
    host_.all_to_all(call, rank, send, send_bytes, receive, receive_bytes, copies_in(call, rank, stream));
  }
  // Enqueues, by use(all), what reads other ranks' device memory. all[q] is what rank q has given as `mine`, in the host's
  // memory. It is read when the streams of all have come here; and they go on when all have read.
  template <class Use>
  void lend(const char* call, std::size_t rank, stream_t stream, const void* mine, Use use) {
    host_.lend(call, rank, mine, copies_in(call, rank, stream), use);
  }

  void* host_memory(const char* call, std::size_t rank, std::size_t bytes) {
    return ranks_[rank]->own.host_memory(call, bytes);
  }
  void record(const char* call, std::size_t rank, stream_t stream) { ranks_[rank]->own.record(call, stream); }
  void wait(const char* call, std::size_t rank) {
    ranks_[rank]->own.wait(
        call, deadline_within_reach(options_.deadline), [] {},
        [&](const char* text) {
          host_.fail(rank, text);
          leave_from(0);  // it is not known for what the device waits
          host_.check(call);
        });
  }
  void fail(std::size_t rank, const char* text) noexcept {
    host_.fail(rank, text);
    leave_incomplete(rank);
  }
  void end(std::size_t rank, const char* text) noexcept {
    host_.end(rank, text);
    if (has_failed_device(rank)) leave_from(0);
  }
  void resume(const char* call) { host_.resume(call); }

 private:
  struct rank_state {
    explicit rank_state(const char* call) : own(call), copies(call), called(call) {}
    cuda_rank own;
    device_copies copies;
    std::optional<peer_mailbox> mailbox;
    std::uint64_t exchanges = 0;  // through mailboxes
    cuda_event called;            // in `stream`, behind the last call with such an exchange
    stream_t stream = nullptr;
    unsigned long long stream_id = 0;
    bool has_called = false;
  };
  // Kernels leave that wait in an exchange which a rank has not enqueued. It never will, as the hosts know of a failure.
  // An exchange that all have enqueued goes on to its end: who has returned from its call has promised its results. If
  // this rank's device has failed, none may come to an end.
  void leave_incomplete(std::size_t rank) noexcept {
    if (has_failed_device(rank)) return leave_from(0);
    std::uint64_t complete = std::numeric_limits<std::uint64_t>::max();
    for (const std::atomic<std::uint64_t>& enqueued : enqueued_) complete = std::min(complete, enqueued.load());
    leave_from(complete + 1);
  }
  // Kernels leave that wait in this exchange or in a later one.
  void leave_from(std::uint64_t number) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (incomplete_from_ != nullptr && number < *incomplete_from_) *incomplete_from_ = number;
  }
  bool has_failed_device(std::size_t rank) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    return rank < ranks_.size() && ranks_[rank] != nullptr && ranks_[rank]->called.has_failed();
  }
  device_copies& copies_in(const char* call, std::size_t rank, stream_t stream) {
    rank_state& mine = *ranks_[rank];
    mine.own.check_device(call);
    mine.copies.use(stream);
    return mine.copies;
  }

  const std::vector<int> devices_;
  const communicator_options options_;
  const bool reach_each_other_;
  const bool are_peers_;
  thread_exchange host_;
  std::vector<std::atomic<std::uint64_t>> enqueued_;  // how many exchanges through mailboxes each rank has enqueued
  std::mutex mutex_;  // for what stands behind it, until all ranks have met in an exchange of the host
  shared_host_memory incomplete_memory_;
  volatile std::uint64_t* incomplete_from_ = nullptr;  // read by kernels (peer_exchange)
  const waiting_kernels waiting_kernels_;              // ends behind the mailboxes, whose end waits for the devices
  // Each is made by its rank's thread, and read by others for its mailbox.
  std::vector<std::unique_ptr<rank_state>> ranks_;
};

}  // namespace onepass::detail
