// SPDX-License-Identifier: Apache-2.0
// What the CPU backend knows about caches and pages, and from which size on it stores past the caches.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace onepass::detail {

// The size of a core's own second-level cache. What the system tells is limited to 256 KB at least and 2 MB at most.
// Where it does not tell, 512 KB are assumed, which many cores have. The limits are not measured.
[[gnu::noinline, gnu::cold]] inline std::size_t find_second_level_bytes() {
  long told = 0;
#if defined(_SC_LEVEL2_CACHE_SIZE)
  told = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
  return told <= 0 ? std::size_t{1} << 19
                   : std::clamp(static_cast<std::size_t>(told), std::size_t{1} << 18, std::size_t{1} << 21);
}
inline std::size_t second_level_bytes() {
  static const std::size_t bytes = find_second_level_bytes();
  return bytes;
}

// An output of so many bytes is stored past the caches, as it leaves them before it is read again; otherwise each stored
// line is first read from memory. Half of the third-level cache that the system tells of, 4 MB at least and 16 MB at most.
// With 32 MB of that cache two threads scanned int32 in, through the caches and past them, 122 and 153 us (4 MB), 194 and
// 269 (8 MB), 498 and 484 (16 MB), 1,283 and 1,128 (32 MB); on a larger machine 16 MB took the same both ways.
[[gnu::noinline, gnu::cold]] inline std::size_t find_streaming_bytes() {
  long told = 0;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  told = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  return std::clamp(static_cast<std::size_t>(std::max(told, 0L)) / 2, std::size_t{1} << 22, std::size_t{1} << 24);
}
// For calls that begin from now on. Tests set it.
inline std::atomic<std::size_t>& streaming_setting() {
  static std::atomic<std::size_t> bytes{find_streaming_bytes()};
  return bytes;
}

// Asks for pages of 2 MB where the system leaves that choice to programs. The first use of memory then causes fewer
// page faults, and stores to many addresses at once miss the TLB less often.
inline void ask_for_large_pages(void* memory, std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) & ~(page - 1);
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) & ~(page - 1);
  if (begin < end)
    (void)madvise(reinterpret_cast<void*>(begin), end - begin,
                  MADV_HUGEPAGE);  // if it fails, the memory has small pages
#else
  (void)memory, (void)bytes;
#endif
}

}  // namespace onepass::detail
