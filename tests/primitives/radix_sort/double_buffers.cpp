// SPDX-License-Identifier: Apache-2.0
// Sorts with the caller's second buffers.
#include <onepass/segmented_sort.hpp>

#include <cstdint>
#include <vector>

#include "primitives/radix_sort/sort_fixture.hpp"
#include "support/test.hpp"

namespace {
using key = std::uint32_t;
}  // namespace

// The result is in current(), which is one of the two buffers, for odd and even numbers of passes.
ONEPASS_TEST(radix_sort, double_buffers) {
  for (const std::size_t n : test::few_sizes()) {
    for (const int end_bit : {0, 8, 16, 24, 32}) {
      SCOPED_TRACE(testing::Message() << n << " keys, " << end_bit << " bits");
      onepass::radix_options options;
      options.end_bit = end_bit;
      options.descending = end_bit == 16;
      const std::vector<key> values = test::random_values<key>(n, n);
      const std::vector<double> payload = test::random_values<double>(n, n + 1);
      const std::vector<std::size_t> order = test::sorted_order(values, options.descending, 0, end_bit);
      const test::buffer<key> a(backend, values, 1), b(backend, n);
      onepass::double_buffer<key> keys(a.begin(), b.begin());
      onepass::radix_sort(backend.policy(), keys, static_cast<std::int64_t>(n), options);
      EXPECT_TRUE(keys.current() == a.begin() || keys.current() == b.begin());
      EXPECT_NE(keys.current(), keys.alternate());
      EXPECT_TRUE(test::same((keys.current() == a.begin() ? a : b).to_host(), test::arranged(values, order)));

      const test::buffer<key> c(backend, values), d(backend, n, 1);
      const test::buffer<double> e(backend, payload), f(backend, n);
      onepass::double_buffer<key> pair_keys(c.begin(), d.begin());
      onepass::double_buffer<double> pair_values(e.begin(), f.begin());
      onepass::radix_sort_by_key(backend.policy(), pair_keys, pair_values, static_cast<std::int64_t>(n), options);
      EXPECT_TRUE(test::same((pair_keys.current() == c.begin() ? c : d).to_host(), test::arranged(values, order)));
      EXPECT_TRUE(
          test::identical((pair_values.current() == e.begin() ? e : f).to_host(), test::arranged(payload, order)));
    }
  }
}

// Keys and values of one type, and a size that is not an index_t: with a policy or without, temporary or not.
ONEPASS_TEST(radix_sort, double_buffers_of_one_type) {
  const std::vector<key> values{4, 1, 3, 2}, payload{40, 10, 30, 20};
  const test::buffer<key> a(backend, 4), b(backend, 4), c(backend, 4), d(backend, 4);
  const test::buffer<int> offsets(backend, std::vector<int>{0, 2, 4});
  const auto check = [&](const char* call, const std::vector<key>& keys_after, const std::vector<key>& values_after) {
    EXPECT_TRUE(test::same(a.to_host(), keys_after)) << call;
    EXPECT_TRUE(test::same(c.to_host(), values_after)) << call;
    a.assign(values);
    c.assign(payload);
  };
  a.assign(values);
  c.assign(payload);
  const auto p = backend.policy();
  const onepass::double_buffer<key> keys(a.begin(), b.begin());
  onepass::double_buffer<key> carried(c.begin(), d.begin());
  const auto segments = onepass::offsets(offsets.begin(), offsets.end());
  onepass::radix_sort_by_key(p, keys, carried, 4);
  check("radix_sort_by_key", {1, 2, 3, 4}, {10, 20, 30, 40});
  onepass::radix_sort_by_key(p, keys, carried, std::int64_t{4});
  check("radix_sort_by_key", {1, 2, 3, 4}, {10, 20, 30, 40});
  onepass::radix_sort_by_key(p, onepass::double_buffer<key>(a.begin(), b.begin()),
                             onepass::double_buffer<key>(c.begin(), d.begin()), 4u, onepass::radix_options{true});
  check("radix_sort_by_key, descending", {4, 3, 2, 1}, {40, 30, 20, 10});
  onepass::segmented_sort_by_key(p, keys, carried, 4, segments);
  check("segmented_sort_by_key", {1, 4, 2, 3}, {10, 40, 20, 30});
  if constexpr (!backend_type::on_device) {
    onepass::radix_sort_by_key(keys, carried, 4);
    check("radix_sort_by_key without a policy", {1, 2, 3, 4}, {10, 20, 30, 40});
    onepass::segmented_sort_by_key(keys, carried, 4, segments);
    check("segmented_sort_by_key without a policy", {1, 4, 2, 3}, {10, 40, 20, 30});
    onepass::segmented_sort(keys, 4, segments);
    check("segmented_sort without a policy", {1, 4, 2, 3}, payload);
  }
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::radix_sort_by_key: values overlaps the keys", [&] {
    onepass::radix_sort_by_key(p, keys, onepass::double_buffer<key>(c.begin(), b.begin()), 4);
  }));
}
