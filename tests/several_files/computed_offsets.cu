// SPDX-License-Identifier: Apache-2.0
// The first file: offsets that are computed. Its scan has the same kernels as the other file's, but not the same call.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "scan_ones.cuh"

struct begin_of_segment {
  ONEPASS_HOST_DEVICE int operator()(int segment) const { return segment * segment_items; }
};

bool has_device() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

bool scans_by_computed_offsets() {
  return scans_ones(thrust::make_transform_iterator(thrust::make_counting_iterator(0), begin_of_segment()));
}
