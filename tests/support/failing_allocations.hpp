// SPDX-License-Identifier: Apache-2.0
// Every operator new of the program: counts, and lets one allocation fail, to see what a call does then; and keeps the most
// bytes that were alive. To be included by one file of a program.
#pragma once

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace test {

struct allocations {
  static inline std::atomic<long> left{0};  // until one fails; 0: none does
  static inline std::atomic<long> alive{0};
  static inline std::atomic<long> bytes_now{0}, most_bytes{0};

  static void* get(std::size_t bytes, std::size_t alignment) {
    long now = left.load();
    while (now > 0 && !left.compare_exchange_weak(now, now - 1)) {
    }
    if (now == 1) return nullptr;
    void* const memory = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
    if (memory != nullptr) {
      ++alive;
      const long all = bytes_now += static_cast<long>(malloc_usable_size(memory));
      for (long most = most_bytes; most < all && !most_bytes.compare_exchange_weak(most, all);) {
      }
    }
    return memory;
  }
  static void* get_or_throw(std::size_t bytes, std::size_t alignment) {
    void* const memory = get(bytes, alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  static void give_back(void* memory) {
    if (memory != nullptr) {
      --alive;
      bytes_now -= static_cast<long>(malloc_usable_size(memory));
    }
    std::free(memory);
  }
};

// While it lives, the k-th allocation from its start fails, once.
class failing_allocation {
 public:
  explicit failing_allocation(long k) { allocations::left = k; }
  ~failing_allocation() { allocations::left = 0; }
  failing_allocation(const failing_allocation&) = delete;
  failing_allocation& operator=(const failing_allocation&) = delete;
  bool has_failed() const { return allocations::left == 0; }
};

}  // namespace test

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // it looks at one operator at a time
#endif
void* operator new(std::size_t bytes) { return test::allocations::get_or_throw(bytes, alignof(std::max_align_t)); }
void* operator new[](std::size_t bytes) { return test::allocations::get_or_throw(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return test::allocations::get_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return test::allocations::get_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return test::allocations::get(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return test::allocations::get(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { test::allocations::give_back(memory); }
void operator delete[](void* memory) noexcept { test::allocations::give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { test::allocations::give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { test::allocations::give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { test::allocations::give_back(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { test::allocations::give_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { test::allocations::give_back(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { test::allocations::give_back(memory); }
