// SPDX-License-Identifier: Apache-2.0
// Scans in vectors, for each level: operators on lanes (simd_lanes.inc), and the kernels of a scan's tile (simd_scan.inc).
#pragma once

#include "../accumulator.hpp"
#include "../scan_job.hpp"
#include "simd.hpp"

namespace onepass::detail {

template <class Lane>
Lane load_lane(const Lane* p) {
  Lane x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

// Whether results are stored past the caches. Not in place.
template <class Lane>
bool scan_streams(const Lane* in, const Lane* out, index_t n) {
  return in != out && pays_to_stream(static_cast<std::size_t>(n) * sizeof(Lane));
}
inline bool takes_whole_rows(const void* out) { return reinterpret_cast<std::uintptr_t>(out) % 16 == 0; }

#if !ONEPASS_HAS_SIMD
namespace no_level {}
using namespace no_level;
template <class Job>
struct scan_kernels {
  static constexpr bool possible = false;
};
#endif

}  // namespace onepass::detail

#if !ONEPASS_HAS_SIMD  // which operators have lanes is asked in any case
#define ONEPASS_SIMD_LEVEL no_level
#include "simd_lanes.inc"
#endif
#define ONEPASS_SIMD_CODE "simd_lanes.inc"
#include "simd_each_level.inc"
#define ONEPASS_SIMD_CODE "simd_scan.inc"
#include "simd_each_level.inc"
