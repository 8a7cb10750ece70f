// SPDX-License-Identifier: Apache-2.0
// onepass/compact.hpp: compaction, partition and unique with Thrust's interface, in one pass over the input.
//
// All calls here share this:
//   Ranges     [first, last) is read, where n = last - first. Any random-access iterators will do. n may be larger than
//              2^32. An output receives its items and nothing behind them, so it needs room for these alone, and may be
//              null if there are none. Items of std::vector<bool> as in onepass/scan.hpp.
//   Overlap    An output may begin where the input begins (in place) or in front of it, if its items are not larger
//              than the input's. One of larger items has to end before the input begins, which is not checked. Where
//              neighbours are compared (unique) and items are equally large, or the input's have more than 64 bytes
//              (keys with their values), it begins there only with items of the same type, or at least one item in
//              front of it; and an input that computes items from an array, as a transform iterator does, then must not
//              read what the output overwrites. On the CPU, zipped items of which some are no plain bytes, such as
//              strings, then have all columns in place or none; unique_by_key_copy may have the values alone in place.
//              The outputs of a three-way partition must not overlap the input at all. No output may overlap a stencil,
//              flags or another output. An overlap that pointers show is an error: an output that begins inside another
//              range, or two outputs that begin at one address and both receive items. (To know the latter, the call
//              asks the predicate once more for each item; NAME_async on CUDA does not look.)
//   Order      stable: kept items keep their order, and so do the others.
//   Predicate  The call asks it once for each item, in no particular order (a call whose outputs begin at one address,
//              more often). It must not change anything.
//   Waiting    On CUDA a call that returns an iterator waits for the result, as in Thrust, and cannot be captured in a
//              graph. NAME_async has one more argument, `count` (8 bytes in memory of the backend). It does not wait,
//              and can be captured. It writes the number of kept items to `count`; for a partition, the number of items
//              that satisfy the predicate.
//   Cost       Each item is read once, and each kept item is written once. On CUDA a call is one launch and takes
//              O(n / 8,192) slots of workspace. A partition in place takes two launches on CUDA, and one more if it
//              returns its count, writes the other items twice, and takes n items of scratch. On the CPU arrays of more
//              than 128 KB are read and written twice, and take n items of scratch. There a call also takes up to 128 KB
//              a thread for each output. On CUDA two tiles of 32 items have to fit a block's shared memory: items of up
//              to 3,600 bytes on sm_90.
//   Sizes      With policy.sized_by(size) the number of items is in memory (onepass/policy.hpp): the count of one call
//              can be the size of the next one, and the host does not wait. `count` must not be `size`. A call that
//              always keeps the first item, as unique_copy does, then refuses a null output where the range has room
//              for items.
//   Policy, types, errors: as in onepass/scan.hpp. On the CPU an exception that a predicate throws reaches the caller.
//              Of a call in place, the items from the failing tile on are then still in the range.
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
