// SPDX-License-Identifier: Apache-2.0
// What calls work on (calls.hpp): arrays of inputs and outputs, on the host or on the device.
#pragma once

#include <algorithm>
#include <vector>

#include "calls.hpp"
#include "support/random.hpp"

namespace test {

// Items are T. Array<U>(n) has n items between guards: data(), assign(a vector), all() to compare, has_guards().
template <template <class> class Array, class T>
class call_memory {
  using number = std::int64_t;
  Array<T> items_, out_, out2_, out3_;
  Array<number> keys_, numbers_, out_keys_, out_numbers_, offsets_, counts_;
  Array<record> records_, out_records_;
  Array<unsigned char> flags_;

  template <class U, class Make>
  static void fill(Array<U>& to, std::ptrdiff_t size, Make make) {
    std::vector<U> all;
    all.reserve(static_cast<std::size_t>(size));
    for (std::ptrdiff_t i = 0; i < size; ++i) all.push_back(make(i));
    to.assign(all);
  }

 public:
  explicit call_memory(std::ptrdiff_t size)
      : items_(size),
        out_(size),
        out2_(size),
        out3_(size),
        keys_(size),
        numbers_(size),
        out_keys_(size),
        out_numbers_(size),
        offsets_(size / 17 + 1),
        counts_(2),
        records_(size),
        out_records_(size),
        flags_(size),
        n(size),
        segments(size / 17 + 1),
        items(items_.data()),
        out(out_.data()),
        out2(out2_.data()),
        out3(out3_.data()),
        keys(keys_.data()),
        numbers(numbers_.data()),
        out_keys(out_keys_.data()),
        out_numbers(out_numbers_.data()),
        offsets(offsets_.data()),
        counts(counts_.data()),
        records(records_.data()),
        out_records(out_records_.data()),
        flags(flags_.data()) {
    load();
  }
  void load() {
    using index = std::ptrdiff_t;
    for (auto* const output : {&out_, &out2_, &out3_}) fill(*output, n, [](index) { return T(-1); });
    for (auto* const output : {&out_keys_, &out_numbers_}) fill(*output, n, [](index) { return -1; });
    fill(counts_, 2, [](index) { return -1; });
    fill(out_records_, n, [](index) { return record{-1, -1}; });
    fill(items_, n, [](index i) { return T(i + 1); });
    fill(keys_, n, [](index i) { return i / 2; });
    fill(numbers_, n, [](index i) { return static_cast<number>(hash(1, static_cast<std::uint64_t>(i))); });
    fill(records_, n, [](index i) {
      const std::uint64_t bits = hash(2, static_cast<std::uint64_t>(i));
      return record{static_cast<std::int32_t>(bits), static_cast<std::int32_t>(bits >> 60)};
    });
    fill(flags_, n, [](index i) { return static_cast<unsigned char>(i % 7 == 0); });
    fill(offsets_, segments, [](index i) { return 17 * i; });
  }
  static T item(number x) { return T(x); }

  bool has_guards() const {
    return items_.has_guards() && out_.has_guards() && out2_.has_guards() && out3_.has_guards() &&
           out_keys_.has_guards() && out_numbers_.has_guards() && counts_.has_guards() && out_records_.has_guards() &&
           keys_.has_guards() && numbers_.has_guards() && records_.has_guards();
  }
  bool has_inputs_of(const call_memory& other) const {
    return items_.all() == other.items_.all() && keys_.all() == other.keys_.all() &&
           numbers_.all() == other.numbers_.all() && records_.all() == other.records_.all() &&
           flags_.all() == other.flags_.all() && offsets_.all() == other.offsets_.all();
  }
  bool has_outputs_of(const call_memory& other) const {
    return out_.all() == other.out_.all() && out2_.all() == other.out2_.all() && out3_.all() == other.out3_.all() &&
           out_keys_.all() == other.out_keys_.all() && out_numbers_.all() == other.out_numbers_.all() &&
           counts_.all() == other.counts_.all() && out_records_.all() == other.out_records_.all();
  }
  bool has_all_of(const call_memory& other) const { return has_inputs_of(other) && has_outputs_of(other); }
  // Whether the first items of `done`, as far as they ascend, are all somewhere among the items. On the host.
  bool has_kept_items_of(const call_memory& done) const {
    std::vector<number> here;
    for (const T& x : items_.all()) here.push_back(number_of(x));
    std::sort(here.begin(), here.end());
    number last = 0;
    for (std::ptrdiff_t i = 0; i < n && number_of(done.items[i]) > last; ++i) {
      last = number_of(done.items[i]);
      if (!std::binary_search(here.begin(), here.end(), last)) return false;
    }
    return true;
  }

  const std::ptrdiff_t n, segments;
  T *const items, *const out, *const out2, *const out3;
  number *const keys, *const numbers, *const out_keys, *const out_numbers, *const offsets, *const counts;
  record *const records, *const out_records;
  unsigned char* const flags;
};

}  // namespace test
