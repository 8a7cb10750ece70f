// SPDX-License-Identifier: Apache-2.0
// Partition into three: sizes, types, iterators, shares, sizes in memory, arguments.
#include <onepass/compact.hpp>

#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/simd_levels.hpp"
#include "support/test.hpp"

namespace {

template <class T>
struct below {
  T limit;
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const { return x < limit; }
};

template <class T, class Backend>
void check(const Backend& backend, std::size_t n, T low, T high) {
  SCOPED_TRACE(testing::Message() << n << " items, " << +low << " and " << +high);
  const std::vector<T> values = test::random_between<T>(n, n, 0, 100);
  std::vector<T> expected[3];
  for (const T x : values) expected[x < low ? 0 : x < high ? 1 : 2].push_back(x);
  const test::buffer<T> in(backend, values, 1), a(backend, n), b(backend, n, 1), c(backend, n);
  const test::buffer<std::int64_t> counts(backend, 2);
  const auto p = backend.policy();
  const auto check_outputs = [&](const char* call) {
    const test::buffer<T>* outputs[3] = {&a, &b, &c};
    for (int k = 0; k < 3; ++k) {
      EXPECT_TRUE(test::same(outputs[k]->to_host(expected[k].size()), expected[k])) << call << ", output " << k;
      EXPECT_TRUE(outputs[k]->untouched(expected[k].size())) << call << ", behind the end of output " << k;
      outputs[k]->poison_all();
    }
  };
  const auto ends = onepass::three_way_partition_copy(p, in.begin(), in.end(), a.begin(), b.begin(), c.begin(),
                                                      below<T>{low}, below<T>{high});
  EXPECT_EQ(thrust::get<0>(ends) - a.begin(), static_cast<std::ptrdiff_t>(expected[0].size()));
  EXPECT_EQ(thrust::get<1>(ends) - b.begin(), static_cast<std::ptrdiff_t>(expected[1].size()));
  EXPECT_EQ(thrust::get<2>(ends) - c.begin(), static_cast<std::ptrdiff_t>(expected[2].size()));
  check_outputs("three_way_partition_copy");

  onepass::three_way_partition_copy_async(p, in.begin(), in.end(), a.begin(), b.begin(), c.begin(), below<T>{low},
                                          below<T>{high}, counts.begin());
  EXPECT_EQ(counts.to_host()[0], static_cast<std::int64_t>(expected[0].size()));
  EXPECT_EQ(counts.to_host()[1], static_cast<std::int64_t>(expected[1].size()));
  check_outputs("three_way_partition_copy_async");
}

struct times_2 {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int32_t x) const { return 2 * std::int64_t{x}; }
};

// Iterators that are no pointers: from the back, computed, and an output that nobody wants.
template <class Backend, class It>
void check_iterators(const Backend& backend, It first, const std::vector<std::int64_t>& values) {
  const std::size_t n = values.size();
  std::vector<std::int64_t> expected[2];
  for (const std::int64_t x : values)
    if (x < 70) expected[x < 30 ? 0 : 1].push_back(x);
  const test::buffer<std::int64_t> a(backend, n), b(backend, n), counts(backend, 2);
  onepass::three_way_partition_copy_async(backend.policy(), first, first + static_cast<std::ptrdiff_t>(n), a.begin(),
                                          thrust::make_reverse_iterator(b.end()), thrust::make_discard_iterator(),
                                          below<std::int64_t>{30}, below<std::int64_t>{70}, counts.begin());
  EXPECT_TRUE(test::same(a.to_host(expected[0].size()), expected[0]));
  std::vector<std::int64_t> second = b.to_host();
  second.erase(second.begin(), second.end() - static_cast<std::ptrdiff_t>(expected[1].size()));
  std::reverse(second.begin(), second.end());
  EXPECT_TRUE(test::same(second, expected[1]));
  EXPECT_TRUE(test::same(counts.to_host(), {static_cast<std::int64_t>(expected[0].size()),
                                            static_cast<std::int64_t>(expected[1].size())}));
}

}  // namespace

ONEPASS_TEST(three_way_partition, iterators) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, test::limited(4000037)}) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::vector<std::int32_t> values = test::random_between<std::int32_t>(n, n, 0, 50);
    const test::buffer<std::int32_t> in(backend, values);
    std::vector<std::int64_t> doubled(n), from_the_back(n);
    for (std::size_t i = 0; i < n; ++i) doubled[i] = 2 * std::int64_t{values[i]};
    check_iterators(backend, thrust::make_transform_iterator(in.begin(), times_2{}), doubled);
    const test::buffer<std::int64_t> wide(backend, doubled);
    std::reverse_copy(doubled.begin(), doubled.end(), from_the_back.begin());
    check_iterators(backend, thrust::make_reverse_iterator(wide.end()), from_the_back);
  }
}
ONEPASS_TEST(three_way_partition, sizes) {
  for (const std::size_t n : test::sizes()) check<std::int32_t>(backend, n, 30, 70);
}
ONEPASS_TEST(three_way_partition, shares) {
  const std::size_t n = test::limited(150011);
  check<std::uint8_t>(backend, n, 0, 50);
  check<std::uint8_t>(backend, n, 50, 50);
  check<std::int64_t>(backend, n, 101, 101);
  check<std::int64_t>(backend, n, 0, 0);
  check<float>(backend, n, 1, 99);
}
// Blocks of the CPU's vectors, and parts of them.
ONEPASS_CPU_TEST(three_way_partition, every_small_size) {
  test::at_each_simd_level([&] {
    for (std::size_t n = 0; n <= 200; ++n) {
      check<std::uint8_t>(backend, n, 30, 70);
      check<std::int16_t>(backend, n, 0, 101);
      check<std::int32_t>(backend, n, 50, 50);
      check<double>(backend, n, 101, 101);
    }
  });
}
// The second predicate is asked of items that are not of the first kind alone, and each predicate once.
ONEPASS_CPU_TEST(three_way_partition, what_predicates_are_asked) {
  const std::size_t n = 1000;
  const test::buffer<int> in(backend, test::random_between<int>(n, 1, 0, 100)), a(backend, n), b(backend, n),
      c(backend, n);
  test::at_each_simd_level([&] {
    std::size_t first_asked = 0, second_asked = 0;
    const auto is_first = [&](int x) { return ++first_asked, x < 30; };
    const auto is_second = [&](int x) {
      if (x < 30) throw std::logic_error("asked of an item of the first kind");
      return ++second_asked, x < 70;
    };
    const auto ends = onepass::three_way_partition_copy(onepass::cpu(1), in.begin(), in.end(), a.begin(), b.begin(),
                                                        c.begin(), is_first, is_second);
    EXPECT_EQ(first_asked, n);
    EXPECT_EQ(second_asked, n - static_cast<std::size_t>(thrust::get<0>(ends) - a.begin()));
  });
}
ONEPASS_TEST(three_way_partition, sized) {
  const std::vector<int> values{5, 1, 9, 5, 0, 7};
  const test::buffer<int> in(backend, values), a(backend, 6), b(backend, 6), c(backend, 6);
  const test::buffer<std::int64_t> counts(backend, 2), size(backend, std::vector<std::int64_t>{4});
  const auto run = [&] {
    onepass::three_way_partition_copy_async(backend.policy().sized_by(size.begin()), in.begin(), in.end(), a.begin(),
                                            b.begin(), c.begin(), below<int>{3}, below<int>{8}, counts.begin());
  };
  run();
  EXPECT_TRUE(test::same(counts.to_host(), {1, 2}));
  EXPECT_TRUE(test::same(a.to_host(1), {1}));
  EXPECT_TRUE(test::same(b.to_host(2), {5, 5}));
  EXPECT_TRUE(test::same(c.to_host(1), {9}));
  size.assign({0});
  run();
  EXPECT_TRUE(test::same(counts.to_host(), {0, 0}));
}
// Neither count may be where the size is.
ONEPASS_TEST(three_way_partition, counts_beside_the_size) {
  const test::buffer<int> in(backend, std::vector<int>{5, 1, 9, 5}), a(backend, 4), b(backend, 4), c(backend, 4);
  const test::buffer<std::int64_t> sizes(backend, std::vector<std::int64_t>{4, 4, 4});
  for (const int at : {0, 1}) {
    EXPECT_THROW(onepass::three_way_partition_copy_async(backend.policy().sized_by(sizes.begin() + 1), in.begin(),
                                                         in.end(), a.begin(), b.begin(), c.begin(), below<int>{3},
                                                         below<int>{8}, sizes.begin() + at),
                 onepass::invalid_argument);
  }
  EXPECT_TRUE(test::same(sizes.to_host(), {4, 4, 4}));
}
ONEPASS_TEST(three_way_partition, overloads_and_arguments) {
  const std::vector<int> values{5, 1, 9, 5, 0, 7};
  const test::buffer<int> in(backend, values), a(backend, 6), b(backend, 6), c(backend, 6);
  const test::buffer<std::int64_t> counts(backend, 2);
  const auto at = [&](const test::buffer<int>& x) { return backend.tagged(x.begin()); };
  const auto ends =
      onepass::three_way_partition_copy(at(in), at(in) + 6, at(a), at(b), at(c), below<int>{3}, below<int>{8});
  EXPECT_EQ(thrust::get<1>(ends) - at(b), 3);
  onepass::three_way_partition_copy_async(at(in), at(in) + 6, at(a), at(b), at(c), below<int>{3}, below<int>{8},
                                          counts.begin());
  EXPECT_TRUE(test::same(counts.to_host(), {2, 3}));
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::three_way_partition_copy_async: count is null", [&] {
    onepass::three_way_partition_copy_async(at(in), at(in) + 6, at(a), at(b), at(c), below<int>{3}, below<int>{8},
                                            nullptr);
  }));
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::three_way_partition_copy: out_rest overlaps", [&] {
    onepass::three_way_partition_copy(at(in), at(in) + 6, at(a), at(b), at(in), below<int>{3}, below<int>{8});
  }));
}
