// SPDX-License-Identifier: Apache-2.0
// Compaction and rebalance across ranks with GPUs.
#include <cuda_runtime.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "on_gpus.hpp"
#include "primitives/distributed/compact_checks.hpp"

namespace test {

namespace {
// Items in a pool of the caller's, which other devices may not read.
struct rebalance_of_pool_memory {
  template <class Comm>
  void operator()(Comm& comm) const {
    cudaStream_t stream;
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    const std::int64_t own = comm.rank() == 0 ? 30000 : 100, begin = comm.rank() == 0 ? 0 : 29900 + 100 * comm.rank();
    std::vector<std::int64_t> items(static_cast<std::size_t>(own));
    std::iota(items.begin(), items.end(), begin);
    std::int64_t *in = nullptr, *out = nullptr;
    check_cuda(cudaMallocAsync(&in, items.size() * sizeof *in, stream), "cudaMallocAsync");
    check_cuda(cudaMallocAsync(&out, 30000 * sizeof *out, stream), "cudaMallocAsync");
    check_cuda(cudaMemcpyAsync(in, items.data(), items.size() * sizeof *in, cudaMemcpyHostToDevice, stream), "copy");
    const od::slice mine = od::rebalance(comm, onepass::cuda(stream), in, in + own, out, 30000);
    std::vector<std::int64_t> balanced(static_cast<std::size_t>(mine.size)), expected(balanced.size());
    check_cuda(cudaMemcpyAsync(balanced.data(), out, balanced.size() * sizeof *out, cudaMemcpyDeviceToHost, stream),
               "copy");
    check_cuda(cudaFreeAsync(in, stream), "cudaFreeAsync");
    check_cuda(cudaFreeAsync(out, stream), "cudaFreeAsync");
    check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    check_cuda(cudaStreamDestroy(stream), "cudaStreamDestroy");
    std::iota(expected.begin(), expected.end(), mine.offset);
    EXPECT_EQ(balanced, expected);
  }
};
}  // namespace

ONEPASS_GPU_TEST(cuda_ranks_compact, copies) { by_gpu_threads(compactions{}); }
ONEPASS_GPU_TEST(cuda_ranks_compact, rebalance) { by_gpu_threads(rebalances{}); }
ONEPASS_GPU_TEST(cuda_ranks_compact, rebalance_of_pool_memory) { by_gpu_threads(rebalance_of_pool_memory{}); }

}  // namespace test
