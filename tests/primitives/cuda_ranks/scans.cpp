// SPDX-License-Identifier: Apache-2.0
// Scans across ranks with GPUs.
#include <numeric>

#include "on_gpus.hpp"
#include "primitives/distributed/scan_checks.hpp"

namespace test {

ONEPASS_GPU_TEST(cuda_ranks_scan, sums) { by_gpu_threads(inclusive_scans<std::uint32_t, onepass::sum>{}); }
ONEPASS_GPU_TEST(cuda_ranks_scan, not_commutative) { by_gpu_threads(inclusive_scans<matrix, matrix_product>{}); }
ONEPASS_GPU_TEST(cuda_ranks_scan, items_of_24_bytes) { by_gpu_threads(inclusive_scans<triple, triangular_product>{}); }
ONEPASS_GPU_TEST(cuda_ranks_scan, initial_value) { by_gpu_threads(scans_with_initial<triple, triangular_product>{}); }
ONEPASS_GPU_TEST(cuda_ranks_scan, types) { by_gpu_threads(scans_of_other_types{}); }
ONEPASS_GPU_TEST(cuda_ranks_scan, floats) { by_gpu_threads(scans_of_floats{}); }

// Calls in two streams by turns, one behind the other without a wait. A rank's exchanges follow each other all the same.
struct scans_in_two_streams {
  template <class Comm>
  void operator()(Comm& comm) const {
    constexpr std::size_t n = 3000;
    cudaStream_t streams[2];
    for (cudaStream_t& s : streams)
      check_cuda(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "cudaStreamCreate");
    const auto x = array_on(comm, std::vector<std::uint32_t>(n, 1));
    const auto even = array_on<std::uint32_t>(comm, n), odd = array_on<std::uint32_t>(comm, n);
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    for (std::uint32_t i = 0; i < 20; ++i) {
      onepass::distributed::inclusive_scan(comm, onepass::cuda(streams[i % 2]), x.begin(), x.end(),
                                           i % 2 == 0 ? even.data() : odd.data(), i, onepass::sum{});
    }
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    std::vector<std::uint32_t> expected(n);
    std::iota(expected.begin(), expected.end(), static_cast<std::uint32_t>(n) * comm.rank() + 1 + 18);
    EXPECT_EQ(on_host(even), expected);
    for (std::uint32_t& e : expected) ++e;
    EXPECT_EQ(on_host(odd), expected);
    for (cudaStream_t s : streams) check_cuda(cudaStreamDestroy(s), "cudaStreamDestroy");
  }
};
ONEPASS_GPU_TEST(cuda_ranks_scan, two_streams) { by_gpu_threads(scans_in_two_streams{}); }

}  // namespace test
