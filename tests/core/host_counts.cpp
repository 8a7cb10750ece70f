// SPDX-License-Identifier: Apache-2.0
// Memory of the host for counts (core/execution/host_counts.cuh): calls of several threads at once, and none to be had.
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
#include <cuda_runtime.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

namespace {
bool has_host_memory = true;
cudaError_t scarce_host_alloc(void** memory, std::size_t bytes, unsigned flags) {
  return has_host_memory ? cudaHostAlloc(memory, bytes, flags) : cudaErrorMemoryAllocation;
}
}  // namespace
#define cudaHostAlloc scarce_host_alloc
// The library, with that call:
#include <onepass/copy_if.hpp>
#include <onepass/partition.hpp>
#include <onepass/segmented_reduce.hpp>
#include <onepass/three_way_partition.hpp>

namespace {

using number = int;

struct divides {
  number by;
  __host__ __device__ bool operator()(number x) const { return x % by == 0; }
};
struct divided {
  number by;
  __host__ __device__ number operator()(number x) const { return x / by; }
};
std::vector<number> numbers_below(std::size_t n) {
  std::vector<number> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<number>(i);
  return items;
}

ONEPASS_GPU_TEST(host_counts, each_object_has_its_own) {
  onepass::index_t* first = nullptr;
  {
    const onepass::detail::host_counts a, b;
    first = a.get();
    EXPECT_TRUE(a.get() != nullptr && b.get() != nullptr && a.get() != b.get());
  }
  const onepass::detail::host_counts c, d;
  EXPECT_TRUE(c.get() == first || d.get() == first) << "memory is not used again";
}

ONEPASS_GPU_TEST(host_counts, calls_of_several_threads) {
  constexpr int threads = 6, calls = 60;
  const auto work = [&](int t) {
    cudaStream_t stream = nullptr;
    test::check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    const auto policy = onepass::cuda(stream);
    const std::size_t most = test::limited(30000);
    const test::buffer<number> in(backend, numbers_below(most));
    const test::buffer<number> out(backend, most), others(backend, most), rest(backend, most);
    for (int c = 0; c < calls; ++c) {
      const auto n = static_cast<std::ptrdiff_t>(most) - 1 - c * 7 - t;
      const number by = 2 + (t + c) % 5;
      const std::ptrdiff_t kept = (n + by - 1) / by;
      const auto end = onepass::copy_if(policy, in.begin(), in.begin() + n, out.begin(), divides{by});
      EXPECT_EQ(end - out.begin(), kept);
      const auto both =
          onepass::partition_copy(policy, in.begin(), in.begin() + n, out.begin(), others.begin(), divides{by});
      EXPECT_EQ(both.first - out.begin(), kept);
      EXPECT_EQ(both.second - others.begin(), n - kept);
      const auto three = onepass::three_way_partition_copy(policy, in.begin(), in.begin() + n, out.begin(),
                                                           others.begin(), rest.begin(), divides{by}, divides{1});
      EXPECT_EQ(thrust::get<0>(three) - out.begin(), kept);
      EXPECT_EQ(thrust::get<1>(three) - others.begin(), n - kept);
      const auto keys = thrust::make_transform_iterator(in.begin(), divided{by});
      const auto runs = onepass::reduce_by_key(policy, keys, keys + n, in.begin(), out.begin(), others.begin());
      EXPECT_EQ(runs.first - out.begin(), kept);
    }
    test::check_cuda(cudaStreamDestroy(stream), "stream");
  };
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) running.emplace_back(work, t);
  for (std::thread& thread : running) thread.join();
}

// A call that needs the memory throws before it writes. One that copies its count from the device does without.
ONEPASS_GPU_TEST(host_counts, no_memory) {
  constexpr std::size_t n = 5000;
  const test::buffer<number> in(backend, numbers_below(n));
  const test::buffer<number> out(backend, n);
  const std::vector<number> before = out.to_host();
  const auto last = in.begin() + n;
  {
    std::vector<std::unique_ptr<onepass::detail::host_counts>> all;
    has_host_memory = false;
    do all.push_back(std::make_unique<onepass::detail::host_counts>());
    while (all.back()->get() != nullptr);
    EXPECT_THROW(onepass::copy_if(backend.policy(), in.begin(), last, out.begin(), divides{3}), onepass::bad_alloc);
    EXPECT_EQ(out.to_host(), before);
    EXPECT_EQ(onepass::partition(backend.policy(), in.begin(), last, divides{3}) - in.begin(), 1667);
    has_host_memory = true;
  }
  EXPECT_EQ(onepass::copy_if(backend.policy(), in.begin(), last, out.begin(), divides{3}) - out.begin(), 1667);
}

}  // namespace
#endif
