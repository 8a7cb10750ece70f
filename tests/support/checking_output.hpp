// SPDX-License-Identifier: Apache-2.0
// An output iterator that compares what is written to it with what its place must hold, and keeps nothing: for more
// items than memory should be spent on.
#pragma once

#include <gtest/gtest.h>
#include <thrust/iterator/tabulate_output_iterator.h>

#include <cuda/atomic>

#include <algorithm>
#include <cstdint>

#include "buffer.hpp"

namespace test {

// `expected(index)` is the value of item `index`, where there are n. One in 4093 writes is counted, a prime, so that each lane's
// are among them, and all of those near the end.
template <class Expected>
struct comparison {
  static constexpr std::int64_t sampled = 4093, tail = 8192;
  Expected expected;
  std::int64_t n;
  unsigned long long* counts;  // wrong values, counted writes

  ONEPASS_HOST_DEVICE bool is_counted(std::int64_t index) const { return index % sampled == 0 || index >= n - tail; }
  template <class T>
  ONEPASS_HOST_DEVICE void operator()(std::int64_t index, const T& value) const {
    if (index < 0 || index >= n || !(value == expected(index))) count(0);
    if (is_counted(index)) count(1);
  }
  ONEPASS_HOST_DEVICE void count(int which) const {
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(counts[which])
        .fetch_add(1, cuda::memory_order_relaxed);
  }
};

template <class Expected>
class checking_output {
 public:
  template <class Backend>
  checking_output(const Backend& backend, Expected expected, std::int64_t n)
      : counts_(backend, std::vector<unsigned long long>{0, 0}), compared_{expected, n, counts_.data()} {}

  auto begin() const { return thrust::make_tabulate_output_iterator(compared_); }
  // EXPECTs that items [0, n) were written, each with its value, and nothing behind them.
  void check() const {
    const std::vector<unsigned long long> counts = counts_.to_host();
    EXPECT_EQ(counts[0], 0u) << "wrong items";
    unsigned long long counted = 0;
    const std::int64_t sampled = comparison<Expected>::sampled, tail = comparison<Expected>::tail;
    for (std::int64_t i = 0; i < compared_.n - tail; i += sampled) ++counted;
    counted += static_cast<unsigned long long>(std::min(compared_.n, tail));
    EXPECT_EQ(counts[1], counted) << "counted items that were written";
  }

 private:
  buffer<unsigned long long> counts_;
  comparison<Expected> compared_;
};

}  // namespace test
