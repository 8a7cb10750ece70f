// SPDX-License-Identifier: Apache-2.0
// onepass/unique.hpp: unique and its variants keep the first item of every run of equal items; unique_count
// counts these runs.
// onepass/compact.hpp says what all calls share: ranges, order, cost, errors, and the forms with _async.
#pragma once

#include <thrust/iterator/discard_iterator.h>
#include <thrust/pair.h>

#include "../../compact/unique_by_key.hpp"

namespace onepass {

// ---- items ----------------------------------------------------------------------------------------------------------
// Keeps the first item of every run of equal items, in place. `equal` must be an equivalence. Each item is compared
// with the one before it. Returns the end of the kept items. The items behind it are unspecified.
//
//   std::vector<int> x = {3, 3, 1, 1, 3}, y(3);
//   onepass::unique_copy(x.begin(), x.end(), y.begin());  // y = 3 1 3
template <class Policy, class It, class Equal, detail::if_policy<Policy> = 0>
It unique(const Policy& policy, It first, It last, Equal equal) {
  return first + detail::keep_in_place("unique", policy, first, last, detail::by_first_of_run(first, equal), nullptr);
}
template <class It, class Equal, detail::if_not_policy<It> = 0>
It unique(It first, It last, Equal equal) {
  return onepass::unique(detail::default_policy<It>(), first, last, equal);
}
template <class Policy, class It, class Equal, detail::if_policy<Policy> = 0>
void unique_async(const Policy& policy, It first, It last, Equal equal, index_t* count) {
  detail::keep_in_place("unique_async", policy, first, last, detail::by_first_of_run(first, equal),
                        detail::checked_count("unique_async", count));
}
template <class It, class Equal, detail::if_not_policy<It> = 0>
void unique_async(It first, It last, Equal equal, index_t* count) {
  onepass::unique_async(detail::default_policy<It>(), first, last, equal, count);
}

// Copies the first item of every run of equal items to out. Returns the end of the copies.
template <class Policy, class In, class Out, class Equal, detail::if_policy<Policy> = 0>
Out unique_copy(const Policy& policy, In first, In last, Out out, Equal equal) {
  return out +
         detail::copy_kept("unique_copy", policy, first, last, detail::by_first_of_run(first, equal), out, nullptr);
}
template <class In, class Out, class Equal, detail::if_not_policy<In> = 0>
Out unique_copy(In first, In last, Out out, Equal equal) {
  return onepass::unique_copy(detail::default_policy<In, Out>(), first, last, out, equal);
}
template <class Policy, class In, class Out, class Equal, detail::if_policy<Policy> = 0>
void unique_copy_async(const Policy& policy, In first, In last, Out out, Equal equal, index_t* count) {
  detail::copy_kept("unique_copy_async", policy, first, last, detail::by_first_of_run(first, equal), out,
                    detail::checked_count("unique_copy_async", count));
}
template <class In, class Out, class Equal, detail::if_not_policy<In> = 0>
void unique_copy_async(In first, In last, Out out, Equal equal, index_t* count) {
  onepass::unique_copy_async(detail::default_policy<In, Out>(), first, last, out, equal, count);
}

// The same, where items are compared by ==.
template <class Policy, class It, detail::if_policy<Policy> = 0>
It unique(const Policy& policy, It first, It last) {
  return first + detail::keep_in_place("unique", policy, first, last,
                                       detail::by_first_of_run(first, detail::equal_to{}), nullptr);
}
template <class It, detail::if_not_policy<It> = 0>
It unique(It first, It last) {
  return onepass::unique(detail::default_policy<It>(), first, last);
}
template <class Policy, class It, detail::if_policy<Policy> = 0>
void unique_async(const Policy& policy, It first, It last, index_t* count) {
  detail::keep_in_place("unique_async", policy, first, last, detail::by_first_of_run(first, detail::equal_to{}),
                        detail::checked_count("unique_async", count));
}
template <class It, detail::if_not_policy<It> = 0>
void unique_async(It first, It last, index_t* count) {
  onepass::unique_async(detail::default_policy<It>(), first, last, count);
}

// The same, where items are compared by ==.
template <class Policy, class In, class Out, detail::if_policy<Policy> = 0>
Out unique_copy(const Policy& policy, In first, In last, Out out) {
  return out + detail::copy_kept("unique_copy", policy, first, last, detail::by_first_of_run(first, detail::equal_to{}),
                                 out, nullptr);
}
template <class In, class Out, detail::if_not_policy<In> = 0>
Out unique_copy(In first, In last, Out out) {
  return onepass::unique_copy(detail::default_policy<In, Out>(), first, last, out);
}
template <class Policy, class In, class Out, detail::if_policy<Policy> = 0>
void unique_copy_async(const Policy& policy, In first, In last, Out out, index_t* count) {
  detail::copy_kept("unique_copy_async", policy, first, last, detail::by_first_of_run(first, detail::equal_to{}), out,
                    detail::checked_count("unique_copy_async", count));
}
template <class In, class Out, detail::if_not_policy<In> = 0>
void unique_copy_async(In first, In last, Out out, index_t* count) {
  onepass::unique_copy_async(detail::default_policy<In, Out>(), first, last, out, count);
}

// ---- how many -------------------------------------------------------------------------------------------------------
// Returns the number of runs of equal items, which is how many items unique keeps. Nothing is stored; the items are read
// once. unique_count_async writes the number to `count`, and does not wait.
//
//   std::vector<int> x = {3, 3, 1, 1, 3};
//   const auto runs = onepass::unique_count(x.begin(), x.end());  // runs = 3
template <class Policy, class It, class Equal, detail::if_policy<Policy> = 0>
index_t unique_count(const Policy& policy, It first, It last, Equal equal) {
  return detail::copy_kept("unique_count", policy, first, last, detail::by_first_of_run(first, equal),
                           thrust::make_discard_iterator(), nullptr);
}
template <class It, class Equal, detail::if_not_policy<It> = 0>
index_t unique_count(It first, It last, Equal equal) {
  return onepass::unique_count(detail::default_policy<It>(), first, last, equal);
}
template <class Policy, class It, detail::if_policy<Policy> = 0>
index_t unique_count(const Policy& policy, It first, It last) {
  return onepass::unique_count(policy, first, last, detail::equal_to{});
}
template <class It, detail::if_not_policy<It> = 0>
index_t unique_count(It first, It last) {
  return onepass::unique_count(detail::default_policy<It>(), first, last);
}
template <class Policy, class It, class Equal, detail::if_policy<Policy> = 0>
void unique_count_async(const Policy& policy, It first, It last, Equal equal, index_t* count) {
  detail::copy_kept("unique_count_async", policy, first, last, detail::by_first_of_run(first, equal),
                    thrust::make_discard_iterator(), detail::checked_count("unique_count_async", count));
}
template <class It, class Equal, detail::if_not_policy<It> = 0>
void unique_count_async(It first, It last, Equal equal, index_t* count) {
  onepass::unique_count_async(detail::default_policy<It>(), first, last, equal, count);
}
template <class Policy, class It, detail::if_policy<Policy> = 0>
void unique_count_async(const Policy& policy, It first, It last, index_t* count) {
  onepass::unique_count_async(policy, first, last, detail::equal_to{}, count);
}
template <class It, detail::if_not_policy<It> = 0>
void unique_count_async(It first, It last, index_t* count) {
  onepass::unique_count_async(detail::default_policy<It>(), first, last, count);
}

// ---- keys with values -----------------------------------------------------------------------------------------------
// Keeps the first key of every run of equal keys, and its value, in place. Keys and values must not overlap. Returns
// the ends of both. What is behind them is unspecified.
template <class Policy, class Keys, class Values, class Equal, detail::if_policy<Policy> = 0>
thrust::pair<Keys, Values> unique_by_key(const Policy& policy, Keys first, Keys last, Values values, Equal equal) {
  const index_t kept = detail::keep_first_pairs_in_place("unique_by_key", policy, first, last, values, equal, nullptr);
  return {first + kept, values + kept};
}
template <class Keys, class Values, class Equal, detail::if_not_policy<Keys> = 0>
thrust::pair<Keys, Values> unique_by_key(Keys first, Keys last, Values values, Equal equal) {
  return onepass::unique_by_key(detail::default_policy<Keys, Values>(), first, last, values, equal);
}
template <class Policy, class Keys, class Values, class Equal, detail::if_policy<Policy> = 0>
void unique_by_key_async(const Policy& policy, Keys first, Keys last, Values values, Equal equal, index_t* count) {
  detail::keep_first_pairs_in_place("unique_by_key_async", policy, first, last, values, equal,
                                    detail::checked_count("unique_by_key_async", count));
}
template <class Keys, class Values, class Equal, detail::if_not_policy<Keys> = 0>
void unique_by_key_async(Keys first, Keys last, Values values, Equal equal, index_t* count) {
  onepass::unique_by_key_async(detail::default_policy<Keys, Values>(), first, last, values, equal, count);
}

// Copies the first key of every run of equal keys, and its value. out_keys may begin where the keys begin (on the CPU,
// keys that are not trivially copyable only together with their values), and out_values where the values begin; the two
// must not overlap each other. Returns the ends of the copies.
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Equal,
          detail::if_policy<Policy> = 0>
thrust::pair<KeysOut, ValuesOut> unique_by_key_copy(const Policy& policy, Keys first, Keys last, Values values,
                                                    KeysOut out_keys, ValuesOut out_values, Equal equal) {
  const index_t kept =
      detail::copy_first_pairs("unique_by_key_copy", policy, first, last, values, out_keys, out_values, equal, nullptr);
  return {out_keys + kept, out_values + kept};
}
template <class Keys, class Values, class KeysOut, class ValuesOut, class Equal, detail::if_not_policy<Keys> = 0>
thrust::pair<KeysOut, ValuesOut> unique_by_key_copy(Keys first, Keys last, Values values, KeysOut out_keys,
                                                    ValuesOut out_values, Equal equal) {
  return onepass::unique_by_key_copy(detail::default_policy<Keys, Values, KeysOut, ValuesOut>(), first, last, values,
                                     out_keys, out_values, equal);
}
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Equal,
          detail::if_policy<Policy> = 0>
void unique_by_key_copy_async(const Policy& policy, Keys first, Keys last, Values values, KeysOut out_keys,
                              ValuesOut out_values, Equal equal, index_t* count) {
  detail::copy_first_pairs("unique_by_key_copy_async", policy, first, last, values, out_keys, out_values, equal,
                           detail::checked_count("unique_by_key_copy_async", count));
}
template <class Keys, class Values, class KeysOut, class ValuesOut, class Equal, detail::if_not_policy<Keys> = 0>
void unique_by_key_copy_async(Keys first, Keys last, Values values, KeysOut out_keys, ValuesOut out_values, Equal equal,
                              index_t* count) {
  onepass::unique_by_key_copy_async(detail::default_policy<Keys, Values, KeysOut, ValuesOut>(), first, last, values,
                                    out_keys, out_values, equal, count);
}

// The same, where items are compared by ==.
template <class Policy, class Keys, class Values, detail::if_policy<Policy> = 0>
thrust::pair<Keys, Values> unique_by_key(const Policy& policy, Keys first, Keys last, Values values) {
  const index_t kept =
      detail::keep_first_pairs_in_place("unique_by_key", policy, first, last, values, detail::equal_to{}, nullptr);
  return {first + kept, values + kept};
}
template <class Keys, class Values, detail::if_not_policy<Keys> = 0>
thrust::pair<Keys, Values> unique_by_key(Keys first, Keys last, Values values) {
  return onepass::unique_by_key(detail::default_policy<Keys, Values>(), first, last, values);
}
template <class Policy, class Keys, class Values, detail::if_policy<Policy> = 0>
void unique_by_key_async(const Policy& policy, Keys first, Keys last, Values values, index_t* count) {
  detail::keep_first_pairs_in_place("unique_by_key_async", policy, first, last, values, detail::equal_to{},
                                    detail::checked_count("unique_by_key_async", count));
}
template <class Keys, class Values, detail::if_not_policy<Keys> = 0>
void unique_by_key_async(Keys first, Keys last, Values values, index_t* count) {
  onepass::unique_by_key_async(detail::default_policy<Keys, Values>(), first, last, values, count);
}

// The same, where items are compared by ==.
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, detail::if_policy<Policy> = 0>
thrust::pair<KeysOut, ValuesOut> unique_by_key_copy(const Policy& policy, Keys first, Keys last, Values values,
                                                    KeysOut out_keys, ValuesOut out_values) {
  const index_t kept = detail::copy_first_pairs("unique_by_key_copy", policy, first, last, values, out_keys, out_values,
                                                detail::equal_to{}, nullptr);
  return {out_keys + kept, out_values + kept};
}
template <class Keys, class Values, class KeysOut, class ValuesOut, detail::if_not_policy<Keys> = 0>
thrust::pair<KeysOut, ValuesOut> unique_by_key_copy(Keys first, Keys last, Values values, KeysOut out_keys,
                                                    ValuesOut out_values) {
  return onepass::unique_by_key_copy(detail::default_policy<Keys, Values, KeysOut, ValuesOut>(), first, last, values,
                                     out_keys, out_values);
}
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, detail::if_policy<Policy> = 0>
void unique_by_key_copy_async(const Policy& policy, Keys first, Keys last, Values values, KeysOut out_keys,
                              ValuesOut out_values, index_t* count) {
  detail::copy_first_pairs("unique_by_key_copy_async", policy, first, last, values, out_keys, out_values,
                           detail::equal_to{}, detail::checked_count("unique_by_key_copy_async", count));
}
template <class Keys, class Values, class KeysOut, class ValuesOut, detail::if_not_policy<Keys> = 0>
void unique_by_key_copy_async(Keys first, Keys last, Values values, KeysOut out_keys, ValuesOut out_values,
                              index_t* count) {
  onepass::unique_by_key_copy_async(detail::default_policy<Keys, Values, KeysOut, ValuesOut>(), first, last, values,
                                    out_keys, out_values, count);
}

}  // namespace onepass
