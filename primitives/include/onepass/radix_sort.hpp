// SPDX-License-Identifier: Apache-2.0
// onepass/radix_sort.hpp: stable radix sorts of keys and of keys with values. onepass/split.hpp has one pass by itself,
// onepass/sort.hpp Thrust's sort calls.
//
// All calls here share this:
//   Keys       integers of 8 to 128 bits, bool, float, double; in files that nvcc compiles also __half and
//              __nv_bfloat16. Floats: -0 and +0 are equal and keep their order; NaNs with the sign bit go below all
//              numbers, those without above all numbers. Pairs and tuples (std, cuda::std, thrust) of such keys: by the
//              first field, then the second, and so on. Structs: by the fields that a decomposer names (below).
//   Ranges     Sorts are in place, or to a range that overlaps no other. Keys and values must not overlap. Any
//              random-access iterators will do; ranges that are not plain arrays are copied to scratch and back. n may
//              be larger than 2^32.
//   Order      stable, ascending unless asked otherwise.
//   CUDA       Cost, without synchronisation with the host. A digit has 8 bits.
//              - Mostly: one read of the keys for the histograms, then for each digit one read and one write of keys
//                and values. That is a launch for the histograms and one for each digit. A sort in place by an odd
//                number of digits takes one more, with values two. A digit that is the same in all keys costs a launch
//                that returns. Keys that are sorted already are read once.
//              - Numbers with 3 digits and more, up to 2^15 items (2^14 with keys of up to 4 bytes, 2^17 keys of 8
//                bytes without values): tiles of 4,096 items (2,048 for keys of 16 bytes) are sorted, a block each,
//                then merged in a launch for each doubling of the runs.
//              - Fewer digits, and what one block holds (12,288 keys of up to 4 bytes; 7,168 of 8, or of 4 with values
//                of 4; 4,096 of 8 with values of 4; 3,072 of 16): one launch, read and written once.
//              - Some 10^6 to 2^30 keys of 64 or 128 bits: if a sample says that their upper digits tell nearly all keys
//                apart, only those are sorted by. One more read finds what is then out of order. Three or four launches
//                more.
//              - 2^24 to 2 * 10^8 whole keys of 32 bits without values: if counts and samples say that they are spread
//                well, a read and write that orders ties replaces the lowest digit's pass. One launch more.
//              - 2 * 10^8 to 5.6 * 10^8 whole keys of 32 bits (with values of up to 8 bytes from 1.26 * 10^7 on): if a
//                sample says that they are spread well, one read and write replaces the two lower passes.
//              - Whole integers of 8 bits, and of 16 from 2^25 on, without values: counted, and written once.
//   CPU        Cost: one split into buckets that fit a core's second-level cache, where each is then sorted. Keys that
//              fit it are not split. Buckets that do not fit are split again: of random keys of 4 bytes from about
//              1.5 * 10^8 on (2 MB of cache), of others where many share their upper bits. One or two threads sort whole
//              floats and keys of 4 bytes without values in vectors instead, where they are.
//   Scratch    A second array of keys and of values (none for a double buffer). On CUDA also about 2 KB a tile of
//              2,048 to 16,384 keys (4 KB from 2^30 items on). On the CPU also, if keys are split, 32 KB of counts a
//              thread (8 KB if there is one thread). If items take half of the third-level cache, 4 to 16 MB, also line
//              buffers of 256 KB a thread (512 KB with values), or 5/16 of its second-level cache if that is more. Up to
//              32 keys in place need no scratch on the CPU. Values of more than 12 bytes (on the CPU of more than 32) are
//              sorted by index and moved in the end, which takes 8 bytes of scratch an item more (16 on the CPU).
//   Policy, types, errors: as in onepass/scan.hpp. A bit range outside the key is an onepass::invalid_argument.
//   Source     Adinets and Merrill, "Onesweep" (2022); Blelloch, "Prefix Sums and Their Applications" (1990), 1.3.
#pragma once

#include "../../radix_sort/argsort_dispatch.hpp"
#include "../../radix_sort/sort_dispatch.hpp"
#include "radix_options.hpp"
#include "split.hpp"

namespace onepass {

// ---- radix_sort -----------------------------------------------------------------------------------------------------
// Sorts [first, last) in place by the key's bits [begin_bit, end_bit).
//
//   std::vector<unsigned> x = {30, 10, 20};
//   onepass::radix_sort(x.begin(), x.end());                                    // x = 10 20 30
//   onepass::radix_sort(x.begin(), x.end(), onepass::descending());              // x = 30 20 10
template <class Policy, class Keys, detail::if_policy<Policy, Keys> = 0>
void radix_sort(const Policy& policy, Keys first, Keys last, const radix_options& options = {}) {
  const auto order = detail::natural_order_of<Keys>();
  const index_t n = detail::checked_distance("radix_sort", first, last);
  detail::sort_keys("radix_sort", policy, first, n, nullptr, order, options);
}
template <class Keys, detail::if_not_policy<Keys> = 0>
void radix_sort(Keys first, Keys last, const radix_options& options = {}) {
  onepass::radix_sort(detail::default_policy<Keys>(), first, last, options);
}

// The same for keys with values: values[i] moves with key i.
template <class Policy, class Keys, class Values, detail::if_policy<Policy, Keys> = 0>
void radix_sort_by_key(const Policy& policy, Keys first, Keys last, Values values, const radix_options& options = {}) {
  const auto order = detail::natural_order_of<Keys>();
  const index_t n = detail::checked_distance("radix_sort_by_key", first, last);
  detail::sort_pairs("radix_sort_by_key", policy, first, n, nullptr, values, nullptr, order, options);
}
template <class Keys, class Values, detail::if_not_policy<Keys> = 0>
void radix_sort_by_key(Keys first, Keys last, Values values, const radix_options& options = {}) {
  onepass::radix_sort_by_key(detail::default_policy<Keys, Values>(), first, last, values, options);
}

// ---- structs, by some of their fields -------------------------------------------------------------------------------
// decompose(key) takes a Key& and returns a tuple of references to fields of it. Each field is a key by itself, the
// most significant one comes first. They are the same fields for every key, each once. The host alone calls it, from
// several threads and also with a key of zeros, and it must not change the key. Other fields and padding move along.
// begin_bit and end_bit count through the fields side by side: bit 0 is the lowest bit of the last field.
//   Cost       as of an integer of the struct's bytes (1, 2, 4, 8 or 16), with a launch for each 8 bits of the fields.
//              On CUDA structs of other sizes, or at addresses that are no multiple of their size, are copied to
//              scratch and back. By index are sorted: on CUDA structs of more than 16 bytes; on the CPU those of more
//              than 32 bytes and those that own memory; and structs with more than 128 bits of fields. Then the fields'
//              bits are sorted with an index, at most 128 bits at a time, and keys and values are gathered in the end.
//   Errors     On CUDA a field that is no part of the key, and fields that overlap, are an onepass::invalid_argument.
//              If decompose throws (CPU), the exception reaches the caller; keys and values that are sorted in place
//              may then be lost.
//
//   struct edge { int to; float weight; };
//   std::vector<edge> edges = {{2, 0.5f}, {1, 4}, {2, -1}};
//   onepass::radix_sort(edges.begin(), edges.end(), [](edge& e) { return std::tie(e.to, e.weight); });
//   std::vector<float> weights = {edges[0].weight, edges[1].weight, edges[2].weight};  // weights = 4 -1 0.5
template <class Policy, class Keys, class Decomposer, detail::if_policy<Policy, Keys> = 0,
          detail::if_decomposer<Decomposer, detail::value_of<Keys>> = 0>
void radix_sort(const Policy& policy, Keys first, Keys last, Decomposer decompose, const radix_options& options = {}) {
  const index_t n = detail::checked_distance("radix_sort", first, last);
  detail::sort_keys("radix_sort", policy, first, n, nullptr, decompose, options);
}
template <class Keys, class Decomposer, detail::if_not_policy<Keys> = 0,
          detail::if_decomposer<Decomposer, detail::value_of<Keys>> = 0>
void radix_sort(Keys first, Keys last, Decomposer decompose, const radix_options& options = {}) {
  onepass::radix_sort(detail::default_policy<Keys>(), first, last, decompose, options);
}
template <class Policy, class Keys, class Values, class Decomposer, detail::if_policy<Policy, Keys> = 0,
          detail::if_decomposer<Decomposer, detail::value_of<Keys>> = 0>
void radix_sort_by_key(const Policy& policy, Keys first, Keys last, Values values, Decomposer decompose,
                       const radix_options& options = {}) {
  const index_t n = detail::checked_distance("radix_sort_by_key", first, last);
  detail::sort_pairs("radix_sort_by_key", policy, first, n, nullptr, values, nullptr, decompose, options);
}
template <class Keys, class Values, class Decomposer, detail::if_not_policy<Keys> = 0,
          detail::if_decomposer<Decomposer, detail::value_of<Keys>> = 0>
void radix_sort_by_key(Keys first, Keys last, Values values, Decomposer decompose, const radix_options& options = {}) {
  onepass::radix_sort_by_key(detail::default_policy<Keys, Values>(), first, last, values, decompose, options);
}

// ---- to another range -----------------------------------------------------------------------------------------------
// Copies [first, last) to `out` in order, or keys to `out` and values to `values_out`, and leaves the input as it is.
// No two of the ranges overlap. Each may be any random-access iterator; an input may be computed, and an output may be
// one that can only be written. Returns the end of the output, or of both, and does not wait. With a decomposer as
// above, or without.
//   Cost       that of the sort in place. One copy more if an input is no plain array, if structs are sorted by index,
//              and on the CPU if the items fit a core's cache. A plain output is one of the two arrays that the sort
//              works in.
//
//   std::vector<unsigned> x = {30, 10, 20}, y(3);
//   onepass::radix_sort_copy(x.begin(), x.end(), y.begin());  // y = 10 20 30
template <class Policy, class In, class Out, detail::if_policy<Policy, In> = 0>
Out radix_sort_copy(const Policy& policy, In first, In last, Out out, const radix_options& options = {}) {
  const auto order = detail::natural_order_of<In>();
  return detail::sort_keys_to("radix_sort_copy", policy, first, last, out, order, options);
}
template <class In, class Out, detail::if_not_policy<In> = 0>
Out radix_sort_copy(In first, In last, Out out, const radix_options& options = {}) {
  return onepass::radix_sort_copy(detail::default_policy<In, Out>(), first, last, out, options);
}
template <class Policy, class In, class Out, class Decomposer, detail::if_policy<Policy, In> = 0,
          detail::if_decomposer<Decomposer, detail::value_of<In>> = 0>
Out radix_sort_copy(const Policy& policy, In first, In last, Out out, Decomposer decompose,
                    const radix_options& options = {}) {
  return detail::sort_keys_to("radix_sort_copy", policy, first, last, out, decompose, options);
}
template <class In, class Out, class Decomposer, detail::if_not_policy<In> = 0,
          detail::if_decomposer<Decomposer, detail::value_of<In>> = 0>
Out radix_sort_copy(In first, In last, Out out, Decomposer decompose, const radix_options& options = {}) {
  return onepass::radix_sort_copy(detail::default_policy<In, Out>(), first, last, out, decompose, options);
}

template <class Policy, class In, class Values, class Out, class ValuesOut, detail::if_policy<Policy, In> = 0>
std::pair<Out, ValuesOut> radix_sort_by_key_copy(const Policy& policy, In first, In last, Values values, Out out,
                                                 ValuesOut values_out, const radix_options& options = {}) {
  const auto order = detail::natural_order_of<In>();
  return detail::sort_pairs_to("radix_sort_by_key_copy", policy, first, last, values, out, values_out, order, options);
}
template <class In, class Values, class Out, class ValuesOut, detail::if_not_policy<In> = 0>
std::pair<Out, ValuesOut> radix_sort_by_key_copy(In first, In last, Values values, Out out, ValuesOut values_out,
                                                 const radix_options& options = {}) {
  return onepass::radix_sort_by_key_copy(detail::default_policy<In, Values, Out, ValuesOut>(), first, last, values, out,
                                         values_out, options);
}
template <class Policy, class In, class Values, class Out, class ValuesOut, class Decomposer,
          detail::if_policy<Policy, In> = 0, detail::if_decomposer<Decomposer, detail::value_of<In>> = 0>
std::pair<Out, ValuesOut> radix_sort_by_key_copy(const Policy& policy, In first, In last, Values values, Out out,
                                                 ValuesOut values_out, Decomposer decompose,
                                                 const radix_options& options = {}) {
  return detail::sort_pairs_to("radix_sort_by_key_copy", policy, first, last, values, out, values_out, decompose,
                               options);
}
template <class In, class Values, class Out, class ValuesOut, class Decomposer, detail::if_not_policy<In> = 0,
          detail::if_decomposer<Decomposer, detail::value_of<In>> = 0>
std::pair<Out, ValuesOut> radix_sort_by_key_copy(In first, In last, Values values, Out out, ValuesOut values_out,
                                                 Decomposer decompose, const radix_options& options = {}) {
  return onepass::radix_sort_by_key_copy(detail::default_policy<In, Values, Out, ValuesOut>(), first, last, values, out,
                                         values_out, decompose, options);
}

// ---- the sorted order -----------------------------------------------------------------------------------------------
// Writes the sorted order to `indices`: keys first[indices[0]], first[indices[1]], ... ascend, and equal keys keep
// their order. Leaves the keys as they are. `indices` is an output of n integers, and must not overlap the keys.
// Returns its end, and does not wait. With a decomposer as above, or without.
//   Cost       that of a sort of the keys to another range with indices of 32 bits (of 64 if n is above 2^32; on the
//              CPU of the type of `indices`), which are generated and not read. On CUDA a copy at the end is needed
//              where `indices` is no array of integers of 32 or 64 bits, and for many wide keys with one of 64. Scratch:
//              two arrays of keys, and one or two of indices.
//   Errors     Indices of too few bits for n keys are an onepass::invalid_argument.
//
//   std::vector<float> x = {0.5f, -1, 0.25f};
//   std::vector<int> order(3);
//   onepass::radix_argsort(x.begin(), x.end(), order.begin());  // order = 1 2 0
template <class Policy, class In, class Indices, detail::if_policy<Policy, In> = 0>
Indices radix_argsort(const Policy& policy, In first, In last, Indices indices, const radix_options& options = {}) {
  return detail::sort_indices("radix_argsort", policy, first, last, indices, detail::natural_order_of<In>(), options);
}
template <class In, class Indices, detail::if_not_policy<In> = 0>
Indices radix_argsort(In first, In last, Indices indices, const radix_options& options = {}) {
  return onepass::radix_argsort(detail::default_policy<In, Indices>(), first, last, indices, options);
}
template <class Policy, class In, class Indices, class Decomposer, detail::if_policy<Policy, In> = 0,
          detail::if_decomposer<Decomposer, detail::value_of<In>> = 0>
Indices radix_argsort(const Policy& policy, In first, In last, Indices indices, Decomposer decompose,
                      const radix_options& options = {}) {
  return detail::sort_indices("radix_argsort", policy, first, last, indices, decompose, options);
}
template <class In, class Indices, class Decomposer, detail::if_not_policy<In> = 0,
          detail::if_decomposer<Decomposer, detail::value_of<In>> = 0>
Indices radix_argsort(In first, In last, Indices indices, Decomposer decompose, const radix_options& options = {}) {
  return onepass::radix_argsort(detail::default_policy<In, Indices>(), first, last, indices, decompose, options);
}

// ---- with the caller's second buffer --------------------------------------------------------------------------------
// Two arrays of n items each that do not overlap, and do not overlap those of the values. The sort reads current() and
// leaves its result in current(); the content of alternate() is unspecified afterwards. With a decomposer as above, or
// without.
//
//   std::vector<unsigned> x = {30, 10, 20}, other(3);
//   onepass::radix_sort(onepass::double_buffer<unsigned>(x.data(), other.data()), 3);  // x = 10 20 30
template <class T>
class double_buffer {
 public:
  double_buffer(T* current, T* alternate) : current_(current), alternate_(alternate) {}
  T* current() const { return current_; }
  T* alternate() const { return alternate_; }

 private:
  T* current_;
  T* alternate_;
};

namespace detail {
template <class T>
void check_double_buffer(const char* call, const char* name, const double_buffer<T>& b, index_t n) {
  if (n < 0) throw invalid_argument(call, "n is negative");
  check_not_null(call, name, b.current(), n);
  check_not_null(call, name, b.alternate(), n);
  check_overlap(call, name, b.current(), n, "its alternate", b.alternate(), n, false);
}
template <class K, class V>
void check_double_buffers(const char* call, const double_buffer<K>& keys, const double_buffer<V>& values, index_t n) {
  check_double_buffer(call, "keys", keys, n);
  check_double_buffer(call, "values", values, n);
  for (K* k : {keys.current(), keys.alternate()})
    for (V* v : {values.current(), values.alternate()}) check_overlap(call, "the keys", k, n, "values", v, n, false);
}
}  // namespace detail

template <class Policy, class K, detail::if_policy<Policy> = 0>
void radix_sort(const Policy& policy, const double_buffer<K>& keys, index_t n, const radix_options& options = {}) {
  detail::check_double_buffer("radix_sort", "keys", keys, n);
  detail::sort_keys("radix_sort", policy, keys.current(), n, keys.alternate(), detail::natural_order_of<K*>(), options);
}
template <class K>
void radix_sort(const double_buffer<K>& keys, index_t n, const radix_options& options = {}) {
  onepass::radix_sort(detail::default_policy<K*>(), keys, n, options);
}
template <class Policy, class K, class Decomposer, detail::if_policy<Policy> = 0,
          detail::if_decomposer<Decomposer, K> = 0>
void radix_sort(const Policy& policy, const double_buffer<K>& keys, index_t n, Decomposer decompose,
                const radix_options& options = {}) {
  detail::check_double_buffer("radix_sort", "keys", keys, n);
  detail::sort_keys("radix_sort", policy, keys.current(), n, keys.alternate(), decompose, options);
}
template <class K, class Decomposer, detail::if_decomposer<Decomposer, K> = 0>
void radix_sort(const double_buffer<K>& keys, index_t n, Decomposer decompose, const radix_options& options = {}) {
  onepass::radix_sort(detail::default_policy<K*>(), keys, n, decompose, options);
}

template <class Policy, class K, class V, detail::if_policy<Policy> = 0>
void radix_sort_by_key(const Policy& policy, const double_buffer<K>& keys, const double_buffer<V>& values, index_t n,
                       const radix_options& options = {}) {
  detail::check_double_buffers("radix_sort_by_key", keys, values, n);
  detail::sort_pairs("radix_sort_by_key", policy, keys.current(), n, keys.alternate(), values.current(),
                     values.alternate(), detail::natural_order_of<K*>(), options);
}
template <class K, class V>
void radix_sort_by_key(const double_buffer<K>& keys, const double_buffer<V>& values, index_t n,
                       const radix_options& options = {}) {
  onepass::radix_sort_by_key(detail::default_policy<K*, V*>(), keys, values, n, options);
}
template <class Policy, class K, class V, class Decomposer, detail::if_policy<Policy> = 0,
          detail::if_decomposer<Decomposer, K> = 0>
void radix_sort_by_key(const Policy& policy, const double_buffer<K>& keys, const double_buffer<V>& values, index_t n,
                       Decomposer decompose, const radix_options& options = {}) {
  detail::check_double_buffers("radix_sort_by_key", keys, values, n);
  detail::sort_pairs("radix_sort_by_key", policy, keys.current(), n, keys.alternate(), values.current(),
                     values.alternate(), decompose, options);
}
template <class K, class V, class Decomposer, detail::if_decomposer<Decomposer, K> = 0>
void radix_sort_by_key(const double_buffer<K>& keys, const double_buffer<V>& values, index_t n, Decomposer decompose,
                       const radix_options& options = {}) {
  onepass::radix_sort_by_key(detail::default_policy<K*, V*>(), keys, values, n, decompose, options);
}

}  // namespace onepass
