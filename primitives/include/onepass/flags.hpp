// SPDX-License-Identifier: Apache-2.0
// onepass/flags.hpp: how a call is told of flags, one an item.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>

#include "config.hpp"

namespace onepass {

// n flags, one an item, from `begin` on: of any random-access iterator whose items convert to bool.
template <class It>
struct flags_of {
  It begin;
};
template <class It>
flags_of<It> flags(It begin) {
  return {begin};
}

namespace detail {

struct bit_of_words {
  const std::uint32_t* words;
  ONEPASS_HOST_DEVICE bool operator()(index_t i) const { return (words[i / 32] >> (i % 32) & 1) != 0; }
};

}  // namespace detail

// An iterator whose item i is bit i % 32 of words[i / 32], the lowest bit being bit 0; for wherever a call takes flags.
// A call on n items reads n bits. `words` is memory of the backend, and has to outlive the calls.
//
//   std::vector<int> x = {1, 1, 1, 1}, y(4);
//   std::vector<std::uint32_t> words = {0b0101};  // items 0 and 2 begin a segment
//   onepass::inclusive_segmented_scan(x.begin(), x.end(), onepass::bits(words.data()), y.begin());  // y = 1 2 1 2
using bit_iterator = thrust::transform_iterator<detail::bit_of_words, thrust::counting_iterator<index_t>, bool, bool>;
inline ONEPASS_HOST_DEVICE bit_iterator bits(const std::uint32_t* words) {
  return bit_iterator(thrust::counting_iterator<index_t>(0), detail::bit_of_words{words});
}

}  // namespace onepass
