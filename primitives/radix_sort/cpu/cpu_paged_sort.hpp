// SPDX-License-Identifier: Apache-2.0
// A stable sort in place with little scratch, by one thread: a split by each digit from the lowest, over pages of items
// (../cuda/little_memory/pages.cuh has the idea). A page that has been read is free, and takes other items. In the end
// each page is moved to where it belongs in the array. Bytes moved: for each digit, keys read once to count, and where they
// differ, keys and values read and written once; and once for the end.
#pragma once

#include "../page_shape.hpp"
#include "cpu_items.hpp"

namespace onepass::detail {

template <class K, class V, class Order = ordered_key<K>>
class cpu_paged_sorter {
  using items = cpu_items<K, V>;
  using number = std::uint32_t;
  static constexpr number no_page = ~number{0};

  // Where a digit's next items go: `left` of them to the page that has been begun, the others to item `next` on.
  struct output {
    items at;
    index_t left, next;
  };

 public:
  cpu_paged_sorter(index_t n, index_t scratch_items, layout& scratch)
      : n_(n), pages_(divide_up(n, index_t{page_items})) {
    for (std::size_t& at : tables_) at = scratch.add<number>(pages_);
    free_ = scratch.add<number>(std::max(divide_up(scratch_items, index_t{page_items}), spare_pages_of_pass));
    spare_ = add_spare_pages<K, V>(scratch, scratch_items, spare_pages_of_pass, spare_keys_, spare_values_);
  }

  // Where the spare pages' keys are, and how many they have room for.
  K* spare_keys(void* scratch) const { return section<K>(scratch, spare_keys_); }
  index_t spare_items() const { return spare_ * page_items; }

  void run(const cpu_digits<Order>& digits, const items& own, void* scratch) const {
    sorter s{*this, own, scratch};
    const auto digit_at = [&](int position) {
      const int shift = digits.begin_bit + position * digit_bits, width = std::min(digit_bits, digits.end_bit - shift);
      return ordered_digit<Order>{digits.order,
                                  {shift, (1u << width) - 1, static_cast<unsigned>(digits.flip >> shift)}};
    };
    for (int position = 0; position < digits.positions(); ++position) s.split_by(digit_at(position));
    s.restore();
  }

 private:
  struct sorter {
    const cpu_paged_sorter& of;
    items own;
    items spare;
    number *from, *to;  // page i of the items is in page from[i]; of the next pass's output, in page to[i]
    number* free;       // a stack
    index_t free_count;

    sorter(const cpu_paged_sorter& sort, const items& array, void* scratch)
        : of(sort),
          own(array),
          spare{section<K>(scratch, sort.spare_keys_), nullptr},
          from(section<number>(scratch, sort.tables_[0])),
          to(section<number>(scratch, sort.tables_[1])),
          free(section<number>(scratch, sort.free_)),
          free_count(sort.spare_) {
      if constexpr (items::has_values) spare.values = section<V>(scratch, sort.spare_values_);
      for (index_t i = 0; i < of.pages_; ++i) from[i] = static_cast<number>(i);
      for (index_t i = 0; i < of.spare_; ++i) free[i] = static_cast<number>(of.pages_ + i);
    }
    items page(number p) const {
      const index_t i = p;
      return i < of.pages_ ? own.from(i * page_items) : spare.from((i - of.pages_) * page_items);
    }
    index_t size_of(index_t i) const { return std::min<index_t>(page_items, of.n_ - i * page_items); }
    void release(number p) {
      if (p >= of.pages_ || size_of(p) == page_items) free[free_count++] = p;
    }

    template <class Digit>
    void split_by(const Digit& digit) {
      index_t counts[digit_values] = {};
      for (index_t i = 0; i < of.pages_; ++i) {
        const K* const keys = page(from[i]).keys;
        for (index_t j = 0, n = size_of(i); j < n; ++j) ++counts[digit(keys[j])];
      }
      if (*std::max_element(counts, counts + digit_values) == of.n_) return;
      output outputs[digit_values];
      index_t before = 0;
      for (int d = 0; d < digit_values; ++d) {
        outputs[d] = {{}, 0, before};
        before += counts[d];
      }
      std::fill(to, to + of.pages_, no_page);
      for (index_t i = 0; i < of.pages_; ++i) {
        const items in = page(from[i]);
        for (index_t j = 0, n = size_of(i); j < n; ++j) {
          output& r = outputs[digit(in.keys[j])];
          if (r.left == 0) begin_page(r);
          --r.left;
          *r.at.keys++ = in.keys[j];
          if constexpr (items::has_values) *r.at.values++ = in.values[j];
        }
        release(from[i]);
      }
      std::swap(from, to);
    }
    // Neighbouring digits may share a page.
    void begin_page(output& r) {
      number& p = to[r.next / page_items];
      if (p == no_page) p = free[--free_count];
      r.at = page(p).from(r.next % page_items);
      r.left = page_items - r.next % page_items;
      r.next += r.left;
    }

    // First moves the chains of pages that end in a free page, then the cycles. A page of scratch is free then.
    void restore() {
      number* const user = to;
      std::fill(user, user + of.pages_, no_page);
      for (index_t i = 0; i < of.pages_; ++i) {
        if (from[i] < of.pages_) user[from[i]] = static_cast<number>(i);
      }
      for (index_t i = 0; i < of.pages_; ++i) {
        if (user[i] == no_page) (void)fill(static_cast<number>(i), no_page);
      }
      for (index_t i = 0; i < of.pages_; ++i) {
        if (from[i] == i) continue;
        page(static_cast<number>(i)).copy_to(spare, page_items);
        spare.copy_to(page(fill(static_cast<number>(i), static_cast<number>(i))), page_items);
      }
    }
    // Fills page p, then the page that its items came from, and so on, until they came from scratch or from page `end`.
    // Returns the page that is not filled in that case.
    number fill(number p, number end) {
      for (;;) {
        const number source = std::exchange(from[p], p);
        if (source == end) return p;
        page(source).copy_to(page(p), size_of(p));
        if (source >= of.pages_) return p;
        p = source;
      }
    }
  };

  index_t n_, pages_, spare_;
  std::size_t tables_[2], free_, spare_keys_, spare_values_ = 0;
};

}  // namespace onepass::detail
