// SPDX-License-Identifier: Apache-2.0
// The CPU's radix sort: its memory, and from which arrays to which it goes. The steps are in cpu_sort_steps.hpp.
//
// Items go to and fro between two arrays. All steps are stable where equal keys can be told apart, and so is the sort.
// Measured figures in this folder are from docs/history/performance-log.md, "Radix sort on the CPU" and "The CPU's sort
// of keys that repeat, and of few keys".
#pragma once

#include "../../../core/execution/scratch_layout.hpp"
#include "../../../core/segments/segment_bounds.hpp"
#include "cpu_sort_steps.hpp"

namespace onepass::detail {

template <class K, class V, class Order = ordered_key<K>>
class cpu_sorter {
  using items = cpu_items<K, V>;
  using bucket = cpu_bucket<K, V>;
  using steps = cpu_sort_steps<K, V, Order>;
  using bucket_sort = cpu_bucket_sort<K, V, Order>;
  static_assert(sizeof(K) <= cache_line);

 public:
  cpu_sorter(index_t n, int threads, layout& scratch)
      : n_(n),
        members_(threads > 0 ? threads : available_threads()),
        streams_(n > bucket_sort::most_items() && pays_to_stream(static_cast<std::size_t>(n * items::bytes))) {
    if (n <= bucket_sort::most_items()) return;
    const int members = steps::members_for(n, members_);
    counts_ = scratch.add<typename steps::counts_type>(parts_of(members));
    if (streams_) memory_ = scratch.add<char>(members * static_cast<index_t>(steps::member_bytes()));
  }

  // Whether the sort needs neither a second array nor any other memory.
  bool needs_none() const { return n_ <= bucket_sort::most_inserted; }

  void run(const cpu_digits<Order>& digits, const buffers<K>& keys, const buffers<V>& values, void* scratch) const {
    run_part(digits, keys, values, {0, n_}, members_, true, scratch);
  }
  // Whether the items are split, so that the first split can read them elsewhere.
  bool can_read_input() const { return n_ > bucket_sort::most_items(); }
  // The same for items that are not in the first arrays, and stay as they are where they are.
  void run_from(const K* keys_in, const V* values_in, const cpu_digits<Order>& digits, const buffers<K>& keys,
                const buffers<V>& values, void* scratch) const {
    const items in{const_cast<K*>(keys_in), const_cast<V*>(values_in)};
    steps_on(digits, n_, true, scratch)
        .sort_all({keys.primary, values.primary},
                  {in, {keys.alternate, values.alternate}, n_, digits.begin_bit, digits.end_bit, true}, members_);
  }
  // Sorts a part of the n items. `is_alone`: no other part is sorted at the same time. Otherwise `members` has to be 1.
  void run_part(const cpu_digits<Order>& digits, const buffers<K>& keys, const buffers<V>& values,
                const item_range& part, int members, bool is_alone, void* scratch) const {
    const items at{keys.primary, values.primary}, other{keys.alternate, values.alternate};
    const bucket b{at.from(part.begin), other.from(part.begin), part.size, digits.begin_bit, digits.end_bit, true};
    const steps on = steps_on(digits, b.n, is_alone, scratch);
    if (b.n > bucket_sort::most_items()) on.sort_all(b.at, b, members);
    else on.sort(b, members);
  }
  // Sorts the parts [first, last) of the n items by one thread; part i has the items part_of(i). rest(part) is called for
  // those that have to be sorted by run_part.
  template <class PartOf, class Rest>
  static void run_parts(const cpu_digits<Order>& digits, const buffers<K>& keys, index_t first, index_t last,
                        const PartOf& part_of, const Rest& rest) {
    bucket_sort::sort_parts(digits, keys.primary, first, last, part_of, rest);
  }
  int members() const { return members_; }

 private:
  steps steps_on(const cpu_digits<Order>& digits, index_t n, bool is_alone, void* scratch) const {
    const bool streams = is_alone && streams_ && pays_to_stream(static_cast<std::size_t>(n * items::bytes));
    return {{digits.order, digits.flip, digits.is_whole()},
            section<typename steps::counts_type>(scratch, counts_),
            streams ? section<char>(scratch, memory_) : nullptr,
            n / (4 * members_)};
  }

  index_t n_;
  int members_;
  bool streams_;
  std::size_t counts_ = 0, memory_ = 0;
};

}  // namespace onepass::detail
