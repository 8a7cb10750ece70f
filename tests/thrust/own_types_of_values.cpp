// SPDX-License-Identifier: Apache-2.0
// Sorts whose values have a copy constructor and an assignment of their own and do not stand in a plain array: they go
// through memory without objects.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "own_types.hpp"

namespace {

template <class T>
struct made_of {
  ONEPASS_HOST_DEVICE T operator()(int x) const { return T(x); }
};
template <class T, class Backend>
void check_values_elsewhere(const Backend& backend, int n) {
  SCOPED_TRACE(testing::Message() << n << " pairs of " << sizeof(T) << " bytes");
  std::vector<int> keys, order, starts;
  std::vector<T> values, none(static_cast<std::size_t>(n), T(-5));
  for (int i = 0; i < n; ++i) {
    keys.push_back(static_cast<int>(test::hash(i, 3) % 50));
    values.push_back(T(i));
    order.push_back(i);
  }
  for (int at = 0; at < n; at = 3 * at + 7) starts.push_back(at);
  starts.push_back(n);
  const auto by_key = [&](int a, int b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  };
  std::vector<int> in_segments = order;
  for (std::size_t s = 0; s + 1 < starts.size(); ++s)
    std::stable_sort(in_segments.begin() + starts[s], in_segments.begin() + starts[s + 1], by_key);
  std::stable_sort(order.begin(), order.end(), by_key);

  const auto policy = backend.policy();
  const auto offsets = vector_of(backend, starts);
  auto key = vector_of(backend, keys), sorted_keys = key;
  auto backward = vector_of(backend, std::vector<T>(values.rbegin(), values.rend()));
  const auto in_backward = thrust::make_reverse_iterator(backward.end());
  const auto expect = [&](const char* what, auto& where, bool is_backward, const std::vector<int>& expected) {
    std::vector<int> now = numbers(where);
    if (is_backward) std::reverse(now.begin(), now.end());
    EXPECT_TRUE(test::same(now, expected)) << what;
  };
  onepass::radix_sort_by_key(policy, key.begin(), key.end(), in_backward);
  expect("in place", backward, true, order);

  key = vector_of(backend, keys);
  auto out = vector_of(backend, none);
  const auto made = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), made_of<T>());
  onepass::radix_sort_by_key_copy(policy, key.begin(), key.end(), made, sorted_keys.begin(), out.begin());
  expect("from values that are made", out, false, order);

  const auto plain = vector_of(backend, values);
  out = vector_of(backend, none);
  onepass::radix_sort_by_key_copy(policy, key.begin(), key.end(), plain.begin(), sorted_keys.begin(),
                                  thrust::make_reverse_iterator(out.end()));
  expect("to the reverse", out, true, order);

  backward = vector_of(backend, std::vector<T>(values.rbegin(), values.rend()));
  onepass::segmented_sort_by_key(policy, key.begin(), key.end(), thrust::make_reverse_iterator(backward.end()),
                                 onepass::offsets(offsets.begin(), offsets.end()));
  expect("in segments", backward, true, in_segments);
}
}  // namespace
ONEPASS_TEST(own_types, values_of_sorts_elsewhere) {
  for (const int n : {3, 1000, 30011}) {
    check_values_elsewhere<five_times>(backend, n);
    check_values_elsewhere<only_live>(backend, n);
  }
}
