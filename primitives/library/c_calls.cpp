// SPDX-License-Identifier: Apache-2.0
// The primitives of onepass/c.h but those of c_dense.cpp and c_select.cpp. Each call checks the types and calls the library.
#include "c_arguments.hpp"

namespace onepass::library {

namespace {

onepass_status by_key(const char* call, const onepass_execution* e, onepass_type key_type, const void* keys,
                      std::size_t n, onepass_type t, const void* values, void* out, const void* init,
                      onepass_op o) noexcept {
  return guarded([&] {
    const type key = integer(call, key_type), kind = any_type(call, t);
    detail::scan_by_key(call, of(call, e), {keys, key}, n, {values, kind}, {out, kind}, init, operator_of(o));
  });
}
// heads: flags, or offsets.
template <class Heads>
onepass_status by_heads(const char* call, const onepass_execution* e, onepass_type t, const void* first, std::size_t n,
                        const Heads& heads, void* out, const void* init, onepass_op o) noexcept {
  return guarded([&] {
    const type kind = any_type(call, t);
    detail::segmented_scan(call, of(call, e), {first, kind}, n, heads, {out, kind}, init, operator_of(o));
  });
}

template <class Count>
onepass_status compact_to(const char* call, const onepass_execution* e, onepass_type t, const void* first,
                          std::size_t n, const std::uint8_t* flags, void* out, Count* count) noexcept {
  return counted(call, count, [&](std::int64_t* to) {
    const type kind = any_type(call, t);
    return detail::compact(call, of(call, e), {first, kind}, n, flags, {out, kind}, to);
  });
}
template <class Count>
onepass_status partition_to(const char* call, const onepass_execution* e, onepass_type t, const void* first,
                            std::size_t n, const std::uint8_t* flags, void* out_true, void* out_false,
                            Count* count) noexcept {
  return counted(call, count, [&](std::int64_t* to) {
    const type kind = any_type(call, t);
    return detail::partition(call, of(call, e), {first, kind}, n, flags, {out_true, kind}, {out_false, kind}, to);
  });
}
template <class Index, class Count>
onepass_status positions_to(const char* call, const onepass_execution* e, const std::uint8_t* flags, std::size_t n,
                            Index* out, Count* count) noexcept {
  return counted(call, count,
                 [&](std::int64_t* to) { return detail::positions(call, of(call, e), flags, n, out, to); });
}
template <class Count>
onepass_status unique_to(const char* call, const onepass_execution* e, onepass_type t, const void* first, std::size_t n,
                         void* out, Count* count) noexcept {
  return counted(call, count, [&](std::int64_t* to) {
    const type kind = any_type(call, t);
    return detail::unique(call, of(call, e), {first, kind}, n, {out, kind}, to);
  });
}
template <class Count>
onepass_status unique_by_key_to(const char* call, const onepass_execution* e, onepass_type key_type, const void* keys,
                                std::size_t n, onepass_type t, const void* values, void* out_keys, void* out_values,
                                Count* count) noexcept {
  return counted(call, count, [&](std::int64_t* to) {
    const type key = any_type(call, key_type), kind = any_type(call, t);
    return detail::unique_by_key(call, of(call, e), {keys, key}, n, {values, kind}, {out_keys, key}, {out_values, kind},
                                 to);
  });
}
template <class Count>
onepass_status run_lengths_to(const char* call, const onepass_execution* e, onepass_type t, const void* first,
                              std::size_t n, void* out, std::int64_t* lengths, Count* count) noexcept {
  return counted(call, count, [&](std::int64_t* to) {
    const type kind = any_type(call, t);
    return detail::run_length_encode(call, of(call, e), {first, kind}, n, {out, kind}, lengths, to);
  });
}
template <class Count>
onepass_status reduce_by_key_to(const char* call, const onepass_execution* e, onepass_type key_type, const void* keys,
                                std::size_t n, onepass_type t, const void* values, void* out_keys, void* out_values,
                                onepass_op o, Count* count) noexcept {
  return counted(call, count, [&](std::int64_t* to) {
    const type key = integer(call, key_type), kind = any_type(call, t);
    return detail::reduce_by_key(call, of(call, e), {keys, key}, n, {values, kind}, {out_keys, key}, {out_values, kind},
                                 operator_of(o), to);
  });
}

}  // namespace

}  // namespace onepass::library

using namespace onepass::library;

extern "C" {

// ---- scan -----------------------------------------------------------------------------------------------------------
onepass_status onepass_inclusive_scan(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                      void* out, const void* init, onepass_op o) {
  return guarded([&] {
    const type kind = any_type("inclusive_scan", t);
    detail::inclusive_scan(of("inclusive_scan", e), {first, kind}, n, {out, kind}, init, operator_of(o));
  });
}
onepass_status onepass_exclusive_scan(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                      void* out, const void* init, onepass_op o) {
  return guarded([&] {
    const type kind = any_type("exclusive_scan", t);
    detail::exclusive_scan(of("exclusive_scan", e), {first, kind}, n, {out, kind}, or_zero(init), operator_of(o));
  });
}
onepass_status onepass_inclusive_wide_sum(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                          int64_t* out, int64_t init) {
  const auto call = "inclusive_wide_sum";
  return guarded([&] { detail::wide_sum(call, of(call, e), {first, narrow_integer(call, t)}, n, out, init, true); });
}
onepass_status onepass_exclusive_wide_sum(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                          int64_t* out, int64_t init) {
  const auto call = "exclusive_wide_sum";
  return guarded([&] { detail::wide_sum(call, of(call, e), {first, narrow_integer(call, t)}, n, out, init, false); });
}

// ---- segmented scan -------------------------------------------------------------------------------------------------
onepass_status onepass_inclusive_scan_by_key(const onepass_execution* e, onepass_type key_type, const void* keys,
                                             size_t n, onepass_type t, const void* values, void* out, onepass_op o) {
  return by_key("inclusive_scan_by_key", e, key_type, keys, n, t, values, out, nullptr, o);
}
onepass_status onepass_exclusive_scan_by_key(const onepass_execution* e, onepass_type key_type, const void* keys,
                                             size_t n, onepass_type t, const void* values, void* out, const void* init,
                                             onepass_op o) {
  return by_key("exclusive_scan_by_key", e, key_type, keys, n, t, values, out, or_zero(init), o);
}
onepass_status onepass_inclusive_scan_by_flags(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                               const uint8_t* flags, void* out, onepass_op o) {
  return by_heads("inclusive_segmented_scan", e, t, first, n, flags, out, nullptr, o);
}
onepass_status onepass_exclusive_scan_by_flags(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                               const uint8_t* flags, void* out, const void* init, onepass_op o) {
  return by_heads("exclusive_segmented_scan", e, t, first, n, flags, out, or_zero(init), o);
}
onepass_status onepass_inclusive_scan_by_offsets(const onepass_execution* e, onepass_type t, const void* first,
                                                 size_t n, const int64_t* segments, size_t count, void* out,
                                                 onepass_op o) {
  return by_heads("inclusive_segmented_scan", e, t, first, n, offsets{segments, count}, out, nullptr, o);
}
onepass_status onepass_exclusive_scan_by_offsets(const onepass_execution* e, onepass_type t, const void* first,
                                                 size_t n, const int64_t* segments, size_t count, void* out,
                                                 const void* init, onepass_op o) {
  return by_heads("exclusive_segmented_scan", e, t, first, n, offsets{segments, count}, out, or_zero(init), o);
}

// ---- compaction -----------------------------------------------------------------------------------------------------
onepass_status onepass_compact(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                               const uint8_t* flags, void* out, size_t* count) {
  return compact_to("compact", e, t, first, n, flags, out, count);
}
onepass_status onepass_compact_async(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                     const uint8_t* flags, void* out, int64_t* count) {
  return compact_to("compact_async", e, t, first, n, flags, out, count);
}
onepass_status onepass_stable_partition_copy(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                             const uint8_t* flags, void* out_true, void* out_false, size_t* count) {
  return partition_to("stable_partition_copy", e, t, first, n, flags, out_true, out_false, count);
}
onepass_status onepass_stable_partition_copy_async(const onepass_execution* e, onepass_type t, const void* first,
                                                   size_t n, const uint8_t* flags, void* out_true, void* out_false,
                                                   int64_t* count) {
  return partition_to("stable_partition_copy_async", e, t, first, n, flags, out_true, out_false, count);
}
onepass_status onepass_positions(const onepass_execution* e, const uint8_t* flags, size_t n, int64_t* out,
                                 size_t* count) {
  return positions_to("positions", e, flags, n, out, count);
}
onepass_status onepass_positions_async(const onepass_execution* e, const uint8_t* flags, size_t n, int64_t* out,
                                       int64_t* count) {
  return positions_to("positions_async", e, flags, n, out, count);
}
onepass_status onepass_positions_int32(const onepass_execution* e, const uint8_t* flags, size_t n, int32_t* out,
                                       size_t* count) {
  return positions_to("positions", e, flags, n, out, count);
}
onepass_status onepass_positions_int32_async(const onepass_execution* e, const uint8_t* flags, size_t n, int32_t* out,
                                             int64_t* count) {
  return positions_to("positions_async", e, flags, n, out, count);
}
onepass_status onepass_unique(const onepass_execution* e, onepass_type t, const void* first, size_t n, void* out,
                              size_t* count) {
  return unique_to("unique", e, t, first, n, out, count);
}
onepass_status onepass_unique_async(const onepass_execution* e, onepass_type t, const void* first, size_t n, void* out,
                                    int64_t* count) {
  return unique_to("unique_async", e, t, first, n, out, count);
}
onepass_status onepass_unique_by_key(const onepass_execution* e, onepass_type key_type, const void* keys, size_t n,
                                     onepass_type t, const void* values, void* out_keys, void* out_values,
                                     size_t* count) {
  return unique_by_key_to("unique_by_key", e, key_type, keys, n, t, values, out_keys, out_values, count);
}
onepass_status onepass_unique_by_key_async(const onepass_execution* e, onepass_type key_type, const void* keys,
                                           size_t n, onepass_type t, const void* values, void* out_keys,
                                           void* out_values, int64_t* count) {
  return unique_by_key_to("unique_by_key_async", e, key_type, keys, n, t, values, out_keys, out_values, count);
}

// ---- split and sort -------------------------------------------------------------------------------------------------
onepass_status onepass_split(const onepass_execution* e, onepass_type t, const void* first, size_t n, void* out,
                             int shift, int bits) {
  return guarded([&] {
    const type kind = integer("split", t);
    detail::split(of("split", e), {first, kind}, n, {out, kind}, {shift, bits});
  });
}
onepass_status onepass_radix_sort(const onepass_execution* e, onepass_type t, void* keys, size_t n,
                                  const onepass_radix_options* o) {
  return guarded([&] { detail::sort(of("radix_sort", e), {keys, any_type("radix_sort", t)}, n, options_of(o)); });
}
onepass_status onepass_radix_sort_by_key(const onepass_execution* e, onepass_type key_type, void* keys, size_t n,
                                         onepass_type t, void* values, const onepass_radix_options* o) {
  const auto call = "radix_sort_by_key";
  return guarded([&] {
    detail::sort_by_key(of(call, e), {keys, any_type(call, key_type)}, n, {values, word(call, t)}, options_of(o));
  });
}
onepass_status onepass_argsort(const onepass_execution* e, onepass_type key_type, const void* keys, size_t n,
                               onepass_type index_type, void* out, const onepass_radix_options* o) {
  return guarded([&] {
    detail::argsort(of("argsort", e), {keys, any_type("argsort", key_type)}, n,
                    {out, indices_of("argsort", index_type)}, options_of(o));
  });
}
onepass_status onepass_segmented_sort(const onepass_execution* e, onepass_type t, void* keys, size_t n,
                                      const int64_t* segments, size_t count, const onepass_radix_options* o) {
  const auto call = "segmented_sort";
  return guarded([&] {
    detail::segmented_sort(of(call, e), {keys, any_type(call, t)}, n, {segments, count}, options_of(o));
  });
}
onepass_status onepass_segmented_sort_by_key(const onepass_execution* e, onepass_type key_type, void* keys, size_t n,
                                             onepass_type t, void* values, const int64_t* segments, size_t count,
                                             const onepass_radix_options* o) {
  const auto call = "segmented_sort_by_key";
  return guarded([&] {
    require(call, t == ONEPASS_INT32 || t == ONEPASS_UINT32 || t == ONEPASS_FLOAT32, "values have to have 32 bits");
    detail::segmented_sort_by_key(of(call, e), {keys, any_type(call, key_type)}, n, {values, word(call, t)},
                                  {segments, count}, options_of(o));
  });
}

// ---- reduction of runs and segments ---------------------------------------------------------------------------------
onepass_status onepass_run_length_encode(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                         void* out, int64_t* lengths, size_t* count) {
  return run_lengths_to("run_length_encode", e, t, first, n, out, lengths, count);
}
onepass_status onepass_run_length_encode_async(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                               void* out, int64_t* lengths, int64_t* count) {
  return run_lengths_to("run_length_encode_async", e, t, first, n, out, lengths, count);
}
onepass_status onepass_reduce_by_key(const onepass_execution* e, onepass_type key_type, const void* keys, size_t n,
                                     onepass_type t, const void* values, void* out_keys, void* out_values, onepass_op o,
                                     size_t* count) {
  return reduce_by_key_to("reduce_by_key", e, key_type, keys, n, t, values, out_keys, out_values, o, count);
}
onepass_status onepass_reduce_by_key_async(const onepass_execution* e, onepass_type key_type, const void* keys,
                                           size_t n, onepass_type t, const void* values, void* out_keys,
                                           void* out_values, onepass_op o, int64_t* count) {
  return reduce_by_key_to("reduce_by_key_async", e, key_type, keys, n, t, values, out_keys, out_values, o, count);
}
onepass_status onepass_segmented_reduce(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                        const int64_t* segments, size_t count, void* out, const void* init,
                                        onepass_op o) {
  const auto call = "segmented_reduce";
  return guarded([&] {
    const type kind = any_type(call, t);
    detail::segmented_reduce(of(call, e), {first, kind}, n, {segments, count}, {out, kind}, or_zero(init),
                             operator_of(o));
  });
}

}  // extern "C"
