// SPDX-License-Identifier: Apache-2.0
// segmented_reduce by offsets: lengths of all kinds, around strips and tiles; empty segments, one and many; types, iterators,
// addresses, sizes in memory; the same bits in each run.
#include <onepass/segmented_reduce.hpp>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "offsets_fixture.hpp"
#include "support/execution.hpp"
#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

template <class T, class Op, class Backend>
void check(const Backend& backend, const std::vector<std::size_t>& sizes, T init, Op op) {
  for (const std::size_t n : sizes) {
    const std::vector<T> values = test::random_values<T>(n, n);
    for (int kind = 0; kind < test::kinds; ++kind) {
      SCOPED_TRACE(testing::Message() << n << " items, segments of kind " << kind);
      const test::offsets_list offsets = test::drawn_offsets(n, kind);
      const std::size_t segments = offsets.size() - 1;
      const test::buffer<T> in(backend, values, (n + static_cast<std::size_t>(kind)) % 4),
          out(backend, segments, n % 2);
      const test::buffer<std::int64_t> at(backend, offsets);
      onepass::segmented_reduce(backend.policy(), in.begin(), in.end(), onepass::offsets(at.begin(), at.end()),
                                out.begin(), init, op);
      ASSERT_TRUE(test::same(out.to_host(), test::expected_results(values, offsets, n, init, op)));
    }
  }
}

// Around the steps that one tile has, its items, and the most that short paths have.
std::vector<std::size_t> tile_sizes(bool on_device) {
  std::vector<std::size_t> sizes = test::few_sizes();
  for (const std::size_t n : {3711, 3712, 3713, 7423, 7424, 7425, 14848}) sizes.push_back(n);
  if (!test::small_only()) sizes.insert(sizes.end(), {390007, 1000003});
  if (on_device && !test::small_only()) sizes.insert(sizes.end(), {2621440, 2621500, 5000011});
  return sizes;
}

template <std::size_t count>
struct triples {
  test::triple x[count];
  friend bool operator==(const triples& a, const triples& b) {
    return std::equal(std::begin(a.x), std::end(a.x), std::begin(b.x));
  }
};
template <std::size_t count>
struct products {
  ONEPASS_HOST_DEVICE triples<count> operator()(const triples<count>& a, const triples<count>& b) const {
    triples<count> all{};
    for (std::size_t i = 0; i < count; ++i) all.x[i] = test::triangular_product{}(a.x[i], b.x[i]);
    return all;
  }
};
// Items of which a tile has fewer than a block has threads.
template <std::size_t count, class Backend>
void check_triples(const Backend& backend) {
  using items = triples<count>;
  for (const std::size_t n : test::few_sizes()) {
    if (n * count > 2500000) continue;  // takes long
    const std::vector<test::triple> parts = test::random_values<test::triple>(count * n, n);
    std::vector<items> values(n);
    for (std::size_t i = 0; i < count * n; ++i) values[i / count].x[i % count] = parts[i];
    for (int kind = 0; kind < test::kinds; ++kind) {
      SCOPED_TRACE(testing::Message() << n << " items, segments of kind " << kind);
      const test::offsets_list offsets = test::drawn_offsets(n, kind);
      const test::buffer<items> in(backend, values, 1), out(backend, offsets.size() - 1);
      const test::buffer<std::int64_t> at(backend, offsets);
      onepass::segmented_reduce(backend.policy(), in.begin(), in.end(), onepass::offsets(at.begin(), at.end()),
                                out.begin(), items{}, products<count>{});
      ASSERT_TRUE(out.to_host() == test::expected_results(values, offsets, n, items{}, products<count>{}));
    }
  }
}

struct less_by_7 {
  ONEPASS_HOST_DEVICE std::int32_t operator()(std::int32_t x) const { return x - 7; }
};
struct times_3 {
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i * 3; }
};

}  // namespace

ONEPASS_TEST(segmented_reduce_by_offsets, uint32) {
  check<std::uint32_t>(backend, tile_sizes(backend_type::on_device), 5, test::plain_sum{});
}
ONEPASS_TEST(segmented_reduce_by_offsets, uint64) {
  check<std::uint64_t>(backend, tile_sizes(backend_type::on_device), 9, onepass::bit_xor{});
}
ONEPASS_TEST(segmented_reduce_by_offsets, uint8) {
  check<std::uint8_t>(backend, tile_sizes(backend_type::on_device), 3, onepass::maximum{});
}
ONEPASS_TEST(segmented_reduce_by_offsets, byte_maps) {
  check<test::byte_map>(backend, test::few_sizes(), test::byte_map{3, 1}, test::map_then_map{});
}
ONEPASS_TEST(segmented_reduce_by_offsets, matrices) {
  check<test::matrix>(backend, tile_sizes(backend_type::on_device), test::matrix{1, 2, 3, 4}, test::matrix_product{});
}
ONEPASS_TEST(segmented_reduce_by_offsets, triples) {
  check<test::triple>(backend, tile_sizes(backend_type::on_device), test::triple{1, 2, 3}, test::triangular_product{});
}
ONEPASS_TEST(segmented_reduce_by_offsets, structs_of_240_bytes) { check_triples<10>(backend); }
ONEPASS_TEST(segmented_reduce_by_offsets, structs_of_1200_bytes) { check_triples<50>(backend); }
// On CUDA a block that has a segment a warp has no room for these.
ONEPASS_TEST(segmented_reduce_by_offsets, structs_of_16_kilobytes) { check_triples<683>(backend); }
ONEPASS_TEST(segmented_reduce_by_offsets, of_a_slow_operator) {
  check<std::uint64_t>(backend, {test::limited(300007)}, 0, test::slow_sum{});
}

// Items and offsets that are computed, and results that are stored from the back.
ONEPASS_TEST(segmented_reduce_by_offsets, iterators) {
  for (const std::size_t n : test::few_sizes()) {
    SCOPED_TRACE(testing::Message() << n << " items");
    std::vector<std::int32_t> values = test::random_between<std::int32_t>(n, n, -1000, 1000);
    const test::buffer<std::int32_t> in(backend, values);
    const std::size_t segments = (n + 2) / 3;
    const test::buffer<std::int32_t> out(backend, segments);
    test::offsets_list offsets;
    for (std::size_t s = 0; s <= segments; ++s) offsets.push_back(static_cast<std::int64_t>(3 * s));
    for (std::int32_t& x : values) x -= 7;
    const auto first = thrust::make_transform_iterator(in.begin(), less_by_7{});
    const auto at = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), times_3{});
    onepass::segmented_reduce(backend.policy(), first, first + static_cast<std::ptrdiff_t>(n),
                              onepass::offsets(at, at + static_cast<std::ptrdiff_t>(segments + 1)),
                              thrust::make_reverse_iterator(out.end()), 100, onepass::sum{});
    std::vector<std::int32_t> expected = test::expected_results(values, offsets, n, 100, onepass::sum{});
    std::reverse(expected.begin(), expected.end());
    ASSERT_TRUE(test::same(out.to_host(), expected));
  }
}

// Sums of another type than the items', of int32 offsets.
ONEPASS_TEST(segmented_reduce_by_offsets, wider_sums) {
  for (const std::size_t n : test::few_sizes()) {
    const std::vector<std::int8_t> values = test::random_values<std::int8_t>(n, n);
    const test::offsets_list offsets = test::drawn_offsets(n, 2);
    const std::size_t segments = offsets.size() - 1;
    const test::buffer<std::int8_t> in(backend, values, 1);
    const test::buffer<std::int32_t> at(backend, std::vector<std::int32_t>(offsets.begin(), offsets.end()));
    const test::buffer<std::int64_t> out(backend, segments);
    onepass::segmented_reduce(backend.policy(), in.begin(), in.end(), onepass::offsets(at.begin(), at.end()),
                              out.begin(), std::int64_t{1} << 40);
    const std::vector<std::int64_t> wide(values.begin(), values.end());
    ASSERT_TRUE(
        test::same(out.to_host(), test::expected_results(wide, offsets, n, std::int64_t{1} << 40, onepass::sum{})));
  }
}

// Sums of fractions have the same bits in every run, and on CUDA at every address.
ONEPASS_TEST(segmented_reduce_by_offsets, same_bits) {
  const std::size_t n = test::limited(1700007);
  for (const int kind : {1, 3, 4, 5, 8, 9, 10, 11}) {
    const std::vector<float> values = test::random_fractions<float>(n, n);
    const test::offsets_list offsets = test::drawn_offsets(n, kind);
    const test::buffer<std::int64_t> at(backend, offsets);
    std::vector<float> first;
    for (std::size_t run = 0; run < 6; ++run) {
      const test::buffer<float> in(backend, values, backend_type::on_device ? run % 4 : 0),
          out(backend, offsets.size() - 1);
      onepass::segmented_reduce(backend.policy(), in.begin(), in.end(), onepass::offsets(at.begin(), at.end()),
                                out.begin(), 0.5f);
      if (run == 0) first = out.to_host();
      ASSERT_TRUE(test::same(out.to_host(), first)) << "segments of kind " << kind << ", run " << run;
    }
  }
}

// Items behind a size in memory do not exist.
ONEPASS_TEST(segmented_reduce_by_offsets, sized) {
  const std::size_t most = test::limited(1700003);
  const std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(most, 3);
  const test::buffer<std::uint32_t> in(backend, values);
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1700}, most / 2, most, most + 5}) {
    for (int kind = 0; kind < test::kinds; ++kind) {
      SCOPED_TRACE(testing::Message() << n << " items, segments of kind " << kind);
      const test::offsets_list offsets = test::drawn_offsets(most, kind);
      const test::buffer<std::int64_t> at(backend, offsets),
          size(backend, std::vector<std::int64_t>{static_cast<std::int64_t>(n)});
      const test::buffer<std::uint32_t> out(backend, offsets.size() - 1);
      onepass::segmented_reduce(backend.policy().sized_by(size.begin()), in.begin(), in.end(),
                                onepass::offsets(at.begin(), at.end()), out.begin(), 11u, test::plain_sum{});
      ASSERT_TRUE(test::same(out.to_host(),
                             test::expected_results(values, offsets, std::min(n, most), 11u, test::plain_sum{})));
    }
  }
}

#if ONEPASS_HAS_CUDA
// So many, of 2,000 and of 7,000 items in the mean, that there are more blocks than fit on a device. Some are cut.
ONEPASS_GPU_TEST(segmented_reduce_by_offsets, many_that_are_not_short) {
  for (const std::uint64_t mean : {2000u, 7000u}) {
    const std::size_t n = test::limited(9000 * mean);
    const test::offsets_list offsets = test::offsets_of(n, [&](std::uint64_t k) {
      return k % 500 == 77 ? 100000 + test::hash(mean, k) % 3 : test::hash(mean, k) % (2 * mean - 400);
    });
    const test::buffer<std::int64_t> at(backend, offsets);
    const test::buffer<std::uint64_t> out(backend, offsets.size() - 1);
    const thrust::counting_iterator<std::uint64_t> in(0);
    onepass::segmented_reduce(backend.policy(), in, in + static_cast<std::ptrdiff_t>(n),
                              onepass::offsets(at.begin(), at.end()), out.begin());
    std::vector<std::uint64_t> expected(out.size());
    const auto below = [](std::int64_t i) {
      return static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(i - 1) / 2;
    };
    for (std::size_t s = 0; s < expected.size(); ++s) expected[s] = below(offsets[s + 1]) - below(offsets[s]);
    EXPECT_TRUE(test::same(out.to_host(), expected)) << "mean " << mean;
  }
}
#endif

// One segment of more than 2^31 items, whose tiles are many; and a short one, and an empty one, on either side.
ONEPASS_TEST(segmented_reduce_by_offsets, large) {
  const auto n = static_cast<std::int64_t>(test::limited(test::large_size));
  const test::buffer<std::int64_t> at(backend, test::offsets_list{1, 4, 4, n - 1, n - 1, n}), out(backend, 5);
  const thrust::constant_iterator<std::int64_t> ones(1);
  onepass::segmented_reduce(backend.policy(), ones, ones + n, onepass::offsets(at.begin(), at.end()), out.begin());
  EXPECT_TRUE(test::same(out.to_host(), {3, 0, n - 5, 0, 1}));
}

namespace {
// For the checks of workspaces, streams and graphs.
template <class Backend>
class sums_by_offsets {
 public:
  sums_by_offsets(const Backend& backend, std::size_t n)
      : n_(n),
        offsets_(test::drawn_offsets(n, 1)),
        at_(backend, offsets_),
        in_(backend, n),
        out_(backend, offsets_.size() - 1) {}
  void load(std::uint64_t seed) {
    values_ = test::random_values<std::uint32_t>(n_, seed);
    in_.assign(values_);
    out_.poison_all();
  }
  template <class Policy>
  void run(const Policy& p) const {
    onepass::segmented_reduce(p, in_.begin(), in_.end(), onepass::offsets(at_.begin(), at_.end()), out_.begin(), 1u,
                              onepass::sum{});
  }
  void check() const {
    EXPECT_TRUE(test::same(out_.to_host(), test::expected_results(values_, offsets_, n_, 1u, onepass::sum{})));
  }
  bool untouched() const { return out_.untouched() && in_.to_host() == values_; }

 private:
  std::size_t n_;
  test::offsets_list offsets_;
  test::buffer<std::int64_t> at_;
  test::buffer<std::uint32_t> in_, out_;
  std::vector<std::uint32_t> values_;
};
}  // namespace

ONEPASS_TEST(segmented_reduce_by_offsets, workspace) { test::check_workspace<sums_by_offsets<backend_type>>(backend); }
#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(segmented_reduce_by_offsets, graph) { test::check_graph<sums_by_offsets<test::cuda_backend>>(false); }
ONEPASS_GPU_TEST(segmented_reduce_by_offsets, eight_streams) {
  test::check_eight_streams<sums_by_offsets<test::cuda_backend>>();
}
ONEPASS_GPU_TEST(segmented_reduce_by_offsets, allocates_nothing) {
  test::check_launches<sums_by_offsets<test::cuda_backend>>(0);
}
#endif
