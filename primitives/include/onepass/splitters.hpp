// SPDX-License-Identifier: Apache-2.0
// onepass/splitters.hpp: where a range that lies on several ranks is cut when it is sorted. Made by
// onepass::distributed::splitters (onepass/distributed_sort.hpp).
#pragma once

#include <vector>

#include "../../../core/support/radix_keys.hpp"
#include "radix_options.hpp"

namespace onepass::distributed {

// The borders between the ranks' shares of the sorted range, as one rank has them.
template <class K>
struct splitter_set {
  using bits = detail::key_bits_t<K>;
  // Keys below `key` go below the border, those above it go above. Of this rank's keys that are equal to it, the first
  // `ties` go below. `key` is the key's sorted bits as an unsigned integer that ascends in the order of the sort.
  struct border {
    bits key;
    index_t ties;
  };
  radix_options options;        // the order, with its end_bit filled in
  std::vector<border> borders;  // border r is that between rank r and rank r + 1
  std::vector<index_t> begins;  // rank r's share of the sorted range is [begins[r], begins[r + 1])
};

}  // namespace onepass::distributed
