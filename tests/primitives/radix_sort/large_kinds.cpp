// SPDX-License-Identifier: Apache-2.0
// Sorts of more than 2^31 and 2^32 items on the device: keys of 1, 2 and 4 bytes, by counting and by passes; with values;
// the sorted order; in little memory; splits of arrays.
#include <onepass/little_memory_sort.hpp>
#include <onepass/radix_sort.hpp>
#include <onepass/split.hpp>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstdint>

#include "large_fixture.hpp"
#include "support/checking_output.hpp"
#include "support/compare.hpp"
#include "support/test.hpp"

// ---- what indices cannot count --------------------------------------------------------------------------------------
namespace {
template <class Index, class Policy>
bool is_refused(const Policy& policy, std::int64_t count) {
  const thrust::constant_iterator<std::uint8_t> keys(0);
  static Index indices[1];  // not written to
  return test::throws<onepass::invalid_argument>("onepass::radix_argsort: indices have too few bits",
                                                 [&] { onepass::radix_argsort(policy, keys, keys + count, indices); });
}
}  // namespace

ONEPASS_TEST(argsort, indices_past_those_of_32_bits_are_refused) {
  EXPECT_TRUE((is_refused<std::int32_t>(backend.policy(), (std::int64_t{1} << 31) + 1)));
  EXPECT_TRUE((is_refused<std::uint32_t>(backend.policy(), (std::int64_t{1} << 32) + 1)));
}

#if ONEPASS_HAS_CUDA
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

struct wide_value {
  std::int64_t index, twice;
  friend ONEPASS_HOST_DEVICE bool operator==(const wide_value& a, const wide_value& b) {
    return a.index == b.index && a.twice == b.twice;
  }
};
struct make_wide {
  ONEPASS_HOST_DEVICE wide_value operator()(std::int64_t i) const { return {i, 2 * i}; }
};
struct wide_in_order {
  test::origin_in_order origin;
  ONEPASS_HOST_DEVICE wide_value operator()(std::int64_t to) const { return make_wide{}(origin(to)); }
};

// The keys that stand behind so many.
struct number_from {
  std::int64_t first;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return (first + i) % 50021; }
};

struct is_below_100 {
  ONEPASS_HOST_DEVICE bool operator()(std::uint8_t x) const { return x < 100; }
};
// Which of the numbers 0 to 249, over and over, come first: those below 100, then those above.
struct below_then_above {
  std::int64_t below;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t to) const {
    return to < below ? to % 100 : 100 + (to - below) % 150;
  }
};

}  // namespace

ONEPASS_GPU_TEST(radix_sort, large_keys_that_are_counted) {
  ONEPASS_SKIP_WITHOUT_MEMORY(18 * gib);
  const auto sort = [&](auto* first, auto* last) { onepass::radix_sort(backend.policy(), first, last); };
  for (const std::int64_t n : test::large_sizes()) {
    test::check_large_keys<std::uint8_t>(backend, n, 256, 1, sort);
    test::check_large_keys<std::uint16_t>(backend, n, 50021, 1, sort);
  }
  test::check_large_keys<std::uint8_t>(backend, test::above_unsigned(), 1, 1, sort);  // all are equal
}

ONEPASS_GPU_TEST(radix_sort, large_keys_by_passes) {
  ONEPASS_SKIP_WITHOUT_MEMORY(37 * gib);
  const auto sort = [&](auto* first, auto* last) { onepass::radix_sort(backend.policy(), first, last); };
  for (const std::int64_t n : test::large_sizes())
    test::check_large_keys<std::uint32_t>(backend, n, 1000003, 4294, sort);
}

ONEPASS_GPU_TEST(radix_sort, large_with_values) {
  ONEPASS_SKIP_WITHOUT_MEMORY(30 * gib);
  const auto sort = [&](auto* first, auto* last, auto* values) {
    onepass::radix_sort_by_key(backend.policy(), first, last, values);
  };
  for (const std::int64_t n : test::large_sizes()) {
    test::check_large_pairs<std::uint8_t>(backend, n, 256, 1, sort);
    test::check_large_pairs<std::uint16_t>(backend, n, 50021, 1, sort);
  }
}

ONEPASS_GPU_TEST(little_memory, large_keys) {
  ONEPASS_SKIP_WITHOUT_MEMORY(21 * gib);
  const auto sort = [&](auto* first, auto* last) {
    onepass::radix_sort(backend.policy(), first, last, onepass::in_little_memory());
  };
  for (const std::int64_t n : test::large_sizes()) {
    test::check_large_keys<std::uint16_t>(backend, n, 50021, 1, sort);
    test::check_large_keys<std::uint32_t>(backend, n, 1000003, 4294, sort);
  }
}

ONEPASS_GPU_TEST(little_memory, large_with_values) {
  ONEPASS_SKIP_WITHOUT_MEMORY(16 * gib);
  const auto sort = [&](auto* first, auto* last, auto* values) {
    onepass::radix_sort_by_key(backend.policy(), first, last, values, onepass::in_little_memory());
  };
  for (const std::int64_t n : test::large_sizes()) test::check_large_pairs<std::uint16_t>(backend, n, 50021, 1, sort);
}

// Bytes by seven of their bits: a pass in little memory.
ONEPASS_GPU_TEST(little_memory, large_bytes_by_some_bits) {
  ONEPASS_SKIP_WITHOUT_MEMORY(7 * gib);
  const auto sort = [&](auto* first, auto* last) {
    onepass::radix_sort(backend.policy(), first, last, onepass::in_little_memory(onepass::ascending(0, 7)));
  };
  test::check_large_keys<std::uint8_t>(backend, test::above_unsigned(), 128, 1, sort);
}

ONEPASS_GPU_TEST(radix_sort, large_size_in_memory) {
  ONEPASS_SKIP_WITHOUT_MEMORY(18 * gib);
  const std::int64_t n = test::above_unsigned(), size = n - 1003;
  const test::index_within of{50021};
  const test::large_range<std::uint16_t> keys(backend, n, of);
  const test::buffer<std::int64_t> in_memory(backend, std::vector<std::int64_t>{size});
  onepass::radix_sort(backend.policy().sized_by(in_memory.begin()), keys.begin(), keys.end());
  EXPECT_EQ(test::wrong_items(backend, keys.data(), size, test::in_order(size, 50021, of)), 0);
  EXPECT_EQ(test::wrong_items(backend, keys.data() + size, n - size, number_from{size}), 0) << "behind them";
}

// Indices of 32 bits up to 2^32 items.
ONEPASS_GPU_TEST(argsort, large_narrow) {
  ONEPASS_SKIP_WITHOUT_MEMORY(45 * gib);
  for (const std::size_t size : {(std::size_t{1} << 31) + 7, std::size_t{1} << 32}) {
    const auto n = static_cast<std::int64_t>(test::limited(size));
    SCOPED_TRACE(testing::Message() << n << " keys");
    const test::large_range<std::uint8_t> keys(backend, n, test::index_within{256});
    const test::large_room<std::uint32_t> out(backend, n);
    onepass::radix_argsort(backend.policy(), keys.begin(), keys.end(), out.begin());
    out.check(backend, n, test::origin_in_order{n, 256});
  }
}

// And of 64 bits past them.
ONEPASS_GPU_TEST(argsort, large_wide) {
  ONEPASS_SKIP_WITHOUT_MEMORY(82 * gib);
  const std::int64_t n = test::above_unsigned();
  const test::large_range<std::uint8_t> keys(backend, n, test::index_within{256});
  const test::large_room<std::int64_t> out(backend, n);
  onepass::radix_argsort(backend.policy(), keys.begin(), keys.end(), out.begin());
  out.check(backend, n, test::origin_in_order{n, 256});
}

// Values of 16 bytes are sorted by index: computed ones, to where they are compared.
ONEPASS_GPU_TEST(radix_sort, large_by_index) {
  ONEPASS_SKIP_WITHOUT_MEMORY(24 * gib);
  const std::int64_t n = test::above_int();
  const thrust::counting_iterator<std::int64_t> numbers(0);
  const test::large_range<std::uint8_t> keys(backend, n, test::index_within{256});
  const test::large_room<std::uint8_t> out(backend, n);
  const auto values = thrust::make_transform_iterator(numbers, make_wide{});
  const test::checking_output<wide_in_order> values_out(backend, {{n, 256}}, n);
  onepass::radix_sort_by_key_copy(backend.policy(), keys.begin(), keys.end(), values, out.begin(), values_out.begin());
  out.check(backend, n, test::in_order(n, 256, test::index_within{256}));
  values_out.check();
}

ONEPASS_GPU_TEST(split, large_in_memory) {
  ONEPASS_SKIP_WITHOUT_MEMORY(12 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const test::large_range<std::uint8_t> in(backend, n, test::index_within{250});
    const test::large_room<std::uint8_t> out(backend, n, 1);
    const std::int64_t below = n / 250 * 100 + std::min<std::int64_t>(n % 250, 100);
    const auto* const border = onepass::split(backend.policy(), in.begin(), in.end(), out.begin(), is_below_100{});
    EXPECT_EQ(border - out.begin(), below);
    out.check(backend, n, below_then_above{below});
    onepass::split(backend.policy(), in.begin(), in.end(), out.begin(), onepass::digit{0, 8});
    out.check(backend, n, test::in_order(n, 250, test::index_within{250}));
  }
}
#endif
