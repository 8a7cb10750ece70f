// SPDX-License-Identifier: Apache-2.0
// Compactions of arrays of more than 2^31 and 2^32 items on the device: by stencils and bits, in place, partitions of two
// and three kinds, unique.
#include <onepass/compact.hpp>

#include <cstdint>

#include "support/large.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;
constexpr std::int64_t period = 1000003;  // one item in so many goes: of 2^32 + 12345, more than 2^32 stay

// Items are numbered modulo 251; or each `step`-th one from `first` on.
struct number_of_item {
  std::int64_t step = 1, first = 0;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return (first + i * step) % 251; }
};
// All items but those with index 5 in their period.
struct is_kept {
  ONEPASS_HOST_DEVICE bool operator()(std::int64_t i) const { return i % period != 5; }
};
ONEPASS_HOST_DEVICE std::int64_t index_of_kept(std::int64_t j) {
  const std::int64_t within = j % (period - 1);
  return j / (period - 1) * period + within + (within >= 5);
}
struct kept_number {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t j) const { return index_of_kept(j) % 251; }
};
std::int64_t kept_of(std::int64_t n) { return n - (n + period - 6) / period; }

// An item that goes is 255, which no number is.
struct number_or_255 {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return is_kept{}(i) ? i % 251 : 255; }
};
struct is_255 {
  ONEPASS_HOST_DEVICE bool operator()(std::uint8_t x) const { return x == 255; }
};

struct is_set {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const {
    return static_cast<bool>(x);
  }
};

// Item i is of kind i % 3; its upper bits say how many of its kind come before.
struct of_three_kinds {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i / 3 << 2 | i % 3; }
};
struct of_one_kind {
  std::int64_t kind;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t j) const { return j << 2 | kind; }
};
// Those of kind 1 and 2, in turn.
struct of_the_others {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t j) const { return j / 2 << 2 | (j % 2 + 1); }
};
struct has_kind {
  std::uint8_t kind;
  ONEPASS_HOST_DEVICE bool operator()(std::uint8_t x) const { return (x & 3) == kind; }
};

// Runs of one item each, but for one in each period, which has two.
struct long_row_of_runs {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i - i / period; }
};
struct itself {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t j) const { return j; }
};
std::int64_t count_of_runs(std::int64_t n) { return n - (n - 1) / period; }

}  // namespace

ONEPASS_GPU_TEST(compact, large_with_stencil) {
  ONEPASS_SKIP_WITHOUT_MEMORY(13 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const test::large_range<std::uint8_t> in(backend, n, number_of_item{}, 1), stencil(backend, n, is_kept{});
    const test::large_room<std::uint8_t> out(backend, n);
    const auto* const end =
        onepass::copy_if(backend.policy(), in.begin(), in.end(), stencil.begin(), out.begin(), is_set{});
    ASSERT_EQ(end - out.begin(), kept_of(n));
    out.check(backend, kept_of(n), kept_number{});
  }
}

ONEPASS_GPU_TEST(compact, large_by_bits) {
  const std::int64_t n = test::above_unsigned();
  ONEPASS_SKIP_WITHOUT_MEMORY(10 * gib);
  const test::large_range<std::uint8_t> in(backend, n, number_of_item{});
  const test::large_range<std::uint32_t> words(backend, n / 32 + 1, test::word_of_bits<is_kept>{});
  const test::large_room<std::uint8_t> out(backend, n);
  const test::buffer<std::int64_t> count(backend, 1);
  onepass::compact_async(backend.policy(), in.begin(), in.end(), onepass::flags(onepass::bits(words.begin())),
                         out.begin(), count.begin());
  EXPECT_EQ(count.to_host()[0], kept_of(n));
  out.check(backend, kept_of(n), kept_number{});
}

ONEPASS_GPU_TEST(compact, large_in_place) {
  ONEPASS_SKIP_WITHOUT_MEMORY(5 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const test::large_range<std::uint8_t> in(backend, n, number_or_255{});
    const auto* const end = onepass::remove_if(backend.policy(), in.begin(), in.end(), is_255{});
    ASSERT_EQ(end - in.begin(), kept_of(n));
    EXPECT_EQ(test::wrong_items(backend, in.data(), kept_of(n), kept_number{}), 0);
  }
}

ONEPASS_GPU_TEST(compact, large_size_in_memory) {
  const std::int64_t n = test::above_unsigned(), size = n - 1003;
  ONEPASS_SKIP_WITHOUT_MEMORY(9 * gib);
  const test::large_range<std::uint8_t> in(backend, n, number_or_255{});
  const test::large_room<std::uint8_t> out(backend, n);
  const test::buffer<std::int64_t> count(backend, 1), in_memory(backend, std::vector<std::int64_t>{size});
  onepass::remove_copy_if_async(backend.policy().sized_by(in_memory.begin()), in.begin(), in.end(), out.begin(),
                                is_255{}, count.begin());
  EXPECT_EQ(count.to_host()[0], kept_of(size));
  out.check(backend, kept_of(size), kept_number{});
}

ONEPASS_GPU_TEST(compact, large_partition_in_place) {
  ONEPASS_SKIP_WITHOUT_MEMORY(9 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::int64_t first = (n + 2) / 3;
    const test::large_range<std::uint8_t> in(backend, n, of_three_kinds{});
    const auto* const border = onepass::stable_partition(backend.policy(), in.begin(), in.end(), has_kind{0});
    ASSERT_EQ(border - in.begin(), first);
    EXPECT_EQ(test::wrong_items(backend, in.data(), first, of_one_kind{0}), 0);
    EXPECT_EQ(test::wrong_items(backend, in.data() + first, n - first, of_the_others{}), 0);
  }
}

ONEPASS_GPU_TEST(compact, large_partition_by_stencil) {
  ONEPASS_SKIP_WITHOUT_MEMORY(13 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::int64_t kept = kept_of(n);
    const test::large_range<std::uint8_t> in(backend, n, number_of_item{}), stencil(backend, n, is_kept{});
    const test::large_room<std::uint8_t> out(backend, kept, 1), others(backend, n - kept);
    const auto ends = onepass::stable_partition_copy(backend.policy(), in.begin(), in.end(), stencil.begin(),
                                                     out.begin(), others.begin(), is_set{});
    ASSERT_EQ(ends.first - out.begin(), kept);
    ASSERT_EQ(ends.second - others.begin(), n - kept);
    out.check(backend, kept, kept_number{});
    others.check(backend, n - kept, number_of_item{period, 5});
  }
}

ONEPASS_GPU_TEST(three_way_partition, large) {
  ONEPASS_SKIP_WITHOUT_MEMORY(10 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::int64_t sizes[] = {(n + 2) / 3, (n + 1) / 3, n / 3};
    const test::large_range<std::uint8_t> in(backend, n, of_three_kinds{});
    const test::large_room<std::uint8_t> a(backend, sizes[0]), b(backend, sizes[1]), c(backend, sizes[2]);
    const auto ends = onepass::three_way_partition_copy(backend.policy(), in.begin(), in.end(), a.begin(), b.begin(),
                                                        c.begin(), has_kind{0}, has_kind{1});
    ASSERT_EQ(thrust::get<0>(ends) - a.begin(), sizes[0]);
    ASSERT_EQ(thrust::get<1>(ends) - b.begin(), sizes[1]);
    ASSERT_EQ(thrust::get<2>(ends) - c.begin(), sizes[2]);
    a.check(backend, sizes[0], of_one_kind{0});
    b.check(backend, sizes[1], of_one_kind{1});
    c.check(backend, sizes[2], of_one_kind{2});
  }
}

ONEPASS_GPU_TEST(unique, large) {
  ONEPASS_SKIP_WITHOUT_MEMORY(9 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::int64_t runs = count_of_runs(n);
    const test::large_range<std::uint8_t> in(backend, n, long_row_of_runs{});
    const test::large_room<std::uint8_t> out(backend, n, 1);
    const auto* const end = onepass::unique_copy(backend.policy(), in.begin(), in.end(), out.begin());
    ASSERT_EQ(end - out.begin(), runs);
    out.check(backend, runs, itself{});
    EXPECT_EQ(onepass::unique_count(backend.policy(), in.begin(), in.end()), runs);
    const auto* const own_end = onepass::unique(backend.policy(), in.begin(), in.end());
    ASSERT_EQ(own_end - in.begin(), runs);
    EXPECT_EQ(test::wrong_items(backend, in.data(), runs, itself{}), 0);
  }
}

// Runs of three: of the values, numbered modulo 251, each third one stays.
ONEPASS_GPU_TEST(unique_by_key, large) {
  ONEPASS_SKIP_WITHOUT_MEMORY(12 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    const std::int64_t runs = (n + 2) / 3;
    const test::large_range<std::uint8_t> keys(backend, n, test::index_over{3}), values(backend, n, number_of_item{});
    const test::large_room<std::uint8_t> out_keys(backend, runs), out_values(backend, runs);
    const auto ends = onepass::unique_by_key_copy(backend.policy(), keys.begin(), keys.end(), values.begin(),
                                                  out_keys.begin(), out_values.begin());
    ASSERT_EQ(ends.first - out_keys.begin(), runs);
    out_keys.check(backend, runs, itself{});
    out_values.check(backend, runs, number_of_item{3});
  }
}
#endif
