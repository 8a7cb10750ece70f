// SPDX-License-Identifier: Apache-2.0
// Value types of the tests beside the built-in ones, and how values are compared and shown.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <type_traits>

#include <onepass/config.hpp>
#if ONEPASS_HAS_CUDA
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace test {

#if ONEPASS_HAS_CUDA
using half = __half;
using bfloat16 = __nv_bfloat16;
#endif

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
// What std::is_integral_v says of these depends on the compiler's extensions.
template <class T>
constexpr bool is_wide_integer = std::is_same_v<T, int128> || std::is_same_v<T, uint128>;

// A 2 x 2 matrix modulo 2^32, 16 bytes. Its product is associative, exact and not commutative.
struct matrix {
  std::uint32_t a, b, c, d;
  friend ONEPASS_HOST_DEVICE bool operator==(const matrix& x, const matrix& y) {
    return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d;
  }
  friend std::ostream& operator<<(std::ostream& out, const matrix& m) {
    return out << '(' << m.a << ' ' << m.b << "; " << m.c << ' ' << m.d << ')';
  }
};
static_assert(sizeof(matrix) == 16);

// x -> a x + b modulo 2^8: 2 bytes that may begin at an odd address.
struct byte_map {
  std::uint8_t a, b;
  friend ONEPASS_HOST_DEVICE bool operator==(const byte_map& f, const byte_map& g) { return f.a == g.a && f.b == g.b; }
  friend std::ostream& operator<<(std::ostream& out, const byte_map& f) { return out << +f.a << " x + " << +f.b; }
};
static_assert(sizeof(byte_map) == 2 && alignof(byte_map) == 1);

// 24 bytes: neither a power of two nor packable into one atomic word. Its address is not to be had by &.
struct triple {
  std::uint64_t x, y, z;
  ONEPASS_HOST_DEVICE triple* operator&() const { return nullptr; }
  friend ONEPASS_HOST_DEVICE bool operator==(const triple& a, const triple& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  }
  friend ONEPASS_HOST_DEVICE bool operator<(const triple& a, const triple& b) {
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    return a.z < b.z;
  }
  friend std::ostream& operator<<(std::ostream& out, const triple& t) {
    return out << '(' << t.x << ' ' << t.y << ' ' << t.z << ')';
  }
};
static_assert(sizeof(triple) == 24);

// A run of consecutive numbers, and whether it is unbroken. `join` gives {0, i, true} at item i of a scan over the
// runs {i, i, true} only if every item came in once and in its place.
struct run {
  std::int32_t first, last;
  std::int32_t unbroken;
  friend ONEPASS_HOST_DEVICE bool operator==(const run& a, const run& b) {
    return a.first == b.first && a.last == b.last && a.unbroken == b.unbroken;
  }
  friend std::ostream& operator<<(std::ostream& out, const run& r) {
    return out << r.first << ".." << r.last << (r.unbroken ? "" : " broken");
  }
};

// Bytes tell floats apart where == does not (NaN, signed zeros).
template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(std::addressof(a), std::addressof(b), sizeof(T)) == 0;
}

template <class T>
void show(std::ostream& out, const T& value) {
  if constexpr (is_wide_integer<T>)
    out << static_cast<std::uint64_t>(value >> 64) << " * 2^64 + " << static_cast<std::uint64_t>(value);
  else if constexpr (std::is_integral_v<T>) out << +value;
#if ONEPASS_HAS_CUDA
  else if constexpr (std::is_same_v<T, half>) out << __half2float(value);
  else if constexpr (std::is_same_v<T, bfloat16>) out << __bfloat162float(value);
#endif
  else out << value;
}

template <class T>
double as_double(const T& value) {
#if ONEPASS_HAS_CUDA
  if constexpr (std::is_same_v<T, half>) return __half2float(value);
  else if constexpr (std::is_same_v<T, bfloat16>) return __bfloat162float(value);
  else
#endif
    return static_cast<double>(value);
}

template <class T>
T from_double(double value) {
#if ONEPASS_HAS_CUDA
  if constexpr (std::is_same_v<T, half>) return __float2half(static_cast<float>(value));
  else if constexpr (std::is_same_v<T, bfloat16>) return __float2bfloat16(static_cast<float>(value));
  else
#endif
    return static_cast<T>(value);
}

}  // namespace test
