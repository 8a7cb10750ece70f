// SPDX-License-Identifier: Apache-2.0
// The library's argsort: a sort by key to scratch, with indices as values. Indices of 8 bytes are sorted as 4 bytes where
// these are enough, and widened in the end, so that passes move less.
#include "library_each_index.hpp"
#include "library_sort.hpp"

namespace onepass::library::detail {

namespace {

struct widen {
  const raw<std::uint32_t>* from;
  raw<std::uint64_t>* to;
  ONEPASS_HOST_DEVICE void operator()(index_t i) const { to[i].bits = from[i].bits; }
};

}  // namespace

void argsort(const execution& where, const_items keys, std::size_t size, items out, const radix_options& options) {
  constexpr auto call = "argsort";
  const index_t n = checked_size(call, size);
  check_pointer(call, "keys", keys.data, size);
  check_pointer(call, "out", out.data, size);
  check_indices(call, out.kind, n);
  const bool widens = is_wide(out.kind) && n <= most_narrow;
  onepass::detail::layout scratch;
  const std::size_t sorted_at = scratch.add<char>(n * (is_wide(keys.kind) ? 8 : 4));
  const std::size_t narrow_at = scratch.add<std::uint32_t>(widens ? n : 0);
  with_scratch(call, where, scratch.bytes(), [&](void* memory) {
    using raw32 = raw<std::uint32_t>;
    using raw64 = raw<std::uint64_t>;
    void* const sorted = onepass::detail::section<char>(memory, sorted_at);
    if (!is_wide(out.kind)) return argsort_narrow(where, keys, n, sorted, static_cast<raw32*>(out.data), options);
    if (!widens) return argsort_wide(where, keys, n, sorted, static_cast<raw64*>(out.data), options);
    auto* const narrow = onepass::detail::section<raw32>(memory, narrow_at);
    argsort_narrow(where, keys, n, sorted, narrow, options);
    for_each_index(call, where, n, widen{narrow, static_cast<raw64*>(out.data)});
  });
}

}  // namespace onepass::library::detail
