// SPDX-License-Identifier: Apache-2.0
// The rungs of bench/ladder: each against the plain loop, around every boundary that any of them has.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "../../bench/ladder/cpu_rungs.hpp"
#include "support/test.hpp"
#if ONEPASS_HAS_CUDA
#include "../../bench/ladder/cuda_rungs.cuh"
#endif

namespace {

using ladder::index_t;
using ladder::item;

// Around a warp, a vector's and a block's part, the tiles of 12 and 20 items a thread, the CPU's tiles.
const std::vector<index_t> sizes{1,    2,    3,    4,    5,     31,    32,    33,    63,    65,
                                 1023, 1024, 1025, 2047, 3071,  3072,  3073,  4095,  4096,  4097,
                                 5119, 5120, 5121, 8193, 12289, 16383, 16384, 16385, 32769, 100003};
// 1,024 parts and more, where recursion starts and parts grow; more tiles than a device holds blocks.
const std::vector<index_t> large_sizes{1048575, 1048576, 1048577, 3000001};

// The sums of all items up to each, or those of its part; over the whole range of the type, so they wrap.
std::vector<item> expected(const std::vector<item>& in, index_t part) {
  std::vector<item> out(in.size());
  const std::size_t length = part == 0 ? in.size() : static_cast<std::size_t>(part);
  for (std::size_t i = 0; i < in.size(); i += length)
    std::inclusive_scan(in.begin() + i, in.begin() + std::min(in.size(), i + length), out.begin() + i);
  return out;
}

template <class Backend, class Context>
void check(const Backend& backend, const ladder::rung<Context>& rung, index_t n, Context where) {
  if (test::small_only() && n > 20000) return;
  const std::string what =
      std::string(rung.name) + ", " + std::to_string(n) + " items, parts of " + std::to_string(rung.part);
  const std::vector<item> values = test::random_values<item>(static_cast<std::size_t>(n), 17);
  const test::buffer<item> in(backend, values), out(backend, values.size());
  const test::buffer<unsigned char> scratch(backend, rung.scratch_bytes(n));
  for (int run = 0; run < 2; ++run) {  // scratch holds the first run's leavings in the second
    out.poison_all();
    rung.scan(in.data(), out.data(), n, scratch.data(), where);
    ASSERT_EQ(out.to_host(), expected(values, rung.part)) << what;
  }
  ASSERT_EQ(in.to_host(), values) << what;
}

TEST(ladder, rungs_cpu) {
  for (const ladder::cpu_rung& rung : ladder::cpu_rungs) {
    for (const index_t n : sizes) {
      for (const int threads : {1, 4}) check(test::cpu_backend{}, rung, n, threads);
    }
  }
}

TEST(ladder, more_threads_than_cores_cpu) {
  for (const ladder::cpu_rung& rung : ladder::cpu_rungs) check(test::cpu_backend{}, rung, 200003, 13);
}

#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(ladder, rungs) {
  const test::stream stream;
  for (const ladder::cuda_rung& rung : ladder::cuda_rungs) {
    for (const auto* some : {&sizes, &large_sizes}) {
      for (const index_t n : *some) check(backend, rung, n, stream.get());
    }
    ASSERT_EQ(cudaGetLastError(), cudaSuccess) << rung.name;
  }
}
#endif

}  // namespace
