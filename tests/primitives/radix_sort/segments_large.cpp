// SPDX-License-Identifier: Apache-2.0
// A segmented sort of more than 2^31 items: one long segment of nearly all of them, and behind 2^31 some of every length.
#include <onepass/segmented_sort.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>

#include "support/checking_output.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
namespace {

using onepass::index_t;

struct long_then_all_lengths {
  index_t first;  // how many items the long one has
  static constexpr index_t round = 20 + 300 + 5000 + 30000;

  // Where segment i begins.
  ONEPASS_HOST_DEVICE index_t operator()(index_t i) const {
    if (i == 0) return 0;
    const index_t begins[] = {0, 20, 320, 5320};
    return first + (i - 1) / 4 * round + begins[(i - 1) % 4];
  }
  ONEPASS_HOST_DEVICE index_t segment_of(index_t item) const {
    if (item < first) return 0;
    const index_t at = (item - first) % round;
    return 1 + (item - first) / round * 4 + (at >= 20) + (at >= 320) + (at >= 5320);
  }
};
// Each segment counts down, sorted up.
struct downwards {
  long_then_all_lengths begin;
  ONEPASS_HOST_DEVICE std::uint32_t operator()(index_t i) const {
    return static_cast<std::uint32_t>(begin(begin.segment_of(i) + 1) - 1 - i);
  }
};
struct upwards {
  long_then_all_lengths begin;
  ONEPASS_HOST_DEVICE std::uint32_t operator()(index_t i) const {
    return static_cast<std::uint32_t>(i - begin(begin.segment_of(i)));
  }
};

}  // namespace

ONEPASS_GPU_TEST(segmented_sort, large) {
  const long_then_all_lengths begin{static_cast<index_t>(test::limited((std::size_t{1} << 31) + 12345))};
  const index_t rounds = test::small_only() ? 2 : 1000, n = begin.first + rounds * begin.round;
  std::size_t free = 0, all = 0;
  test::check_cuda(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  if (free < std::size_t{10} * static_cast<std::size_t>(n)) GTEST_SKIP() << "needs 20 GiB of device memory";
  const thrust::counting_iterator<index_t> numbers(0);
  const test::checking_output<upwards> out(backend, {begin}, n);
  const auto in = thrust::make_transform_iterator(numbers, downwards{begin});
  const auto positions = thrust::make_transform_iterator(numbers, begin);
  onepass::segmented_sort_copy(backend.policy(), in, in + n, out.begin(),
                               onepass::offsets(positions, positions + 4 * rounds + 2));
  out.check();
}
#endif
