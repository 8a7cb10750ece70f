// SPDX-License-Identifier: Apache-2.0
// Sizes and alignments at which the pipeline (core/cuda/pipeline/pipeline.cuh) has edges.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "support/test.hpp"

namespace test {

// Around segments, warps' shares and tiles of every type, and a block's second and seventh tile.
inline std::vector<std::size_t> pipeline_sizes(std::size_t item_bytes) {
  std::vector<std::size_t> all{1,   2,    3,    15,   16,   17,   31,   33,    100,  143,
                               145, 1000, 4607, 4609, 9215, 9216, 9217, 36863, 36865};
  if (small_only()) return all;
  for (const std::size_t bytes : {std::size_t{6} << 20, std::size_t{34} << 20})
    all.push_back(bytes / item_bytes + 12347);
  return all;
}

// body(n, input's shift, output's shift), both as a buffer takes them. `edges`: other sizes around which there is an edge.
template <class Body>
void for_each_pipeline_layout(std::size_t item_bytes, Body body, const std::vector<std::size_t>& edges = {}) {
  std::vector<std::size_t> sizes = pipeline_sizes(item_bytes);
  for (const std::size_t edge : edges) sizes.insert(sizes.end(), {edge - 1, edge, edge + 1});
  for (const std::size_t n : sizes) {
    for (const auto& [in_shift, out_shift] : std::vector<std::pair<int, int>>{{0, 0}, {1, 1}, {1, 0}, {0, 1}, {3, 2}}) {
      SCOPED_TRACE(testing::Message() << n << " items, shifted by " << in_shift << " and " << out_shift);
      body(n, in_shift, out_shift);
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace test
