// SPDX-License-Identifier: Apache-2.0
// The count of a call must not be where the policy's size is: the size would be overwritten before it is read. On the CPU
// results may be there. And a predicate is asked once for each item, by every call.
#include <onepass/compact.hpp>
#include <onepass/radix_sort.hpp>
#include <onepass/segmented_reduce.hpp>
#include <onepass/split.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {
using number = std::int32_t;
}  // namespace

ONEPASS_TEST(compact, counts_where_the_size_is) {
  const std::vector<number> values{5, 1, 9, 4};
  const test::buffer<number> in(backend, values), out_memory(backend, 4), rest_memory(backend, 4), more(backend, 4);
  const test::buffer<std::uint8_t> flag_memory(backend, std::vector<std::uint8_t>{1, 0, 1, 0});
  const test::buffer<std::int64_t> size(backend, std::vector<std::int64_t>{4});
  const auto p = backend.policy().sized_by(size.begin());
  number *const first = in.begin(), *const last = in.end(), *const out = out_memory.begin(),
                *const rest = rest_memory.begin(), *const lengths = more.begin();
  const std::uint8_t* const flags = flag_memory.begin();
  std::int64_t* const count = size.begin();
  const test::is_even even;
  const test::is_set set;
  const auto refuses = [&](const std::string& name, auto call) {
    EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::" + name + ": count is where", call));
  };
  refuses("copy_if_async", [&] { onepass::copy_if_async(p, first, last, out, even, count); });
  refuses("copy_if_async", [&] { onepass::copy_if_async(p, first, last, flags, out, set, count); });
  refuses("compact_async", [&] { onepass::compact_async(p, first, last, onepass::flags(flags), out, count); });
  refuses("remove_async", [&] { onepass::remove_async(p, first, last, 9, count); });
  refuses("remove_copy_async", [&] { onepass::remove_copy_async(p, first, last, out, 9, count); });
  refuses("remove_if_async", [&] { onepass::remove_if_async(p, first, last, even, count); });
  refuses("remove_if_async", [&] { onepass::remove_if_async(p, first, last, flags, set, count); });
  refuses("remove_copy_if_async", [&] { onepass::remove_copy_if_async(p, first, last, out, even, count); });
  refuses("remove_copy_if_async", [&] { onepass::remove_copy_if_async(p, first, last, flags, out, set, count); });
  refuses("partition_async", [&] { onepass::partition_async(p, first, last, even, count); });
  refuses("partition_async", [&] { onepass::partition_async(p, first, last, flags, set, count); });
  refuses("stable_partition_async", [&] { onepass::stable_partition_async(p, first, last, even, count); });
  refuses("partition_copy_async", [&] { onepass::partition_copy_async(p, first, last, out, rest, even, count); });
  refuses("partition_copy_async", [&] { onepass::partition_copy_async(p, first, last, flags, out, rest, set, count); });
  refuses("positions_async", [&] { onepass::positions_async(p, flags, flags + 4, out, count); });
  refuses("unique_async", [&] { onepass::unique_async(p, first, last, count); });
  refuses("unique_count_async", [&] { onepass::unique_count_async(p, first, last, count); });
  refuses("unique_copy_async", [&] { onepass::unique_copy_async(p, first, last, out, count); });
  refuses("unique_by_key_async", [&] { onepass::unique_by_key_async(p, first, last, lengths, count); });
  refuses("unique_by_key_copy_async", [&] {
    onepass::unique_by_key_copy_async(p, first, last, lengths, out, rest, onepass::detail::equal_to{}, count);
  });
  refuses("reduce_by_key_async", [&] {
    onepass::reduce_by_key_async(p, first, last, lengths, out, rest, onepass::detail::equal_to{}, onepass::sum{},
                                 count);
  });
  refuses("run_length_encode_async", [&] { onepass::run_length_encode_async(p, first, last, out, rest, count); });
  refuses("segmented_reduce_async", [&] { onepass::segmented_reduce_async(p, first, last, flags, out, count); });
  refuses("split_async", [&] { onepass::split_async(p, first, last, out, even, count); });
  EXPECT_TRUE(test::same(size.to_host(), {4}));
  EXPECT_TRUE(test::same(in.to_host(), values));
  EXPECT_TRUE(out_memory.untouched() && rest_memory.untouched());
}

// In place on few items and on more than a thread's tile holds.
ONEPASS_TEST(compact, every_predicate_is_asked_once_an_item) {
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{33}, std::size_t{1025}, test::limited(200003)}) {
    const std::vector<number> values = test::random_between<number>(n, n, 0, 1000);
    const test::buffer<number> in(backend, values), out(backend, n), rest(backend, n);
    const test::buffer<unsigned long long> calls(backend, std::vector<unsigned long long>{0});
    const test::counting_is_even even{calls.data()};
    const auto p = backend.policy();
    const auto expect = [&](const char* name) {
      EXPECT_EQ(calls.to_host()[0], n) << name << ", " << n << " items";
      calls.assign({0});
      in.assign(values);
    };
    onepass::partition_copy(p, in.begin(), in.end(), out.begin(), rest.begin(), even);
    expect("partition_copy");
    onepass::stable_partition(p, in.begin(), in.end(), even);
    expect("stable_partition");
    onepass::remove_if(p, in.begin(), in.end(), even);
    expect("remove_if");
    onepass::remove_copy_if(p, in.begin(), in.end(), out.begin(), even);
    expect("remove_copy_if");
    onepass::copy_if(p, in.begin(), in.end(), in.begin(), out.begin(), even);
    expect("copy_if by a stencil");
  }
}

namespace {
using onepass::index_t;
// Results, their end and what is behind them, where the size is in its own place and where it is among the results.
template <class Call>
void check_size_among_results(const char* what, std::size_t place, Call call) {
  SCOPED_TRACE(what);
  constexpr index_t size = 700;
  const index_t own_size = size;
  std::vector<index_t> out(2000, -7), other(2000, -7);
  out[place] = other[place] = size;
  const index_t end = call(onepass::cpu(2).sized_by(&own_size), out.data());
  EXPECT_EQ(call(onepass::cpu(2).sized_by(&other[place]), other.data()), end);
  EXPECT_EQ(other, out);
}
}  // namespace

// A call on the CPU reads the size when it begins, and never again.
TEST(compact, size_among_the_results) {
  const std::vector<index_t> x = test::random_between<index_t>(1000, 3, 0, 4);
  const index_t *const first = x.data(), *const last = first + x.size();
  const auto is_large = [](index_t v) { return v > 2; };
  const auto is_zero = [](index_t v) { return v == 0; };
  std::vector<index_t> others(2000);
  index_t *const z = others.data(), *const y = z + 1000;
  for (const std::size_t place : {0, 3, 250}) {
    check_size_among_results("partition_copy, kept", place, [&](const auto& p, index_t* out) {
      return onepass::partition_copy(p, first, last, out, z, is_large).first - out;
    });
    check_size_among_results("partition_copy, others", place, [&](const auto& p, index_t* out) {
      return onepass::partition_copy(p, first, last, z, out, is_large).second - out;
    });
    check_size_among_results("three_way_partition_copy", place, [&](const auto& p, index_t* out) {
      const auto ends = onepass::three_way_partition_copy(p, first, last, z, y, out, is_large, is_zero);
      return thrust::get<2>(ends) - out;
    });
    check_size_among_results("three_way_partition_copy_async", place, [&](const auto& p, index_t* out) {
      index_t counts[2] = {-1, -1};
      onepass::three_way_partition_copy_async(p, first, last, z, y, out, is_large, is_zero, counts);
      return 1000 * counts[0] + counts[1];
    });
    check_size_among_results("reductions of columns", place, [&](const auto& p, index_t* out) {
      return onepass::segmented_reduce(p, first, last, onepass::columns(400), out) - out;
    });
    check_size_among_results("radix_sort_by_key_copy", place, [&](const auto& p, index_t* out) {
      std::fill(others.begin(), others.end(), 0);
      onepass::radix_sort_by_key_copy(p, first, last, first, out, z);
      return std::accumulate(others.begin(), others.end(), index_t{0},
                             [](index_t sum, index_t v) { return (7 * sum + v) % 1000003; });
    });
  }
}
