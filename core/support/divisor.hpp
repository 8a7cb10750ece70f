// SPDX-License-Identifier: Apache-2.0
// Division of indices by a number that is known before: by two multiplications, where a device has no instruction for
// 64 bits and a processor's takes some ten times as long.
#pragma once

#include <cstdint>

#include <onepass/config.hpp>

namespace onepass::detail {

// The upper half of a product of 128 bits.
ONEPASS_HOST_DEVICE inline std::uint64_t upper_half(std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#else
  __extension__ typedef unsigned __int128 wide;
  return static_cast<std::uint64_t>(wide{a} * b >> 64);
#endif
}

// Divides x, 0 <= x < 2^63, by d >= 1. With m = floor((2^64 - 1) / d), the upper half of x m is x / d or one less: m is
// (2^64 - 1 - e) / d with 0 <= e < d, so x m / 2^64 is less than x / d by x (1 + e) / (d 2^64), which is below 1 / 2.
class divisor {
 public:
  explicit divisor(index_t d) : d_(d), m_(~std::uint64_t{0} / static_cast<std::uint64_t>(d)) {}

  ONEPASS_HOST_DEVICE index_t value() const { return d_; }
  ONEPASS_HOST_DEVICE index_t quotient(index_t x) const {
    const index_t q = quotient_or_less(x);
    return q + (x - q * d_ >= d_);
  }
  ONEPASS_HOST_DEVICE index_t rest(index_t x) const {
    const index_t r = x - quotient_or_less(x) * d_;
    return r >= d_ ? r - d_ : r;
  }

 private:
  ONEPASS_HOST_DEVICE index_t quotient_or_less(index_t x) const {
    return static_cast<index_t>(upper_half(static_cast<std::uint64_t>(x), m_));
  }

  index_t d_;
  std::uint64_t m_;
};

}  // namespace onepass::detail
