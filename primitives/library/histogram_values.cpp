// SPDX-License-Identifier: Apache-2.0
// The library's histograms of integers, by value and in bins of one width.
#include <onepass/histogram.hpp>

#include "library_dispatch.hpp"

namespace onepass::library::detail {

namespace {

// Calls f(a null pointer to the type of items): here the sign counts, of narrow integers, too.
template <class F>
void with_integer(type kind, F f) {
  switch (kind) {
    case type::int32: return f(static_cast<std::int32_t*>(nullptr));
    case type::uint32: return f(static_cast<std::uint32_t*>(nullptr));
    case type::int64: return f(static_cast<std::int64_t*>(nullptr));
    case type::uint64: return f(static_cast<std::uint64_t*>(nullptr));
    default: return with_short(kind, f);
  }
}

template <class Bins>
void count(const execution& where, const_items first, std::size_t size, const Bins& bins, std::int64_t* counts) {
  constexpr auto call = "histogram";
  const index_t n = checked_items(call, where, size);
  check_pointer(call, "first", first.data, size);
  with_policy(call, where, [&](const auto& policy) {
    with_integer(first.kind, [&](auto* tag) {
      const auto* in = as(tag, first.data);
      onepass::histogram(policy, in, in + n, bins, counts);
    });
  });
}

}  // namespace

void histogram(const execution& where, const_items first, std::size_t n, const value_bins& bins, std::int64_t* counts) {
  count(where, first, n, onepass::value_bins(bins.lower, bins.upper), counts);
}

void histogram(const execution& where, const_items first, std::size_t n, const even_integer_bins& bins,
               std::int64_t* counts) {
  count(where, first, n, onepass::even_bins(bins.lower, bins.upper, bins.count), counts);
}

}  // namespace onepass::library::detail
