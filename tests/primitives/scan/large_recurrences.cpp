// SPDX-License-Identifier: Apache-2.0
// Linear recurrences of more than 2^31 and 2^32 items on the device: scans of affine maps, in columns as the static library
// does them, and its kernel for many rows.
#include <onepass/segmented_scan.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>

#include "support/checking_output.hpp"
#include "support/large.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
#include "../../../primitives/library/row_recurrence.cuh"
#endif

#if ONEPASS_HAS_CUDA
namespace {

using map = onepass::affine_map<float>;

// h[t] = -h[t - 1] + 2 t + 1 is t + 1, for h[-1] = 0: exact up to 2^23.
struct map_in_columns {
  std::int64_t width;
  ONEPASS_HOST_DEVICE map operator()(std::int64_t i) const { return {-1, static_cast<float>(2 * (i / width) + 1)}; }
};
struct term_in_columns {
  std::int64_t width;
  ONEPASS_HOST_DEVICE bool is_right(std::int64_t i, const map& m) const {
    return m.b == static_cast<float>(i / width + 1);
  }
};
struct right_term {
  term_in_columns terms;
  unsigned long long* counts;  // right ones, wrong ones
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i, const map& m) const {
    if (i % 4096 != 0 && terms.is_right(i, m)) return;
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(counts[terms.is_right(i, m) ? 0 : 1])
        .fetch_add(1, cuda::memory_order_relaxed);
  }
};

struct term_of_row {  // 2 t + 1, from the row's other end in reverse
  std::int64_t length, reverse;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    const std::int64_t t = i % length;
    return 2 * (reverse ? length - 1 - t : t) + 1;
  }
};
struct result_of_row {
  std::int64_t length, reverse;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    const std::int64_t t = i % length;
    return (reverse ? length - 1 - t : t) + 1;
  }
};

}  // namespace

ONEPASS_GPU_TEST(linear_recurrence, large_columns) {
  for (const std::int64_t n : test::large_sizes()) {
    for (const std::int64_t width : {std::int64_t{4001}, n / 3 + 1}) {
      SCOPED_TRACE(testing::Message() << n << " items in columns of rows of " << width);
      const auto in =
          thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), map_in_columns{width});
      const test::buffer<unsigned long long> counts(backend, std::vector<unsigned long long>{0, 0});
      const auto out = thrust::make_tabulate_output_iterator(right_term{{width}, counts.data()});
      onepass::inclusive_segmented_scan(backend.policy(), in, in + n, onepass::columns(width), out, onepass::affine{});
      EXPECT_EQ(counts.to_host()[0], static_cast<unsigned long long>((n + 4095) / 4096));
      EXPECT_EQ(counts.to_host()[1], 0u);
    }
  }
}

// Each of the rows is a warp's: many short ones, and some of 2^22 items.
ONEPASS_GPU_TEST(linear_recurrence, large_rows) {
  ONEPASS_SKIP_WITHOUT_MEMORY(std::int64_t{49} << 30);
  for (const std::int64_t length : {std::int64_t{1000}, std::int64_t{1} << (test::small_only() ? 5 : 22)}) {
    for (const int reverse : {0, 1}) {
      SCOPED_TRACE(testing::Message() << "rows of " << length << ", reverse " << reverse);
      const std::int64_t n = (test::above_unsigned() / length + 1) * length;
      const test::large_range<float> a(backend, n, test::always{-1}), b(backend, n, term_of_row{length, reverse});
      const test::large_room<float> out(backend, n);
      const onepass::library::detail::recurrence_rows<float> rows{a.data(), b.data(), out.data(), n, length, false};
      if (reverse) onepass::library::detail::recur_by_warps<true>("linear_recurrence", rows, backend.stream);
      else onepass::library::detail::recur_by_warps<false>("linear_recurrence", rows, backend.stream);
      out.check(backend, n, result_of_row{length, reverse});
    }
  }
}
#endif
