// SPDX-License-Identifier: Apache-2.0
// The CPU's calls with every size of vectors that this machine has, and without any.
#pragma once

#include <gtest/gtest.h>

#include "../../core/cpu/simd/simd.hpp"

namespace test {

using onepass::detail::simd_level;
constexpr simd_level least_vectors = simd_level::neon;  // all but plain loops

// Calls body() with each level from `least` on.
template <class Body>
void at_each_simd_level(simd_level least, Body body) {
  struct restored {
    simd_level usual = onepass::detail::simd_in_use();
    ~restored() { onepass::detail::simd_setting() = usual; }
  } setting;
  const char* const names[] = {"none", "neon", "avx2", "avx512"};
  for (const simd_level level : {simd_level::none, simd_level::neon, simd_level::avx2, simd_level::avx512}) {
    const bool is_elsewhere = level == simd_level::neon && setting.usual != simd_level::neon;
    if (level < least || level > setting.usual || is_elsewhere) continue;
    SCOPED_TRACE(testing::Message() << "vectors: " << names[static_cast<int>(level)]);
    onepass::detail::simd_setting() = level;
    body();
  }
}
template <class Body>
void at_each_simd_level(Body body) {
  at_each_simd_level(simd_level::none, body);
}

}  // namespace test
