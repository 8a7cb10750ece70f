// SPDX-License-Identifier: Apache-2.0
// The sections of a call's scratch memory, described once. Both the size and the pointers come from that description.
#pragma once

#include "../lookback/tile_memory.hpp"
#include "resolve_policy.hpp"

namespace onepass::detail {

// A description of scratch. A call adds section after section, and keeps their offsets until it has the memory.
class layout {
 public:
  // Adds room for n items of T and returns its offset in bytes.
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

// The pointer to a section, once the call has the memory.
template <class T>
T* section(void* scratch, std::size_t offset) {
  return reinterpret_cast<T*>(static_cast<char*>(scratch) + offset);
}

// Returns f(). Where the host has no memory for it, that is the call's error.
template <class F>
decltype(auto) or_bad_alloc(const char* call, F&& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    throw bad_alloc(call);
  }
}

// The number of items of a call on the CPU, where that is known when the call begins.
template <class Policy>
index_t items_now(const Policy& policy, index_t most) {
  return is_measuring(policy) ? most : count_of(policy, most).get();
}

}  // namespace onepass::detail
