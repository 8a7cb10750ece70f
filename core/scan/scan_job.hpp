// SPDX-License-Identifier: Apache-2.0
// A scan as the drivers see it: where its items come from, the operator, and what is stored for each item. Scan and
// segmented scan differ in these alone.
#pragma once

#include <cuda/std/optional>

#include "source.hpp"

namespace onepass::detail {

// ---- what is stored -----------------------------------------------------------------------------------------------
// emit(scanned, mark): what is stored for an item; `mark` is mark(item) of the item itself, kept only where `marks`.

// The scanned value as it is.
struct emit_value {
  static constexpr bool marks = false;
  template <class T>
  ONEPASS_HOST_DEVICE bool mark(const T&) const {
    return false;
  }
  template <class T>
  ONEPASS_HOST_DEVICE const T& operator()(const T& scanned, bool) const {
    return scanned;
  }
};

// An inclusive segmented scan drops the flag.
struct emit_segmented {
  static constexpr bool marks = false;
  template <class T>
  ONEPASS_HOST_DEVICE bool mark(const T&) const {
    return false;
  }
  template <class T>
  ONEPASS_HOST_DEVICE auto operator()(const T& scanned, bool) const {
    return scanned.value;
  }
};

// An exclusive one stores the initial value at heads; what it scanned before a head belongs to another segment.
template <class T>
struct emit_segmented_exclusive {
  static constexpr bool marks = true;
  T initial;
  template <class Flagged>
  ONEPASS_HOST_DEVICE bool mark(const Flagged& item) const {
    return item.head;
  }
  template <class Flagged>
  ONEPASS_HOST_DEVICE T operator()(const Flagged& scanned, bool head) const {
    return head ? initial : scanned.value;
  }
};

// ---- the job ------------------------------------------------------------------------------------------------------
// The i-th result is emit(initial o x[0] o ... o x[i]), exclusive without x[i]; an exclusive job has an initial value.
// What a descriptor holds of a value: it is only of one tile. To be specialised.
template <class T>
struct stored_as {
  using type = T;
};

template <class Source, class Out, class Op, class Emit, bool is_inclusive>
struct scan_job {
  using source_type = Source;
  using value_type = typename Source::value_type;
  using stored_type = typename stored_as<value_type>::type;  // what descriptors hold
  using op_type = Op;
  static constexpr bool inclusive = is_inclusive;

  // Whether a tile may write what another has read.
  static constexpr ONEPASS_HOST_DEVICE bool ordered() { return false; }
  ONEPASS_HOST_DEVICE void end_empty() const {}  // where n turns out to be 0

  ONEPASS_HOST_DEVICE const Source& streams() const { return source; }  // what a tile reads

  Source source;
  Out out;
  Op op;
  Emit emit;
  ::cuda::std::optional<value_type> initial;
  index_t n;
};

}  // namespace onepass::detail
