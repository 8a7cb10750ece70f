// SPDX-License-Identifier: Apache-2.0
// Sorts whole keys where they are, in vectors (vector_sort.hpp), by several threads:
//   split   rounds in which each large part of the keys is split in two, each by one thread: first the whole by one, then
//           two parts by two, until no part is large
//   sort    then each thread takes one part after another
// Each split reads and writes the keys once, and there are about log2 n of them, those of small parts in the near cache. Of
// floats one read more looks for -0.
#pragma once

#include "cpu_bucket_sort.hpp"

namespace onepass::detail {

// `lane`: the integers that keys are sorted as.
template <class lane>
class cpu_in_place_sort {
  // A part is large if it has more than scratch_of_vectors keys, and than its share of so many parts a thread (not measured).
  static constexpr int parts_a_member = 4, most_members = 64;
  // Splits of one part after another may leave many small ones, which take no thread long.
  static constexpr int most_parts = 4 * parts_a_member * most_members;
  struct part {
    index_t begin, size;
    index_t lows;  // how many its split has put in front; 0: it is not split
    bool is_one;   // all its keys are the same
  };

 public:
  // `scratch`: room for scratch_of_vectors keys a thread, or for n if that is less; `room` says for how many keys there is,
  // which bounds how many threads sort.
  cpu_in_place_sort(lane* keys, index_t n, int members, lane* scratch, index_t room, const key_form<lane>& form)
      : keys_(keys), scratch_(scratch), n_(n), form_(form) {
    if (n <= scratch_of_vectors) return;
    members_ = static_cast<int>(std::clamp<index_t>(room / scratch_of_vectors, 1, std::min(members, most_members)));
  }

  // Returns false, with nothing done, if there are -0 among the keys.
  bool run() const {
    if (members_ == 1) return at_simd_level(sorting_in_vectors<lane>{keys_, scratch_, n_, true, form_});
    if (form_.is_float && has_minus_zero()) return false;
    part parts[most_parts] = {{0, n_, 0, false}};
    int levels = levels_for(n_);
    const int count = split(parts, levels);
    if (count == 1) return true;  // all keys are the same, and nothing was done
    // The larger ones first, so that no thread begins with one at the end.
    std::sort(parts, parts + count, [](const part& a, const part& b) { return a.size > b.size; });
    share_out(members_, count, [&](index_t i, int member) {
      at_simd_level(sorting_split_keys<lane>{keys_ + parts[i].begin, scratch_ + scratch_of_vectors * member,
                                             parts[i].size, levels, form_});
    });
    return true;
  }

 private:
  bool has_minus_zero() const {
    const index_t shares = parts_of(members_);
    std::atomic<bool> found{false};
    share_out(members_, shares, [&](index_t i, int) {
      const index_t first = n_ * i / shares, last = n_ * (i + 1) / shares;
      if (at_simd_level(finding_minus_zero<lane>{keys_ + first, last - first}))
        found.store(true, std::memory_order_relaxed);
    });
    return found.load(std::memory_order_relaxed);
  }
  // Returns how many parts there are then. `levels` counts down by the rounds.
  int split(part (&parts)[most_parts], int& levels) const {
    const index_t large = std::max(n_ / (parts_a_member * members_), scratch_of_vectors);
    int count = 1, before = 0;
    for (; count > before && 2 * count <= most_parts; --levels) {
      before = count;
      share_out(std::min(members_, count), count, [&](index_t i, int) {
        part& p = parts[i];
        p.lows = 0;
        if (p.size <= large || p.is_one) return;
        p.lows = at_simd_level(splitting_in_vectors<lane>{keys_ + p.begin, p.size, levels, p.size == n_, form_});
        p.is_one = p.lows == 0;
      });
      for (int i = 0; i < before; ++i) {
        part& p = parts[i];
        if (p.lows == 0) continue;
        parts[count++] = {p.begin + p.lows, p.size - p.lows, 0, false};
        p.size = p.lows;
      }
    }
    return count;
  }

  lane *keys_, *scratch_;
  index_t n_;
  int members_ = 1;
  key_form<lane> form_;
};

// Sorts n keys of an order where they are. `scratch`, `room`: see above. Returns false, with nothing done, if keys of such a
// type, or with -0, cannot be sorted in vectors.
template <class Order>
bool sort_in_place(const cpu_key_order<Order>& order, typename Order::key* keys, index_t n, int members,
                   typename Order::key* scratch, index_t room) {
  using bucket_sort = cpu_bucket_sort<typename Order::key, none, Order>;
  if constexpr (bucket_sort::takes_vectors) {
    using lane = typename bucket_sort::lane;
    if (!order.is_whole || simd_in_use() == simd_level::none) return false;
    return cpu_in_place_sort<lane>(reinterpret_cast<lane*>(keys), n, members, reinterpret_cast<lane*>(scratch), room,
                                   bucket_sort::form_of(order.flip))
        .run();
  }
  return (void)order, (void)keys, (void)n, (void)members, (void)scratch, (void)room, false;
}

}  // namespace onepass::detail
