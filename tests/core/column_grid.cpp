// SPDX-License-Identifier: Apache-2.0
// How many descriptors columns need on CUDA: enough for fewer items, too, and few beside wide values.
#include <onepass/segments.hpp>

#include "../../core/columns/column_grid.cuh"

#include "support/random.hpp"
#include "support/test.hpp"

namespace {

namespace detail = onepass::detail;
using onepass::index_t;

template <std::size_t size>
struct wide {
  unsigned char bytes[size];
};

template <std::size_t size>
void expect_enough(index_t width, index_t height, index_t n, std::uint64_t seed) {
  using tuning = detail::column_tuning<wide<size>>;
  const index_t slots = detail::column_grid::slots<tuning>({width, height, n});
  for (std::uint64_t i = 0; i < 30; ++i) {
    const index_t fewer = i == 0 ? n : 1 + static_cast<index_t>(test::hash(seed, i) % static_cast<std::uint64_t>(n));
    const auto grid = detail::column_grid::of<tuning>({width, height, fewer});
    ASSERT_LE(grid.chunks > 1 ? grid.tiles() * grid.columns : 1, slots)
        << size << " bytes, " << width << " x " << height << ", " << fewer << " of " << n;
  }
}

}  // namespace

ONEPASS_CPU_TEST(column_grid, descriptors_for_fewer_items) {
  (void)backend;
  std::uint64_t seed = 0;
  for (const index_t width : {1, 2, 5, 8, 31, 32, 33, 64, 65, 100, 129, 1000, 4097}) {
    for (const index_t height : {1, 2, 33, 64, 129, 5000, 1 << 30}) {
      for (const index_t most_rows : {70, 300, 20000}) {
        for (int k = 0; k < 10; ++k) {
          const auto most = static_cast<std::uint64_t>(width * most_rows);
          const auto n = 1 + static_cast<index_t>(test::hash(7, ++seed) % most);
          expect_enough<1>(width, height, n, seed);
          expect_enough<4>(width, height, n, seed);
          expect_enough<12>(width, height, n, seed);
          expect_enough<64>(width, height, n, seed);
          expect_enough<256>(width, height, n, seed);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

ONEPASS_CPU_TEST(column_grid, descriptors_of_wide_values) {
  (void)backend;
  const index_t n = index_t{1} << 26;
  EXPECT_LE(detail::column_grid::slots<detail::column_tuning<wide<256>>>({1024, n, n}), n / 4);
  EXPECT_LE(detail::column_grid::slots<detail::column_tuning<wide<64>>>({1024, n, n}), n / 32);
}
