// SPDX-License-Identifier: Apache-2.0
// Function objects of a caller, one call of which throws.
#pragma once

#include <atomic>
#include <cstdint>
#include <tuple>

#include <onepass/config.hpp>
#include "support/operators.hpp"

namespace test {

// What a function object of the caller does: throws at a call that is counted down to, on the host.
struct thrower {
  static inline std::atomic<long> left{0};  // 0: never
  static ONEPASS_HOST_DEVICE void tick() {
#if !defined(__CUDA_ARCH__)
    long now = left.load();
    while (now > 0 && !left.compare_exchange_weak(now, now - 1)) {
    }
    if (now == 1) throw refusal();
#endif
  }
};

// Items are numbers, or hold one (number_of).
inline ONEPASS_HOST_DEVICE std::int64_t number_of(std::int64_t x) { return x; }

struct plus_or_throw {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T& a, const T& b) const {
    thrower::tick();
    return T(number_of(a) + number_of(b));
  }
};
struct twice_or_throw {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T& a) const {
    thrower::tick();
    return T(2 * number_of(a));
  }
};
struct odd_or_throw {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& a) const {
    thrower::tick();
    return number_of(a) % 2 != 0;
  }
};
struct set_or_throw {
  ONEPASS_HOST_DEVICE bool operator()(unsigned char flag) const {
    thrower::tick();
    return flag != 0;
  }
};
// Runs of three in ascending numbers.
struct same_or_throw {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    thrower::tick();
    return number_of(a) / 3 == number_of(b) / 3;
  }
};
struct less_or_throw {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    thrower::tick();
    return number_of(a) < number_of(b);
  }
};

struct record {
  std::int32_t first, second;
  friend bool operator==(const record& a, const record& b) { return a.first == b.first && a.second == b.second; }
};
struct second_or_throw {
  std::tuple<std::int32_t&, std::int32_t&> operator()(record& r) const {
    thrower::tick();
    return {r.second, r.first};
  }
};

}  // namespace test
