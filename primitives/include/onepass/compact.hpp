// SPDX-License-Identifier: Apache-2.0
// onepass/compact.hpp: compaction, partition and unique with Thrust's interface, in one pass over the input.
//
// All calls here share this:
//   Ranges     [first, last) is read, n = last - first. Just the items that an output receives are written to it, nothing
//              behind them, so it needs room for these alone, and may be null if there are none. An output may begin where
//              the input does (in place), or in front of it; those of a three-way partition must not overlap the input at
//              all. An output must not overlap a stencil, flags or another output. What pointers show to overlap is an
//              error: an output that begins inside another range, and two that begin at one address, if both receive items
//              (to know that, the predicate is asked once more an item; NAME_async on CUDA does not look). Any
//              random-access iterators; n may be past 2^32.
//   Order      stable: kept items keep their order, and so do the others.
//   Predicate  asked once an item, in no particular order. It must not change anything.
//   Waiting    on CUDA a call that returns an iterator waits for the result, as in Thrust, and cannot be captured in a
//              graph. NAME_async takes one argument more, `count` (memory of the backend, 8 bytes): it does not wait, leaves the
//              number of kept items there (of a partition: of those that satisfy the predicate), and can be captured.
//   Cost       each item is read once, each kept item written once; on CUDA one launch, O(n / 8,192) slots of workspace.
//              partition in place: items that are not kept twice (on the CPU all), two launches, n items of scratch (on the
//              CPU none for 128 KB of items or less, in an array).
//   Sizes      with policy.sized_by(size) the number of items is found in memory (core/policy.hpp): what one call counts,
//              the next can take without the host's waiting. `count` must not be `size`. A call that stores the first of all
//              items, as unique_copy does, then takes no null output if there is room for items.
//   Policy, types, errors: as onepass/scan.hpp. If a predicate throws (CPU), the exception reaches the caller; in place, the
//              items from the failing tile on are still there.
//   Source     Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (2016).
//
//   struct above_two {
//     bool operator()(int x) const { return x > 2; }
//   };
//   std::vector<int> x = {3, 1, 4, 1, 5}, y(3);
//   onepass::copy_if(x.begin(), x.end(), y.begin(), above_two{});  // y = 3 4 5
#pragma once

#include "../../compact/copy_if.hpp"
#include "../../compact/partition.hpp"
#include "../../compact/remove.hpp"
#include "../../compact/three_way.hpp"
#include "../../compact/unique.hpp"
