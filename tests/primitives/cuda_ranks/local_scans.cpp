// SPDX-License-Identifier: Apache-2.0
// Local scans across ranks with GPUs.
#include <thrust/execution_policy.h>
#include <thrust/transform.h>

#include "on_gpus.hpp"
#include "primitives/distributed/local_scan_checks.hpp"

namespace test {

// Adds the carry while it reads.
template <class T, class Op>
struct adds_carry {
  const od::rank_carry<T>* carry;
  ONEPASS_HOST_DEVICE T operator()(const T& own) const { return carry->followed_by(own, Op{}); }
};

// A reader in the same stream needs no wait between the call and itself. Not with triples: Thrust's transform would call
// their operator&.
struct carries_read_on_the_device {
  template <class Comm>
  void operator()(Comm& comm) const {
    const rank_sizes of = distributions(comm.size(), 300000)[5];
    const auto whole = random_values<matrix>(static_cast<std::size_t>(total_of(of)), 18);
    const auto x = array_on(comm, part_of(whole, of, comm.rank()));
    const auto carry = carry_on<matrix>(comm);
    od::inclusive_scan_local(comm, policy_on(comm, 1), x.begin(), x.end(), x.begin(), carry.data(), matrix_product{});
    thrust::transform(thrust::cuda::par_nosync.on(rank_stream()), x.begin(), x.end(), x.begin(),
                      adds_carry<matrix, matrix_product>{carry.data()});
    EXPECT_TRUE(on_host(x) == part_of(inclusive_reference<matrix>(whole, matrix_product{}), of, comm.rank()));
  }
};

// Each rank works on the first *size of its items, where the size is in device memory.
struct local_scans_sized_in_memory {
  template <class Comm>
  void operator()(Comm& comm) const {
    const auto size = array_on(comm, std::vector<index_t>{comm.rank()});
    const auto policy = policy_on(comm, 1).sized_by(size.data());
    const std::vector<int> items(static_cast<std::size_t>(comm.size()), 1);
    const auto x = array_on(comm, items);
    const auto y = array_on(comm, items.size(), -1);
    const auto carry = carry_on<int>(comm);
    od::inclusive_scan_local(comm, policy, x.begin(), x.end(), y.data(), carry.data());
    std::vector<int> expected(items.size(), -1);
    std::iota(expected.begin(), expected.begin() + comm.rank(), 1);
    EXPECT_EQ(on_host(y), expected);
    EXPECT_EQ(value_of_carry(carry).exists, comm.rank() > 1);
    if (comm.rank() > 1) {
      EXPECT_EQ(value_of_carry(carry).value, comm.rank() * (comm.rank() - 1) / 2);
    }
  }
};

ONEPASS_GPU_TEST(cuda_ranks_local_scan, sums) { by_gpu_threads(local_inclusive_scans<std::uint32_t, onepass::sum>{}); }
ONEPASS_GPU_TEST(cuda_ranks_local_scan, not_commutative) {
  by_gpu_threads(local_inclusive_scans<matrix, matrix_product>{});
}
ONEPASS_GPU_TEST(cuda_ranks_local_scan, exclusive_sums) {
  by_gpu_threads(local_exclusive_scans<std::uint32_t, onepass::sum>{0});
}
ONEPASS_GPU_TEST(cuda_ranks_local_scan, exclusive_not_commutative) {
  by_gpu_threads(local_exclusive_scans<triple, triangular_product>{{0, 0, 0}});
}
ONEPASS_GPU_TEST(cuda_ranks_local_scan, types) { by_gpu_threads(local_scans_of_other_types{}); }
ONEPASS_GPU_TEST(cuda_ranks_local_scan, floats) { by_gpu_threads(local_scans_of_floats{}); }
ONEPASS_GPU_TEST(cuda_ranks_local_scan, wrong_arguments) { by_gpu_threads(local_scans_with_wrong_arguments{}); }
ONEPASS_GPU_TEST(cuda_ranks_local_scan, read_on_the_device) { by_gpu_threads(carries_read_on_the_device{}); }
ONEPASS_GPU_TEST(cuda_ranks_local_scan, size_in_memory) { by_gpu_threads(local_scans_sized_in_memory{}); }

}  // namespace test
