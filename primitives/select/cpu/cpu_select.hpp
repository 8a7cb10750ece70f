// SPDX-License-Identifier: Apache-2.0
// Selections on the CPU. Of a row the k first are kept as it is read, where k is small: whatever comes behind the k-th so far is
// passed over, many items at a time. For larger k and for the k-th alone a sample tells which ranked keys may be among the
// results, and these are collected. The rest is done by nth_element and a sort: the radix sort, where results are many.
// Threads share long rows, or have rows of their own.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>

#include <onepass/radix_sort.hpp>

#include "../../../core/cpu/driver/cpu_call_memory.hpp"
#include "../../../core/cpu/driver/thread_team.hpp"
#include "../nested_call.hpp"
#include "../select_call.hpp"

namespace onepass::detail {

template <class Call>
class cpu_select {
  using source = typename Call::source_type;
  using ranked = typename source::ranked;
  static constexpr int sample_size = 1 << 13;                     // not measured
  static constexpr index_t least_sampled = 1 << 15;               // shorter rows are collected whole; not measured
  static constexpr index_t least_part = 1 << 16;                  // items of a thread; not measured
  static constexpr index_t most_kept = 1 << 12, least_share = 8;  // k; a row's length over k; not measured
  static constexpr int digit_bits = 11, digits = 1 << digit_bits;
  static constexpr index_t least_sorted_by_radix = 1 << 8;  // not measured
  static constexpr index_t most_inserted = 8;               // 16 of rows of 100 took 1.3 times as long as without

 public:
  cpu_select(const Call& of, index_t n, int threads, layout& scratch) : of_(of) {
    const index_t available = threads > 0 ? threads : available_threads(), longest = of.bounds.longest(n);
    sharers_ = std::clamp<index_t>(longest / least_part, 1, available);
    if (of.bounds.count >= 2 * available) sharers_ = 1;
    members_ = sharers_ > 1 ? sharers_ : std::clamp<index_t>(std::min(n / least_part, of.bounds.count), 1, available);
    room_ = room(longest);
    candidates_ = scratch.add<ranked>(members_ / sharers_ * room_);
    samples_ = scratch.add<ranked>(members_ * sample_size);
    counts_ = scratch.add<index_t>(members_ * digits);
    if (of.mode == selection::nth || of.k < least_sorted_by_radix) return;
    sort_ = nested_call(
        scratch, cpu(static_cast<int>(sharers_)),
        [&](const auto& policy) { sort_by_radix(policy, any_address<ranked>(), room_); }, members_ / sharers_);
  }

  // n: how many items there are now.
  void run(index_t n, void* scratch) const {
    auto* const candidates = section<ranked>(scratch, candidates_);
    auto* const samples = section<ranked>(scratch, samples_);
    auto* const counts = section<index_t>(scratch, counts_);
    if (sharers_ > 1) {
      for (index_t row = 0; row < of_.bounds.count; ++row)
        select_row(row, of_.bounds.at(row, n), sharers_, {candidates, samples, counts, scratch, 0});
      return;
    }
    const index_t group = std::max<index_t>(1, divide_up(of_.bounds.count, 4 * members_));  // 4: not measured
    share_out(static_cast<int>(members_), divide_up(of_.bounds.count, group), [&](index_t part, int member) {
      const memory own{candidates + member * room_, samples + member * sample_size, counts + member * digits, scratch,
                       member};
      for (index_t row = part * group; row < std::min(of_.bounds.count, (part + 1) * group); ++row)
        select_row(row, of_.bounds.at(row, n), 1, own);
    });
  }

 private:
  struct memory {
    ranked* candidates;
    ranked* sample;
    index_t* counts;
    void* scratch;
    index_t member;
  };
  // The ranked keys that are collected. Those above `last` are counted.
  struct window {
    ranked first, last;
  };
  struct found {
    index_t above, inside;
  };
  // Room for the items that a thread keeps: k, and some more, so that they are cut back to k seldom.
  static constexpr index_t at_once = 32;  // items; 16 and 64 were no faster on a busy machine
  index_t room_of_kept() const { return 2 * of_.k + 2 * at_once; }
  bool keeps(index_t n, index_t sharers) const {
    return of_.mode != selection::nth && of_.k <= most_kept && of_.k * least_share <= n / sharers;
  }
  index_t room(index_t n) const {
    const bool is_nth = of_.mode == selection::nth;
    const index_t all = n < least_sampled ? n : room_of_candidates(std::min(of_.k, n), n, sample_size, is_nth);
    const bool may_keep = !is_nth && of_.k <= most_kept;
    return may_keep ? std::max(all, std::min(sharers_ * room_of_kept(), n + sharers_ * 2 * at_once)) : all;
  }

  void select_row(index_t row, const item_range& range, index_t sharers, const memory& m) const {
    index_t k = of_.k;
    if (k > range.size) k = of_.mode == selection::nth ? 0 : range.size;
    if (k == 0) return;
    if (keeps(range.size, sharers)) {
      const index_t kept = keep_best(range, sharers, m);
      return write(row * of_.results(), range.begin, m, kept, k);
    }
    const window all{0, largest_ranked<ranked>};
    window w = range.size <= room_ ? all : window_of_sample(range, k, m.sample);
    found f = collect(range, w, sharers, m.candidates);
    if (f.above >= k || f.above + f.inside < k || f.inside > room_) {  // the sample has misled
      w.first = w.last = kth_by_digits(range, k, m.counts);
      if (of_.mode != selection::nth) w.last = largest_ranked<ranked>;
      f = collect(range, w, sharers, m.candidates);
    }
    write(row * of_.results(), range.begin, m, f.inside, k - f.above);
  }

  window window_of_sample(const item_range& range, index_t k, ranked* sample) const {
    for (int i = 0; i < sample_size; ++i)
      sample[i] = of_.source.at(range.begin, sampled_index(i, range.size, sample_size));
    const sample_ranks ranks(k, range.size, sample_size);
    const auto item_with_rank = [&](int rank) {
      std::nth_element(sample, sample + rank - 1, sample + sample_size, std::greater<>());
      return sample[rank - 1];
    };
    window w{0, largest_ranked<ranked>};
    if (ranks.least_behind() <= sample_size) w.first = item_with_rank(ranks.least_behind());
    if (of_.mode == selection::nth && ranks.most_before() >= 1) w.last = item_with_rank(ranks.most_before());
    return w;
  }

  // Keeps the k first of each thread's share. Returns how many there are, side by side.
  index_t keep_best(const item_range& range, index_t parts, const memory& m) const {
    share_out(static_cast<int>(parts), parts, [&](index_t part, int) {
      const index_t share = range.size / parts, begin = part * share;
      keep_best_of_part(range.begin, begin, part + 1 == parts ? range.size : begin + share,
                        m.candidates + part * room_of_kept());
    });
    for (index_t part = 1; part < parts; ++part)
      std::copy_n(m.candidates + part * room_of_kept(), of_.k, m.candidates + part * of_.k);
    return parts * of_.k;
  }
  // The share has at least k items.
  void keep_best_of_part(index_t row, index_t begin, index_t end, ranked* kept) const {
    if (of_.k <= most_inserted) return keep_few_of_part(row, begin, end, kept);
    const source from = of_.source;
    const index_t k = of_.k, enough = k + std::max<index_t>(k, at_once);
    index_t count = 0;
    ranked least = 0;
    const auto cut = [&] {
      std::nth_element(kept, kept + (k - 1), kept + count, std::greater<>());
      least = kept[k - 1];
      count = k;
    };
    for (index_t i = begin; i < end; i += at_once) {
      if (end - i >= at_once && !any_reaches(from, row + i, least)) continue;
      for (index_t j = i; j < std::min(end, i + at_once); ++j) {
        const ranked r = from.at(row, j);
        kept[count] = r;
        count += r >= least;
      }
      if (count >= enough) cut();
    }
    if (count > k) cut();
  }

  // The same for few results, which are kept in order.
  void keep_few_of_part(index_t row, index_t begin, index_t end, ranked* kept) const {
    const source from = of_.source;
    const index_t last = of_.k - 1;
    ranked best[most_inserted] = {};
    for (index_t i = begin; i < end; i += at_once) {
      if (end - i >= at_once && !any_reaches(from, row + i, best[last])) continue;
      for (index_t j = i; j < std::min(end, i + at_once); ++j) {
        const ranked r = from.at(row, j);
        if (r < best[last]) continue;
        index_t to = last;
        for (; to > 0 && best[to - 1] < r; --to) best[to] = best[to - 1];
        best[to] = r;
      }
    }
    std::copy_n(best, of_.k, kept);
  }

  // Collects what is in the window, in any order. If there is too much of it, the rest is counted alone.
  found collect(const item_range& range, const window& w, index_t parts, ranked* candidates) const {
    std::atomic<index_t> above{0}, inside{0};
    share_out(static_cast<int>(parts), parts, [&](index_t part, int) {
      const index_t share = range.size / parts, begin = part * share;
      collect_part(range.begin, begin, part + 1 == parts ? range.size : begin + share, w, candidates, above, inside);
    });
    return {above.load(), inside.load()};
  }
  // Items that are in front of the window are found many at a time.
  void collect_part(index_t row, index_t begin, index_t end, window w, ranked* candidates, std::atomic<index_t>& above,
                    std::atomic<index_t>& inside) const {
    const source from = of_.source;
    ranked few[2 * at_once];
    index_t count = 0, before = 0;
    const auto empty = [&] {
      const index_t at = inside.fetch_add(count, std::memory_order_relaxed);
      for (index_t i = 0; i < std::min(count, room_ - at); ++i) candidates[at + i] = few[i];
      count = 0;
    };
    for (index_t i = begin; i < end; i += at_once) {
      if (end - i >= at_once && !any_reaches(from, row + i, w.first)) continue;
      for (index_t j = i; j < std::min(end, i + at_once); ++j) {
        const ranked r = from.at(row, j);
        few[count] = r;
        before += r > w.last;
        count += r >= w.first && r <= w.last;
      }
      if (count >= at_once) empty();
    }
    empty();
    above.fetch_add(before, std::memory_order_relaxed);
  }
  // Whether one of some items may have at least the order of a ranked key. Keys are compared as they are, without branches,
  // for the compiler's vectors. A NaN may always.
  static bool any_reaches(const source& from, index_t begin, ranked least) {
    using key = typename source::key;
    const auto order = static_cast<key_bits_t<key>>(least >> index_bits<ranked>);
    const key bound = key_of_order<key>(static_cast<key_bits_t<key>>(order ^ from.flip));
    const bool is_smallest = from.flip != flip_of<key>(false);
    int reached = 0;
    if (is_smallest) {
      for (index_t j = 0; j < at_once; ++j) reached |= !(static_cast<key>(from.keys[begin + j]) > bound);
    } else {
      for (index_t j = 0; j < at_once; ++j) reached |= !(static_cast<key>(from.keys[begin + j]) < bound);
    }
    return reached != 0;
  }

  // The ranked key of rank k, by a read of the row for each digit.
  ranked kth_by_digits(const item_range& range, index_t k, index_t* counts) const {
    constexpr int bits = 8 * sizeof(ranked);
    ranked known = 0, mask = 0;
    for (int shift = bits - digit_bits;; shift = std::max(0, shift - digit_bits)) {
      std::fill_n(counts, digits, index_t{0});
      const auto digit = [shift](ranked r) { return static_cast<int>(r >> shift & (digits - 1)); };
      for (index_t i = 0; i < range.size; ++i) {
        const ranked r = of_.source.at(range.begin, i);
        if ((r & mask) == known) ++counts[digit(r)];
      }
      int d = digits - 1;
      for (; counts[d] < k; --d) k -= counts[d];
      known = static_cast<ranked>(known | static_cast<ranked>(d) << shift);
      mask = static_cast<ranked>(mask | static_cast<ranked>(digits - 1) << shift);
      if (shift == 0) return known;
    }
  }

  // Of `count` candidates the k first are among the results, or the k-th is.
  void write(index_t to, index_t row, const memory& m, index_t count, index_t k) const {
    ranked* const candidates = m.candidates;
    const bool by_radix = k >= least_sorted_by_radix;
    if ((k < count && !(by_radix && of_.mode == selection::sorted)) || of_.mode == selection::nth)
      std::nth_element(candidates, candidates + (k - 1), candidates + count, std::greater<>());
    if (of_.mode == selection::nth) return of_.output.write(to, row + index_of(candidates[k - 1]));
    if (by_radix) sort_by_radix(m, of_.mode == selection::sorted ? count : k);
    else if (of_.mode == selection::sorted) std::sort(candidates, candidates + k, std::greater<>());
    else std::sort(candidates, candidates + k, [](ranked a, ranked b) { return index_of(a) < index_of(b); });
    for (index_t i = 0; i < k; ++i) of_.output.write(to + i, row + index_of(candidates[i]));
  }
  // Sorts the first `count` candidates, with all threads that share the row.
  void sort_by_radix(const memory& m, index_t count) const {
    const auto sort = [&](const auto& policy) { sort_by_radix(policy, m.candidates, count); };
    sort_.run(m.scratch, cpu(static_cast<int>(sharers_)), sort, m.member);
  }
  template <class Policy>
  void sort_by_radix(const Policy& policy, ranked* candidates, index_t count) const {
    radix_options options = descending();
    if (of_.mode == selection::input_order) options.end_bit = index_bits<ranked>;
    onepass::radix_sort(policy, candidates, candidates + count, options);
  }

  const Call& of_;
  index_t sharers_, members_, room_;
  std::size_t candidates_, samples_, counts_;
  nested_call sort_;
};

template <class Policy, class Call>
void select_on_cpu(const char* call, const Policy& policy, const Call& of, index_t n) {
  layout scratch;
  const cpu_select<Call> select(of, n, policy.threads(), scratch);
  const cpu_call_memory memory(call, policy, scratch.bytes());
  if (!memory.measuring()) select.run(items_now(policy, n), memory.scratch());
}

}  // namespace onepass::detail
