// SPDX-License-Identifier: Apache-2.0
// Rows as offsets, for calls that have kernels for offsets alone.
#pragma once

#include "../../core/segments/segment_bounds.hpp"
#include "library_each_index.hpp"

namespace onepass::library::detail {

struct write_row_begin {
  std::int64_t* first;
  index_t length, n;
  ONEPASS_HOST_DEVICE void operator()(index_t row) const {
    const index_t begin = row * length;
    first[row] = begin < n ? begin : n;
  }
};

// Calls run(offsets of the rows), which are in scratch.
template <class Run>
void with_row_offsets(const char* call, const execution& where, std::size_t size, const rows& by, Run run) {
  const index_t n = checked_size(call, size);
  onepass::detail::check_rows(call, onepass::rows(by.length));
  const index_t count = onepass::detail::row_count(onepass::rows(by.length), n) + 1;
  onepass::detail::layout scratch;
  const std::size_t first_at = scratch.add<std::int64_t>(count);
  with_scratch(call, where, scratch.bytes(), [&](void* memory) {
    auto* const first = onepass::detail::section<std::int64_t>(memory, first_at);
    for_each_index(call, where, count, write_row_begin{first, by.length, n});
    run(offsets{first, static_cast<std::size_t>(count)});
  });
}

}  // namespace onepass::library::detail
