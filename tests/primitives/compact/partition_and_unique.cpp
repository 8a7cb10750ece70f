// SPDX-License-Identifier: Apache-2.0
// Every overload of the partition and unique families, waiting and not, with every policy and with none.
#include <onepass/compact.hpp>

#include <cstdint>
#include <vector>

#include "primitives/compact/fixture.hpp"
#include "support/operators.hpp"
#include "support/policies.hpp"

namespace {

using number = std::int32_t;

template <class Fixture, class Tag, class... Policy>
void check_in_place(const Fixture& f, Tag tag, const Policy&... policy) {
  const auto first = tag(f.in.begin()), last = tag(f.in.end());
  const auto flags = tag(f.flags.begin());
  const test::is_even even;
  const test::is_set set;
  std::int64_t* const count = f.count.begin();
  const std::vector<std::uint8_t> evens = test::flags_of(f.values, even);
  const std::size_t even_count = test::kept(f.values, evens).size(),
                    set_count = test::kept(f.values, f.flag_values).size();
  const auto expect = [&](const char* call, auto border, std::size_t expected, const std::vector<std::uint8_t>& by,
                          bool stable) {
    EXPECT_EQ(static_cast<std::size_t>(border - first), expected) << call;
    f.expect_partitioned(call, by, stable);
  };
  expect("partition", onepass::partition(policy..., first, last, even), even_count, evens, false);
  expect("partition, stencil", onepass::partition(policy..., first, last, flags, set), set_count, f.flag_values, false);
  expect("stable", onepass::stable_partition(policy..., first, last, even), even_count, evens, true);
  expect("stable, stencil", onepass::stable_partition(policy..., first, last, flags, set), set_count, f.flag_values,
         true);
  onepass::partition_async(policy..., first, last, even, count);
  f.expect_count("partition_async", even_count);
  f.expect_partitioned("partition_async", evens, false);
  onepass::partition_async(policy..., first, last, flags, set, count);
  f.expect_count("partition_async, stencil", set_count);
  f.expect_partitioned("partition_async, stencil", f.flag_values, false);
  onepass::stable_partition_async(policy..., first, last, even, count);
  f.expect_count("stable_partition_async", even_count);
  f.expect_partitioned("stable_partition_async", evens, true);
  onepass::stable_partition_async(policy..., first, last, flags, set, count);
  f.expect_count("stable_partition_async, stencil", set_count);
  f.expect_partitioned("stable_partition_async, stencil", f.flag_values, true);
}

template <class Fixture, class Tag, class... Policy>
void check_to_two_places(const Fixture& f, Tag tag, const Policy&... policy) {
  const auto first = tag(f.in.begin()), last = tag(f.in.end()), out = tag(f.out.begin()), rest = tag(f.rest.begin());
  const auto flags = tag(f.flags.begin());
  const test::is_even even;
  const test::is_set set;
  std::int64_t* const count = f.count.begin();
  const std::vector<std::uint8_t> evens = test::flags_of(f.values, even);
  const auto expect = [&](const char* call, auto ends, const std::vector<std::uint8_t>& by) {
    f.expect(call, ends.first, f.out, test::kept(f.values, by));
    f.expect(call, ends.second, f.rest, test::kept(f.values, by, false));
    EXPECT_TRUE(test::same(f.in.to_host(), f.values)) << call;
    f.reset();
  };
  const auto expect_async = [&](const char* call, const std::vector<std::uint8_t>& by) {
    f.expect_items(call, f.rest, test::kept(f.values, by, false));
    f.expect_async(call, f.out, test::kept(f.values, by));
  };
  expect("partition_copy", onepass::partition_copy(policy..., first, last, out, rest, even), evens);
  expect("partition_copy, stencil", onepass::partition_copy(policy..., first, last, flags, out, rest, set),
         f.flag_values);
  expect("stable_partition_copy", onepass::stable_partition_copy(policy..., first, last, out, rest, even), evens);
  expect("stable_partition_copy, stencil",
         onepass::stable_partition_copy(policy..., first, last, flags, out, rest, set), f.flag_values);
  onepass::partition_copy_async(policy..., first, last, out, rest, even, count);
  expect_async("partition_copy_async", evens);
  onepass::partition_copy_async(policy..., first, last, flags, out, rest, set, count);
  expect_async("partition_copy_async, stencil", f.flag_values);
  onepass::stable_partition_copy_async(policy..., first, last, out, rest, even, count);
  expect_async("stable_partition_copy_async", evens);
  onepass::stable_partition_copy_async(policy..., first, last, flags, out, rest, set, count);
  expect_async("stable_partition_copy_async, stencil", f.flag_values);
}

template <class Fixture, class Tag, class... Policy>
void check_unique(const Fixture& f, Tag tag, const Policy&... policy) {
  const auto first = tag(f.in.begin()), last = tag(f.in.end()), out = tag(f.out.begin());
  const auto values = tag(f.in_payload.begin()), out_values = tag(f.out_payload.begin());
  const auto parity = test::same_parity{};
  std::int64_t* const count = f.count.begin();
  const std::vector<std::uint8_t> all = test::heads_of_keys(f.values),
                                  of_parity = test::heads_of_keys(f.values, parity);
  const auto items = [&](const std::vector<std::uint8_t>& by) { return test::kept(f.values, by); };
  const auto payload = [&](const std::vector<std::uint8_t>& by) { return test::kept(f.payload, by); };
  const auto expect = [&](const char* call, auto end, const test::buffer<number>& to,
                          const std::vector<std::uint8_t>& by) {
    f.expect(call, end, to, items(by));
    f.reset();
  };
  const auto expect_pairs = [&](const char* call, auto ends, const test::buffer<number>& to,
                                const test::buffer<std::uint64_t>& to_payload, const std::vector<std::uint8_t>& by) {
    f.expect(call, ends.first, to, items(by));
    f.expect(call, ends.second, to_payload, payload(by));
    f.reset();
  };
  expect("unique", onepass::unique(policy..., first, last), f.in, all);
  expect("unique, equal", onepass::unique(policy..., first, last, parity), f.in, of_parity);
  expect("unique_copy", onepass::unique_copy(policy..., first, last, out), f.out, all);
  expect("unique_copy, equal", onepass::unique_copy(policy..., first, last, out, parity), f.out, of_parity);
  expect_pairs("unique_by_key", onepass::unique_by_key(policy..., first, last, values), f.in, f.in_payload, all);
  expect_pairs("unique_by_key, equal", onepass::unique_by_key(policy..., first, last, values, parity), f.in,
               f.in_payload, of_parity);
  expect_pairs("unique_by_key_copy", onepass::unique_by_key_copy(policy..., first, last, values, out, out_values),
               f.out, f.out_payload, all);
  expect_pairs("unique_by_key_copy, equal",
               onepass::unique_by_key_copy(policy..., first, last, values, out, out_values, parity), f.out,
               f.out_payload, of_parity);
  EXPECT_EQ(onepass::unique_count(policy..., first, last), static_cast<std::int64_t>(items(all).size()));
  EXPECT_EQ(onepass::unique_count(policy..., first, last, parity), static_cast<std::int64_t>(items(of_parity).size()));
  onepass::unique_count_async(policy..., first, last, count);
  f.expect_count("unique_count_async", items(all).size());
  onepass::unique_count_async(policy..., first, last, parity, count);
  f.expect_count("unique_count_async, equal", items(of_parity).size());
  f.expect_items("unique_count", f.in, f.values);
  f.reset();
  onepass::unique_async(policy..., first, last, count);
  f.expect_async("unique_async", f.in, items(all));
  onepass::unique_async(policy..., first, last, parity, count);
  f.expect_async("unique_async, equal", f.in, items(of_parity));
  onepass::unique_copy_async(policy..., first, last, out, count);
  f.expect_async("unique_copy_async", f.out, items(all));
  onepass::unique_copy_async(policy..., first, last, out, parity, count);
  f.expect_async("unique_copy_async, equal", f.out, items(of_parity));
  onepass::unique_by_key_async(policy..., first, last, values, count);
  f.expect_items("unique_by_key_async", f.in_payload, payload(all));
  f.expect_async("unique_by_key_async", f.in, items(all));
  onepass::unique_by_key_copy_async(policy..., first, last, values, out, out_values, parity, count);
  f.expect_items("unique_by_key_copy_async", f.out_payload, payload(of_parity));
  f.expect_async("unique_by_key_copy_async", f.out, items(of_parity));
}

// Keys and values of any two sizes, in arrays of their own; each of the outputs apart or in place.
template <class K, class V>
void check_unique_arrays(std::size_t n, std::size_t length, int threads) {
  SCOPED_TRACE(testing::Message() << n << " items, runs of " << length << ", threads: " << threads);
  std::vector<K> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<K>(test::hash(1, (i + 5) / length) % 100);
  const std::vector<V> values = test::random_values<V>(n, 2);
  const std::vector<std::uint8_t> heads = test::heads_of_keys(keys);
  const std::vector<K> expected_keys = test::kept(keys, heads);
  const std::vector<V> expected_values = test::kept(values, heads);
  for (const int form : {0, 1, 2, 3}) {
    std::vector<K> in_keys = keys, other_keys(n);
    std::vector<V> in_values = values, other_values(n);
    auto& out_keys = form & 1 ? in_keys : other_keys;
    auto& out_values = form & 2 ? in_values : other_values;
    const auto ends = onepass::unique_by_key_copy(onepass::cpu(threads), in_keys.data(), in_keys.data() + n,
                                                  in_values.data(), out_keys.data(), out_values.data());
    ASSERT_EQ(ends.first - out_keys.data(), static_cast<std::ptrdiff_t>(expected_keys.size())) << "form " << form;
    ASSERT_EQ(ends.second - out_values.data(), static_cast<std::ptrdiff_t>(expected_keys.size())) << "form " << form;
    out_keys.resize(expected_keys.size());
    out_values.resize(expected_keys.size());
    EXPECT_TRUE(test::same(out_keys, expected_keys)) << "form " << form;
    EXPECT_TRUE(test::same(out_values, expected_values)) << "form " << form;
  }
}

}  // namespace

ONEPASS_CPU_TEST(compact, unique_arrays) {
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{1000}, std::size_t{60011}}) {
    for (const std::size_t length : {std::size_t{1}, std::size_t{3}, std::size_t{50000}}) {
      for (const int threads : {1, 3}) {
        check_unique_arrays<std::int32_t, std::int32_t>(n, length, threads);
        check_unique_arrays<std::int8_t, std::uint64_t>(n, length, threads);
        check_unique_arrays<double, std::int16_t>(n, length, threads);
      }
    }
  }
}

ONEPASS_TEST(compact, every_partition_and_policy) {
  const test::compact_fixture<backend_type> f(backend);
  test::for_each_policy(backend, [&](const auto& policy, const char* name) {
    SCOPED_TRACE(name);
    const auto pointers = [](auto* pointer) { return pointer; };
    check_in_place(f, pointers, policy);
    check_to_two_places(f, pointers, policy);
  });
}

ONEPASS_TEST(compact, every_partition_without_policy) {
  const test::compact_fixture<backend_type> f(backend);
  const auto tagged = [](auto* pointer) { return backend_type::tagged(pointer); };
  check_in_place(f, tagged);
  check_to_two_places(f, tagged);
}

ONEPASS_TEST(compact, every_unique_and_policy) {
  const test::compact_fixture<backend_type> f(backend);
  test::for_each_policy(backend, [&](const auto& policy, const char* name) {
    SCOPED_TRACE(name);
    check_unique(
        f, [](auto* pointer) { return pointer; }, policy);
  });
}

// Of as many items as a count in memory says.
ONEPASS_TEST(compact, unique_count_of_a_size_in_memory) {
  const test::compact_fixture<backend_type> f(backend);
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{100}, f.n}) {
    const test::buffer<std::int64_t> size(backend, std::vector<std::int64_t>{static_cast<std::int64_t>(n)});
    const std::vector<number> values(f.values.begin(), f.values.begin() + static_cast<std::ptrdiff_t>(n));
    const std::vector<std::uint8_t> heads = test::heads_of_keys(values);
    onepass::unique_count_async(backend.policy().sized_by(size.begin()), f.in.begin(), f.in.end(), f.count.begin());
    f.expect_count("unique_count_async", test::kept(values, heads).size());
    EXPECT_EQ(onepass::unique_count(backend.policy().sized_by(size.begin()), f.in.begin(), f.in.end()),
              static_cast<std::int64_t>(test::kept(values, heads).size()));
  }
}

ONEPASS_TEST(compact, every_unique_without_policy) {
  check_unique(test::compact_fixture<backend_type>(backend),
               [](auto* pointer) { return backend_type::tagged(pointer); });
}
