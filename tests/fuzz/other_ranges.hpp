// SPDX-License-Identifier: Apache-2.0
// Ranges that are no array: computed from one, from a place, from nothing; and deques.
#pragma once

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <deque>

#include "ranges.hpp"

namespace fuzz {

struct less_one {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(const T& x) const {
    if constexpr (std::is_floating_point_v<T>) return x - 1;
    else return static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) - 1u);
  }
};
// Items that are one more in memory.
template <class T>
class range<transformed, T> {
 public:
  range(test_case& c, const std::string& name, const data<T>& items) : stored_(c, name, more(items)) {
    c.define("struct less_one { template <class T> HD T operator()(T x) const { return T(x - T(1)); } };\n");
  }
  auto begin() const { return thrust::make_transform_iterator(stored_.begin(), less_one{}); }
  std::string text() const { return "thrust::make_transform_iterator(" + stored_.text() + ", less_one{})"; }
  void expect_unchanged() const { stored_.expect_unchanged(); }

 private:
  static data<T> more(data<T> items) {
    for (std::size_t i = 0; i < items.items.size(); ++i) {
      const T x = items.items[i];
      if constexpr (std::is_floating_point_v<T>) items.items[i] = x + 1;
      else items.items[i] = static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) + 1u);
    }
    items.formula = name_of<T>() + "(1ull + " + items.formula + ")";
    return items;
  }
  range<pointer, T> stored_;
};

template <class T>
class range<counting, T> {
 public:
  range(test_case&, const std::string&, data<T>& items) {
    for (std::size_t i = 0; i < items.items.size(); ++i) items.items[i] = static_cast<T>(i + 3);
  }
  auto begin() const { return thrust::counting_iterator<T>(T(3)); }
  std::string text() const { return "thrust::counting_iterator<" + name_of<T>() + ">(3)"; }
  void expect_unchanged() const {}
};
template <class T>
class range<constant, T> {
 public:
  range(test_case&, const std::string&, data<T>& items) {
    for (std::size_t i = 0; i < items.items.size(); ++i) items.items[i] = T(3);
  }
  auto begin() const { return thrust::constant_iterator<T>(T(3)); }
  std::string text() const { return "thrust::constant_iterator<" + name_of<T>() + ">(3)"; }
  void expect_unchanged() const {}
};
template <class T>
class range<discard, T> {
 public:
  static constexpr bool readable = false;
  range(test_case&, const std::string&, std::int64_t) {}
  auto begin() const { return thrust::discard_iterator<>(); }
  std::string text() const { return "thrust::discard_iterator<>()"; }
  void expect(const std::vector<T>&) const {}
  void expect_begin(const std::vector<T>&) const {}
};

#if !ONEPASS_HAS_CUDA
// In a container of the standard's.
template <class Container>
class contained {
  using T = typename Container::value_type;
  static constexpr std::size_t guard = 20;

 public:
  static constexpr bool readable = true;
  contained(test_case& c, const std::string& container, const std::string& name, const data<T>& items)
      : name_(name), text_(name + "_items"), given_(items.items), poisoned_(poisoned_item<T>()) {
    items_.assign(given_.size() + 2 * guard, poisoned_);
    restore();
    declare(c, container, items);
  }
  contained(test_case& c, const std::string& container, const std::string& name, std::int64_t n)
      : name_(name), text_(name + "_items"), poisoned_(poisoned_item<T>()) {
    items_.assign(static_cast<std::size_t>(n) + 2 * guard, poisoned_);
    declare(c, container, {std::vector<T>(static_cast<std::size_t>(n)), ""});
  }
  auto begin() const { return items_.begin() + guard; }
  auto begin() { return items_.begin() + guard; }
  std::string text() const { return text_ + ".begin()"; }
  std::vector<T> now() const {
    check();
    return {items_.begin() + guard, items_.end() - guard};
  }
  void expect(const std::vector<T>& expected) const { compare(name_, now(), expected, true); }
  void expect_begin(const std::vector<T>& expected) const { compare(name_, now(), expected, false); }
  void expect_unchanged() const { compare(name_, now(), given_, false); }
  void restore() { std::copy(given_.begin(), given_.end(), items_.begin() + guard); }

 private:
  void declare(test_case& c, const std::string& container, const data<T>& items) const {
    c.declare(name_, items, 0);
    c.line(container + "<" + name_of<T>() + "> " + text_ + "(" + name_ + ", " + name_ + " + " +
           std::to_string(items.items.size()) + ");");
  }
  void check() const {
    for (std::size_t i = 0; i < guard; ++i)
      if (!same_item(items_[i], poisoned_) || !same_item(items_[items_.size() - 1 - i], poisoned_))
        throw difference(name_ + ": written outside");
  }
  std::string name_, text_;
  Container items_;
  std::vector<T> given_;
  T poisoned_;
};
template <class T>
class range<deque, T> : public contained<std::deque<T>> {
 public:
  template <class Items>
  range(test_case& c, const std::string& name, const Items& items)
      : contained<std::deque<T>>(c, "std::deque", name, items) {}
};
template <class T>
class range<live, T> : public contained<std::vector<T>> {
 public:
  template <class Items>
  range(test_case& c, const std::string& name, const Items& items)
      : contained<std::vector<T>>(c, "std::vector", name, items) {}
};
#endif

}  // namespace fuzz
