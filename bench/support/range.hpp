// SPDX-License-Identifier: Apache-2.0
// An array of a problem (support/problem.hpp).
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "data.hpp"

namespace bench {

// Copies share the memory, which is there while the problem is set up.
template <class T>
class range {
 public:
  range(std::shared_ptr<void*> memory, index_t n) : memory_(std::move(memory)), n_(n) {}
  T* begin() const { return static_cast<T*>(*memory_) + skipped_; }
  T* end() const { return begin() + n_; }
  index_t size() const { return n_; }
  std::size_t bytes() const { return static_cast<std::size_t>(n_) * sizeof(T); }
  // Without its first item, so that it does not begin where memory was allocated.
  range shifted() const {
    range r(memory_, n_ - 1);
    r.skipped_ = skipped_ + 1;
    return r;
  }

 private:
  std::shared_ptr<void*> memory_;
  index_t n_, skipped_ = 0;
};

// What a problem knows of an array, whatever its items are.
struct array {
  std::shared_ptr<void*> memory;
  std::size_t bytes, item_bytes;
  std::function<void()> fill;
  void* expected = nullptr;
  bool counts = true;  // towards the bytes that a call moves
};
inline std::size_t bytes_of(const std::vector<array>& arrays, bool all = false) {
  std::size_t sum = 0;
  for (const array& a : arrays) sum += a.counts || all ? a.bytes : 0;
  return sum;
}

}  // namespace bench
