// SPDX-License-Identifier: Apache-2.0
// Types with a copy constructor and an assignment of their own, and their way between host and device.
#pragma once

#include <cstdint>
#include <vector>

#include "beside.hpp"
#if ONEPASS_HAS_CUDA
#include <thrust/device_vector.h>
#endif

namespace {

// The same number five times; a copy is made of one of them. Any integer converts to it, also a bool. It converts to a pointer,
// so to a bool, and has && and || of its own, as a type of Thrust's tests has. What is known of a wrong count with that one is
// in docs/history/performance-log.md.
class five_times {
 public:
  ONEPASS_HOST_DEVICE five_times() { fill(0); }
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  ONEPASS_HOST_DEVICE five_times(const Integer& x) {
    fill(static_cast<int>(x));
  }
  ONEPASS_HOST_DEVICE five_times(const five_times& other) { fill(other.x_[0]); }
  ONEPASS_HOST_DEVICE five_times& operator=(int x) {
    fill(x);
    return *this;
  }
  ONEPASS_HOST_DEVICE five_times& operator=(const five_times& other) {
    if (this != &other) fill(other.x_[0]);
    return *this;
  }
  ONEPASS_HOST_DEVICE operator void*() const { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(x_[0])); }
  ONEPASS_HOST_DEVICE int value() const {
    for (const int x : x_) {
      if (x != x_[0]) return -1;
    }
    return x_[0];
  }
  friend ONEPASS_HOST_DEVICE bool operator==(const five_times& a, const five_times& b) { return a.x_[0] == b.x_[0]; }
  friend ONEPASS_HOST_DEVICE bool operator&&(const five_times& a, const five_times& b) { return a.x_[0] && b.x_[0]; }
  friend ONEPASS_HOST_DEVICE bool operator||(const five_times& a, const five_times& b) { return a.x_[0] || b.x_[0]; }
  friend ONEPASS_HOST_DEVICE five_times operator+(const five_times& a, const five_times& b) {
    return five_times(a.x_[0] + b.x_[0]);
  }

 private:
  ONEPASS_HOST_DEVICE void fill(int x) {
    for (int& y : x_) y = x;
  }
  int x_[5];
};

// Takes an assignment only where a constructor has been.
class only_live {
 public:
  ONEPASS_HOST_DEVICE only_live() : only_live(0) {}
  ONEPASS_HOST_DEVICE only_live(int x) : x_(x), mark_(live) {}
  ONEPASS_HOST_DEVICE only_live(const only_live& other) : x_(other.x_), mark_(live) {}
  ONEPASS_HOST_DEVICE only_live& operator=(const only_live& other) {
    if (mark_ == live) x_ = other.x_;
    return *this;
  }
  ONEPASS_HOST_DEVICE int value() const { return mark_ == live ? x_ : -1; }
  friend ONEPASS_HOST_DEVICE bool operator==(const only_live& a, const only_live& b) { return a.x_ == b.x_; }
  friend ONEPASS_HOST_DEVICE only_live operator+(const only_live& a, const only_live& b) {
    return only_live(a.x_ + b.x_);
  }

 private:
  static constexpr int live = 923390;
  int x_, mark_;
};

// Objects cross between host and device as their bytes: Thrust's own copies assign to memory that has none.
template <class T>
std::vector<T> vector_of(const test::cpu_backend&, const std::vector<T>& values) {
  return values;
}
#if ONEPASS_HAS_CUDA
template <class T>
thrust::device_vector<T> vector_of(const test::cuda_backend& where, const std::vector<T>& values) {
  thrust::device_vector<T> vector(values.size());
  where.memory().copy(thrust::raw_pointer_cast(vector.data()), values.data(), values.size() * sizeof(T));
  return vector;
}
template <class T>
std::vector<T> host_of(const thrust::device_vector<T>& vector) {
  std::vector<T> host(vector.size());
  test::cuda_backend::memory().copy(host.data(), thrust::raw_pointer_cast(vector.data()), host.size() * sizeof(T));
  return host;
}
#endif
template <class T>
const std::vector<T>& host_of(const std::vector<T>& vector) {
  return vector;
}

inline int number_of(int x) { return x; }
template <class T>
int number_of(const T& x) {
  return x.value();
}
// The values up to `last`.
template <class Vector, class It>
std::vector<int> numbers(const Vector& vector, It last) {
  const auto& host = host_of(vector);
  std::vector<int> result;
  for (std::ptrdiff_t i = 0; i < last - vector.begin(); ++i)
    result.push_back(number_of(host[static_cast<std::size_t>(i)]));
  return result;
}
template <class Vector>
std::vector<int> numbers(const Vector& vector) {
  return numbers(vector, vector.end());
}

}  // namespace
