// SPDX-License-Identifier: Apache-2.0
// Scans in vectors, for each level: includes the operators on lanes (simd_lanes.inc) and the kernels of a scan's tile
// (simd_scan.inc) once for each.
#pragma once

#include "../../support/accumulator.hpp"
#include "../../scan/scan_job.hpp"
#include "simd.hpp"

namespace onepass::detail {

template <class Lane>
Lane load_lane(const Lane* p) {
  Lane x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

// Whether the results of a scan are stored past the caches. Those in place are not.
template <class Lane>
bool scan_streams(const Lane* in, const Lane* out, index_t n) {
  return in != out && pays_to_stream(static_cast<std::size_t>(n) * sizeof(Lane));
}
// Whether 16-byte stores past the caches can write to `out`.
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

#if ONEPASS_HAS_SIMD && defined(__x86_64__)
#include "level_avx512.inc"
#include "simd_lanes.inc"
#include "level_end.inc"
#endif
#include "level_avx2.inc"
#include "simd_lanes.inc"
#include "level_end.inc"

#if ONEPASS_HAS_SIMD
#if defined(__x86_64__)
#include "level_avx512.inc"
#include "simd_scan.inc"
#include "level_end.inc"
#endif
#include "level_avx2.inc"
#include "simd_scan.inc"
#include "level_end.inc"
#endif
