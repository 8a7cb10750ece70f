// SPDX-License-Identifier: Apache-2.0
// A few calls on several tiles, with as few kernels as can be, so that nvcc is done soon: what scripts/mutate breaks on the
// device is to be seen here. Items are computed where that leaves one driver.
#include <onepass/compact.hpp>
#include <onepass/scan.hpp>
#include <onepass/split.hpp>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "support/references.hpp"
#include "support/test.hpp"

namespace {

constexpr unsigned n = 100003;  // the last tile is not full

struct is_odd {
  ONEPASS_HOST_DEVICE bool operator()(unsigned x) const { return (x * 2654435761u >> 7 & 1) != 0; }
};
std::vector<unsigned> numbers() {
  std::vector<unsigned> all(n);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}
std::vector<unsigned> part(bool odd) {
  const std::vector<unsigned> all = numbers();
  return test::kept(all, test::flags_of(all, is_odd()), odd);
}

}  // namespace

ONEPASS_TEST(short_calls, scan_with_an_initial_value) {
  const thrust::counting_iterator<unsigned> first(0);
  const test::buffer<unsigned> out(backend, n);
  onepass::exclusive_scan(backend.policy(), first, first + n, out.begin(), 5u);
  EXPECT_TRUE(test::same(out.to_host(), test::exclusive_reference<unsigned>(numbers(), onepass::sum(), 5u)));
}

ONEPASS_TEST(short_calls, partition_to_two_outputs) {
  const thrust::counting_iterator<unsigned> first(0);
  const std::vector<unsigned> odd = part(true), even = part(false);
  const test::buffer<unsigned> kept(backend, odd.size()), rest(backend, even.size());
  const auto ends = onepass::partition_copy(backend.policy(), first, first + n, kept.begin(), rest.begin(), is_odd());
  EXPECT_EQ(ends.first - kept.begin(), static_cast<std::ptrdiff_t>(odd.size()));
  EXPECT_TRUE(test::same(kept.to_host(), odd));
  EXPECT_TRUE(test::same(rest.to_host(), even));
}

ONEPASS_TEST(short_calls, split_by_a_digit) {
  std::vector<unsigned> keys(n);
  for (unsigned i = 0; i < n; ++i) keys[i] = i * 2654435761u;
  const test::buffer<unsigned> in(backend, keys), out(backend, n);
  onepass::split(backend.policy(), in.begin(), in.end(), out.begin(), onepass::digit{8, 5});
  std::stable_sort(keys.begin(), keys.end(), [](unsigned a, unsigned b) { return (a >> 8 & 31) < (b >> 8 & 31); });
  EXPECT_TRUE(test::same(out.to_host(), keys));
}

#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(short_calls, scratch_is_given_back) {
  const thrust::counting_iterator<unsigned> first(0);
  const test::buffer<unsigned> kept(backend, n), rest(backend, n);
  const auto call = [&] {
    onepass::partition_copy(backend.policy(), first, first + n, kept.begin(), rest.begin(), is_odd());
  };
  const auto bytes_in_use = [&] {
    backend.synchronize();
    std::uint64_t bytes = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(onepass::detail::memory_pool("test"), cudaMemPoolAttrUsedMemCurrent, &bytes),
              cudaSuccess);
    return bytes;
  };
  call();  // the stream's tiles stay
  const std::uint64_t before = bytes_in_use();
  for (int i = 0; i < 10; ++i) call();
  EXPECT_EQ(bytes_in_use(), before);
}
#endif
