// SPDX-License-Identifier: Apache-2.0
// onepass/distributed.hpp: the calls across ranks, in the namespace onepass::distributed. The data of a call lies in
// parts on several ranks, and the call treats it as one range: rank 0's part, then rank 1's, and so on.
// docs/distributed.md has pictures, and what happens when a rank fails.
//
// All calls here share this:
//   Communicator  comes first: onepass/thread_ranks.hpp, onepass/mpi.hpp, or, for data on GPUs,
//                 onepass/cuda_thread_ranks.hpp, onepass/nccl.hpp; or any other (onepass/communicator.hpp). All ranks
//                 make the same calls with it, in the same order, and each gives its own part. A part may be empty.
//   Policy        says where this rank does its own work: with how many threads, or in which stream of its current
//                 device; with none, the iterators do. It has to belong to the communicator's memory. Ranks that share
//                 a machine should share its cores: with onepass::cpu() each rank takes all. `sized_by` counts; a
//                 workspace or an allocator of the policy is not used. On the CPU memory is taken before the exchange.
//   Waiting       On CUDA each call enqueues its work in the policy's stream. The host waits for the exchange, to learn
//                 whether all ranks are well: a scan's own work may still run when the call returns, and so may the
//                 last step of a sort, except over NCCL. Calls cannot be captured in a graph.
//   Sizes         are 64-bit. Iterators may be any random-access ones, if the call says nothing else.
//   Result        It has the same bits on every run for the same distribution over the ranks, floats too.
//   Errors        What a rank throws before it has told the others that it is well (for a wrong argument, for lack of
//                 memory, out of a function object) all ranks throw as onepass::distributed_error, and the communicator
//                 can be used further. (Not so on GPUs without mailboxes if a rank has no memory for the messages of
//                 the call, or another current device than its own: docs/distributed.md.) Inputs are intact unless the
//                 call works in place. Outputs are untouched unless the call says otherwise. If a rank never comes,
//                 ranks with a deadline (onepass::communicator_options) throw, and the communicator has failed.
//                 `onepass::measure` of a call across ranks is an error.
//
//   std::vector<int> x = {5, 2, 4, 1, 3, 6}, sums(6);
//   onepass::distributed::run_ranks(2, [&](onepass::distributed::thread_communicator& comm) {
//     int* const mine = x.data() + 3 * comm.rank();  // three items a rank
//     onepass::distributed::radix_sort(comm, onepass::cpu(1), mine, mine + 3, mine, 3);
//     onepass::distributed::inclusive_scan(comm, onepass::cpu(1), mine, mine + 3, &sums[3 * comm.rank()]);
//   });  // x = 1 2 3 4 5 6, sums = 1 3 6 10 15 21
#pragma once

#include "distributed_compact.hpp"
#include "distributed_reduce.hpp"
#include "distributed_scan.hpp"
#include "distributed_sort.hpp"
#include "thread_ranks.hpp"
