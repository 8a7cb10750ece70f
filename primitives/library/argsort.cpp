// SPDX-License-Identifier: Apache-2.0
// The library's argsort. Indices of 8 bytes are sorted as 4 bytes where these are enough, so that passes move less, and
// widened in the end: on CUDA by what ends the sort, on the CPU in a loop of its own.
#include "library_each_index.hpp"
#include "library_sort.hpp"
#include "segmented_arguments.hpp"

namespace onepass::library::detail {

namespace {

struct widen {
  const std::uint32_t* from;
  std::uint64_t* to;
  ONEPASS_HOST_DEVICE void operator()(index_t i) const { to[i] = from[i]; }
};

}  // namespace

void argsort(const execution& where, const_items keys, std::size_t size, items out, const radix_options& options) {
  constexpr auto call = "argsort";
  const index_t n = checked_items(call, where, size);
  check_pointer(call, "keys", keys.data, size);
  check_pointer(call, "out", out.data, size);
  check_indices(call, out.kind, n);
  check_out(call, "keys", keys, out, n, false);
  check_options(call, keys.kind, options);
  auto* const narrow_out = static_cast<std::uint32_t*>(out.data);
  auto* const wide_out = static_cast<std::uint64_t*>(out.data);
  if (!is_wide(out.kind)) return argsort_narrow(where, keys, n, narrow_out, options);
  if (n > most_narrow) return argsort_wide(where, keys, n, wide_out, options);
  if (where.on_cuda()) return argsort_widened(where, keys, n, wide_out, options);
  onepass::detail::layout scratch;
  const std::size_t narrow_at = scratch.add<std::uint32_t>(n);
  with_scratch(call, where, scratch.bytes(), [&](void* memory) {
    auto* const narrow = onepass::detail::section<std::uint32_t>(memory, narrow_at);
    argsort_narrow(where, keys, n, narrow, options);
    for_each_index(call, where, n, widen{narrow, wide_out});
  });
}

}  // namespace onepass::library::detail
