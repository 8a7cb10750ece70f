// SPDX-License-Identifier: Apache-2.0
// A rank's share of a sort, cut into groups of keys that ascend from group to group, so that one group can be sorted
// while the next one is on its way. All ranks cut all shares in the same way, from what they know of all keys: how many
// have each top digit. So a group begins at the begin of a top digit, or of the share.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <onepass/splitters.hpp>

namespace onepass::detail {

// What the search for splitters finds out beside them. All is empty where nothing was counted: with one rank, without
// keys, and where keys have no bits.
struct splitter_counts {
  std::vector<std::uint64_t> all, own;  // how many keys of all ranks, and of this one, have each top digit
  int left = 0;                         // the number of bits below that digit
  std::vector<index_t> own_cuts;        // how many of this rank's items go below each border
};

// The indices where each of the counted things begins, and where the last one ends.
inline std::vector<index_t> begins_of(const std::vector<std::uint64_t>& counts) {
  std::vector<index_t> begins(1, 0);
  for (const std::uint64_t c : counts) begins.push_back(begins.back() + static_cast<index_t>(c));
  return begins;
}

class share_groups {
 public:
  // `begins`: of the ranks' shares. n: this rank's items. Shares of at least 2 * `least` items are cut into groups of
  // about that many or more, `most` at most.
  share_groups(const std::vector<index_t>& begins, const splitter_counts& counts, index_t n, index_t least,
               index_t most) {
    const std::vector<index_t> all = begins_of(counts.all), own = begins_of(counts.own);
    const std::size_t ranks = begins.size() - 1;
    for (std::size_t r = 0; r < ranks; ++r) {
      first_.push_back(begins_.size());
      begins_.push_back(begins[r]);
      own_begins_.push_back(r == 0 ? 0 : counts.own_cuts[r - 1]);
      cut(begins[r], begins[r + 1], all, own, least, most);
      longest_ = std::max(longest_, begins_.size() - first_[r]);
    }
    first_.push_back(begins_.size());
    begins_.push_back(begins.back());
    own_begins_.push_back(n);
  }

  // All groups of all ranks are numbered in the order of their keys. Rank r has count_of(r) of them, from first_of(r) on.
  std::size_t size() const { return begins_.size() - 1; }
  std::size_t first_of(std::size_t rank) const { return first_[rank]; }
  std::size_t count_of(std::size_t rank) const { return first_[rank + 1] - first_[rank]; }
  std::size_t longest() const { return longest_; }  // the most groups of a rank
  // How many items a group has, and where it begins among this rank's items, once these are partitioned.
  index_t items_of(std::size_t group) const { return begins_[group + 1] - begins_[group]; }
  const std::vector<index_t>& own_begins() const { return own_begins_; }

 private:
  void cut(index_t begin, index_t end, const std::vector<index_t>& all, const std::vector<index_t>& own, index_t least,
           index_t most) {
    const index_t count = std::min(most, (end - begin) / least);
    for (index_t j = 1; j < count; ++j) {
      const auto found = std::lower_bound(all.begin(), all.end(), begin + (end - begin) / count * j);
      if (found == all.end() || *found >= end) return;
      if (*found <= begins_.back()) continue;
      begins_.push_back(*found);
      own_begins_.push_back(own[static_cast<std::size_t>(found - all.begin())]);
    }
  }

  std::vector<std::size_t> first_;
  std::vector<index_t> begins_, own_begins_;
  std::size_t longest_ = 1;
};

}  // namespace onepass::detail
