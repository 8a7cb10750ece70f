// SPDX-License-Identifier: Apache-2.0
// The facts about a kernel on a device (core/cuda/runtime/launch.cuh): no kernel asks for shared memory that the device
// does not have.
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
#include "../../core/cuda/runtime/launch.cuh"

namespace {

namespace detail = onepass::detail;

__global__ void fill_shared(unsigned bytes, unsigned* last) {
  extern __shared__ unsigned char dynamic[];
  for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) dynamic[i] = static_cast<unsigned char>(i);
  __syncthreads();
  if (threadIdx.x == 0) *last = dynamic[bytes - 1];
}

}  // namespace

ONEPASS_GPU_TEST(launch, all_shared_memory) {
  const std::size_t most = detail::most_shared_memory("test");
  EXPECT_GE(most, std::size_t{48} << 10);
  detail::resident_blocks resident(fill_shared, 32, most);
  EXPECT_TRUE(resident.fits_this_device("test"));
  EXPECT_GT(resident.on_this_device("test"), 0u);
  const test::buffer<unsigned> last(backend, 1);
  detail::kernel_launch::in_order("test", fill_shared, dim3(1), 32, most, backend.stream, static_cast<unsigned>(most),
                                  last.data());
  EXPECT_EQ(last.to_host()[0], (most - 1) % 256);
}

ONEPASS_GPU_TEST(launch, too_much_shared_memory) {
  const std::size_t most = detail::most_shared_memory("test");
  detail::resident_blocks resident(fill_shared, 32, most + 1);
  EXPECT_EQ(resident.allow_shared_memory("test"), most);
  EXPECT_FALSE(resident.fits_this_device("test"));
  EXPECT_THROW(resident.on_this_device("test"), onepass::cuda_error);
}
#endif
