// SPDX-License-Identifier: Apache-2.0
// Exchanges over NCCL. What is in device memory moves in the order of the caller's stream. What is in the host's memory
// goes through memory of this object, on a stream of its own.
//
// NCCL waits for ever for a rank that does not come, on the host and on the device. So ranks first meet on a communicator
// that does not block the host, while the deadline counts. Then they make the one that they use, which does: it enqueues
// an exchange in 7 us, where one that does not block starts a thread for it and takes 80 (an H100). All its connections
// are made at once, so that later calls have nothing to wait for on the host. Each wait for the device looks for NCCL's
// errors and at the clock; and a communicator that has failed is aborted, which ends the kernels that still wait.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include <onepass/communicator.hpp>

#include "cuda_rank.cuh"
#include "exchange_failure.hpp"
#include "memory_parts.hpp"
#include "nccl_library.hpp"

namespace onepass::detail {

class nccl_exchange {
 public:
  // Borrows `comm`.
  nccl_exchange(ncclComm* comm, const communicator_options& options)
      : nccl_(nccl_library::get(name)), deadline_(deadline_within_reach(options.deadline)), comm_(comm) {
    if (comm == nullptr) throw invalid_argument(name, "the communicator is null");
    try {
      own_.emplace(name);
      prepare();
    } catch (const invalid_argument&) {  // before any exchange
      release();
      throw;
    } catch (...) {
      abandon();
      release();
      throw;
    }
  }
  // Makes one. All ranks do so together.
  nccl_exchange(const nccl_id_bytes& id, int size, int rank, const communicator_options& options)
      : nccl_(nccl_library::get(name)), deadline_(deadline_within_reach(options.deadline)), is_owned_(true) {
    if (size < 1 || rank < 0 || rank >= size) throw invalid_argument(name, "there is no such rank");
    rank_ = rank, size_ = size;
    nccl_config config;
    try {
      own_.emplace(name);
      config.blocking = 0;
      const nccl_library::result begun = nccl_.init_rank(&comm_, size, id, rank, &config);
      check(name, begun);
      const nccl_id_bytes inner = send_id();
      ncclComm* const met_on = std::exchange(comm_, nullptr);
      config.blocking = 1;
      const nccl_library::result made = nccl_.init_rank(&comm_, size, inner, rank, &config);
      (void)nccl_.destroy(met_on);
      check(name, made);
      prepare();
    } catch (...) {
      abandon();
      release();
      throw;
    }
  }
  ~nccl_exchange() {
    // To give memory back, or to destroy it, may wait for the other ranks. They may not come if an exception is on its way.
    if (is_owned_ && std::uncaught_exceptions() > exceptions_) abandon();
    release();
    if (is_owned_ && comm_ != nullptr) (void)nccl_.destroy(comm_);
  }
  nccl_exchange(const nccl_exchange&) = delete;
  nccl_exchange& operator=(const nccl_exchange&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool has_failed() const { return failure_.is_set(); }

  // ---- device memory
  void all_gather(const char* call, stream_t stream, const void* mine, void* all, std::size_t bytes) {
    begin(call);
    check(call, nccl_.all_gather(mine, all, bytes, nccl_library::bytes, comm_, stream));
  }
  // In step s each rank sends to the rank s behind it and receives from the rank s before it.
  void all_to_all(const char* call, stream_t stream, const void* send, const std::size_t* send_bytes, void* receive,
                  const std::size_t* receive_bytes) {
    const auto ranks = static_cast<std::size_t>(size_);
    const std::vector<memory_part> to = parts_of(send_bytes, ranks), from = parts_of(receive_bytes, ranks);
    begin(call);
    if (to[rank_].bytes != from[rank_].bytes) give_up(call, "receives another number of bytes than is sent");
    const char* const source = static_cast<const char*>(send);
    char* const target = static_cast<char*>(receive);
    if (to[rank_].bytes > 0) {
      check_cuda(call, cudaMemcpyAsync(target + from[rank_].begin, source + to[rank_].begin, to[rank_].bytes,
                                       cudaMemcpyDefault, stream));
    }
    check(call, nccl_.group_start());
    nccl_library::result failed = nccl_library::success;
    const auto note = [&](nccl_library::result r) {
      if (r != nccl_library::success && r != nccl_library::in_progress) failed = r;
    };
    for (int step = 1; step < size_; ++step) {
      const int behind = (rank_ + step) % size_, before = (rank_ - step + size_) % size_;
      if (to[behind].bytes > 0) {
        note(nccl_.send(source + to[behind].begin, to[behind].bytes, nccl_library::bytes, behind, comm_, stream));
      }
      if (from[before].bytes > 0) {
        note(
            nccl_.receive(target + from[before].begin, from[before].bytes, nccl_library::bytes, before, comm_, stream));
      }
    }
    const nccl_library::result ended = nccl_.group_end();  // also after an error: the group has to end
    check(call, failed != nccl_library::success ? failed : ended);
  }
  // ---- the host's memory
  void all_gather(const char* call, const void* mine, void* all, std::size_t bytes) {
    const std::size_t all_bytes = bytes * static_cast<std::size_t>(size_);
    through_device(call, mine, bytes, all, all_bytes, [&](const void* from, void* to) {
      return nccl_.all_gather(from, to, bytes, nccl_library::bytes, comm_, stream_);
    });
  }
  void all_sum(const char* call, std::uint64_t* words, std::size_t n) {
    const std::size_t bytes = n * sizeof *words;
    through_device(call, words, bytes, words, bytes, [&](const void* from, void* to) {
      return nccl_.all_reduce(from, to, n, nccl_library::words, nccl_library::sum, comm_, stream_);
    });
  }

  // ---- waiting
  void* host_memory(const char* call, std::size_t bytes) { return own_->host_memory(call, bytes); }
  void record(const char* call, stream_t stream) { own_->record(call, stream); }
  void wait(const char* call) {
    own_->wait(
        call, deadline_, [&] { look(call); }, [&](const char* text) { give_up(call, text); });
  }

  // The other ranks learn of it by their deadline.
  void fail(const char* text) noexcept {
    failure_.set(rank_, text);
    abandon();
  }

 private:
  static constexpr const char* name = "distributed::nccl_communicator";
  using clock = std::chrono::steady_clock;

  void release() noexcept {
    if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
    if (device_memory_ != nullptr) release_now(device_memory_);
  }
  void make_stream() {
    if (stream_ == nullptr) check_cuda(name, cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  // A new id, which all ranks get from rank 0.
  nccl_id_bytes send_id() {
    make_stream();
    nccl_id_bytes mine = {};
    if (rank_ == 0) check(name, nccl_.get_unique_id(&mine));
    std::vector<nccl_id_bytes> all(static_cast<std::size_t>(size_));
    all_gather(name, &mine, all.data(), sizeof mine);
    return all[0];
  }

  // Finds the rank and the size, and has NCCL make its connections, while the deadline counts.
  void prepare() {
    int device = 0;
    check(name, nccl_.count(comm_, &size_));
    check(name, nccl_.user_rank(comm_, &rank_));
    check(name, nccl_.device(comm_, &device));
    if (device != own_->device()) throw invalid_argument(name, "the current device is not the communicator's");
    make_stream();
    share_pool_with_peers(name);
    // Small and large messages may take other ways, which NCCL connects when they are first used.
    for (const std::size_t words : {std::size_t{1}, std::size_t{1} << 15}) {
      std::vector<std::uint64_t> mine(words), all(words * static_cast<std::size_t>(size_));
      all_sum(name, mine.data(), words);
      all_gather(name, mine.data(), all.data(), words * sizeof(std::uint64_t));
    }
    const std::vector<std::size_t> parts(static_cast<std::size_t>(size_), 16);
    char* const memory = static_cast<char*>(device_memory(name, 2 * parts.size() * 16));
    all_to_all(name, stream_, memory, parts.data(), memory + parts.size() * 16, parts.data());
    record(name, stream_);
    wait(name);
  }

  void begin(const char* call) {
    if (failure_.is_set()) failure_.raise(call);
    own_->check_device(call);
  }

  // exchange(from, to) enqueues an exchange of device memory on the object's stream.
  template <class Exchange>
  void through_device(const char* call, const void* mine, std::size_t bytes, void* all, std::size_t all_bytes,
                      Exchange exchange) {
    begin(call);
    const std::size_t begin_of_all = round_up(bytes, std::size_t{section_alignment});
    char* const device = static_cast<char*>(device_memory(call, begin_of_all + all_bytes));
    char* const host = static_cast<char*>(staging_.get(call, begin_of_all + all_bytes));
    std::memcpy(host, mine, bytes);
    check_cuda(call, cudaMemcpyAsync(device, host, bytes, cudaMemcpyDefault, stream_));
    check(call, exchange(device, device + begin_of_all));
    check_cuda(call,
               cudaMemcpyAsync(host + begin_of_all, device + begin_of_all, all_bytes, cudaMemcpyDefault, stream_));
    record(call, stream_);
    wait(call);
    std::memcpy(all, host + begin_of_all, all_bytes);
  }
  void* device_memory(const char* call, std::size_t bytes) {
    if (bytes <= device_bytes_) return device_memory_;
    if (device_memory_ != nullptr) release_now(std::exchange(device_memory_, nullptr));
    device_bytes_ = 0;
    const std::size_t wanted = std::max<std::size_t>(bytes, std::size_t{1} << 16);
    const beside_captures guard;
    check_cuda(call, cudaMalloc(&device_memory_, wanted));
    device_bytes_ = wanted;
    return device_memory_;
  }

  // What NCCL says of a call. While it is in progress, on a communicator that does not block, this waits.
  void check(const char* call, nccl_library::result result) {
    const auto started = clock::now();
    while (result == nccl_library::in_progress) {
      if (comm_ == nullptr || nccl_.async_error(comm_, &result) != nccl_library::success) break;
      if (deadline_.count() > 0 && clock::now() - started > deadline_) {
        give_up(call, "has waited in vain for other ranks to connect");
      }
      std::this_thread::yield();
    }
    if (result != nccl_library::success) give_up(call, nccl_.error_string(result));
  }
  // Whether NCCL has found an error meanwhile.
  void look(const char* call) {
    nccl_library::result result = nccl_library::success;
    if (nccl_.async_error(comm_, &result) != nccl_library::success) return;
    if (result != nccl_library::success && result != nccl_library::in_progress) {
      give_up(call, nccl_.error_string(result));
    }
  }
  [[noreturn]] void give_up(const char* call, const char* text) {
    fail(text);
    failure_.raise(call);
  }
  // Ends what still runs on the device. NCCL frees the communicator with it, also a borrowed one.
  void abandon() noexcept {
    if (comm_ != nullptr) (void)nccl_.abort(std::exchange(comm_, nullptr));
  }

  const nccl_library& nccl_;
  const std::chrono::milliseconds deadline_;
  const int exceptions_ = std::uncaught_exceptions();
  bool is_owned_ = false;
  ncclComm* comm_ = nullptr;
  int rank_ = 0, size_ = 0;
  std::optional<cuda_rank> own_;
  stream_t stream_ = nullptr;
  void* device_memory_ = nullptr;
  std::size_t device_bytes_ = 0;
  shared_host_memory staging_;
  exchange_failure failure_;
};

}  // namespace onepass::detail
