// SPDX-License-Identifier: Apache-2.0
// What the library's selections share. Keys of a size have a source file. All calls have the same kernels: what is written beside
// a key is chosen at run time, as there are few results.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>

#include <onepass/select.hpp>

#include "library_dispatch.hpp"

namespace onepass::library::detail {

// What is written beside result `to`, whose key has index `from`: its value, its index in its segment, or nothing.
struct beside_key {
  const void* values;  // null: indices
  void* out;
  int bytes;                  // of a value or an index; 0: nothing is written
  const std::int64_t* first;  // where segments start; null: rows of `length` items
  index_t length, of_segment;

  ONEPASS_HOST_DEVICE void operator()(index_t to, index_t from) const {
    switch (bytes) {
      case 1: return write<std::uint8_t>(to, from);
      case 2: return write<std::uint16_t>(to, from);
      case 4: return write<std::uint32_t>(to, from);
      case 8: return write<std::uint64_t>(to, from);
      default: return;
    }
  }

 private:
  template <class Bits>
  ONEPASS_HOST_DEVICE void write(index_t to, index_t from) const {
    auto* const item = static_cast<raw<Bits>*>(out) + to;
    if (values != nullptr) *item = static_cast<const raw<Bits>*>(values)[from];
    else item->bits = static_cast<Bits>(from - begin_of(to / of_segment));
  }
  ONEPASS_HOST_DEVICE index_t begin_of(index_t segment) const {
    if (first == nullptr) return segment * length;
    return first[segment] < 0 ? 0 : first[segment];
  }
};

// A selection of any kind. `k` counts the results of a segment, or is the rank of the one result, from 1 on.
struct selection_call {
  const char* name;
  const_items keys;
  index_t n;
  segments by;
  index_t k;
  items out;
  beside_key beside;
  onepass::detail::selection mode;
  bool smallest;
};

// Keys of one type. Segments: none, or one of the headers' kinds.
template <class Policy, class K, class Segments>
void select_from(const Policy& policy, const selection_call& of, const K* first, const Segments& by) {
  onepass::detail::select_items(of.name, policy, first, first + of.n, thrust::counting_iterator<index_t>(0), by, of.k,
                                static_cast<K*>(of.out.data), thrust::make_tabulate_output_iterator(of.beside), of.mode,
                                of.smallest);
}
template <class K>
void select_keys(const execution& where, const selection_call& of) {
  const auto* const first = static_cast<const K*>(of.keys.data);
  with_policy(of.name, where, [&](const auto& policy) {
    const auto* const starts = of.by.first;
    if (of.by.kind == segments::are::offsets)
      select_from(policy, of, first, onepass::offsets(starts, starts + of.by.count));
    else if (of.by.kind == segments::are::rows) select_from(policy, of, first, onepass::rows(of.by.length));
    else select_from(policy, of, first, onepass::detail::none());
  });
}

void select_narrow(const execution& where, const selection_call& of);
void select_wide(const execution& where, const selection_call& of);
void select_half(const execution& where, const selection_call& of);

}  // namespace onepass::library::detail
