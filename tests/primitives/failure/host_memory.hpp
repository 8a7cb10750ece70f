// SPDX-License-Identifier: Apache-2.0
// What calls on the CPU work on (calls.hpp), between guards, of items that are bytes or that own memory.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "calls.hpp"
#include "support/random.hpp"

namespace test {

// A number in memory of its own: a copy may fail and a lost object is lost memory. Its moves do not throw. So large that a
// few make a tile.
class alignas(128) owner {
 public:
  explicit owner(std::int64_t number) : number_(std::make_unique<std::int64_t>(number)) {}
  owner() : owner(0) {}
  owner(const owner& other) : owner(number_of(other)) {}
  owner(owner&&) noexcept = default;
  owner& operator=(const owner& other) {
    number_ = std::make_unique<std::int64_t>(number_of(other));
    return *this;
  }
  owner& operator=(owner&&) noexcept = default;
  friend std::int64_t number_of(const owner& x) { return x.number_ ? *x.number_ : moved_from; }
  friend bool operator==(const owner& a, const owner& b) { return number_of(a) == number_of(b); }
  static constexpr std::int64_t moved_from = -9;

 private:
  std::unique_ptr<std::int64_t> number_;
};

template <class T>
class guarded {
  static constexpr std::ptrdiff_t guard = 16;

 public:
  explicit guarded(std::ptrdiff_t n) : all_(static_cast<std::size_t>(n + 2 * guard), T{}) {}
  T* data() { return all_.data() + guard; }
  template <class Make>
  void fill(Make make) {
    for (std::ptrdiff_t i = 0, size = static_cast<std::ptrdiff_t>(all_.size()); i < size; ++i)
      all_[static_cast<std::size_t>(i)] = i < guard || i >= size - guard ? T{} : make(i - guard);
  }
  const std::vector<T>& all() const { return all_; }
  bool has_guards() const {
    return std::all_of(all_.begin(), all_.begin() + guard, [](const T& x) { return x == T{}; }) &&
           std::all_of(all_.end() - guard, all_.end(), [](const T& x) { return x == T{}; });
  }

 private:
  std::vector<T> all_;
};

template <class T>
class host_memory {
  guarded<T> items_, out_, out2_, out3_;
  guarded<std::int64_t> keys_, numbers_, out_keys_, out_numbers_, offsets_, counts_;
  guarded<record> records_, out_records_;
  guarded<unsigned char> flags_;

 public:
  explicit host_memory(std::ptrdiff_t size)
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
    for (auto* const output : {&out_, &out2_, &out3_}) output->fill([](index) { return T(-1); });
    for (auto* const output : {&out_keys_, &out_numbers_, &counts_}) output->fill([](index) { return -1; });
    out_records_.fill([](index) { return record{-1, -1}; });
    items_.fill([](index i) { return T(i + 1); });
    keys_.fill([](index i) { return i / 2; });
    numbers_.fill([](index i) { return static_cast<std::int64_t>(hash(1, static_cast<std::uint64_t>(i))); });
    records_.fill([](index i) {
      const std::uint64_t bits = hash(2, static_cast<std::uint64_t>(i));
      return record{static_cast<std::int32_t>(bits), static_cast<std::int32_t>(bits >> 60)};
    });
    flags_.fill([](index i) { return static_cast<unsigned char>(i % 7 == 0); });
    offsets_.fill([](index i) { return 17 * i; });
  }
  static T item(std::int64_t number) { return T(number); }

  bool has_guards() const {
    return items_.has_guards() && out_.has_guards() && out2_.has_guards() && out3_.has_guards() &&
           out_keys_.has_guards() && out_numbers_.has_guards() && counts_.has_guards() && out_records_.has_guards() &&
           keys_.has_guards() && numbers_.has_guards() && records_.has_guards();
  }
  bool has_inputs_of(const host_memory& other) const {
    return items_.all() == other.items_.all() && keys_.all() == other.keys_.all() &&
           numbers_.all() == other.numbers_.all() && records_.all() == other.records_.all() &&
           flags_.all() == other.flags_.all() && offsets_.all() == other.offsets_.all();
  }
  bool has_all_of(const host_memory& other) const {
    return has_inputs_of(other) && out_.all() == other.out_.all() && out2_.all() == other.out2_.all() &&
           out3_.all() == other.out3_.all() && out_keys_.all() == other.out_keys_.all() &&
           out_numbers_.all() == other.out_numbers_.all() && counts_.all() == other.counts_.all() &&
           out_records_.all() == other.out_records_.all();
  }
  // Whether the first items of `done`, as far as they ascend, are all somewhere among the items.
  bool has_kept_items_of(const host_memory& done) const {
    std::vector<std::int64_t> here;
    for (const T& x : items_.all()) here.push_back(number_of(x));
    std::sort(here.begin(), here.end());
    std::int64_t last = 0;
    for (std::ptrdiff_t i = 0; i < n && number_of(done.items[i]) > last; ++i) {
      last = number_of(done.items[i]);
      if (!std::binary_search(here.begin(), here.end(), last)) return false;
    }
    return true;
  }

  const std::ptrdiff_t n, segments;
  T *const items, *const out, *const out2, *const out3;
  std::int64_t *const keys, *const numbers, *const out_keys, *const out_numbers, *const offsets, *const counts;
  record *const records, *const out_records;
  unsigned char* const flags;
};

}  // namespace test
