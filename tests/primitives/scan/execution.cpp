// SPDX-License-Identifier: Apache-2.0
// How scans are executed: workspaces, host threads, streams, graphs, waiting.
#include <onepass/scan.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "support/execution.hpp"
#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

// Numbers with their sums: a descriptor that fits one word.
template <class Backend>
class sums {
 public:
  using number = std::int32_t;
  sums(const Backend& backend, std::size_t n) : in_(backend, n), out_(backend, n) {}
  void load(std::uint64_t seed) {
    values_ = test::random_between<number>(in_.size(), seed, -1000, 1000);
    in_.assign(values_);
    out_.poison_all();
  }
  template <class Policy>
  void run(const Policy& p) const {
    onepass::inclusive_scan(p, in_.begin(), in_.end(), out_.begin());
  }
  void check() const {
    EXPECT_TRUE(test::same(out_.to_host(), test::inclusive_reference<number>(values_, onepass::sum{})));
  }
  bool untouched() const { return out_.untouched() && in_.to_host() == values_; }

 private:
  test::buffer<number> in_, out_;
  std::vector<number> values_;
};

// Products of matrices: status and value apart, and not commutative. With nine times the items, which makes them enough
// for the driver of long scans where other calls take the other.
template <class Backend, std::size_t times = 1>
class products {
 public:
  products(const Backend& backend, std::size_t n) : in_(backend, n * times), out_(backend, n * times) {}
  void load(std::uint64_t seed) {
    values_ = test::random_values<test::matrix>(in_.size(), seed);
    in_.assign(values_);
    out_.poison_all();
  }
  template <class Policy>
  void run(const Policy& p) const {
    onepass::exclusive_scan(p, in_.begin(), in_.end(), out_.begin(), one, test::matrix_product{});
  }
  void check() const {
    EXPECT_TRUE(
        test::same(out_.to_host(), test::exclusive_reference<test::matrix>(values_, test::matrix_product{}, one)));
  }
  bool untouched() const { return out_.untouched() && in_.to_host() == values_; }

 private:
  static constexpr test::matrix one{1, 0, 0, 1};
  test::buffer<test::matrix> in_, out_;
  std::vector<test::matrix> values_;
};
template <class Backend>
using many_products = products<Backend, 9>;

// A sum that makes a call on all cores for some of the items.
struct calling_sum {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    if (b % 50000 != 0) return a + b;
    const auto plain_sum = [](std::uint32_t x, std::uint32_t y) { return x + y; };
    std::vector<std::uint32_t> ones(100000, 1);
    onepass::inclusive_scan(onepass::cpu(), ones.begin(), ones.end(), ones.begin(), plain_sum);
    return ones.back() == 100000 ? a + b : 0;
  }
};

}  // namespace

ONEPASS_TEST(scan, workspace) {
  test::check_workspace<sums<backend_type>>(backend);
  test::check_workspace<products<backend_type>>(backend);
}
ONEPASS_TEST(scan, workspace_in_own_memory) { test::check_workspace_in_own_memory<products<backend_type>>(backend); }
ONEPASS_TEST(scan, workspace_too_small) {
  test::check_workspace_too_small<products<backend_type>>(backend, "exclusive_scan");
}
ONEPASS_TEST(scan, several_host_threads) {
  test::check_host_threads<sums<backend_type>>(backend);
  test::check_host_threads<products<backend_type>>(backend);
}
ONEPASS_CPU_TEST(scan, negative_threads) {
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::cpu: threads is negative", [] { onepass::cpu(-3); }));
}

ONEPASS_CPU_TEST(scan, one_to_five_threads) {
  test::check_cpu_threads<sums<test::cpu_backend>>();
  test::check_cpu_threads<products<test::cpu_backend>>();
}

// More threads than there are tiles, or than a machine gives.
ONEPASS_CPU_TEST(scan, very_many_threads) {
  const test::cpu_backend many{1000};
  sums<test::cpu_backend> job(many, test::limited(100003));
  job.load(1);
  job.run(many.policy());
  job.check();
}

ONEPASS_CPU_TEST(scan, call_within_a_call) {
  std::vector<std::uint32_t> numbers(400000), expected(numbers.size()), out(numbers.size());
  std::iota(numbers.begin(), numbers.end(), 1u);
  std::partial_sum(numbers.begin(), numbers.end(), expected.begin());
  onepass::inclusive_scan(onepass::cpu(), numbers.begin(), numbers.end(), out.begin(), calling_sum{});
  EXPECT_TRUE(test::same(out, expected));
}

#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(scan, graph) {
  test::check_graph<sums<test::cuda_backend>>(false);
  test::check_graph<products<test::cuda_backend>>(false);
  test::check_graph<many_products<test::cuda_backend>>(false);
}
ONEPASS_GPU_TEST(scan, graph_with_workspace) {
  test::check_graph<sums<test::cuda_backend>>(true);
  test::check_graph<products<test::cuda_backend>>(true);
  test::check_graph<many_products<test::cuda_backend>>(true);
}
ONEPASS_GPU_TEST(scan, one_launch) {
  test::check_launches<sums<test::cuda_backend>>(1);
  test::check_launches<products<test::cuda_backend>>(1);
  test::check_launches<many_products<test::cuda_backend>>(1);
}
// Also at small sizes, for racecheck: only where blocks do several tiles, one after another, can a tile disturb the next.
// first_of(array): where the scan reads it.
template <class First>
static void check_several_tiles_a_block(const test::cuda_backend& backend, std::size_t n, First first_of) {
  const std::vector<std::int32_t> values = test::random_between<std::int32_t>(n, 5, -100, 200);
  const std::vector<std::int32_t> expected = test::inclusive_reference<std::int32_t>(values, onepass::sum{});
  const test::buffer<std::int32_t> in(backend, values), out(backend, values.size());
  const auto first = first_of(in.begin());
  const auto last = first + static_cast<std::ptrdiff_t>(n);
  for (int round = 0; round < (test::small_only() ? 1 : 100); ++round) {
    onepass::inclusive_scan(backend.policy(), first, last, out.begin());
    ASSERT_TRUE(test::same(out.to_host(), expected)) << "round " << round;
  }
}
ONEPASS_GPU_TEST(scan, several_tiles_a_block) {
  check_several_tiles_a_block(backend, 4500007, [](const std::int32_t* in) {  // by the driver for any iterator
    return thrust::make_permutation_iterator(in, thrust::make_counting_iterator<std::int64_t>(0));
  });
  check_several_tiles_a_block(backend, 4500007, [](const std::int32_t* in) { return in; });  // by the pipeline
}
// Around the number of items from which on the pipeline takes a scan of an array.
template <class T>
static void check_around_the_first_pipeline(const test::cuda_backend& backend) {
  const auto least = static_cast<std::size_t>(onepass::detail::pipeline_least_items(8 * sizeof(T), sizeof(T)));
  for (const std::size_t n : {least - 1, least, least + 1}) {
    const std::vector<T> values = test::random_values<T>(n, n);
    const test::buffer<T> in(backend, values), out(backend, n);
    onepass::inclusive_scan(backend.policy(), in.begin(), in.end(), out.begin());
    EXPECT_TRUE(test::same(out.to_host(), test::inclusive_reference<T>(values, onepass::sum{}))) << n;
  }
}
ONEPASS_GPU_TEST(scan, around_the_first_pipeline) {
  if (test::small_only()) return;
  check_around_the_first_pipeline<std::uint8_t>(backend);
  check_around_the_first_pipeline<std::uint32_t>(backend);
  check_around_the_first_pipeline<std::uint64_t>(backend);
}
ONEPASS_GPU_TEST(scan, does_not_wait) {
  test::check_does_not_wait<sums<test::cuda_backend>>(false);
  test::check_does_not_wait<products<test::cuda_backend>>(true);
  test::check_does_not_wait<many_products<test::cuda_backend>>(true);
}
ONEPASS_GPU_TEST(scan, eight_streams) {
  test::check_eight_streams<sums<test::cuda_backend>>();
  test::check_eight_streams<products<test::cuda_backend>>();
  test::check_eight_streams<many_products<test::cuda_backend>>();
}
#endif
