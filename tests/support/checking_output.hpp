// SPDX-License-Identifier: Apache-2.0
// An output iterator that compares what is written to it with what its place must hold, and keeps nothing: for more
// items than memory should be spent on.
#pragma once

#include <gtest/gtest.h>
#include <thrust/iterator/tabulate_output_iterator.h>

#include <cuda/atomic>

#include <cstdint>

#include "buffer.hpp"

namespace test {

// `expected(index)` is the value of item `index`. One in 4096 writes is counted, enough to see a range left out.
template <class Expected>
struct comparison {
  static constexpr std::int64_t sampled = 4096;
  Expected expected;
  unsigned long long* counts;  // wrong values, sampled writes

  template <class T>
  ONEPASS_HOST_DEVICE void operator()(std::int64_t index, const T& value) const {
    if (!(value == expected(index))) count(0);
    if (index % sampled == 0) count(1);
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
  explicit checking_output(const Backend& backend, Expected expected)
      : counts_(backend, std::vector<unsigned long long>{0, 0}), expected_(expected) {}

  auto begin() const { return thrust::make_tabulate_output_iterator(comparison<Expected>{expected_, counts_.data()}); }
  // EXPECTs that items [0, n) were written, each with its value.
  void check(std::int64_t n) const {
    const std::vector<unsigned long long> counts = counts_.to_host();
    EXPECT_EQ(counts[0], 0u) << "wrong items";
    EXPECT_EQ(static_cast<std::int64_t>(counts[1]),
              (n + comparison<Expected>::sampled - 1) / comparison<Expected>::sampled)
        << "sampled items that were written";
  }

 private:
  buffer<unsigned long long> counts_;
  Expected expected_;
};

}  // namespace test
