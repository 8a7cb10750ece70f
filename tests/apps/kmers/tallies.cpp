// SPDX-License-Identifier: Apache-2.0
// Merging counts, and what is told of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "../../../apps/kmers/tally.hpp"

namespace {

using namespace kmers;

tally from_map(const std::map<std::uint64_t, std::uint64_t>& counts) {
  tally result;
  for (const auto& [kmer, count] : counts) result.kmers.push_back(kmer), result.counts.push_back(count);
  return result;
}

tally merged(const tally& a, const tally& b) {
  tally into = from_map({{2, 2}});  // what was there does not count
  merge(a, b, into);
  return into;
}

TEST(tallies, merged) {
  const tally a = from_map({{1, 1}, {3, 2}, {9, 1}}), b = from_map({{0, 5}, {3, 7}});
  EXPECT_TRUE(merged(a, b) == from_map({{0, 5}, {1, 1}, {3, 9}, {9, 1}}));
  EXPECT_TRUE(merged(b, a) == merged(a, b));
  EXPECT_TRUE(merged(a, {}) == a);
  EXPECT_TRUE(merged({}, a) == a);
  EXPECT_TRUE(merged({}, {}) == tally());
}

TEST(tallies, of_many_parts) {
  std::mt19937_64 random(1);
  std::map<std::uint64_t, std::uint64_t> all;
  tally_of_parts sums;
  EXPECT_TRUE(sums.total() == tally());
  for (int part = 0; part < 100; ++part) {
    std::map<std::uint64_t, std::uint64_t> counts;
    for (std::uint64_t i = random() % 200; i > 0; --i) ++counts[random() % 1000 * (~std::uint64_t{0} / 1000)];
    for (const auto& [kmer, count] : counts) all[kmer] += count;
    tally one = from_map(counts);
    sums.add(one);
    EXPECT_TRUE(one == tally());
  }
  EXPECT_TRUE(sums.total() == from_map(all));
  EXPECT_TRUE(sums.total() == tally());
}

TEST(tallies, abundances) {
  EXPECT_EQ(abundances({}), histogram());
  EXPECT_EQ(abundances(from_map({{1, 3}, {2, 1}, {4, 3}, {5, 65536}, {6, 65535}, {7, std::uint64_t{1} << 40}})),
            (histogram{{1, 1}, {3, 2}, {65535, 1}, {65536, 1}, {std::uint64_t{1} << 40, 1}}));
}

TEST(tallies, most_frequent) {
  const tally of = from_map({{1, 3}, {2, 9}, {4, 3}, {5, 1}});
  EXPECT_EQ(most_frequent(of, 3), (std::vector<std::size_t>{1, 0, 2}));
  EXPECT_EQ(most_frequent(of, 9), (std::vector<std::size_t>{1, 0, 2, 3}));
  EXPECT_TRUE(most_frequent(of, 0).empty());
}

TEST(tallies, as_text) {
  EXPECT_EQ(letters(0, 3), "AAA");
  EXPECT_EQ(letters(0b00011011, 4), "ACGT");
  EXPECT_EQ(letters(~std::uint64_t{0}, 32), std::string(32, 'T'));
  EXPECT_EQ(as_text(from_map({{1, 3}, {15, 20}}), 2), "AC\t3\nTT\t20\n");
  EXPECT_EQ(as_text(histogram{{1, 4}, {7, 1}}), "1\t4\n7\t1\n");
}

}  // namespace
