// SPDX-License-Identifier: Apache-2.0
// Memory of the host for counts (core/execution/host_counts.cuh): calls of several threads at once, and none to be had.
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
#include <cuda_runtime.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace {
bool has_host_memory = true;
cudaError_t scarce_host_alloc(void** memory, std::size_t bytes, unsigned flags) {
  return has_host_memory ? cudaHostAlloc(memory, bytes, flags) : cudaErrorMemoryAllocation;
}
bool next_wait_fails = false;
cudaError_t failing_synchronize(cudaStream_t stream) {
  return std::exchange(next_wait_fails, false) ? cudaErrorUnknown : cudaStreamSynchronize(stream);
}
}  // namespace
#define cudaHostAlloc scarce_host_alloc
#define cudaStreamSynchronize failing_synchronize
// The library, with these calls:
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

using onepass::detail::host_counts;

ONEPASS_GPU_TEST(host_counts, each_object_has_its_own) {
  onepass::index_t* first = nullptr;
  {
    host_counts a, b;
    first = a.get("test");
    EXPECT_NE(first, b.get("test"));
    a.wait("test", backend.policy());
    b.wait("test", backend.policy());
  }
  host_counts c, d;
  const bool is_used_again = c.get("test") == first || d.get("test") == first;
  EXPECT_TRUE(is_used_again);
  c.wait("test", backend.policy());
  d.wait("test", backend.policy());
}

// A kernel may still store to memory that nobody has waited for.
ONEPASS_GPU_TEST(host_counts, not_used_again_after_a_failed_wait) {
  onepass::index_t* lost = nullptr;
  {
    host_counts a;
    lost = a.get("test");
    next_wait_fails = true;
    EXPECT_THROW(a.wait("test", backend.policy()), onepass::cuda_error);
  }
  std::vector<std::unique_ptr<host_counts>> others;
  for (int i = 0; i < 100; ++i) {
    others.push_back(std::make_unique<host_counts>());
    EXPECT_NE(others.back()->get("test"), lost);
  }
  for (auto& other : others) other->wait("test", backend.policy());
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
    std::vector<std::unique_ptr<host_counts>> all;
    has_host_memory = false;
    do all.push_back(std::make_unique<host_counts>());
    while (all.back()->has_memory());
    EXPECT_THROW(onepass::copy_if(backend.policy(), in.begin(), last, out.begin(), divides{3}), onepass::bad_alloc);
    EXPECT_EQ(out.to_host(), before);
    EXPECT_EQ(onepass::partition(backend.policy(), in.begin(), last, divides{3}) - in.begin(), 1667);
    has_host_memory = true;
  }
  EXPECT_EQ(onepass::copy_if(backend.policy(), in.begin(), last, out.begin(), divides{3}) - out.begin(), 1667);
}

}  // namespace
#endif
