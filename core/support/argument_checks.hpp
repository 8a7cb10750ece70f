// SPDX-License-Identifier: Apache-2.0
// Checks of a call's arguments. Each throws an invalid_argument that names the call and the argument. Overlap is found
// by addresses, so only between ranges whose memory is known.
#pragma once

#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <string>

#include "iterator.hpp"

namespace onepass::detail {

// These throw. They are compiled once, and not into every check of every call.
[[noreturn, gnu::noinline, gnu::cold]] inline void refuse(const char* call, const char* what) {
  throw invalid_argument(call, what);
}
[[noreturn, gnu::noinline, gnu::cold]] inline void refuse(const char* call, const char* argument, const char* what,
                                                          const char* other = "") {
  throw invalid_argument(call, std::string(argument) + what + other);
}

template <class It>
index_t checked_distance(const char* call, It first, It last) {
  const auto n = static_cast<index_t>(last - first);
  if (n < 0) refuse(call, "last is before first");
  if (n > std::numeric_limits<index_t>::max() / 2) refuse(call, "more items than one call can take");
  return n;
}

template <class It>
bool is_null(It it) {
  if constexpr (is_contiguous<It>) return thrust::raw_pointer_cast(unwrap(it)) == nullptr;
  else return false;
}
template <class It>
void check_not_null(const char* call, const char* argument, It it, index_t n) {
  if (n > 0 && detail::is_null(it)) refuse(call, argument, " is null and the range is not empty");
}

struct bytes_of_range {
  std::uintptr_t begin, end;
};
template <class It>
bytes_of_range byte_range(It it, index_t n) {
  const auto begin = reinterpret_cast<std::uintptr_t>(unwrap(it));
  return {begin, begin + static_cast<std::uintptr_t>(n) * sizeof(value_of<It>)};
}

// The memory of a range. If nothing is known about the iterator, this is all memory.
template <class It>
bytes_of_range memory_of(It it, index_t n) {
  if constexpr (is_contiguous<It>) return detail::byte_range(it, n);
  else return {0, ~std::uintptr_t{0}};
}
// A reversed array. This computes with addresses, as the array may have room for fewer than n items, or for none.
template <class It>
bytes_of_range memory_of(thrust::reverse_iterator<It> it, index_t n) {
  if constexpr (is_contiguous<It>) {
    const std::uintptr_t end = detail::byte_range(it.base(), 0).begin;
    const std::uintptr_t bytes = static_cast<std::uintptr_t>(n) * sizeof(value_of<It>);
    return {end > bytes ? end - bytes : 0, end};
  } else {
    return {0, ~std::uintptr_t{0}};
  }
}
template <class System>
bytes_of_range memory_of(thrust::discard_iterator<System>, index_t) {
  return {0, 0};
}

// Whether two ranges may have memory in common.
template <class A, class B>
bool may_overlap(A a, index_t a_size, B b, index_t b_size) {
  if (a_size == 0 || b_size == 0) return false;
  const bytes_of_range x = memory_of(a, a_size), y = memory_of(b, b_size);
  return x.begin < y.end && y.begin < x.end;
}

// Arrays, and zips that may be of arrays, from their ends.
template <class It>
constexpr bool may_be_arrays = is_contiguous<It>;
template <class Columns>
constexpr bool may_be_arrays<thrust::zip_iterator<Columns>> = true;
template <class It>
constexpr bool is_reversed = false;
template <class It>
constexpr bool is_reversed<thrust::reverse_iterator<It>> = may_be_arrays<It>;
template <class It>
constexpr bool is_reversed<std::reverse_iterator<It>> = may_be_arrays<It>;

// What can be compared with any iterator of its type: libstdc++'s checked iterators refuse those of another container, but
// not what they wrap.
template <class It>
const It& unchecked(const It& it) {
  return it;
}
#if defined(__GLIBCXX__)
template <class It, class Sequence, class Category>
It unchecked(const __gnu_debug::_Safe_iterator<It, Sequence, Category>& it) {
  return it.base();
}
#endif

// Whether two iterators are known to refer to the same item at each distance: those of a deque that are equal, also
// reversed, and others whose bytes are equal. Being equal does not show it, as permutation and transform iterators
// compare positions alone.
template <class It>
bool same_iterator(const It& a, const It& b);
template <class It>
bool same_iterator(const std::reverse_iterator<It>& a, const std::reverse_iterator<It>& b) {
  return detail::same_iterator(a.base(), b.base());
}
template <class It>
bool same_iterator(const thrust::reverse_iterator<It>& a, const thrust::reverse_iterator<It>& b) {
  return detail::same_iterator(a.base(), b.base());
}
template <class It>
bool same_iterator(const It& a, const It& b) {
  using deque = std::deque<std::remove_const_t<value_of<It>>>;
  if constexpr (std::is_same_v<It, typename deque::iterator> || std::is_same_v<It, typename deque::const_iterator>) {
    return unchecked(a) == unchecked(b);
  } else if constexpr (std::is_trivially_copyable_v<It>) {
    return std::memcmp(std::addressof(a), std::addressof(b), sizeof(It)) == 0;
  } else {
    return false;
  }
}

// Whether it is known that item i of `a` and item i of `b` are the same object for each i. With `may_look`, there is a
// first item and the host can access it.
template <bool may_look, class... A, class... B>
bool is_in_place(thrust::zip_iterator<thrust::tuple<A...>> a, thrust::zip_iterator<thrust::tuple<B...>> b);
template <bool may_look, class A, class B>
bool is_in_place(A a, B b) {
  if constexpr (!std::is_same_v<value_of<A>, value_of<B>>) {
    return false;
  } else if constexpr (is_contiguous<A> && is_contiguous<B>) {
    return unwrap(a) == unwrap(b);
  } else if constexpr (is_reversed<A> && is_reversed<B>) {
    return is_in_place<false>(a.base(), b.base());  // no items are there, so nothing is looked at
  } else if constexpr (may_look && std::is_convertible_v<B, A> && std::is_lvalue_reference_v<decltype(*a)> &&
                       std::is_lvalue_reference_v<decltype(*b)>) {
    return same_iterator(a, static_cast<A>(b)) && std::addressof(*a) == std::addressof(*b);
  } else {
    return false;
  }
}
template <bool may_look, class A, class B, std::size_t... i>
bool are_in_place(const A& a, const B& b, std::index_sequence<i...>) {
  return (is_in_place<may_look>(thrust::get<i>(a), thrust::get<i>(b)) && ...);
}
template <bool may_look, class... A, class... B>
bool is_in_place(thrust::zip_iterator<thrust::tuple<A...>> a, thrust::zip_iterator<thrust::tuple<B...>> b) {
  if constexpr (sizeof...(A) != sizeof...(B)) return false;
  else return are_in_place<may_look>(a.get_iterator_tuple(), b.get_iterator_tuple(), std::index_sequence_for<A...>());
}

// The address where an array begins; 0 if that is not known.
template <class It>
std::uintptr_t address_of(It it) {
  if constexpr (is_contiguous<It>) return detail::byte_range(it, 0).begin;
  else return 0;
}
// Whether pointers show that two ranges begin at one address.
template <class A, class B>
bool same_start(A a, B b) {
  return detail::address_of(a) != 0 && detail::address_of(a) == detail::address_of(b);
}

// Throws if an output of unknown size begins inside the n items from `a` on, so that its first item would overwrite one
// of them. An output that begins in front of them passes, as it may end before they begin. With `same_start_allowed`,
// an output that begins where they begin passes, if its items are not larger.
template <class A, class B>
void check_begin(const char* call, const char* a_name, A a, index_t n, const char* b_name, B b,
                 bool same_start_allowed) {
  if constexpr (is_contiguous<A> && is_contiguous<B>) {
    const bytes_of_range range = detail::byte_range(a, n);
    const std::uintptr_t begin = detail::byte_range(b, 0).begin;
    if (begin < range.begin || begin >= range.end) return;
    if (sizeof(value_of<B>) <= sizeof(value_of<A>) && same_start_allowed && begin == range.begin) return;
    refuse(call, b_name, " overlaps ", a_name);
  }
}

// Throws if pointers show that two ranges overlap. With `same_start_allowed`, ranges that begin at one address and have
// items of one size pass: the call works in place.
template <class A, class B>
void check_overlap(const char* call, const char* a_name, A a, index_t a_size, const char* b_name, B b, index_t b_size,
                   bool same_start_allowed) {
  if constexpr (is_contiguous<A> && is_contiguous<B>) {
    if (!may_overlap(a, a_size, b, b_size)) return;
    const bool same_start = detail::byte_range(a, a_size).begin == detail::byte_range(b, b_size).begin;
    if (sizeof(value_of<A>) == sizeof(value_of<B>) && same_start_allowed && same_start) return;
    refuse(call, b_name, " overlaps ", a_name);
  }
}

// Keys and values, and where a call copies them to, n items each. Outputs overlap neither inputs nor each other.
template <class In, class Values, class Out, class ValuesOut>
void check_copied_pairs(const char* call, In first, Values values, index_t n, Out out, ValuesOut values_out) {
  check_not_null(call, "first", first, n);
  check_not_null(call, "values", values, n);
  check_not_null(call, "out", out, n);
  check_not_null(call, "values_out", values_out, n);
  check_overlap(call, "[first, last)", first, n, "out", out, n, false);
  check_overlap(call, "[first, last)", first, n, "values_out", values_out, n, false);
  check_overlap(call, "values", values, n, "out", out, n, false);
  check_overlap(call, "values", values, n, "values_out", values_out, n, false);
  check_overlap(call, "out", out, n, "values_out", values_out, n, false);
}

}  // namespace onepass::detail
