// SPDX-License-Identifier: Apache-2.0
// Directions and parts of keys in sorts across ranks with GPUs.
#include "on_gpus.hpp"
#include "primitives/distributed/sort_checks.hpp"

namespace test {

ONEPASS_GPU_TEST(cuda_ranks_sort, options) { by_gpu_threads(sorts_with_options<std::int32_t>{}); }
ONEPASS_GPU_TEST(cuda_ranks_sort, options_of_bytes) { by_gpu_threads(sorts_with_options<std::uint8_t>{}); }

}  // namespace test
