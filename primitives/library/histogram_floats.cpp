// SPDX-License-Identifier: Apache-2.0
// The library's histograms of floats, and those of integers of 64 bits between edges.
#include <onepass/histogram.hpp>

#include "library_dispatch.hpp"

namespace onepass::library::detail {

namespace {

// Calls f(a null pointer to the type of items): floats, or integers of 64 bits, whose sign counts.
template <class F>
void with_float_or_wide(type kind, F f) {
  if (kind == type::int64) return f(static_cast<std::int64_t*>(nullptr));
  if (kind == type::uint64) return f(static_cast<std::uint64_t*>(nullptr));
  with_float(kind, f);
}

// with_type_of(f) calls f(a null pointer to the type of items); bins_of(such a pointer) returns the bins.
template <class With, class Bins>
void count(const execution& where, const_items first, std::size_t size, std::int64_t* counts, With with_type_of,
           Bins bins_of) {
  constexpr auto call = "histogram";
  const index_t n = checked_items(call, where, size);
  check_pointer(call, "first", first.data, size);
  with_policy(call, where, [&](const auto& policy) {
    with_type_of([&](auto* tag) {
      const auto* in = as(tag, first.data);
      onepass::histogram(policy, in, in + n, bins_of(tag), counts);
    });
  });
}

}  // namespace

void histogram(const execution& where, const_items first, std::size_t n, const even_bins& bins, std::int64_t* counts) {
  count(
      where, first, n, counts, [&](auto f) { with_float(first.kind, f); },
      [&](auto*) { return onepass::even_bins(bins.lower, bins.upper, bins.count); });
}

void histogram(const execution& where, const_items first, std::size_t n, const_items edges, std::size_t edge_count,
               std::int64_t* counts) {
  const index_t number = checked_size("histogram", edge_count);
  check_pointer("histogram", "edges", edges.data, edge_count);
  count(
      where, first, n, counts, [&](auto f) { with_float_or_wide(first.kind, f); },
      [&](auto* tag) {
        const auto* begin = as(tag, edges.data);
        return onepass::edge_bins(begin, begin + number);
      });
}

}  // namespace onepass::library::detail
