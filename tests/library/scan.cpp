// SPDX-License-Identifier: Apache-2.0
// The library's scans, of every type and operator.
#include "library/fixture.hpp"

LIBRARY_TEST(library_scan, all_types_operators_and_sizes) {
  test::for_each_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const library::op by : test::operators<T>()) {
      for (const std::size_t n : test::few_sizes()) {
        SCOPED_TRACE(testing::Message() << "n " << n << ", operator " << static_cast<int>(by) << ", bytes "
                                        << sizeof(T));
        const std::vector<T> values = test::operands<T>(n, 17, by);
        const test::applied<T> op{by};
        const T init = by == library::op::product ? T(-1) : T(5);
        const test::array<T> in(where, values), out(where, n), with_init(where, n), exclusive(where, n);
        library::inclusive_scan<T>(where, in, n, out, by);
        library::inclusive_scan<T>(where, in, n, with_init, init, by);
        library::exclusive_scan<T>(where, in, n, exclusive, init, by);
        EXPECT_TRUE(test::same(out.items(), test::inclusive_reference<T>(values, op)));
        EXPECT_TRUE(test::same(with_init.items(), test::inclusive_reference<T>(values, op, init)));
        EXPECT_TRUE(test::same(exclusive.items(), test::exclusive_reference<T>(values, op, init)));
      }
    }
  });
}

LIBRARY_TEST(library_scan, defaults_and_in_place) {
  test::for_each_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::vector<T> values = test::random_between<T>(100003, 3, 0, 9);
    const test::applied<T> sum{library::op::sum};
    const test::array<T> x(where, values), y(where, values);
    library::inclusive_scan<T>(where, x, x.size(), x);
    library::exclusive_scan<T>(where, y, y.size(), y);
    EXPECT_TRUE(test::same(x.items(), test::inclusive_reference<T>(values, sum)));
    EXPECT_TRUE(test::same(y.items(), test::exclusive_reference<T>(values, sum, T(0))));
  });
}

// Types are told by size and sign, so that both of a platform's 64-bit integers can be used; T comes from the pointers.
LIBRARY_TEST(library_scan, types_that_are_the_same_by_another_name) {
  const std::vector<long long> values = {3, -1, 4, -1, 5};
  const test::array<long long> in(where, values), out(where, values.size());
  const long long* first = in;
  long long* result = out;
  library::inclusive_scan(where, first, values.size(), result, library::op::maximum);
  EXPECT_EQ(out.items(), (std::vector<long long>{3, 3, 4, 4, 5}));
  library::exclusive_scan(where, first, values.size(), result, 2);
  EXPECT_EQ(out.items(), (std::vector<long long>{2, 5, 4, 8, 7}));
}

LIBRARY_TEST(library_scan, unaligned) {
  const std::vector<float> values = test::random_between<float>(50001, 5, -8, 8);
  const test::applied<float> sum{library::op::sum};
  const test::array<float> in(where, values), out(where, values.size());
  library::inclusive_scan<float>(where, in + 1, values.size() - 1, out + 1);
  const std::vector<float> result = out.items();
  EXPECT_TRUE(test::same({result.begin() + 1, result.end()},
                         test::inclusive_reference<float>(std::vector<float>(values.begin() + 1, values.end()), sum)));
}

TEST(library_scan, thread_counts_cpu) {
  const std::vector<double> values = test::random_fractions<double>(300007, 6);
  std::vector<double> one(values.size()), many(values.size());
  library::inclusive_scan(library::execution::cpu(1), values.data(), values.size(), one.data());
  for (const int threads : {2, 3, 7}) {
    library::inclusive_scan(library::execution::cpu(threads), values.data(), values.size(), many.data());
    EXPECT_TRUE(test::identical(many, one)) << threads << " threads";
  }
}
