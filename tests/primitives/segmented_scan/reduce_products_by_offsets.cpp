// SPDX-License-Identifier: Apache-2.0
// segmented_reduce by offsets of items that are computed, as in the product of a sparse matrix and a vector: lengths of all
// kinds, around strips and tiles. No item is asked for that does not exist.
#include <onepass/segmented_reduce.hpp>
#include <onepass/workspace.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <vector>

#include "offsets_fixture.hpp"
#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

// Item i of a sparse matrix's product with a vector. Tells whether it was asked for another one than those that there are.
template <class T>
struct product_at {
  const T *value, *x;
  std::int64_t n;
  int* asked_outside;
  ONEPASS_HOST_DEVICE T operator()(std::int64_t i) const {
    if (i < 0 || i >= n) {
      *asked_outside = 1;
      return T{77};
    }
    return static_cast<T>(value[i] * x[static_cast<std::uint64_t>(value[i]) % 1009]);
  }
};
// Items that are computed go through registers, in tiles of their own. Their short paths end at another size.
template <class T, class Op, class Backend>
void check_products(const Backend& backend, Op op) {
  std::vector<std::size_t> sizes = test::few_sizes();
  for (const std::size_t n : {3711, 3712, 3713, 7425, 14848}) sizes.push_back(n);  // around a tile's steps
  if (Backend::on_device && !test::small_only()) sizes.insert(sizes.end(), {2700001, 7340000, 8000011});
  const std::vector<T> x = test::random_values<T>(1009, 7);
  const test::buffer<T> at_x(backend, x);
  for (const std::size_t n : sizes) {
    const std::vector<T> values = test::random_values<T>(n, n);
    const test::buffer<T> at_values(backend, values);
    std::vector<T> products(n);
    for (std::size_t i = 0; i < n; ++i)
      products[i] = static_cast<T>(values[i] * x[static_cast<std::uint64_t>(values[i]) % 1009]);
    for (int kind = 0; kind < test::kinds; ++kind) {
      SCOPED_TRACE(testing::Message() << n << " items, segments of kind " << kind);
      const test::offsets_list offsets = test::drawn_offsets(n, kind);
      const test::buffer<T> out(backend, offsets.size() - 1);
      const test::buffer<std::int64_t> at(backend, offsets);
      const test::buffer<int> asked_outside(backend, std::vector<int>{0});
      const product_at<T> product{at_values.begin(), at_x.begin(), static_cast<std::int64_t>(n), asked_outside.begin()};
      const auto first = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), product);
      const auto reduce = [&](const auto& policy) {
        onepass::segmented_reduce(policy, first, first + static_cast<std::ptrdiff_t>(n),
                                  onepass::offsets(at.begin(), at.end()), out.begin(), T{5}, op);
      };
      reduce(backend.policy());
      ASSERT_TRUE(test::same(out.to_host(), test::expected_results(products, offsets, n, T{5}, op)));
      onepass::workspace memory(backend.policy(), onepass::measure(backend.policy(), reduce));
      for (const std::size_t there : {n, n / 3}) {  // a size in memory, also of fewer items
        const test::buffer<onepass::index_t> size(backend,
                                                  std::vector<onepass::index_t>{static_cast<onepass::index_t>(there)});
        reduce(backend.policy().with(memory).sized_by(size.begin()));
        ASSERT_TRUE(test::same(out.to_host(), test::expected_results(products, offsets, there, T{5}, op))) << there;
      }
      ASSERT_EQ(asked_outside.to_host()[0], 0);
    }
  }
}

}  // namespace

ONEPASS_TEST(reduce_products_by_offsets, of_4_bytes) { check_products<std::uint32_t>(backend, test::plain_sum{}); }
ONEPASS_TEST(reduce_products_by_offsets, of_8_bytes) { check_products<std::uint64_t>(backend, onepass::sum{}); }
ONEPASS_TEST(reduce_products_by_offsets, of_1_byte) { check_products<std::uint8_t>(backend, onepass::maximum{}); }
