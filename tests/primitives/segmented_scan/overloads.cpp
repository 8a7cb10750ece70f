// SPDX-License-Identifier: Apache-2.0
// Every overload of the segmented scans, with every policy and with none; wrong arguments; empty ranges.
#include <onepass/segmented_scan.hpp>

#include <cstdint>
#include <vector>

#include "support/operators.hpp"
#include "support/policies.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

using number = std::uint32_t;

// Keys whose tens are what tells segments apart, so that == gives other segments than the test's own equality.
template <class Backend>
struct fixture {
  static constexpr std::size_t most = 20011;
  explicit fixture(const Backend& backend)
      : n(most),
        key_values(test::random_between<std::int32_t>(n, 1, 1, 12)),
        values(test::random_values<number>(n, 2)),
        flag_values(test::random_flags(n, 3, 0.05)),
        offset_values(test::segment_starts(n, 4, 30)),
        keys(backend, key_values),
        in(backend, values, 1),
        flags(backend, flag_values),
        offsets(backend, offset_values),
        out(backend, n) {}

  template <class Iterator>
  void expect(const char* overload, Iterator end, const std::vector<number>& expected) const {
    EXPECT_EQ(thrust::raw_pointer_cast(end), out.end()) << overload;
    EXPECT_TRUE(test::same(out.to_host(), expected)) << overload;
    out.poison_all();
  }
  template <class Op>
  std::vector<number> inclusive(const std::vector<std::uint8_t>& heads, Op op) const {
    return test::inclusive_segmented_reference(values, heads, op);
  }
  template <class Op>
  std::vector<number> exclusive(const std::vector<std::uint8_t>& heads, number init, Op op) const {
    return test::exclusive_segmented_reference(values, heads, init, op);
  }

  std::size_t n;
  std::vector<std::int32_t> key_values;
  std::vector<number> values;
  std::vector<std::uint8_t> flag_values;
  std::vector<std::int64_t> offset_values;
  test::buffer<std::int32_t> keys;
  test::buffer<number> in;
  test::buffer<std::uint8_t> flags;
  test::buffer<std::int64_t> offsets;
  test::buffer<number> out;
};

// `policy...` is a policy or nothing; `tag` turns pointers into the iterators of the call.
template <class Fixture, class Tag, class... Policy>
void check_overloads(const Fixture& f, Tag tag, const Policy&... policy) {
  const auto keys = tag(f.keys.begin()), last_key = tag(f.keys.end());
  const auto in = tag(f.in.begin()), last = tag(f.in.end()), out = tag(f.out.begin());
  const auto flags = tag(f.flags.begin());
  const auto offsets = onepass::offsets(tag(f.offsets.begin()), tag(f.offsets.end()));
  const onepass::sum sum;
  const onepass::maximum maximum;
  const std::vector<std::uint8_t> by_key = test::heads_of_keys(f.key_values);
  const std::vector<std::uint8_t> by_tens = test::heads_of_keys(f.key_values, test::same_tens{});
  const std::vector<std::uint8_t>& by_flag = f.flag_values;
  const std::vector<std::uint8_t> by_offset = test::heads_of_offsets(f.offset_values, f.n);
  const test::same_tens tens;
  namespace op = onepass;
  f.expect("inclusive by key", op::inclusive_scan_by_key(policy..., keys, last_key, in, out), f.inclusive(by_key, sum));
  f.expect("inclusive by key, equal", op::inclusive_scan_by_key(policy..., keys, last_key, in, out, tens),
           f.inclusive(by_tens, sum));
  f.expect("inclusive by key, equal, op", op::inclusive_scan_by_key(policy..., keys, last_key, in, out, tens, maximum),
           f.inclusive(by_tens, maximum));
  f.expect("exclusive by key", op::exclusive_scan_by_key(policy..., keys, last_key, in, out),
           f.exclusive(by_key, 0, sum));
  f.expect("exclusive by key, init", op::exclusive_scan_by_key(policy..., keys, last_key, in, out, number{4}),
           f.exclusive(by_key, 4, sum));
  f.expect("exclusive by key, init, equal",
           op::exclusive_scan_by_key(policy..., keys, last_key, in, out, number{5}, tens),
           f.exclusive(by_tens, 5, sum));
  f.expect("exclusive by key, init, equal, op",
           op::exclusive_scan_by_key(policy..., keys, last_key, in, out, number{6}, tens, maximum),
           f.exclusive(by_tens, 6, maximum));
  f.expect("inclusive by flag", op::inclusive_segmented_scan(policy..., in, last, flags, out),
           f.inclusive(by_flag, sum));
  f.expect("inclusive by flag, op", op::inclusive_segmented_scan(policy..., in, last, flags, out, maximum),
           f.inclusive(by_flag, maximum));
  f.expect("exclusive by flag", op::exclusive_segmented_scan(policy..., in, last, flags, out),
           f.exclusive(by_flag, 0, sum));
  f.expect("exclusive by flag, init", op::exclusive_segmented_scan(policy..., in, last, flags, out, number{7}),
           f.exclusive(by_flag, 7, sum));
  f.expect("exclusive by flag, init, op",
           op::exclusive_segmented_scan(policy..., in, last, flags, out, number{8}, maximum),
           f.exclusive(by_flag, 8, maximum));
  f.expect("inclusive by offset", op::inclusive_segmented_scan(policy..., in, last, offsets, out),
           f.inclusive(by_offset, sum));
  f.expect("inclusive by offset, op", op::inclusive_segmented_scan(policy..., in, last, offsets, out, maximum),
           f.inclusive(by_offset, maximum));
  f.expect("exclusive by offset", op::exclusive_segmented_scan(policy..., in, last, offsets, out),
           f.exclusive(by_offset, 0, sum));
  f.expect("exclusive by offset, init", op::exclusive_segmented_scan(policy..., in, last, offsets, out, number{9}),
           f.exclusive(by_offset, 9, sum));
  f.expect("exclusive by offset, init, op",
           op::exclusive_segmented_scan(policy..., in, last, offsets, out, number{1}, maximum),
           f.exclusive(by_offset, 1, maximum));
  std::vector<std::uint8_t> by_row(f.n), by_column(f.n);
  for (std::size_t i = 0; i < f.n; ++i) by_row[i] = i % 7 == 0, by_column[i] = i == 0;
  f.expect("exclusive by row", op::exclusive_segmented_scan(policy..., in, last, onepass::rows(7), out),
           f.exclusive(by_row, 0, sum));
  f.expect("exclusive by column", op::exclusive_segmented_scan(policy..., in, last, onepass::columns(1), out),
           f.exclusive(by_column, 0, sum));
}

}  // namespace

ONEPASS_TEST(segmented_scan, every_overload_and_policy) {
  const fixture<backend_type> f(backend);
  test::for_each_policy(backend, [&](const auto& policy, const char* name) {
    SCOPED_TRACE(name);
    check_overloads(
        f, [](auto* pointer) { return pointer; }, policy);
  });
}

ONEPASS_TEST(segmented_scan, every_overload_without_policy) {
  check_overloads(fixture<backend_type>(backend), [](auto* pointer) { return backend_type::tagged(pointer); });
}

ONEPASS_TEST(segmented_scan, wrong_arguments) {
  const fixture<backend_type> f(backend);
  const auto p = backend.policy();
  using error = onepass::invalid_argument;
  number* const null = nullptr;
  std::int32_t* const null_keys = nullptr;
  std::uint8_t* const null_flags = nullptr;
  std::int64_t* const null_offsets = nullptr;
  const std::string by_key = "onepass::inclusive_scan_by_key: ", exclusive_by_key = "onepass::exclusive_scan_by_key: ";
  const std::string segmented = "onepass::inclusive_segmented_scan: ";
  EXPECT_TRUE(test::throws<error>(by_key + "last", [&] {
    onepass::inclusive_scan_by_key(p, f.keys.end(), f.keys.begin(), f.in.begin(), f.out.begin());
  }));
  EXPECT_TRUE(test::throws<error>(by_key + "keys", [&] {
    onepass::inclusive_scan_by_key(p, null_keys, null_keys + f.n, f.in.begin(), f.out.begin());
  }));
  EXPECT_TRUE(test::throws<error>(exclusive_by_key + "values", [&] {
    onepass::exclusive_scan_by_key(p, f.keys.begin(), f.keys.end(), null, f.out.begin(), number{1});
  }));
  EXPECT_TRUE(test::throws<error>(exclusive_by_key + "out", [&] {
    onepass::exclusive_scan_by_key(p, f.keys.begin(), f.keys.end(), f.in.begin(), null, number{1});
  }));
  EXPECT_TRUE(test::throws<error>(by_key + "out overlaps", [&] {
    onepass::inclusive_scan_by_key(p, f.keys.begin(), f.keys.end() - 1, f.in.begin(), f.in.begin() + 1);
  }));
  EXPECT_TRUE(test::throws<error>(segmented + "last", [&] {
    onepass::inclusive_segmented_scan(p, f.in.end(), f.in.begin(), f.flags.begin(), f.out.begin());
  }));
  EXPECT_TRUE(test::throws<error>(segmented + "head_flags", [&] {
    onepass::inclusive_segmented_scan(p, f.in.begin(), f.in.end(), null_flags, f.out.begin());
  }));
  EXPECT_TRUE(test::throws<error>(segmented + "offsets", [&] {
    onepass::inclusive_segmented_scan(p, f.in.begin(), f.in.end(), onepass::offsets(null_offsets, null_offsets + 3),
                                      f.out.begin());
  }));
  EXPECT_TRUE(test::throws<error>(segmented, [&] {
    onepass::inclusive_segmented_scan(p, f.in.begin(), f.in.end(), onepass::offsets(f.offsets.end(), f.offsets.begin()),
                                      f.out.begin());
  }));
  EXPECT_TRUE(f.out.untouched()) << "written before the exception";
  EXPECT_TRUE(test::same(f.in.to_host(), f.values)) << "written before the exception";
  EXPECT_TRUE(test::same(f.keys.to_host(), f.key_values)) << "written before the exception";
}

ONEPASS_TEST(segmented_scan, empty_range) {
  const test::buffer<number> out(backend, 10);
  number* const null = nullptr;
  std::int64_t* const null_offsets = nullptr;
  const auto p = backend.policy();
  EXPECT_EQ(onepass::inclusive_scan_by_key(p, null, null, null, out.begin()), out.begin());
  EXPECT_EQ(onepass::exclusive_scan_by_key(p, null, null, null, out.begin(), number{1}), out.begin());
  EXPECT_EQ(onepass::inclusive_segmented_scan(p, null, null, null, out.begin()), out.begin());
  EXPECT_EQ(onepass::inclusive_segmented_scan(p, null, null, onepass::offsets(null_offsets, null_offsets), out.begin()),
            out.begin());
  EXPECT_TRUE(out.untouched());
}
