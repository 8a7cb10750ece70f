// SPDX-License-Identifier: Apache-2.0
// onepass/communicator.hpp: what a communicator is, and what calls across ranks throw. A communicator joins several
// ranks: threads of one process (onepass/thread_ranks.hpp, onepass/cuda_thread_ranks.hpp), processes (onepass/mpi.hpp),
// or GPUs (onepass/nccl.hpp). The calls are in onepass/distributed.hpp.
//
// Each rank has an object of its own. All ranks make the same calls in the same order, each with its own part of the
// data. Any class is a communicator that has these members. `call` names the caller for error messages.
//   system                       cpu_system or cuda_system: where the data is that travels
//   rank(), size()               this rank's number, from 0 on; how many ranks there are
//   all_gather(call, mine, all, bytes)
//                                each rank gives `bytes` bytes in the host's memory, the same number on all ranks;
//                                `all` gets those of every rank in rank order, size() * bytes in all. For small
//                                messages: it may copy them
//   all_sum(call, words, n)      words[i] becomes its sum over all ranks, modulo 2^64
//   all_to_all(call, send, send_bytes, receive, receive_bytes)
//                                `send` has send_bytes[q] bytes for each rank q, one part behind the other in rank
//                                order, and `receive` gets receive_bytes[q] bytes from each rank q in the same way. The
//                                two memories do not overlap, and both sides know the sizes
//   fail(text)                   tells the other ranks that this one gives up. Does not throw
// The exchanges return when this rank has received everything and its memory may be used again. They throw
// distributed_error if an exchange cannot be completed, and in every later call: a communicator that has failed stays
// so.
//
// With cuda_system, all_to_all and a second all_gather work on device memory, and have a stream behind `call`. They do
// their work in its order and the host need not wait for the device. And there are
//   host_memory(call, bytes)     `bytes` bytes of the host's memory that the device can write; they mean nothing after
//                                the next call
//   record(call, stream), wait(call)
//                                the host waits until the stream has done what it had when record was called. It throws
//                                if that needs a rank that does not come in time
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "iterator_system.hpp"

namespace onepass {

// A call across ranks has failed. All ranks throw it: "onepass::distributed::inclusive_scan: rank 2: out of memory". On
// the rank that failed itself, it also is a std::nested_exception with what was thrown there.
class distributed_error : public std::runtime_error {
 public:
  distributed_error(const char* call, int rank, const std::string& text)
      : std::runtime_error(std::string("onepass::") + call + ": rank " + std::to_string(rank) + ": " + text),
        rank_(rank) {}
  // The rank that failed, or that was the first to give up waiting.
  int rank() const noexcept { return rank_; }

 private:
  int rank_;
};

// What all kinds of communicators take.
struct communicator_options {
  // How long a rank waits for the others in one exchange. Then the communicator fails. 0: for ever.
  std::chrono::milliseconds deadline{0};
};

namespace detail {
template <class C, class = void>
constexpr bool is_communicator = false;
template <class C>
constexpr bool is_communicator<
    C, std::void_t<typename C::system, decltype(std::declval<C&>().rank()), decltype(std::declval<C&>().size()),
                   decltype(std::declval<C&>().all_sum("", static_cast<std::uint64_t*>(nullptr), std::size_t{}))>> =
    true;
template <class C>
using if_communicator = std::enable_if_t<is_communicator<C>, int>;
}  // namespace detail

}  // namespace onepass
