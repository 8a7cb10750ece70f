// SPDX-License-Identifier: Apache-2.0
// Scans and reductions of equal rows: every length around words, tiles and the whole input, also those that do not divide
// the number of items; types, operators that do not commute, iterators, sizes in memory, workspaces, arguments.
#include <onepass/segmented_reduce.hpp>
#include <onepass/segmented_scan.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/execution.hpp"
#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/simd_levels.hpp"
#include "support/test.hpp"

namespace {

constexpr std::int64_t endless = std::int64_t{1} << 62;

// Lengths for n items: around a lane's, a warp's, a word's and a block's items, primes, a tile's, and the whole input.
std::vector<std::int64_t> lengths_for(std::size_t n) {
  std::vector<std::int64_t> lengths{1,    2,    3,    7,    16,   31,   32,   33,   63,   64,   65,    100,    333,
                                    1000, 1024, 1025, 2047, 2048, 2049, 4099, 8191, 8192, 8193, 65536, endless};
  for (const std::int64_t near : {-1, 0, 1}) lengths.push_back(static_cast<std::int64_t>(n) + near);
  lengths.erase(std::remove_if(lengths.begin(), lengths.end(), [](std::int64_t length) { return length < 1; }),
                lengths.end());
  return lengths;
}

std::vector<std::uint8_t> heads_of_rows(std::size_t n, std::int64_t length) {
  std::vector<std::uint8_t> heads(n);
  for (std::size_t i = 0; i < n; ++i) heads[i] = static_cast<std::int64_t>(i) % length == 0;
  return heads;
}

// One result a row: init and the row's items, combined.
template <class T, class Op>
std::vector<T> reduced_rows(const std::vector<T>& items, const std::vector<std::uint8_t>& heads, T init, Op op) {
  std::vector<T> results = test::ends_of(test::inclusive_segmented_reference(items, heads, op), heads);
  for (T& result : results) result = static_cast<T>(op(init, result));
  return results;
}

// Both scans, also in place, and the reduction, of the items that `shift` moves off the alignment of an allocation.
template <class T, class Op, class Backend>
void check_rows(const Backend& backend, const std::vector<T>& items, std::int64_t length, T init, Op op,
                std::size_t shift) {
  const std::size_t n = items.size();
  SCOPED_TRACE(testing::Message() << n << " items in rows of " << length);
  const std::vector<std::uint8_t> heads = heads_of_rows(n, length);
  const std::vector<T> inclusive = test::inclusive_segmented_reference(items, heads, op);
  const std::vector<T> sums = reduced_rows(items, heads, init, op);
  const test::buffer<T> in(backend, items, shift), out(backend, n), results(backend, sums.size(), shift);
  const auto p = backend.policy();
  const auto rows = onepass::rows(length);
  EXPECT_EQ(onepass::inclusive_segmented_scan(p, in.begin(), in.end(), rows, out.begin(), op), out.end());
  EXPECT_TRUE(test::same(out.to_host(), inclusive)) << "inclusive";
  out.poison_all();
  EXPECT_EQ(onepass::exclusive_segmented_scan(p, in.begin(), in.end(), rows, out.begin(), init, op), out.end());
  EXPECT_TRUE(test::same(out.to_host(), test::exclusive_segmented_reference(items, heads, init, op))) << "exclusive";
  EXPECT_EQ(onepass::segmented_reduce(p, in.begin(), in.end(), rows, results.begin(), init, op), results.end());
  EXPECT_TRUE(test::same(results.to_host(), sums)) << "reduce";
  onepass::inclusive_segmented_scan(p, in.begin(), in.end(), rows, in.begin(), op);
  EXPECT_TRUE(test::same(in.to_host(), inclusive)) << "in place";
}

template <class T, class Op, class Backend>
void check_every_length(const Backend& backend, T init, Op op, const std::vector<std::size_t>& sizes) {
  for (const std::size_t n : sizes) {
    const std::vector<T> items = test::random_values<T>(n, n);
    for (const std::int64_t length : lengths_for(n))
      check_rows(backend, items, length, init, op, static_cast<std::size_t>(length) % 3);
  }
}

}  // namespace

ONEPASS_TEST(rows, uint32_sums) { check_every_length<std::uint32_t>(backend, 7, onepass::sum{}, test::sizes()); }
ONEPASS_TEST(rows, int8_sums) { check_every_length<std::int8_t>(backend, 3, onepass::sum{}, test::few_sizes()); }
ONEPASS_TEST(rows, uint16_maxima) {
  check_every_length<std::uint16_t>(backend, 5, onepass::maximum{}, test::few_sizes());
}
ONEPASS_TEST(rows, uint64_sums_of_an_unknown_kind) {
  check_every_length<std::uint64_t>(backend, 9, test::plain_sum{}, test::few_sizes());
}
ONEPASS_TEST(rows, matrices) {
  check_every_length<test::matrix>(backend, {1, 2, 3, 4}, test::matrix_product{}, test::few_sizes());
}
ONEPASS_TEST(rows, triples) {
  check_every_length<test::triple>(backend, {1, 2, 3}, test::triangular_product{}, test::few_sizes());
}

#if ONEPASS_HAS_CUDA
// Through the pipeline: items of each size, at addresses that are aligned and not, rows of which many, one, or none begin
// in a strip, a share and a tile.
template <class T, class Op>
static void check_long(const test::cuda_backend& backend, T init, Op op) {
  const std::size_t n = test::limited((std::size_t{20} << 20) / sizeof(T) + 12345);
  const std::vector<T> items = test::random_values<T>(n, 5);
  for (const std::int64_t length : {1, 2, 3, 5, 16, 31, 32, 33, 100, 1000, 4099, 65536, 1000003})
    check_rows(backend, items, length, init, op, static_cast<std::size_t>(length) % 2);
  check_rows(backend, items, endless, init, op, 1);
}
ONEPASS_GPU_TEST(rows, long_uint32_sums) { check_long<std::uint32_t>(backend, 7, onepass::sum{}); }
ONEPASS_GPU_TEST(rows, long_int8_sums) { check_long<std::int8_t>(backend, 3, onepass::sum{}); }
ONEPASS_GPU_TEST(rows, long_uint64_sums) { check_long<std::uint64_t>(backend, 9, onepass::sum{}); }
ONEPASS_GPU_TEST(rows, long_matrices) { check_long<test::matrix>(backend, {1, 2, 3, 4}, test::matrix_product{}); }
#endif

// Vectors of every size, and any number of threads: whole numbers, so that each order of the sum gives the same.
ONEPASS_CPU_TEST(rows, vectors) {
  const std::size_t n = test::limited(300007);
  const std::vector<float> items = test::random_between<float>(n, 3, -9, 9);
  test::at_each_simd_level([&] {
    for (const std::int64_t length : {1, 5, 16, 63, 64, 100, 5000, 100000})
      check_rows(backend, items, length, 2.0f, onepass::sum{}, 1);
  });
  for (const int threads : {1, 3}) check_rows(test::cpu_backend{threads}, items, 77, 2.0f, onepass::sum{}, 0);
}

// Items and results that are no arrays.
ONEPASS_TEST(rows, iterators) {
  const std::size_t n = test::limited(100003);
  for (const std::int64_t length : {1, 10, 33, 5000}) {
    const std::vector<std::uint8_t> heads = heads_of_rows(n, length);
    std::vector<std::int64_t> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<std::int64_t>(i);
    const test::buffer<std::int64_t> out(backend, n);
    const thrust::counting_iterator<std::int64_t> first(0), last(static_cast<std::int64_t>(n));
    const auto to = thrust::make_permutation_iterator(out.begin(), thrust::counting_iterator<std::int64_t>(0));
    onepass::inclusive_segmented_scan(backend.policy(), first, last, onepass::rows(length), to);
    EXPECT_TRUE(test::same(out.to_host(), test::inclusive_segmented_reference(items, heads, onepass::sum{}))) << length;
    onepass::segmented_reduce(backend.policy(), first, last, onepass::rows(length), to);
    const std::vector<std::int64_t> sums = reduced_rows(items, heads, std::int64_t{0}, onepass::sum{});
    EXPECT_TRUE(test::same(out.to_host(sums.size()), sums)) << length;
  }
}

// Where the system is told by the iterators: rows are nowhere.
ONEPASS_TEST(rows, without_a_policy) {
  const std::vector<int> items = test::random_between<int>(1000, 1, -1000, 1000);
  const std::vector<std::uint8_t> heads = heads_of_rows(1000, 7);
  const test::buffer<int> in(backend, items), out(backend, 1000), sums(backend, 143);
  const auto first = backend.tagged(in.begin()), last = backend.tagged(in.end());
  const auto to = backend.tagged(out.begin()), sums_to = backend.tagged(sums.begin());
  onepass::inclusive_segmented_scan(first, last, onepass::rows(7), to);
  EXPECT_TRUE(test::same(out.to_host(), test::inclusive_segmented_reference(items, heads, onepass::sum{})));
  onepass::inclusive_segmented_scan(first, last, onepass::rows(7), to, onepass::maximum{});
  EXPECT_TRUE(test::same(out.to_host(), test::inclusive_segmented_reference(items, heads, onepass::maximum{})));
  onepass::exclusive_segmented_scan(first, last, onepass::rows(7), to, 5);
  EXPECT_TRUE(test::same(out.to_host(), test::exclusive_segmented_reference(items, heads, 5, onepass::sum{})));
  const auto check_sums = [&](int init) {
    EXPECT_TRUE(test::same(sums.to_host(), reduced_rows(items, heads, init, onepass::sum{}))) << init;
  };
  onepass::segmented_reduce(first, last, onepass::rows(7), sums_to);
  check_sums(0);
  onepass::segmented_reduce(first, last, onepass::rows(7), sums_to, 4);
  check_sums(4);
  onepass::segmented_reduce(first, last, onepass::rows(7), sums_to, 9, onepass::sum{});
  check_sums(9);
}

// With a size in memory there is a result for each row of the room; rows behind the size are empty.
ONEPASS_TEST(rows, sized) {
  const std::size_t room = test::limited(200003);
  const std::vector<std::int32_t> items = test::random_between<std::int32_t>(room, 2, -1000, 1000);
  const test::buffer<std::int32_t> in(backend, items), out(backend, room), results(backend, room);
  const test::buffer<std::int64_t> size(backend, 1);
  const auto most = static_cast<std::int64_t>(room);
  for (const std::int64_t length : {std::int64_t{1}, std::int64_t{10}, std::int64_t{4096}, most}) {
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, most / 7, most - 1, most, most + 5}) {
      SCOPED_TRACE(testing::Message() << n << " items in rows of " << length);
      const auto count = static_cast<std::size_t>(std::min(n, most));
      const std::vector<std::int32_t> used(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count));
      const std::vector<std::uint8_t> heads = heads_of_rows(count, length);
      size.assign({n});
      out.poison_all();
      const auto p = backend.policy().sized_by(size.begin());
      onepass::inclusive_segmented_scan(p, in.begin(), in.end(), onepass::rows(length), out.begin());
      EXPECT_TRUE(test::same(out.to_host(count), test::inclusive_segmented_reference(used, heads, onepass::sum{})));
      EXPECT_TRUE(out.untouched(count));
      std::vector<std::int32_t> sums = reduced_rows(used, heads, 3, onepass::sum{});
      sums.resize(static_cast<std::size_t>((most + length - 1) / length), 3);
      onepass::segmented_reduce(p, in.begin(), in.end(), onepass::rows(length), results.begin(), 3);
      EXPECT_TRUE(test::same(results.to_host(sums.size()), sums));
    }
  }
}

ONEPASS_TEST(rows, arguments) {
  const std::vector<int> items{1, 2, 3};
  const test::buffer<int> in(backend, items), out(backend, 3);
  const auto p = backend.policy();
  for (const std::int64_t length : {std::int64_t{0}, std::int64_t{-1}, -endless}) {
    const auto rows = onepass::rows(length);
    EXPECT_TRUE(test::throws<onepass::invalid_argument>(
        "onepass::inclusive_segmented_scan: a row has less than one item",
        [&] { onepass::inclusive_segmented_scan(p, in.begin(), in.end(), rows, out.begin()); }));
    EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::segmented_reduce: a row has less than one item", [&] {
      onepass::segmented_reduce(p, in.begin(), in.begin(), rows, out.begin());
    }));
  }
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::segmented_reduce: out overlaps", [&] {
    onepass::segmented_reduce(p, in.begin(), in.end(), onepass::rows(2), in.begin() + 1);
  }));
  EXPECT_TRUE(out.untouched());
}

namespace {

// A scan of rows and a reduction of its results.
template <class Backend>
class row_calls {
 public:
  row_calls(const Backend& backend, std::size_t n) : in_(backend, n), out_(backend, n), sums_(backend, (n + 36) / 37) {}
  void load(std::uint64_t seed) {
    values_ = test::random_between<std::int32_t>(in_.size(), seed, -1000, 1000);
    in_.assign(values_);
    out_.poison_all(), sums_.poison_all();
  }
  template <class Policy>
  void run(const Policy& p) const {
    onepass::exclusive_segmented_scan(p, in_.begin(), in_.end(), onepass::rows(37), out_.begin(), 5);
    onepass::segmented_reduce(p, out_.begin(), out_.end(), onepass::rows(37), sums_.begin(), 1);
  }
  void check() const {
    const std::vector<std::uint8_t> heads = heads_of_rows(values_.size(), 37);
    const std::vector<std::int32_t> scanned = test::exclusive_segmented_reference(values_, heads, 5, onepass::sum{});
    EXPECT_TRUE(test::same(out_.to_host(), scanned));
    EXPECT_TRUE(test::same(sums_.to_host(), reduced_rows(scanned, heads, 1, onepass::sum{})));
  }
  bool untouched() const { return out_.untouched() && sums_.untouched() && in_.to_host() == values_; }

 private:
  test::buffer<std::int32_t> in_, out_, sums_;
  std::vector<std::int32_t> values_;
};

}  // namespace

ONEPASS_TEST(rows, workspace) { test::check_workspace<row_calls<backend_type>>(backend); }
#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(rows, graph) { test::check_graph<row_calls<test::cuda_backend>>(false); }
#endif
