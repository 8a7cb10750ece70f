// SPDX-License-Identifier: Apache-2.0
// onepass/distributed_scan.hpp: scans and segmented scans across ranks. onepass/distributed.hpp says what all calls
// across ranks share.
//   Ranges     Each rank gives its own [first, last) and gets its own [out, out + n). n may be 0, and may differ from
//              rank to rank. `out` may equal `first` (in place). In a scan by key `out` may equal the values or the
//              keys; the keys have to be an array then, with items as large as the results. Any other overlap is an
//              error where pointers show it.
//   Operator   It must be associative; it need not be commutative. It is the same on all ranks, and so is `init`.
//   Sums       are computed in the same types as by the call of this name without ranks (onepass/scan.hpp,
//              onepass/segmented_scan.hpp). These types have to be trivially copyable, and so have keys.
//   Cost       One exchange. A scan reads each item twice and writes it once; a local one reads it once. A segmented
//              scan costs what the rank's own does, and reads the rank's last segment once more. An operator that may
//              throw costs one more exchange at the end: mark it noexcept if it does not. onepass's sums, extremes and
//              bit operators on numbers need no mark.
//   Errors     If the operator throws in the last step, outputs are unspecified.
#pragma once

#include "../../distributed/local_scan_over_ranks.hpp"
#include "../../distributed/segmented_scan_over_ranks.hpp"
#include "communicator.hpp"
#include "rank_carry.hpp"

namespace onepass::distributed {

// ---- scan -----------------------------------------------------------------------------------------------------------
// out[i] combines the items of all ranks before this one, and this rank's items up to item i. Before all stands `init`,
// if it is given. Returns out + n.
//
//   std::vector<int> all(4);
//   onepass::distributed::run_ranks(2, [&](onepass::distributed::thread_communicator& comm) {
//     const std::vector<int> x = comm.rank() == 0 ? std::vector<int>{3, 1} : std::vector<int>{4, 1};
//     onepass::distributed::inclusive_scan(comm, onepass::cpu(1), x.begin(), x.end(), all.begin() + 2 * comm.rank());
//   });  // all = 3 4 8 9
template <class Comm, class Policy, class In, class Out, class Op = sum, detail::if_communicator<Comm> = 0,
          detail::if_policy<Policy, In> = 0>
Out inclusive_scan(Comm& comm, const Policy& policy, In first, In last, Out out, Op op = {}) {
  return detail::scan_over_ranks<true>("distributed::inclusive_scan", comm, policy, first, last, out, detail::none{},
                                       op);
}
template <class Comm, class Policy, class In, class Out, class Init, class Op, detail::if_communicator<Comm> = 0,
          detail::if_policy<Policy, In> = 0>
Out inclusive_scan(Comm& comm, const Policy& policy, In first, In last, Out out, Init init, Op op) {
  return detail::scan_over_ranks<true>("distributed::inclusive_scan", comm, policy, first, last, out, init, op);
}
template <class Comm, class In, class Out, class Op = sum, detail::if_communicator<Comm> = 0,
          detail::if_not_policy<In> = 0>
Out inclusive_scan(Comm& comm, In first, In last, Out out, Op op = {}) {
  return distributed::inclusive_scan(comm, detail::default_policy<In, Out>(), first, last, out, op);
}
template <class Comm, class In, class Out, class Init, class Op, detail::if_communicator<Comm> = 0,
          detail::if_not_policy<In> = 0>
Out inclusive_scan(Comm& comm, In first, In last, Out out, Init init, Op op) {
  return distributed::inclusive_scan(comm, detail::default_policy<In, Out>(), first, last, out, init, op);
}

// The same without item i itself: the first item of all ranks gets `init`. The default of `init` is T{} of the items'
// type.
template <class Comm, class Policy, class In, class Out, class Init, class Op = sum, detail::if_communicator<Comm> = 0,
          detail::if_policy<Policy, In> = 0>
Out exclusive_scan(Comm& comm, const Policy& policy, In first, In last, Out out, Init init, Op op = {}) {
  return detail::scan_over_ranks<false>("distributed::exclusive_scan", comm, policy, first, last, out, init, op);
}
template <class Comm, class Policy, class In, class Out, detail::if_communicator<Comm> = 0,
          detail::if_policy<Policy, In> = 0>
Out exclusive_scan(Comm& comm, const Policy& policy, In first, In last, Out out) {
  return distributed::exclusive_scan(comm, policy, first, last, out, detail::value_of<In>{});
}
template <class Comm, class In, class Out, class Init, class Op = sum, detail::if_communicator<Comm> = 0,
          detail::if_not_policy<In> = 0>
Out exclusive_scan(Comm& comm, In first, In last, Out out, Init init, Op op = {}) {
  return distributed::exclusive_scan(comm, detail::default_policy<In, Out>(), first, last, out, init, op);
}
template <class Comm, class In, class Out, detail::if_communicator<Comm> = 0, detail::if_not_policy<In> = 0>
Out exclusive_scan(Comm& comm, In first, In last, Out out) {
  return distributed::exclusive_scan(comm, detail::default_policy<In, Out>(), first, last, out);
}

// ---- local scan and carry -------------------------------------------------------------------------------------------
// For a reader that combines each item that it reads with a carry. Each rank scans its own items alone. *carry gets the
// combination of `init`, if it is given, and the items of all ranks before this one. Without `init` a rank has no carry
// if no rank before it has an item. Result i of the whole scan is carry->followed_by(out[i], op). Returns out + n.
//   Carry      stands in memory of the communicator's kind: on CUDA in memory that the device can write. It is written
//              in the order of the stream, and overlaps neither the items nor `out`.
//   Types      The items of `out` and the carry are of the type that the scan computes in; else it does not compile.
//   Cost       Each item is read once and written once: a rank's scan runs at the speed of its own, and the exchange
//              follows it. So on CUDA the host, where it waits for the exchange, also waits for the scan.
//   Errors     `out` is written before a rank knows of the others. If one fails, all throw and `out` is unspecified.
//              Carries are then as they were, unless the operator throws while it combines ranks' totals.
//
//   std::vector<int> all(4);
//   onepass::distributed::run_ranks(2, [&](onepass::distributed::thread_communicator& comm) {
//     const std::vector<int> x = comm.rank() == 0 ? std::vector<int>{3, 1} : std::vector<int>{4, 1};
//     std::vector<int> own(2);  // 3 4 and 4 5
//     onepass::distributed::rank_carry<int> carry;
//     onepass::distributed::inclusive_scan_local(comm, onepass::cpu(1), x.begin(), x.end(), own.begin(), &carry);
//     for (int i = 0; i < 2; ++i) all[2 * comm.rank() + i] = carry.followed_by(own[i], onepass::sum{});
//   });  // all = 3 4 8 9
template <class Comm, class Policy, class In, class Out, class T, class Op = sum, detail::if_communicator<Comm> = 0,
          detail::if_policy<Policy, In> = 0>
Out inclusive_scan_local(Comm& comm, const Policy& policy, In first, In last, Out out, rank_carry<T>* carry,
                         Op op = {}) {
  return detail::local_scan_over_ranks<true>("distributed::inclusive_scan_local", comm, policy, first, last, out, carry,
                                             detail::none{}, op);
}
template <class Comm, class Policy, class In, class Out, class T, class Init, class Op,
          detail::if_communicator<Comm> = 0, detail::if_policy<Policy, In> = 0>
Out inclusive_scan_local(Comm& comm, const Policy& policy, In first, In last, Out out, rank_carry<T>* carry, Init init,
                         Op op) {
  return detail::local_scan_over_ranks<true>("distributed::inclusive_scan_local", comm, policy, first, last, out, carry,
                                             init, op);
}
template <class Comm, class In, class Out, class T, class Op = sum, detail::if_communicator<Comm> = 0,
          detail::if_not_policy<In> = 0>
Out inclusive_scan_local(Comm& comm, In first, In last, Out out, rank_carry<T>* carry, Op op = {}) {
  return distributed::inclusive_scan_local(comm, detail::default_policy<In, Out>(), first, last, out, carry, op);
}
template <class Comm, class In, class Out, class T, class Init, class Op, detail::if_communicator<Comm> = 0,
          detail::if_not_policy<In> = 0>
Out inclusive_scan_local(Comm& comm, In first, In last, Out out, rank_carry<T>* carry, Init init, Op op) {
  return distributed::inclusive_scan_local(comm, detail::default_policy<In, Out>(), first, last, out, carry, init, op);
}

// The same without item i itself: a rank's first item gets `identity` (default: T{} of the items' type), and each carry
// begins with it. It has to be an identity: identity op x is x. For another initial value use the inclusive form with
// `init`: result i of the exclusive scan is its result i - 1, and result 0 is the carry itself.
template <class Comm, class Policy, class In, class Out, class T, class Identity, class Op = sum,
          detail::if_communicator<Comm> = 0, detail::if_policy<Policy, In> = 0>
Out exclusive_scan_local(Comm& comm, const Policy& policy, In first, In last, Out out, rank_carry<T>* carry,
                         Identity identity, Op op = {}) {
  return detail::local_scan_over_ranks<false>("distributed::exclusive_scan_local", comm, policy, first, last, out,
                                              carry, identity, op);
}
template <class Comm, class Policy, class In, class Out, class T, detail::if_communicator<Comm> = 0,
          detail::if_policy<Policy, In> = 0>
Out exclusive_scan_local(Comm& comm, const Policy& policy, In first, In last, Out out, rank_carry<T>* carry) {
  return distributed::exclusive_scan_local(comm, policy, first, last, out, carry, detail::value_of<In>{});
}
template <class Comm, class In, class Out, class T, class Identity, class Op = sum, detail::if_communicator<Comm> = 0,
          detail::if_not_policy<In> = 0>
Out exclusive_scan_local(Comm& comm, In first, In last, Out out, rank_carry<T>* carry, Identity identity, Op op = {}) {
  return distributed::exclusive_scan_local(comm, detail::default_policy<In, Out>(), first, last, out, carry, identity,
                                           op);
}
template <class Comm, class In, class Out, class T, detail::if_communicator<Comm> = 0, detail::if_not_policy<In> = 0>
Out exclusive_scan_local(Comm& comm, In first, In last, Out out, rank_carry<T>* carry) {
  return distributed::exclusive_scan_local(comm, detail::default_policy<In, Out>(), first, last, out, carry);
}

// ---- by key ---------------------------------------------------------------------------------------------------------
// A segment is a run of items with equal keys, also across ranks: `equal` compares each key with the one before it.
// out[i] combines the items of its segment up to item i. Returns out + n.
template <class Comm, class Policy, class Keys, class Values, class Out, class Equal = detail::equal_to, class Op = sum,
          detail::if_communicator<Comm> = 0, detail::if_policy<Policy, Keys> = 0>
Out inclusive_scan_by_key(Comm& comm, const Policy& policy, Keys first, Keys last, Values values, Out out,
                          Equal equal = {}, Op op = {}) {
  return detail::segmented_scan_over_ranks("distributed::inclusive_scan_by_key", comm, policy, first, last, values,
                                           detail::keyed_segments<Keys, Equal>(first, equal), out, detail::none{}, op);
}
template <class Comm, class Keys, class Values, class Out, class Equal = detail::equal_to, class Op = sum,
          detail::if_communicator<Comm> = 0, detail::if_not_policy<Keys> = 0>
Out inclusive_scan_by_key(Comm& comm, Keys first, Keys last, Values values, Out out, Equal equal = {}, Op op = {}) {
  return distributed::inclusive_scan_by_key(comm, detail::default_policy<Keys, Values, Out>(), first, last, values, out,
                                            equal, op);
}

// The exclusive form: out[i] is init at the first item of every segment, and init op the items before item i in its
// segment at the others.
template <class Comm, class Policy, class Keys, class Values, class Out, class Init, class Equal = detail::equal_to,
          class Op = sum, detail::if_communicator<Comm> = 0, detail::if_policy<Policy, Keys> = 0>
Out exclusive_scan_by_key(Comm& comm, const Policy& policy, Keys first, Keys last, Values values, Out out, Init init,
                          Equal equal = {}, Op op = {}) {
  return detail::segmented_scan_over_ranks("distributed::exclusive_scan_by_key", comm, policy, first, last, values,
                                           detail::keyed_segments<Keys, Equal>(first, equal), out, init, op);
}
template <class Comm, class Keys, class Values, class Out, class Init, class Equal = detail::equal_to, class Op = sum,
          detail::if_communicator<Comm> = 0, detail::if_not_policy<Keys> = 0>
Out exclusive_scan_by_key(Comm& comm, Keys first, Keys last, Values values, Out out, Init init, Equal equal = {},
                          Op op = {}) {
  return distributed::exclusive_scan_by_key(comm, detail::default_policy<Keys, Values, Out>(), first, last, values, out,
                                            init, equal, op);
}

// ---- by head flags, or by offsets -----------------------------------------------------------------------------------
// `heads` is an iterator to this rank's n flags, or onepass::offsets(begin, end) with this rank's own offsets: they
// ascend and count from its first item on, and those outside [0, n) start nothing. The first item of all ranks starts a
// segment. A rank's first item that is no head belongs to the segment of the item before it, on an earlier rank.
// Returns out + n.
template <class Comm, class Policy, class It, class Heads, class Out, class Op = sum, detail::if_communicator<Comm> = 0,
          detail::if_policy<Policy, It> = 0>
Out inclusive_segmented_scan(Comm& comm, const Policy& policy, It first, It last, Heads heads, Out out, Op op = {}) {
  return detail::segmented_scan_over_ranks("distributed::inclusive_segmented_scan", comm, policy, first, last, first,
                                           detail::segments_of(heads), out, detail::none{}, op);
}
template <class Comm, class It, class Heads, class Out, class Op = sum, detail::if_communicator<Comm> = 0,
          detail::if_not_policy<It> = 0>
Out inclusive_segmented_scan(Comm& comm, It first, It last, Heads heads, Out out, Op op = {}) {
  return distributed::inclusive_segmented_scan(comm, detail::default_policy<It, Heads, Out>(), first, last, heads, out,
                                               op);
}
template <class Comm, class Policy, class It, class Heads, class Out, class Init, class Op = sum,
          detail::if_communicator<Comm> = 0, detail::if_policy<Policy, It> = 0>
Out exclusive_segmented_scan(Comm& comm, const Policy& policy, It first, It last, Heads heads, Out out, Init init,
                             Op op = {}) {
  return detail::segmented_scan_over_ranks("distributed::exclusive_segmented_scan", comm, policy, first, last, first,
                                           detail::segments_of(heads), out, init, op);
}
template <class Comm, class It, class Heads, class Out, class Init, class Op = sum, detail::if_communicator<Comm> = 0,
          detail::if_not_policy<It> = 0>
Out exclusive_segmented_scan(Comm& comm, It first, It last, Heads heads, Out out, Init init, Op op = {}) {
  return distributed::exclusive_segmented_scan(comm, detail::default_policy<It, Heads, Out>(), first, last, heads, out,
                                               init, op);
}

}  // namespace onepass::distributed
