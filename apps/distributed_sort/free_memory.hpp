// SPDX-License-Identifier: Apache-2.0
// Whether a sort of so many bytes of items fits a rank's memory.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <type_traits>

#include "../common/cpu_backend.hpp"

namespace distributed_sort {

// Of the host, in bytes, without what other programs use.
inline std::uint64_t free_host_memory() {
  std::ifstream facts("/proc/meminfo");
  for (std::string line; std::getline(facts, line);) {
    if (line.rfind("MemAvailable:", 0) == 0) return std::stoull(line.substr(13)) * 1024;
  }
  return static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Input, result and the sort's second array are three times the items; the rest is for what else is needed.
template <class Backend>
bool fits(const Backend& backend, std::uint64_t bytes) {
  if constexpr (std::is_same_v<Backend, apps::cpu_backend>) {
    (void)backend;
    return bytes < free_host_memory() / 4;
  } else {
    return bytes < backend.free_memory() / 4 && bytes < free_host_memory() / 3;
  }
}

}  // namespace distributed_sort
