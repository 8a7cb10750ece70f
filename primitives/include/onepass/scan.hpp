// SPDX-License-Identifier: Apache-2.0
// onepass/scan.hpp: prefix scans with Thrust's interface, in one pass over the input.
//
// All calls here share this:
//   Ranges     [first, last) is read and [out, out + n) is written, where n = last - first. Nothing else is touched.
//              Any random-access iterators will do. n may be larger than 2^32. `out` may equal `first` (in place). Any
//              other overlap is an error where pointers show it. Threads write to neighbouring items of an output: those
//              of std::vector<bool>, which share bytes, are right with onepass::cpu(1) alone.
//   Operator   It must be associative; it need not be commutative. Its operator() need not be const, but must not
//              change anything. A call may apply it more often than n times and in any grouping, but always to values in
//              their order (but for sums and products of floats on the CPU, which vectors combine in another, fixed
//              order). On CUDA it is also applied to repeated values and to values that are no neighbours, whose
//              results are not used: it has to be defined for any two.
//   Sums       are computed in the type of the items, or of what `unary` returns; with an initial value, in the type of
//              op(init, item), or, if op does not take these two together, as `maximum`, in the type that holds both
//              numbers; in an exclusive scan, in the type of `init`. Every result of op is converted to that type, as in
//              Thrust: bytes wrap at 8 bits whatever the output is, and in an exclusive scan floats are truncated where
//              `init` is an int.
//   Result     It has the same bits on every run on the same device with the same settings, for floats, too: the
//              grouping depends on n (on CUDA, with a size in memory, on last - first) and on the types, and on CUDA on
//              `first` modulo 16 bytes (docs/same-bits.md).
//   Cost       Each item is read once and written once. On CUDA a call is one launch, does not synchronise with the
//              host, and takes O(n / 8,192) slots of workspace (of wide values more). On the CPU the call returns
//              when it is done.
//   Policy     It is optional and comes first: a Thrust policy, onepass::cuda(stream) or onepass::cpu(threads). Without
//              one the iterators decide, as in Thrust. With policy.sized_by(size) the number of items is in memory
//              (onepass/policy.hpp). If a policy has an allocator, as thrust::cuda::par(allocator) has, temporary
//              memory comes from it; if the policy also synchronises, the call waits before it gives that memory back.
//   Managed    The host can read the items of some iterators on CUDA (thrust::universal_vector). On these, calls
//              without a policy, or with a Thrust policy that synchronises, return when all is done, as in Thrust;
//              NAME_async does not wait. Plain pointers to managed memory do not show it: synchronise the stream before
//              the host reads.
//   Types      On CUDA, values must be default-constructible, and may be moved as their bytes, as in CUB. They may have
//              a copy constructor and an assignment of their own.
//   Errors     onepass::invalid_argument and onepass::bad_alloc, before anything is launched. onepass::cuda_error, also
//              afterwards by a call that waits: outputs are then unspecified. On the CPU an exception that a function
//              object throws reaches the caller; the output is then unspecified.
//   Source     Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (2016).
#pragma once

#include "../../scan/scan_dispatch.hpp"

namespace onepass {

// ---- inclusive ------------------------------------------------------------------------------------------------------
// out[i] = x[0] op ... op x[i]; with an initial value, init op x[0] op ... op x[i]. Returns out + n.
//
//   std::vector<int> x = {3, 1, 4, 1, 5}, y(5);
//   onepass::inclusive_scan(x.begin(), x.end(), y.begin());  // y = 3 4 8 9 14
template <class Policy, class In, class Out, class Op, detail::if_policy<Policy> = 0>
Out inclusive_scan(const Policy& policy, In first, In last, Out out, Op op) {
  return detail::scan<true>("inclusive_scan", policy, first, last, out, detail::as_is{}, detail::none{}, op);
}
template <class Policy, class In, class Out, detail::if_policy<Policy> = 0>
Out inclusive_scan(const Policy& policy, In first, In last, Out out) {
  return onepass::inclusive_scan(policy, first, last, out, sum{});
}
template <class Policy, class In, class Out, class Init, class Op, detail::if_policy<Policy> = 0>
Out inclusive_scan(const Policy& policy, In first, In last, Out out, Init init, Op op) {
  return detail::scan<true>("inclusive_scan", policy, first, last, out, detail::as_is{}, init, op);
}
template <class In, class Out, detail::if_not_policy<In> = 0>
Out inclusive_scan(In first, In last, Out out) {
  return onepass::inclusive_scan(detail::default_policy<In, Out>(), first, last, out);
}
template <class In, class Out, class Op, detail::if_not_policy<In> = 0>
Out inclusive_scan(In first, In last, Out out, Op op) {
  return onepass::inclusive_scan(detail::default_policy<In, Out>(), first, last, out, op);
}
template <class In, class Out, class Init, class Op, detail::if_not_policy<In> = 0>
Out inclusive_scan(In first, In last, Out out, Init init, Op op) {
  return onepass::inclusive_scan(detail::default_policy<In, Out>(), first, last, out, init, op);
}

// ---- exclusive ------------------------------------------------------------------------------------------------------
// out[i] = init op x[0] op ... op x[i - 1], so out[0] = init. The default of `init` is T{} of the items' type. Values
// are combined in the type of `init`: for 64-bit integers and floats pass T{0} rather than 0. Returns out + n.
//
//   std::vector<int> x = {3, 1, 4}, y(3);
//   onepass::exclusive_scan(x.begin(), x.end(), y.begin(), 10);  // y = 10 13 14
template <class Policy, class In, class Out, class Init, class Op, detail::if_policy<Policy> = 0>
Out exclusive_scan(const Policy& policy, In first, In last, Out out, Init init, Op op) {
  return detail::scan<false>("exclusive_scan", policy, first, last, out, detail::as_is{}, init, op);
}
template <class Policy, class In, class Out, class Init, detail::if_policy<Policy> = 0>
Out exclusive_scan(const Policy& policy, In first, In last, Out out, Init init) {
  return onepass::exclusive_scan(policy, first, last, out, init, sum{});
}
template <class Policy, class In, class Out, detail::if_policy<Policy> = 0>
Out exclusive_scan(const Policy& policy, In first, In last, Out out) {
  return onepass::exclusive_scan(policy, first, last, out, detail::value_of<In>{}, sum{});
}
template <class In, class Out, detail::if_not_policy<In> = 0>
Out exclusive_scan(In first, In last, Out out) {
  return onepass::exclusive_scan(detail::default_policy<In, Out>(), first, last, out);
}
template <class In, class Out, class Init, detail::if_not_policy<In> = 0>
Out exclusive_scan(In first, In last, Out out, Init init) {
  return onepass::exclusive_scan(detail::default_policy<In, Out>(), first, last, out, init);
}
template <class In, class Out, class Init, class Op, detail::if_not_policy<In> = 0>
Out exclusive_scan(In first, In last, Out out, Init init, Op op) {
  return onepass::exclusive_scan(detail::default_policy<In, Out>(), first, last, out, init, op);
}

// ---- transform, then scan -------------------------------------------------------------------------------------------
// The same scans of unary(x[i]). `unary` may be applied more than once to an item.
template <class Policy, class In, class Out, class Unary, class Op, detail::if_policy<Policy> = 0>
Out transform_inclusive_scan(const Policy& policy, In first, In last, Out out, Unary unary, Op op) {
  return detail::scan<true>("transform_inclusive_scan", policy, first, last, out, unary, detail::none{}, op);
}
template <class Policy, class In, class Out, class Unary, class Init, class Op, detail::if_policy<Policy> = 0>
Out transform_inclusive_scan(const Policy& policy, In first, In last, Out out, Unary unary, Init init, Op op) {
  return detail::scan<true>("transform_inclusive_scan", policy, first, last, out, unary, init, op);
}
template <class In, class Out, class Unary, class Op, detail::if_not_policy<In> = 0>
Out transform_inclusive_scan(In first, In last, Out out, Unary unary, Op op) {
  return onepass::transform_inclusive_scan(detail::default_policy<In, Out>(), first, last, out, unary, op);
}
template <class In, class Out, class Unary, class Init, class Op, detail::if_not_policy<In> = 0>
Out transform_inclusive_scan(In first, In last, Out out, Unary unary, Init init, Op op) {
  return onepass::transform_inclusive_scan(detail::default_policy<In, Out>(), first, last, out, unary, init, op);
}
template <class Policy, class In, class Out, class Unary, class Init, class Op, detail::if_policy<Policy> = 0>
Out transform_exclusive_scan(const Policy& policy, In first, In last, Out out, Unary unary, Init init, Op op) {
  return detail::scan<false>("transform_exclusive_scan", policy, first, last, out, unary, init, op);
}
template <class In, class Out, class Unary, class Init, class Op, detail::if_not_policy<In> = 0>
Out transform_exclusive_scan(In first, In last, Out out, Unary unary, Init init, Op op) {
  return onepass::transform_exclusive_scan(detail::default_policy<In, Out>(), first, last, out, unary, init, op);
}

}  // namespace onepass
