// SPDX-License-Identifier: Apache-2.0
// The CPU's segmented sort. The segments are cut into stretches of about equally many items, which threads draw one
// after another. A segment that is too much for one thread is sorted by all threads together, when the other segments
// are done.
#pragma once

#include "cpu_sort.hpp"

namespace onepass::detail {

// Bounds: a segment_bounds.
template <class K, class V, class Order, class Bounds>
class cpu_segmented_sorter {
 public:
  cpu_segmented_sorter(index_t n, int threads, const Bounds& bounds, layout& scratch)
      : n_(n),
        bounds_(bounds),
        sorter_(n, threads, scratch),
        members_(pays_to_share(n, bounds.count) ? sorter_.members() : 1),
        stretches_(scratch.add<index_t>(members_ > 1 ? stretches_of(members_) + 1 : 0)) {}

  bool needs_none() const { return false; }

  void run(const cpu_digits<Order>& digits, const buffers<K>& keys, const buffers<V>& values, void* scratch) const {
    const part_at part_of{bounds_, n_};
    const auto sort = [&](const item_range& part, int members, bool is_alone) {
      if (part.size > 1) sorter_.run_part(digits, keys, values, part, members, is_alone, scratch);
    };
    const auto sort_stretch = [&](index_t first, index_t last, const auto& rest) {
      sorter_.run_parts(digits, keys, first, last, part_of, rest);
    };
    if (members_ == 1) return sort_stretch(0, bounds_.count, [&](const item_range& part) { sort(part, 1, true); });
    auto* first = section<index_t>(scratch, stretches_);
    const index_t stretches = cut(first);
    share_out(members_, stretches, [&](index_t i, int) {
      sort_stretch(first[i], first[i + 1], [&](const item_range& part) {
        if (!is_large(part)) sort(part, 1, false);
      });
    });
    for (index_t s = 0; s < bounds_.count && most_large() > 0; ++s) {
      if (const item_range part = part_of(s); is_large(part)) sort(part, members_, true);
    }
  }

 private:
  struct part_at {
    static constexpr bool calls_functions = Bounds::calls_functions;
    const Bounds& bounds;
    index_t n;
    item_range operator()(index_t segment) const { return bounds.at(segment, n); }
  };

  // What a segment costs beside its items, in items (not measured).
  static constexpr index_t a_segment = 4;
  // Two threads pay from about as much work on as they pay for one sort of the whole array. The limit was not measured
  // by itself.
  static bool pays_to_share(index_t n, index_t segments) { return n + a_segment * segments >= index_t{1} << 16; }
  // Some for each thread, so that all end at about the same time (16 was not measured).
  static index_t stretches_of(int members) { return 16 * members; }

  // Whether a segment is more than a quarter of a thread's share of all items, and enough for two threads. Neither
  // limit was measured by itself.
  bool is_large(const item_range& part) const {
    return part.size > n_ / (4 * members_) && part.size >= index_t{1} << 16;
  }
  // An upper bound for the number of large segments.
  index_t most_large() const { return n_ >> 16; }

  // Stores where stretches of about equal work begin, and behind them where the last one ends. Returns how many there
  // are: no more than there is room for, also where segments overlap, which the caller is not to give.
  index_t cut(index_t* first) const {
    const index_t a_stretch = (n_ + a_segment * bounds_.count) / stretches_of(members_) + 1;
    index_t stretches = 0, work = a_stretch;
    for (index_t s = 0; s < bounds_.count; ++s) {
      if (work >= a_stretch && stretches < stretches_of(members_)) {
        first[stretches++] = s;
        work = 0;
      }
      work += bounds_.at(s, n_).size + a_segment;
    }
    first[stretches] = bounds_.count;
    return stretches;
  }

  index_t n_;
  Bounds bounds_;
  cpu_sorter<K, V, Order> sorter_;
  int members_;
  std::size_t stretches_;
};

}  // namespace onepass::detail
