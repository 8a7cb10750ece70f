// SPDX-License-Identifier: Apache-2.0
// Compactions from and to iterators that are no pointers, and of more than 2^31 items.
#include <onepass/compact.hpp>

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <algorithm>
#include <cstdint>
#include <debug/deque>
#include <debug/vector>
#include <vector>

#include "support/checking_output.hpp"
#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

using number = std::int32_t;

struct first_is_even {
  template <class Pair>
  ONEPASS_HOST_DEVICE bool operator()(const Pair& pair) const {
    return thrust::get<0>(pair) % 2 == 0;
  }
};
struct is_multiple {
  std::int64_t of;
  ONEPASS_HOST_DEVICE bool operator()(std::int64_t value) const { return value % of == 0; }
};
struct times {
  std::int64_t factor;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t index) const { return index * factor; }
};
struct odd_number {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t index) const { return 2 * index + 1; }
};

}  // namespace

// The indices of the flags that are set: how positions are found.
ONEPASS_TEST(compact, counting_iterator_with_stencil) {
  for (const std::size_t n : test::few_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::vector<std::uint8_t> flag_values = test::random_flags(n, n, 0.1);
    const test::buffer<std::uint8_t> flags(backend, flag_values, 1);
    const test::buffer<std::int64_t> out(backend, n);
    const thrust::counting_iterator<std::int64_t> indices(0);
    const auto end =
        onepass::copy_if(backend.policy(), indices, indices + n, flags.begin(), out.begin(), test::is_set{});
    std::vector<std::int64_t> expected;
    for (std::size_t i = 0; i < n; ++i) {
      if (flag_values[i]) expected.push_back(static_cast<std::int64_t>(i));
    }
    ASSERT_EQ(static_cast<std::size_t>(end - out.begin()), expected.size());
    EXPECT_TRUE(test::same(out.to_host(expected.size()), expected));
  }
}

ONEPASS_TEST(compact, bit_flags) {
  for (const std::size_t n : test::few_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::vector<std::uint8_t> flags = test::random_flags(n, n, 0.5);
    const std::vector<number> values = test::random_values<number>(n, n);
    const test::buffer<std::uint32_t> words(backend, test::words_of(flags));
    const test::buffer<number> in(backend, values), out(backend, n);
    const number* end = onepass::compact(backend.policy(), in.begin(), in.end(),
                                         onepass::flags(onepass::bits(words.begin())), out.begin());
    const std::vector<number> expected = test::kept(values, flags);
    ASSERT_EQ(static_cast<std::size_t>(end - out.begin()), expected.size());
    EXPECT_TRUE(test::same(out.to_host(expected.size()), expected));
  }
}

ONEPASS_TEST(compact, zip_iterators) {
  const std::size_t n = test::limited(50021);
  const std::vector<number> a = test::random_between<number>(n, 1, 0, 1000);
  const std::vector<double> b = test::random_values<double>(n, 2);
  const test::buffer<number> in_a(backend, a), out_a(backend, n);
  const test::buffer<double> in_b(backend, b), out_b(backend, n);
  const auto in = thrust::make_zip_iterator(in_a.begin(), in_b.begin());
  const auto out = thrust::make_zip_iterator(out_a.begin(), out_b.begin());
  const auto count =
      static_cast<std::size_t>(onepass::copy_if(backend.policy(), in, in + n, out, first_is_even{}) - out);
  const std::vector<std::uint8_t> flags = test::flags_of(a, test::is_even{});
  EXPECT_TRUE(test::same(out_a.to_host(count), test::kept(a, flags)));
  EXPECT_TRUE(test::identical(out_b.to_host(count), test::kept(b, flags)));
  // In place, both columns at once.
  const auto end = onepass::remove_if(backend.policy(), in, in + n, first_is_even{});
  EXPECT_EQ(static_cast<std::size_t>(end - in), n - count);
  EXPECT_TRUE(test::same(in_a.to_host(n - count), test::kept(a, flags, false)));
  EXPECT_TRUE(test::identical(in_b.to_host(n - count), test::kept(b, flags, false)));
}

ONEPASS_TEST(compact, transform_permutation_reverse_and_discard_iterators) {
  const std::size_t n = test::limited(50021);
  const std::vector<number> values = test::random_between<number>(n, 3, 0, 1000);
  std::vector<number> order(n), gathered(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<number>(test::hash(4, i) % n);
  for (std::size_t i = 0; i < n; ++i) gathered[i] = values[static_cast<std::size_t>(order[i])];
  const test::buffer<number> in(backend, values), index(backend, order), out(backend, n);
  const auto permuted = thrust::make_permutation_iterator(in.begin(), index.begin());
  const auto backward = thrust::make_reverse_iterator(out.end());
  const auto end = onepass::copy_if(backend.policy(), permuted, permuted + n, backward, test::is_even{});
  std::vector<number> expected = test::kept(gathered, test::flags_of(gathered, test::is_even{}));
  ASSERT_EQ(static_cast<std::size_t>(end - backward), expected.size());
  std::vector<number> result = out.to_host();
  std::reverse(result.begin(), result.end());
  result.resize(expected.size());
  EXPECT_TRUE(test::same(result, expected));
  const auto squares = thrust::make_transform_iterator(in.begin(), test::square{});
  const auto discarded =
      onepass::copy_if(backend.policy(), squares, squares + n, thrust::make_discard_iterator(), test::is_even{});
  EXPECT_EQ(static_cast<std::size_t>(discarded - thrust::make_discard_iterator()),
            test::kept(values, test::flags_of(values, test::is_even{})).size());
}

template <class Vector>
static void check_vector(Vector in) {
  const std::vector<number> values = test::random_between<number>(test::limited(50021), 5, 0, 1000);
  in.assign(values.begin(), values.end());
  in.erase(onepass::remove_if(in.begin(), in.end(), test::is_even{}), in.end());
  std::vector<number> result(in.size());
  thrust::copy(in.begin(), in.end(), result.begin());
  EXPECT_TRUE(test::same(result, test::kept(values, test::flags_of(values, test::is_even{}), false)));
}
ONEPASS_CPU_TEST(compact, std_vector) { check_vector(std::vector<number>()); }
#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(compact, device_vector) { check_vector(thrust::device_vector<number>()); }
#endif

ONEPASS_TEST(compact, large_few_kept) {
  const auto n = static_cast<std::int64_t>(test::limited((std::size_t{1} << 32) + 9));
  const std::int64_t one_in = 1000003, expected = (n + one_in - 1) / one_in;
  const test::checking_output<times> out(backend, {one_in}, expected);
  const thrust::counting_iterator<std::int64_t> in(0);
  const auto end = onepass::copy_if(backend.policy(), in, in + n, out.begin(), is_multiple{one_in});
  EXPECT_EQ(end - out.begin(), expected);
  out.check();
}

// More than 2^31 are kept, and the count goes to memory.
ONEPASS_TEST(compact, large_all_but_few_kept) {
  const auto n = static_cast<std::int64_t>(test::limited(test::large_size + 3000));
  const test::checking_output<times> out(backend, {1}, n - 1000);
  const test::buffer<std::int64_t> count(backend, 1);
  const thrust::counting_iterator<std::int64_t> in(-1000);  // those below zero go
  onepass::remove_copy_if_async(backend.policy(), in, in + n, out.begin(), test::is_negative{}, count.begin());
  EXPECT_EQ(count.to_host()[0], n - 1000);
  out.check();
}

ONEPASS_TEST(compact, large_partition) {
  const auto n = static_cast<std::int64_t>(test::limited(test::large_size));
  const test::checking_output<times> even(backend, {2}, (n + 1) / 2);
  const test::checking_output<odd_number> odd(backend, {}, n / 2);
  const thrust::counting_iterator<std::int64_t> in(0);
  const auto ends =
      onepass::stable_partition_copy(backend.policy(), in, in + n, even.begin(), odd.begin(), is_multiple{2});
  EXPECT_EQ(ends.first - even.begin(), (n + 1) / 2);
  EXPECT_EQ(ends.second - odd.begin(), n / 2);
  even.check();
  odd.check();
}

#if ONEPASS_TEST_CPU
// Iterators that check themselves refuse to be compared with those of another container.
namespace {
struct below_four {
  bool operator()(number x) const { return x < 4; }
};
template <template <class...> class Container>
void copies_between_checked() {
  const Container<number> in{3, 1, 4, 1, 5};
  Container<number> out(5);
  const auto end = onepass::copy_if(in.begin(), in.end(), out.begin(), below_four{});
  EXPECT_TRUE(std::vector<number>(out.begin(), end) == (std::vector<number>{3, 1, 1}));
  EXPECT_TRUE(onepass::unique_copy(out.begin(), out.end(), out.begin()) == out.begin() + 3);
}
}  // namespace
ONEPASS_CPU_TEST(compact, checked_iterators) {
  copies_between_checked<__gnu_debug::vector>();
  copies_between_checked<__gnu_debug::deque>();
}
#endif
