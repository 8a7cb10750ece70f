// SPDX-License-Identifier: Apache-2.0
// The second file: offsets in memory.
#include "scan_ones.cuh"

bool scans_by_stored_offsets() {
  std::vector<int> begins(segments);
  for (int s = 0; s < segments; ++s) begins[s] = s * segment_items;
  int* offsets = nullptr;
  if (cudaMalloc(&offsets, segments * sizeof(int)) != cudaSuccess) return false;
  (void)cudaMemcpy(offsets, begins.data(), segments * sizeof(int), cudaMemcpyHostToDevice);
  const bool right = scans_ones(static_cast<const int*>(offsets));
  (void)cudaFree(offsets);
  return right;
}
