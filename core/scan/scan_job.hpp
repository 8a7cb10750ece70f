// SPDX-License-Identifier: Apache-2.0
// A scan's job, which drivers are given: where the items come from (the source), the operator, and what is stored for
// each item (the epilogue). Scan and segmented scan differ in these alone.
#pragma once

#include <cuda/std/optional>

#include "source.hpp"

namespace onepass::detail {

// ---- what is stored -----------------------------------------------------------------------------------------------
// emit(scanned, mark) returns what is stored for an item. `mark` is mark(item), of the item itself. Drivers keep it
// only if `marks` is true.

// Stores the scanned value.
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

// Stores the value without its flag, for inclusive segmented scans.
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

// Stores the initial value at heads, for exclusive segmented scans. What was scanned before a head belongs to another
// segment.
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
// The type in which descriptors store a value. Specialised where the aggregate of one tile needs less than a value
// does.
template <class T>
struct stored_as {
  using type = T;
};

// Result i is emit(initial o x[0] o ... o x[i]); if the job is exclusive, without x[i]. An exclusive job has an initial
// value.
template <class Source, class Out, class Op, class Emit, bool is_inclusive>
struct scan_job {
  using source_type = Source;
  using value_type = typename Source::value_type;
  using stored_type = typename stored_as<value_type>::type;
  using op_type = Op;
  static constexpr bool inclusive = is_inclusive;

  // Whether a tile may write where another tile has read, so that descriptors have to order the two (descriptor.hpp).
  static constexpr ONEPASS_HOST_DEVICE bool ordered() { return false; }
  ONEPASS_HOST_DEVICE void end_empty() const {}  // called instead of a scan if n in memory is 0

  ONEPASS_HOST_DEVICE const Source& streams() const { return source; }  // the source that the pipeline stages

  Source source;
  Out out;
  Op op;
  Emit emit;
  ::cuda::std::optional<value_type> initial;
  index_t n;
};

// A scan on CUDA whose initial value stands in device memory, where an earlier kernel of the stream writes it. It takes
// a policy with a size in memory (sized_by).
template <class Job>
struct carried_job : Job {
  const ::cuda::std::optional<typename Job::value_type>* carry;
};

// Called by the kernels for jobs with a size in memory, on their copy of the job, when n is known.
template <class Job>
ONEPASS_HOST_DEVICE void complete_sized(Job&) {}
template <class Job>
ONEPASS_HOST_DEVICE void complete_sized(carried_job<Job>& job) {
  job.initial = *job.carry;
}

}  // namespace onepass::detail
