// SPDX-License-Identifier: Apache-2.0
// onepass/shares.hpp: how a range is distributed over ranks.
#pragma once

#include "config.hpp"

namespace onepass::distributed {

// A rank's part of a range: the `size` items from index `offset` on, of `total` in all.
struct slice {
  index_t size, offset, total;
};

// How many items of a sorted range each rank gets:
//   as_given  as many as it gave
//   even      total / size; the first total % size ranks get one more
//   loose     about an even share: each begins where its even share begins, or up to total / size / 64 items before
//             that. Keys that no other key equals are told apart by fewer of their bits, so splitters need fewer
//             exchanges
enum class shares { as_given, even, loose };

}  // namespace onepass::distributed
