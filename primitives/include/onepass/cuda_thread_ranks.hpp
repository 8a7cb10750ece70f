// SPDX-License-Identifier: Apache-2.0
// onepass/cuda_thread_ranks.hpp: ranks that are threads of one process and have their data on GPUs. Each may have a GPU
// of its own; several may share one, so that a program for many GPUs can be tested on one. Where GPUs reach each other's
// memory, kernels exchange a scan's totals, and a sort merges out of that memory; all else goes by the GPUs' copy
// engines. It needs nothing but the CUDA runtime, and nvcc. onepass/communicator.hpp says what a communicator is.
//
// Where calls of two communicators share a stream on several GPUs, all ranks make them in the same order: kernels that
// wait for each other stand in these streams. Those of two communicators at a time may have less than half of a device's
// multiprocessors each while they wait, those of further ones a block. Other kernels that wait for a GPU, such as NCCL's,
// need room beside them.
//
//   onepass::distributed::run_cuda_ranks({0, 1}, [&](onepass::distributed::cuda_thread_communicator& comm) {
//     thrust::device_vector<int> x(1000, 1);  // on GPU 0 for rank 0, on GPU 1 for rank 1
//     cudaStream_t stream;                    // and so the stream
//     cudaStreamCreate(&stream);
//     onepass::distributed::inclusive_scan(comm, onepass::cuda(stream), x.begin(), x.end(), x.begin());
//     cudaStreamSynchronize(stream);
//   });
#pragma once

#include "thread_ranks.hpp"

#if ONEPASS_HAS_CUDA
#include "../../../core/exchange/cuda_thread_exchange.cuh"

namespace onepass::distributed {

// The communicator of one rank. The thread that has made it uses it, with the rank's device as its current one. Copies
// are the same rank. Calls enqueue their work in the stream of their policy; the host waits for the other ranks' hosts,
// and for the device only where a call says so.
class cuda_thread_communicator {
 public:
  using system = cuda_system;
  cuda_thread_communicator(std::shared_ptr<detail::cuda_thread_exchange> exchange, int rank)
      : exchange_(std::move(exchange)), rank_(static_cast<std::size_t>(rank)) {}
  int rank() const { return static_cast<int>(rank_); }
  int size() const { return static_cast<int>(exchange_->size()); }
  int device() const { return exchange_->device(rank_); }

  void all_gather(const char* call, const void* mine, void* all, std::size_t bytes) {
    exchange_->all_gather(call, rank_, mine, all, bytes);
  }
  void all_sum(const char* call, std::uint64_t* words, std::size_t n) { exchange_->all_sum(call, rank_, words, n); }
  void all_gather(const char* call, stream_t stream, const void* mine, void* all, std::size_t bytes) {
    exchange_->all_gather(call, rank_, stream, mine, all, bytes);
  }
  void all_to_all(const char* call, stream_t stream, const void* send, const std::size_t* send_bytes, void* receive,
                  const std::size_t* receive_bytes) {
    exchange_->all_to_all(call, rank_, stream, send, send_bytes, receive, receive_bytes);
  }
  // For ranks whose GPUs can read the memory of all others (core/exchange/cuda_thread_exchange.cuh).
  bool reach_each_other() const { return exchange_->reach_each_other(); }
  template <class Use>
  void lend(const char* call, stream_t stream, const void* mine, Use use) {
    exchange_->lend(call, rank_, stream, mine, use);
  }
  void* host_memory(const char* call, std::size_t bytes) { return exchange_->host_memory(call, rank_, bytes); }
  void record(const char* call, stream_t stream) { exchange_->record(call, rank_, stream); }
  void wait(const char* call) { exchange_->wait(call, rank_); }
  void fail(const char* text) noexcept { exchange_->fail(rank_, text); }
  // For ranks with a GPU each that can store into the others' memory (core/exchange/peer_mailboxes.cuh).
  bool are_peers() const { return exchange_->are_peers(); }
  // ---- for the engine
  detail::peer_memory begin_call(const char* call, stream_t stream) {
    return exchange_->begin_call(call, rank_, stream);
  }
  void end_call() noexcept { exchange_->end_call(rank_); }
  detail::peer_exchange next_exchange() { return exchange_->next_exchange(rank_); }
  void has_enqueued(const char* call) { exchange_->has_enqueued(call, rank_); }

 private:
  std::shared_ptr<detail::cuda_thread_exchange> exchange_;
  std::size_t rank_;
};

// The communicators of as many ranks as `devices` has entries, for threads that the caller starts: rank r's thread
// makes devices[r] its current device and uses communicator(r). A device may be named several times.
//   Errors     onepass::invalid_argument if `devices` is empty, or there is no such rank; communicator():
//              onepass::cuda_error, or onepass::invalid_argument if the current device is another one, or the rank has
//              got its communicator before.
class cuda_thread_ranks {
 public:
  explicit cuda_thread_ranks(std::vector<int> devices, const communicator_options& options = {}) {
    if (devices.empty()) throw invalid_argument(name, "there are no devices");
    exchange_ = std::make_shared<detail::cuda_thread_exchange>(std::move(devices), options);
  }
  int size() const { return static_cast<int>(exchange_->size()); }
  int device(int rank) const { return exchange_->device(checked(rank)); }
  // Called once by each rank's thread.
  cuda_thread_communicator communicator(int rank) const {
    exchange_->join(name, checked(rank));
    return {exchange_, rank};
  }
  // As in thread_ranks.
  void end(int rank, const char* text = nullptr) const noexcept {
    exchange_->end(static_cast<std::size_t>(rank), text);
  }
  void resume(const char* call) const { exchange_->resume(call); }
  void fail(int rank, const char* text) const noexcept { exchange_->fail(static_cast<std::size_t>(rank), text); }

 private:
  static constexpr const char* name = "distributed::cuda_thread_ranks";
  std::size_t checked(int rank) const {
    if (rank < 0 || rank >= size()) throw invalid_argument(name, "there is no such rank");
    return static_cast<std::size_t>(rank);
  }
  std::shared_ptr<detail::cuda_thread_exchange> exchange_;
};

// Ranks with GPUs for a program that makes their calls out of one thread: a rank_group (onepass/thread_ranks.hpp) with
// a thread for each entry of `devices`. A device may be named several times. It is its thread's current device in each
// run.
//   Errors     onepass::invalid_argument if there is no device; onepass::cuda_error; std::system_error if a thread
//              cannot be started.
//
//   onepass::distributed::cuda_rank_group group({0, 1, 2, 3});
//   group.run([&](onepass::distributed::cuda_thread_communicator& comm) {
//     const part& p = parts[comm.rank()];  // made in an earlier run
//     onepass::distributed::inclusive_scan(comm, onepass::cuda(p.stream), p.x, p.x + p.size, p.sums);
//   });
class cuda_rank_group {
 public:
  explicit cuda_rank_group(std::vector<int> devices, const communicator_options& options = {})
      : ranks_(std::move(devices), options), own_(static_cast<std::size_t>(ranks_.size())), threads_(ranks_.size()) {
    run_on_devices([&](int rank) { own_[static_cast<std::size_t>(rank)].emplace(ranks_.communicator(rank)); });
  }
  int size() const { return ranks_.size(); }
  int device(int rank) const { return ranks_.device(rank); }

  // As in rank_group. It does not wait for the devices.
  template <class F>
  void run(F&& f) {
    run_on_devices([&](int rank) { f(*own_[static_cast<std::size_t>(rank)]); });
  }

 private:
  template <class F>
  void run_on_devices(F f) {
    const char* const call = "distributed::cuda_rank_group";
    detail::run_on_threads(call, ranks_, threads_, [&](int rank) {
      detail::check_cuda(call, cudaSetDevice(ranks_.device(rank)));
      f(rank);
    });
  }

  cuda_thread_ranks ranks_;
  std::vector<std::optional<cuda_thread_communicator>> own_;
  detail::rank_threads threads_;  // ends before the others
};

// Calls f(communicator) on a thread for each device, with that device as the thread's current one. Otherwise as
// run_ranks(size, f) of onepass/thread_ranks.hpp.
template <class F>
void run_cuda_ranks(std::vector<int> devices, F&& f, const communicator_options& options = {}) {
  cuda_rank_group(std::move(devices), options).run(f);
}

}  // namespace onepass::distributed
#endif
