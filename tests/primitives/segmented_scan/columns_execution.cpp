// SPDX-License-Identifier: Apache-2.0
// How scans and reductions of columns are executed: long chains of tiles, threads, vectors of every size, sizes in memory,
// workspaces, arguments.
#include <string>

#include "primitives/segmented_scan/columns_fixture.hpp"
#include "support/execution.hpp"
#include "support/operators.hpp"
#include "support/simd_levels.hpp"

using test::all_rows;
using test::arrays;
using test::check_columns;
using test::exclusive_columns;
using test::inclusive_columns;
using test::reduced_columns;

// A slow operator, so that tiles end in another order than they begin, and long chains of tiles in few columns.
ONEPASS_TEST(columns, long_chains) {
  const std::size_t n = test::limited(backend_type::on_device ? 3000000 : 300000);
  const std::vector<std::uint64_t> items = test::random_values<std::uint64_t>(n, 3);
  for (const std::int64_t width : {2, 7, 64, 200})
    check_columns<std::uint64_t>(backend, items, width, all_rows, 1, test::slow_sum{});
}

// The same bits each time, whatever the order in which tiles end, and with any number of threads.
ONEPASS_TEST(columns, same_bits) {
  const std::size_t n = test::limited(2000000);
  const std::vector<float> items = test::random_fractions<float>(n, 3);
  const test::buffer<float> in(backend, items), out(backend, n);
  for (const std::int64_t width : {2, 9, 300}) {
    std::vector<float> first;
    for (int run = 0; run < 4; ++run) {
      backend_type other = backend;
      if constexpr (!backend_type::on_device) other = backend_type{run};
      out.poison_all();
      onepass::inclusive_segmented_scan(other.policy(), in.begin(), in.end(), onepass::columns(width), out.begin());
      if (run == 0) first = out.to_host();
      EXPECT_TRUE(test::identical(out.to_host(), first)) << width << " columns, run " << run;
    }
  }
}

// Vectors of every size give what plain loops give, in every bit: a column is combined from its first item on.
ONEPASS_CPU_TEST(columns, vectors) {
  const std::size_t n = test::limited(150000);
  test::at_each_simd_level([&] {
    for (const std::int64_t width : {5, 8, 37, 300, 2500}) {
      check_columns(backend, test::random_fractions<float>(n, 1), width, all_rows, 0.5f, onepass::sum{}, 1);
      check_columns(backend, test::random_values<std::int16_t>(n, 1), width, 11, std::int16_t{4}, onepass::maximum{});
    }
  });
  for (const int threads : {1, 3, 8}) {
    const test::cpu_backend team{threads};
    check_columns(team, test::random_values<std::uint32_t>(n, 1), 1000, all_rows, 7u, onepass::sum{});
    check_columns(team, test::random_values<std::uint32_t>(n, 1), 70, 9, 7u, onepass::sum{});
  }
}
// Outputs of 4 MB and more are stored past the caches.
ONEPASS_CPU_TEST(columns, stored_past_the_caches) {
  const std::vector<std::int32_t> items = test::random_between<std::int32_t>(test::limited(1200000), 1, -1000, 1000);
  for (const std::int64_t width : {32, 1004, 3001}) check_columns(backend, items, width, all_rows, 1, onepass::sum{});
  check_columns(backend, items, 32, all_rows, 1, onepass::sum{}, 2);  // not at 16 bytes
}

// With a size in memory there are as many results as for all of the room; columns behind the size are empty.
ONEPASS_TEST(columns, sized) {
  const std::size_t room = test::limited(100003);
  const std::vector<std::int32_t> items = test::random_between<std::int32_t>(room, 2, -1000, 1000);
  const test::buffer<std::int32_t> in(backend, items), out(backend, room), results(backend, room);
  const test::buffer<std::int64_t> size(backend, 1);
  const auto most = static_cast<std::int64_t>(room);
  for (const std::int64_t width : {2, 10, 300}) {
    for (const std::int64_t height : {std::int64_t{50}, all_rows}) {
      for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, most / 7, most - 1, most, most + 5}) {
        SCOPED_TRACE(testing::Message() << n << " items, " << width << " columns of " << height);
        const auto count = static_cast<std::size_t>(std::min(n, most));
        const std::vector<std::int32_t> used(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count));
        const arrays a{count, width, height};
        size.assign({n});
        out.poison_all();
        const auto p = backend.policy().sized_by(size.begin());
        const auto columns = onepass::columns(width, height);
        onepass::inclusive_segmented_scan(p, in.begin(), in.end(), columns, out.begin());
        EXPECT_TRUE(test::same(out.to_host(count), inclusive_columns(used, a, onepass::sum{})));
        EXPECT_TRUE(out.untouched(count));
        std::vector<std::int32_t> totals = reduced_columns(used, a, 3, onepass::sum{});
        totals.resize(arrays{room, width, height}.columns(), 3);
        onepass::segmented_reduce(p, in.begin(), in.end(), columns, results.begin(), 3);
        EXPECT_TRUE(test::same(results.to_host(totals.size()), totals));
      }
    }
  }
}

ONEPASS_TEST(columns, arguments) {
  const test::buffer<int> in(backend, std::vector<int>{1, 2, 3}), out(backend, 3);
  const auto p = backend.policy();
  const auto scan = [&](onepass::column_segments columns) {
    onepass::inclusive_segmented_scan(p, in.begin(), in.end(), columns, out.begin());
  };
  const std::string call = "onepass::inclusive_segmented_scan: ";
  EXPECT_TRUE(test::throws<onepass::invalid_argument>(call + "a row of columns has less than one item",
                                                      [&] { scan(onepass::columns(0)); }));
  EXPECT_TRUE(test::throws<onepass::invalid_argument>(call + "a column has less than one item",
                                                      [&] { scan(onepass::columns(2, -1)); }));
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::segmented_reduce: out overlaps", [&] {
    onepass::segmented_reduce(p, in.begin(), in.end(), onepass::columns(2), in.begin() + 1);
  }));
  EXPECT_TRUE(out.untouched());
}

namespace {

// A scan of columns and a reduction of its results.
template <class Backend>
class column_calls {
 public:
  column_calls(const Backend& backend, std::size_t n)
      : in_(backend, n), out_(backend, n), totals_(backend, std::min<std::size_t>(n, 37)) {}
  void load(std::uint64_t seed) {
    values_ = test::random_between<std::int32_t>(in_.size(), seed, -1000, 1000);
    in_.assign(values_);
    out_.poison_all(), totals_.poison_all();
  }
  template <class Policy>
  void run(const Policy& p) const {
    onepass::exclusive_segmented_scan(p, in_.begin(), in_.end(), onepass::columns(37), out_.begin(), 5);
    onepass::segmented_reduce(p, out_.begin(), out_.end(), onepass::columns(37), totals_.begin(), 1);
  }
  void check() const {
    const arrays a{values_.size(), 37, all_rows};
    const std::vector<std::int32_t> scanned = exclusive_columns(values_, a, 5, onepass::sum{});
    EXPECT_TRUE(test::same(out_.to_host(), scanned));
    EXPECT_TRUE(test::same(totals_.to_host(), reduced_columns(scanned, a, 1, onepass::sum{})));
  }
  bool untouched() const { return out_.untouched() && totals_.untouched() && in_.to_host() == values_; }

 private:
  test::buffer<std::int32_t> in_, out_, totals_;
  std::vector<std::int32_t> values_;
};

}  // namespace

// With 127 arrays tiles have fewer columns on CUDA than with 128, and are rounded up to more.
ONEPASS_TEST(columns, workspace_for_one_array_more) {
  constexpr std::int64_t width = 51, height = 260;
  const auto n = static_cast<std::size_t>(128 * width * height);
  const test::buffer<float> in(backend, std::vector<float>(n, 1)), out(backend, n);
  const auto columns = onepass::columns(width, height);
  const auto sums = [&](std::size_t items, const auto& policy) {
    onepass::inclusive_segmented_scan(policy, in.begin(), in.begin() + items, columns, out.begin());
  };
  const auto size = onepass::measure(backend.policy(), [&](const auto& policy) { sums(n, policy); });
  onepass::workspace memory(backend.policy(), size);
  for (const std::size_t items : {n, n - static_cast<std::size_t>(width * height), n / 2}) {
    out.poison_all();
    sums(items, backend.policy().with(memory));
    const std::vector<float> result = out.to_host(items);
    for (std::size_t i = 0; i < items; ++i) {
      const auto row = static_cast<std::int64_t>(i) / width % height;
      ASSERT_EQ(result[i], static_cast<float>(row + 1)) << i << " of " << items;
    }
  }
}
ONEPASS_TEST(columns, workspace) { test::check_workspace<column_calls<backend_type>>(backend); }
#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(columns, graph) { test::check_graph<column_calls<test::cuda_backend>>(false); }
ONEPASS_GPU_TEST(columns, does_not_wait) { test::check_does_not_wait<column_calls<test::cuda_backend>>(false); }
#endif
