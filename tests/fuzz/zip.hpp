// SPDX-License-Identifier: Apache-2.0
// A range of two arrays, zipped.
#pragma once

#include <thrust/iterator/zip_iterator.h>

#include "ranges.hpp"

namespace fuzz {

struct zipped {};

template <>
class range<zipped, b8_b8> {
 public:
  static constexpr bool readable = true;
  range(test_case& c, const std::string& name, const data<b8_b8>& items)
      : name_(name),
        given_(items.items),
        a_(c, name + "a", first_of(items)),
        b_(c, name + "b", second_of(name, items)) {}
  range(test_case& c, const std::string& name, std::int64_t n)
      : name_(name), a_(c, name + "a", n), b_(c, name + "b", n) {}
  auto begin() const { return thrust::make_zip_iterator(thrust::make_tuple(a_.begin(), b_.begin())); }
  std::string text() const {
    return "thrust::make_zip_iterator(thrust::make_tuple(" + a_.text() + ", " + b_.text() + "))";
  }
  std::vector<b8_b8> now() const {
    const auto a = a_.now();
    const auto b = b_.now();
    std::vector<b8_b8> items;
    for (std::size_t i = 0; i < a.size(); ++i) items.push_back(b8_b8(a[i], b[i]));
    return items;
  }
  void expect(const std::vector<b8_b8>& expected) const { compare(name_, now(), expected, true); }
  void expect_begin(const std::vector<b8_b8>& expected) const { compare(name_, now(), expected, false); }
  void expect_unchanged() const { compare(name_, now(), given_, false); }

 private:
  static data<std::int64_t> first_of(const data<b8_b8>& items) {
    data<std::int64_t> first{{}, items.formula};
    for (const b8_b8& item : items.items) first.items.push_back(thrust::get<0>(item));
    return first;
  }
  static data<double> second_of(const std::string& name, const data<b8_b8>& items) {
    data<double> second{{}, "0.5 * " + name + "a[i]"};
    for (const b8_b8& item : items.items) second.items.push_back(thrust::get<1>(item));
    return second;
  }

  std::string name_;
  std::vector<b8_b8> given_;
  range<pointer, std::int64_t> a_;
  range<pointer, double> b_;
};

}  // namespace fuzz
