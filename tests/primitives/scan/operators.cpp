// SPDX-License-Identifier: Apache-2.0
// Scans with operators that show a wrong order, a wrong size of value or a wrong wait: not commutative, 16 and 24 bytes
// wide, slow, throwing; and values that own memory.
#include <onepass/scan.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

// Inclusive and exclusive, shifted and in place, against the serial loop.
template <class T, class Op, class Backend>
void check_operator(const Backend& backend, const std::vector<T>& values, Op op, T init) {
  const std::size_t n = values.size();
  SCOPED_TRACE(testing::Message() << n << " items");
  const test::buffer<T> in(backend, values, n % 2), out(backend, n, n % 3);
  onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin(), op);
  EXPECT_TRUE(test::same(out.to_host(), test::inclusive_reference<T>(values, op))) << "inclusive";
  out.poison_all();
  onepass::exclusive_scan(backend.policy(), in.begin(), in.end(), out.begin(), init, op);
  EXPECT_TRUE(test::same(out.to_host(), test::exclusive_reference<T>(values, op, init))) << "exclusive";
  onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), in.begin(), op);
  EXPECT_TRUE(test::same(in.to_host(), test::inclusive_reference<T>(values, op))) << "in place";
}

std::vector<test::run> runs(std::size_t n) {
  std::vector<test::run> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = {static_cast<int>(i), static_cast<int>(i), 1};
  return items;
}

}  // namespace

ONEPASS_TEST(scan, non_commutative) {
  for (const std::size_t n : test::sizes()) {
    check_operator(backend, test::random_values<test::matrix>(n, n), test::matrix_product{}, test::matrix{1, 2, 3, 4});
  }
}

ONEPASS_TEST(scan, every_item_once_and_in_order) {
  for (const std::size_t n : test::sizes()) check_operator(backend, runs(n), test::join{}, test::run{-1, -1, 1});
}

ONEPASS_TEST(scan, items_of_24_bytes) {
  for (const std::size_t n : test::sizes()) {
    check_operator(backend, test::random_values<test::triple>(n, n), test::triangular_product{}, test::triple{1, 2, 3});
  }
}

ONEPASS_TEST(scan, affine_recurrence) {
  using map = onepass::affine_map<std::uint32_t>;
  for (const std::size_t n : test::few_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    std::vector<map> maps(n);
    for (std::size_t i = 0; i < n; ++i) {
      maps[i] = {static_cast<std::uint32_t>(test::hash(1, i) | 1), static_cast<std::uint32_t>(test::hash(2, i))};
    }
    for (const std::size_t shift : {0, 1, 2, 3}) {  // by 4 bytes, half of a map
      const test::buffer<map> in(backend, maps, shift), out(backend, n, 3 - shift);
      onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin(), onepass::affine{});
      // The recurrence itself: y = a y + b from y = 0.
      const std::vector<map> result = out.to_host();
      std::uint32_t y = 0;
      bool right = true;
      for (std::size_t i = 0; i < n; ++i) {
        y = maps[i].a * y + maps[i].b;
        right = right && result[i].b == y;
      }
      EXPECT_TRUE(right) << "shifted by " << shift;
    }
  }
}

ONEPASS_TEST(scan, minimum_and_bit_xor) {
  const std::vector<std::int32_t> values = test::random_values<std::int32_t>(test::limited(300007), 3);
  check_operator(backend, values, onepass::minimum{}, std::int32_t{1000000});
  check_operator(backend, values, onepass::bit_xor{}, std::int32_t{-7});
}

// Numbers of two types, which `maximum` does not take together, are compared in the type that holds both.
ONEPASS_TEST(scan, initial_value_of_another_type) {
  const std::vector<double> values{0.5, 2.75, 1.5}, expected{0.5, 2.75, 2.75};
  const test::buffer<double> in(backend, values), out(backend, 3);
  onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin(), 0, onepass::maximum{});
  EXPECT_TRUE(test::same(out.to_host(), expected));
}

ONEPASS_TEST(scan, values_of_a_byte) {
  for (const std::size_t n : test::sizes())
    check_operator(backend, test::random_values<std::int8_t>(n, n), onepass::maximum{}, std::int8_t{-100});
}

ONEPASS_TEST(scan, latter_of_two) {
  for (const std::size_t n : test::few_sizes()) {
    const std::vector<std::int16_t> values = test::random_values<std::int16_t>(n, 4);
    const test::buffer<std::int16_t> in(backend, values), out(backend, n);
    onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin(), test::latter{});
    EXPECT_TRUE(test::same(out.to_host(), values));
  }
}

ONEPASS_TEST(scan, slow_operator) {
  const std::size_t n = test::limited(400009);
  const std::vector<std::uint64_t> values = test::random_values<std::uint64_t>(n, 5);
  const std::vector<std::uint64_t> expected = test::inclusive_reference<std::uint64_t>(values, onepass::sum{});
  const test::buffer<std::uint64_t> in(backend, values), out(backend, n);
  for (int repeat = 0; repeat < 3; ++repeat) {
    out.poison_all();
    onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin(), test::slow_sum{});
    EXPECT_TRUE(test::same(out.to_host(), expected));
  }
}

// Sums that fit while those of some tiles do not. Sanitizers see whether these overflow.
ONEPASS_CPU_TEST(scan, sums_that_fit) {
  const std::size_t n = 400000;
  std::vector<std::int32_t> values(n, 0), sums(n);
  for (std::size_t i = 1000; i < n; i += 32768) values[i] = i / 32768 % 4 < 2 ? 1500000000 : -1500000000;
  values[0] = -1000000000;
  for (const int threads : {1, 3, 5}) {
    onepass::inclusive_scan(onepass::cpu(threads), values.begin(), values.end(), sums.begin());
    EXPECT_TRUE(test::same(sums, test::inclusive_reference<std::int32_t>(values, std::plus<>{})));
  }
}

ONEPASS_CPU_TEST(scan, throwing_operator) {
  const std::size_t n = test::limited(200003);
  for (const int threads : {1, 2, 5}) {
    for (const std::size_t at : {std::size_t{1}, n / 2, n - 1}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, thrown at item " << at);
      std::vector<std::int64_t> values = test::random_between<std::int64_t>(n, at, 0, 1000);
      const test::buffer<std::int64_t> out(backend, n);
      const auto scan = [&] {
        onepass::inclusive_scan(onepass::cpu(threads), values.begin(), values.end(), out.begin(), test::throwing_sum{});
      };
      values[at] = test::refused_value;
      EXPECT_TRUE(test::throws<test::refusal>("refused", scan));
      values[at] = 1;
      scan();
      EXPECT_TRUE(test::same(out.to_host(), test::inclusive_reference<std::int64_t>(values, onepass::sum{})))
          << "the call after the one that threw";
    }
  }
}

ONEPASS_CPU_TEST(scan, strings) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{3001}}) {
    for (const int threads : {1, 3}) {
      SCOPED_TRACE(testing::Message() << n << " items, " << threads << " threads");
      std::vector<std::string> words(n), out(n);
      for (std::size_t i = 0; i < n; ++i) words[i] = std::string(1 + i % 2, static_cast<char>('a' + i % 26));
      onepass::inclusive_scan(onepass::cpu(threads), words.begin(), words.end(), out.begin(), std::plus<std::string>{});
      EXPECT_TRUE(test::same(out, test::inclusive_reference<std::string>(words, std::plus<>{})));
      onepass::exclusive_scan(onepass::cpu(threads), words.begin(), words.end(), out.begin(),
                              std::string("start of it: "), std::plus<std::string>{});
      EXPECT_TRUE(
          test::same(out, test::exclusive_reference<std::string>(words, std::plus<>{}, std::string("start of it: "))));
    }
  }
}
