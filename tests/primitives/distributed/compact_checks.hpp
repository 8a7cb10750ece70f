// SPDX-License-Identifier: Apache-2.0
// What compaction, rebalance, reductions by key and unique across ranks have to give, on any carrier.
#pragma once

#include <onepass/distributed_compact.hpp>
#include <onepass/distributed_reduce.hpp>

#include "over_ranks.hpp"

namespace test {

namespace od = onepass::distributed;

// Expects that this rank's `mine.size` results in `out` are the part of `expected` that the slice says, that all parts
// together are `expected`, and that nothing is written behind them.
template <class Comm, class Array, class T>
void expect_slice(Comm& comm, const od::slice& mine, const Array& own_out, const std::vector<T>& expected,
                  const T& untouched) {
  const std::vector<T> out = on_host(own_out);
  ASSERT_EQ(mine.total, static_cast<index_t>(expected.size()));
  ASSERT_LE(mine.offset + mine.size, mine.total);
  std::vector<index_t> given(static_cast<std::size_t>(comm.size()));
  comm.all_gather("expect_slice", &mine.size, given.data(), sizeof mine.size);
  EXPECT_EQ(mine.offset, begin_of(given, comm.rank()));
  EXPECT_EQ(std::accumulate(given.begin(), given.end(), index_t{0}), mine.total);
  std::vector<T> wanted(out.size(), untouched);
  std::copy_n(expected.begin() + mine.offset, mine.size, wanted.begin());
  EXPECT_EQ(out, wanted);
}

constexpr int untouched_int = -77;

struct compactions {
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : short_and_long_parts(comm.size())) check(comm, of, 13);
  }

  template <class Comm>
  void check(Comm& comm, const rank_sizes& of, std::uint64_t seed) const {
    SCOPED_TRACE(text_of(of, comm.rank()));
    const auto whole = random_between<int>(static_cast<std::size_t>(total_of(of)), seed, 0, 999);
    const auto flags = flags_of(whole, is_even{});
    const auto expected = kept(whole, flags);
    const auto x = array_on(comm, part_of(whole, of, comm.rank()));
    const auto f = array_on(comm, part_of(flags, of, comm.rank()));
    auto y = array_on(comm, x.size() + 1, untouched_int);
    expect_slice(comm, od::copy_if(comm, policy_on(comm, 2), x.begin(), x.end(), y.begin(), is_even{}), y, expected,
                 untouched_int);
    y = array_on(comm, y.size(), untouched_int);
    expect_slice(comm, od::copy_if(comm, x.begin(), x.end(), f.begin(), y.begin(), is_set{}), y, expected,
                 untouched_int);
    y = array_on(comm, y.size(), untouched_int);
    expect_slice(comm, od::compact(comm, x.begin(), x.end(), onepass::flags(f.begin()), y.begin()), y, expected,
                 untouched_int);
  }
};

struct rebalances {
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : distributions(comm.size(), 1000)) check(comm, of);
  }

  template <class Comm>
  void check(Comm& comm, const rank_sizes& of) const {
    SCOPED_TRACE(text_of(of, comm.rank()));
    const auto total = total_of(of);
    const auto whole = random_values<triple>(static_cast<std::size_t>(total), 14);
    const auto x = array_on(comm, part_of(whole, of, comm.rank()));
    const auto share = total / comm.size() + (comm.rank() < total % comm.size() ? 1 : 0);
    const triple untouched = {1, 2, 3};
    auto y = array_on(comm, static_cast<std::size_t>(share) + 1, untouched);
    const od::slice mine = od::rebalance(comm, policy_on(comm, 1), x.begin(), x.end(), y.data(), share);
    EXPECT_EQ(mine.size, share);
    expect_slice(comm, mine, y, whole, untouched);
    // Items that no array holds, and more room than is needed.
    const thrust::counting_iterator<std::int64_t> computed(begin_of(of, comm.rank()));
    auto own_counted = array_on(comm, static_cast<std::size_t>(share) + 1, std::int64_t{-1});
    const auto n = of[static_cast<std::size_t>(comm.rank())];
    const od::slice again =
        od::rebalance(comm, policy_on(comm, 1), computed, computed + n, own_counted.data(), share + 1);
    const std::vector<std::int64_t> counted = on_host(own_counted);
    EXPECT_EQ(again.size, share);
    for (index_t i = 0; i < share; ++i) ASSERT_EQ(counted[static_cast<std::size_t>(i)], again.offset + i);
    EXPECT_EQ(counted.back(), -1);
  }
};

// Runs of about `length` keys: of single ones, some a rank, some ranks a run, and one run in all.
template <class Check, class Comm>
void for_each_run_length(Comm& comm, const Check& check) {
  for (const rank_sizes& of : short_and_long_parts(comm.size())) {
    const index_t n = total_of(of);
    for (const index_t length : {index_t{1}, index_t{7}, n / comm.size() * 5 / 2 + 1, n * 10}) {
      SCOPED_TRACE(text_of(of, comm.rank()) + ", runs of " + std::to_string(length));
      std::vector<int> keys(static_cast<std::size_t>(total_of(of)));
      for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = static_cast<int>(static_cast<index_t>(i) / length % 3 * 10 + static_cast<index_t>(i) % 3);
      }
      check(of, keys);
    }
  }
}

struct reductions_by_key {
  template <class Comm>
  void operator()(Comm& comm) const {
    for_each_run_length(comm, [&](const rank_sizes& of, const std::vector<int>& keys) { check(comm, of, keys); });
  }

  template <class Comm>
  void check(Comm& comm, const rank_sizes& of, const std::vector<int>& all_keys) const {
    const auto whole = random_values<triple>(all_keys.size(), 15);
    const auto heads = heads_of_keys(all_keys, same_tens{});
    const auto expected = ends_of(inclusive_segmented_reference(whole, heads, triangular_product{}), heads);
    const auto keys = array_on(comm, part_of(all_keys, of, comm.rank()));
    const auto x = array_on(comm, part_of(whole, of, comm.rank()));
    const triple untouched = {1, 2, 3};
    auto k = array_on(comm, keys.size() + 1, untouched_int);
    auto v = array_on(comm, keys.size() + 1, untouched);
    const od::slice mine = od::reduce_by_key(comm, policy_on(comm, 2), keys.begin(), keys.end(), x.begin(), k.begin(),
                                             v.begin(), same_tens{}, triangular_product{});
    expect_slice(comm, mine, v, expected, untouched);
    expect_slice(comm, mine, k, kept(all_keys, heads), untouched_int);
  }
};

struct sums_by_key {
  template <class Comm>
  void operator()(Comm& comm) const {
    for_each_run_length(comm, [&](const rank_sizes& of, const std::vector<int>& all_keys) {
      const auto whole = random_between<int>(all_keys.size(), 16, 0, 99);
      const auto heads = heads_of_keys(all_keys);
      const auto sums = ends_of(inclusive_segmented_reference(whole, heads, onepass::sum{}), heads);
      const auto keys = array_on(comm, part_of(all_keys, of, comm.rank()));
      const auto x = array_on(comm, part_of(whole, of, comm.rank()));
      auto k = array_on(comm, keys.size() + 1, untouched_int);
      auto v = array_on(comm, keys.size() + 1, double{untouched_int});
      const od::slice mine = od::reduce_by_key(comm, keys.begin(), keys.end(), x.begin(), k.begin(), v.begin());
      expect_slice(comm, mine, v, std::vector<double>(sums.begin(), sums.end()), double{untouched_int});
      expect_slice(comm, mine, k, kept(all_keys, heads), untouched_int);
    });
  }
};

struct uniques {
  template <class Comm>
  void operator()(Comm& comm) const {
    for_each_run_length(comm, [&](const rank_sizes& of, const std::vector<int>& whole) { check(comm, of, whole); });
  }

  template <class Comm>
  void check(Comm& comm, const rank_sizes& of, const std::vector<int>& whole) const {
    const auto x = array_on(comm, part_of(whole, of, comm.rank()));
    auto y = array_on(comm, x.size() + 1, untouched_int);
    expect_slice(comm, od::unique_copy(comm, policy_on(comm, 2), x.begin(), x.end(), y.begin(), same_tens{}), y,
                 kept(whole, heads_of_keys(whole, same_tens{})), untouched_int);
    y = array_on(comm, y.size(), untouched_int);
    expect_slice(comm, od::unique_copy(comm, x.begin(), x.end(), y.begin()), y, kept(whole, heads_of_keys(whole)),
                 untouched_int);
  }
};

}  // namespace test
