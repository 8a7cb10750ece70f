// SPDX-License-Identifier: Apache-2.0
// Comparisons of whole ranges that report the first difference, not all of them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include "types.hpp"

namespace test {

namespace detail {
template <class A, class B, class Same>
testing::AssertionResult compare(const std::vector<A>& actual, const std::vector<B>& expected, Same same) {
  if (actual.size() != expected.size()) {
    return testing::AssertionFailure() << actual.size() << " items, expected " << expected.size();
  }
  std::size_t different = 0, first = 0;
  for (std::size_t i = expected.size(); i-- > 0;) {
    if (same(actual[i], expected[i], i)) continue;
    ++different;
    first = i;
  }
  if (different == 0) return testing::AssertionSuccess();
  std::ostringstream text;
  text << std::setprecision(17) << different << " of " << expected.size() << " items differ, the first at " << first
       << ": ";
  show(text, actual[first]);
  text << ", expected ";
  show(text, expected[first]);
  return testing::AssertionFailure() << text.str();
}
}  // namespace detail

// EXPECT_TRUE(same(actual, expected)): item by item with ==.
template <class T>
testing::AssertionResult same(const std::vector<T>& actual, const std::vector<T>& expected) {
  return detail::compare(actual, expected, [](const T& a, const T& b, std::size_t) { return a == b; });
}

// The same bits: for floats, so that NaN equals itself and -0 differs from +0.
template <class T>
testing::AssertionResult identical(const std::vector<T>& actual, const std::vector<T>& expected) {
  return detail::compare(actual, expected, [](const T& a, const T& b, std::size_t) { return same_bits(a, b); });
}

// Floats against a reference in double: each may be off by `relative` of `scale`, the sum of the magnitudes so far.
template <class T>
testing::AssertionResult near(const std::vector<T>& actual, const std::vector<double>& expected,
                              const std::vector<double>& scale, double relative) {
  return detail::compare(actual, expected, [&](const T& a, double b, std::size_t i) {
    return std::abs(as_double(a) - b) <= relative * scale[i];
  });
}

// Runs `call` and expects an exception whose text opens with `opening` ("onepass::CALL: ARGUMENT").
template <class Exception, class Call>
testing::AssertionResult throws(const std::string& opening, Call call) {
  try {
    call();
  } catch (const Exception& error) {
    const std::string text = error.what();
    if (text.rfind(opening, 0) == 0) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "threw \"" << text << "\", expected it to open with \"" << opening << '"';
  } catch (const std::exception& error) {
    return testing::AssertionFailure() << "threw another exception: " << error.what();
  }
  return testing::AssertionFailure() << "threw nothing, expected \"" << opening << "...\"";
}

}  // namespace test
