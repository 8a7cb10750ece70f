// SPDX-License-Identifier: Apache-2.0
// Thrust's policies: those with an allocator take all temporary memory from it; those that synchronise, and none at all, let
// the host use managed memory at once.
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
#include <thrust/reverse.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/universal_vector.h>
#if __has_include(<cuda/iterator>)
#include <cuda/iterator>
#endif
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

namespace {
// A functor that keeps the device busy for long, so that a host that does not wait reads too early.
struct slow_copy {
  __device__ int operator()(int x) const {
    for (int i = 0; i < 20; ++i) __nanosleep(1000);
    return x;
  }
};
struct own_less {
  ONEPASS_HOST_DEVICE bool operator()(int a, int b) const { return a < b; }
};
constexpr std::size_t managed_items = 1 << 20;

// call(vectors' begins): f does one call on managed memory; `expected` is what the host finds right behind it.
template <class Call>
void reads_at_once(const char* name, Call call) {
  for (int round = 0; round < 3; ++round) {
    thrust::universal_vector<int> in(managed_items), out(managed_items);
    for (std::size_t i = 0; i < managed_items; ++i) in[i] = 1;
    call(in, out);
    ASSERT_EQ(thrust::raw_pointer_cast(out.data())[managed_items - 1], static_cast<int>(managed_items)) << name;
  }
}
}  // namespace

ONEPASS_GPU_TEST(policies, managed_memory) {
  (void)backend;
  const onepass::sum sum;
  reads_at_once("no policy", [&](auto& in, auto& out) {
    onepass::transform_inclusive_scan(in.begin(), in.end(), out.begin(), slow_copy{}, sum);
  });
  reads_at_once("thrust::device", [&](auto& in, auto& out) {
    onepass::transform_inclusive_scan(thrust::device, in.begin(), in.end(), out.begin(), slow_copy{}, sum);
  });
  const test::stream own;
  reads_at_once("par.on(stream)", [&](auto& in, auto& out) {
    onepass::transform_inclusive_scan(thrust::cuda::par.on(own.get()), in.begin(), in.end(), out.begin(), slow_copy{},
                                      sum);
  });
  reads_at_once("a sort", [&](auto& in, auto& out) {
    onepass::transform_inclusive_scan(in.begin(), in.end(), out.begin(), slow_copy{}, sum);
    onepass::sort(out.begin(), out.end());
  });
  reads_at_once("a sort that Thrust does", [&](auto& in, auto& out) {
    onepass::transform_inclusive_scan(onepass::cuda(), in.begin(), in.end(), out.begin(), slow_copy{}, sum);
    onepass::sort(out.begin(), out.end(), own_less{});
  });
  reads_at_once("reversed and zipped", [&](auto& in, auto& out) {
    onepass::transform_inclusive_scan(in.begin(), in.end(), thrust::make_reverse_iterator(out.end()), slow_copy{}, sum);
    EXPECT_EQ(thrust::raw_pointer_cast(out.data())[0], static_cast<int>(managed_items));
    thrust::reverse(out.begin(), out.end());
  });
}

// Where only flags or offsets are managed, the host may write to them behind the call.
ONEPASS_GPU_TEST(policies, managed_flags_and_offsets) {
  (void)backend;
  const thrust::device_vector<int> in(managed_items, 1);
  thrust::device_vector<int> out(managed_items);
  thrust::universal_vector<unsigned char> flags(managed_items, 0);
  const thrust::universal_vector<int> offsets(2, 0);
  const auto first = thrust::make_transform_iterator(in.begin(), slow_copy{});
  const auto last = first + static_cast<std::ptrdiff_t>(managed_items);
  onepass::inclusive_segmented_scan(first, last, flags.begin(), out.begin());
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess) << "flags";
  onepass::inclusive_segmented_scan(first, last, onepass::offsets(offsets.begin(), offsets.end()), out.begin());
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess) << "offsets";
  onepass::segmented_reduce(first, last, onepass::offsets(offsets.begin(), offsets.end()), out.begin());
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess) << "a reduction";
}
// A selection and a sort read the items of segments alone.
ONEPASS_GPU_TEST(policies, managed_segments) {
  (void)backend;
  const thrust::device_vector<int> in(managed_items, 1);
  thrust::device_vector<int> out(managed_items);
  const thrust::universal_vector<int> begins(1, 0), ends(1, static_cast<int>(managed_items));
  const thrust::universal_vector<int> offsets{0, static_cast<int>(managed_items)};
  const auto by_offsets = onepass::offsets(offsets.begin(), offsets.end());
  const auto first = thrust::make_transform_iterator(in.begin(), slow_copy{});
  const auto last = first + static_cast<std::ptrdiff_t>(managed_items);
  onepass::top_k(first, last, by_offsets, 1, out.begin());
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess) << "a selection";
  onepass::segmented_sort_copy(first, last, out.begin(), by_offsets);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess) << "a sort";
  onepass::segmented_sort_copy(first, last, out.begin(), onepass::segments(begins.begin(), begins.end(), ends.begin()));
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess) << "a sort by begins and ends";
}
ONEPASS_GPU_TEST(policies, managed_weights_and_edges) {
  (void)backend;
  const thrust::device_vector<int> in(managed_items, 1);
  thrust::device_vector<int> out(2);
  const thrust::universal_vector<int> weights(managed_items, 1), edges{0, 1, 2};
  const auto first = thrust::make_transform_iterator(in.begin(), slow_copy{});
  const auto last = first + static_cast<std::ptrdiff_t>(managed_items);
  onepass::weighted_histogram(first, last, weights.begin(), onepass::value_bins(0, 2), out.begin());
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess) << "weights";
  onepass::histogram(first, last, onepass::edge_bins(edges.begin(), edges.end()), out.begin());
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess) << "edges";
}

// The kinds of iterators that make a call wait.
TEST(policies, host_readable) {
  using onepass::detail::is_host_readable;
  using managed = thrust::universal_vector<int>::iterator;
  using device = thrust::device_vector<int>::iterator;
  EXPECT_TRUE(is_host_readable<managed>());
  EXPECT_TRUE(is_host_readable<thrust::universal_ptr<int>>());
  EXPECT_TRUE(is_host_readable<thrust::reverse_iterator<managed>>());
  EXPECT_TRUE((is_host_readable<thrust::zip_iterator<thrust::tuple<device, managed>>>()));
  EXPECT_FALSE(is_host_readable<device>());
  EXPECT_FALSE(is_host_readable<thrust::device_ptr<int>>());
  EXPECT_FALSE((is_host_readable<thrust::zip_iterator<thrust::tuple<device, device>>>()));
  EXPECT_FALSE(is_host_readable<int*>());
  EXPECT_FALSE(is_host_readable<thrust::counting_iterator<int>>());
#if __has_include(<cuda/iterator>)
  EXPECT_TRUE((is_host_readable<cuda::zip_iterator<device, managed>>()));
  EXPECT_FALSE((is_host_readable<cuda::zip_iterator<device, device>>()));
#endif
}
// The same for what has iterators.
TEST(policies, host_readable_segments_and_bins) {
  using onepass::detail::is_host_readable;
  using managed = thrust::universal_vector<int>::iterator;
  using device = thrust::device_vector<int>::iterator;
  EXPECT_TRUE(is_host_readable<onepass::offsets_range<managed>>());
  EXPECT_TRUE((is_host_readable<onepass::segment_ranges<managed, device>>()));
  EXPECT_TRUE((is_host_readable<onepass::segment_ranges<device, managed>>()));
  EXPECT_TRUE(is_host_readable<onepass::bins_between_edges<managed>>());
  EXPECT_FALSE(is_host_readable<onepass::offsets_range<device>>());
  EXPECT_FALSE((is_host_readable<onepass::segment_ranges<device, int*>>()));
  EXPECT_FALSE(is_host_readable<onepass::bins_between_edges<device>>());
  EXPECT_FALSE(is_host_readable<onepass::bins_by_value>());
  EXPECT_FALSE(is_host_readable<onepass::row_segments>());
}

// onepass's own policies, and those that do not synchronise, do not wait: neither does a call on device memory.
ONEPASS_GPU_TEST(policies, others_do_not_wait) {
  (void)backend;
  const test::stream own;
  thrust::universal_vector<int> in(managed_items, 1), out(managed_items);
  const auto runs_on = [&](const char* name, const auto& policy) {
    onepass::transform_inclusive_scan(policy, in.begin(), in.end(), out.begin(), slow_copy{}, onepass::sum{});
    own.wait();
    cudaStreamSynchronize(nullptr);
    onepass::transform_inclusive_scan(policy, in.begin(), in.end(), out.begin(), slow_copy{}, onepass::sum{});
    EXPECT_FALSE(own.idle()) << name;
    own.wait();
  };
  runs_on("onepass::cuda(stream)", onepass::cuda(own.get()));
  runs_on("par_nosync", thrust::cuda::par_nosync.on(own.get()));
}
#endif
