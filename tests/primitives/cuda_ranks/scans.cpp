// SPDX-License-Identifier: Apache-2.0
// Scans across ranks with GPUs.
#include "on_gpus.hpp"
#include "primitives/distributed/scan_checks.hpp"

namespace test {

ONEPASS_GPU_TEST(cuda_ranks_scan, sums) { by_gpu_threads(inclusive_scans<std::uint32_t, onepass::sum>{}); }
ONEPASS_GPU_TEST(cuda_ranks_scan, not_commutative) { by_gpu_threads(inclusive_scans<matrix, matrix_product>{}); }
ONEPASS_GPU_TEST(cuda_ranks_scan, items_of_24_bytes) { by_gpu_threads(inclusive_scans<triple, triangular_product>{}); }
ONEPASS_GPU_TEST(cuda_ranks_scan, initial_value) { by_gpu_threads(scans_with_initial<triple, triangular_product>{}); }
ONEPASS_GPU_TEST(cuda_ranks_scan, types) { by_gpu_threads(scans_of_other_types{}); }
ONEPASS_GPU_TEST(cuda_ranks_scan, floats) { by_gpu_threads(scans_of_floats{}); }

}  // namespace test
