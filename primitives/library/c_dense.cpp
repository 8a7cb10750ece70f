// SPDX-License-Identifier: Apache-2.0
// The calls of onepass/c.h on dense arrays: rows, columns and recurrences.
#include "c_arguments.hpp"

namespace onepass::library {

namespace {

// Lines: rows, or columns.
template <class Lines>
onepass_status scan_lines(const char* call, const onepass_execution* e, onepass_type t, const void* first,
                          std::size_t n, const Lines& along, void* out, const void* init, onepass_op o) noexcept {
  return guarded([&] {
    const type kind = any_type(call, t);
    detail::segmented_scan(call, of(call, e), {first, kind}, n, along, {out, kind}, init, operator_of(o));
  });
}

}  // namespace

}  // namespace onepass::library

using namespace onepass::library;

extern "C" {

onepass_status onepass_inclusive_scan_by_rows(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                              int64_t length, void* out, onepass_op o) {
  return scan_lines("inclusive_segmented_scan", e, t, first, n, rows{length}, out, nullptr, o);
}
onepass_status onepass_exclusive_scan_by_rows(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                              int64_t length, void* out, const void* init, onepass_op o) {
  return scan_lines("exclusive_segmented_scan", e, t, first, n, rows{length}, out, or_zero(init), o);
}
onepass_status onepass_inclusive_scan_by_columns(const onepass_execution* e, onepass_type t, const void* first,
                                                 size_t n, int64_t width, int64_t height, void* out, onepass_op o) {
  return scan_lines("inclusive_segmented_scan", e, t, first, n, columns{width, height}, out, nullptr, o);
}
onepass_status onepass_exclusive_scan_by_columns(const onepass_execution* e, onepass_type t, const void* first,
                                                 size_t n, int64_t width, int64_t height, void* out, const void* init,
                                                 onepass_op o) {
  return scan_lines("exclusive_segmented_scan", e, t, first, n, columns{width, height}, out, or_zero(init), o);
}
onepass_status onepass_reverse_sum(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                   int64_t length, void* out) {
  return guarded([&] {
    const type kind = any_type("reverse_sum", t);
    detail::reverse_sum(of("reverse_sum", e), {first, kind}, n, rows{length}, {out, kind});
  });
}
onepass_status onepass_linear_recurrence(const onepass_execution* e, onepass_type t, const void* a, const void* b,
                                         size_t n, int64_t width, int64_t height, void* out,
                                         const onepass_recurrence_options* o) {
  constexpr auto call = "linear_recurrence";
  return guarded([&] {
    const type kind = float_type(call, t);
    const recurrence_options options =
        o == nullptr ? recurrence_options{} : recurrence_options{o->reverse != 0, o->next_factor != 0};
    detail::linear_recurrence(of(call, e), {a, kind}, {b, kind}, n, columns{width, height}, {out, kind}, options);
  });
}

// ---- sorts and reductions of rows -----------------------------------------------------------------------------------
onepass_status onepass_sort_rows(const onepass_execution* e, onepass_type t, void* keys, size_t n, int64_t length,
                                 const onepass_radix_options* o) {
  return guarded([&] {
    detail::segmented_sort(of("segmented_sort", e), {keys, any_type("segmented_sort", t)}, n, rows{length},
                           options_of(o));
  });
}
onepass_status onepass_sort_rows_by_key(const onepass_execution* e, onepass_type key_type, void* keys, size_t n,
                                        onepass_type t, void* values, int64_t length, const onepass_radix_options* o) {
  constexpr auto call = "segmented_sort_by_key";
  return guarded([&] {
    require(call, t == ONEPASS_INT32 || t == ONEPASS_UINT32 || t == ONEPASS_FLOAT32, "values have to have 32 bits");
    const type key = any_type(call, key_type), kind = word(call, t);
    detail::segmented_sort_by_key(of(call, e), {keys, key}, n, {values, kind}, rows{length}, options_of(o));
  });
}
onepass_status onepass_reduce_rows(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                   int64_t length, void* out, const void* init, onepass_op o) {
  constexpr auto call = "segmented_reduce";
  return guarded([&] {
    const type kind = any_type(call, t);
    detail::segmented_reduce(of(call, e), {first, kind}, n, rows{length}, {out, kind}, or_zero(init), operator_of(o));
  });
}

}  // extern "C"
