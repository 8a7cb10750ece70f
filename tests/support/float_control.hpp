// SPDX-License-Identifier: Apache-2.0
// How this thread rounds floats, and what it takes subnormal ones for.
#pragma once

namespace test {

#if defined(__SSE2__)
inline unsigned float_control() { return __builtin_ia32_stmxcsr() & 0xffc0; }

class subnormals_are_zero {
 public:
  subnormals_are_zero() : before_(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr(before_ | 0x8040); }
  ~subnormals_are_zero() { __builtin_ia32_ldmxcsr(before_); }
  subnormals_are_zero(const subnormals_are_zero&) = delete;
  subnormals_are_zero& operator=(const subnormals_are_zero&) = delete;

 private:
  unsigned before_;
};
#else
inline unsigned float_control() { return 0; }
struct subnormals_are_zero {
  subnormals_are_zero() {}
};
#endif

}  // namespace test
