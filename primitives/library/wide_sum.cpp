// SPDX-License-Identifier: Apache-2.0
// The library's sums of narrow integers in 64 bits: one pass, where a conversion and a scan would be two.
#include "library_scan.hpp"
#include "segmented_arguments.hpp"

namespace onepass::library::detail {

namespace {

// Calls f(a null pointer to the type of items). Here the sign of narrow integers counts.
template <class F>
void with_narrow(type kind, F f) {
  if (kind == type::int32) return f(static_cast<std::int32_t*>(nullptr));
  if (kind == type::uint32) return f(static_cast<std::uint32_t*>(nullptr));
  with_short(kind, f);
}

}  // namespace

void wide_sum(const char* call, const execution& where, const_items first, std::size_t size, std::int64_t* out,
              std::int64_t init, bool inclusive) {
  const index_t n = checked_items(call, where, size);
  check_pointer(call, "first", first.data, size);
  check_pointer(call, "out", out, size);
  check_out(call, "first", first, {out, type::int64}, n, false);
  // Unsigned, so that sums wrap around.
  auto* const to = reinterpret_cast<std::uint64_t*>(out);
  const auto start = static_cast<std::uint64_t>(init);
  with_policy(call, where, [&](const auto& policy) {
    with_narrow(first.kind, [&](auto* tag) {
      const auto* in = as(tag, first.data);
      if (inclusive) onepass::inclusive_scan(policy, in, in + n, to, start, sum{});
      else onepass::exclusive_scan(policy, in, in + n, to, start, sum{});
    });
  });
}

}  // namespace onepass::library::detail
