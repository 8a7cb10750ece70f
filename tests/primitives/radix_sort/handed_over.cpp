// SPDX-License-Identifier: Apache-2.0
// Sorts that have no digits to go by, which Thrust does: comparators of the caller's, keys that are no numbers.
#include <onepass/radix_sort.hpp>
#include <onepass/scan.hpp>
#include <onepass/sort.hpp>

#include <string>

#include "primitives/radix_sort/sort_fixture.hpp"
#include "support/operators.hpp"
#include "support/policies.hpp"

namespace {

using key = std::int32_t;

// A comparator of the caller's, for which many keys are equal: the order within them shows that the sort is stable.
template <class Fixture, class Tag, class... Policy>
void check_own_comparator(const Fixture& f, Tag tag, const Policy&... policy) {
  const auto first = tag(f.keys.begin()), last = tag(f.keys.end());
  const auto values = tag(f.carried.begin());
  onepass::stable_sort(policy..., first, last, test::less_tens());
  f.expect("stable_sort, tens", test::less_tens(), false);
  onepass::stable_sort_by_key(policy..., first, last, values, test::less_tens());
  f.expect("stable_sort_by_key, tens", test::less_tens(), true);
}

struct less_first {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& x, const T& y) const {
    return x.a < y.a;
  }
};

}  // namespace

ONEPASS_TEST(sort, own_comparator) {
  const test::sort_fixture<backend_type> f(backend);
  const auto pointers = [](auto* pointer) { return pointer; };
  check_own_comparator(f, pointers, backend.policy());
  if constexpr (backend_type::on_device) check_own_comparator(f, pointers, thrust::device);
  else check_own_comparator(f, pointers, thrust::seq);
}

ONEPASS_TEST(sort, own_comparator_without_policy) {
  const test::sort_fixture<backend_type> f(backend);
  onepass::stable_sort(backend_type::tagged(f.keys.begin()), backend_type::tagged(f.keys.end()), test::less_tens());
  f.expect("stable_sort, tens", test::less_tens(), false);
}

namespace {
// Thrust, which sorts such keys, takes their addresses by &.
struct key_of_24_bytes : test::triple {
  ONEPASS_HOST_DEVICE key_of_24_bytes* operator&() { return this; }
  ONEPASS_HOST_DEVICE const key_of_24_bytes* operator&() const { return this; }
};
}  // namespace

// Keys that have no digits but an order.
ONEPASS_TEST(sort, keys_of_24_bytes) {
  std::vector<key_of_24_bytes> values;
  for (const test::triple& key : test::random_values<test::triple>(test::limited(20011), 2)) values.push_back({key});
  const test::buffer<key_of_24_bytes> keys(backend, values);
  onepass::sort(backend.policy(), keys.begin(), keys.end());
  std::sort(values.begin(), values.end());
  EXPECT_TRUE(test::same(keys.to_host(), values));
}

// Keys of a type of onepass's own, handed over to Thrust: the call must not come back to onepass by argument-dependent
// look-up and go round for ever.
ONEPASS_TEST(sort, keys_of_a_type_of_the_library) {
  using map = onepass::affine_map<std::uint32_t>;
  const std::size_t n = test::limited(20011);
  std::vector<map> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = {static_cast<std::uint32_t>(test::hash(3, i) % 100), static_cast<std::uint32_t>(i)};
  const test::buffer<map> keys(backend, values);
  onepass::stable_sort(backend.policy(), keys.begin(), keys.end(), less_first());
  std::stable_sort(values.begin(), values.end(), less_first());
  const std::vector<map> result = keys.to_host();
  EXPECT_TRUE(std::equal(result.begin(), result.end(), values.begin()));

  const std::vector<key> numbers = test::random_values<key>(n, 4);
  const test::buffer<key> number_keys(backend, numbers);
  const test::buffer<map> carried(backend, values);
  onepass::stable_sort_by_key(backend.policy(), number_keys.begin(), number_keys.end(), carried.begin(),
                              test::less_tens());
  std::vector<key> expected = numbers;
  std::stable_sort(expected.begin(), expected.end(), test::less_tens());
  EXPECT_TRUE(test::same(number_keys.to_host(), expected));
}

ONEPASS_CPU_TEST(sort, strings) {
  std::vector<std::string> words(5003);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = std::to_string(test::hash(5, i));
  std::vector<std::string> expected = words;
  onepass::sort(words.begin(), words.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_TRUE(test::same(words, expected));
}

ONEPASS_CPU_TEST(sort, throwing_comparator) {
  std::vector<std::int64_t> values = test::random_between<std::int64_t>(test::limited(20011), 6, 0, 1000);
  values[5000] = test::refused_value;
  EXPECT_TRUE(test::throws<test::refusal>(
      "refused", [&] { onepass::sort(backend.policy(), values.begin(), values.end(), test::throwing_less()); }));
  values = test::random_between<std::int64_t>(test::limited(20011), 7, 0, 1000);
  onepass::sort(backend.policy(), values.begin(), values.end());
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
}
