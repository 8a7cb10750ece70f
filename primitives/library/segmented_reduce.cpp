// SPDX-License-Identifier: Apache-2.0
// The library's reductions of segments by offsets, and its run lengths.
#include <onepass/segmented_reduce.hpp>

#include "library_dispatch.hpp"

namespace onepass::library::detail {

void segmented_reduce(const execution& where, const_items first, std::size_t size, const offsets& segments, items out,
                      const void* init, op by) {
  constexpr auto call = "segmented_reduce";
  const index_t n = checked_items(call, where, size), count = checked_size(call, segments.count);
  check_pointer(call, "first", first.data, size);
  check_pointer(call, "offsets", segments.first, segments.count);
  check_pointer(call, "out", out.data, segments.count > 1 ? 1 : 0);
  const auto by_offsets = onepass::offsets(segments.first, segments.first + count);
  with_policy(call, where, [&](const auto& policy) {
    with_number_and_operator(call, first.kind, by, [&](auto* tag, auto chosen) {
      const auto* in = as(tag, first.data);
      onepass::segmented_reduce(policy, in, in + n, by_offsets, as(tag, out.data), value_at(tag, init), chosen);
    });
  });
}

std::size_t run_length_encode(const char* call, const execution& where, const_items first, std::size_t size, items out,
                              std::int64_t* lengths, std::int64_t* count) {
  const index_t n = checked_items(call, where, size);
  check_count(call, where, count);
  check_pointer(call, "first", first.data, size);
  check_pointer(call, "out", out.data, size);
  check_pointer(call, "lengths", lengths, size);
  return with_policy(call, where, [&](const auto& policy) {
    return with_number(first.kind, [&](auto* tag) -> std::size_t {
      const auto *in = as(tag, first.data), *end = in + n;
      auto* to = as(tag, out.data);
      if (count == nullptr)
        return static_cast<std::size_t>(onepass::run_length_encode(policy, in, end, to, lengths).first - to);
      onepass::run_length_encode_async(policy, in, end, to, lengths, count);
      return 0;
    });
  });
}

}  // namespace onepass::library::detail
