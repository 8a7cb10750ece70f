// SPDX-License-Identifier: Apache-2.0
// What a call needs of scratch memory: sections, described once. Both the size and the pointers come from that.
#pragma once

#include <onepass/workspace.hpp>

#include "../lookback/tile_memory.hpp"
#include "resolve_policy.hpp"

namespace onepass::detail {

// Takes sections one after another; the offsets are what a call turns into pointers once it has the memory.
class layout {
 public:
  // Room for n items of T; returns its offset in bytes.
  template <class T>
  std::size_t add(index_t n) {
    const std::size_t offset = bytes_;
    bytes_ += round_up(static_cast<std::size_t>(n) * sizeof(T), section_alignment);
    return offset;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

template <class T>
T* section(void* scratch, std::size_t offset) {
  return reinterpret_cast<T*>(static_cast<char*>(scratch) + offset);
}

template <class Policy>
bool is_measuring(const Policy& policy) {
  if constexpr (is_onepass_policy<Policy>) return policy.memory() != nullptr && policy.memory()->measuring();
  else return false;
}

// On the CPU, where the number of items is known when a call is made.
template <class Policy>
index_t items_now(const Policy& policy, index_t most) {
  return is_measuring(policy) ? most : count_of(policy, most).get();
}

}  // namespace onepass::detail
