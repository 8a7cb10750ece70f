// SPDX-License-Identifier: Apache-2.0
// The library's scans by keys of 1 and 2 bytes. The keys become head flags in scratch, which are as small, and for which
// there are kernels.
#include "library_each_index.hpp"
#include "library_scan_by_key.hpp"

namespace onepass::library::detail {

namespace {

// Flags that are stored at once.
struct alignas(16) flag_group {
  static constexpr index_t items = 16;
  std::uint8_t flags[items];
};

template <class Key>
struct write_heads {
  const Key* keys;
  index_t n;
  flag_group* groups;

  ONEPASS_HOST_DEVICE void operator()(index_t group) const {
    const index_t begin = group * flag_group::items, left = n - begin;
    flag_group heads;
    if (begin > 0 && left >= flag_group::items) {
      ONEPASS_UNROLL
      for (index_t j = 0; j < flag_group::items; ++j) heads.flags[j] = keys[begin + j] != keys[begin + j - 1];
    } else {
      for (index_t j = 0; j < flag_group::items; ++j)
        heads.flags[j] = begin + j == 0 || (j < left && keys[begin + j] != keys[begin + j - 1]);
    }
    groups[group] = heads;
  }
};

}  // namespace

void scan_with_narrow_keys(const char* call, const execution& where, const_items keys, std::size_t size,
                           const_items values, items out, const void* init, op by) {
  const index_t n = checked_items(call, where, size);
  check_pointer(call, "keys", keys.data, size);
  check_pointer(call, "first", values.data, size);
  check_pointer(call, "out", out.data, size);
  check_out(call, "the values", values, out, n, true);
  check_out(call, "the keys", keys, out, n, bytes_of(keys.kind) == bytes_of(out.kind));
  with_number(values.kind, [&](auto* tag) { check_operator<std::remove_pointer_t<decltype(tag)>>(call, by); });
  const index_t groups = onepass::detail::divide_up(n, flag_group::items);
  onepass::detail::layout scratch;
  const std::size_t flags_at = scratch.add<flag_group>(groups);
  with_scratch(call, where, scratch.bytes(), [&](void* memory) {
    auto* const flags = onepass::detail::section<flag_group>(memory, flags_at);
    const auto write = [&](const auto* first) {
      using Key = std::remove_const_t<std::remove_pointer_t<decltype(first)>>;
      for_each_index(call, where, groups, write_heads<Key>{first, n, flags});
    };
    if (bytes_of(keys.kind) == 1) write(static_cast<const std::uint8_t*>(keys.data));
    else write(static_cast<const std::uint16_t*>(keys.data));
    segmented_scan(call, where, values, size, reinterpret_cast<const std::uint8_t*>(flags), out, init, by);
  });
}

}  // namespace onepass::library::detail
