// SPDX-License-Identifier: Apache-2.0
// Scans of more than 2^31 and 2^32 items: computed ones, so that it takes seconds and no memory; and on the device,
// where gigabytes are quick, real ones.
#include <onepass/scan.hpp>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>

#include <cstdint>

#include "support/checking_output.hpp"
#include "support/operators.hpp"
#include "support/test.hpp"

namespace {

struct triangular_number {
  ONEPASS_HOST_DEVICE std::uint64_t operator()(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    return i * (i + 1) / 2;
  }
};
struct itself_plus {
  std::int64_t offset;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t index) const { return index + offset; }
};

}  // namespace

ONEPASS_TEST(scan, large_inclusive_of_counting) {
  const auto n = static_cast<std::int64_t>(test::limited(test::large_size));
  const test::checking_output<triangular_number> out(backend, {}, n);
  const thrust::counting_iterator<std::uint64_t> in(0);
  const auto end = onepass::inclusive_scan(backend.policy(), in, in + n, out.begin());
  EXPECT_EQ(end - out.begin(), n);
  out.check();
}

ONEPASS_TEST(scan, large_exclusive_of_constant) {
  const auto n = static_cast<std::int64_t>(test::limited((std::size_t{1} << 32) + 9));
  const test::checking_output<itself_plus> out(backend, {-3}, n);
  const thrust::constant_iterator<std::int64_t> in(1);
  onepass::exclusive_scan(backend.policy(), in, in + n, out.begin(), std::int64_t{-3});
  out.check();
}

#if ONEPASS_HAS_CUDA
namespace {

struct is_no_square {
  const std::uint8_t* sums;
  ONEPASS_HOST_DEVICE bool operator()(std::int64_t i) const {
    return sums[i] != static_cast<std::uint8_t>((i + 1) * (i + 1));
  }
};

template <class = void>
__global__ void count_wrong(std::int64_t n, is_no_square wrong, unsigned long long* count) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    if (wrong(i)) atomicAdd(count, 1ull);
  }
}

}  // namespace

// Bytes 1, 3, 5, ... add up to the squares, modulo 256.
ONEPASS_GPU_TEST(scan, large_bytes_in_memory) {
  const std::size_t n = test::limited(test::large_size);
  std::vector<std::uint8_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::uint8_t>(2 * i + 1);
  const test::buffer<std::uint8_t> in(backend, values, 1);
  const test::buffer<unsigned long long> wrong(backend, std::vector<unsigned long long>{0});
  onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), in.begin());
  count_wrong<><<<1024, 256>>>(static_cast<std::int64_t>(n), is_no_square{in.data()}, wrong.data());
  EXPECT_EQ(wrong.to_host()[0], 0u);
}
#endif
