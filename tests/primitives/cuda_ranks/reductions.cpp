// SPDX-License-Identifier: Apache-2.0
// Reductions by key and unique across ranks with GPUs.
#include "on_gpus.hpp"
#include "primitives/distributed/compact_checks.hpp"

namespace test {

ONEPASS_GPU_TEST(cuda_ranks_reduce, not_commutative) { by_gpu_threads(reductions_by_key{}); }
ONEPASS_GPU_TEST(cuda_ranks_reduce, sums) { by_gpu_threads(sums_by_key{}); }
ONEPASS_GPU_TEST(cuda_ranks_reduce, unique) { by_gpu_threads(uniques{}); }

}  // namespace test
