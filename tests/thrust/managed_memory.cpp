// SPDX-License-Identifier: Apache-2.0
// Thrust's policies that synchronise, and calls without a policy, let the host use managed memory at once.
#include <onepass/onepass.hpp>
#include <thrust/execution_policy.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "support/test.hpp"
#if ONEPASS_HAS_CUDA
#include <thrust/device_malloc_allocator.h>
#include <thrust/device_vector.h>
#include <thrust/reverse.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/universal_vector.h>
#if __has_include(<cuda/iterator>)
#include <cuda/iterator>
#endif

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

ONEPASS_GPU_TEST(managed_memory, scans_and_sorts) {
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

// With an allocator such a call waits, whatever it says of its ranges: plain pointers here, and rows, which need no memory.
ONEPASS_GPU_TEST(managed_memory, waits_with_an_allocator) {
  (void)backend;
  thrust::device_malloc_allocator<char> allocator;
  reads_at_once("par(allocator)", [&](auto& in, auto& out) {
    onepass::transform_inclusive_scan(onepass::cuda(), in.begin(), in.end(), out.begin(), slow_copy{}, onepass::sum{});
    int* const items = thrust::raw_pointer_cast(out.data());
    onepass::inclusive_segmented_scan(thrust::cuda::par(allocator), items, items + managed_items, onepass::rows(1),
                                      items);
  });
}

// Where only flags or offsets are managed, the host may write to them behind the call.
ONEPASS_GPU_TEST(managed_memory, flags_and_offsets) {
  (void)backend;
  const thrust::device_vector<int> in(managed_items, 1);
  thrust::device_vector<int> out(managed_items);
  thrust::universal_vector<unsigned char> flags(managed_items, 0);
  thrust::universal_vector<int> offsets(2, 0);
  offsets[1] = static_cast<int>(managed_items);
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
ONEPASS_GPU_TEST(managed_memory, segments) {
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
ONEPASS_GPU_TEST(managed_memory, weights_and_edges) {
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
ONEPASS_GPU_TEST(managed_memory, others_do_not_wait) {
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
