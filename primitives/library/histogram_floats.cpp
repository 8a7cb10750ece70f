// SPDX-License-Identifier: Apache-2.0
// The library's histograms of floats.
#include <onepass/histogram.hpp>

#include "library_dispatch.hpp"

namespace onepass::library::detail {

namespace {

// bins_of(a null pointer to the type of items) returns the bins.
template <class Bins>
void count_floats(const execution& where, const_items first, std::size_t size, std::int64_t* counts, Bins bins_of) {
  constexpr auto call = "histogram";
  const index_t n = checked_size(call, size);
  check_pointer(call, "first", first.data, size);
  with_policy(call, where, [&](const auto& policy) {
    with_float(first.kind, [&](auto* tag) {
      const auto* in = as(tag, first.data);
      onepass::histogram(policy, in, in + n, bins_of(tag), counts);
    });
  });
}

}  // namespace

void histogram(const execution& where, const_items first, std::size_t n, const even_bins& bins, std::int64_t* counts) {
  count_floats(where, first, n, counts, [&](auto*) { return onepass::even_bins(bins.lower, bins.upper, bins.count); });
}

void histogram(const execution& where, const_items first, std::size_t n, const_items edges, std::size_t edge_count,
               std::int64_t* counts) {
  const index_t number = checked_size("histogram", edge_count);
  check_pointer("histogram", "edges", edges.data, edge_count);
  count_floats(where, first, n, counts, [&](auto* tag) {
    const auto* begin = as(tag, edges.data);
    return onepass::edge_bins(begin, begin + number);
  });
}

}  // namespace onepass::library::detail
