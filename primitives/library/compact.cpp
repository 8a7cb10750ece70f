// SPDX-License-Identifier: Apache-2.0
// The library's compaction, positions, partition and unique. Items that are only moved share the kernels of their size.
#include <onepass/compact.hpp>

#include "library_dispatch.hpp"

namespace onepass::library::detail {

namespace {

// Throws if an output is null and gets items, those with flags that are `set`. To know that, it counts flags; a call that
// does not wait cannot, and refuses.
void check_kept(const char* call, const char* name, const void* out, const execution& where, const std::uint8_t* flags,
                std::size_t size, bool set, bool waits) {
  if (out != nullptr || size == 0) return;
  check_pointer(call, name, out, waits ? count_set(call, where, flags, size, set) : size);
}

}  // namespace

std::size_t compact(const char* call, const execution& where, const_items first, std::size_t size,
                    const std::uint8_t* flags, items out, std::int64_t* count) {
  const index_t n = checked_items(call, where, size);
  check_count(call, where, count);
  check_pointer(call, "first", first.data, size);
  check_pointer(call, "flags", flags, size);
  check_kept(call, "out", out.data, where, flags, size, true, count == nullptr);
  return with_policy(call, where, [&](const auto& policy) {
    return with_raw(first.kind, [&](auto* tag) -> std::size_t {
      const auto *in = as(tag, first.data), *end = in + n;
      auto* to = as(tag, out.data);
      if (count == nullptr)
        return static_cast<std::size_t>(onepass::compact(policy, in, end, onepass::flags(flags), to) - to);
      onepass::compact_async(policy, in, end, onepass::flags(flags), to, count);
      return 0;
    });
  });
}

std::size_t positions(const char* call, const execution& where, const std::uint8_t* flags, std::size_t size, items out,
                      std::int64_t* count) {
  const index_t n = checked_items(call, where, size);
  check_count(call, where, count);
  check_pointer(call, "flags", flags, size);
  check_kept(call, "out", out.data, where, flags, size, true, count == nullptr);
  check_indices(call, out.kind, n);
  return with_policy(call, where, [&](const auto& policy) {
    return with_word(out.kind, [&](auto* tag) -> std::size_t {
      auto* to = as(tag, out.data);
      if (count == nullptr) return static_cast<std::size_t>(onepass::positions(policy, flags, flags + n, to) - to);
      onepass::positions_async(policy, flags, flags + n, to, count);
      return 0;
    });
  });
}

std::size_t partition(const char* call, const execution& where, const_items first, std::size_t size,
                      const std::uint8_t* flags, items out_true, items out_false, std::int64_t* count) {
  const index_t n = checked_items(call, where, size);
  check_count(call, where, count);
  check_pointer(call, "first", first.data, size);
  check_pointer(call, "flags", flags, size);
  check_kept(call, "out_true", out_true.data, where, flags, size, true, count == nullptr);
  check_kept(call, "out_false", out_false.data, where, flags, size, false, count == nullptr);
  const onepass::detail::is_true is_set{};
  return with_policy(call, where, [&](const auto& policy) {
    return with_raw(first.kind, [&](auto* tag) -> std::size_t {
      const auto *in = as(tag, first.data), *end = in + n;
      auto *kept = as(tag, out_true.data), *others = as(tag, out_false.data);
      if (count == nullptr) {
        const auto ends = onepass::stable_partition_copy(policy, in, end, flags, kept, others, is_set);
        return static_cast<std::size_t>(ends.first - kept);
      }
      onepass::stable_partition_copy_async(policy, in, end, flags, kept, others, is_set, count);
      return 0;
    });
  });
}

std::size_t unique(const char* call, const execution& where, const_items first, std::size_t size, items out,
                   std::int64_t* count) {
  const index_t n = checked_items(call, where, size);
  check_count(call, where, count);
  check_pointer(call, "first", first.data, size);
  check_pointer(call, "out", out.data, size);
  return with_policy(call, where, [&](const auto& policy) {
    return with_number(first.kind, [&](auto* tag) -> std::size_t {
      const auto *in = as(tag, first.data), *end = in + n;
      auto* to = as(tag, out.data);
      if (count == nullptr) return static_cast<std::size_t>(onepass::unique_copy(policy, in, end, to) - to);
      onepass::unique_copy_async(policy, in, end, to, count);
      return 0;
    });
  });
}

std::size_t unique_count(const char* call, const execution& where, const_items first, std::size_t size,
                         std::int64_t* count) {
  const index_t n = checked_items(call, where, size);
  check_count(call, where, count);
  check_pointer(call, "first", first.data, size);
  return with_policy(call, where, [&](const auto& policy) {
    return with_number(first.kind, [&](auto* tag) -> std::size_t {
      const auto *in = as(tag, first.data), *end = in + n;
      if (count == nullptr) return static_cast<std::size_t>(onepass::unique_count(policy, in, end));
      onepass::unique_count_async(policy, in, end, count);
      return 0;
    });
  });
}

std::size_t unique_by_key(const char* call, const execution& where, const_items keys, std::size_t size,
                          const_items values, items out_keys, items out_values, std::int64_t* count) {
  const index_t n = checked_items(call, where, size);
  check_count(call, where, count);
  check_pointer(call, "keys", keys.data, size);
  check_pointer(call, "values", values.data, size);
  check_pointer(call, "out_keys", out_keys.data, size);
  check_pointer(call, "out_values", out_values.data, size);
  return with_policy(call, where, [&](const auto& policy) {
    return with_number(keys.kind, [&](auto* key) {
      return with_raw(values.kind, [&](auto* value) -> std::size_t {
        const auto *in = as(key, keys.data), *end = in + n;
        const auto* with = as(value, values.data);
        auto* to = as(key, out_keys.data);
        auto* to_with = as(value, out_values.data);
        if (count == nullptr) {
          const auto ends = onepass::unique_by_key_copy(policy, in, end, with, to, to_with);
          return static_cast<std::size_t>(ends.first - to);
        }
        onepass::unique_by_key_copy_async(policy, in, end, with, to, to_with, count);
        return 0;
      });
    });
  });
}

}  // namespace onepass::library::detail
