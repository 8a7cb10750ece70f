// SPDX-License-Identifier: Apache-2.0
// Every overload of the scans, with every policy and with none; types that differ between input, initial value and
// output; wrong arguments.
#include <onepass/scan.hpp>

#include <thrust/memory.h>

#include <cstdint>
#include <vector>

#include "support/operators.hpp"
#include "support/policies.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

using number = std::int32_t;

// Input and output, the check of the latter, and what each overload must give.
template <class Backend>
struct fixture {
  explicit fixture(const Backend& backend)
      : values(test::random_between<number>(test::limited(30011), 1, -1000, 1000)),
        in(backend, values, 1),
        out(backend, values.size()) {}

  template <class Iterator>
  void expect(const char* overload, Iterator end, const std::vector<number>& expected) const {
    EXPECT_EQ(thrust::raw_pointer_cast(end), out.end()) << overload;
    EXPECT_TRUE(test::same(out.to_host(), expected)) << overload;
    out.poison_all();
  }
  std::vector<number> mapped() const {
    std::vector<number> result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) result[i] = -values[i];
    return result;
  }

  std::vector<number> values;
  test::buffer<number> in, out;
};

// `policy...` is a policy or nothing; `tag` turns pointers into the iterators of the call.
template <class Fixture, class Tag, class... Policy>
void check_overloads(const Fixture& f, Tag tag, const Policy&... p) {
  const auto first = tag(f.in.begin()), last = tag(f.in.end()), out = tag(f.out.begin());
  const onepass::sum sum;
  const onepass::maximum maximum;
  const test::negate negate;
  const std::vector<number>&in = f.values, mapped = f.mapped();
  const auto inclusive = [](const auto& values, auto... more) {
    return test::inclusive_reference<number>(values, more...);
  };
  const auto exclusive = [](const auto& values, auto op, number init) {
    return test::exclusive_reference<number>(values, op, init);
  };
  f.expect("inclusive", onepass::inclusive_scan(p..., first, last, out), inclusive(in, sum));
  f.expect("inclusive, op", onepass::inclusive_scan(p..., first, last, out, maximum), inclusive(in, maximum));
  f.expect("inclusive, init, op", onepass::inclusive_scan(p..., first, last, out, number{9}, maximum),
           inclusive(in, maximum, number{9}));
  f.expect("exclusive", onepass::exclusive_scan(p..., first, last, out), exclusive(in, sum, 0));
  f.expect("exclusive, init", onepass::exclusive_scan(p..., first, last, out, number{-5}), exclusive(in, sum, -5));
  f.expect("exclusive, init, op", onepass::exclusive_scan(p..., first, last, out, number{3}, maximum),
           exclusive(in, maximum, 3));
  f.expect("transform inclusive", onepass::transform_inclusive_scan(p..., first, last, out, negate, maximum),
           inclusive(mapped, maximum));
  f.expect("transform inclusive, init",
           onepass::transform_inclusive_scan(p..., first, last, out, negate, number{7}, maximum),
           inclusive(mapped, maximum, number{7}));
  f.expect("transform exclusive", onepass::transform_exclusive_scan(p..., first, last, out, negate, number{7}, maximum),
           exclusive(mapped, maximum, 7));
}

}  // namespace

ONEPASS_TEST(scan, every_overload_and_policy) {
  const fixture<backend_type> f(backend);
  test::for_each_policy(backend, [&](const auto& policy, const char* name) {
    SCOPED_TRACE(name);
    check_overloads(
        f, [](auto* pointer) { return pointer; }, policy);
  });
}

ONEPASS_TEST(scan, every_overload_without_policy) {
  check_overloads(fixture<backend_type>(backend), [](auto* pointer) { return backend_type::tagged(pointer); });
}

// Narrow integers add up in int, as std::plus<> does it; an initial value widens the sum to its type.
ONEPASS_TEST(scan, wider_output_and_initial_value) {
  const std::vector<std::int8_t> values = test::random_values<std::int8_t>(test::limited(100003), 2);
  const test::buffer<std::int8_t> in(backend, values);
  const test::buffer<std::int32_t> sums(backend, values.size());
  onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), sums.begin());
  EXPECT_TRUE(test::same(sums.to_host(), test::inclusive_reference<std::int32_t>(values, onepass::sum{})));
  const test::buffer<std::int64_t> wide(backend, values.size());
  const std::int64_t init = std::int64_t{1} << 40;
  onepass::exclusive_scan(backend.policy(), in.begin(), in.end(), wide.begin(), init);
  EXPECT_TRUE(test::same(wide.to_host(), test::exclusive_reference<std::int64_t>(values, onepass::sum{}, init)));
}

ONEPASS_TEST(scan, wrong_arguments) {
  const std::size_t n = 1000;
  const test::buffer<number> in(backend, test::random_between<number>(n, 3, 0, 9)), out(backend, n);
  number* const null = nullptr;
  const auto p = backend.policy();
  using error = onepass::invalid_argument;
  const onepass::sum sum;
  const test::negate negate;
  EXPECT_TRUE(test::throws<error>("onepass::inclusive_scan: last",
                                  [&] { onepass::inclusive_scan(p, in.end(), in.begin(), out.begin()); }));
  EXPECT_TRUE(test::throws<error>("onepass::exclusive_scan: last",
                                  [&] { onepass::exclusive_scan(p, in.end(), in.begin(), out.begin()); }));
  EXPECT_TRUE(test::throws<error>("onepass::inclusive_scan: first",
                                  [&] { onepass::inclusive_scan(p, null, null + n, out.begin()); }));
  EXPECT_TRUE(test::throws<error>("onepass::inclusive_scan: out",
                                  [&] { onepass::inclusive_scan(p, in.begin(), in.end(), null); }));
  EXPECT_TRUE(test::throws<error>("onepass::exclusive_scan: out",
                                  [&] { onepass::exclusive_scan(p, in.begin(), in.end(), null, number{1}, sum); }));
  EXPECT_TRUE(test::throws<error>("onepass::transform_inclusive_scan: out", [&] {
    onepass::transform_inclusive_scan(p, in.begin(), in.end(), null, negate, sum);
  }));
  EXPECT_TRUE(test::throws<error>("onepass::transform_exclusive_scan: last", [&] {
    onepass::transform_exclusive_scan(p, in.end(), in.begin(), out.begin(), negate, number{1}, sum);
  }));
  // Ranges that overlap elsewhere than at their starts: a later tile would read what an earlier one wrote.
  const std::vector<number> before = in.to_host();
  EXPECT_TRUE(test::throws<error>("onepass::inclusive_scan: out overlaps",
                                  [&] { onepass::inclusive_scan(p, in.begin(), in.end() - 1, in.begin() + 1); }));
  EXPECT_TRUE(test::throws<error>("onepass::exclusive_scan: out overlaps",
                                  [&] { onepass::exclusive_scan(p, in.begin() + 1, in.end(), in.begin()); }));
  EXPECT_TRUE(test::same(in.to_host(), before)) << "written before the exception";
  EXPECT_TRUE(out.untouched()) << "written before the exception";
}

// No items: nothing is read or written, and null pointers are all right.
ONEPASS_TEST(scan, empty_range) {
  const test::buffer<number> out(backend, 10);
  number* const null = nullptr;
  const auto p = backend.policy();
  EXPECT_EQ(onepass::inclusive_scan(p, null, null, null), null);
  EXPECT_EQ(onepass::inclusive_scan(p, null, null, out.begin()), out.begin());
  EXPECT_EQ(onepass::exclusive_scan(p, null, null, out.begin(), number{1}), out.begin());
  EXPECT_EQ(onepass::inclusive_scan(p, null, null, out.begin(), number{1}, onepass::sum{}), out.begin());
  EXPECT_TRUE(out.untouched());
}
