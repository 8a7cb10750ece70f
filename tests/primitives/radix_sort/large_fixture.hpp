// SPDX-License-Identifier: Apache-2.0
// Keys that count up to a period again and again: where a stable sort puts each of them has a closed form.
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

}  // namespace test
