// SPDX-License-Identifier: Apache-2.0
// What the tests of compact's overloads share: input and output, and the check of a call's result.
#pragma once

#include <gtest/gtest.h>
#include <thrust/memory.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/references.hpp"
#include "support/test.hpp"

namespace test {

// Few different values, so that equal neighbours are common, and flags that have nothing to do with them.
template <class Backend>
class compact_fixture {
 public:
  using number = std::int32_t;

  explicit compact_fixture(const Backend& backend, std::size_t size = 20011)
      : n(size),
        values(random_between<number>(n, 1, 0, 3)),
        payload(random_values<std::uint64_t>(n, 2)),
        flag_values(random_flags(n, 3, 0.3)),
        in(backend, n, 1),
        out(backend, n),
        rest(backend, n, 1),
        in_payload(backend, n),
        out_payload(backend, n),
        flags(backend, flag_values),
        count(backend, 1) {
    reset();
  }

  void reset() const {
    in.assign(values);
    in_payload.assign(payload);
    out.poison_all();
    rest.poison_all();
    out_payload.poison_all();
    count.poison_all();
  }

  // `to` holds `expected` up to `end`, and, where it is not the input, nothing behind that.
  template <class Iterator, class T>
  void expect(const char* call, Iterator end, const buffer<T>& to, const std::vector<T>& expected) const {
    EXPECT_EQ(thrust::raw_pointer_cast(end) - to.begin(), static_cast<std::ptrdiff_t>(expected.size())) << call;
    expect_items(call, to, expected);
  }
  template <class T>
  void expect_items(const char* call, const buffer<T>& to, const std::vector<T>& expected) const {
    EXPECT_TRUE(same(to.to_host(expected.size()), expected)) << call;
    if (static_cast<const void*>(to.begin()) != in.begin() &&
        static_cast<const void*>(to.begin()) != in_payload.begin()) {
      EXPECT_TRUE(to.untouched(expected.size())) << call << ": written behind the last kept item";
    }
  }
  // The same for a call that left its count in memory.
  template <class T>
  void expect_async(const char* call, const buffer<T>& to, const std::vector<T>& expected) const {
    EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(expected.size())) << call;
    expect_items(call, to, expected);
    reset();
  }
  void expect_count(const char* call, std::size_t expected) const {
    EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(expected)) << call;
  }
  // The input holds what it held, with the items of `flags` in front; `stable`: in their order.
  void expect_partitioned(const char* call, const std::vector<std::uint8_t>& by, bool stable) const {
    std::vector<number> result = in.to_host(), expected = partitioned(values, by);
    const auto border = static_cast<std::ptrdiff_t>(kept(values, by).size());
    for (std::vector<number>* both : {&result, &expected}) {
      if (stable) break;
      std::sort(both->begin(), both->begin() + border);
      std::sort(both->begin() + border, both->end());
    }
    EXPECT_TRUE(same(result, expected)) << call;
    reset();
  }

  std::size_t n;
  std::vector<number> values;
  std::vector<std::uint64_t> payload;
  std::vector<std::uint8_t> flag_values;
  buffer<number> in, out, rest;
  buffer<std::uint64_t> in_payload, out_payload;
  buffer<std::uint8_t> flags;
  buffer<std::int64_t> count;
};

}  // namespace test
