// SPDX-License-Identifier: Apache-2.0
// A rank's share of a sort, cut into groups of keys that ascend from group to group, so that one group can be sorted
// while the next one is on its way. All ranks cut all shares in the same way, from what they know of all keys: how many have each
// top digit. So a group begins at the begin of a top digit, or of the share.
#pragma once

#include <onepass/splitters.hpp>

#include "key_prefixes.hpp"

namespace onepass::detail {

// How many keys of all ranks have each top digit, and how many bits are below that digit.
struct top_digit_counts {
  std::vector<std::uint64_t> counts;
  int left = 0;
};

template <class K>
class share_groups {
  using bits = key_bits_t<K>;
  using set = distributed::splitter_set<K>;

 public:
  // Cuts shares of at least 2 * `least` items into groups of about that many or more, `most` at most.
  share_groups(const set& splitters, const top_digit_counts& top, index_t least, index_t most)
      : parts_{splitters.options, {}, {0}} {
    std::vector<index_t> below(top.counts.size());
    index_t all = 0;
    for (std::size_t d = 0; d < below.size(); ++d)
      below[d] = std::exchange(all, all + static_cast<index_t>(top.counts[d]));
    const std::size_t ranks = splitters.begins.size() - 1;
    for (std::size_t r = 0; r < ranks; ++r) {
      first_.push_back(parts_.borders.size());
      cut(splitters.begins[r], splitters.begins[r + 1], below, top.left, least, most);
      if (r + 1 < ranks) parts_.borders.push_back(splitters.borders[r]);
      parts_.begins.push_back(splitters.begins[r + 1]);
      longest_ = std::max(longest_, count_of(r));
    }
  }

  // The borders between all groups of all ranks. Its part j is one group, and parts ascend.
  const set& parts() const { return parts_; }
  std::size_t size() const { return parts_.begins.size() - 1; }
  // Rank r has count_of(r) groups. Its group k is part part_of(r, k).
  std::size_t count_of(std::size_t rank) const {
    return (rank + 1 < first_.size() ? first_[rank + 1] : parts_.begins.size() - 1) - first_[rank];
  }
  std::size_t part_of(std::size_t rank, std::size_t group) const { return first_[rank] + group; }
  std::size_t longest() const { return longest_; }  // the most groups of a rank
  index_t items_of(std::size_t part) const { return parts_.begins[part + 1] - parts_.begins[part]; }

 private:
  void cut(index_t begin, index_t end, const std::vector<index_t>& below, int left, index_t least, index_t most) {
    const index_t count = std::min(most, (end - begin) / least);
    for (index_t j = 1; j < count; ++j) {
      const index_t wanted = begin + (end - begin) / count * j;
      const auto found = std::lower_bound(below.begin(), below.end(), wanted);
      if (found == below.end()) return;
      if (*found <= parts_.begins.back() || *found >= end) continue;
      parts_.borders.push_back({static_cast<bits>(static_cast<bits>(found - below.begin()) << left), 0});
      parts_.begins.push_back(*found);
    }
  }

  set parts_;
  std::vector<std::size_t> first_;  // the first part of each rank
  std::size_t longest_ = 1;
};

}  // namespace onepass::detail
