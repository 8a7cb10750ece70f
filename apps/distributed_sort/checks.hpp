// SPDX-License-Identifier: Apache-2.0
// Whether sorted keys are in order, and the same ones as before: each rank looks at its own part, and all at the borders.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "../common/cpu_backend.hpp"
#include "agreement.hpp"
#include "keys.hpp"

namespace distributed_sort {

// A rank's part of keys with the indices that they carry; `indices` is null where they carry none.
template <class Key>
struct items_of {
  const Key* keys;
  const std::uint64_t* indices;
  std::uint64_t size;
};

// Adds up sum_of(begin, end) of ranges of 0 to before count, modulo 2^64, by some threads.
template <class Sum>
std::uint64_t sum_over(int threads, std::uint64_t count, Sum sum_of) {
  constexpr std::uint64_t ranges = 256;
  std::atomic<std::uint64_t> sum{0};
  apps::cpu_backend(threads).for_each(static_cast<std::int64_t>(ranges), [&](std::int64_t range) {
    const auto r = static_cast<std::uint64_t>(range);
    const std::uint64_t size = (count + ranges - 1) / ranges, begin = std::min(r * size, count);
    sum += sum_of(begin, std::min(begin + size, count));
  });
  return sum;
}

// Not the same steps for key and index: where one is the other, nothing may cancel out.
template <class Key>
std::uint64_t item_hash(const items_of<Key>& items, std::uint64_t i) {
  const std::uint64_t key = apps::mixed(raw_bits(items.keys[i]));
  return items.indices == nullptr ? key : apps::mixed(key + items.indices[i]);
}

// The same for any order of the same items; with indices: of keys with the same indices.
template <class Key>
std::uint64_t sum_of_items(int threads, const items_of<Key>& items) {
  return sum_over(threads, items.size, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = begin; i < end; ++i) sum += item_hash(items, i);
    return sum;
  });
}

// Depends on the order, too: the first item stands at `offset` among those of all ranks.
template <class Key>
std::uint64_t sum_in_order(int threads, const items_of<Key>& items, std::uint64_t offset) {
  return sum_over(threads, items.size, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = begin; i < end; ++i) sum += apps::mixed(item_hash(items, i) + offset + i);
    return sum;
  });
}

struct order_found {
  bool in_order, stable;
};

// Of the parts of all ranks, one behind the other; the same on every rank.
template <class Key>
order_found order_of(host_communicator& ranks, int threads, const items_of<Key>& items, bool descending) {
  struct item {
    bits_of<Key> key;
    std::uint64_t index;
  };
  const auto item_at = [&](std::uint64_t i) {
    return item{ordered(items.keys[i]), items.indices == nullptr ? i : items.indices[i]};
  };
  // Of two neighbours: 0, 1 if equal keys have changed their order, 2^32 if keys have.
  const auto fault = [&](const item& a, const item& b) -> std::uint64_t {
    if (descending ? a.key < b.key : b.key < a.key) return std::uint64_t{1} << 32;
    return a.key == b.key && b.index <= a.index ? 1 : 0;
  };
  struct part {
    std::uint64_t size, faults;
    item first, last;
    bool has_indices;
  };
  part mine{items.size, 0, {}, {}, items.indices != nullptr};
  if (items.size > 0) mine.first = item_at(0), mine.last = item_at(items.size - 1);
  mine.faults = sum_over(threads, items.size, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t found = 0;
    for (std::uint64_t i = std::max<std::uint64_t>(begin, 1); i < end; ++i) found |= fault(item_at(i - 1), item_at(i));
    return found;
  });
  order_found result{true, true};
  const part* before = nullptr;  // the last one that is not empty
  const std::vector<part> parts = gathered(ranks, mine);
  for (const part& p : parts) {
    std::uint64_t faults = p.faults;
    if (p.size > 0) {
      // Without indices nothing tells the order of equal keys on two ranks.
      if (before != nullptr && (p.has_indices || before->last.key != p.first.key))
        faults += fault(before->last, p.first);
      before = &p;
    }
    result.in_order &= faults >> 32 == 0;
    result.stable &= (faults & 0xffffffff) == 0;
  }
  return result;
}

}  // namespace distributed_sort
