// SPDX-License-Identifier: Apache-2.0
// What the tests of Thrust's sort calls share: keys, values that are the keys' positions, and the check of both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/references.hpp"
#include "support/test.hpp"

namespace test {

template <class Backend>
struct sort_fixture {
  using key = std::int32_t;

  explicit sort_fixture(const Backend& backend)
      : values(random_between<key>(20011, 1, 0, 5000)), keys(backend, values, 1), carried(backend, values.size()) {
    reset();
  }
  void reset() const {
    keys.assign(values);
    std::vector<std::uint32_t> positions(values.size());
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::uint32_t>(i);
    carried.assign(positions);
  }
  template <class Comp>
  std::vector<std::size_t> order(Comp comp) const {
    std::vector<std::size_t> result(values.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = i;
    std::stable_sort(result.begin(), result.end(),
                     [&](std::size_t a, std::size_t b) { return comp(values[a], values[b]); });
    return result;
  }
  // The keys are in comp's order, and with `carries` the values have gone with them, equal keys in their order.
  template <class Comp>
  void expect(const char* call, Comp comp, bool carries) const {
    const std::vector<std::size_t> expected = order(comp);
    EXPECT_TRUE(same(keys.to_host(), arranged(values, expected))) << call;
    if (carries) {
      const std::vector<std::uint32_t> positions(expected.begin(), expected.end());
      EXPECT_TRUE(same(carried.to_host(), positions)) << call;
    }
    reset();
  }

  std::vector<key> values;
  buffer<key> keys;
  buffer<std::uint32_t> carried;
};

}  // namespace test
