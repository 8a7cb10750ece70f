// SPDX-License-Identifier: Apache-2.0
// Calls across ranks drawn at random: sizes of all ranks, keys, segments and options. Every rank draws the same.
#pragma once

#include "compact_checks.hpp"
#include "scan_checks.hpp"
#include "sort_checks.hpp"

namespace test {

struct random_calls {
  std::uint64_t seed;

  template <class Comm>
  void operator()(Comm& comm) const {
    for (std::uint64_t round = 0; round < 60; ++round) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
      call(comm, hash(seed, round));
    }
  }

 private:
  // A number below `end`.
  static std::uint64_t draw(std::uint64_t chance, std::uint64_t what, std::uint64_t end) {
    return hash(chance, what) % end;
  }

  // No items, a few, or some hundreds on each rank.
  static rank_sizes draw_sizes(std::uint64_t chance, int ranks) {
    constexpr std::uint64_t most[] = {1, 4, 300};
    rank_sizes of;
    for (int r = 0; r < ranks; ++r) {
      const auto rank = static_cast<std::uint64_t>(r);
      of.push_back(static_cast<index_t>(draw(chance, 100 + rank, most[draw(chance, 200 + rank, 3)])));
    }
    return of;
  }

  template <class Comm>
  static void call(Comm& comm, std::uint64_t chance) {
    const rank_sizes of = draw_sizes(chance, comm.size());
    const auto n = static_cast<std::size_t>(total_of(of));
    const auto kind = all_keys[draw(chance, 1, 5)];
    const std::uint64_t density = 1 + draw(chance, 2, 400);
    switch (draw(chance, 3, 10)) {
      case 0: return sort<std::uint16_t>(comm, of, chance);
      case 1: return sort<std::int64_t>(comm, of, chance);
      case 2: return scans_by_key<triangular_product>{}.check(comm, of, static_cast<std::int64_t>(density));
      case 3: {
        std::vector<std::uint8_t> heads(n);
        for (std::size_t i = 0; i < n; ++i) heads[i] = hash(chance, i) % density == 0;
        return segmented_scans<triple, triangular_product>{}.check(comm, of, random_values<triple>(n, chance), heads);
      }
      case 4: return inclusive_scans<triple, triangular_product>{}.check(comm, of);
      case 5: return scans_with_initial<triple, triangular_product>{}.check(comm, of);
      case 6: return compactions{}.check(comm, of, chance);
      case 7: return rebalances{}.check(comm, of);
      case 8: return parts_of_sorts{}.check(comm, of, make_keys<std::int16_t>(n, kind));
      default: {
        const auto keys = make_keys<int>(n, kind);
        reductions_by_key{}.check(comm, of, keys);
        return uniques{}.check(comm, of, keys);
      }
    }
  }

  template <class K, class Comm>
  static void sort(Comm& comm, const rank_sizes& of, std::uint64_t chance) {
    constexpr std::uint64_t bits = 8 * sizeof(K);
    const auto begin = draw(chance, 4, bits + 1), end = begin + draw(chance, 5, bits + 1 - begin);
    const bool is_whole = draw(chance, 6, 2) == 0;
    const onepass::radix_options options{draw(chance, 7, 2) == 0, is_whole ? 0 : static_cast<int>(begin),
                                         is_whole ? -1 : static_cast<int>(end)};
    constexpr od::shares all_shares[] = {od::shares::as_given, od::shares::even, od::shares::loose};
    const auto keys = make_keys<K>(static_cast<std::size_t>(total_of(of)), all_keys[draw(chance, 1, 5)]);
    check_sort(comm, of, keys, options, all_shares[draw(chance, 8, 3)]);
  }
};

}  // namespace test
