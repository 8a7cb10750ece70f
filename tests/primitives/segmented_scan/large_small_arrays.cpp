// SPDX-License-Identifier: Apache-2.0
// Columns of so many small arrays that 2^30 tiles do not suffice if each has one of its own.
#include <onepass/segmented_scan.hpp>

#include <cstdint>

#include "support/large.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
namespace {

struct row_in_array {
  std::int64_t width, height;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i / width % height + 1; }
};

}  // namespace

ONEPASS_GPU_TEST(segmented_scan, large_columns_of_small_arrays) {
  ONEPASS_SKIP_WITHOUT_MEMORY(std::int64_t{9} << 30);
  for (const std::int64_t n : test::large_sizes()) {
    for (const std::int64_t height : {1, 2}) {
      SCOPED_TRACE(testing::Message() << n << " items, two columns of " << height);
      const test::large_range<std::uint8_t> in(backend, n, test::always{1});
      const test::large_room<std::uint8_t> out(backend, n);
      onepass::inclusive_segmented_scan(backend.policy(), in.begin(), in.end(), onepass::columns(2, height),
                                        out.begin());
      out.check(backend, n, row_in_array{2, height});
    }
  }
}
#endif
