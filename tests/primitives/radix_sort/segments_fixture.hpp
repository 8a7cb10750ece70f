// SPDX-License-Identifier: Apache-2.0
// What the tests of segmented sorts share: lists of segments, and the check against a stable sort of each.
#pragma once

#include <onepass/segmented_sort.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/references.hpp"
#include "support/test.hpp"

namespace test {

// Segments one behind another, with `gap` items that are in none before each and behind the last one.
struct segment_list {
  std::vector<std::int64_t> begins, ends;
  std::int64_t n = 0;

  explicit segment_list(const std::vector<std::int64_t>& sizes, std::int64_t gap = 0) {
    for (const std::int64_t size : sizes) {
      n += gap;
      begins.push_back(n);
      ends.push_back(n += size);
    }
    n += gap;
  }
  // Where each begins and the last one ends, if there are no gaps.
  std::vector<std::int64_t> offsets() const {
    std::vector<std::int64_t> all = begins;
    all.push_back(n);
    return all;
  }
};

// Which item of the input stands where, when each segment is sorted stably.
template <class K>
std::vector<std::size_t> segmented_order(const std::vector<K>& keys, const segment_list& list,
                                         const onepass::radix_options& options) {
  const int end = options.end_bit < 0 ? static_cast<int>(8 * sizeof(K)) : options.end_bit;
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t s = 0; s < list.begins.size(); ++s) {
    const auto first = keys.begin() + list.begins[s], last = keys.begin() + std::max(list.begins[s], list.ends[s]);
    const auto position = order.begin() + list.begins[s];
    const std::vector<std::size_t> within =
        sorted_order(std::vector<K>(first, last), options.descending, options.begin_bit, end);
    std::transform(within.begin(), within.end(), position,
                   [&](std::size_t i) { return i + static_cast<std::size_t>(list.begins[s]); });
  }
  return order;
}

template <class V>
std::vector<V> numbered(std::size_t n) {
  std::vector<V> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<V>(i);
  return values;
}

template <class K, class Backend>
void check_segments_alone(const Backend& backend, const std::vector<K>& keys, const segment_list& list,
                          const onepass::radix_options& options = {}) {
  const buffer<K> in(backend, keys, keys.size() % 3);
  const buffer<std::int64_t> begins(backend, list.begins), ends(backend, list.ends);
  onepass::segmented_sort(backend.policy(), in.begin(), in.end(),
                          onepass::segments(begins.begin(), begins.end(), ends.begin()), options);
  EXPECT_TRUE(identical(in.to_host(), arranged(keys, segmented_order(keys, list, options)))) << "keys alone";
}

// With values that show where their keys stood.
template <class V, class K, class Backend>
void check_segments_of_pairs(const Backend& backend, const std::vector<K>& keys, const segment_list& list,
                             const onepass::radix_options& options = {}) {
  const std::vector<V> values = numbered<V>(keys.size());
  const buffer<K> in(backend, keys, keys.size() % 2);
  const buffer<V> with(backend, values, keys.size() % 3);
  const buffer<std::int64_t> begins(backend, list.begins), ends(backend, list.ends);
  onepass::segmented_sort_by_key(backend.policy(), in.begin(), in.end(), with.begin(),
                                 onepass::segments(begins.begin(), begins.end(), ends.begin()), options);
  const std::vector<std::size_t> order = segmented_order(keys, list, options);
  EXPECT_TRUE(identical(in.to_host(), arranged(keys, order))) << "keys with values";
  EXPECT_TRUE(same(with.to_host(), arranged(values, order))) << "values";
}

// Sizes around every limit between the ways that a segment may be sorted, in no order: groups of lanes, runs that are merged,
// small and large blocks with and without values, tiles.
inline std::vector<std::int64_t> sizes_at_limits() {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t limit :
       {1, 8, 16, 32, 64, 128, 256, 512, 1024, 1792, 2048, 3584, 4096, 5120, 10240, 11776, 20992}) {
    if (small_only() && limit > 2048) continue;
    for (const std::int64_t size : {limit - 1, limit, limit + 1}) sizes.push_back(size);
  }
  if (small_only()) sizes.insert(sizes.end(), {3000, 20993});
  for (std::size_t i = sizes.size(); i > 1; --i) std::swap(sizes[i - 1], sizes[hash(1, i) % i]);
  return sizes;
}

// The same with so many others that on CUDA not each is sorted by a block.
inline std::vector<std::int64_t> among_many(std::vector<std::int64_t> sizes) {
  sizes.insert(sizes.end(), 1000, 5);
  return sizes;
}

// Many short segments, some of every magnitude up to `most` items.
inline std::vector<std::int64_t> sizes_by_power_law(std::size_t count, std::int64_t most, std::uint64_t seed) {
  std::vector<std::int64_t> sizes(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double u = static_cast<double>(hash(seed, i) >> 11) * 0x1p-53;
    sizes[i] = std::min(most, static_cast<std::int64_t>(1 / (u + 1e-9)) - 1);
  }
  return sizes;
}

}  // namespace test
