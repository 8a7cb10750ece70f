// SPDX-License-Identifier: Apache-2.0
// What the families of compaction have in common: a call that returns the end of its results, or leaves their number.
#pragma once

#include "../support/references.hpp"
#include "ranges.hpp"

namespace fuzz {

using flag_list = std::vector<std::uint8_t>;

// Makes the call by plain(policy...), which returns the number of results, or its form with _async by
// async(count, policy...); and compares the number.
template <bool all_ways, class Plain, class Async>
void run_counted(test_case& c, const execution<all_ways>& e, const std::string& name, texts arguments,
                 std::size_t expected, const Plain& plain, const Async& async) {
  if (c.d.one_in("async", 3)) {
    const count_place count(c);
    arguments.push_back("count");
    c.says(name + "_async", arguments);
    e.run([&](const auto&... policy) { async(count.get(), policy...); });
    count.expect({expected});
  } else {
    c.says(name, arguments);
    std::int64_t results = -1;
    e.run_waiting([&](const auto&... policy) { results = plain(policy...); });
    expect_end(results, expected);
  }
}

template <class T>
std::string last_of(const T& range, std::int64_t n) {
  return range.text() + " + " + number(n);
}
// Room for all items, or for as many as will be written.
inline std::int64_t room_for(test_case& c, const char* name, std::size_t results, std::int64_t n) {
  return c.d.coin(name) ? static_cast<std::int64_t>(results) : n;
}
// Of calls that store something where there are items. With a size in memory these are all that there is room for: an output
// must not be null.
inline std::int64_t room_for_segments(test_case& c, const char* name, std::size_t results, std::int64_t n) {
  return std::max<std::int64_t>(n > 0, room_for(c, name, results, n));
}

}  // namespace fuzz
