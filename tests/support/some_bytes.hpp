// SPDX-License-Identifier: Apache-2.0
// Items of any number of bytes, at addresses of any alignment.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <vector>

#include "support/random.hpp"

namespace test {

template <int size>
struct some_bytes {
  unsigned char bytes[size];
  friend bool operator==(const some_bytes& a, const some_bytes& b) { return std::memcmp(a.bytes, b.bytes, size) == 0; }
  friend std::ostream& operator<<(std::ostream& out, const some_bytes& x) { return out << +x.bytes[0] << " ..."; }
};

// Every byte of the items is random.
template <class T>
std::vector<T> random_bytes(std::size_t n) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    unsigned char bytes[sizeof(T)];
    for (std::size_t at = 0; at < sizeof(T); at += 8) {
      const std::uint64_t word = hash(n + at, i);
      std::memcpy(bytes + at, &word, sizeof(T) - at < 8 ? sizeof(T) - at : 8);
    }
    std::memcpy(static_cast<void*>(std::addressof(values[i])), bytes, sizeof(T));  // a type may have an & of its own
  }
  return values;
}

}  // namespace test
