// SPDX-License-Identifier: Apache-2.0
// What both files do: a scan of 2^24 ones whose segments, of 16 items each, begin at `offsets`.
#pragma once

#include <onepass/segmented_scan.hpp>

#include <vector>

// Where the runtime only pretends (pretended_runtime.cpp), nothing is computed.
extern "C" __attribute__((weak)) int pretended_launches();

constexpr int items = 1 << 24, segment_items = 16, segments = items / segment_items;

template <class Offsets>
bool scans_ones(Offsets begin) {
  static const std::vector<float> ones(items, 1.0f);
  float *in = nullptr, *out = nullptr;
  if (cudaMalloc(&in, items * sizeof(float)) != cudaSuccess) return false;
  if (cudaMalloc(&out, items * sizeof(float)) != cudaSuccess) return false;
  (void)cudaMemcpy(in, ones.data(), items * sizeof(float), cudaMemcpyHostToDevice);
  onepass::inclusive_segmented_scan(onepass::cuda(), in, in + items, onepass::offsets(begin, begin + segments), out);
  std::vector<float> result(items);
  bool right = cudaMemcpy(result.data(), out, items * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
  (void)cudaFree(in);
  (void)cudaFree(out);
  if (pretended_launches != nullptr) return pretended_launches() > 0;
  for (int i = 0; i < items; ++i) right = right && result[i] == static_cast<float>(i % segment_items + 1);
  return right;
}
