// SPDX-License-Identifier: Apache-2.0
// What a call reads and writes, by each kind of iterator. A range knows its items, checks what became of them, and can say
// itself as text.
#pragma once

#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>

#include <cmath>

#include "ways.hpp"

namespace fuzz {

// Kinds of iterators.
struct pointer {};
struct reverse {};
struct permuted {};
// And in other_ranges.hpp:
struct transformed {};  // these are only read
struct counting {};
struct constant {};
struct discard {};  // only written
struct deque {};    // on the CPU alone, as this:
struct live {};     // items that are made before they are written, in a vector

template <class T>
bool same_item(const T& a, const T& b) {
  if constexpr (is_word<T>) return a == b;
  else return std::memcmp(&a, &b, sizeof(T)) == 0;
}
// What is written nowhere.
template <class T>
T poisoned_item() {
  if constexpr (is_word<T>) {
    return {"poison", ""};
  } else if constexpr (std::is_same_v<T, bool>) {
    return true;
  } else {
    T item;
    std::memset(static_cast<void*>(&item), poison, sizeof item);
    return item;
  }
}
[[noreturn]] inline void differs(const std::string& name, std::size_t i, const std::string& is,
                                 const std::string& right) {
  throw difference(name + "[" + std::to_string(i) + "] is " + is + ", " + right + " is right");
}
// Whether a sum of so many numbers is near what double gives: in the worst order they are added one after another.
template <class T>
void expect_about(const std::string& name, std::size_t i, T is, double sum, double length) {
  if (std::abs(static_cast<double>(is) - sum) > (length + 1) * sum * (sizeof(T) == 4 ? 0x1p-24 : 0x1p-52))
    differs(name, i, text_of(is), "about " + std::to_string(sum));
}
// The first expected.size() items; those behind them are not touched, where that is asked for.
template <class T>
void compare(const std::string& name, const std::vector<T>& now, const std::vector<T>& expected, bool rest_untouched) {
  if (now.size() < expected.size()) throw difference(name + ": more results are expected than there is room for");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const T a = now[i], b = expected[i];
    if (!same_item(a, b)) differs(name, i, text_of(a), text_of(b));
  }
  if constexpr (!std::is_same_v<T, bool>) {  // a poisoned one is no bool
    const T poisoned = poisoned_item<T>();
    for (std::size_t i = expected.size(); rest_untouched && i < now.size(); ++i)
      if (!same_item(now[i], poisoned)) differs(name, i, "written, " + text_of(now[i]), "nothing");
  }
}

#if ONEPASS_HAS_CUDA
template <class T>
using place = thrust::device_ptr<T>;
#else
template <class T>
using place = T*;
#endif

// Items side by side in guarded memory, in places that a kind says.
template <class T>
class array {
 public:
  array(test_case& c, const std::string& name, std::size_t n)
      : n_(n),
        shift_(static_cast<std::size_t>(c.d.below((name + "_shift").c_str(), 4))),
        is_null_(n == 0 && c.d.coin((name + "_null").c_str())),
        memory_(&c.memory(name, n * sizeof(T), shift_ * alignof(T))) {}
  place<T> begin() const { return place<T>(raw()); }
  T* raw() const { return is_null_ ? nullptr : reinterpret_cast<T*>(memory_->data()); }
  std::size_t size() const { return n_; }
  std::size_t shift() const { return shift_; }
  template <class Slot>
  void set(const std::vector<T>& items, Slot slot) const {
    const std::unique_ptr<T[]> all(new T[n_ + 1]);
    for (std::size_t i = 0; i < n_; ++i) all[slot(i)] = items[i];
    memory_->store(all.get());
  }
  template <class Slot>
  std::vector<T> get(Slot slot) const {
    const std::unique_ptr<T[]> all(new T[n_ + 1]);
    memory_->load(static_cast<void*>(all.get()));
    std::vector<T> items(n_);
    for (std::size_t i = 0; i < n_; ++i) items[i] = item_at(all.get() + slot(i));
    return items;
  }

 private:
  static T item_at(const T* at) {
    if constexpr (std::is_same_v<T, bool>) return *reinterpret_cast<const unsigned char*>(at) == 1;  // may be poisoned
    else return *at;
  }

  std::size_t n_, shift_;
  bool is_null_;  // where there are no items there need not be an array
  const block* memory_;
};

// What all kinds have in common that lie in an array. Kind says slot(i), iterator(array), text.
template <class Kind, class T>
struct layout_of;

template <class Kind, class T>
class range {
 public:
  static constexpr bool readable = true;
  // With items to be read.
  range(test_case& c, const std::string& name, const data<T>& items)
      : name_(name), given_(items.items), array_(c, name, items.items.size()), layout_(c, name, array_) {
    restore();
    declare(c, items);
  }
  // To be written.
  range(test_case& c, const std::string& name, std::int64_t n)
      : name_(name), array_(c, name, static_cast<std::size_t>(n)), layout_(c, name, array_) {
    declare(c, {std::vector<T>(static_cast<std::size_t>(n)), ""});
  }
  auto begin() const { return layout_.begin(array_); }
  std::string text() const { return layout_.text(name_, array_.size()); }
  std::vector<T> now() const {
    return array_.get([&](std::size_t i) { return layout_.slot(i); });
  }
  void expect(const std::vector<T>& expected) const { compare(name_, now(), expected, true); }
  void expect_begin(const std::vector<T>& expected) const { compare(name_, now(), expected, false); }
  void expect_unchanged() const { compare(name_, now(), given_, false); }
  void restore() const {
    array_.set(given_, [&](std::size_t i) { return layout_.slot(i); });
  }
  T* raw() const { return array_.raw(); }
  std::string raw_text() const { return on_device ? "thrust::raw_pointer_cast(d" + name_ + ".data())" : name_; }

 private:
  void declare(test_case& c, const data<T>& items) const {
    c.declare(name_, items, array_.shift());
    if (on_device)
      c.line("thrust::device_vector<" + name_of<T>() + "> d" + name_ + "(" + name_ + ", " + name_ + " + " +
             std::to_string(array_.size()) + ");");
    layout_.declare(c, name_, array_.size());
  }

  std::string name_;
  std::vector<T> given_;
  array<T> array_;
  layout_of<Kind, T> layout_;
};
// As text, where the items begin.
inline std::string begin_text(const std::string& name) { return on_device ? "d" + name + ".begin()" : name; }

template <class T>
struct layout_of<pointer, T> {
  layout_of(test_case&, const std::string&, const array<T>&) {}
  std::size_t slot(std::size_t i) const { return i; }
  auto begin(const array<T>& a) const { return a.begin(); }
  void declare(test_case&, const std::string&, std::size_t) const {}
  std::string text(const std::string& name, std::size_t) const { return begin_text(name); }
};
template <class T>
struct layout_of<reverse, T> {
  std::size_t n;
  layout_of(test_case&, const std::string&, const array<T>& a) : n(a.size()) {}
  std::size_t slot(std::size_t i) const { return n - 1 - i; }
  auto begin(const array<T>& a) const {
    return thrust::make_reverse_iterator(a.begin() + static_cast<std::ptrdiff_t>(n));
  }
  void declare(test_case& c, const std::string& name, std::size_t) const {
    c.line("std::reverse(" + begin_text(name) + ", " + begin_text(name) + " + " + std::to_string(n) + ");");
  }
  std::string text(const std::string& name, std::size_t) const {
    return "thrust::make_reverse_iterator(" + begin_text(name) + " + " + std::to_string(n) + ")";
  }
};
// Every 7,919th item, round and round.
template <class T>
struct layout_of<permuted, T> {
  std::size_t n;
  const block* places;
  layout_of(test_case& c, const std::string& name, const array<T>& a)
      : n(a.size()), places(&c.memory(name + "_at", n * sizeof(std::int32_t))) {
    std::vector<std::int32_t> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::int32_t>(slot(i));
    places->store(all.data());
  }
  std::size_t slot(std::size_t i) const { return n % 7919 != 0 ? i * 7919 % n : n - 1 - i; }
  auto begin(const array<T>& a) const {
    return thrust::make_permutation_iterator(a.begin(),
                                             place<std::int32_t>(reinterpret_cast<std::int32_t*>(places->data())));
  }
  void declare(test_case& c, const std::string& name, std::size_t) const {
    const std::string size = std::to_string(n), rule = n % 7919 != 0 ? "i * 7919ull % " + size : size + " - 1 - i";
    c.line("static int " + name + "_at[" + size + "]; { auto all = std::vector<" + name_of<T>() + ">(" + name + ", " +
           name + " + " + size + ");");
    c.line("  for (int i = 0; i < " + size + "; ++i) " + name + "[" + name + "_at[i] = " + rule + "] = all[i]; }");
  }
  std::string text(const std::string& name, std::size_t) const {
    return "thrust::make_permutation_iterator(" + begin_text(name) + ", " + name + "_at)";
  }
};

// The count that a call with _async leaves.
class count_place {
 public:
  explicit count_place(test_case& c, std::size_t counts = 1)
      : memory_(&c.memory("the count", counts * sizeof(onepass::index_t))) {
    c.line("static onepass::index_t count[" + std::to_string(counts) + "];");
  }
  onepass::index_t* get() const { return reinterpret_cast<onepass::index_t*>(memory_->data()); }
  void expect(std::vector<std::size_t> counts) const {
    std::vector<onepass::index_t> now(counts.size());
    memory_->load(now.data());
    for (std::size_t i = 0; i < now.size(); ++i)
      if (now[i] != static_cast<onepass::index_t>(counts[i]))
        differs("count", i, std::to_string(now[i]), std::to_string(counts[i]));
  }

 private:
  const block* memory_;
};
// What a call returned, counted from its output's begin.
inline void expect_end(std::int64_t end, std::size_t expected) {
  if (end != static_cast<std::int64_t>(expected))
    throw difference("the end returned is " + std::to_string(end) + " items behind the begin, " +
                     std::to_string(expected) + " is right");
}

}  // namespace fuzz

#include "other_ranges.hpp"
