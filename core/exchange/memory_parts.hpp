// SPDX-License-Identifier: Apache-2.0
// Parts of a memory, one for each rank: what is sent to it, or where what it sends goes.
#pragma once

#include <cstddef>
#include <vector>

namespace onepass::detail {

struct memory_part {
  std::size_t begin, bytes;
};
// Parts of these sizes, one behind the other.
inline std::vector<memory_part> parts_of(const std::size_t* bytes, std::size_t ranks) {
  std::vector<memory_part> parts(ranks);
  std::size_t begin = 0;
  for (std::size_t q = 0; q < ranks; begin += bytes[q], ++q) parts[q] = {begin, bytes[q]};
  return parts;
}

}  // namespace onepass::detail
