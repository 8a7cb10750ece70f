// SPDX-License-Identifier: Apache-2.0
// The look-back: how a tile learns its prefix, the combination of the aggregates of all tiles before it. Written once;
// a backend supplies the group that reads descriptors (warps on the device, a thread on the host).
//
// A block or thread works on several tiles, one after another. Its running_prefix keeps the prefix of the last one and
// adds the aggregates that other tiles have published since. Tiles publish only their own aggregates, and as early as
// they can. So there is no chain of prefixes along which a delay could travel. The association is fixed: groups of
// `width` tiles, aligned to `width`, are each combined by one tree, and the groups are combined from left to right. So
// floats have the same bits in every run, however tickets were drawn and however long each tile took.
//
// Progress: whoever starts a tile draws its number, in rising order, and waits only for tiles below those that it has drawn.
// So everything that a tile waits for comes from work that has already begun, and the lowest tile that is not published can
// always go on, however few blocks or threads run at once.
//
// Source: Merrill and Garland (2016), sections 4.1 to 4.4; fixed association: docs/decisions.md.
#pragma once

#include <cuda/std/optional>

#include <type_traits>

#include "descriptor.hpp"

namespace onepass::detail {

// A Group has width (how many tiles one tree combines), window (how many such groups of tiles it reads at once), and
//   sums(table, first, end, op)
//     waits until all tiles from `first` to `end` are published, or as many as the window covers. result[w] is the
//     combination, in order, of the `width` tiles from first + w * width on, as far as they are below `end`
template <class T, class Op, class Group>
class running_prefix {
 public:
  using optional = ::cuda::std::optional<T>;

  ONEPASS_HOST_DEVICE explicit running_prefix(const Op& op) : op_(op) {
#if !defined(__CUDA_ARCH__)
    // So that its bytes have been written when it is copied without a value: otherwise GCC warns of those of small types.
    if constexpr (std::is_trivially_default_constructible_v<T>) {
      before_.emplace();
      before_.reset();
    }
#endif
  }

  // The first tile whose aggregate is not yet part of the stored prefix.
  ONEPASS_HOST_DEVICE tile_t next() const { return next_; }

  // Returns the combination of all tiles before `tile`; nothing for tile 0. `tile` has to rise from call to call.
  ONEPASS_EXEC_CHECK_DISABLE
  template <class Table>
  ONEPASS_HOST_DEVICE optional advance(const Table& table, Group& group, tile_t tile) {
    while (next_ < tile) {
      const auto& sums = group.sums(table, next_, tile, op_);
      const tile_t groups = (tile - next_) / Group::width;  // groups of tiles that are complete
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
  optional before_;  // the combination of all tiles before next_
  tile_t next_ = 0;  // a multiple of Group::width
};

}  // namespace onepass::detail
