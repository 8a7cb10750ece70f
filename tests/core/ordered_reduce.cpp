// SPDX-License-Identifier: Apache-2.0
// The reduction in order on CUDA: sizes around its strips and tiles, of whole and of partial ones, operators that are not
// commutative, sizes in memory, and the last tiles alone.
#include "../../core/execution/resolve_policy.hpp"
#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
#include "../../core/cuda/reduce/ordered_reduce.cuh"

namespace test {

using onepass::index_t;

template <class T>
struct found {
  T total;
  index_t n;
  bool has_items, is_all;
};
template <class T>
struct store_found {
  found<T>* to;
  __device__ bool is_needed() const { return true; }
  __device__ void operator()(const T* total, index_t n, bool is_all) const {
    to->has_items = total != nullptr;
    to->n = n;
    to->is_all = is_all;
    if (total != nullptr) to->total = *total;
  }
};

// Combines the first n items by the device.
template <class T, class Op, class Policy>
found<T> reduce_on_device(const Policy& policy, const T* items, index_t n, bool only_last = false) {
  namespace detail = onepass::detail;
  using source = detail::values_source<T, const T*>;
  const buffer<found<T>> result(cuda_backend{}, 1);
  detail::ordered_reduce("test", policy, detail::reduce_job<source, Op>{{items, {}}, Op{}, n},
                         store_found<T>{result.data()}, only_last);
  return result.to_host()[0];
}

template <class T, class Op>
void check_all_sizes(const cuda_backend& backend, std::size_t most) {
  const auto items = random_values<T>(most, 41);
  const auto sums = inclusive_reference<T>(items, Op{});
  const buffer<T> x(backend, items);
  const buffer<index_t> size(backend, 1);
  std::vector<index_t> sizes = {0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 159, 160, 161, 1000, static_cast<index_t>(most)};
  for (index_t n = 1024; n + 1 < static_cast<index_t>(most); n *= 2) sizes.insert(sizes.end(), {n - 1, n, n + 1});
  for (const index_t n : sizes) {
    SCOPED_TRACE(std::to_string(n) + " items");
    const auto check = [&](const found<T>& result) {
      EXPECT_EQ(result.n, n);
      EXPECT_EQ(result.has_items, n > 0);
      EXPECT_TRUE(result.is_all);
      if (n > 0) {
        EXPECT_EQ(result.total, sums[static_cast<std::size_t>(n) - 1]);
      }
    };
    check(reduce_on_device<T, Op>(backend.policy(), x.data(), n));
    size.assign({n});
    check(reduce_on_device<T, Op>(backend.policy().sized_by(size.data()), x.data(), static_cast<index_t>(most)));
  }
}

ONEPASS_GPU_TEST(ordered_reduce, sums) { check_all_sizes<std::uint32_t, onepass::sum>(backend, 3000007); }
ONEPASS_GPU_TEST(ordered_reduce, bytes) { check_all_sizes<std::uint8_t, onepass::sum>(backend, 300007); }
ONEPASS_GPU_TEST(ordered_reduce, not_commutative) { check_all_sizes<triple, triangular_product>(backend, 200003); }
ONEPASS_GPU_TEST(ordered_reduce, matrices) { check_all_sizes<matrix, matrix_product>(backend, 100003); }

// From an address that no vector can be read at.
ONEPASS_GPU_TEST(ordered_reduce, unaligned) {
  const auto items = random_values<std::uint32_t>(5001, 42);
  const buffer<std::uint32_t> x(backend, items, 1);
  const auto result = reduce_on_device<std::uint32_t, onepass::sum>(backend.policy(), x.data(), 5001);
  EXPECT_EQ(result.total, inclusive_reference<std::uint32_t>(items, onepass::sum{}).back());
}

// The last tiles alone say whether they are all; a maximum that stands in the last item is found in any case.
ONEPASS_GPU_TEST(ordered_reduce, last_tiles) {
  for (const std::size_t n : {std::size_t{5}, std::size_t{100000}, std::size_t{8000003}}) {
    std::vector<std::int32_t> items(n, 1);
    items.back() = 7;
    const buffer<std::int32_t> x(backend, items);
    const auto result =
        reduce_on_device<std::int32_t, onepass::maximum>(backend.policy(), x.data(), static_cast<index_t>(n), true);
    EXPECT_EQ(result.total, 7);
    if (n < 1000) {
      EXPECT_TRUE(result.is_all);
    }
    const auto sum =
        reduce_on_device<std::int32_t, onepass::sum>(backend.policy(), x.data(), static_cast<index_t>(n), true);
    if (sum.is_all) {
      EXPECT_EQ(sum.total, static_cast<std::int32_t>(n) + 6);
    } else {
      EXPECT_LT(sum.total, static_cast<std::int32_t>(n) + 6);
    }
  }
}

}  // namespace test
#endif
