// SPDX-License-Identifier: Apache-2.0
// onepass/compact.hpp: compaction, partition and unique with Thrust's interface, in one pass over the input.
//
// All calls here share this:
//   Ranges     [first, last) is read, where n = last - first. An output receives its items and nothing behind them, so it
//              needs room for these alone, and may be null if there are none. An output may begin where the input begins,
//              which is in place, or in front of it. The outputs of a three-way partition must not overlap the input at all. No output
//              may overlap a stencil, flags or another output. Where pointers show an overlap, it is an error: an output that
//              begins inside another range, or two outputs that begin at one address and both receive items. (To know that,
//              the call asks the predicate once more for each item; NAME_async on CUDA does not look.) Any random-access
//              iterators will do. n may be larger than 2^32.
//   Order      stable: kept items keep their order, and so do the others.
//   Predicate  The call asks it once for each item, in no particular order. It must not change anything.
//   Waiting    On CUDA a call that returns an iterator waits for the result, as in Thrust, and cannot be captured in a
//              graph. NAME_async has one more argument, `count` (8 bytes in memory of the backend): it does not wait, writes
//              the number of kept items there (for a partition, of items that satisfy the predicate), and can be captured.
//   Cost       Each item is read once, and each kept item is written once. On CUDA a call is one launch and takes
//              O(n / 8,192) slots of workspace. A partition in place writes items that are not kept twice (on the CPU, all
//              items), takes two launches, and n items of scratch (on the CPU, none for arrays of up to 128 KB).
//   Sizes      With policy.sized_by(size) the number of items is in memory (onepass/policy.hpp): the count of one call can be
//              the size of the next one, and the host does not wait. `count` must not be `size`. A call that always keeps the
//              first item, as unique_copy does, then refuses a null output where the range has room for items.
//   Policy, types, errors: as in onepass/scan.hpp. On the CPU an exception that a predicate throws reaches the caller; the
//              items of a call in place are then still there from the failing tile on.
//   Source     Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (2016).
//
//   struct above_two {
//     bool operator()(int x) const { return x > 2; }
//   };
//   std::vector<int> x = {3, 1, 4, 1, 5}, y(3);
//   onepass::copy_if(x.begin(), x.end(), y.begin(), above_two{});  // y = 3 4 5
#pragma once

#include "copy_if.hpp"
#include "partition.hpp"
#include "positions.hpp"
#include "remove.hpp"
#include "three_way_partition.hpp"
#include "unique.hpp"
