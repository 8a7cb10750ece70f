// SPDX-License-Identifier: Apache-2.0
// Positions among more than 2^31 and 2^32 flags: as numbers of 64 bits, and of 32 bits up to the last index that these hold.
#include <onepass/positions.hpp>

#include <thrust/iterator/constant_iterator.h>

#include <cstdint>
#include <limits>

#include "support/checking_output.hpp"
#include "support/compare.hpp"
#include "support/large.hpp"
#include "support/test.hpp"

namespace {

// With `count` flags the last index is one more than Index holds.
template <class Index, class Policy>
bool is_refused(const Policy& policy, std::int64_t count) {
  const thrust::constant_iterator<bool> flags(false);
  Index* const out = nullptr;
  return test::throws<onepass::invalid_argument>("onepass::positions: the items of out are too small",
                                                 [&] { onepass::positions(policy, flags, flags + count, out); });
}

}  // namespace

ONEPASS_TEST(positions, indices_past_those_of_32_bits_are_refused) {
  EXPECT_TRUE((is_refused<std::int32_t>(backend.policy(), (std::int64_t{1} << 31) + 1)));
  EXPECT_TRUE((is_refused<std::uint32_t>(backend.policy(), (std::int64_t{1} << 32) + 1)));
}

#if ONEPASS_HAS_CUDA
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;
constexpr std::int64_t period = 1000003;

// All but one in a period are set: more than 2^32 of 2^32 + 12345.
struct is_set {
  ONEPASS_HOST_DEVICE bool operator()(std::int64_t i) const { return i % period != 5; }
};
struct index_of_set {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t j) const {
    const std::int64_t within = j % (period - 1);
    return j / (period - 1) * period + within + (within >= 5);
  }
};
std::int64_t set_of(std::int64_t n) { return n - (n + period - 6) / period; }

// As many flags as 32 bits can number, of which the first, one in the middle and the last are set.
template <class Index, class Backend>
void check_last_index(const Backend& backend, std::int64_t n) {
  SCOPED_TRACE(testing::Message() << n << " flags");
  const test::large_range<std::uint8_t> flags(backend, n, test::is_at{n / 2, 0});
  const test::large_range<std::uint8_t> last(backend, 1, test::always{1});
  backend.memory().copy(flags.data() + n - 1, last.data(), 1);
  const test::large_room<Index> out(backend, 3);
  const auto* const end = onepass::positions(backend.policy(), flags.begin(), flags.end(), out.begin());
  ASSERT_EQ(end - out.begin(), 3);
  EXPECT_TRUE(test::same(out.to_host(), {0, static_cast<Index>(n / 2), static_cast<Index>(n - 1)}));
}

}  // namespace

ONEPASS_GPU_TEST(positions, large_last_index_of_32_bits) {
  ONEPASS_SKIP_WITHOUT_MEMORY(5 * gib);
  check_last_index<std::int32_t>(backend, static_cast<std::int64_t>(test::limited(std::size_t{1} << 31)));
  check_last_index<std::uint32_t>(backend, static_cast<std::int64_t>(test::limited(std::size_t{1} << 32)));
}

ONEPASS_GPU_TEST(positions, large_few) {
  ONEPASS_SKIP_WITHOUT_MEMORY(5 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " flags");
    const std::int64_t count = (n + period - 10) / period;
    const test::large_range<std::uint8_t> flags(backend, n, test::is_at{period, 9}, 1);
    const test::large_room<std::int64_t> out(backend, count);
    const auto* const end = onepass::positions(backend.policy(), flags.begin(), flags.end(), out.begin());
    ASSERT_EQ(end - out.begin(), count);
    out.check(backend, count, test::index_times{period, 9});
  }
}

ONEPASS_GPU_TEST(positions, large_many) {
  ONEPASS_SKIP_WITHOUT_MEMORY(5 * gib);
  for (const std::int64_t n : test::large_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " flags");
    const test::large_range<std::uint8_t> flags(backend, n, is_set{});
    const test::checking_output<index_of_set> out(backend, {}, set_of(n));
    const auto end = onepass::positions(backend.policy(), flags.begin(), flags.end(), out.begin());
    EXPECT_EQ(end - out.begin(), set_of(n));
    out.check();
  }
}

ONEPASS_GPU_TEST(positions, large_of_bits) {
  ONEPASS_SKIP_WITHOUT_MEMORY(gib);
  const std::int64_t n = test::above_unsigned();
  const test::large_range<std::uint32_t> words(backend, n / 32 + 1, test::word_of_bits<is_set>{});
  const test::checking_output<index_of_set> out(backend, {}, set_of(n));
  const onepass::bit_iterator flags = onepass::bits(words.begin());
  const auto end = onepass::positions(backend.policy(), flags, flags + n, out.begin());
  EXPECT_EQ(end - out.begin(), set_of(n));
  out.check();
}

ONEPASS_GPU_TEST(positions, large_size_in_memory) {
  ONEPASS_SKIP_WITHOUT_MEMORY(5 * gib);
  const std::int64_t n = test::above_unsigned(), size = n - 1003;
  const test::large_range<std::uint8_t> flags(backend, n, is_set{});
  const test::checking_output<index_of_set> out(backend, {}, set_of(size));
  const test::buffer<std::int64_t> count(backend, 1), in_memory(backend, std::vector<std::int64_t>{size});
  onepass::positions_async(backend.policy().sized_by(in_memory.begin()), flags.begin(), flags.end(), out.begin(),
                           count.begin());
  EXPECT_EQ(count.to_host()[0], set_of(size));
  out.check();
}
#endif
