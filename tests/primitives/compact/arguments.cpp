// SPDX-License-Identifier: Apache-2.0
// Wrong arguments of the compaction calls, empty ranges, and results that go where the input was.
#include <onepass/compact.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "primitives/compact/fixture.hpp"
#include "support/operators.hpp"

namespace {
using number = std::int32_t;
using error = onepass::invalid_argument;
}  // namespace

ONEPASS_TEST(compact, wrong_ranges_and_null_pointers) {
  const test::compact_fixture<backend_type> f(backend);
  const auto p = backend.policy();
  const test::is_even even;
  number *const first = f.in.begin(), *const last = f.in.end(), *const out = f.out.begin(),
                *const rest = f.rest.begin();
  number* const null = nullptr;
  std::int64_t* const no_count = nullptr;
  const auto refuses = [](const std::string& text, auto call) {
    EXPECT_TRUE(test::throws<error>("onepass::" + text, call));
  };
  refuses("copy_if: last", [&] { onepass::copy_if(p, last, first, out, even); });
  refuses("copy_if: first", [&] { onepass::copy_if(p, null, null + f.n, out, even); });
  refuses("compact: last", [&] { onepass::compact(p, last, first, out, even); });
  refuses("copy_if_async: count", [&] { onepass::copy_if_async(p, first, last, out, even, no_count); });
  refuses("compact_async: count", [&] { onepass::compact_async(p, first, last, out, even, no_count); });
  refuses("remove: last", [&] { onepass::remove(p, last, first, number{2}); });
  refuses("remove_if: last", [&] { onepass::remove_if(p, last, first, even); });
  refuses("remove_if: first", [&] { onepass::remove_if(p, null, null + f.n, even); });
  refuses("remove_copy_if: last", [&] { onepass::remove_copy_if(p, last, first, out, even); });
  refuses("partition: last", [&] { onepass::partition(p, last, first, even); });
  refuses("stable_partition: first", [&] { onepass::stable_partition(p, null, null + f.n, even); });
  refuses("stable_partition_async: count", [&] { onepass::stable_partition_async(p, first, last, even, no_count); });
  refuses("unique: last", [&] { onepass::unique(p, last, first); });
  refuses("unique_copy: out", [&] { onepass::unique_copy(p, first, last, null); });
  refuses("unique_by_key: last", [&] { onepass::unique_by_key(p, last, first, f.in_payload.begin()); });
  refuses("unique_by_key: values", [&] { onepass::unique_by_key(p, first, last, null); });
  refuses("unique_by_key_copy: ",
          [&] { onepass::unique_by_key_copy(p, first, last, f.in_payload.begin(), null, rest); });
  EXPECT_TRUE(f.out.untouched() && f.rest.untouched() && f.count.untouched()) << "written before the exception";
  EXPECT_TRUE(test::same(f.in.to_host(), f.values)) << "written before the exception";
}

// A stencil is read wherever the input is.
ONEPASS_TEST(compact, null_stencils) {
  const test::compact_fixture<backend_type> f(backend);
  const auto p = backend.policy();
  const std::uint8_t* const null = nullptr;
  const test::is_set set;
  const auto refuses = [](const std::string& text, auto call) {
    EXPECT_TRUE(test::throws<error>("onepass::" + text, call));
  };
  refuses("copy_if: stencil", [&] { onepass::copy_if(p, f.in.begin(), f.in.end(), null, f.out.begin(), set); });
  refuses("compact: flags",
          [&] { onepass::compact(p, f.in.begin(), f.in.end(), onepass::flags(null), f.out.begin()); });
  refuses("remove_if: stencil", [&] { onepass::remove_if(p, f.in.begin(), f.in.end(), null, set); });
  EXPECT_TRUE(f.out.untouched());
}

// Copies to where the input is.
ONEPASS_TEST(compact, in_place) {
  const test::compact_fixture<backend_type> f(backend, test::limited(200003));
  const auto p = backend.policy();
  f.expect("copy_if", onepass::copy_if(p, f.in.begin(), f.in.end(), f.in.begin(), test::is_even{}), f.in,
           test::kept(f.values, test::flags_of(f.values, test::is_even{})));
  f.reset();
  f.expect("compact", onepass::compact(p, f.in.begin(), f.in.end(), onepass::flags(f.flags.begin()), f.in.begin()),
           f.in, test::kept(f.values, f.flag_values));
}

ONEPASS_TEST(compact, empty_range) {
  const test::buffer<number> out(backend, 10), rest(backend, 10);
  const test::buffer<std::int64_t> count(backend, 1);
  number* const null = nullptr;
  const auto p = backend.policy();
  const test::is_even even;
  EXPECT_EQ(onepass::copy_if(p, null, null, out.begin(), even), out.begin());
  EXPECT_EQ(onepass::compact(p, null, null, onepass::flags(null), out.begin()), out.begin());
  EXPECT_EQ(onepass::remove(p, null, null, number{1}), null);
  EXPECT_EQ(onepass::stable_partition(p, null, null, even), null);
  EXPECT_EQ(onepass::partition_copy(p, null, null, out.begin(), rest.begin(), even).second, rest.begin());
  EXPECT_EQ(onepass::unique(p, null, null), null);
  EXPECT_EQ(onepass::unique_by_key(p, null, null, null).second, null);
  const auto left_zero = [&](const char* call) {
    EXPECT_EQ(count.to_host()[0], 0) << call;
    count.poison_all();
  };
  onepass::copy_if_async(p, null, null, out.begin(), even, count.begin());
  left_zero("copy_if_async");
  onepass::stable_partition_async(p, null, null, even, count.begin());
  left_zero("stable_partition_async");
  onepass::unique_async(p, null, null, count.begin());
  left_zero("unique_async");
  EXPECT_TRUE(out.untouched() && rest.untouched());
}
