// SPDX-License-Identifier: Apache-2.0
// Made by tests/docs/extract_examples.py.
#include <onepass/library.hpp>
#include <onepass/onepass.hpp>

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <gtest/gtest.h>
#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

template <class T>
std::string shown(const T& value) {
  std::ostringstream text;
  if constexpr (std::is_arithmetic_v<T>) {
    text << +value;
  } else {
    for (const auto& item : value) {
      using item_type = typename T::value_type;
      text << (text.tellp() > 0 ? " " : "") << +static_cast<item_type>(item);
    }
  }
  return text.str();
}

// Whether `value` opens with the numbers of `expected`.
template <class T>
testing::AssertionResult opens_with(const T& value, const std::string& expected) {
  const std::string text = shown(value) + " ";
  if (text.compare(0, expected.size() + 1, expected + " ") == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "holds " << text;
}

[[maybe_unused]] static bool no_device() {
#if ONEPASS_HAS_CUDA
  int devices = 0;
  return cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0;
#else
  return false;
#endif
}


