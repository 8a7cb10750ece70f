// SPDX-License-Identifier: Apache-2.0
// Operators and predicates that an engine can get wrong: not commutative, slow, throwing, counting.
#pragma once

#include <cuda/atomic>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "random.hpp"
#include "types.hpp"

namespace test {

struct matrix_product {
  ONEPASS_HOST_DEVICE matrix operator()(const matrix& x, const matrix& y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
};

// The first map, and then the second: associative, exact, not commutative.
struct map_then_map {
  ONEPASS_HOST_DEVICE byte_map operator()(const byte_map& f, const byte_map& g) const {
    return {static_cast<std::uint8_t>(g.a * f.a), static_cast<std::uint8_t>(g.a * f.b + g.b)};
  }
};

// The product of the upper triangular 3 x 3 matrices with ones on the diagonal (Heisenberg's group), modulo 2^64.
struct triangular_product {
  ONEPASS_HOST_DEVICE triple operator()(const triple& a, const triple& b) const {
    return {a.x + b.x, a.y + b.y, a.z + b.z + a.x * b.y};
  }
};

struct join {
  ONEPASS_HOST_DEVICE run operator()(const run& a, const run& b) const {
    return {a.first, b.last, (a.unbroken && b.unbroken && a.last + 1 == b.first) ? 1 : 0};
  }
};

// A sum that onepass does not know to be one.
struct plain_sum {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return static_cast<T>(a + b);
  }
};

// The second of two: associative, not commutative, on any type.
struct latter {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T&, const T& b) const {
    return b;
  }
};

// A sum that is now and then a thousand times slower, so that tiles finish in another order than they started.
struct slow_sum {
  ONEPASS_HOST_DEVICE std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    const std::uint64_t chance = hash(a, b);
#if defined(__CUDA_ARCH__)
    if ((chance & 1023) == 0) __nanosleep(static_cast<unsigned>(chance >> 51));  // up to 8 microseconds
#else
    if ((chance & 32767) == 0) std::this_thread::sleep_for(std::chrono::microseconds(chance >> 56));
#endif
    return a + b;
  }
};

// What the throwing function objects throw.
struct refusal : std::runtime_error {
  refusal() : std::runtime_error("refused") {}
};

constexpr std::int64_t refused_value = -1;

struct throwing_sum {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    if (a == refused_value || b == refused_value) throw refusal();
    return a + b;
  }
};

struct throwing_predicate {
  bool operator()(std::int64_t value) const {
    if (value == refused_value) throw refusal();
    return value % 2 == 0;
  }
};

struct throwing_less {
  bool operator()(std::int64_t a, std::int64_t b) const {
    if (a == refused_value || b == refused_value) throw refusal();
    return a < b;
  }
};

struct throwing_equal {
  bool operator()(std::int64_t a, std::int64_t b) const {
    if (a == refused_value || b == refused_value) throw refusal();
    return a == b;
  }
};

struct is_even {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& value) const {
    return static_cast<std::uint64_t>(value) % 2 == 0;
  }
};

// True for `share` of all values of any type, decided by their first bytes.
struct is_lucky {
  double share;
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& value) const {
    std::uint64_t bits = 0;
    memcpy(&bits, __builtin_addressof(value), sizeof(T) < sizeof(bits) ? sizeof(T) : sizeof(bits));
    return static_cast<double>(hash(7, bits) >> 11) * 0x1p-53 < share;
  }
};

struct is_set {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& value) const {
    return static_cast<bool>(value);
  }
};

struct is_negative {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& value) const {
    return value < 0;
  }
};

struct negate {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T& value) const {
    return static_cast<T>(-value);
  }
};

struct square {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T& value) const {
    return static_cast<T>(value * value);
  }
};

// Counts its calls.
struct counting_is_even {
  unsigned long long* calls;
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& value) const {
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*calls).fetch_add(1, cuda::memory_order_relaxed);
    return value % 2 == 0;
  }
};

struct same_value {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};

struct same_parity {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    return a % 2 == b % 2;
  }
};

// Keys that are equal when their tens are: an equivalence that is not ==.
struct same_tens {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    return a / 10 == b / 10;
  }
};

// Tens first, ascending: leaves keys of the same tens equal.
struct less_tens {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    return a / 10 < b / 10;
  }
};

}  // namespace test
