// SPDX-License-Identifier: Apache-2.0
// Numbers of 16 bits in a thread's registers, two to a register.
#pragma once

namespace onepass::detail {

template <int size>
class short_numbers {
 public:
  __device__ void put(int i, unsigned number) {  // for i = 0, 1, 2, ... in this order
    if (i % 2 == 0) words_[i / 2] = number;
    else words_[i / 2] |= number << 16;
  }
  __device__ unsigned get(int i) const { return words_[i / 2] >> i % 2 * 16 & 0xFFFFu; }

 private:
  unsigned words_[(size + 1) / 2];
};

}  // namespace onepass::detail
