// SPDX-License-Identifier: Apache-2.0
// onepass/mpi.hpp: ranks that are processes, over MPI. It needs MPI's <mpi.h>: link onepass::mpi, which CMake has where
// it finds an MPI (ONEPASS_MPI). onepass/communicator.hpp says what a communicator is; docs/distributed.md how to run a
// program.
//
//   MPI_Init(&argc, &argv);
//   {
//     onepass::distributed::mpi_communicator comm(MPI_COMM_WORLD);
//     int x = comm.rank() + 1, sum = 0;
//     onepass::distributed::inclusive_scan(comm, onepass::cpu(1), &x, &x + 1, &sum);
//   }
//   MPI_Finalize();
#pragma once

#include <memory>

#include "../../../core/exchange/mpi_exchange.hpp"
#include "communicator.hpp"

namespace onepass::distributed {

struct mpi_options : communicator_options {
  // The most bytes that one message of MPI carries between two ranks; larger parts go in several. Of the ranks' numbers the
  // least counts.
  std::size_t most_bytes = std::size_t{1} << 30;
};

// The ranks of an MPI communicator. It makes a duplicate of that, so messages of the program and those of onepass do
// not meet. On the duplicate errors of MPI become distributed_error; they do not end the program. All ranks make one
// together, use it in one thread at a time (MPI_THREAD_FUNNELED is enough if that is the main thread), and destroy it
// before MPI_Finalize.
//   Failure    A rank that gives up tells the others by a message. They find it when they wait, or in their next call.
//              A rank that comes too late for the others may still find all that it needs, and learns of their failure
//              in its next call. A communicator that has failed keeps its memory (some KB a rank), as MPI may still use
//              it. If a rank gives up while items move (not while ranks wait for each other to begin), the call keeps its
//              copies of them, too, and its ranges must stay allocated until MPI ends.
//   Errors     onepass::invalid_argument if MPI is not initialised, or comm is MPI_COMM_NULL or an inter-communicator;
//              distributed_error.
class mpi_communicator {
 public:
  using system = cpu_system;
  static constexpr bool uses_memory_after_failure = true;  // an exchange that has failed may still read what it sends
  explicit mpi_communicator(MPI_Comm comm, const mpi_options& options = {})
      : exchange_(new detail::mpi_exchange(comm, options.deadline, options.most_bytes)) {}
  int rank() const { return exchange_->rank(); }
  int size() const { return exchange_->size(); }

  void all_gather(const char* call, const void* mine, void* all, std::size_t bytes) {
    exchange_->all_gather(call, mine, all, bytes);
  }
  void all_sum(const char* call, std::uint64_t* words, std::size_t n) { exchange_->all_sum(call, words, n); }
  void all_to_all(const char* call, const void* send, const std::size_t* send_bytes, void* receive,
                  const std::size_t* receive_bytes) {
    exchange_->all_to_all(call, send, send_bytes, receive, receive_bytes);
  }
  void fail(const char* text) noexcept { exchange_->fail(text); }

 private:
  std::unique_ptr<detail::mpi_exchange, detail::destroy_sound_exchange> exchange_;
};

}  // namespace onepass::distributed
