// SPDX-License-Identifier: Apache-2.0
// What random_calls.cpp draws: numbers, and where the items of a call lie.
#pragma once

#include <memory>
#include <numeric>

#include "library/fixture.hpp"

namespace test {

class dice {
 public:
  explicit dice(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t bits() { return hash(seed_, drawn_++); }
  std::size_t below(std::size_t end) { return bits() % end; }
  int between(int low, int high) { return low + static_cast<int>(below(static_cast<std::size_t>(high - low) + 1)); }
  bool coin() { return below(2) == 0; }

  // Few, around a power of two, around a multiple of 1,024, or of any magnitude.
  std::size_t size() {
    const std::size_t most = std::size_t{1} << (5 + below(17));
    const std::size_t near = below(7);
    switch (below(4)) {
      case 0: return below(40);
      case 1: return limited(most + near - 3);
      case 2: return limited((1 + below(400)) * 1024 + near - 3);
      default: return limited(below(most));
    }
  }
  library::op op(bool is_integer) { return static_cast<library::op>(below(is_integer ? 7 : 4)); }

 private:
  std::uint64_t seed_, drawn_ = 0;
};

template <class T>
std::vector<T> counted(std::size_t n) {  // 0, 1, 2 ...
  std::vector<T> values(n);
  std::iota(values.begin(), values.end(), T(0));
  return values;
}

// Items that begin up to three behind an aligned address.
template <class T>
class placed {
 public:
  placed(const library::execution& where, dice& draw, const std::vector<T>& items) : shift_(draw.below(4)) {
    std::vector<T> all(shift_);
    all.insert(all.end(), items.begin(), items.end());
    array_ = std::make_shared<array<T>>(where, all);
  }
  placed(const library::execution& where, dice& draw, std::size_t n)
      : shift_(draw.below(4)), array_(std::make_shared<array<T>>(where, n + shift_)) {
    before_ = array_->items();
  }
  T* data() const { return *array_ + shift_; }

  // An output: what was to be written, and nothing else.
  void expect(const std::vector<T>& expected) const {
    std::vector<T> all = before_;
    ASSERT_LE(shift_ + expected.size(), all.size());
    std::copy(expected.begin(), expected.end(), all.begin() + static_cast<std::ptrdiff_t>(shift_));
    EXPECT_TRUE(identical(array_->items(), all)) << "begins at " << shift_;
  }
  // In place: the rest may be anything.
  void expect_begin(const std::vector<T>& expected) const {
    const std::vector<T> all = array_->items();
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(shift_);
    ASSERT_LE(shift_ + expected.size(), all.size());
    EXPECT_TRUE(identical(std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(expected.size())), expected))
        << "in place, begins at " << shift_;
  }

 private:
  std::size_t shift_;
  std::shared_ptr<array<T>> array_;
  std::vector<T> before_;
};

// The output of a call that may have its input overwritten.
template <class T>
class output {
 public:
  output(const library::execution& where, dice& draw, const placed<T>& in, std::size_t n)
      : in_place_(draw.coin()), to_(in_place_ ? in : placed<T>(where, draw, n)) {}
  T* data() const { return to_.data(); }
  void expect(const std::vector<T>& expected) const {
    if (in_place_) to_.expect_begin(expected);
    else to_.expect(expected);
  }

 private:
  bool in_place_;
  placed<T> to_;
};

}  // namespace test
