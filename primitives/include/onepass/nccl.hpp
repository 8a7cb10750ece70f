// SPDX-License-Identifier: Apache-2.0
// onepass/nccl.hpp: ranks with a GPU each, over NCCL, in one process or in several. NCCL's library (libnccl.so.2, 2.18
// or later) is opened when the first communicator is made; to build a program neither it nor its headers are needed.
// Link onepass::nccl, and compile by nvcc. onepass/communicator.hpp says what a communicator is; docs/distributed.md
// how to run a program.
//
//   const auto id = onepass::distributed::make_nccl_id();  // on one rank, which sends it to the others
//   onepass::distributed::nccl_communicator comm(id, size, rank);
//   onepass::distributed::inclusive_scan(comm, onepass::cuda(stream), first, last, out);
#pragma once

#include "communicator.hpp"

#if ONEPASS_HAS_CUDA
#include "../../../core/exchange/nccl_exchange.cuh"

namespace onepass::distributed {

// Where ranks meet: 128 bytes, to be sent to all ranks of one communicator, by MPI_Bcast, say.
struct nccl_id {
  detail::nccl_id_bytes id;
};
//   Errors     onepass::invalid_argument if there is no NCCL; onepass::distributed_error with NCCL's text.
inline nccl_id make_nccl_id() {
  const char* const call = "distributed::make_nccl_id";
  const detail::nccl_library& nccl = detail::nccl_library::get(call);
  nccl_id id;
  const auto result = nccl.get_unique_id(&id.id);
  if (result != detail::nccl_library::success) throw distributed_error(call, 0, nccl.error_string(result));
  return id;
}
// Why this machine has no NCCL that can be used; empty, if it has.
inline std::string missing_nccl() { return detail::nccl_library::missing(); }

// The ranks of an NCCL communicator, each with the device that is current when it makes this object. All ranks make one
// together. One thread at a time uses it, with that device as its current one. Where two communicators are used on the
// same devices, all ranks use them in the same order (NCCL's own rule).
//   Deadline   counts for each wait, and for the making of a communicator from an id. A communicator that the program
//              gives and that blocks the host may wait longer inside NCCL.
//   Failure    A communicator that fails is aborted (ncclCommAbort), also one that the program has given: then it must
//              not be used or destroyed any more. NCCL does not tell the other ranks: they learn of it by their
//              deadlines. So set one.
//   Errors     onepass::invalid_argument if there is no NCCL, or for a wrong rank or device; onepass::cuda_error;
//              onepass::distributed_error with NCCL's text.
class nccl_communicator {
 public:
  using system = cuda_system;
  // Borrows `comm`, an ncclComm_t, which has to outlive this object. It is aborted if this throws anything but
  // invalid_argument.
  explicit nccl_communicator(ncclComm* comm, const communicator_options& options = {})
      : exchange_(std::make_unique<detail::nccl_exchange>(comm, options)) {}
  // Makes a communicator of `size` ranks.
  nccl_communicator(const nccl_id& id, int size, int rank, const communicator_options& options = {})
      : exchange_(std::make_unique<detail::nccl_exchange>(id.id, size, rank, options)) {}
  int rank() const { return exchange_->rank(); }
  int size() const { return exchange_->size(); }
  bool has_failed() const { return exchange_->has_failed(); }

  void all_gather(const char* call, const void* mine, void* all, std::size_t bytes) {
    exchange_->all_gather(call, mine, all, bytes);
  }
  void all_sum(const char* call, std::uint64_t* words, std::size_t n) { exchange_->all_sum(call, words, n); }
  void all_gather(const char* call, stream_t stream, const void* mine, void* all, std::size_t bytes) {
    exchange_->all_gather(call, stream, mine, all, bytes);
  }
  void all_to_all(const char* call, stream_t stream, const void* send, const std::size_t* send_bytes, void* receive,
                  const std::size_t* receive_bytes) {
    exchange_->all_to_all(call, stream, send, send_bytes, receive, receive_bytes);
  }
  void* host_memory(const char* call, std::size_t bytes) { return exchange_->host_memory(call, bytes); }
  void record(const char* call, stream_t stream) { exchange_->record(call, stream); }
  void wait(const char* call) { exchange_->wait(call); }
  void fail(const char* text) noexcept { exchange_->fail(text); }

 private:
  std::unique_ptr<detail::nccl_exchange> exchange_;
};

}  // namespace onepass::distributed
#endif
