// SPDX-License-Identifier: Apache-2.0
// Sorts by bins over NCCL, as tests/primitives/cuda_ranks/sorts_by_bins.cpp has them between threads' GPUs.
#define ONEPASS_LEAST_IN_GROUP 16

#include "../primitives/distributed/sort_checks.hpp"
#include "by_nccl.hpp"

namespace test {

ONEPASS_GPU_TEST(nccl_sort_by_bins, uint32) { by_nccl(sorts<std::uint32_t>{{700, 9000}}); }
ONEPASS_GPU_TEST(nccl_sort_by_bins, uint64) { by_nccl(sorts<std::uint64_t>{{6000}}); }
ONEPASS_GPU_TEST(nccl_sort_by_bins, many) { by_nccl(sorts_of_many{}); }
ONEPASS_GPU_TEST(nccl_sort_by_bins, bits_of_int32) { by_nccl(sorts_with_options<std::int32_t>{}); }

}  // namespace test
