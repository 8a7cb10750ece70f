// SPDX-License-Identifier: Apache-2.0
// What scans and segmented scans across ranks have to give, on any carrier.
#pragma once

#include <onepass/distributed_scan.hpp>
#include <onepass/flags.hpp>

#include "over_ranks.hpp"

namespace test {

namespace od = onepass::distributed;

template <class T, class Op>
struct inclusive_scans {
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : short_and_long_parts(comm.size())) check(comm, of);
  }

  template <class Comm>
  void check(Comm& comm, const rank_sizes& of) const {
    SCOPED_TRACE(text_of(of, comm.rank()));
    const std::vector<T> whole = random_values<T>(static_cast<std::size_t>(total_of(of)), 3);
    const auto expected = part_of(inclusive_reference<T>(whole, Op{}), of, comm.rank());
    auto x = array_on(comm, part_of(whole, of, comm.rank())), y = array_on<T>(comm, x.size());
    EXPECT_EQ(od::inclusive_scan(comm, policy_on(comm, 2), x.begin(), x.end(), y.begin(), Op{}), y.end());
    EXPECT_EQ(on_host(y), expected);
    od::inclusive_scan(comm, x.begin(), x.end(), x.begin(), Op{});  // in place, without a policy
    EXPECT_EQ(on_host(x), expected);
  }
};

template <class T, class Op>
struct scans_with_initial {
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : distributions(comm.size(), 60)) check(comm, of);
  }

  template <class Comm>
  void check(Comm& comm, const rank_sizes& of) const {
    SCOPED_TRACE(text_of(of, comm.rank()));
    const T init = random_values<T>(1, 11)[0];
    const std::vector<T> whole = random_values<T>(static_cast<std::size_t>(total_of(of)), 4);
    const auto x = array_on(comm, part_of(whole, of, comm.rank()));
    auto y = array_on<T>(comm, x.size());
    od::exclusive_scan(comm, policy_on(comm, 1), x.begin(), x.end(), y.begin(), init, Op{});
    EXPECT_EQ(on_host(y), part_of(exclusive_reference<T>(whole, Op{}, init), of, comm.rank()));
    od::inclusive_scan(comm, policy_on(comm, 1), x.begin(), x.end(), y.begin(), init, Op{});
    EXPECT_EQ(on_host(y), part_of(inclusive_reference<T>(whole, Op{}, init), of, comm.rank()));
  }
};

// Parts that are so long that other drivers take them.
template <class T, class Op>
struct long_scans {
  index_t items;  // of all ranks
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : {distributions(comm.size(), items)[0], distributions(comm.size(), items)[3]}) {
      SCOPED_TRACE(text_of(of, comm.rank()));
      const std::vector<T> whole = random_values<T>(static_cast<std::size_t>(total_of(of)), 31);
      const T init = random_values<T>(1, 32)[0];
      const auto x = array_on(comm, part_of(whole, of, comm.rank()));
      auto y = array_on<T>(comm, x.size());
      od::inclusive_scan(comm, policy_on(comm, 1), x.begin(), x.end(), y.begin(), Op{});
      EXPECT_TRUE(on_host(y) == part_of(inclusive_reference<T>(whole, Op{}), of, comm.rank()));
      od::exclusive_scan(comm, policy_on(comm, 1), x.begin(), x.end(), y.begin(), init, Op{});
      EXPECT_TRUE(on_host(y) == part_of(exclusive_reference<T>(whole, Op{}, init), of, comm.rank()));
    }
  }
};

// Sums are computed in the types that the call of one rank uses: items are converted before they are added.
struct scans_of_other_types {
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : distributions(comm.size(), 500)) {
      SCOPED_TRACE(text_of(of, comm.rank()));
      const auto n = static_cast<std::size_t>(total_of(of));
      const std::vector<double> halves = [&] {
        std::vector<double> x = random_between<double>(n, 5, 0, 9);
        for (double& v : x) v += 0.5;
        return x;
      }();
      const auto x = array_on(comm, part_of(halves, of, comm.rank()));
      auto y = array_on<int>(comm, x.size());
      od::exclusive_scan(comm, policy_on(comm, 1), x.begin(), x.end(), y.begin(), 7);
      EXPECT_EQ(on_host(y), part_of(exclusive_reference<int>(halves, onepass::sum{}, 7), of, comm.rank()));

      const std::vector<std::int8_t> bytes = random_values<std::int8_t>(n, 6);
      const auto b = array_on(comm, part_of(bytes, of, comm.rank()));
      auto wide = array_on<int>(comm, b.size());
      od::inclusive_scan(comm, policy_on(comm, 1), b.begin(), b.end(), wide.begin());
      EXPECT_EQ(on_host(wide),
                part_of(inclusive_reference<int>(bytes, onepass::sum{}), of, comm.rank()));  // wraps at 8 bits

      const thrust::counting_iterator<std::int64_t> computed(begin_of(of, comm.rank()));
      auto device_sums = array_on<std::int64_t>(comm, x.size());
      od::inclusive_scan(comm, policy_on(comm, 1), computed, computed + of[static_cast<std::size_t>(comm.rank())],
                         device_sums.begin());
      const std::vector<std::int64_t> sums = on_host(device_sums);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::int64_t last = begin_of(of, comm.rank()) + static_cast<std::int64_t>(i);
        ASSERT_EQ(sums[i], last * (last + 1) / 2);
      }
    }
  }
};

// Floats: the same bits on every run, whatever comes first, and also for another number of threads.
struct scans_of_floats {
  template <class Comm>
  void operator()(Comm& comm) const {
    const rank_sizes of = distributions(comm.size(), 100000)[5];
    const auto whole = random_fractions<float>(static_cast<std::size_t>(total_of(of)), 7);
    const auto x = array_on(comm, part_of(whole, of, comm.rank()));
    auto first = array_on<float>(comm, x.size()), second = array_on<float>(comm, x.size());
    od::inclusive_scan(comm, policy_on(comm, 1), x.begin(), x.end(), first.begin());
    const std::vector<float> once = on_host(first);
    delayed<Comm> slow(comm);
    for (const int threads : {2, 3}) {
      od::inclusive_scan(slow, policy_on(comm, threads), x.begin(), x.end(), second.begin());
      const std::vector<float> again = on_host(second);
      EXPECT_TRUE(once.empty() || std::memcmp(once.data(), again.data(), once.size() * sizeof(float)) == 0);
    }
  }
};

// Head flags of a whole range: dense, rare, none, and at every border of the distribution.
inline std::vector<std::vector<std::uint8_t>> head_patterns(const rank_sizes& of) {
  const auto n = static_cast<std::size_t>(total_of(of));
  std::vector<std::vector<std::uint8_t>> all(4, std::vector<std::uint8_t>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    all[0][i] = hash(1, i) % 3 == 0;
    all[1][i] = hash(2, i) % 5000 == 0;
  }
  for (int r = 0; r < static_cast<int>(of.size()); ++r) {
    if (const auto at = static_cast<std::size_t>(begin_of(of, r)); at < n) all[3][at] = 1;
  }
  return all;
}

template <class T, class Op>
struct segmented_scans {
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : short_and_long_parts(comm.size())) {
      const std::vector<T> whole = random_values<T>(static_cast<std::size_t>(total_of(of)), 8);
      for (const std::vector<std::uint8_t>& heads : head_patterns(of)) check(comm, of, whole, heads);
    }
  }

  template <class Comm>
  void check(Comm& comm, const rank_sizes& of, const std::vector<T>& whole,
             const std::vector<std::uint8_t>& heads) const {
    SCOPED_TRACE(text_of(of, comm.rank()));
    const T init = random_values<T>(1, 12)[0];
    const auto inclusive = part_of(inclusive_segmented_reference(whole, heads, Op{}), of, comm.rank());
    const auto exclusive = part_of(exclusive_segmented_reference(whole, heads, init, Op{}), of, comm.rank());
    const auto x = array_on(comm, part_of(whole, of, comm.rank()));
    const std::vector<std::uint8_t> own_heads = part_of(heads, of, comm.rank());
    const auto flags = array_on(comm, own_heads);
    std::vector<std::int64_t> own_starts = {-3};  // starts nothing
    for (std::size_t i = 0; i < own_heads.size(); ++i) {
      if (own_heads[i]) own_starts.push_back(static_cast<std::int64_t>(i));
    }
    own_starts.push_back(static_cast<std::int64_t>(own_heads.size()));  // starts nothing
    const auto starts = array_on(comm, own_starts);
    const auto offsets = onepass::offsets(starts.begin(), starts.end());
    auto y = array_on<T>(comm, x.size());
    od::inclusive_segmented_scan(comm, policy_on(comm, 2), x.begin(), x.end(), flags.begin(), y.begin(), Op{});
    EXPECT_EQ(on_host(y), inclusive);
    od::exclusive_segmented_scan(comm, policy_on(comm, 1), x.begin(), x.end(), flags.begin(), y.begin(), init, Op{});
    EXPECT_EQ(on_host(y), exclusive);
    od::inclusive_segmented_scan(comm, policy_on(comm, 1), x.begin(), x.end(), offsets, y.begin(), Op{});
    EXPECT_EQ(on_host(y), inclusive);
    od::exclusive_segmented_scan(comm, policy_on(comm, 2), x.begin(), x.end(), offsets, y.begin(), init, Op{});
    EXPECT_EQ(on_host(y), exclusive);
  }
};

// The same for segments: with a head now and then, and with none at all behind the first items.
template <class T, class Op>
struct long_segmented_scans {
  index_t items;
  template <class Comm>
  void operator()(Comm& comm) const {
    const rank_sizes of = distributions(comm.size(), items)[0];
    const std::vector<T> whole = random_values<T>(static_cast<std::size_t>(total_of(of)), 33);
    for (const std::size_t length : {std::size_t{1000}, whole.size() / 3 + 1}) {
      SCOPED_TRACE("segments of " + std::to_string(length));
      std::vector<std::uint8_t> heads(whole.size(), 0);
      std::vector<int> keys(whole.size(), 0);
      for (std::size_t i = 0; i < heads.size(); ++i) {
        heads[i] = i % length == length / 2;
        keys[i] = static_cast<int>((i + length - length / 2) / length);
      }
      segmented_scans<T, Op>{}.check(comm, of, whole, heads);
      const auto k = array_on(comm, part_of(keys, of, comm.rank()));
      const auto x = array_on(comm, part_of(whole, of, comm.rank()));
      auto y = array_on<T>(comm, x.size());
      od::inclusive_scan_by_key(comm, policy_on(comm, 1), k.begin(), k.end(), x.begin(), y.begin(),
                                onepass::detail::equal_to{}, Op{});
      EXPECT_TRUE(on_host(y) == part_of(inclusive_segmented_reference(whole, heads, Op{}), of, comm.rank()));
    }
  }
};

struct segmented_scans_by_bits {
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : distributions(comm.size(), 300)) {
      SCOPED_TRACE(text_of(of, comm.rank()));
      const auto whole = random_between<int>(static_cast<std::size_t>(total_of(of)), 9, -99, 99);
      const auto heads = head_patterns(of)[0];
      const auto x = array_on(comm, part_of(whole, of, comm.rank()));
      const auto words = array_on(comm, words_of(part_of(heads, of, comm.rank())));
      auto y = array_on<int>(comm, x.size());
      od::inclusive_segmented_scan(comm, x.begin(), x.end(), onepass::bits(words.data()), y.begin());
      EXPECT_EQ(on_host(y), part_of(inclusive_segmented_reference(whole, heads, onepass::sum{}), of, comm.rank()));
    }
  }
};

template <class Op>
struct scans_by_key {
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : short_and_long_parts(comm.size())) {
      for (const std::int64_t length : {1, 40, 1000000}) check(comm, of, length);
    }
  }

  // Runs of about `length` items; the last makes one key of all.
  template <class Comm>
  void check(Comm& comm, const rank_sizes& of, std::int64_t length) const {
    SCOPED_TRACE(text_of(of, comm.rank()) + ", runs of " + std::to_string(length));
    const auto n = static_cast<std::size_t>(total_of(of));
    std::vector<int> all_keys(n);
    for (std::size_t i = 0; i < n; ++i) all_keys[i] = static_cast<int>(i) / static_cast<int>(length) / 2 % 7 * 10;
    const auto whole = random_values<triple>(n, 10);
    const auto heads = heads_of_keys(all_keys, same_tens{});
    const triple init = {1, 2, 3};
    const auto keys = array_on(comm, part_of(all_keys, of, comm.rank()));
    const auto x = array_on(comm, part_of(whole, of, comm.rank()));
    auto y = array_on<triple>(comm, x.size());
    od::inclusive_scan_by_key(comm, policy_on(comm, 2), keys.begin(), keys.end(), x.begin(), y.begin(), same_tens{},
                              Op{});
    EXPECT_EQ(on_host(y), part_of(inclusive_segmented_reference(whole, heads, Op{}), of, comm.rank()));
    y = array_on(comm, part_of(whole, of, comm.rank()));
    od::exclusive_scan_by_key(comm, keys.begin(), keys.end(), y.begin(), y.begin(), init, same_tens{}, Op{});
    EXPECT_EQ(on_host(y), part_of(exclusive_segmented_reference(whole, heads, init, Op{}), of, comm.rank()));
  }
};

// Results go where the keys are.
struct scans_over_their_keys {
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : distributions(comm.size(), 3000)) {
      SCOPED_TRACE(text_of(of, comm.rank()));
      auto all_keys = random_between<int>(static_cast<std::size_t>(total_of(of)), 11, 0, 2);
      const auto whole = random_between<int>(all_keys.size(), 12, 0, 99);
      const auto heads = heads_of_keys(all_keys);
      auto keys = array_on(comm, part_of(all_keys, of, comm.rank()));
      const auto x = array_on(comm, part_of(whole, of, comm.rank()));
      od::inclusive_scan_by_key(comm, policy_on(comm, 1), keys.begin(), keys.end(), x.begin(), keys.begin());
      EXPECT_EQ(on_host(keys), part_of(inclusive_segmented_reference(whole, heads, onepass::sum{}), of, comm.rank()));
    }
  }
};

}  // namespace test
