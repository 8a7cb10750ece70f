// SPDX-License-Identifier: Apache-2.0
// One test body for every backend:
//
//   ONEPASS_TEST(scan, non_commutative) {
//     test::buffer<int> out(backend, 100);
//     onepass::inclusive_scan(backend.policy(), ...);
//   }
//
// makes the tests scan.non_commutative_cpu and, where the file is compiled by nvcc, scan.non_commutative_gpu, which
// skips itself on a machine without a device. ONEPASS_CPU_TEST and ONEPASS_GPU_TEST make one of the two. With
// ONEPASS_TEST_CPU=0 those for the CPU are left out, and what they alone need is not compiled. A macro, because GoogleTest
// registers tests by one.
#pragma once

#include <gtest/gtest.h>

#include "backend.hpp"
#include "buffer.hpp"
#include "compare.hpp"
#include "random.hpp"
#include "sizes.hpp"
#include "types.hpp"

#ifndef ONEPASS_TEST_CPU
#define ONEPASS_TEST_CPU 1
#endif

#if ONEPASS_TEST_CPU
#define ONEPASS_CPU_INSTANCE_(suite, name, body) \
  TEST(suite, name##_cpu) { body(test::cpu_backend{}); }
#define ONEPASS_CPU_TEST(suite, name)                                    \
  static void suite##_##name##_on_cpu(const test::cpu_backend& backend); \
  ONEPASS_CPU_INSTANCE_(suite, name, suite##_##name##_on_cpu)            \
  static void suite##_##name##_on_cpu([[maybe_unused]] const test::cpu_backend& backend)
#else
#define ONEPASS_CPU_INSTANCE_(suite, name, body)
#define ONEPASS_CPU_TEST(suite, name) \
  template <class never>              \
  static void suite##_##name##_on_cpu([[maybe_unused]] const test::cpu_backend& backend)
#endif

#define ONEPASS_TEST(suite, name)                                 \
  template <class backend_type>                                   \
  static void suite##_##name##_body(const backend_type& backend); \
  ONEPASS_CPU_INSTANCE_(suite, name, suite##_##name##_body)       \
  ONEPASS_GPU_INSTANCE_(suite, name, suite##_##name##_body)       \
  template <class backend_type>                                   \
  static void suite##_##name##_body([[maybe_unused]] const backend_type& backend)

#if ONEPASS_HAS_CUDA
#define ONEPASS_GPU_INSTANCE_(suite, name, body)               \
  TEST(suite, name##_gpu) {                                    \
    const std::string missing = test::cuda_backend::missing(); \
    if (!missing.empty()) GTEST_SKIP() << missing;             \
    body(test::cuda_backend{});                                \
  }
#define ONEPASS_GPU_TEST(suite, name)                                     \
  static void suite##_##name##_on_gpu(const test::cuda_backend& backend); \
  ONEPASS_GPU_INSTANCE_(suite, name, suite##_##name##_on_gpu)             \
  static void suite##_##name##_on_gpu([[maybe_unused]] const test::cuda_backend& backend)
#else
#define ONEPASS_GPU_INSTANCE_(suite, name, body)
#endif
