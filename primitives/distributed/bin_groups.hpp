// SPDX-License-Identifier: Apache-2.0
// Which keys each rank gets in a sort across ranks that moves keys before it sorts them, and in which groups they come.
// A key's bin is its top digit. A rank gets each bin of which its share has a key. So a bin that a border cuts goes to
// both sides of it; both sort it, and each keeps what is its own. Bins are counted before, so shares are exact, and
// nobody looks for splitters. A rank's bins come in groups of neighbours, so that it sorts one while the next arrives.
#pragma once

#include <algorithm>
#include <vector>

#include <onepass/config.hpp>

namespace onepass::detail {

// How many keys a group has at least: to sort fewer does not fill a device. A test of small sorts by bins defines
// ONEPASS_LEAST_IN_GROUP.
#if defined(ONEPASS_LEAST_IN_GROUP)
constexpr index_t least_in_group = ONEPASS_LEAST_IN_GROUP;
#else
constexpr index_t least_in_group = index_t{1} << 22;
#endif

// Some bins of one rank.
struct bin_group {
  int first, last;      // the bins [first, last)
  index_t begin, size;  // their keys among those of all ranks, once these are sorted
};

class bin_plan {
 public:
  // counts: how many keys rank 0 has in each bin, then rank 1, and so on. begins: of the shares, and behind the last one.
  // A group has at least `least` keys, unless it is a rank's last one, or one of its first three: those are smaller, so
  // that the first sort begins soon.
  bin_plan(const std::vector<index_t>& counts, const std::vector<index_t>& begins, index_t least)
      : bins_(static_cast<int>(counts.size() / (begins.size() - 1))), shares_(begins), groups_(begins.size() - 1) {
    const std::size_t ranks = groups_.size(), bins = counts.size() / ranks;
    std::vector<index_t> first(bins + 1, 0);  // of each bin, among the keys of all ranks
    for (std::size_t q = 0; q < ranks; ++q) {
      begins_.push_back(0);
      for (std::size_t b = 0; b < bins; ++b) {
        const index_t count = counts[q * bins + b];
        begins_.push_back(begins_.back() + count);
        first[b + 1] += count;
      }
    }
    for (std::size_t b = 1; b < first.size(); ++b) first[b] += first[b - 1];
    for (std::size_t r = 0; r < ranks; ++r) make_groups(first, begins[r], begins[r + 1], least, groups_[r]);
  }

  int bins() const { return bins_; }
  const std::vector<bin_group>& groups(int rank) const { return groups_[static_cast<std::size_t>(rank)]; }
  // The largest number of groups that a rank has.
  std::size_t rounds() const {
    std::size_t most = 0;
    for (const auto& groups : groups_) most = std::max(most, groups.size());
    return most;
  }
  index_t share_begin(int rank) const { return shares_[static_cast<std::size_t>(rank)]; }
  index_t share_end(int rank) const { return shares_[static_cast<std::size_t>(rank) + 1]; }
  // Where a bin begins among the keys of rank q, which stand by bins; and how many of them are in a group.
  index_t begin_in(int q, int bin) const {
    return begins_[static_cast<std::size_t>(q) * (static_cast<std::size_t>(bins_) + 1) + static_cast<std::size_t>(bin)];
  }
  index_t size_in(int q, const bin_group& group) const { return begin_in(q, group.last) - begin_in(q, group.first); }

  // Whether the ranks do not get much more than their shares, and each in several groups.
  bool is_even() const {
    index_t most = 0;
    for (std::size_t r = 0; r < groups_.size(); ++r) most = std::max(most, shares_[r + 1] - shares_[r]);
    for (std::size_t r = 0; r < groups_.size(); ++r) {
      index_t gets = 0;
      for (const bin_group& g : groups_[r]) {
        if (g.size > most / 2) return false;
        gets += g.size;
      }
      if (gets > shares_[r + 1] - shares_[r] + most / 4) return false;  // both: not measured
    }
    return true;
  }

 private:
  void make_groups(const std::vector<index_t>& first, index_t begin, index_t end, index_t least,
                   std::vector<bin_group>& groups) const {
    if (begin == end) return;
    bool is_open = false;
    for (int b = 0; b < bins_; ++b) {
      const index_t from = first[static_cast<std::size_t>(b)], to = first[static_cast<std::size_t>(b) + 1];
      if (from == to || to <= begin || from >= end) continue;
      if (!is_open) groups.push_back({b, b, from, 0});
      groups.back().last = b + 1;
      groups.back().size = to - groups.back().begin;
      is_open = groups.back().size < least * std::min<index_t>(static_cast<index_t>(groups.size()), 4) / 4;
    }
  }

  int bins_;
  std::vector<index_t> shares_;
  std::vector<index_t> begins_;  // of rank 0's bins, and behind the last one; then of rank 1's, and so on
  std::vector<std::vector<bin_group>> groups_;
};

}  // namespace onepass::detail
