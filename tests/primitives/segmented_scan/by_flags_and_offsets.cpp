// SPDX-License-Identifier: Apache-2.0
// Segments given by head flags of any kind, and by offsets with empty segments and entries past the end.
#include <onepass/segmented_scan.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/simd_levels.hpp"
#include "support/test.hpp"

#if ONEPASS_HAS_CUDA
// Strings live on the host; nvcc warns of what the library's pairs of them could do on a device.
#pragma nv_diag_suppress 20011
#endif

namespace {

using number = std::uint32_t;

struct divides {
  std::int64_t length;
  ONEPASS_HOST_DEVICE bool operator()(std::int64_t i) const { return i % length == 0; }
};
struct times {
  std::int64_t length;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i * length; }
};

// Inclusive and exclusive, out of place and in place, for segments given by `heads` in whatever form.
template <class Backend, class Heads>
void check_heads(const Backend& backend, std::size_t n, const std::vector<std::uint8_t>& flags, Heads heads) {
  const std::vector<number> values = test::random_values<number>(n, n);
  const std::vector<number> inclusive = test::inclusive_segmented_reference(values, flags, onepass::sum{});
  const std::vector<number> exclusive = test::exclusive_segmented_reference(values, flags, number{7}, onepass::sum{});
  const test::buffer<number> in(backend, values, n % 2), out(backend, n);
  number* end = onepass::inclusive_segmented_scan(backend.policy(), in.begin(), in.end(), heads, out.begin());
  EXPECT_EQ(end, out.end());
  EXPECT_TRUE(test::same(out.to_host(), inclusive)) << "inclusive";
  out.poison_all();
  end = onepass::exclusive_segmented_scan(backend.policy(), in.begin(), in.end(), heads, out.begin(), number{7});
  EXPECT_EQ(end, out.end());
  EXPECT_TRUE(test::same(out.to_host(), exclusive)) << "exclusive";
  onepass::inclusive_segmented_scan(backend.policy(), in.begin(), in.end(), heads, in.begin());
  EXPECT_TRUE(test::same(in.to_host(), inclusive)) << "in place";
}

}  // namespace

ONEPASS_TEST(segmented_scan, bit_flags) {
  for (const std::size_t n : test::sizes()) {
    for (const std::size_t begin : {std::size_t{0}, std::size_t{8}, std::size_t{13}}) {
      SCOPED_TRACE(testing::Message() << n << " items, bits from " << begin);
      const std::vector<std::uint8_t> flags = test::flags_at(test::segment_starts(n, n, 40), n);
      const test::buffer<std::uint32_t> words(backend, test::words_of(flags, begin));
      check_heads(backend, n, flags, onepass::bits(words.begin()) + static_cast<std::ptrdiff_t>(begin));
    }
  }
}

ONEPASS_TEST(segmented_scan, byte_flags) {
  for (const std::size_t n : test::sizes()) {
    for (const std::size_t mean : {std::size_t{2}, std::size_t{700}}) {
      SCOPED_TRACE(testing::Message() << n << " items, mean length " << mean);
      std::vector<std::uint8_t> flags = test::flags_at(test::segment_starts(n, n, mean), n);
      for (std::uint8_t& flag : flags) flag = static_cast<std::uint8_t>(flag * 0x80);  // any value but zero is true
      if (n > 0) flags[0] = 0;  // item 0 starts a segment whatever its flag
      const test::buffer<std::uint8_t> heads(backend, flags, n % 3);
      check_heads(backend, n, flags, heads.begin());
    }
  }
}

namespace {

// Inclusive and exclusive of `values`, out of place and in place, with any number of threads, any alignment and vectors of
// every size: one result.
template <class T, class Op>
void check_vectors(const std::vector<T>& values, const std::vector<std::uint8_t>& flags, Op op, bool is_exact) {
  const test::cpu_backend backend;
  const std::size_t n = values.size();
  const T init = static_cast<T>(-3);
  std::vector<T> inclusive = test::inclusive_segmented_reference(values, flags, op);
  std::vector<T> exclusive = test::exclusive_segmented_reference(values, flags, init, op);
  bool is_known = is_exact;  // or the first result is
  const auto check_threads = [&](int threads) {
    const auto policy = onepass::cpu(threads);
    for (const std::size_t shift : {std::size_t{0}, std::size_t{1}}) {
      const test::buffer<T> in(backend, values, shift), out(backend, n, 2 * shift);
      const test::buffer<std::uint8_t> heads(backend, flags, shift);
      onepass::inclusive_segmented_scan(policy, in.begin(), in.end(), heads.begin(), out.begin(), op);
      if (!is_known) inclusive = out.to_host();
      EXPECT_TRUE(test::identical(out.to_host(), inclusive)) << "inclusive";
      out.poison_all();
      onepass::exclusive_segmented_scan(policy, in.begin(), in.end(), heads.begin(), out.begin(), init, op);
      if (!is_known) exclusive = out.to_host();
      EXPECT_TRUE(test::identical(out.to_host(), exclusive)) << "exclusive";
      is_known = true;
      onepass::inclusive_segmented_scan(policy, in.begin(), in.end(), heads.begin(), in.begin(), op);
      EXPECT_TRUE(test::identical(in.to_host(), inclusive)) << "in place";
    }
  };
  // Large ones only with the vectors in use, as that takes longest; but floats have the same bits with all.
  const bool is_small = n <= 200;
  const auto least = !is_exact  ? test::least_vectors
                     : is_small ? test::simd_level::none
                                : onepass::detail::simd_in_use();
  test::at_each_simd_level(least, [&] {
    for (const int threads : {1, 3}) check_threads(threads);
  });
}

}  // namespace

// Every size up to some groups of 64 items, several tiles, segments of a few items, of more than a tile, and one.
ONEPASS_CPU_TEST(segmented_scan, vectors) {
  std::vector<std::size_t> sizes(200);
  for (std::size_t n = 0; n < sizes.size(); ++n) sizes[n] = n;
  sizes.push_back(test::limited(500003));
  for (const std::size_t n : sizes) {
    for (const double share : {0.0, 0.00002, 0.2}) {
      SCOPED_TRACE(testing::Message() << n << " items, heads " << share);
      const std::vector<std::uint8_t> flags = test::random_flags(n, n, share);
      check_vectors(test::random_between<float>(n, n, -9, 9), flags, onepass::sum{}, true);  // whole numbers
      check_vectors(test::random_values<std::int16_t>(n, n), flags, onepass::minimum{}, true);
    }
  }
}
ONEPASS_CPU_TEST(segmented_scan, vectors_same_bits) {
  const std::size_t n = test::limited(500003);
  for (const double share : {0.0, 0.00002, 0.2})
    check_vectors(test::random_fractions<float>(n, 3), test::random_flags(n, 4, share), onepass::sum{}, false);
}
// A segment of -0 alone keeps its sign, in each lane.
ONEPASS_CPU_TEST(segmented_scan, vectors_negative_zero) {
  const std::vector<float> zeros(150, -0.0f);
  for (const double share : {0.0, 0.2, 1.0}) {
    std::vector<float> out(zeros.size());
    const std::vector<std::uint8_t> flags = test::random_flags(zeros.size(), 1, share);
    test::at_each_simd_level([&] {
      onepass::inclusive_segmented_scan(zeros.begin(), zeros.end(), flags.begin(), out.begin());
      EXPECT_TRUE(test::identical(out, zeros)) << share;
    });
  }
}

ONEPASS_TEST(segmented_scan, bool_flags_non_commutative) {
  const std::size_t n = test::limited(100003);
  const std::vector<std::uint8_t> flags = test::random_flags(n, 1, 0.01);
  const std::vector<test::matrix> values = test::random_values<test::matrix>(n, 2);
  const test::buffer<std::uint8_t> heads(backend, flags);
  const test::buffer<test::matrix> in(backend, values), out(backend, n);
  const bool* first = reinterpret_cast<const bool*>(heads.begin());
  onepass::inclusive_segmented_scan(backend.policy(), in.begin(), in.end(), first, out.begin(), test::matrix_product{});
  EXPECT_TRUE(test::same(out.to_host(), test::inclusive_segmented_reference(values, flags, test::matrix_product{})));
  const test::matrix init{5, 6, 7, 9};
  onepass::exclusive_segmented_scan(backend.policy(), in.begin(), in.end(), first, out.begin(), init,
                                    test::matrix_product{});
  EXPECT_TRUE(
      test::same(out.to_host(), test::exclusive_segmented_reference(values, flags, init, test::matrix_product{})));
}

ONEPASS_TEST(segmented_scan, computed_flags) {
  for (const std::int64_t length : {1, 7, 4096, 1 << 30}) {
    SCOPED_TRACE(testing::Message() << "length " << length);
    const std::size_t n = test::limited(100003);
    std::vector<std::uint8_t> flags(n);
    for (std::size_t i = 0; i < n; ++i) flags[i] = static_cast<std::int64_t>(i) % length == 0;
    check_heads(backend, n, flags,
                thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), divides{length}));
  }
}

// Row offsets as of a sparse matrix: empty rows at the start, in between and at the end, the number of items last.
ONEPASS_TEST(segmented_scan, offsets_with_empty_segments) {
  for (const std::size_t n : test::sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    std::vector<std::int32_t> offsets;
    for (const std::int64_t start : test::segment_starts(n, n, n % 2 == 0 ? 3 : 0)) {
      for (std::uint64_t copies = test::hash(n, static_cast<std::uint64_t>(start)) % 3 + 1; copies > 0; --copies) {
        offsets.push_back(static_cast<std::int32_t>(start));
      }
    }
    offsets.insert(offsets.end(), 2, static_cast<std::int32_t>(n));
    offsets.push_back(static_cast<std::int32_t>(n) + 1000);
    const test::buffer<std::int32_t> row_offsets(backend, offsets, 1);
    check_heads(backend, n, test::heads_of_offsets(offsets, n),
                onepass::offsets(row_offsets.begin(), row_offsets.end()));
  }
}

namespace {

// Offsets in front of the items and behind them, segments of an item or two or of many thousands, so that some tiles begin
// none, and `empty` more in a row.
template <class Backend>
void check_offsets_of_every_density(const Backend& backend, std::size_t n, std::size_t empty) {
  for (const std::size_t mean : {std::size_t{1}, std::size_t{0}}) {
    SCOPED_TRACE(testing::Message() << n << " items, mean length " << mean);
    std::vector<std::int64_t> offsets{-7, -1};
    for (const std::int64_t start : test::segment_starts(n, n, mean))
      offsets.insert(offsets.end(), test::hash(n, static_cast<std::uint64_t>(start)) % 8 * 3 / 8, start);
    const std::size_t middle = offsets.size() / 2;
    offsets.insert(offsets.begin() + static_cast<std::ptrdiff_t>(middle), empty, std::int64_t{offsets[middle]});
    offsets.insert(offsets.end(), 300, static_cast<std::int64_t>(n));
    const test::buffer<std::int64_t> begins(backend, offsets);
    check_heads(backend, n, test::heads_of_offsets(offsets, n), onepass::offsets(begins.begin(), begins.end()));
  }
}

}  // namespace

ONEPASS_TEST(segmented_scan, offsets_of_every_density) {
  check_offsets_of_every_density(backend, 300, 70011);
  check_offsets_of_every_density(backend, test::limited(70003), 70011);
}
#if ONEPASS_HAS_CUDA
// Through the pipeline: bits are made by a kernel before where offsets are dense, and tile by tile where they are not.
ONEPASS_GPU_TEST(segmented_scan, offsets_of_long_scans) {
  check_offsets_of_every_density(backend, test::limited(4300007), 30011);
}
#endif

// Unsigned ones of 2^63 and more lie behind all items.
ONEPASS_TEST(segmented_scan, offsets_as_large_as_can_be) {
  const std::size_t n = test::limited(20011);
  const std::uint64_t last = n - 3, sign = std::uint64_t{1} << 63;
  const std::vector<std::uint64_t> offsets{0, 2, 1000, last, sign - 1, sign, sign + 5, ~std::uint64_t{0}};
  const test::buffer<std::uint64_t> begins(backend, offsets);
  std::vector<std::uint8_t> heads(n);
  for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{1000}, last}) heads[at] = 1;
  check_heads(backend, n, heads, onepass::offsets(begins.begin(), begins.end()));
}

// Few, far apart, not from 0 on; none at all; and computed.
ONEPASS_TEST(segmented_scan, offsets_of_every_kind) {
  const std::size_t n = test::limited(100003);
  const std::vector<std::int64_t> few{5000, 5001, 17000};
  const test::buffer<std::int64_t> offsets(backend, few);
  check_heads(backend, n, test::heads_of_offsets(few, n), onepass::offsets(offsets.begin(), offsets.end()));
  check_heads(backend, n, std::vector<std::uint8_t>(n), onepass::offsets(offsets.begin(), offsets.begin()));
  const auto computed = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), times{100});
  std::vector<std::uint8_t> flags(n);
  for (std::size_t i = 0; i < n; i += 100) flags[i] = 1;
  check_heads(backend, n, flags, onepass::offsets(computed, computed + static_cast<std::int64_t>(n)));
}

ONEPASS_CPU_TEST(segmented_scan, vector_of_bool_and_strings) {
  const std::size_t n = 3001;
  const std::vector<std::uint8_t> flags = test::random_flags(n, 4, 0.1);
  const std::vector<bool> heads(flags.begin(), flags.end());
  std::vector<std::string> words(n), out(n);
  for (std::size_t i = 0; i < n; ++i) words[i] = std::string(1, static_cast<char>('a' + i % 26));
  onepass::inclusive_segmented_scan(backend.policy(), words.begin(), words.end(), heads.begin(), out.begin(),
                                    std::plus<std::string>{});
  EXPECT_TRUE(test::same(out, test::inclusive_segmented_reference(words, flags, std::plus<>{})));
}

ONEPASS_CPU_TEST(segmented_scan, throwing_operator_and_key_equality) {
  const std::size_t n = test::limited(150001);
  const std::vector<std::uint8_t> flags = test::random_flags(n, 5, 0.001);
  for (const int threads : {1, 2, 5}) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    const auto p = onepass::cpu(threads);
    std::vector<std::int64_t> values = test::random_between<std::int64_t>(n, 6, 0, 100), out(n);
    std::vector<std::int64_t> keys = test::keys_of<std::int64_t>(test::segment_starts(n, 6, 50), n, 6);
    const auto by_flags = [&] {
      onepass::inclusive_segmented_scan(p, values.begin(), values.end(), flags.begin(), out.begin(),
                                        test::throwing_sum{});
    };
    const auto by_keys = [&] {
      onepass::inclusive_scan_by_key(p, keys.begin(), keys.end(), values.begin(), out.begin(), test::throwing_equal{});
    };
    // The operator may be spared an item between two heads; one of these two in a row is not a head.
    std::size_t at = n / 2;
    while (flags[at] || flags[at + 1]) ++at;
    const std::int64_t value = values[at], key = keys[at];
    values[at] = test::refused_value;
    EXPECT_TRUE(test::throws<test::refusal>("refused", by_flags));
    values[at] = value;
    by_flags();
    EXPECT_TRUE(test::same(out, test::inclusive_segmented_reference(values, flags, onepass::sum{})));
    keys[at] = test::refused_value;
    EXPECT_TRUE(test::throws<test::refusal>("refused", by_keys));
    keys[at] = key;
    by_keys();
    EXPECT_TRUE(
        test::same(out, test::inclusive_segmented_reference(values, test::heads_of_keys(keys), onepass::sum{})));
  }
}
