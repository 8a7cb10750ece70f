// SPDX-License-Identifier: Apache-2.0
// Scans of segments in vectors: includes the kernels (simd_segments.inc) once for each level.
#pragma once

#include "simd_scan.hpp"

namespace onepass::detail {
constexpr index_t head_group = 64;  // head flags are looked at in groups: the bits of 64 fill a word
}

#if ONEPASS_HAS_SIMD
#if defined(__x86_64__)
#include "level_avx512.inc"
#include "simd_segments.inc"
#include "level_end.inc"
#endif
#include "level_avx2.inc"
#include "simd_segments.inc"
#include "level_end.inc"
#endif
