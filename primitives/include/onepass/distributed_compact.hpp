// SPDX-License-Identifier: Apache-2.0
// onepass/distributed_compact.hpp: compaction across ranks. onepass/distributed.hpp says what all calls across ranks
// share.
//   Ranges     Each rank's kept items go to its own `out`, which needs room for as many. They stay on their rank.
//              rebalance() makes even shares. `out` may begin where the input begins, as in onepass/compact.hpp.
//   Returns    how many items this rank has kept, the index of the first of them among those of all ranks, and how many
//              all ranks have kept. On CUDA the call waits for the device to know that.
//   Order      kept items keep their order.
//   Cost       that of the rank's own compaction, and one exchange of a number.
//   Errors     a rank compacts before it hears of the others. So if the call throws on one rank, outputs of the others
//              may have been written.
#pragma once

#include "../../distributed/compact_over_ranks.hpp"
#include "communicator.hpp"
#include "shares.hpp"

namespace onepass::distributed {

// ---- copy_if, compact -----------------------------------------------------------------------------------------------
// copy_if copies this rank's items for which pred(item) is true to out; with a stencil, those for which
// pred(stencil[i]) is true. compact copies those whose flag is true (onepass/flags.hpp).
//
//   std::vector<onepass::distributed::slice> kept(2);
//   onepass::distributed::run_ranks(2, [&](onepass::distributed::thread_communicator& comm) {
//     std::vector<int> x = {3, 4, comm.rank()}, y(3);
//     const auto is_even = [](int v) { return v % 2 == 0; };
//     kept[comm.rank()] = onepass::distributed::copy_if(comm, onepass::cpu(1), x.begin(), x.end(), y.begin(), is_even);
//   });
//   const auto offset = kept[1].offset, total = kept[1].total;  // offset = 2, total = 3
template <class Comm, class Policy, class In, class Out, class Pred, detail::if_communicator<Comm> = 0,
          detail::if_policy<Policy, In> = 0>
slice copy_if(Comm& comm, const Policy& policy, In first, In last, Out out, Pred pred) {
  return detail::compact_over_ranks("distributed::copy_if", comm, policy, first, last,
                                    [&](const auto& own, index_t n, index_t* count) {
                                      onepass::copy_if_async(own, first, first + n, out, pred, count);
                                    });
}
template <class Comm, class In, class Out, class Pred, detail::if_communicator<Comm> = 0, detail::if_not_policy<In> = 0>
slice copy_if(Comm& comm, In first, In last, Out out, Pred pred) {
  return distributed::copy_if(comm, detail::default_policy<In, Out>(), first, last, out, pred);
}
template <class Comm, class Policy, class In, class Stencil, class Out, class Pred, detail::if_communicator<Comm> = 0,
          detail::if_policy<Policy, In> = 0>
slice copy_if(Comm& comm, const Policy& policy, In first, In last, Stencil stencil, Out out, Pred pred) {
  return detail::compact_over_ranks("distributed::copy_if", comm, policy, first, last,
                                    [&](const auto& own, index_t n, index_t* count) {
                                      onepass::copy_if_async(own, first, first + n, stencil, out, pred, count);
                                    });
}
template <class Comm, class In, class Stencil, class Out, class Pred, detail::if_communicator<Comm> = 0,
          detail::if_not_policy<In> = 0>
slice copy_if(Comm& comm, In first, In last, Stencil stencil, Out out, Pred pred) {
  return distributed::copy_if(comm, detail::default_policy<In, Stencil, Out>(), first, last, stencil, out, pred);
}
template <class Comm, class Policy, class In, class Flag, class Out, detail::if_communicator<Comm> = 0,
          detail::if_policy<Policy, In> = 0>
slice compact(Comm& comm, const Policy& policy, In first, In last, flags_of<Flag> flags, Out out) {
  return detail::compact_over_ranks("distributed::compact", comm, policy, first, last,
                                    [&](const auto& own, index_t n, index_t* count) {
                                      onepass::compact_async(own, first, first + n, flags, out, count);
                                    });
}
template <class Comm, class In, class Flag, class Out, detail::if_communicator<Comm> = 0, detail::if_not_policy<In> = 0>
slice compact(Comm& comm, In first, In last, flags_of<Flag> flags, Out out) {
  return distributed::compact(comm, detail::default_policy<In, Flag, Out>(), first, last, flags, out);
}

// ---- rebalance ------------------------------------------------------------------------------------------------------
// Copies the items of all ranks so that each rank has an even share, in the same order: rank r gets total / size of
// them, and the first total % size ranks get one more. `out` is an array with room for `capacity` items, and overlaps
// no input. Items have to be trivially copyable. Returns this rank's slice.
//   Cost       two exchanges; each item is copied once, from rank to rank if it has to move. Items that are no array
//              are copied once more.
//   Errors     if the capacity of a rank is too small, all ranks throw, and nothing is written.
template <class Comm, class Policy, class In, class Out, detail::if_communicator<Comm> = 0,
          detail::if_policy<Policy, In> = 0>
slice rebalance(Comm& comm, const Policy& policy, In first, In last, Out out, index_t capacity) {
  return detail::rebalance_over_ranks("distributed::rebalance", comm, policy, first, last, out, capacity);
}
template <class Comm, class In, class Out, detail::if_communicator<Comm> = 0, detail::if_not_policy<In> = 0>
slice rebalance(Comm& comm, In first, In last, Out out, index_t capacity) {
  return distributed::rebalance(comm, detail::default_policy<In, Out>(), first, last, out, capacity);
}

}  // namespace onepass::distributed
