// SPDX-License-Identifier: Apache-2.0
// The look-back: how a tile learns its prefix, the combination of the aggregates of all tiles before it. Written once;
// a backend supplies the group that looks (a warp on the device, a thread on the host).
//
// running_prefix: whoever works on several tiles, one after another, keeps the prefix of the last one and adds what the
// others have published since. Tiles publish their own aggregates only, and as early as they can, so there is no chain
// of prefixes along which a delay could travel. The association is fixed: aligned groups of `width` tiles are combined
// each by one tree, and group after group from the left. So floats come out the same in every bit, whoever drew which
// tile and however fast.
//
// Progress: numbers of tiles are drawn in rising order by whoever starts a tile, and a tile's aggregate is published
// without waiting for anything. So all that anyone waits for comes from work that has begun, however few run at once.
//
// Source: Merrill and Garland (2016), sections 4.1 to 4.4; fixed association: docs/decisions.md.
#pragma once

#include <cuda/std/optional>

#include "descriptor.hpp"

namespace onepass::detail {

// Group: width (tiles that are combined by one tree), window (such groups that it looks at together), and
//   sums(table, first, end, op): waits until all tiles from `first` to `end`, or as many as the window holds, are published;
//   result[w] is the combination, in order, of the `width` tiles from first + w * width on, those below `end`.
template <class T, class Op, class Group>
class running_prefix {
 public:
  using optional = ::cuda::std::optional<T>;

  ONEPASS_HOST_DEVICE explicit running_prefix(const Op& op) : op_(op) {}

  // The first tile that is not yet part of the prefix for good.
  ONEPASS_HOST_DEVICE tile_t next() const { return next_; }

  // The combination of all tiles before `tile`; nothing for tile 0. `tile` must rise from call to call.
  ONEPASS_EXEC_CHECK_DISABLE
  template <class Table>
  ONEPASS_HOST_DEVICE optional advance(const Table& table, Group& group, tile_t tile) {
    while (next_ < tile) {
      const auto& sums = group.sums(table, next_, tile, op_);
      const tile_t groups = (tile - next_) / Group::width;  // that are complete
      ONEPASS_UNROLL
      for (tile_t w = 0; w < Group::window; ++w) {
        if (w < groups) before_ = plus(before_, sums[w]);
      }
      next_ += (groups < Group::window ? groups : Group::window) * Group::width;
      if (groups < Group::window && next_ < tile) return plus(before_, sums[groups]);
    }
    return before_;
  }

 private:
  ONEPASS_EXEC_CHECK_DISABLE
  template <class U>
  ONEPASS_HOST_DEVICE optional plus(const optional& a, const U& b) {
    if (!a) return static_cast<T>(b);
    return static_cast<T>(op_(*a, static_cast<T>(b)));
  }

  Op op_;
  optional before_;  // of all tiles before next_
  tile_t next_ = 0;  // a multiple of Group::width
};

}  // namespace onepass::detail
