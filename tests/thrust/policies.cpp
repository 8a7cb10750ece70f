// SPDX-License-Identifier: Apache-2.0
// Thrust's policies with an allocator take all temporary memory from it.
#include <onepass/onepass.hpp>
#include <thrust/execution_policy.h>
#include <thrust/system/cpp/execution_policy.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <vector>

#include "support/test.hpp"
#if ONEPASS_HAS_CUDA
#include <thrust/device_vector.h>
#include <thrust/system/cuda/execution_policy.h>
#endif

namespace {

struct is_odd {
  ONEPASS_HOST_DEVICE bool operator()(int x) const { return x % 2 != 0; }
};

// What an allocator has given. It refuses when `left` is 0.
struct account {
  int given = 0, taken_back = 0, left = 1000;
};
struct no_memory : std::bad_alloc {};

// Gives memory of the backend, at addresses that are aligned for a char alone.
template <class Backend>
struct counting_allocator {
  using value_type = char;
  account* of;
  char* allocate(std::size_t bytes) {
    if (of->left-- == 0) throw no_memory();
    ++of->given;
    return static_cast<char*>(Backend::memory().allocate(bytes + 1)) + 1;
  }
  void deallocate(char* memory, std::size_t) {
    ++of->taken_back;
    Backend::memory().release(memory - 1);
  }
};

std::vector<int> random_items(std::size_t n) { return test::random_between<int>(n, 5, 0, 1000); }

// Calls of every family on many items, each of which takes memory; policy: one with the allocator of `of`.
template <class Backend, class Policy>
void check_calls(const Backend& backend, const Policy& policy, account& of) {
  const std::size_t n = 400009;
  const std::vector<int> values = random_items(n);
  const test::buffer<int> in(backend, values), keys(backend, values), out(backend, n), others(backend, n);
  // On the CPU a scan and a reduction need so little that they have it on the stack.
  const auto takes = [&](const char* call, bool is_little, auto f) {
    const int before = of.given;
    f();
    if (Backend::on_device || !is_little) {
      EXPECT_GT(of.given, before) << call;
    }
    EXPECT_EQ(of.given, of.taken_back) << call;
  };
  takes("inclusive_scan", true, [&] { onepass::inclusive_scan(policy, in.begin(), in.end(), out.begin()); });
  std::vector<int> sums(n);
  std::partial_sum(values.begin(), values.end(), sums.begin());
  EXPECT_TRUE(test::same(out.to_host(), sums));
  int* end = nullptr;
  takes("copy_if", false, [&] { end = onepass::copy_if(policy, in.begin(), in.end(), out.begin(), is_odd{}); });
  EXPECT_EQ(end - out.begin(), std::count_if(values.begin(), values.end(), is_odd{}));
  takes("reduce_by_key", true,
        [&] { onepass::reduce_by_key(policy, keys.begin(), keys.end(), in.begin(), out.begin(), others.begin()); });
  takes("stable_sort_by_key", false,
        [&] { onepass::stable_sort_by_key(policy, keys.begin(), keys.end(), in.begin()); });
  std::vector<int> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_TRUE(test::same(keys.to_host(), sorted));
  EXPECT_TRUE(test::same(in.to_host(), sorted));
  takes("stable_partition", false, [&] { onepass::stable_partition(policy, in.begin(), in.end(), is_odd{}); });

  of.left = 0;
  const std::vector<int> before = in.to_host();
  EXPECT_THROW(onepass::stable_partition(policy, in.begin(), in.end(), is_odd{}), no_memory);
  EXPECT_TRUE(test::same(in.to_host(), before)) << "an allocator that fails leaves all as it was";
}

}  // namespace

ONEPASS_CPU_TEST(policies, allocators) {
  account of;
  counting_allocator<test::cpu_backend> allocator{&of};
  check_calls(backend, thrust::cpp::par(allocator), of);
  of.left = 1000;
  check_calls(backend, thrust::host(allocator), of);
  of.left = 1000;
  check_calls(backend, thrust::seq(allocator), of);
}

#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(policies, device_allocators) {
  const test::stream own;
  account of;
  counting_allocator<test::cuda_backend> allocator{&of};
  check_calls(backend, thrust::cuda::par(allocator), of);
  of.left = 1000;
  check_calls(backend, thrust::cuda::par(allocator).on(own.get()), of);
  of.left = 1000;
  check_calls(backend, thrust::device(allocator), of);
  of.left = 1000;
  check_calls(backend, thrust::cuda::par_nosync(allocator), of);  // its cudaFree waits
}

// A call that would wait is refused before it asks for memory: the graph would clear that memory whenever it is launched.
ONEPASS_GPU_TEST(policies, nothing_is_captured_of_a_refused_call) {
  const std::size_t n = 5000;
  const test::buffer<int> in(backend, random_items(n)), out(backend, n), rest(backend, n);
  const test::stream own;
  account of;
  counting_allocator<test::cuda_backend> allocator{&of};
  const auto policy = thrust::cuda::par_nosync(allocator).on(own.get());
  const auto refuses = [](auto call) { EXPECT_THROW(call(), onepass::invalid_argument); };
  ASSERT_EQ(cudaStreamBeginCapture(own.get(), cudaStreamCaptureModeRelaxed), cudaSuccess);
  refuses([&] { onepass::copy_if(policy, in.begin(), in.end(), out.begin(), is_odd{}); });
  refuses([&] { onepass::positions(policy, in.begin(), in.end(), out.begin(), is_odd{}); });
  refuses([&] { onepass::split(policy, in.begin(), in.end(), out.begin(), is_odd{}); });
  refuses([&] { onepass::partition_copy(policy, in.begin(), in.end(), out.begin(), out.begin(), is_odd{}); });
  refuses([&] {
    onepass::three_way_partition_copy(policy, in.begin(), in.end(), out.begin(), out.begin(), rest.begin(), is_odd{},
                                      is_odd{});
  });
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(own.get(), &graph), cudaSuccess);
  std::size_t nodes = 1;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 0u);
  EXPECT_EQ(of.given, 0);
  cudaGraphDestroy(graph);
}
#endif
