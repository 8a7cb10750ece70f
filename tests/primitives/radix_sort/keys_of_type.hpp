// SPDX-License-Identifier: Apache-2.0
// The check that every type of key gets: all sizes and orders, ascending and descending, unaligned, alone and with
// values.
#pragma once

#include <onepass/radix_sort.hpp>

#include <cstdint>
#include <vector>

#include "support/references.hpp"
#include "support/test.hpp"

namespace test {

inline onepass::radix_options descending() {
  onepass::radix_options options;
  options.descending = true;
  return options;
}

// Sorts with the options, in place and to other ranges, and compares every bit with a stable sort; the values are the
// keys' positions, so that they show whether equal keys kept their order.
template <class K, class Backend>
void check_sort(const Backend& backend, const std::vector<K>& values, const onepass::radix_options& options) {
  const int end = options.end_bit < 0 ? static_cast<int>(8 * sizeof(K)) : options.end_bit;
  const std::vector<std::size_t> order = sorted_order(values, options.descending, options.begin_bit, end);
  const std::vector<K> expected = arranged(values, order);
  const buffer<K> alone(backend, values, values.size() % 3);
  onepass::radix_sort(backend.policy(), alone.begin(), alone.end(), options);
  EXPECT_TRUE(identical(alone.to_host(), expected)) << "keys alone";

  std::vector<std::uint32_t> positions(values.size());
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::uint32_t>(i);
  const buffer<K> keys(backend, values, values.size() % 2);
  const buffer<std::uint32_t> carried(backend, positions, values.size() % 3);
  onepass::radix_sort_by_key(backend.policy(), keys.begin(), keys.end(), carried.begin(), options);
  EXPECT_TRUE(identical(keys.to_host(), expected)) << "keys with values";
  EXPECT_TRUE(same(carried.to_host(), arranged(positions, order))) << "values";

  alone.assign(values), keys.assign(values), carried.assign(positions);
  const buffer<K> to(backend, values.size(), values.size() % 2), keys_to(backend, values.size());
  const buffer<std::uint32_t> carried_to(backend, values.size(), values.size() % 2);
  onepass::radix_sort_copy(backend.policy(), alone.begin(), alone.end(), to.begin(), options);
  EXPECT_TRUE(identical(to.to_host(), expected)) << "keys alone, to another range";
  EXPECT_TRUE(identical(alone.to_host(), values)) << "the input of keys alone";
  onepass::radix_sort_by_key_copy(backend.policy(), keys.begin(), keys.end(), carried.begin(), keys_to.begin(),
                                  carried_to.begin(), options);
  EXPECT_TRUE(identical(keys_to.to_host(), expected)) << "keys with values, to another range";
  EXPECT_TRUE(same(carried_to.to_host(), arranged(positions, order))) << "values, to another range";
  EXPECT_TRUE(identical(keys.to_host(), values) && same(carried.to_host(), positions)) << "the input of pairs";
  onepass::radix_argsort(backend.policy(), keys.begin(), keys.end(), carried_to.begin(), options);
  EXPECT_TRUE(same(carried_to.to_host(), arranged(positions, order))) << "the sorted order";
  EXPECT_TRUE(identical(keys.to_host(), values)) << "the keys of which it is the order";
}

template <class K, class Backend>
void check_key_type(const Backend& backend) {
  std::size_t which = 0;
  std::vector<std::size_t> all = sizes();
  all.insert(all.end(), {7167, 7168, 7169, 12287, 12288, 12289});  // around what one block sorts
  for (const std::size_t n : all) {
    const pattern p = all_patterns[++which % 6];
    SCOPED_TRACE(testing::Message() << n << " keys, " << name_of(p));
    check_sort(backend, keys<K>(n, n, p), which % 2 == 0 ? onepass::radix_options{} : descending());
  }
  for (const pattern p : all_patterns) {
    SCOPED_TRACE(testing::Message() << name_of(p));
    check_sort(backend, keys<K>(limited(60013), 1, p), {});
    check_sort(backend, keys<K>(limited(60013), 2, p), descending());
  }
}

}  // namespace test
