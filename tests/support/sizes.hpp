// SPDX-License-Identifier: Apache-2.0
// How many items the tests use. ONEPASS_TEST_SMALL=1 in the environment keeps all of them at or below 20,000, for runs
// under tools that slow a program down a hundred times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace test {

inline bool small_only() {
  const char* value = std::getenv("ONEPASS_TEST_SMALL");
  return value != nullptr && *value != '\0' && std::string(value) != "0";
}

inline std::size_t limited(std::size_t size) { return small_only() ? std::min<std::size_t>(size, 20000) : size; }

// None, one, around a warp, around every size that a tile may have, many tiles.
inline std::vector<std::size_t> sizes() {
  std::vector<std::size_t> all{0,    1,    2,    31,   32,   33,   255,   256,   257,   1023,   1024,          1025,
                               4095, 4096, 4097, 8191, 8192, 8193, 16383, 16384, 16385, 100003, (1u << 20) + 7};
  if (small_only())
    all.erase(std::remove_if(all.begin(), all.end(), [](std::size_t n) { return n > 20000; }), all.end());
  return all;
}

// For bodies that are costly, or that vary something else.
inline std::vector<std::size_t> few_sizes() {
  return small_only() ? std::vector<std::size_t>{0, 1, 33, 1025, 16385}
                      : std::vector<std::size_t>{0, 1, 33, 1025, 16385, 200003};
}

// Past what 32 bits count, signed. 2^32 is passed by the tests that take unsigned counts to their end.
constexpr long long large_size = (1ll << 31) + 5;

// Memory that the host has free, in bytes; a great number where it does not say.
inline std::size_t free_host_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    if (word == "MemAvailable:") {
      std::size_t kilobytes = 0;
      file >> kilobytes;
      return kilobytes * 1024;
    }
  }
  return ~std::size_t{0};
}

}  // namespace test
