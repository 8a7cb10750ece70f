// SPDX-License-Identifier: Apache-2.0
// What sorts across ranks, and their parts, have to give on any carrier.
#pragma once

#include <onepass/distributed_sort.hpp>

#include "over_ranks.hpp"

namespace test {

namespace od = onepass::distributed;

enum class keys_are { random, few, equal, in_order, skewed };
constexpr keys_are all_keys[] = {keys_are::random, keys_are::few, keys_are::equal, keys_are::in_order,
                                 keys_are::skewed};

template <class K>
std::vector<K> make_keys(std::size_t n, keys_are kind) {
  if (kind == keys_are::random) return random_values<K>(n, 17);
  std::vector<K> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t chance = hash(18, i);
    switch (kind) {
      case keys_are::few: keys[i] = static_cast<K>(chance % 3); break;
      case keys_are::equal: keys[i] = static_cast<K>(1); break;
      case keys_are::in_order: keys[i] = static_cast<K>(i); break;
      default: keys[i] = static_cast<K>(chance % 8 == 0 ? chance : chance % 16 / 15); break;  // most are 0
    }
  }
  return keys;
}

inline index_t share_of(od::shares wanted, const rank_sizes& of, int rank) {
  if (wanted == od::shares::as_given) return of[static_cast<std::size_t>(rank)];
  const index_t total = total_of(of), size = static_cast<index_t>(of.size());
  return total / size + (rank < total % size ? 1 : 0);
}

// Sorts pairs, and expects the part that this rank's slice says of the whole range sorted stably.
template <class Comm, class K>
void check_sort(Comm& comm, const rank_sizes& of, const std::vector<K>& whole, const onepass::radix_options& options,
                od::shares wanted) {
  const auto order = sorted_order(whole, options.descending, options.begin_bit,
                                  options.end_bit < 0 ? 8 * static_cast<int>(sizeof(K)) : options.end_bit);
  std::vector<index_t> index(whole.size());
  std::iota(index.begin(), index.end(), index_t{0});
  const auto x = array_on(comm, part_of(whole, of, comm.rank()));
  const auto v = array_on(comm, part_of(index, of, comm.rank()));
  const index_t share = share_of(wanted, of, comm.rank());
  const index_t slack = wanted == od::shares::loose ? total_of(of) / comm.size() / 64 : 0;
  const auto room = static_cast<std::size_t>(share + slack);
  auto own_keys = array_on<K>(comm, room);
  auto own_values = array_on(comm, room + 1, index_t{-1});
  const od::slice mine = od::radix_sort_by_key(comm, policy_on(comm, 2), x.begin(), x.end(), v.begin(), own_keys.data(),
                                               own_values.data(), share + slack, options, wanted);
  const std::vector<K> keys = on_host(own_keys);
  const std::vector<index_t> values = on_host(own_values);
  EXPECT_EQ(mine.total, total_of(of));
  if (slack == 0) {
    EXPECT_EQ(mine.size, share);
  }
  EXPECT_LE(mine.size, share + slack);
  ASSERT_LE(mine.offset + mine.size, mine.total);
  std::vector<od::slice> all(static_cast<std::size_t>(comm.size()));
  comm.all_gather("check_sort", &mine, all.data(), sizeof mine);
  index_t begin = 0;
  for (const od::slice& s : all) {
    EXPECT_EQ(s.offset, begin);
    begin += s.size;
  }
  EXPECT_EQ(begin, mine.total);
  for (index_t i = 0; i < mine.size; ++i) {
    const std::size_t from = order[static_cast<std::size_t>(mine.offset + i)];
    ASSERT_EQ(values[static_cast<std::size_t>(i)], static_cast<index_t>(from)) << "item " << i;
    ASSERT_TRUE(same_bits(keys[static_cast<std::size_t>(i)], whole[from])) << "item " << i;
  }
  for (auto i = static_cast<std::size_t>(mine.size); i < values.size(); ++i) ASSERT_EQ(values[i], -1);

  // Keys alone, in place.
  std::vector<K> given = part_of(whole, of, comm.rank());
  given.resize(std::max(given.size(), room));
  auto own_alone = array_on(comm, given);
  const auto last = own_alone.begin() + of[static_cast<std::size_t>(comm.rank())];
  od::radix_sort(comm, own_alone.begin(), last, own_alone.begin(), share + slack, options, wanted);
  const std::vector<K> alone = on_host(own_alone);
  for (std::size_t i = 0; i < static_cast<std::size_t>(mine.size); ++i) ASSERT_TRUE(same_bits(alone[i], keys[i]));
}

template <class K>
struct sorts {
  std::vector<index_t> sizes = {60, 1500};
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const index_t n : sizes) {
      for (const rank_sizes& of : distributions(comm.size(), n)) {
        for (const keys_are kind : all_keys) {
          for (const od::shares wanted : {od::shares::as_given, od::shares::even, od::shares::loose}) {
            SCOPED_TRACE(text_of(of, comm.rank()) + ", keys " + std::to_string(static_cast<int>(kind)) + ", shares " +
                         std::to_string(static_cast<int>(wanted)));
            const auto whole = make_keys<K>(static_cast<std::size_t>(total_of(of)), kind);
            check_sort(comm, of, whole, onepass::ascending(), wanted);
          }
        }
      }
    }
  }
};

// Directions, and parts of keys, down to no bit at all.
template <class K>
struct sorts_with_options {
  template <class Comm>
  void operator()(Comm& comm) const {
    constexpr int bits = 8 * static_cast<int>(sizeof(K));
    const onepass::radix_options all[] = {onepass::descending(),     onepass::ascending(3, bits - 1),
                                          onepass::descending(4, 7), onepass::ascending(bits - 1, bits),
                                          onepass::ascending(5, 5),  onepass::descending(0, bits - 3)};
    const rank_sizes of = distributions(comm.size(), 2000)[5];
    for (const onepass::radix_options& options : all) {
      for (const keys_are kind : all_keys) {
        SCOPED_TRACE(text_of(of, comm.rank()) + ", bits " + std::to_string(options.begin_bit) + " to " +
                     std::to_string(options.end_bit) + ", keys " + std::to_string(static_cast<int>(kind)));
        const auto whole = make_keys<K>(static_cast<std::size_t>(total_of(of)), kind);
        check_sort(comm, of, whole, options, od::shares::even);
      }
    }
  }
};

// Infinities, NaNs of both signs, both zeros, subnormal numbers.
struct sorts_of_floats {
  template <class Comm>
  void operator()(Comm& comm) const {
    using limits = std::numeric_limits<float>;
    const float special[] = {0.0f,
                             -0.0f,
                             limits::infinity(),
                             -limits::infinity(),
                             limits::quiet_NaN(),
                             -limits::quiet_NaN(),
                             limits::denorm_min(),
                             -limits::max()};
    for (const rank_sizes& of : distributions(comm.size(), 1000)) {
      auto whole = random_values<float>(static_cast<std::size_t>(total_of(of)), 19);
      for (std::size_t i = 0; i < whole.size(); ++i) {
        if (hash(20, i) % 2 == 0) whole[i] = special[hash(21, i) % 8];
      }
      SCOPED_TRACE(text_of(of, comm.rank()));
      check_sort(comm, of, whole, onepass::ascending(), od::shares::even);
      check_sort(comm, of, whole, onepass::descending(), od::shares::as_given);
    }
  }
};

// So many keys that parts are cut for threads, and keys that no array holds.
struct sorts_of_many {
  template <class Comm>
  void operator()(Comm& comm) const {
    const rank_sizes of = distributions(comm.size(), 300000)[0];
    check_sort(comm, of, make_keys<std::uint32_t>(static_cast<std::size_t>(total_of(of)), keys_are::random),
               onepass::ascending(), od::shares::as_given);
    check_sort(comm, of, make_keys<std::uint64_t>(static_cast<std::size_t>(total_of(of)), keys_are::skewed),
               onepass::descending(), od::shares::even);
    const index_t n = of[static_cast<std::size_t>(comm.rank())];
    const thrust::counting_iterator<int> computed(static_cast<int>(begin_of(of, comm.rank())));
    auto own_out = array_on<int>(comm, static_cast<std::size_t>(n));
    od::radix_sort(comm, policy_on(comm, 2), computed, computed + n, own_out.data(), n, onepass::descending());
    const std::vector<int> out = on_host(own_out);
    const int first = static_cast<int>(total_of(of)) - 1 - static_cast<int>(begin_of(of, comm.rank()));
    for (int i = 0; i < static_cast<int>(n); ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], first - i);
  }
};

// The parts of a sort, put together as a program would that sorts first and exchanges by itself.
struct parts_of_sorts {
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : distributions(comm.size(), 3000)) {
      for (const keys_are kind : all_keys) {
        SCOPED_TRACE(text_of(of, comm.rank()) + ", keys " + std::to_string(static_cast<int>(kind)));
        check(comm, of, make_keys<std::int16_t>(static_cast<std::size_t>(total_of(of)), kind));
      }
    }
  }

  template <class Comm>
  void check(Comm& comm, const rank_sizes& of, const std::vector<std::int16_t>& whole) const {
    const auto order = sorted_order(whole);
    std::vector<index_t> index(whole.size());
    std::iota(index.begin(), index.end(), index_t{0});
    auto x = part_of(whole, of, comm.rank());
    auto v = part_of(index, of, comm.rank());
    const auto cuts = od::splitters(comm, onepass::cpu(1), x.begin(), x.end(), {}, od::shares::even);
    onepass::radix_sort_by_key(onepass::cpu(1), x.begin(), x.end(), v.begin());
    std::vector<std::int16_t> keys(x.size()), keys_alone(x.size());
    std::vector<index_t> values(x.size());
    const auto sent =
        od::partition_for(onepass::cpu(2), x.begin(), x.end(), v.begin(), cuts, keys.data(), values.data());
    EXPECT_EQ(sent, od::partition_for(onepass::cpu(1), x.begin(), x.end(), cuts, keys_alone.data()));
    EXPECT_EQ(keys, keys_alone);
    onepass::detail::rank_call<Comm> ranks(comm, "parts_of_sorts");
    const auto received = ranks.swap_counts(sent);
    const auto share = static_cast<std::size_t>(std::accumulate(received.begin(), received.end(), index_t{0}));
    const auto rank = static_cast<std::size_t>(comm.rank());
    ASSERT_EQ(static_cast<index_t>(share), cuts.begins[rank + 1] - cuts.begins[rank]);
    std::vector<std::int16_t> runs(share), merged(share), merged_alone(share);
    std::vector<index_t> run_values(share), merged_values(share);
    ranks.all_to_all(onepass::cpu(1), keys.data(), sent, runs.data(), received);
    ranks.all_to_all(onepass::cpu(1), values.data(), sent, run_values.data(), received);
    od::merge_runs(onepass::cpu(2), runs.begin(), run_values.begin(), received, merged.data(), merged_values.data());
    od::merge_runs(onepass::cpu(1), runs.begin(), received, merged_alone.data());
    EXPECT_EQ(merged, merged_alone);
    for (std::size_t i = 0; i < share; ++i) {
      const std::size_t from = order[static_cast<std::size_t>(cuts.begins[rank]) + i];
      ASSERT_EQ(merged[i], whole[from]);
      ASSERT_EQ(merged_values[i], static_cast<index_t>(from));
    }
  }
};

}  // namespace test
