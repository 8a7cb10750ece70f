// SPDX-License-Identifier: Apache-2.0
// One pass of a split on the CPU: the engine's own driver, where the scanned value is a count for each of 256 digits, and
// the epilogue stores each item at the place of its digit.
#pragma once

#include "../../core/cpu/driver.hpp"
#include "digits.hpp"

namespace onepass::detail {

template <class Count>
struct digit_counts {
  Count of[digit_values];
  digit_counts() = default;
  template <class Other>
  explicit digit_counts(const digit_counts<Other>& other) {
    for (int d = 0; d < digit_values; ++d) of[d] = static_cast<Count>(other.of[d]);
  }
};
struct add_counts {
  template <class Count>
  digit_counts<Count> operator()(digit_counts<Count> a, const digit_counts<Count>& b) const {
    for (int d = 0; d < digit_values; ++d) a.of[d] += b.of[d];
    return a;
  }
};

struct cpu_no_value {};  // an item without one: nothing is moved for it
struct cpu_no_range {
  cpu_no_value operator[](index_t) const { return {}; }
};

template <class Digit, class In, class Out, class ValuesIn, class ValuesOut>
struct cpu_split_job {
  using value_type = digit_counts<index_t>;
  using stored_type = digit_counts<std::uint32_t>;
  using op_type = add_counts;

  Digit digit;
  In in;
  Out out;
  ValuesIn values_in;
  ValuesOut values_out;
  const index_t* starts;  // where each digit starts in the output
  index_t n;
  op_type op = {};
  std::optional<value_type> initial = {};
};

template <class Job>
class cpu_split_tile {
 public:
  using item = std::decay_t<decltype(std::declval<Job>().in[0])>;
  static constexpr index_t items = std::max<index_t>(1, cpu_tile_bytes / index_t{sizeof(item)});
  static constexpr std::size_t scratch_bytes = 0;
  static constexpr index_t tiles_a_thread = 1;
  static constexpr bool begin_only_combines = true;

  cpu_split_tile(const Job& job, char*) : job_(job) {}

  typename Job::stored_type begin(index_t first, index_t count) {
    typename Job::stored_type counts;
    std::fill(std::begin(counts.of), std::end(counts.of), 0u);
    auto digit = job_.digit;
    for (index_t i = first; i < first + count; ++i) ++counts.of[digit(job_.in[i])];
    return counts;
  }

  void expect(index_t, index_t) {}

  template <class Optional>
  void finish(index_t first, index_t count, const Optional& prefix, bool) {
    index_t next[digit_values];
    std::copy(job_.starts, job_.starts + digit_values, next);
    if (prefix) {
      for (int d = 0; d < digit_values; ++d) next[d] += prefix->of[d];
    }
    auto digit = job_.digit;
    for (index_t i = first; i < first + count; ++i) {
      const item x = job_.in[i];
      const index_t at = next[digit(x)]++;
      job_.out[at] = x;
      if constexpr (!std::is_same_v<std::decay_t<decltype(job_.values_in)>, cpu_no_range>)
        job_.values_out[at] = job_.values_in[i];
    }
  }

 private:
  Job job_;
};

struct digit_histogram {
  digit_counts<index_t> place[8];
};

// How often each digit of each place occurs, in one read by the whole team.
template <class In, class Digits>
digit_histogram cpu_histogram(In in, index_t n, Digits digits, int threads) {
  const int places = digits.places();
  const index_t chunk = index_t{1} << 16;
  const int members =
      static_cast<int>(std::max<index_t>(1, std::min<index_t>(threads > 0 ? threads : available_threads(), n / chunk)));
  digit_histogram total{};
  std::mutex mutex;
  std::atomic<index_t> next{0};
  std::exception_ptr failure;
  run_team(members, [&] {
    try {
      digit_histogram mine{};
      for (index_t first; (first = next.fetch_add(chunk)) < n;) {
        const index_t last = std::min(n, first + chunk);
        for (int p = 0; p < places; ++p) {
          auto digit = digits.at(p);
          auto& of = mine.place[p].of;
          for (index_t i = first; i < last; ++i) ++of[digit(in[i])];
        }
      }
      const std::lock_guard<std::mutex> lock(mutex);
      for (int p = 0; p < places; ++p) total.place[p] = add_counts()(total.place[p], mine.place[p]);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      failure = std::current_exception();
    }
  });
  const std::lock_guard<std::mutex> lock(mutex);  // what the members wrote is ours to see
  if (failure) std::rethrow_exception(failure);
  return total;
}

// Where each digit starts; whether one digit has all items, so that the pass would move nothing.
inline bool counts_to_starts(digit_counts<index_t>& counts, index_t n) {
  index_t before = 0;
  bool all_in_one = false;
  for (index_t& c : counts.of) {
    const index_t count = c;
    all_in_one |= count == n;
    c = before;
    before += count;
  }
  return all_in_one;
}

}  // namespace onepass::detail
