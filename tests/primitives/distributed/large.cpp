// SPDX-License-Identifier: Apache-2.0
// Calls across ranks on more than 2^32 items in all: computed ones, so that it takes seconds and no memory.
#include <onepass/distributed_compact.hpp>
#include <onepass/distributed_scan.hpp>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>

#include "over_ranks.hpp"
#include "support/checking_output.hpp"
#include "support/test.hpp"

namespace test {

namespace od = onepass::distributed;

struct index_plus {
  std::int64_t offset;
  std::int64_t operator()(std::int64_t index) const { return index + offset; }
};
struct is_multiple {
  bool operator()(std::int64_t x) const { return x % 65536 == 65535; }
};

constexpr int ranks = 2;
index_t items_of_a_rank() { return static_cast<index_t>(limited((std::size_t{1} << 31) + 9)); }

TEST(distributed_large, scan_cpu) {
  const index_t n = items_of_a_rank();
  od::run_ranks(ranks, [&](auto& comm) {
    const checking_output<index_plus> out(cpu_backend{}, {n * comm.rank() + 1}, n);
    const thrust::constant_iterator<std::int64_t> ones(1);
    od::inclusive_scan(comm, onepass::cpu(1), ones, ones + n, out.begin());
    out.check();
  });
}

TEST(distributed_large, copy_if_cpu) {
  const index_t n = items_of_a_rank();
  od::run_ranks(ranks, [&](auto& comm) {
    const thrust::counting_iterator<std::int64_t> first(n * comm.rank());
    std::vector<std::int64_t> kept(static_cast<std::size_t>(n / 65536 + 1));
    const od::slice mine = od::copy_if(comm, onepass::cpu(1), first, first + n, kept.begin(), is_multiple{});
    EXPECT_EQ(mine.total, ranks * n / 65536);
    EXPECT_EQ(mine.offset, comm.rank() == 0 ? 0 : n / 65536);
    EXPECT_EQ(mine.size, (comm.rank() + 1) * n / 65536 - comm.rank() * n / 65536);
    for (index_t i = 0; i < mine.size; ++i) {
      ASSERT_EQ(kept[static_cast<std::size_t>(i)], (mine.offset + i) * 65536 + 65535);
    }
  });
}

}  // namespace test
