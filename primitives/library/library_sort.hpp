// SPDX-License-Identifier: Apache-2.0
// What the library's sorts share. Keys have their own type; values share the kernels of their size: they go as integers, as
// indices do. (In these source files nothing else looks at the caller's values, so the compiler cannot see the two types.)
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <onepass/radix_sort.hpp>

#include "library_dispatch.hpp"

namespace onepass::library::detail {

inline onepass::radix_options options_of(const radix_options& options) {
  return {options.descending, options.begin_bit, options.end_bit};
}

inline void check_options(const char* call, type key, const radix_options& options) {
  with_key(key, [&](auto* tag) {
    using K = std::remove_pointer_t<decltype(tag)>;
    (void)onepass::detail::checked_options<K, onepass::detail::whole_key>(call, options_of(options));
  });
}

template <class Value>
void sort_with_values(const execution& where, items keys, std::size_t size, items values,
                      const radix_options& options) {
  constexpr auto call = "radix_sort_by_key";
  const index_t n = checked_items(call, where, size);
  check_pointer(call, "keys", keys.data, size);
  check_pointer(call, "values", values.data, size);
  with_policy(call, where, [&](const auto& policy) {
    with_key(keys.kind, [&](auto* tag) {
      auto* first = as(tag, keys.data);
      onepass::radix_sort_by_key(policy, first, first + n, static_cast<Value*>(values.data), options_of(options));
    });
  });
}

// Index i as a value.
template <class Index>
struct as_index {
  ONEPASS_HOST_DEVICE Index operator()(index_t i) const { return static_cast<Index>(i); }
};

// Writes the indices of the sorted keys to `out`, sorted as Index. It has the kernels of the sort by key, which on CUDA make
// indices of 4 bytes themselves, and may store them in 8.
template <class Index, class Out>
void argsort_to(const execution& where, const_items keys, index_t n, Out* out, const radix_options& options) {
  with_policy("argsort", where, [&](const auto& policy) {
    with_key(keys.kind, [&](auto* tag) {
      const auto *first = as(tag, keys.data), *last = first + n;
      if constexpr (onepass::detail::on_cuda<std::decay_t<decltype(policy)>> && sizeof(Index) == 4) {
        onepass::radix_sort_by_key_copy(policy, first, last, thrust::counting_iterator<Index>(0),
                                        thrust::discard_iterator<>(), out, options_of(options));
      } else if constexpr (sizeof(Index) == sizeof(Out)) {
        const auto indices = thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0), as_index<Index>());
        onepass::radix_sort_by_key_copy(policy, first, last, indices, thrust::discard_iterator<>(), out,
                                        options_of(options));
      }
    });
  });
}

void argsort_narrow(const execution& where, const_items keys, index_t n, std::uint32_t* out,
                    const radix_options& options);
// On CUDA alone.
void argsort_widened(const execution& where, const_items keys, index_t n, std::uint64_t* out,
                     const radix_options& options);
void argsort_wide(const execution& where, const_items keys, index_t n, std::uint64_t* out,
                  const radix_options& options);
void sort_with_wide_values(const execution& where, items keys, std::size_t size, items values,
                           const radix_options& options);

}  // namespace onepass::library::detail
