// SPDX-License-Identifier: Apache-2.0
// The library's calls for memory, copies and waiting.
#include <new>

#include <onepass/memory.hpp>
#include <onepass/workspace.hpp>

#include "../../core/cpu/driver/cpu_call_memory.hpp"
#include "library_dispatch.hpp"

namespace onepass::library {

namespace {

// Memory of each backend: allocate, release, copy, wait.
struct memory_of_cpu {
  static void* allocate(const char* call, std::size_t bytes) {
    using onepass::detail::cpu_call_memory;
    return onepass::detail::or_bad_alloc(call, [&] { return cpu_call_memory::allocate_aligned(bytes).release(); });
  }
  static void release(void* memory) { onepass::detail::cpu_call_memory::free_aligned()(memory); }
  static void copy(const char*, const cpu_policy&, void* to, const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
  }
  static void wait(const char*, const cpu_policy&) {}
};

#if ONEPASS_HAS_CUDA
struct memory_of_cuda {
  static void* allocate(const char* call, std::size_t bytes) {
    const onepass::detail::beside_captures guard;
    void* memory = nullptr;
    onepass::detail::check_cuda(call, cudaMalloc(&memory, bytes));
    return memory;
  }
  static void release(void* memory) {
    const onepass::detail::beside_captures guard;
    (void)cudaFree(memory);
  }
  static void copy(const char* call, const cuda_policy& policy, void* to, const void* from, std::size_t bytes) {
    onepass::detail::check_cuda(call, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, policy.stream()));
    wait(call, policy);
  }
  static void wait(const char* call, const cuda_policy& policy) {
    onepass::detail::wait_for_stream(call, policy.stream());
  }
};
template <class Policy>
using memory_of = std::conditional_t<std::is_same_v<Policy, cuda_policy>, memory_of_cuda, memory_of_cpu>;
#else
template <class Policy>
using memory_of = memory_of_cpu;
#endif

}  // namespace

bool has_cuda() noexcept {
#if ONEPASS_HAS_CUDA
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) return devices > 0;
  (void)cudaGetLastError();  // clears the error, which the caller would find otherwise
#endif
  return false;
}

void* allocate(const execution& where, std::size_t bytes) {
  return detail::with_plain_policy("allocate", where, [&](const auto& policy) {
    return memory_of<std::decay_t<decltype(policy)>>::allocate("allocate", bytes > 0 ? bytes : 1);
  });
}

void release(const execution& where, void* memory) noexcept {
  if (memory == nullptr) return;
#if ONEPASS_HAS_CUDA
  if (where.on_cuda()) return memory_of_cuda::release(memory);
#endif
  if (!where.on_cuda()) memory_of_cpu::release(memory);
}

void copy(const execution& where, void* to, const void* from, std::size_t bytes) {
  detail::check_pointer("copy", "to", to, bytes);
  detail::check_pointer("copy", "from", from, bytes);
  detail::with_plain_policy("copy", where, [&](const auto& policy) {
    if (bytes > 0) memory_of<std::decay_t<decltype(policy)>>::copy("copy", policy, to, from, bytes);
  });
}

void wait(const execution& where) {
  detail::with_plain_policy(
      "wait", where, [&](const auto& policy) { memory_of<std::decay_t<decltype(policy)>>::wait("wait", policy); });
}

void release_workspace() {
#if ONEPASS_HAS_CUDA
  if (has_cuda()) onepass::release_memory();
#endif
}

}  // namespace onepass::library
