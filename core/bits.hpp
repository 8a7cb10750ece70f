// SPDX-License-Identifier: Apache-2.0
// Flags packed in words, as an iterator over bools.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "iterator.hpp"

namespace onepass {
namespace detail {

struct bit_of_words {
  const std::uint32_t* words;
  ONEPASS_HOST_DEVICE bool operator()(index_t i) const { return (words[i / 32] >> (i % 32) & 1) != 0; }
};

}  // namespace detail

// Bit i of 32-bit words, lowest first: wherever a call takes flags. An eighth of a byte an item is read.
//   onepass::inclusive_segmented_scan(first, last, onepass::bits(words), out);
using bit_iterator = thrust::transform_iterator<detail::bit_of_words, thrust::counting_iterator<index_t>, bool, bool>;
inline ONEPASS_HOST_DEVICE bit_iterator bits(const std::uint32_t* words) {
  return bit_iterator(thrust::counting_iterator<index_t>(0), detail::bit_of_words{words});
}

namespace detail {

// `count` bits from bit i on, lowest first; count is 32 at most. Reads no word that has none of them.
ONEPASS_HOST_DEVICE inline std::uint32_t bits_from(const std::uint32_t* words, index_t i, int count) {
  const auto shift = static_cast<unsigned>(i % 32);
  std::uint64_t both = words[i / 32];
  if (shift + static_cast<unsigned>(count) > 32) both |= std::uint64_t{words[i / 32 + 1]} << 32;
  return static_cast<std::uint32_t>(both >> shift);
}

}  // namespace detail
}  // namespace onepass
