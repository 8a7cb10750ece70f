// SPDX-License-Identifier: Apache-2.0
// Scans from and to iterators that are no pointers.
#include <onepass/scan.hpp>

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <numeric>
#include <vector>

#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

using number = std::uint32_t;

struct sum_of_pairs {
  template <class A, class B>
  ONEPASS_HOST_DEVICE thrust::tuple<number, number> operator()(const A& a, const B& b) const {
    return thrust::make_tuple(static_cast<number>(thrust::get<0>(a) + thrust::get<0>(b)),
                              thrust::get<1>(a) < thrust::get<1>(b) ? thrust::get<1>(b) : thrust::get<1>(a));
  }
};

std::vector<std::int32_t> shuffled(std::size_t n) {
  std::vector<std::int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[test::hash(11, i) % i]);
  return order;
}

}  // namespace

ONEPASS_TEST(scan, counting_constant_and_transform_iterators) {
  for (const std::size_t n : test::few_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const test::buffer<std::uint64_t> out(backend, n, 1);
    const auto expect = [&](auto item, const char* what) {
      std::vector<std::uint64_t> values(n);
      for (std::size_t i = 0; i < n; ++i) values[i] = item(i);
      EXPECT_TRUE(test::same(out.to_host(), test::inclusive_reference<std::uint64_t>(values, onepass::sum{}))) << what;
    };
    const thrust::counting_iterator<std::uint64_t> counting(5);
    onepass::inclusive_scan(backend.policy(), counting, counting + n, out.begin());
    expect([](std::uint64_t i) { return i + 5; }, "counting");
    const thrust::constant_iterator<std::uint64_t> constant(3);
    onepass::inclusive_scan(backend.policy(), constant, constant + n, out.begin());
    expect([](std::uint64_t) { return 3; }, "constant");
    const auto squares = thrust::make_transform_iterator(counting, test::square{});
    onepass::inclusive_scan(backend.policy(), squares, squares + n, out.begin());
    expect([](std::uint64_t i) { return (i + 5) * (i + 5); }, "transform");
  }
}

ONEPASS_TEST(scan, zip_iterators) {
  for (const std::size_t n : test::few_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::vector<number> a = test::random_values<number>(n, 1), b = test::random_values<number>(n, 2);
    const test::buffer<number> in_a(backend, a), in_b(backend, b, 1), out_a(backend, n), out_b(backend, n, 1);
    const auto in = thrust::make_zip_iterator(in_a.begin(), in_b.begin());
    const auto out = thrust::make_zip_iterator(out_a.begin(), out_b.begin());
    const auto end = onepass::inclusive_scan(backend.policy(), in, in + n, out, sum_of_pairs{});
    EXPECT_EQ(end - out, static_cast<std::ptrdiff_t>(n));
    EXPECT_TRUE(test::same(out_a.to_host(), test::inclusive_reference<number>(a, onepass::sum{})));
    EXPECT_TRUE(test::same(out_b.to_host(), test::inclusive_reference<number>(b, onepass::maximum{})));
  }
}

ONEPASS_TEST(scan, permutation_iterators) {
  const std::size_t n = test::limited(50021);
  const std::vector<number> values = test::random_values<number>(n, 3);
  const std::vector<std::int32_t> order = shuffled(n);
  const test::buffer<number> in(backend, values), out(backend, n);
  const test::buffer<std::int32_t> index(backend, order);
  const auto gathered = thrust::make_permutation_iterator(in.begin(), index.begin());
  const auto scattered = thrust::make_permutation_iterator(out.begin(), index.begin());
  onepass::exclusive_scan(backend.policy(), gathered, gathered + n, scattered, number{17});
  std::vector<number> in_order(n), expected(n);
  for (std::size_t i = 0; i < n; ++i) in_order[i] = values[order[i]];
  in_order = test::exclusive_reference<number>(in_order, onepass::sum{}, number{17});
  for (std::size_t i = 0; i < n; ++i) expected[order[i]] = in_order[i];
  EXPECT_TRUE(test::same(out.to_host(), expected));
}

// From the back, which is how a suffix scan is written; not commutative, so that a wrong direction shows.
ONEPASS_TEST(scan, reverse_iterators) {
  const std::size_t n = test::limited(50021);
  std::vector<test::matrix> values = test::random_values<test::matrix>(n, 4);
  const test::buffer<test::matrix> in(backend, values), out(backend, n);
  const auto first = thrust::make_reverse_iterator(in.end());
  onepass::inclusive_scan(backend.policy(), first, first + n, thrust::make_reverse_iterator(out.end()),
                          test::matrix_product{});
  std::reverse(values.begin(), values.end());
  std::vector<test::matrix> expected = test::inclusive_reference<test::matrix>(values, test::matrix_product{});
  std::reverse(expected.begin(), expected.end());
  EXPECT_TRUE(test::same(out.to_host(), expected));
}

ONEPASS_TEST(scan, discarded_and_transformed_output) {
  const std::size_t n = test::limited(50021);
  const std::vector<number> values = test::random_values<number>(n, 5);
  const test::buffer<number> in(backend, values), out(backend, n);
  onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), thrust::make_discard_iterator());
  onepass::inclusive_scan(backend.policy(), in.begin(), in.end(),
                          thrust::make_transform_output_iterator(out.begin(), test::negate{}));
  std::vector<number> expected = test::inclusive_reference<number>(values, onepass::sum{});
  for (number& value : expected) value = -value;
  EXPECT_TRUE(test::same(out.to_host(), expected));
}

// Thrust's own containers, without a policy: their system decides.
template <class Vector>
static void check_vector(Vector in) {
  const std::vector<number> values = test::random_values<number>(test::limited(50021), 6);
  in.assign(values.begin(), values.end());
  Vector out(values.size());
  const auto end = onepass::inclusive_scan(in.begin(), in.end(), out.begin());
  EXPECT_TRUE(end == out.end());
  std::vector<number> result(values.size());
  thrust::copy(out.begin(), out.end(), result.begin());
  EXPECT_TRUE(test::same(result, test::inclusive_reference<number>(values, onepass::sum{})));
}
ONEPASS_CPU_TEST(scan, host_vector) { check_vector(thrust::host_vector<number>()); }
ONEPASS_CPU_TEST(scan, std_vector) { check_vector(std::vector<number>()); }
ONEPASS_CPU_TEST(scan, deque) { check_vector(std::deque<number>()); }
#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(scan, device_vector) { check_vector(thrust::device_vector<number>()); }
#else
ONEPASS_CPU_TEST(scan, device_vector) { check_vector(thrust::device_vector<number>()); }
#endif
