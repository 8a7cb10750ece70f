// SPDX-License-Identifier: Apache-2.0
// Thrust's sort, stable_sort and their forms by key, with every policy and with none: arithmetic keys by less and
// greater, and what is handed over to Thrust (other comparators, other keys).
#include <onepass/radix_sort.hpp>
#include <onepass/scan.hpp>

#include <thrust/functional.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/operators.hpp"
#include "support/policies.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

using key = std::int32_t;

template <class Backend>
struct fixture {
  explicit fixture(const Backend& backend)
      : values(test::random_between<key>(20011, 1, 0, 5000)),
        keys(backend, values, 1),
        carried(backend, values.size()) {
    reset();
  }
  void reset() const {
    keys.assign(values);
    std::vector<std::uint32_t> positions(values.size());
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::uint32_t>(i);
    carried.assign(positions);
  }
  template <class Comp>
  std::vector<std::size_t> order(Comp comp) const {
    std::vector<std::size_t> result(values.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = i;
    std::stable_sort(result.begin(), result.end(),
                     [&](std::size_t a, std::size_t b) { return comp(values[a], values[b]); });
    return result;
  }
  // The keys are in comp's order, and with `carries` the values have gone with them, equal keys in their order.
  template <class Comp>
  void expect(const char* call, Comp comp, bool carries) const {
    const std::vector<std::size_t> expected = order(comp);
    EXPECT_TRUE(test::same(keys.to_host(), test::arranged(values, expected))) << call;
    if (carries) {
      const std::vector<std::uint32_t> positions(expected.begin(), expected.end());
      EXPECT_TRUE(test::same(carried.to_host(), positions)) << call;
    }
    reset();
  }

  std::vector<key> values;
  test::buffer<key> keys;
  test::buffer<std::uint32_t> carried;
};

template <class Fixture, class Tag, class... Policy>
void check_sorts(const Fixture& f, Tag tag, const Policy&... policy) {
  const auto first = tag(f.keys.begin()), last = tag(f.keys.end());
  const auto values = tag(f.carried.begin());
  const std::less<key> less;
  const std::greater<key> greater;
  onepass::sort(policy..., first, last);
  f.expect("sort", less, false);
  onepass::sort(policy..., first, last, thrust::greater<key>());
  f.expect("sort, greater", greater, false);
  onepass::stable_sort(policy..., first, last);
  f.expect("stable_sort", less, false);
  onepass::stable_sort(policy..., first, last, thrust::less<key>());
  f.expect("stable_sort, less", less, false);
  onepass::sort_by_key(policy..., first, last, values);
  f.expect("sort_by_key", less, true);
  onepass::sort_by_key(policy..., first, last, values, std::less<>());
  f.expect("sort_by_key, less", less, true);
  onepass::stable_sort_by_key(policy..., first, last, values);
  f.expect("stable_sort_by_key", less, true);
  onepass::stable_sort_by_key(policy..., first, last, values, std::greater<>());
  f.expect("stable_sort_by_key, greater", greater, true);
}

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

// Thrust's OpenMP sort exists only where the compiler is told of OpenMP.
#if defined(_OPENMP)
template <class Policy>
constexpr bool thrust_can_sort = true;
#else
template <class Policy>
constexpr bool thrust_can_sort = !std::is_same_v<Policy, std::decay_t<decltype(thrust::omp::par)>>;
#endif

struct less_first {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& x, const T& y) const {
    return x.a < y.a;
  }
};

}  // namespace

ONEPASS_TEST(sort, every_overload_and_policy) {
  const fixture<backend_type> f(backend);
  test::for_each_policy(backend, [&](const auto& policy, const char* name) {
    SCOPED_TRACE(name);
    const auto pointers = [](auto* pointer) { return pointer; };
    check_sorts(f, pointers, policy);
    if constexpr (thrust_can_sort<std::decay_t<decltype(policy)>>) check_own_comparator(f, pointers, policy);
  });
}

ONEPASS_TEST(sort, every_overload_without_policy) {
  const fixture<backend_type> f(backend);
  const auto tagged = [](auto* pointer) { return backend_type::tagged(pointer); };
  check_sorts(f, tagged);
  check_own_comparator(f, tagged);
}

// Keys that have no digits but an order.
ONEPASS_TEST(sort, keys_of_24_bytes) {
  std::vector<test::triple> values = test::random_values<test::triple>(test::limited(20011), 2);
  const test::buffer<test::triple> keys(backend, values);
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
