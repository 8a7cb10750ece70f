// SPDX-License-Identifier: Apache-2.0
// A histogram on the CPU: threads count parts of a row, each in tables of its own, or each thread counts rows. A part has
// several tables where bins are few, so that an addition need not wait for the one before it if both are to one bin.
#pragma once

#include <algorithm>

#include "../../../core/cpu/driver/cpu_call_memory.hpp"
#include "../../../core/cpu/driver/thread_team.hpp"
#include "../histogram_call.hpp"

namespace onepass::detail {

template <class Call>
class cpu_histogram {
  using count_type = typename Call::count_type;
  static constexpr index_t copies = 4;             // of a table; not measured
  static constexpr index_t most_copied = 1 << 16;  // bytes of all copies, which stay in a second-level cache
  static constexpr index_t least_share = 1 << 16;  // items of a thread; not measured

 public:
  cpu_histogram(const Call& of, int threads, layout& scratch) : of_(of), bins_(of.bins) {
    const bool copied = copies * bins_ * index_t{sizeof(count_type)} <= most_copied && of.length >= 16 * bins_;
    copies_ = copied ? copies : 1;
    const index_t available = threads > 0 ? threads : available_threads();
    members_ = std::clamp<index_t>(of.rows * of.length / least(), 1, available);
    tables_ = scratch.add<count_type>((members_ * copies_ - 1) * bins_);
  }

  // n: how many items there are now.
  void run(index_t n, void* scratch) const {
    auto* const tables = section<count_type>(scratch, tables_);
    const index_t sharers = std::clamp<index_t>(of_.length / least(), 1, members_);
    if (sharers > 1 && of_.rows < 2 * members_) {
      for (index_t row = 0; row < of_.rows; ++row) count_row_together(row, n, sharers, tables);
      return;
    }
    const index_t group = std::max<index_t>(1, divide_up(of_.rows, 4 * members_));  // 4: not measured
    share_out(static_cast<int>(members_), divide_up(of_.rows, group), [&](index_t part, int member) {
      count_type* const own = tables + member * (copies_ - 1) * bins_;
      for (index_t row = part * group; row < std::min(of_.rows, (part + 1) * group); ++row) {
        const range items = items_of(row, n);
        count(items.begin, items.end, counts_of(row), own);
        add_tables(counts_of(row), own, copies_ - 1, 0, bins_);
      }
    });
  }

 private:
  struct range {
    index_t begin, end;
  };
  index_t least() const { return std::max(least_share, 4 * bins_); }
  range items_of(index_t row, index_t n) const {
    const index_t begin = std::min(n, row * of_.length);
    return {begin, begin + std::min(of_.length, n - begin)};
  }
  count_type* counts_of(index_t row) const { return of_.counts + row * bins_; }

  // The first part's first table is the row's counts.
  void count_row_together(index_t row, index_t n, index_t parts, count_type* tables) const {
    const range items = items_of(row, n);
    const index_t size = items.end - items.begin;
    count_type* const counts = counts_of(row);
    const auto member_count = static_cast<int>(parts);
    share_out(member_count, parts, [&](index_t part, int) {
      const index_t first = part * copies_ - 1;  // of the part's tables, among those that are not the counts
      count(items.begin + size / parts * part, part + 1 == parts ? items.end : items.begin + size / parts * (part + 1),
            part == 0 ? counts : tables + first * bins_, tables + (first + 1) * bins_);
    });
    constexpr index_t bins_of_part = 1 << 14;  // not measured
    share_out(member_count, divide_up(bins_, bins_of_part), [&](index_t part, int) {
      add_tables(counts, tables, parts * copies_ - 1, part * bins_of_part, std::min(bins_, (part + 1) * bins_of_part));
    });
  }

  void add_tables(count_type* to, const count_type* tables, index_t count, index_t first, index_t end) const {
    for (index_t t = 0; t < count; ++t) {
      for (index_t bin = first; bin < end; ++bin) to[bin] = static_cast<count_type>(to[bin] + tables[t * bins_ + bin]);
    }
  }

  // Counts the items of [begin, end) in `table` and in the copies of it in `others`, all of which are cleared before.
  void count(index_t begin, index_t end, count_type* table, count_type* others) const {
    std::fill_n(table, bins_, count_type{0});
    std::fill_n(others, (copies_ - 1) * bins_, count_type{0});
    count_type* const second = copies_ > 1 ? others : table;
    count_type* const third = copies_ > 1 ? others + bins_ : table;
    count_type* const fourth = copies_ > 1 ? others + 2 * bins_ : table;
    // Not members: the compiler would read those again after each count that is stored.
    const auto items = of_.items;
    const auto finder = of_.finder;
    const auto weights = of_.weights;
    const auto add = [&](count_type* to, index_t i) {
      const std::uint32_t bin = finder(items[i]);
      if (bin != no_bin) to[bin] = static_cast<count_type>(to[bin] + amount(weights, i));
    };
    index_t i = begin;
    for (; i + copies <= end; i += copies) {
      add(table, i);
      add(second, i + 1);
      add(third, i + 2);
      add(fourth, i + 3);
    }
    for (; i < end; ++i) add(table, i);
  }
  static count_type amount(none, index_t) { return 1; }
  template <class Weights>
  static count_type amount(const Weights& weights, index_t i) {
    return static_cast<count_type>(weights[i]);
  }

  const Call& of_;
  index_t bins_, copies_, members_;
  std::size_t tables_;
};

template <class Policy, class Call>
void histogram_on_cpu(const char* call, const Policy& policy, const Call& of, index_t n) {
  layout scratch;
  const cpu_histogram<Call> histogram(of, policy.threads(), scratch);
  const cpu_call_memory memory(call, policy, scratch.bytes());
  if (!memory.measuring()) histogram.run(items_now(policy, n), memory.scratch());
}

}  // namespace onepass::detail
