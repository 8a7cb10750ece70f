// SPDX-License-Identifier: Apache-2.0
// The selections, histograms and counts of flags and runs of onepass/c.h.
#include "c_arguments.hpp"

using namespace onepass::library;

namespace {

template <class Count>
onepass_status count_runs(const char* call, const onepass_execution* e, onepass_type t, const void* first, size_t n,
                          Count* count) {
  return counted(call, count, [&](std::int64_t* to) {
    return detail::unique_count(call, of(call, e), {first, any_type(call, t)}, n, to);
  });
}

}  // namespace

extern "C" {

onepass_status onepass_count_flags(const onepass_execution* e, const uint8_t* flags, size_t n, size_t* count) {
  return counted("count_flags", count,
                 [&](std::int64_t*) { return detail::count_flags(of("count_flags", e), flags, n); });
}

onepass_status onepass_unique_count(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                    size_t* count) {
  return count_runs("unique_count", e, t, first, n, count);
}
onepass_status onepass_unique_count_async(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                          int64_t* count) {
  return count_runs("unique_count_async", e, t, first, n, count);
}

// ---- selection ------------------------------------------------------------------------------------------------------
onepass_status onepass_top_k(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                             const onepass_segments* segments, size_t k, void* out, onepass_type index_type,
                             void* indices, const onepass_top_k_options* o) {
  return guarded([&] {
    const type kind = any_type("top_k", t);
    const execution& where = of("top_k", e);
    const detail::segments by = segments_of(segments);
    if (indices == nullptr) return detail::top_k(where, {first, kind}, n, by, k, {out, kind}, options_of(o));
    const type index = indices_of("top_k", index_type);
    detail::top_k_indices(where, {first, kind}, n, by, k, {out, kind}, {indices, index}, options_of(o));
  });
}
onepass_status onepass_top_k_by_key(const onepass_execution* e, onepass_type key_type, const void* keys, size_t n,
                                    onepass_type t, const void* values, const onepass_segments* segments, size_t k,
                                    void* out_keys, void* out_values, const onepass_top_k_options* o) {
  constexpr auto call = "top_k_by_key";
  return guarded([&] {
    const type key = any_type(call, key_type), kind = any_type(call, t);
    detail::top_k_by_key(of(call, e), {keys, key}, n, {values, kind}, segments_of(segments), k, {out_keys, key},
                         {out_values, kind}, options_of(o));
  });
}
onepass_status onepass_nth_element(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                   const onepass_segments* segments, size_t rank, void* out) {
  return guarded([&] {
    const type kind = any_type("nth_element", t);
    detail::nth_element(of("nth_element", e), {first, kind}, n, segments_of(segments), rank, {out, kind});
  });
}

// ---- histogram ------------------------------------------------------------------------------------------------------
onepass_status onepass_histogram_of_values(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                           int64_t lower, int64_t upper, int64_t* counts) {
  return guarded([&] {
    const type kind = integer("histogram", t);
    detail::histogram(of("histogram", e), {first, kind}, n, value_bins{lower, upper}, counts);
  });
}
onepass_status onepass_histogram_even(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                      double lower, double upper, int64_t bins, int64_t* counts) {
  return guarded([&] {
    const type kind = float_type("histogram", t);
    detail::histogram(of("histogram", e), {first, kind}, n, even_bins{lower, upper, bins}, counts);
  });
}
onepass_status onepass_histogram_even_integers(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                               int64_t lower, int64_t upper, int64_t bins, int64_t* counts) {
  return guarded([&] {
    const type kind = integer("histogram", t);
    detail::histogram(of("histogram", e), {first, kind}, n, even_integer_bins{lower, upper, bins}, counts);
  });
}
onepass_status onepass_histogram_between(const onepass_execution* e, onepass_type t, const void* first, size_t n,
                                         const void* edges, size_t edge_count, int64_t* counts) {
  return guarded([&] {
    const type kind = float_or_wide("histogram", t);
    detail::histogram(of("histogram", e), {first, kind}, n, {edges, kind}, edge_count, counts);
  });
}

}  // extern "C"
