// SPDX-License-Identifier: Apache-2.0
// Random numbers by counting: the same (seed, item, draw) gives the same number on host and device, in any order.
// Method: the finaliser of SplitMix64 (Steele, Lea, Flood, 2014) over the three numbers.
#pragma once

#include <cmath>
#include <cstdint>

#include "vec3.hpp"

namespace apps {

ONEPASS_HOST_DEVICE inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// The random numbers of one item, one after the other.
class random_stream {
 public:
  ONEPASS_HOST_DEVICE random_stream(std::uint64_t seed, std::uint64_t item) : state_(mixed(mixed(seed) ^ item)) {}

  // In [0, 1), in steps of 2^-24 so that a float holds it.
  ONEPASS_HOST_DEVICE float uniform() { return static_cast<float>(mixed(state_++) >> 40) * (1.0F / 16777216.0F); }

  // Normally distributed around 0 with deviation 1 (Box and Muller).
  ONEPASS_HOST_DEVICE float normal() {
    const float radius = sqrtf(-2 * logf(1 - uniform()));
    return radius * cosf(6.2831853F * uniform());
  }

  // Exponentially distributed with mean 1.
  ONEPASS_HOST_DEVICE float exponential() { return -logf(1 - uniform()); }

 private:
  std::uint64_t state_;
};

}  // namespace apps
