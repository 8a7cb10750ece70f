// SPDX-License-Identifier: Apache-2.0
// Scans and segmented scans across ranks that are threads.
#include "scan_checks.hpp"

namespace test {

TEST(distributed_scan, sums_cpu) { by_threads(inclusive_scans<std::uint32_t, onepass::sum>{}); }
TEST(distributed_scan, not_commutative_cpu) { by_threads(inclusive_scans<matrix, matrix_product>{}); }
TEST(distributed_scan, items_of_24_bytes_cpu) { by_threads(inclusive_scans<triple, triangular_product>{}); }
TEST(distributed_scan, maxima_cpu) { by_threads(inclusive_scans<int, onepass::maximum>{}); }
TEST(distributed_scan, initial_value_cpu) { by_threads(scans_with_initial<triple, triangular_product>{}); }
TEST(distributed_scan, initial_value_of_sums_cpu) { by_threads(scans_with_initial<std::uint64_t, onepass::sum>{}); }
TEST(distributed_scan, types_cpu) { by_threads(scans_of_other_types{}); }
TEST(distributed_scan, floats_cpu) { by_threads(scans_of_floats{}); }

TEST(distributed_segmented_scan, sums_cpu) { by_threads(segmented_scans<std::uint32_t, onepass::sum>{}); }
TEST(distributed_segmented_scan, not_commutative_cpu) { by_threads(segmented_scans<triple, triangular_product>{}); }
TEST(distributed_segmented_scan, bits_cpu) { by_threads(segmented_scans_by_bits{}); }
TEST(distributed_segmented_scan, keys_cpu) { by_threads(scans_by_key<triangular_product>{}); }
TEST(distributed_segmented_scan, over_the_keys_cpu) { by_threads(scans_over_their_keys{}); }

}  // namespace test
