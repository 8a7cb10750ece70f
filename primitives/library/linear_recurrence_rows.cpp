// SPDX-License-Identifier: Apache-2.0
// The library's linear recurrences of rows, at two reads and a write an item. Where there are many rows, a warp of the GPU has
// one (row_recurrence.cuh). Otherwise a scan of affine maps reads factors and terms from their arrays by 16 bytes a lane, and
// writes the terms of the results alone. A map of 8 bytes has no room for a head
// flag, so a row's first map has the factor -0, which no other map has: such a map keeps nothing of what is before it, not
// even an infinity or a NaN, as a factor 0 would.
#include <algorithm>

#include "library_recurrence.hpp"
#if ONEPASS_HAS_CUDA
#include "row_recurrence.cuh"
#endif

namespace onepass::library::detail {

namespace row_recurrence {

using onepass::detail::heads_from_rows;

template <class T>
ONEPASS_HOST_DEVICE bool is_head(const affine_map<T>& map) {
  return map.a == 0 && ::cuda::std::signbit(map.a);
}
// The same value, but for -0, which becomes +0.
template <class T>
ONEPASS_HOST_DEVICE T without_sign_of_zero(T x) {
  return x == 0 ? T(0) : x;
}

struct affine_in_rows {  // first f, then g
  template <class T>
  ONEPASS_HOST_DEVICE affine_map<T> operator()(const affine_map<T>& f, const affine_map<T>& g) const {
    if (is_head(g)) return g;
    return {is_head(f) ? f.a : without_sign_of_zero(g.a * f.a), g.a * f.b + g.b};
  }
};

struct emit_term : onepass::detail::emit_value {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const affine_map<T>& scanned, bool) const {
    return scanned.b;
  }
};

// The maps on the way of a recurrence, which meets the item n - 1 - i at step i where it runs in reverse. With next_factor the
// factor is that of the item met before.
template <class T, bool reverse>
struct maps_source {
  using value_type = affine_map<T>;
  using read_type = T;
  static constexpr bool stageable = false;
  const T *a, *b;
  heads_from_rows heads;
  index_t n;
  bool next_factor;

  ONEPASS_HOST_DEVICE affine_map<T> at(index_t i) const {
    const index_t item = reverse ? n - 1 - i : i;
    if (heads.is_head(i)) return {-T(0), b[item]};
    return {without_sign_of_zero(a[item + shift()]), b[item]};
  }

#if ONEPASS_HAS_CUDA
  template <int V>
  __device__ void row(index_t i, affine_map<T> (&maps)[V]) const {
    if (i == 0) {  // here the factor before the first may not exist
#pragma unroll
      for (int j = 0; j < V; ++j) maps[j] = at(j);
      return;
    }
    const index_t first = reverse ? n - i - V : i;
    T factors[V], terms[V];
    bool is_first[V];
    onepass::detail::load_row(a, first + shift(), factors);
    onepass::detail::load_row(b, first, terms);
    heads.template row<V>(i, is_first);
#pragma unroll
    for (int j = 0; j < V; ++j) {
      const int at = reverse ? V - 1 - j : j;
      maps[j] = {is_first[j] ? -T(0) : without_sign_of_zero(factors[at]), terms[at]};
    }
  }
#endif

 private:
  ONEPASS_HOST_DEVICE index_t shift() const { return !next_factor ? 0 : reverse ? 1 : -1; }
};

// An array from its end.
#if ONEPASS_HAS_CUDA
using output_base = onepass::detail::stores_rows;
#else
struct output_base {};
#endif
template <class T>
struct reversed_array : output_base {
  T* last;
  ONEPASS_HOST_DEVICE explicit reversed_array(T* at) : last(at) {}
  ONEPASS_HOST_DEVICE T& operator[](index_t i) const { return last[-i]; }
#if ONEPASS_HAS_CUDA
  template <int V>
  __device__ void store_row(index_t i, const T (&items)[V]) const {
    T reordered[V];
#pragma unroll
    for (int j = 0; j < V; ++j) reordered[j] = items[V - 1 - j];
    onepass::detail::store_row(last + 1 - V, -i, reordered);
  }
#endif
};

template <bool reverse, class T, class Out, class Policy>
void recur(const Policy& policy, const T* a, const T* b, index_t n, index_t length, Out out, bool next_factor) {
  using source = maps_source<T, reverse>;
  using job = onepass::detail::scan_job<source, Out, affine_in_rows, emit_term, true>;
  const source maps{a, b, onepass::detail::heads_of_rows(onepass::rows(length), n), n, next_factor};
  onepass::detail::run_scan("linear_recurrence", policy, job{maps, out, {}, {}, {}, n});
}

}  // namespace row_recurrence

void recur_in_rows(const execution& where, const_items a, const_items b, index_t n, index_t length, items out,
                   const recurrence_options& options) {
  constexpr auto call = "linear_recurrence";
  with_plain_policy(call, where, [&](const auto& policy) {
    if (n == 0) return;
    with_float(out.kind, [&](auto* tag) {
      using T = std::remove_pointer_t<decltype(tag)>;
      const T *factors = as(tag, a.data), *terms = as(tag, b.data);
      T* const to = as(tag, out.data);
#if ONEPASS_HAS_CUDA
      const recurrence_rows<T> all{factors, terms, to, n, std::min(length, n), options.next_factor};
      if (where.on_cuda() && has_row_for_each_warp(all)) {
        const auto stream = static_cast<cudaStream_t>(where.stream());
        return options.reverse ? recur_by_warps<true>(call, all, stream) : recur_by_warps<false>(call, all, stream);
      }
#endif
      if (options.reverse) {
        row_recurrence::recur<true>(policy, factors, terms, n, length, row_recurrence::reversed_array<T>{to + n - 1},
                                    options.next_factor);
      } else {
        row_recurrence::recur<false>(policy, factors, terms, n, length, to, options.next_factor);
      }
    });
  });
}

}  // namespace onepass::library::detail
