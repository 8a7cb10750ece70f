// SPDX-License-Identifier: Apache-2.0
// Which backends this translation unit has, and the few markers that differ between nvcc and a plain C++ compiler.
#pragma once

#include <cstdint>

#if __cplusplus < 201703L
#error "onepass needs C++17 or newer"
#elif defined(__CUDA__) && defined(__clang__) && !defined(__NVCC__)
#error "onepass does not support clang as the compiler of CUDA code; please use nvcc"
#elif !defined(__GNUC__)
#error "onepass needs g++ or clang++, also behind nvcc, as it uses their extensions of the language"
#endif

#if defined(__CUDACC__)
#define ONEPASS_HAS_CUDA 1
#define ONEPASS_HOST_DEVICE __host__ __device__
// Silences nvcc where a __host__ __device__ template calls what a user wrote for one side only.
#define ONEPASS_EXEC_CHECK_DISABLE _Pragma("nv_exec_check_disable")
#else
#define ONEPASS_HAS_CUDA 0
#define ONEPASS_HOST_DEVICE
#define ONEPASS_EXEC_CHECK_DISABLE
#endif

// Each shared library has its own of what is marked so.
#if defined(__GNUC__)
#define ONEPASS_HIDDEN __attribute__((visibility("hidden")))
#else
#define ONEPASS_HIDDEN
#endif

// Unrolls a loop in device code; on the host that is the compiler's choice.
#if defined(__CUDA_ARCH__)
#define ONEPASS_UNROLL _Pragma("unroll")
#else
#define ONEPASS_UNROLL
#endif

// 1: every wait on the device traps after a second or so. For finding bugs: a release must outlast debuggers and time
// slicing, so it is off by default.
#ifndef ONEPASS_BOUND_SPINS
#define ONEPASS_BOUND_SPINS 0
#endif

// 1: threads of the CPU backend come from oneTBB; 0: from std::thread. CMake sets it where it links TBB.
#ifndef ONEPASS_HAS_TBB
#define ONEPASS_HAS_TBB 0
#endif

struct CUstream_st;  // what a cudaStream_t points to; named here so that plain C++ can hold one

namespace onepass {

using index_t = std::int64_t;   // of an item
using stream_t = CUstream_st*;  // a cudaStream_t

namespace detail {
using tile_t = std::uint32_t;                               // of a tile
constexpr std::int64_t most_tiles = std::int64_t{1} << 30;  // leaves room for failing tickets in 32 bits

template <class Integer>
constexpr ONEPASS_HOST_DEVICE Integer divide_up(Integer a, Integer b) {
  return (a + b - 1) / b;
}
template <class Integer>
constexpr ONEPASS_HOST_DEVICE Integer round_up(Integer a, Integer b) {
  return divide_up(a, b) * b;
}
// The address of an object whose class may have a unary & of its own.
template <class T>
constexpr ONEPASS_HOST_DEVICE T* object_address(T& x) {
  return __builtin_addressof(x);
}
}  // namespace detail
}  // namespace onepass
