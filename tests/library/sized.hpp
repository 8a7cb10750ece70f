// SPDX-License-Identifier: Apache-2.0
// What tests of ranges whose size stands in memory share (execution::sized_by): each call has to do for the room of n items
// what it does for *size items, and to write nothing behind them. Sizes and what the arrays hold are drawn at random.
#pragma once

#include <cstdlib>

#include "library/draw.hpp"

namespace test {

using bytes = std::vector<unsigned char>;

template <class T>
bytes bytes_of(const array<T>& items) {
  const std::vector<T> all = items.items();
  bytes copy(all.size() * sizeof(T));
  if (!all.empty()) std::memcpy(copy.data(), all.data(), copy.size());
  return copy;
}
template <class... Ts>
std::vector<bytes> bytes_of_all(const array<Ts>&... arrays) {
  return {bytes_of(arrays)...};
}

// A size in memory beside the room, and what it comes to.
struct room_and_size {
  std::size_t room, used;
  std::int64_t stated;
};
inline room_and_size drawn_sizes(dice& draw, std::size_t unit = 1) {
  const std::size_t room = (draw.size() + unit - 1) / unit * unit;
  switch (draw.below(6)) {
    case 0: return {room, room, static_cast<std::int64_t>(room)};
    case 1: return {room, room, static_cast<std::int64_t>(room) + 7};  // more than there is room for
    case 2: return {room, 0, -3};
    case 3: return {room, 0, 0};
    default: break;
  }
  const std::size_t used = draw.below(room / unit + 1) * unit;
  return {room, used, static_cast<std::int64_t>(used)};
}

// call(where, n) makes a call for n items with outputs that have the room, and returns all that they hold then.
template <class Call>
void expect_as_many(const library::execution& where, const room_and_size& of, const char* what, Call call) {
  SCOPED_TRACE(testing::Message() << what << ", room " << of.room << ", size " << of.stated);
  const array<std::int64_t> size(where, std::vector<std::int64_t>{of.stated});
  const std::vector<bytes> expected = call(where, of.used), found = call(where.sized_by(size), of.room);
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(expected[i] == found[i]) << "output " << i;
}

template <class Draws>
void in_rounds(Draws draws) {
  const int rounds = std::getenv("ONEPASS_TEST_SMALL") != nullptr ? 3 : 12;
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    dice draw(static_cast<std::uint64_t>(round) + 71);
    draws(draw);
  }
}

}  // namespace test
