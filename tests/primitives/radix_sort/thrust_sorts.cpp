// SPDX-License-Identifier: Apache-2.0
// Thrust's sort, stable_sort and their forms by key for arithmetic keys by less and greater, with every policy and with
// none.
#include <onepass/radix_sort.hpp>
#include <onepass/sort.hpp>

#include <thrust/functional.h>

#include <functional>

#include "primitives/radix_sort/sort_fixture.hpp"
#include "support/policies.hpp"

namespace {

using key = std::int32_t;

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

}  // namespace

ONEPASS_TEST(sort, every_overload_and_policy) {
  const test::sort_fixture<backend_type> f(backend);
  test::for_each_policy(backend, [&](const auto& policy, const char* name) {
    SCOPED_TRACE(name);
    check_sorts(
        f, [](auto* pointer) { return pointer; }, policy);
  });
}

ONEPASS_TEST(sort, every_overload_without_policy) {
  const test::sort_fixture<backend_type> f(backend);
  check_sorts(f, [](auto* pointer) { return backend_type::tagged(pointer); });
}
