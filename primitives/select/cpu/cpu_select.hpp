// SPDX-License-Identifier: Apache-2.0
// Selections on the CPU. Few results of a row that is not long are among the few items that reach a bound, which the largest
// items of some lanes tell. Of a longer row the k first are kept as it is read, where k is small: whatever comes behind the
// k-th so far is passed over, many items at a time. For larger k and for the k-th alone a sample tells which ranked keys may
// be among the results, and these are collected. A short row is taken as it is. The rest is a selection and a sort in
// vectors (ranked_order.hpp), or the radix sort, where results are many. Threads share long rows, or have rows of their own.
#pragma once

#include <algorithm>
#include <atomic>

#include <onepass/radix_sort.hpp>

#include "../../../core/cpu/driver/cpu_call_memory.hpp"
#include "../../../core/cpu/driver/thread_team.hpp"
#include "../nested_call.hpp"
#include "../select_call.hpp"
#include "ranked_order.hpp"
#include "row_reader.hpp"

namespace onepass::detail {

template <class Call>
class cpu_select {
  using source = typename Call::source_type;
  using ranked = typename source::ranked;
  static constexpr index_t least_room = 1 << 15;  // there is room for the whole of a shorter row
  // The sample of a row, and of a row of up to least_room items: the median of 16,000 ints took 15 us with 512 or 1,024,
  // and 17 with 2,048.
  static constexpr int sample_size = 1 << 13, small_sample = 1 << 10;
  // The k-th item of a row of up to so many is looked for among all of them. Of 16,000 that took 14 us for ints and 51
  // for doubles, and with a sample 15 and 16.
  static constexpr index_t most_sought_whole = 1 << 13;
  static constexpr index_t least_part = 1 << 16;                  // items of a thread; not measured
  static constexpr index_t most_kept = 1 << 12, least_share = 8;  // k; a row's length over k; not measured
  static constexpr int digit_bits = 11, digits = 1 << digit_bits;
  static constexpr index_t least_sorted_by_radix = 1 << 8;  // not measured
  // Items that are sorted whole, in vectors, instead of selected first; a row that is short (neither was measured).
  static constexpr index_t most_sorted_whole = 128, most_of_short_row = 256;
  static constexpr index_t most_inserted = 8;  // 16 of rows of 100 took 1.3 times as long as without

 public:
  cpu_select(const Call& of, index_t n, int threads, layout& scratch) : of_(of) {
    const index_t available = threads > 0 ? threads : available_threads(), longest = of.bounds.longest(n);
    sharers_ = std::clamp<index_t>(longest / least_part, 1, available);
    if (of.bounds.count >= 2 * available) sharers_ = 1;
    members_ = sharers_ > 1 ? sharers_ : std::clamp<index_t>(std::min(n / least_part, of.bounds.count), 1, available);
    room_ = room(longest);
    candidates_ = scratch.add<ranked>(members_ / sharers_ * room_);
    // A radix sort brings its own second array, and only a sample or a short row needs one before it.
    const bool by_radix = of.mode == selection::sorted && of.k >= least_sorted_by_radix && of.k > most_kept;
    room_of_second_ = !has_ranked_vectors<ranked> ? 0 : by_radix ? std::min(room_, least_room) : room_;
    second_ = scratch.add<ranked>(members_ / sharers_ * room_of_second_);
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
    auto* const second = section<ranked>(scratch, second_);
    auto* const counts = section<index_t>(scratch, counts_);
    if (sharers_ > 1) {
      for (index_t row = 0; row < of_.bounds.count; ++row)
        select_row(row, of_.bounds.at(row, n), sharers_, {candidates, second, samples, counts, scratch, 0});
      return;
    }
    const index_t group = std::max<index_t>(1, divide_up(of_.bounds.count, 4 * members_));  // 4: not measured
    share_out(static_cast<int>(members_), divide_up(of_.bounds.count, group), [&](index_t part, int member) {
      const memory own{candidates + member * room_,
                       second + member * room_of_second_,
                       samples + member * sample_size,
                       counts + member * digits,
                       scratch,
                       member};
      for (index_t row = part * group; row < std::min(of_.bounds.count, (part + 1) * group); ++row)
        select_row(row, of_.bounds.at(row, n), 1, own);
    });
  }

 private:
  struct memory {
    ranked *candidates, *second;  // second: the same room, where ranked keys are sorted in vectors
    ranked* sample;
    index_t* counts;
    void* scratch;
    index_t member;
  };
  using window = ranked_window<ranked>;  // of what is collected
  struct found {
    index_t above, inside;
  };
  // Room for the items that a thread keeps: k, and some more, so that they are cut back to k seldom.
  static constexpr index_t at_once = read_at_once;
  index_t room_of_kept() const { return 2 * of_.k + 2 * at_once; }
  bool keeps(index_t n, index_t sharers) const {
    return of_.mode != selection::nth && of_.k <= most_kept && of_.k * least_share <= n / sharers;
  }
  index_t room(index_t n) const {
    const bool is_nth = of_.mode == selection::nth;
    // No less than for rows that are collected whole: a workspace for n items serves fewer.
    const index_t all =
        std::min(n, std::max(least_room, room_of_candidates(std::min(of_.k, n), n, sample_size, is_nth)));
    const bool may_keep = !is_nth && of_.k <= most_kept;
    return may_keep ? std::max(all, std::min(sharers_ * room_of_kept(), n + sharers_ * 2 * at_once)) : all;
  }

  void select_row(index_t row, const item_range& range, index_t sharers, const memory& m) const {
    index_t k = of_.k;
    if (k > range.size) k = of_.mode == selection::nth ? 0 : range.size;
    if (k == 0) return;
    if (of_.mode != selection::nth && has_bound(range.size, k)) {
      const index_t count = read_to_bound(of_.source, range, k, m.candidates);
      return write(row * of_.results(), range.begin, m, count, k);
    }
    const bool is_short = range.size <= most_of_short_row && in_ranked_vectors<ranked>();
    if (!is_short && keeps(range.size, sharers)) {
      const index_t kept = keep_best(range, sharers, m);
      return write(row * of_.results(), range.begin, m, kept, k);
    }
    const bool is_whole = of_.mode == selection::nth
                              ? range.size <= most_sought_whole
                              : range.size <= least_room || (range.size <= room_ && sorts_whole(range.size, k));
    if (is_whole && sharers == 1) {
      read_ranked(of_.source, range, m.candidates);
      return write(row * of_.results(), range.begin, m, range.size, k);
    }
    window w{0, largest_ranked<ranked>};
    if (!is_whole) w = window_of_sample(range, k, m, range.size <= least_room ? small_sample : sample_size);
    found f = collect(range, w, sharers, m.candidates);
    if (f.above >= k || f.above + f.inside < k || f.inside > room_) {  // the sample has misled
      w.first = w.last = kth_by_digits(range, k, m.counts);
      if (of_.mode != selection::nth) w.last = largest_ranked<ranked>;
      f = collect(range, w, sharers, m.candidates);
    }
    write(row * of_.results(), range.begin, m, f.inside, k - f.above);
  }

  window window_of_sample(const item_range& range, index_t k, const memory& m, int size) const {
    ranked* const sample = m.sample;
    for (int i = 0; i < size; ++i) sample[i] = of_.source.at(range.begin, sampled_index(i, range.size, size));
    const sample_ranks ranks(k, range.size, size);
    const auto item_with_rank = [&](int rank) {
      select_ranked(sample, m.second, size, rank);
      return sample[rank - 1];
    };
    window w{0, largest_ranked<ranked>};
    if (ranks.least_behind() <= size) w.first = item_with_rank(ranks.least_behind());
    if (of_.mode == selection::nth && ranks.most_before() >= 1) w.last = item_with_rank(ranks.most_before());
    return w;
  }

  // Keeps the k first of each thread's share. Returns how many there are, side by side.
  index_t keep_best(const item_range& range, index_t parts, const memory& m) const {
    share_out(static_cast<int>(parts), parts, [&](index_t part, int) {
      const index_t share = range.size / parts, begin = part * share;
      keep_best_of_part(range.begin, begin, part + 1 == parts ? range.size : begin + share,
                        m.candidates + part * room_of_kept(),
                        m.second + (has_ranked_vectors<ranked> ? part * room_of_kept() : 0));
    });
    for (index_t part = 1; part < parts; ++part)
      std::copy_n(m.candidates + part * room_of_kept(), of_.k, m.candidates + part * of_.k);
    return parts * of_.k;
  }
  // The share has at least k items.
  void keep_best_of_part(index_t row, index_t begin, index_t end, ranked* kept, ranked* second) const {
    if (of_.k <= most_inserted) return keep_few_of_part(row, begin, end, kept);
    const index_t k = of_.k, enough = k + std::max<index_t>(k, at_once);
    index_t count = 0;
    window wanted{0, largest_ranked<ranked>};
    const auto cut = [&] {
      select_ranked(kept, second, count, k);
      wanted.first = kept[k - 1];
      count = k;
    };
    const auto keep = [&](ranked r) {
      kept[count] = r;
      count += r >= wanted.first;
    };
    read_part(of_.source, row, begin, end, wanted, keep, [&] {
      if (count >= enough) cut();
    });
    if (count > k) cut();
  }

  // The same for few results, which are kept in order.
  void keep_few_of_part(index_t row, index_t begin, index_t end, ranked* kept) const {
    const index_t last = of_.k - 1;
    ranked best[most_inserted] = {};
    window wanted{0, largest_ranked<ranked>};
    const auto insert = [&](ranked r) {
      if (r < wanted.first) return;
      index_t to = last;
      for (; to > 0 && best[to - 1] < r; --to) best[to] = best[to - 1];
      best[to] = r;
      wanted.first = best[last];
    };
    read_part(of_.source, row, begin, end, wanted, insert, [] {});
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
  void collect_part(index_t row, index_t begin, index_t end, window w, ranked* candidates, std::atomic<index_t>& above,
                    std::atomic<index_t>& inside) const {
    ranked few[2 * at_once];
    index_t count = 0, before = 0;
    const auto empty = [&] {
      const index_t at = inside.fetch_add(count, std::memory_order_relaxed);
      for (index_t i = 0; i < std::min(count, room_ - at); ++i) candidates[at + i] = few[i];
      count = 0;
    };
    const auto take = [&](ranked r) {
      few[count] = r;
      before += r > w.last;
      count += r >= w.first && r <= w.last;
    };
    before += read_part(of_.source, row, begin, end, w, take, [&] {
      if (count >= at_once) empty();
    });
    empty();
    above.fetch_add(before, std::memory_order_relaxed);
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

  // Whether k of n items are so many that a sort of all is faster than a selection before it. In vectors a selection of
  // 32,000 floats won up to k = 0.8 n, without them one of doubles up to 0.4 n.
  static bool sorts_whole(index_t n, index_t k) { return in_ranked_vectors<ranked>() ? k >= n - n / 5 : k >= n / 3; }

  // Of `count` candidates the k first are among the results, or the k-th is.
  void write(index_t to, index_t row, const memory& m, index_t count, index_t k) const {
    ranked* const candidates = m.candidates;
    const bool by_radix = k >= least_sorted_by_radix;
    const bool sorts_all =
        of_.mode == selection::sorted && (by_radix ? count > least_room || sorts_whole(count, k)
                                                   : in_ranked_vectors<ranked>() && count <= most_sorted_whole);
    if ((k < count && !sorts_all) || of_.mode == selection::nth) select_ranked(candidates, m.second, count, k);
    if (of_.mode == selection::nth) return of_.output.write(to, row + index_of(candidates[k - 1]));
    if (by_radix) sort_by_radix(m, sorts_all ? count : k);
    else if (of_.mode == selection::sorted) sort_ranked(candidates, m.second, sorts_all ? count : k);
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
  index_t sharers_, members_, room_, room_of_second_;
  std::size_t candidates_, second_ = 0, samples_, counts_;
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
