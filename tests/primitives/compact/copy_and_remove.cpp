// SPDX-License-Identifier: Apache-2.0
// Every overload of compact, copy_if and the remove family, waiting and not, with every policy and with none.
#include <onepass/compact.hpp>

#include <cstdint>
#include <vector>

#include "primitives/compact/fixture.hpp"
#include "support/operators.hpp"
#include "support/policies.hpp"

namespace {

using number = std::int32_t;

// `policy...` is a policy or nothing; `tag` turns pointers into the iterators of the call.
template <class Fixture, class Tag, class... Policy>
void check_copies(const Fixture& f, Tag tag, const Policy&... policy) {
  const auto first = tag(f.in.begin()), last = tag(f.in.end()), out = tag(f.out.begin());
  const auto flags = tag(f.flags.begin());
  const test::is_even even;
  const test::is_set set;
  std::int64_t* const count = f.count.begin();
  const std::vector<std::uint8_t> evens = test::flags_of(f.values, even);
  const std::vector<number> by_value = test::kept(f.values, evens), by_flag = test::kept(f.values, f.flag_values);
  const auto expect = [&](const char* call, auto end, const std::vector<number>& expected) {
    f.expect(call, end, f.out, expected);
    f.reset();
  };
  expect("copy_if", onepass::copy_if(policy..., first, last, out, even), by_value);
  expect("copy_if, stencil", onepass::copy_if(policy..., first, last, flags, out, set), by_flag);
  expect("compact", onepass::compact(policy..., first, last, out, even), by_value);
  expect("compact, flags", onepass::compact(policy..., first, last, onepass::flags(flags), out), by_flag);
  onepass::copy_if_async(policy..., first, last, out, even, count);
  f.expect_async("copy_if_async", f.out, by_value);
  onepass::copy_if_async(policy..., first, last, flags, out, set, count);
  f.expect_async("copy_if_async, stencil", f.out, by_flag);
  onepass::compact_async(policy..., first, last, out, even, count);
  f.expect_async("compact_async", f.out, by_value);
  onepass::compact_async(policy..., first, last, onepass::flags(flags), out, count);
  f.expect_async("compact_async, flags", f.out, by_flag);
}

template <class Fixture, class Tag, class... Policy>
void check_removals(const Fixture& f, Tag tag, const Policy&... policy) {
  const auto first = tag(f.in.begin()), last = tag(f.in.end()), out = tag(f.out.begin());
  const auto flags = tag(f.flags.begin());
  const test::is_even even;
  const test::is_set set;
  std::int64_t* const count = f.count.begin();
  const number two = 2;
  std::vector<std::uint8_t> twos(f.n);
  for (std::size_t i = 0; i < f.n; ++i) twos[i] = f.values[i] == two;
  const std::vector<number> odd = test::kept(f.values, test::flags_of(f.values, even), false);
  const std::vector<number> unset = test::kept(f.values, f.flag_values, false),
                            not_two = test::kept(f.values, twos, false);
  const auto expect = [&](const char* call, auto end, const test::buffer<number>& to,
                          const std::vector<number>& expected) {
    f.expect(call, end, to, expected);
    f.reset();
  };
  expect("remove", onepass::remove(policy..., first, last, two), f.in, not_two);
  expect("remove_if", onepass::remove_if(policy..., first, last, even), f.in, odd);
  expect("remove_if, stencil", onepass::remove_if(policy..., first, last, flags, set), f.in, unset);
  expect("remove_copy", onepass::remove_copy(policy..., first, last, out, two), f.out, not_two);
  expect("remove_copy_if", onepass::remove_copy_if(policy..., first, last, out, even), f.out, odd);
  expect("remove_copy_if, stencil", onepass::remove_copy_if(policy..., first, last, flags, out, set), f.out, unset);
  onepass::remove_async(policy..., first, last, two, count);
  f.expect_async("remove_async", f.in, not_two);
  onepass::remove_if_async(policy..., first, last, even, count);
  f.expect_async("remove_if_async", f.in, odd);
  onepass::remove_if_async(policy..., first, last, flags, set, count);
  f.expect_async("remove_if_async, stencil", f.in, unset);
  onepass::remove_copy_async(policy..., first, last, out, two, count);
  f.expect_async("remove_copy_async", f.out, not_two);
  onepass::remove_copy_if_async(policy..., first, last, out, even, count);
  f.expect_async("remove_copy_if_async", f.out, odd);
  onepass::remove_copy_if_async(policy..., first, last, flags, out, set, count);
  f.expect_async("remove_copy_if_async, stencil", f.out, unset);
}

}  // namespace

ONEPASS_TEST(compact, every_copy_and_policy) {
  const test::compact_fixture<backend_type> f(backend);
  test::for_each_policy(backend, [&](const auto& policy, const char* name) {
    SCOPED_TRACE(name);
    check_copies(
        f, [](auto* pointer) { return pointer; }, policy);
  });
}

ONEPASS_TEST(compact, every_copy_without_policy) {
  check_copies(test::compact_fixture<backend_type>(backend),
               [](auto* pointer) { return backend_type::tagged(pointer); });
}

ONEPASS_TEST(compact, every_removal_and_policy) {
  const test::compact_fixture<backend_type> f(backend);
  test::for_each_policy(backend, [&](const auto& policy, const char* name) {
    SCOPED_TRACE(name);
    check_removals(
        f, [](auto* pointer) { return pointer; }, policy);
  });
}

ONEPASS_TEST(compact, every_removal_without_policy) {
  check_removals(test::compact_fixture<backend_type>(backend),
                 [](auto* pointer) { return backend_type::tagged(pointer); });
}

// The value to remove may be an item of the range itself, which in place is overwritten.
ONEPASS_CPU_TEST(compact, remove_by_reference_to_an_item) {
  std::vector<number> values = test::random_between<number>(test::limited(50021), 4, 0, 3);
  values[3] = 2;
  const std::vector<number> before = values;
  values.erase(onepass::remove(backend.policy(), values.begin(), values.end(), values[3]), values.end());
  std::vector<std::uint8_t> twos(before.size());
  for (std::size_t i = 0; i < before.size(); ++i) twos[i] = before[i] == 2;
  EXPECT_TRUE(test::same(values, test::kept(before, twos, false)));
}
