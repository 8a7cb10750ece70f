// SPDX-License-Identifier: Apache-2.0
// Segmented scans across ranks with GPUs.
#include "on_gpus.hpp"
#include "primitives/distributed/scan_checks.hpp"

namespace test {

ONEPASS_GPU_TEST(cuda_ranks_segmented_scan, not_commutative) {
  by_gpu_threads(segmented_scans<triple, triangular_product>{});
}
ONEPASS_GPU_TEST(cuda_ranks_segmented_scan, bits) { by_gpu_threads(segmented_scans_by_bits{}); }
ONEPASS_GPU_TEST(cuda_ranks_segmented_scan, keys) { by_gpu_threads(scans_by_key<triangular_product>{}); }
ONEPASS_GPU_TEST(cuda_ranks_segmented_scan, over_the_keys) { by_gpu_threads(scans_over_their_keys{}); }

}  // namespace test
