// SPDX-License-Identifier: Apache-2.0
// A stable split by a digit on the CPU. The input is cut into parts, some for each thread:
//   count    counts how often each digit occurs in each part
//   starts   finds where each part's items of each digit begin: digit after digit, and for each digit part after part
//   scatter  stores each item at the index of its digit and part
// Bytes moved: the input is read twice, the output written once. An output larger than the caches is written past them,
// some lines at a time: the items of a digit first gather in a block of the thread's own.
//
// Source: N. Satish et al., "Fast Sort on CPUs and GPUs" (2010), section 4, and J. Wassenberg and P. Sanders,
// "Engineering a Multi-core Radix Sort" (2011), for gathering lines in software.
#pragma once

#include <array>

#include "../../../core/cpu/simd/simd.hpp"
#include "../../../core/cpu/driver/thread_team.hpp"
#include "../keys/digits.hpp"
#include "../../../core/support/iterator.hpp"
#include "../../../core/support/none.hpp"

namespace onepass::detail {

struct cpu_no_range {
  none operator[](index_t) const { return {}; }
};

template <int values>
using digit_counts = std::array<index_t, std::size_t{values}>;
template <int values>
using digit_starts = std::array<index_t, std::size_t{values} + 1>;  // the last one is the end

// Items are read in groups: a cache line of them where they lie in memory, which is then prefetched.
template <class In>
constexpr index_t group_items = 4;
template <class T>
constexpr index_t group_items<T*> = std::max<index_t>(4, cache_line / sizeof(T) / 4 * 4);
template <class In>
void prefetch_group(In in, index_t i) {
  if constexpr (std::is_pointer_v<In>) detail::prefetch_ahead(in + i);
}

// An item, also where the range gives something else for it.
template <class In>
decltype(auto) item_at(const In& in, index_t i) {
  if constexpr (std::is_same_v<std::decay_t<decltype(in[i])>, value_of<In>>) return in[i];
  else return static_cast<value_of<In>>(in[i]);
}

// Counts how often each digit occurs. Four tables take turns, because a count is slow to read right after it was
// written: with that and the prefetches a split of items of 8 bytes took 2.8 ns an item instead of 3.4. Other numbers
// of tables were not measured.
template <int values, class In, class Digit>
digit_counts<values> count_digits(In in, index_t first, index_t last, Digit digit) {
  constexpr int tables = 4;
  constexpr index_t most = ~std::uint32_t{0};  // what a table can count
  static_assert(group_items<In> % tables == 0);
  digit_counts<values> sum = {};
  for (index_t i = first; i < last;) {
    std::uint32_t counts[tables][std::size_t{values}] = {};
    const index_t end = std::min(last, i + most);
    for (; i + group_items<In> <= end; i += group_items<In>) {
      prefetch_group(in, i);
      for (index_t k = 0; k < group_items<In>; k += tables) {
        for (int t = 0; t < tables; ++t) ++counts[t][digit(item_at(in, i + k + t))];
      }
    }
    for (; i < end; ++i) ++counts[0][digit(item_at(in, i))];
    for (const auto& table : counts) {
      for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += table[d];
    }
  }
  return sum;
}

// Turns the parts' counts into their starts, and returns where each digit starts.
template <std::size_t values>
std::array<index_t, values + 1> counts_to_starts(std::array<index_t, values>* parts, index_t count) {
  std::array<index_t, values + 1> starts;
  index_t before = 0;
  for (std::size_t d = 0; d < values; ++d) {
    starts[d] = before;
    for (index_t p = 0; p < count; ++p) before += std::exchange(parts[p][d], before);
  }
  starts[values] = before;
  return starts;
}

// ---- how items are stored -------------------------------------------------------------------------------------------
// A writer has begin(starts), put(digit, index, item) for each item, and end(ends). The indices of a digit ascend by
// one.
template <class Out>
struct position_writer {
  Out out;
  template <class Counts>
  void begin(const Counts&) {}
  template <class T>
  void put(unsigned, index_t position, const T& x) {
    out[position] = x;
  }
  template <class Counts>
  void end(const Counts&) {}
};
struct no_writer {
  template <class Counts>
  void begin(const Counts&) {}
  void put(unsigned, index_t, none) {}
  template <class Counts>
  void end(const Counts&) {}
};

// How many bytes of a digit are gathered before they are stored. For 256 digits that makes 64 KB, more than a
// first-level cache holds. But the less often a block is full, the fewer branches are mispredicted: blocks of 64, 128
// and 256 bytes took 3.1, 2.6 and 2.4 ns an item of 4 bytes.
constexpr std::size_t gathered_bytes = 4 * cache_line;

// Stores whole blocks past the caches. A block that is shared with another part or digit is stored item by item.
template <class T, int values>
class line_writer {
 public:
  // `memory`: room for a block for each digit, aligned to a cache line.
  line_writer(T* out, void* memory)
      : before_(static_cast<index_t>(reinterpret_cast<std::uintptr_t>(out) % block_bytes / sizeof(T))),
        blocks_(out - before_),
        gathered_(static_cast<block*>(memory)) {}

  void begin(const digit_counts<values>& starts) {
    for (std::size_t d = 0; d < starts.size(); ++d) first_[d] = starts[d] + before_;
  }
  void put(unsigned digit, index_t position, const T& x) {
    const index_t at = position + before_;
    const auto within = static_cast<std::size_t>(at) % items;
    gathered_[digit].items[within] = x;
    if (within == items - 1) store(digit, at + 1);
  }
  void end(const digit_counts<values>& ends) {
    for (unsigned d = 0; d < values; ++d) {
      const index_t end = ends[d] + before_;
      if (end % items != 0 && first_[d] < end) store_items(d, std::max(first_[d], end - end % items), end);
    }
    stream_fence();
  }

 private:
  static constexpr std::size_t block_bytes = gathered_bytes;
  static constexpr index_t items = block_bytes / sizeof(T);
  struct alignas(cache_line) block {
    T items[static_cast<std::size_t>(line_writer::items)];
  };

  // Stores the block that ends before item `end`.
  void store(unsigned digit, index_t end) {
    if (first_[digit] <= end - items) detail::stream_lines(blocks_ + end - items, gathered_[digit].items, block_bytes);
    else store_items(digit, first_[digit], end);
  }
  void store_items(unsigned digit, index_t begin, index_t end) {
    std::memcpy(blocks_ + begin, gathered_[digit].items + begin % items,
                static_cast<std::size_t>(end - begin) * sizeof(T));
  }

  index_t before_;  // how many items the output's first block has in front of the output
  T* blocks_;       // where that block begins; the class counts items from there
  block* gathered_;
  digit_counts<values> first_;
};

// gathers_lines: whether the items of such an output can be gathered in blocks. has_whole_items: whether none of this
// output's items lies in two blocks.
template <class Out>
constexpr bool gathers_lines = false;
template <class T>
constexpr bool gathers_lines<T*> = has_streaming&& std::is_trivial_v<T> &&
                                   sizeof(T) <= 16 && cache_line % sizeof(T) == 0;
template <class T>
bool has_whole_items(T* out) {
  return reinterpret_cast<std::uintptr_t>(out) % sizeof(T) == 0;
}

// ---- the split ------------------------------------------------------------------------------------------------------
template <int values, class Digit, class In, class Out, class ValuesIn = cpu_no_range, class ValuesOut = cpu_no_range>
struct cpu_split {
  static constexpr bool has_values = !std::is_same_v<ValuesOut, cpu_no_range>;
  // The bytes of memory that each member needs to gather items, aligned to a cache line.
  static constexpr std::size_t member_bytes = (1 + has_values) * values * gathered_bytes;
  using counts = digit_counts<values>;

  Digit digit;
  In in;
  Out out;
  ValuesIn values_in;
  ValuesOut values_out;
  index_t n;
  bool streams;  // the output will leave the caches before it is read again

  // Returns where each digit starts. `parts`: room for a row of counts for each of `count` parts. `memory`, needed
  // where the output streams: the members' memory, `stride` bytes apart.
  digit_starts<values> run(int members, counts* parts, index_t count, char* memory, std::size_t stride) const {
    const auto begin_of = [&](index_t part) { return n * part / count; };
    share_out(members, count,
              [&](index_t p, int) { parts[p] = count_digits<values>(in, begin_of(p), begin_of(p + 1), digit); });
    const digit_starts<values> starts = counts_to_starts(parts, count);
    share_out(members, count, [&](index_t p, int member) {
      char* const own = memory == nullptr ? nullptr : memory + stride * static_cast<std::size_t>(member);
      scatter(begin_of(p), begin_of(p + 1), parts[p], own);
    });
    return starts;
  }

 private:
  void scatter(index_t first, index_t last, const counts& starts, char* memory) const {
    if constexpr (!has_values) {
      if constexpr (gathers_lines<Out>) {
        if (streams && has_whole_items(out)) return scatter_by(first, last, starts, lines(out, memory), no_writer());
      }
      scatter_by(first, last, starts, position_writer<Out>{out}, no_writer());
    } else {
      if constexpr (gathers_lines<Out> && gathers_lines<ValuesOut>) {
        if (streams && has_whole_items(out) && has_whole_items(values_out))
          return scatter_by(first, last, starts, lines(out, memory),
                            lines(values_out, memory + values * gathered_bytes));
      }
      scatter_by(first, last, starts, position_writer<Out>{out}, position_writer<ValuesOut>{values_out});
    }
  }
  template <class T>
  static line_writer<T, values> lines(T* to, char* memory) {
    return {to, memory};
  }
  template <class Writer, class ValueWriter>
  void scatter_by(index_t first, index_t last, const counts& starts, Writer&& items, ValueWriter&& with) const {
    counts next = starts;
    auto digit_of = digit;
    items.begin(starts);
    with.begin(starts);
    const auto put = [&](index_t i) {
      const value_of<In> x = item_at(in, i);
      const unsigned d = digit_of(x);
      const index_t position = next[d]++;
      items.put(d, position, x);
      with.put(d, position, values_in[i]);
    };
    index_t i = first;
    for (; i + group_items<In> <= last; i += group_items<In>) {
      prefetch_group(in, i);
      for (index_t k = 0; k < group_items<In>; ++k) put(i + k);
    }
    for (; i < last; ++i) put(i);
    items.end(next);
    with.end(next);
  }
};

// How many parts the input has for `members` threads. Four for each (not measured), so that the others wait less for a
// thread that is late.
constexpr index_t parts_of(int members) { return members > 1 ? 4 * members : 1; }

}  // namespace onepass::detail
