// SPDX-License-Identifier: Apache-2.0
// Scans of every arithmetic type: all sizes, unaligned and in place; floats near a reference and the same on every run.
#include <onepass/scan.hpp>

#include <cstdint>
#include <vector>

#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

struct unchanged {
  template <class T>
  ONEPASS_HOST_DEVICE T operator()(T x) const {
    return x;
  }
};

// Values whose sums of a million stay within the type, or wrap round without a signed overflow in C++'s sense.
template <class T>
std::vector<T> summands(std::size_t n, std::uint64_t seed) {
  if constexpr (std::is_same_v<T, std::int32_t>) return test::random_between<T>(n, seed, -1000, 2000);
  else if constexpr (std::is_same_v<T, std::int64_t>) return test::random_between<T>(n, seed, -(1ll << 40), 1ll << 41);
  else return test::random_values<T>(n, seed);
}

// Sizes, and how far behind an aligned address input and output lie.
template <class Body>
void for_each_layout(Body body) {
  for (const std::size_t n : test::sizes()) body(n, 0, 0);
  for (const std::size_t n : {std::size_t{5}, std::size_t{1000}, test::limited(70001)}) {
    body(n, 1, 0);
    body(n, 0, 1);
    body(n, 1, 1);
    body(n, 3, 2);
  }
}

template <class T, class Backend, class Op = onepass::sum>
void check_inclusive(const Backend& backend, Op op = {}) {
  for_each_layout([&](std::size_t n, std::size_t in_shift, std::size_t out_shift) {
    SCOPED_TRACE(testing::Message() << n << " items, shifted by " << in_shift << " and " << out_shift);
    const std::vector<T> values = summands<T>(n, n);
    const std::vector<T> expected = test::inclusive_reference<T>(values, op);
    const test::buffer<T> in(backend, values, in_shift), out(backend, n, out_shift);
    T* end = onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin(), op);
    EXPECT_EQ(end, out.end());
    EXPECT_TRUE(test::same(out.to_host(), expected));
    EXPECT_TRUE(test::same(in.to_host(), values)) << "the input was written";

    onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), in.begin(), op);
    EXPECT_TRUE(test::same(in.to_host(), expected)) << "in place";
  });
}

template <class T, class Backend>
void check_exclusive(const Backend& backend) {
  for_each_layout([&](std::size_t n, std::size_t in_shift, std::size_t out_shift) {
    SCOPED_TRACE(testing::Message() << n << " items, shifted by " << in_shift << " and " << out_shift);
    const std::vector<T> values = summands<T>(n, n + 1);
    const T init = static_cast<T>(41);
    const std::vector<T> expected = test::exclusive_reference<T>(values, onepass::sum{}, init);
    const test::buffer<T> in(backend, values, in_shift), out(backend, n, out_shift);
    T* end = onepass::exclusive_scan(backend.policy(), in.begin(), in.end(), out.begin(), init);
    EXPECT_EQ(end, out.end());
    EXPECT_TRUE(test::same(out.to_host(), expected));

    onepass::exclusive_scan(backend.policy(), in.begin(), in.end(), in.begin(), init);
    EXPECT_TRUE(test::same(in.to_host(), expected)) << "in place";
  });
}

// Sums of fractions against double, and the same bits each time.
template <class T, class Backend>
void check_floats(const Backend& backend, double relative) {
  for (const std::size_t n : test::few_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::vector<T> values = test::random_fractions<T>(n, n + 2);
    std::vector<double> widened(values.begin(), values.end());
    const std::vector<double> expected = test::inclusive_reference<double>(widened, onepass::sum{});
    const test::buffer<T> in(backend, values), out(backend, n, 1);
    std::vector<T> first;
    for (int repeat = 0; repeat < 5; ++repeat) {
      out.poison_all();
      onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin());
      const std::vector<T> result = out.to_host();
      EXPECT_TRUE(test::near(result, expected, expected, relative));
      if (repeat == 0) first = result;
      EXPECT_TRUE(test::identical(result, first)) << "other bits in run " << repeat;
    }
  }
}

}  // namespace

ONEPASS_TEST(scan, inclusive_int8) { check_inclusive<std::int8_t>(backend); }
ONEPASS_TEST(scan, inclusive_uint8) { check_inclusive<std::uint8_t>(backend); }
ONEPASS_TEST(scan, inclusive_int16) { check_inclusive<std::int16_t>(backend); }
ONEPASS_TEST(scan, inclusive_uint16) { check_inclusive<std::uint16_t>(backend); }
ONEPASS_TEST(scan, inclusive_int32) { check_inclusive<std::int32_t>(backend); }
ONEPASS_TEST(scan, inclusive_uint32) { check_inclusive<std::uint32_t>(backend); }
ONEPASS_TEST(scan, inclusive_int64) { check_inclusive<std::int64_t>(backend); }
ONEPASS_TEST(scan, inclusive_uint64) { check_inclusive<std::uint64_t>(backend); }
ONEPASS_TEST(scan, inclusive_two_bytes) { check_inclusive<test::byte_map>(backend, test::map_then_map{}); }
ONEPASS_TEST(scan, exclusive_int8) { check_exclusive<std::int8_t>(backend); }
ONEPASS_TEST(scan, exclusive_uint16) { check_exclusive<std::uint16_t>(backend); }
ONEPASS_TEST(scan, exclusive_int32) { check_exclusive<std::int32_t>(backend); }
ONEPASS_TEST(scan, exclusive_uint64) { check_exclusive<std::uint64_t>(backend); }

// A float has 24 bits: the error of a long chain of additions is far above 2^-24, that of a tree far below the bound.
ONEPASS_TEST(scan, float_near_and_reproducible) { check_floats<float>(backend, 1e-4); }
ONEPASS_TEST(scan, double_near_and_reproducible) { check_floats<double>(backend, 1e-12); }

#if ONEPASS_HAS_CUDA
namespace {

// Whole numbers below `most` that are each taken back by the one that follows: exact in T, as only neighbours are added.
template <class T, class Backend>
void check_narrow_floats(const Backend& backend, std::uint64_t most) {
  for (const std::size_t n : test::few_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      const int size = static_cast<int>(test::hash(5, i / 2) % most);
      values[i] = test::from_double<T>(i % 2 == 0 ? size : -size);
    }
    std::vector<double> total(n);
    for (std::size_t i = 0; i < n; ++i) total[i] = (i == 0 ? 0 : total[i - 1]) + test::as_double(values[i]);
    const test::buffer<T> in(backend, values, 1), out(backend, n);
    onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin());
    EXPECT_TRUE(test::near(out.to_host(), total, total, 0));
  }
}

}  // namespace

ONEPASS_TEST(scan, inclusive_half) { check_narrow_floats<test::half>(backend, 1000); }
ONEPASS_TEST(scan, inclusive_bfloat16) { check_narrow_floats<test::bfloat16>(backend, 128); }
#endif

// An infinity reaches every item behind it, at any distance.
ONEPASS_TEST(scan, maximum_of_floats) {
  const std::size_t n = test::limited(50021);
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = -1e30f / static_cast<float>(i + 1);
  values[n / 2] = std::numeric_limits<float>::infinity();
  const test::buffer<float> in(backend, values), out(backend, n);
  onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin(), onepass::maximum{});
  EXPECT_TRUE(test::identical(out.to_host(), test::inclusive_reference<float>(values, onepass::maximum{})));
}

// Products of small integers wrap round, whatever type they are computed in. Transformed items have no vectors.
template <class T, class Backend>
void check_products_that_wrap(const Backend& backend) {
  const std::size_t n = test::limited(50021);
  const std::vector<T> values(n, T{3});
  std::vector<T> expected(n);
  unsigned power = 1;
  for (T& x : expected) x = static_cast<T>(power *= 3);
  const test::buffer<T> in(backend, values), out(backend, n);
  onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin(), onepass::product{});
  EXPECT_TRUE(test::same(out.to_host(), expected));
  out.poison_all();
  onepass::transform_inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin(), unchanged{},
                                    onepass::product{});
  EXPECT_TRUE(test::same(out.to_host(), expected));
}
ONEPASS_TEST(scan, products_that_wrap) {
  check_products_that_wrap<std::int8_t>(backend);
  check_products_that_wrap<std::uint8_t>(backend);
  check_products_that_wrap<std::int16_t>(backend);
  check_products_that_wrap<std::uint16_t>(backend);
}

namespace {
// A number that is stored as its difference from the low bits of its own address: it is destroyed by being moved as bytes.
class number_in_its_place {
 public:
  number_in_its_place(std::uint32_t x = 0) : bits_(x ^ place()) {}
  number_in_its_place(const number_in_its_place& other) : number_in_its_place(other.value()) {}
  number_in_its_place& operator=(const number_in_its_place& other) {
    bits_ = other.value() ^ place();
    return *this;
  }
  std::uint32_t value() const { return bits_ ^ place(); }
  friend number_in_its_place operator+(const number_in_its_place& a, const number_in_its_place& b) {
    return a.value() + b.value();
  }

 private:
  std::uint32_t place() const { return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(this)); }
  std::uint32_t bits_;
};
}  // namespace

ONEPASS_CPU_TEST(scan, values_that_know_where_they_are) {
  const std::size_t n = 200003;
  std::vector<number_in_its_place> values(n, number_in_its_place(3)), sums(n);
  for (const int threads : {1, 3}) {
    onepass::inclusive_scan(onepass::cpu(threads), values.begin(), values.end(), sums.begin());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sums[i].value(), 3 * (i + 1)) << "item " << i;
  }
}
