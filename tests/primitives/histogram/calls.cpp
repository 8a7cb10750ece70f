// SPDX-License-Identifier: Apache-2.0
// Histograms as calls: weights, rows, iterators, sizes in memory, overloads, workspaces, streams, graphs, arguments.
#include "fixture.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cmath>
#include <limits>

namespace {

template <class W, class Sum, class Backend>
void check_weights(const Backend& backend) {
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{33}, std::size_t{5000}, test::limited(100003)}) {
    const std::vector<W> weights = test::random_values<W>(n, n + 5);
    for (const std::int64_t bins : {3, 300, 20000, 70000}) {
      SCOPED_TRACE(testing::Message() << n << " items, " << bins << " bins");
      std::vector<std::int32_t> items = test::random_between<std::int32_t>(n, n, -1, bins);
      if (n % 2 == 0) std::fill(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(n / 2), 2);
      const test::buffer<std::int32_t> in(backend, items);
      const test::buffer<W> weight(backend, weights, 1);
      const auto of = onepass::value_bins(0, bins);
      for (const std::size_t length : {std::size_t{0}, n / 3 + 1}) {
        const std::vector<Sum> expected = test::expected_sums<Sum>(items, weights, of, length);
        const test::buffer<Sum> sums(backend, expected.size());
        const auto p = backend.policy();
        const auto rows = onepass::rows(static_cast<std::int64_t>(length));
        Sum* const end =
            length == 0 ? onepass::weighted_histogram(p, in.begin(), in.end(), weight.begin(), of, sums.begin())
                        : onepass::weighted_histogram(p, in.begin(), in.end(), weight.begin(), rows, of, sums.begin());
        EXPECT_EQ(end, sums.end());
        EXPECT_TRUE(test::same(sums.to_host(), expected)) << "rows of " << length;
      }
    }
  }
}

struct modulo {
  std::int64_t by;
  ONEPASS_HOST_DEVICE std::int16_t operator()(std::int64_t i) const { return static_cast<std::int16_t>(i % by); }
};

}  // namespace

ONEPASS_TEST(histogram_calls, int32_weights) { check_weights<std::int32_t, std::int32_t>(backend); }
ONEPASS_TEST(histogram_calls, int64_weights) { check_weights<std::int64_t, std::int64_t>(backend); }
ONEPASS_TEST(histogram_calls, narrow_weights_and_wide_sums) { check_weights<std::int8_t, std::int64_t>(backend); }
ONEPASS_TEST(histogram_calls, uint16_weights) { check_weights<std::uint16_t, std::uint32_t>(backend); }

// Short and long rows, also one that is longer than the input; many rows and few.
ONEPASS_TEST(histogram_calls, rows) {
  const std::size_t n = test::limited(200003);
  const std::vector<std::uint8_t> bytes = test::random_values<std::uint8_t>(n, 3);
  const std::vector<std::size_t> lengths{1000, 1001, 8192, 8193, 50000, n - 1, n, n + 1, std::size_t{1} << 60};
  test::check_histogram<std::int32_t>(backend, bytes, onepass::all_value_bins<std::uint8_t>(), 1, lengths);
  const std::vector<std::int32_t> items = test::random_between<std::int32_t>(n, 4, 0, 19999);
  test::check_histogram<std::int64_t>(backend, items, onepass::value_bins(0, 20000), 1, lengths);
  test::check_histogram<std::int64_t>(backend, items, onepass::value_bins(0, 3), 1, {1, 2, 7, 100});
  test::check_histogram<std::uint32_t>(backend, items, onepass::value_bins(-1, 70000), 1, {30011, n});
  test::check_histogram<std::uint32_t>(backend, items, onepass::value_bins(-1, 140000), 1, {30011, n});
  test::check_histogram<std::int32_t>(backend, std::vector<std::int32_t>(), onepass::value_bins(0, 5), 0, {4});
}
// Few long rows, which several blocks or threads share.
ONEPASS_TEST(histogram_calls, long_rows) {
  const std::size_t n = test::limited(3000017);
  const std::vector<std::uint16_t> items = test::random_values<std::uint16_t>(n, 3);
  test::check_histogram<std::int32_t>(backend, items, onepass::all_value_bins<std::uint16_t>(), 1,
                                      {n / 2, n / 2 + 1, n / 7});
  test::check_histogram<std::int32_t>(backend, items, onepass::value_bins(3, 777), 1, {n / 2, n / 2 + 1, n / 7});
}

ONEPASS_CPU_TEST(histogram_calls, threads) {
  const std::size_t n = test::limited(700001);
  const std::vector<std::uint16_t> items = test::random_values<std::uint16_t>(n, 3);
  for (const int threads : {1, 2, 3, 7}) {
    test::check_histogram<std::int32_t>(test::cpu_backend{threads}, items, onepass::value_bins(0, 3000), 1, {90000, n});
    test::check_histogram<std::int32_t>(test::cpu_backend{threads}, items, onepass::value_bins(0, 30000), 1,
                                        {9000, n / 2});
  }
}

// Items and weights that stand in no array.
ONEPASS_TEST(histogram_calls, iterators) {
  const std::size_t n = test::limited(300007);
  const thrust::counting_iterator<std::int64_t> numbers(0);
  for (const std::int64_t bins : {10, 9000, 32000}) {
    const auto first = thrust::make_transform_iterator(numbers, modulo{bins});
    const test::buffer<std::int64_t> counts(backend, static_cast<std::size_t>(bins));
    onepass::histogram(backend.policy(), first, first + static_cast<std::ptrdiff_t>(n), onepass::value_bins(0, bins),
                       counts.begin());
    std::vector<std::int64_t> expected(static_cast<std::size_t>(bins)), sums(static_cast<std::size_t>(bins));
    for (std::size_t i = 0; i < n; ++i) {
      ++expected[i % expected.size()];
      sums[i % sums.size()] += static_cast<std::int64_t>(i);
    }
    EXPECT_TRUE(test::same(counts.to_host(), expected)) << bins;
    onepass::weighted_histogram(backend.policy(), first, first + static_cast<std::ptrdiff_t>(n), numbers,
                                onepass::value_bins(0, bins), counts.begin());
    EXPECT_TRUE(test::same(counts.to_host(), sums)) << bins;
  }
}
ONEPASS_CPU_TEST(histogram_calls, vectors) {
  const std::vector<bool> flags{true, false, true};
  std::vector<int> counts(2);
  EXPECT_EQ(onepass::histogram(flags.begin(), flags.end(), onepass::all_value_bins<bool>(), counts.begin()),
            counts.end());
  EXPECT_EQ(counts, (std::vector<int>{1, 2}));
}
ONEPASS_TEST(histogram_calls, bools) {
  const std::vector<std::uint8_t> flags = test::random_flags(test::limited(30001), 3, 0.3);
  const test::buffer<std::uint8_t> in(backend, flags, 1);
  const test::buffer<std::int32_t> counts(backend, 2);
  const auto* first = reinterpret_cast<const bool*>(in.begin());
  onepass::histogram(backend.policy(), first, first + flags.size(), onepass::all_value_bins<bool>(), counts.begin());
  EXPECT_TRUE(test::same(counts.to_host(), test::expected_counts<std::int32_t>(flags, onepass::value_bins(0, 2))));
}

ONEPASS_TEST(histogram_calls, without_a_policy) {
  const test::buffer<std::int32_t> items(backend, std::vector<std::int32_t>{0, 1, 2, 1, 2, 2, 7});
  const test::buffer<std::int32_t> weights(backend, std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7}), out(backend, 6);
  const auto first = backend.tagged(items.begin()), last = backend.tagged(items.end()),
             to = backend.tagged(out.begin());
  const auto weight = backend.tagged(weights.begin());
  const auto bins = onepass::value_bins(0, 3);
  EXPECT_EQ(onepass::histogram(first, last, bins, to) - to, 3);
  EXPECT_TRUE(test::same(out.to_host(3), std::vector<std::int32_t>{1, 2, 3}));
  EXPECT_EQ(onepass::histogram(first, last, onepass::rows(4), bins, to) - to, 6);
  EXPECT_TRUE(test::same(out.to_host(), std::vector<std::int32_t>{1, 2, 1, 0, 0, 2}));
  EXPECT_EQ(onepass::weighted_histogram(first, last, weight, bins, to) - to, 3);
  EXPECT_TRUE(test::same(out.to_host(3), std::vector<std::int32_t>{1, 6, 14}));
  EXPECT_EQ(onepass::weighted_histogram(first, last, weight, onepass::rows(4), bins, to) - to, 6);
  EXPECT_TRUE(test::same(out.to_host(), std::vector<std::int32_t>{1, 6, 3, 0, 0, 11}));
}

ONEPASS_TEST(histogram_calls, sized) {
  const std::vector<std::uint8_t> all = test::random_values<std::uint8_t>(test::limited(50000), 3);
  const test::buffer<std::uint8_t> in(backend, all);
  const auto bins = onepass::all_value_bins<std::uint8_t>();
  for (const std::int64_t size :
       {std::int64_t{-4}, std::int64_t{0}, std::int64_t{1}, std::int64_t{12345}, std::int64_t{1} << 40}) {
    SCOPED_TRACE(size);
    const test::buffer<std::int64_t> count(backend, std::vector<std::int64_t>{size});
    const auto now = std::min<std::size_t>(size < 0 ? 0 : static_cast<std::size_t>(size), all.size());
    const std::vector<std::uint8_t> items(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(now));
    const test::buffer<std::int32_t> counts(backend, 256), of_rows(backend, (all.size() + 9999) / 10000 * 256);
    const auto p = backend.policy().sized_by(count.begin());
    onepass::histogram(p, in.begin(), in.end(), bins, counts.begin());
    EXPECT_TRUE(test::same(counts.to_host(), test::expected_counts<std::int32_t>(items, bins)));
    EXPECT_EQ(onepass::histogram(p, in.begin(), in.end(), onepass::rows(10000), bins, of_rows.begin()), of_rows.end());
    std::vector<std::int32_t> expected = test::expected_counts<std::int32_t>(items, bins, 10000);
    expected.resize(of_rows.size());
    EXPECT_TRUE(test::same(of_rows.to_host(), expected));
  }
}

ONEPASS_TEST(histogram_calls, arguments) {
  const test::buffer<std::int32_t> items(backend, std::vector<std::int32_t>(300, 1)), out(backend, 3000);
  const test::buffer<float> floats(backend, std::vector<float>(300, 1));
  const auto p = backend.policy();
  const auto refuses = [&](const char* what, auto call) {
    EXPECT_TRUE(test::throws<onepass::invalid_argument>(std::string("onepass::histogram: ") + what, call)) << what;
    EXPECT_TRUE(out.untouched());
  };
  const auto of = [&](const auto& bins) {
    return [&, bins] { onepass::histogram(p, items.begin(), items.end(), bins, out.begin()); };
  };
  const auto even = [&](const auto& bins) {
    return [&, bins] { onepass::histogram(p, floats.begin(), floats.end(), bins, out.begin()); };
  };
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::lowest(), most = -(lowest + 1);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const char* const wrong_number = "the number of bins is not between 1 and 2^24";
  refuses(wrong_number, of(onepass::value_bins(3, 3)));
  refuses(wrong_number, of(onepass::value_bins(4, 3)));
  refuses(wrong_number, of(onepass::value_bins(0, (1 << 24) + 1)));
  refuses(wrong_number, of(onepass::value_bins(lowest, most)));
  refuses(wrong_number, of(onepass::value_bins(most, lowest)));
  refuses(wrong_number, of(onepass::edge_bins(items.begin(), items.begin() + 1)));
  refuses(wrong_number, even(onepass::even_bins(0, 1, 0)));
  refuses(wrong_number, even(onepass::even_bins(0, 1, (1 << 24) + 1)));
  for (const auto& bins : {onepass::even_bins(1, 1, 5), onepass::even_bins(2, 1, 5)}) {
    refuses("bins of even width need finite bounds", even(bins));
    refuses("bins of even width need finite bounds", of(bins));
  }
  refuses(wrong_number, of(onepass::even_bins(0, 1, 0)));
  refuses(wrong_number, of(onepass::even_bins(0, 1, (1 << 24) + 1)));
  refuses("the bounds of the bins are 2^64 or more apart", of(onepass::even_bins(-1, ~std::uint64_t{0}, 5)));
  refuses("bins of even width need finite bounds", of(onepass::even_bins(~std::uint64_t{0}, -1, 5)));
  for (const auto& bins :
       {onepass::even_bins(0, infinity, 5), onepass::even_bins(-infinity, 0, 5), onepass::even_bins(-3e38, 3e38, 5),
        onepass::even_bins(0, 1e-44, 500), onepass::even_bins(0, std::nan(""), 5)})
    refuses("bins of even width need finite bounds", even(bins));
  refuses("counts overlaps [first, last)",
          [&] { onepass::histogram(p, items.begin(), items.end(), onepass::value_bins(0, 9), items.begin() + 299); });
  refuses("a row has less than one item", [&] {
    onepass::histogram(p, items.begin(), items.end(), onepass::rows(0), onepass::value_bins(0, 9), out.begin());
  });
  refuses("counts is null", [&] {
    onepass::histogram(p, items.begin(), items.end(), onepass::value_bins(0, 9), static_cast<int*>(nullptr));
  });
  refuses("last is before first",
          [&] { onepass::histogram(p, items.end(), items.begin(), onepass::value_bins(0, 9), out.begin()); });
  refuses("the counts' type is too small", [&] {
    const thrust::counting_iterator<std::int64_t> first(0);
    onepass::histogram(p, first, first + (std::int64_t{1} << 31), onepass::value_bins(0, 9), out.begin());
  });
  refuses("more counts than one call can make", [&] {
    const thrust::counting_iterator<std::int64_t> first(0);
    onepass::histogram(p, first, first + (std::int64_t{1} << 39), onepass::rows(1), onepass::value_bins(0, 1 << 24),
                       out.begin());
  });
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::weighted_histogram: weights is null", [&] {
    onepass::weighted_histogram(p, items.begin(), items.end(), static_cast<int*>(nullptr), onepass::value_bins(0, 9),
                                out.begin());
  }));
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::weighted_histogram: sums overlaps the weights", [&] {
    onepass::weighted_histogram(p, items.begin(), items.begin() + 100, items.begin() + 100, onepass::value_bins(0, 9),
                                items.begin() + 110);
  }));
}

namespace {

// A histogram in columns of counters, in halves of words, or in global memory.
template <std::int64_t bins>
struct of_bins {
  template <class Backend>
  class calls {
   public:
    calls(const Backend& backend, std::size_t n) : in_(backend, n), out_(backend, static_cast<std::size_t>(bins)) {}
    void load(std::uint64_t seed) {
      items_ = test::random_between<std::int32_t>(in_.size(), seed, -1, bins);
      in_.assign(items_);
      out_.poison_all();
    }
    template <class Policy>
    void run(const Policy& p) const {
      onepass::histogram(p, in_.begin(), in_.end(), onepass::value_bins(0, bins), out_.begin());
    }
    void check() const {
      EXPECT_TRUE(
          test::same(out_.to_host(), test::expected_counts<std::int32_t>(items_, onepass::value_bins(0, bins))));
    }
    bool untouched() const { return out_.untouched() && in_.to_host() == items_; }

   private:
    test::buffer<std::int32_t> in_;
    test::buffer<std::int32_t> out_;
    std::vector<std::int32_t> items_;
  };
};
using few = of_bins<1000>;
using many = of_bins<70001>;
using most = of_bins<200003>;

}  // namespace

ONEPASS_TEST(histogram_calls, workspace) {
  test::check_workspace<few::calls<backend_type>>(backend);
  test::check_workspace<many::calls<backend_type>>(backend);
  test::check_workspace<most::calls<backend_type>>(backend);
}
ONEPASS_TEST(histogram_calls, workspace_too_small) {
  test::check_workspace_too_small<few::calls<backend_type>>(backend, "histogram");
}
ONEPASS_TEST(histogram_calls, host_threads) { test::check_host_threads<few::calls<backend_type>>(backend); }
ONEPASS_CPU_TEST(histogram_calls, cpu_threads) { test::check_cpu_threads<few::calls<test::cpu_backend>>(); }
#if ONEPASS_HAS_CUDA
// Around whole rounds of a part's vectors, and warps that are not full.
ONEPASS_GPU_TEST(histogram_calls, last_rounds) {
  for (const std::size_t n :
       {511, 512, 513, 1023, 16384, 65535, 65536, 65537, 65600, 66049, 131087, 200000, 262144, 262657})
    test::check_histogram<std::uint32_t>(backend, test::random_values<std::uint8_t>(n, n), onepass::value_bins(30, 200),
                                         n % 3, {n, n / 3 + 1});
}

ONEPASS_GPU_TEST(histogram_calls, graph) {
  for (const bool with_workspace : {false, true}) {
    test::check_graph<few::calls<test::cuda_backend>>(with_workspace);
    test::check_graph<many::calls<test::cuda_backend>>(with_workspace);
    test::check_graph<most::calls<test::cuda_backend>>(with_workspace);
  }
}
ONEPASS_GPU_TEST(histogram_calls, launches) { test::check_launches<few::calls<test::cuda_backend>>(2); }
ONEPASS_GPU_TEST(histogram_calls, does_not_wait) { test::check_does_not_wait<few::calls<test::cuda_backend>>(true); }
ONEPASS_GPU_TEST(histogram_calls, eight_streams) { test::check_eight_streams<few::calls<test::cuda_backend>>(); }
#endif
