// SPDX-License-Identifier: Apache-2.0
// The memory of one call on the CPU, and of users' workspaces there.
#pragma once

#include <cstring>
#include <memory>
#include <new>

#include "../../execution/scratch_layout.hpp"
#include "cpu_caches.hpp"

namespace onepass::detail {

// Gets scratch for a call and keeps it as long as the object lives. The scratch comes from the caller's workspace; or,
// if 16 KB are enough, from the object itself, on the stack; or from a Thrust policy's allocator; or from the system.
class cpu_call_memory {
 public:
  cpu_call_memory(const char* call, const cpu_policy& policy, std::size_t scratch) {
    if (policy.memory() == nullptr && scratch <= sizeof few_) scratch_ = few_;
    else get_from_elsewhere(call, policy, scratch);
  }
  cpu_call_memory(const cpu_call_memory&) = delete;
  cpu_call_memory& operator=(const cpu_call_memory&) = delete;
  ~cpu_call_memory() {
    if (borrowed_ != nullptr) allocator_.release(allocator_.policy, borrowed_, borrowed_bytes_);
  }
  bool measuring() const { return measuring_; }  // if so, there is no memory and the call must return
  void* scratch() const { return scratch_; }

  struct free_aligned {
    void operator()(void* p) const { ::operator delete (p, std::align_val_t{section_alignment}); }
  };
  using aligned_memory = std::unique_ptr<void, free_aligned>;
  static aligned_memory allocate_aligned(std::size_t bytes) {
    if (bytes > PTRDIFF_MAX) throw std::bad_alloc();  // libstdc++ rounds sizes up, the largest ones to 0
    aligned_memory memory(::operator new (bytes, std::align_val_t{section_alignment}));
    ask_for_large_pages(memory.get(), bytes);
    return memory;
  }

 private:
  // Not inlined: every call of every type has such an object.
  [[gnu::noinline]] void get_from_elsewhere(const char* call, const cpu_policy& policy, std::size_t scratch) {
    if (workspace* given = policy.memory()) {
      measuring_ = given->measuring();
      if (measuring_) {
        given->require({0, scratch});
      } else {
        given->check(call, {0, scratch});
        scratch_ = given->scratch();
      }
    } else if (policy.allocator().allocate != nullptr) {
      allocator_ = policy.allocator();
      borrowed_bytes_ = scratch + section_alignment;
      borrowed_ = allocator_.allocate(allocator_.policy, borrowed_bytes_);
      const auto address = reinterpret_cast<std::uintptr_t>(borrowed_);
      scratch_ = static_cast<char*>(borrowed_) + (round_up(address, std::uintptr_t{section_alignment}) - address);
    } else {
      own_ = or_bad_alloc(call, [&] { return allocate_aligned(scratch); });
      scratch_ = own_.get();
    }
  }

  bool measuring_ = false;
  void* scratch_ = nullptr;
  aligned_memory own_;
  void* borrowed_ = nullptr;  // from a Thrust policy's allocator
  std::size_t borrowed_bytes_ = 0;
  policy_allocator allocator_;
  // The scratch of calls on few items: to get memory from the system and give it back takes as long as some hundred
  // items (docs/history/performance-log.md, "Small calls on the CPU").
  alignas(section_alignment) char few_[std::size_t{1} << 14];
};

template <>
struct workspace_memory<cpu_policy> {
  static void* allocate(const cpu_policy&, std::size_t bytes) {
    return cpu_call_memory::allocate_aligned(bytes).release();
  }
  static void clear(const cpu_policy&, void* memory, std::size_t bytes) { std::memset(memory, 0, bytes); }
  static void release(void* memory) { cpu_call_memory::free_aligned{}(memory); }
};

}  // namespace onepass::detail
