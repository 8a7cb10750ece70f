// SPDX-License-Identifier: Apache-2.0
// Keys that count up to a period again and again: where a stable sort puts each of them has a closed form. And checks of
// sorts of such keys.
#pragma once

#include <cstdint>

#include "support/large.hpp"

namespace test {

// From which of n items with the keys i % period the item at `to` comes, when these are sorted stably.
struct origin_in_order {
  std::int64_t n, period;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t to) const {
    const std::int64_t run = n / period, longer = n % period;  // so many keys occur once more than the others
    const std::int64_t in_longer = longer * (run + 1);
    if (to < in_longer) return to % (run + 1) * period + to / (run + 1);
    const std::int64_t behind = to - in_longer;  // run is not 0 here
    return behind % run * period + longer + behind / run;
  }
};

// A function of the index, of the item that comes to an index.
template <class Of>
struct sorted_stably {
  origin_in_order origin;
  Of of;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t to) const { return of(origin(to)); }
};
template <class Of>
sorted_stably<Of> in_order(std::int64_t n, std::int64_t period, Of of) {
  return {{n, period}, of};
}

// A value for an item: how many items with its key come before it, modulo 251, so that a sort that is not stable shows.
struct round_of {
  std::int64_t period;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i / period % 251; }
};
struct index_itself {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i; }
};

// ---- sorts in place -------------------------------------------------------------------------------------------------
// Keys 0, factor, 2 * factor, ... of a period, sorted in place.
template <class K, class Sort, class Backend>
void check_large_keys(const Backend& backend, std::int64_t n, std::int64_t period, std::int64_t factor, Sort sort) {
  SCOPED_TRACE(testing::Message() << n << " keys of " << sizeof(K) << " bytes");
  const index_within of{period, 0, factor};
  const large_range<K> keys(backend, n, of);
  sort(keys.begin(), keys.end());
  EXPECT_EQ(wrong_items(backend, keys.data(), n, in_order(n, period, of)), 0);
}

// With values that tell which of equal keys came first.
template <class K, class Sort, class Backend>
void check_large_pairs(const Backend& backend, std::int64_t n, std::int64_t period, std::int64_t factor, Sort sort) {
  SCOPED_TRACE(testing::Message() << n << " keys of " << sizeof(K) << " bytes, with values");
  const index_within of{period, 0, factor};
  const large_range<K> keys(backend, n, of);
  const large_range<std::uint8_t> values(backend, n, round_of{period});
  sort(keys.begin(), keys.end(), values.begin());
  EXPECT_EQ(wrong_items(backend, keys.data(), n, in_order(n, period, of)), 0);
  EXPECT_EQ(wrong_items(backend, values.data(), n, in_order(n, period, round_of{period})), 0);
}

}  // namespace test
