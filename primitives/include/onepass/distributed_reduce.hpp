// SPDX-License-Identifier: Apache-2.0
// onepass/distributed_reduce.hpp: reduction by key and unique across ranks. onepass/distributed.hpp says what all calls
// across ranks share.
//   Ranges     a run of equal keys may go on from rank to rank; it has one result, on the rank that has its first item.
//              Each rank's outputs need room for the runs that begin there, which are at most its items. Outputs
//              overlap neither inputs nor each other; where pointers show that one begins inside an input, that is an
//              error.
//   Order      runs keep their order, and the values of a run are combined in theirs, but for sums and products of floats
//              on the CPU (onepass/segmented_reduce.hpp).
//   Operator   It must be associative; it need not be commutative. `equal` must be an equivalence. Both are the same on
//              all ranks.
//   Types      Keys and values have to be trivially copyable. Sums are computed in the type of the values; reduce_by_key
//              without an operator adds them as items of the output's type.
//   Cost       that of the rank's own call; its first and its last run are read once more. Two exchanges.
//   Returns    how many results this rank has, and where they stand among those of all ranks.
//   Errors     Outputs are unspecified if `equal` or the operator throws in the last step.
#pragma once

#include "../../distributed/reduce_over_ranks.hpp"
#include "communicator.hpp"
#include "shares.hpp"

namespace onepass::distributed {

// Stores the first key of each run that begins on this rank, and op over the values of the whole run.
//
//   std::vector<int> sums(2);
//   onepass::distributed::run_ranks(2, [&](onepass::distributed::thread_communicator& comm) {
//     const std::vector<int> keys = comm.rank() == 0 ? std::vector<int>{7, 7} : std::vector<int>{7, 3};
//     const std::vector<int> values = {1, 10};
//     std::vector<int> k(2), v(2);
//     const auto mine = onepass::distributed::reduce_by_key(comm, onepass::cpu(1), keys.begin(), keys.end(),
//                                                           values.begin(), k.begin(), v.begin());
//     if (mine.size > 0) sums[mine.offset] = v[0];
//   });  // sums = 12 10
template <class Comm, class Policy, class Keys, class Values, class KeysOut, class ValuesOut,
          class Equal = detail::equal_to, class Op = decltype(detail::default_reduction<Values, ValuesOut>()),
          detail::if_communicator<Comm> = 0, detail::if_policy<Policy, Keys> = 0>
slice reduce_by_key(Comm& comm, const Policy& policy, Keys first, Keys last, Values values, KeysOut out_keys,
                    ValuesOut out_values, Equal equal = {}, Op op = {}) {
  return detail::reduce_over_ranks("distributed::reduce_by_key", comm, policy, first, last, values, out_keys,
                                   out_values, equal, op);
}
template <class Comm, class Keys, class Values, class KeysOut, class ValuesOut, class Equal = detail::equal_to,
          class Op = decltype(detail::default_reduction<Values, ValuesOut>()), detail::if_communicator<Comm> = 0,
          detail::if_not_policy<Keys> = 0>
slice reduce_by_key(Comm& comm, Keys first, Keys last, Values values, KeysOut out_keys, ValuesOut out_values,
                    Equal equal = {}, Op op = {}) {
  return distributed::reduce_by_key(comm, detail::default_policy<Keys, Values, KeysOut, ValuesOut>(), first, last,
                                    values, out_keys, out_values, equal, op);
}

// Copies the first item of each run that begins on this rank to out.
template <class Comm, class Policy, class In, class Out, class Equal = detail::equal_to,
          detail::if_communicator<Comm> = 0, detail::if_policy<Policy, In> = 0>
slice unique_copy(Comm& comm, const Policy& policy, In first, In last, Out out, Equal equal = {}) {
  return detail::unique_over_ranks("distributed::unique_copy", comm, policy, first, last, out, equal);
}
template <class Comm, class In, class Out, class Equal = detail::equal_to, detail::if_communicator<Comm> = 0,
          detail::if_not_policy<In> = 0>
slice unique_copy(Comm& comm, In first, In last, Out out, Equal equal = {}) {
  return distributed::unique_copy(comm, detail::default_policy<In, Out>(), first, last, out, equal);
}

}  // namespace onepass::distributed
