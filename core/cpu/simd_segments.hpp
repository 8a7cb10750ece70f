// SPDX-License-Identifier: Apache-2.0
// Scans of segments in vectors, for each level (simd_segments.inc).
#pragma once

#include "simd_scan.hpp"

namespace onepass::detail {
constexpr index_t head_group = 64;  // so many heads are looked at together
}

#define ONEPASS_SIMD_CODE "simd_segments.inc"
#include "simd_each_level.inc"
