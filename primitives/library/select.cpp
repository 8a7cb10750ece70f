// SPDX-License-Identifier: Apache-2.0
// The library's selections, and their kernels for keys of 4 bytes.
#include "library_select.hpp"

namespace onepass::library::detail {

namespace {

using onepass::detail::selection;

// On the CPU: of no more items than a size in memory says. Then there may be fewer results, or (k = 0) none of that rank.
selection_call within_size(const execution& where, selection_call of) {
  const index_t n = items_of(where, of.n);
  if (n < of.n && of.by.kind == segments::are::all_items && of.k <= of.n) {
    of.k = of.mode == selection::nth && of.k > n ? 0 : std::min(of.k, n);
  }
  of.n = n;
  return of;
}

void select(const execution& where, const selection_call& all) {
  const selection_call of = within_size(where, all);
  if (of.mode == selection::nth && of.k == 0) return;
  switch (of.keys.kind) {
    case type::int32: return select_keys<std::int32_t>(where, of);
    case type::uint32: return select_keys<std::uint32_t>(where, of);
    case type::float32: return select_keys<float>(where, of);
    case type::int8:
    case type::uint8:
    case type::int16:
    case type::uint16: return select_narrow(where, of);
    case type::float16:
    case type::bfloat16: return select_half(where, of);
    default: return select_wide(where, of);
  }
}

// How many results there is room for.
index_t result_count(const char* call, const segments& by, index_t n, index_t k) {
  index_t count = 1;
  if (by.kind == segments::are::offsets) count = std::max<index_t>(static_cast<index_t>(by.count), 1) - 1;
  if (by.kind == segments::are::rows) count = onepass::detail::row_count({std::max<index_t>(by.length, 1)}, n);
  constexpr index_t most = std::numeric_limits<index_t>::max() / 16;
  if (k != 0 && count > most / k) throw invalid_argument(call, "more results than one call can have");
  return count * k;
}

selection_call call_of(const char* call, const_items keys, std::size_t size, const segments& by, std::size_t k,
                       items out, selection mode, bool smallest) {
  const index_t n = checked_size(call, size);
  (void)checked_size(call, by.count);
  check_pointer(call, "first", keys.data, size);
  check_pointer(call, "offsets", by.first, by.count);
  // No segment is as long as the largest number: so many are refused, or are all items of a segment.
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<index_t>::max());
  const beside_key nothing{nullptr, nullptr, 0, by.first, by.length, 1};
  return {call, keys, n, by, static_cast<index_t>(std::min(k, most)), out, nothing, mode, smallest};
}

// Throws if what is written beside the keys overlaps anything. `values`: null if it is indices.
void check_beside(const selection_call& of, const char* name, const void* values, items out) {
  const index_t size = result_count(of.name, of.by, of.n, of.k), value_bytes = bytes_of(out.kind);
  check_pointer(of.name, name, out.data, static_cast<std::size_t>(size));
  const auto apart = [&](const char* what, const void* data, index_t bytes, const char* written, items to) {
    onepass::detail::check_overlap(of.name, what, static_cast<const char*>(data), bytes, written,
                                   static_cast<const char*>(to.data), size * bytes_of(to.kind), false);
  };
  apart("first", of.keys.data, of.n * bytes_of(of.keys.kind), name, out);
  apart("the offsets", of.by.first, static_cast<index_t>(of.by.count) * 8, name, out);
  apart("out", of.out.data, size * bytes_of(of.out.kind), name, out);
  if (values == nullptr) return;
  apart("values", values, of.n * value_bytes, "out", of.out);
  apart("values", values, of.n * value_bytes, name, out);
}

selection mode_of(const top_k_options& options) {
  return options.input_order ? selection::input_order : selection::sorted;
}

}  // namespace

void top_k(const execution& where, const_items keys, std::size_t n, const segments& by, std::size_t k, items out,
           const top_k_options& options) {
  select(where, call_of("top_k", keys, n, by, k, out, mode_of(options), options.smallest));
}

void top_k_indices(const execution& where, const_items keys, std::size_t n, const segments& by, std::size_t k,
                   items out, items indices, const top_k_options& options) {
  selection_call of = call_of("top_k", keys, n, by, k, out, mode_of(options), options.smallest);
  check_indices("top_k", indices.kind, by.kind == segments::are::rows ? std::min(of.n, by.length) : of.n);
  check_beside(of, "indices", nullptr, indices);
  of.beside = {nullptr, indices.data, bytes_of(indices.kind), by.first, by.length, std::max<index_t>(of.k, 1)};
  select(where, of);
}

void top_k_by_key(const execution& where, const_items keys, std::size_t n, const_items values, const segments& by,
                  std::size_t k, items out_keys, items out_values, const top_k_options& options) {
  selection_call of = call_of("top_k_by_key", keys, n, by, k, out_keys, mode_of(options), options.smallest);
  check_pointer("top_k_by_key", "values", values.data, n);
  check_beside(of, "out_values", values.data, out_values);
  of.beside.values = values.data;
  of.beside.out = out_values.data;
  of.beside.bytes = bytes_of(out_values.kind);
  select(where, of);
}

void nth_element(const execution& where, const_items first, std::size_t n, const segments& by, std::size_t rank,
                 items out) {
  constexpr auto call = "nth_element";
  if (by.kind == segments::are::all_items && rank >= n)
    throw invalid_argument(call, "rank is not below the number of items");
  if (by.kind == segments::are::rows && by.length > 0 && rank >= static_cast<std::size_t>(by.length))
    throw invalid_argument(call, "rank is not below the length of a row");
  select(where, call_of(call, first, n, by, rank < n ? rank + 1 : n + 1, out, selection::nth, true));
}

}  // namespace onepass::library::detail
