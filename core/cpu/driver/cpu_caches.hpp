// SPDX-License-Identifier: Apache-2.0
// What the CPU backend knows of caches and pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace onepass::detail {

// A core's own second-level cache; at least 256 KB and at most 2 MB are counted on, 512 KB where the system does not tell.
inline std::size_t second_level_bytes() {
  static const std::size_t bytes = [] {
    long told = 0;
#if defined(_SC_LEVEL2_CACHE_SIZE)
    told = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return told <= 0 ? std::size_t{1} << 19
                     : std::clamp(static_cast<std::size_t>(told), std::size_t{1} << 18, std::size_t{1} << 21);
  }();
  return bytes;
}

// Asks for pages of 2 MB where the system leaves that choice to programs: memory that is touched for the first time costs
// fewer faults, and stores to many places at once find their pages' addresses sooner.
inline void ask_for_large_pages(void* memory, std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) & ~(page - 1);
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) & ~(page - 1);
  if (begin < end)
    (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // if not, memory is as it was
#else
  (void)memory, (void)bytes;
#endif
}

}  // namespace onepass::detail
