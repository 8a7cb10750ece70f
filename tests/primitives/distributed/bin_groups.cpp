// SPDX-License-Identifier: Apache-2.0
// Which bins each rank of a sort gets, and in which groups (primitives/distributed/bin_groups.hpp).
#include <numeric>

#include "primitives/distributed/over_ranks.hpp"
#include "support/test.hpp"
#include "../../../primitives/distributed/bin_groups.hpp"

namespace test {

using onepass::index_t;
using onepass::detail::bin_group;
using onepass::detail::bin_plan;

// counts[q * bins + b], where `most` is what a rank may have in a bin.
static std::vector<index_t> random_counts(int ranks, int bins, index_t most, std::uint64_t seed) {
  std::vector<index_t> counts(static_cast<std::size_t>(ranks * bins));
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] = static_cast<index_t>(hash(seed, i) % static_cast<std::uint64_t>(most + 1));
  return counts;
}
// Shares of any sizes, some of them empty, of all keys.
static std::vector<index_t> random_shares(int ranks, index_t total, std::uint64_t seed) {
  std::vector<index_t> begins = {0, total};
  for (int r = 1; r < ranks; ++r)
    begins.push_back(
        static_cast<index_t>(hash(seed, static_cast<std::uint64_t>(r)) % static_cast<std::uint64_t>(total + 1)));
  if (ranks > 2) begins[2] = begins.back();  // an empty one
  std::sort(begins.begin(), begins.end());
  return begins;
}

// All keys of a share are in its groups, once; and groups say truly how many keys they have, and where.
static void check_plan(const std::vector<index_t>& counts, const std::vector<index_t>& begins, int bins,
                       index_t least) {
  const auto ranks = static_cast<int>(begins.size()) - 1;
  const bin_plan plan(counts, begins, least);
  EXPECT_EQ(plan.bins(), bins);
  std::vector<index_t> first(static_cast<std::size_t>(bins) + 1, 0);
  for (int b = 0; b < bins; ++b) {
    index_t all = 0;
    for (int q = 0; q < ranks; ++q) {
      const auto at = static_cast<std::size_t>(q * bins + b);
      EXPECT_EQ(plan.begin_in(q, b + 1) - plan.begin_in(q, b), counts[at]);
      all += counts[at];
    }
    first[static_cast<std::size_t>(b) + 1] = first[static_cast<std::size_t>(b)] + all;
  }
  std::size_t rounds = 0;
  for (int r = 0; r < ranks; ++r) {
    const index_t begin = plan.share_begin(r), end = plan.share_end(r);
    const std::vector<bin_group>& groups = plan.groups(r);
    rounds = std::max(rounds, groups.size());
    if (begin == end) {
      EXPECT_TRUE(groups.empty());
      continue;
    }
    ASSERT_FALSE(groups.empty());
    EXPECT_LE(groups.front().begin, begin);
    EXPECT_GE(groups.back().begin + groups.back().size, end);
    for (std::size_t k = 0; k < groups.size(); ++k) {
      const bin_group& g = groups[k];
      EXPECT_EQ(g.begin, first[static_cast<std::size_t>(g.first)]);
      EXPECT_EQ(g.begin + g.size, first[static_cast<std::size_t>(g.last)]);
      EXPECT_LT(g.begin, end);
      EXPECT_GT(g.begin + g.size, begin);
      if (k > 0) {
        EXPECT_EQ(groups[k - 1].begin + groups[k - 1].size, g.begin);
      }
      if (k >= 3 && k + 1 < groups.size()) {
        EXPECT_GE(g.size, least);
      }
      index_t of_ranks = 0;
      for (int q = 0; q < ranks; ++q) of_ranks += plan.size_in(q, g);
      EXPECT_EQ(of_ranks, g.size);
    }
  }
  EXPECT_EQ(plan.rounds(), rounds);
}

TEST(bin_groups, of_any_counts_and_shares) {
  std::uint64_t seed = 1;
  for (const int ranks : {1, 2, 3, 4, 8}) {
    for (const int bins : {1, 7, 256}) {
      for (const index_t most : {0, 1, 3, 1000}) {
        for (const index_t least : {1, 50, 100000}) {
          SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(bins) + " bins of up to " +
                       std::to_string(most) + ", " + std::to_string(least));
          const auto counts = random_counts(ranks, bins, most, ++seed);
          const index_t total = std::accumulate(counts.begin(), counts.end(), index_t{0});
          check_plan(counts, random_shares(ranks, total, ++seed), bins, least);
        }
      }
    }
  }
}

TEST(bin_groups, even_ones_and_others) {
  const std::vector<index_t> begins = {0, 2560, 5120};
  EXPECT_TRUE(bin_plan(std::vector<index_t>(2 * 256, 10), begins, 300).is_even());
  // One bin has a share and more.
  std::vector<index_t> skewed(2 * 256, 0);
  skewed[100] = skewed[356] = 2000;
  skewed[10] = 560, skewed[300] = 560;
  EXPECT_FALSE(bin_plan(skewed, begins, 300).is_even());
  // All keys are equal: both ranks would get all of them.
  std::vector<index_t> equal(2 * 256, 0);
  equal[7] = equal[263] = 2560;
  EXPECT_FALSE(bin_plan(equal, begins, 1).is_even());
  // A group that is as large as the share does not move while another is sorted.
  EXPECT_FALSE(bin_plan(std::vector<index_t>(2 * 256, 10), begins, 2560 * 4).is_even());
}

}  // namespace test
