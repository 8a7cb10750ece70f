// SPDX-License-Identifier: Apache-2.0
// Selections as calls: segments by offsets and ranges, iterators, sizes in memory, overloads, workspaces, streams, graphs,
// arguments.
#include "fixture.hpp"

#include <thrust/iterator/transform_iterator.h>

#include <limits>

ONEPASS_TEST(select_calls, offsets) {
  for (const std::size_t mean : {3, 60, 5000}) {
    const std::size_t n = test::limited(50021);
    const std::vector<std::int32_t> items = test::keys_of_kind<std::int32_t>(n, 1);
    std::vector<std::int64_t> starts = test::segment_starts(n, 5, mean);
    starts.push_back(static_cast<std::int64_t>(n));
    starts.push_back(static_cast<std::int64_t>(n));  // an empty segment
    std::vector<test::part> parts;
    for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
      const auto begin = static_cast<std::size_t>(starts[s]);
      parts.push_back({begin, static_cast<std::size_t>(starts[s + 1]) - begin});
    }
    const test::buffer<std::int64_t> offsets(backend, starts);
    test::check_segments(backend, items, 1, onepass::offsets(offsets.begin(), offsets.end()), parts, {0, 1, 5, 1500});
  }
}
// One long segment between many short ones.
ONEPASS_TEST(select_calls, uneven_offsets) {
  const std::size_t n = test::limited(200003);
  std::vector<std::int32_t> starts;
  for (std::int32_t i = 0; i < 2000; ++i) starts.push_back(i);
  starts.push_back(static_cast<std::int32_t>(n) - 10);
  starts.push_back(static_cast<std::int32_t>(n));
  std::vector<test::part> parts;
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const auto begin = static_cast<std::size_t>(starts[s]);
    parts.push_back({begin, static_cast<std::size_t>(starts[s + 1]) - begin});
  }
  const test::buffer<std::int32_t> offsets(backend, starts);
  const auto segments = onepass::offsets(offsets.begin(), offsets.end());
  test::check_segments(backend, test::keys_of_kind<float>(n, 0), 1, segments, parts, {3, 300});
}
ONEPASS_TEST(select_calls, segments) {
  const test::buffer<int> items(backend, std::vector<int>{5, 9, 1, 7, 7, 2}), out(backend, 4);
  const test::buffer<int> begins(backend, std::vector<int>{3, 0}), ends(backend, std::vector<int>{6, 2});
  onepass::top_k(backend.policy(), items.begin(), items.end(),
                 onepass::segments(begins.begin(), begins.end(), ends.begin()), 2, out.begin());
  EXPECT_TRUE(test::same(out.to_host(), std::vector<int>{7, 7, 9, 5}));
}

namespace {
struct scrambled {
  ONEPASS_HOST_DEVICE std::uint32_t operator()(std::int64_t i) const {
    return static_cast<std::uint32_t>(i) * 2654435761u;
  }
};
}  // namespace

ONEPASS_TEST(select_calls, iterators) {
  const std::size_t n = test::limited(700001);
  const auto first = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), scrambled());
  std::vector<std::uint32_t> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = scrambled()(static_cast<std::int64_t>(i));
  std::sort(items.begin(), items.end());
  const test::buffer<std::uint32_t> out(backend, 2000);
  onepass::top_k(backend.policy(), first, first + static_cast<std::ptrdiff_t>(n), 2000, out.begin());
  EXPECT_TRUE(test::same(out.to_host(), std::vector<std::uint32_t>(items.rbegin(), items.rbegin() + 2000)));
  onepass::nth_element(backend.policy(), first, first + static_cast<std::ptrdiff_t>(n),
                       static_cast<std::int64_t>(n / 2), out.begin());
  EXPECT_EQ(out.to_host(1)[0], items[n / 2]);
}
ONEPASS_TEST(select_calls, without_a_policy) {
  const test::buffer<std::int32_t> items(backend, std::vector<std::int32_t>{4, 1, 8, 1, 6, 8}), out(backend, 4),
      values(backend, 4);
  const auto first = backend.tagged(items.begin()), last = backend.tagged(items.end()),
             to = backend.tagged(out.begin()), values_to = backend.tagged(values.begin());
  EXPECT_EQ(onepass::top_k(first, last, 3, to) - to, 3);
  EXPECT_TRUE(test::same(out.to_host(3), std::vector<std::int32_t>{8, 8, 6}));
  EXPECT_EQ(onepass::top_k(first, last, onepass::rows(3), 2, to, onepass::smallest()) - to, 4);
  EXPECT_TRUE(test::same(out.to_host(), std::vector<std::int32_t>{1, 4, 1, 6}));
  onepass::top_k_by_key(first, last, first, 2, to, values_to);
  EXPECT_TRUE(test::same(values.to_host(2), std::vector<std::int32_t>{8, 8}));
  out.poison_all(), values.poison_all();
  onepass::top_k_by_key(first, last, first, onepass::rows(3), 1, to, values_to);
  EXPECT_TRUE(test::same(out.to_host(2), std::vector<std::int32_t>{8, 8}));
  EXPECT_TRUE(test::same(values.to_host(2), std::vector<std::int32_t>{8, 8}));
  EXPECT_EQ(onepass::nth_element(first, last, 2, to) - to, 1);
  EXPECT_EQ(out.to_host(1)[0], 4);
  EXPECT_EQ(onepass::nth_element(first, last, onepass::rows(3), 1, to) - to, 2);
  EXPECT_TRUE(test::same(out.to_host(2), std::vector<std::int32_t>{4, 6}));
}

// Fewer items stand in memory than there is room for, also fewer than k.
ONEPASS_TEST(select_calls, size_in_memory) {
  for (const std::size_t room : {std::size_t{3000}, test::limited(700001)}) {
    const std::vector<float> items = test::keys_of_kind<float>(room, 0);
    const test::buffer<float> in(backend, items);
    for (const std::int64_t size : {-5l, 0l, 1l, 999l, static_cast<long>(room / 3), static_cast<long>(room) + 9}) {
      const auto n = static_cast<std::size_t>(std::clamp<std::int64_t>(size, 0, static_cast<std::int64_t>(room)));
      const std::vector<float> there(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(n));
      const test::buffer<std::int64_t> in_memory(backend, std::vector<std::int64_t>{size});
      const auto p = backend.policy().sized_by(in_memory.begin());
      const auto key_at = [&](std::int64_t i) { return items[static_cast<std::size_t>(i)]; };
      for (const std::size_t k : {std::size_t{5}, std::size_t{1500}}) {
        SCOPED_TRACE(testing::Message() << size << " of " << room << ", k " << k);
        const auto order = test::ranking(there, {{0, n}}, false), rising = test::ranking(there, {{0, n}}, true);
        const test::buffer<float> out(backend, k), nth(backend, 1);
        onepass::top_k(p, in.begin(), in.end(), static_cast<std::int64_t>(k), out.begin());
        EXPECT_TRUE(test::identical(out.to_host(), test::expected_results<float>(order, k, false, key_at)));
        onepass::nth_element(p, in.begin(), in.end(), static_cast<std::int64_t>(k), nth.begin());
        std::vector<std::vector<std::int64_t>> only(1);
        if (n > k) only[0].push_back(rising[0][k]);
        EXPECT_TRUE(test::identical(nth.to_host(), test::expected_results<float>(only, 1, false, key_at)));

        const std::size_t length = room / 2 + 1;
        std::vector<test::part> parts{{0, std::min(n, length)}, {length, n > length ? n - length : 0}};
        const test::buffer<float> of_rows(backend, 2 * k);
        onepass::top_k(p, in.begin(), in.end(), onepass::rows(static_cast<std::int64_t>(length)),
                       static_cast<std::int64_t>(k), of_rows.begin());
        EXPECT_TRUE(test::identical(
            of_rows.to_host(), test::expected_results<float>(test::ranking(there, parts, false), k, false, key_at)));
      }
    }
  }
}

ONEPASS_TEST(select_calls, arguments) {
  const test::buffer<int> items(backend, test::random_values<int>(300, 3)), out(backend, 300);
  const auto p = backend.policy();
  const auto refuses = [&](const std::string& what, auto call) {
    EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::top_k: " + what, call));
    EXPECT_TRUE(out.untouched());
  };
  refuses("k is negative", [&] { onepass::top_k(p, items.begin(), items.end(), -1, out.begin()); });
  refuses("k is more than there are items", [&] { onepass::top_k(p, items.begin(), items.end(), 301, out.begin()); });
  refuses("more is asked for than a row has items",
          [&] { onepass::top_k(p, items.begin(), items.end(), onepass::rows(7), 8, out.begin()); });
  refuses("a row has less than one item",
          [&] { onepass::top_k(p, items.begin(), items.end(), onepass::rows(0), 1, out.begin()); });
  refuses("last is before first", [&] { onepass::top_k(p, items.end(), items.begin(), 1, out.begin()); });
  refuses("out is null", [&] { onepass::top_k(p, items.begin(), items.end(), 1, static_cast<int*>(nullptr)); });
  refuses("out overlaps [first, last)", [&] { onepass::top_k(p, items.begin(), items.end(), 5, items.begin() + 299); });
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::top_k_by_key: values_out overlaps out", [&] {
    onepass::top_k_by_key(p, items.begin(), items.end(), items.begin(), 5, out.begin(), out.begin() + 4);
  }));
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::top_k_by_key: values_out overlaps values", [&] {
    onepass::top_k_by_key(p, items.begin(), items.begin() + 100, items.begin() + 100, 5, out.begin(),
                          items.begin() + 120);
  }));
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::nth_element: n is not below", [&] {
    onepass::nth_element(p, items.begin(), items.end(), 300, out.begin());
  }));
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::nth_element: n is negative", [&] {
    onepass::nth_element(p, items.begin(), items.end(), -1, out.begin());
  }));
  const thrust::counting_iterator<std::uint32_t> many(0);
  refuses("more items than one call can take",
          [&] { onepass::top_k(p, many, many + 0xFFFFFFFFll, 5, reinterpret_cast<std::uint32_t*>(out.begin())); });
  const thrust::counting_iterator<std::uint64_t> wide(0);
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::nth_element: more results than one call can have", [&] {
    onepass::nth_element(p, wide, wide + (std::int64_t{1} << 60), onepass::rows(1), 0,
                         reinterpret_cast<std::uint64_t*>(out.begin()));
  }));
  EXPECT_EQ(onepass::top_k(p, items.begin(), items.begin(), 0, static_cast<int*>(nullptr)), nullptr);
}

namespace {

// By a block, by a block with a sort, by all blocks, by all blocks with a sort.
template <std::int64_t k>
struct largest_of {
  template <class Backend>
  class calls {
   public:
    calls(const Backend& backend, std::size_t n)
        : in_(backend, n), out_(backend, std::min(n, static_cast<std::size_t>(k))), items_() {}
    void load(std::uint64_t seed) {
      items_ = test::random_values<float>(in_.size(), seed);
      in_.assign(items_);
      out_.poison_all();
    }
    template <class Policy>
    void run(const Policy& p) const {
      onepass::top_k(p, in_.begin(), in_.end(), static_cast<std::int64_t>(out_.size()), out_.begin());
    }
    void check() const {
      std::vector<float> expected = items_;
      std::stable_sort(expected.begin(), expected.end(), std::greater<>());
      expected.resize(out_.size());
      EXPECT_TRUE(test::same(out_.to_host(), expected));
    }
    bool untouched() const { return out_.untouched() && in_.to_host() == items_; }

   private:
    test::buffer<float> in_, out_;
    std::vector<float> items_;
  };
};
using few = largest_of<100>;
using many = largest_of<5000>;

// The median: candidates are filtered more than once.
template <class Backend>
class median_calls {
 public:
  median_calls(const Backend& backend, std::size_t n) : in_(backend, n), out_(backend, 1) {}
  void load(std::uint64_t seed) {
    items_ = test::random_values<float>(in_.size(), seed);
    in_.assign(items_);
    out_.poison_all();
  }
  template <class Policy>
  void run(const Policy& p) const {
    onepass::nth_element(p, in_.begin(), in_.end(), static_cast<std::int64_t>(in_.size() / 2), out_.begin());
  }
  void check() const {
    std::vector<float> sorted = items_;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_TRUE(test::same(out_.to_host(), std::vector<float>{sorted[sorted.size() / 2]}));
  }
  bool untouched() const { return out_.untouched() && in_.to_host() == items_; }

 private:
  test::buffer<float> in_, out_;
  std::vector<float> items_;
};

}  // namespace

ONEPASS_TEST(select_calls, workspace) {
  test::check_workspace<few::calls<backend_type>>(backend);
  test::check_workspace<many::calls<backend_type>>(backend);
}
ONEPASS_TEST(select_calls, workspace_too_small) {
  test::check_workspace_too_small<few::calls<backend_type>>(backend, "top_k");
}
ONEPASS_TEST(select_calls, host_threads) { test::check_host_threads<many::calls<backend_type>>(backend); }
ONEPASS_CPU_TEST(select_calls, cpu_threads) {
  test::check_cpu_threads<few::calls<test::cpu_backend>>();
  test::check_cpu_threads<many::calls<test::cpu_backend>>();
}
// Each thread sorts the results of rows of its own.
ONEPASS_CPU_TEST(select_calls, many_results_of_rows_by_threads) {
  const std::vector<float> items = test::keys_of_kind<float>(29 * 9000, 0);
  const auto order = test::ranking(items, test::parts_of_rows(items.size(), 9000), false);
  const auto key_at = [&](std::int64_t i) { return items[static_cast<std::size_t>(i)]; };
  for (const std::size_t k : {std::size_t{300}, std::size_t{8000}}) {
    for (const bool input_order : {false, true}) {
      const auto expected = test::expected_results<float>(order, k, input_order, key_at);
      for (const int threads : {1, 2, 7}) {
        SCOPED_TRACE(testing::Message() << k << " results, " << threads << " threads");
        std::vector<float> out(expected.size());
        onepass::top_k(onepass::cpu(threads), items.begin(), items.end(), onepass::rows(9000),
                       static_cast<std::int64_t>(k), out.begin(), onepass::top_k_options{false, input_order});
        EXPECT_TRUE(test::identical(out, expected));
      }
    }
  }
}

// Large enough that one call of a GPU is shared by all its blocks, and that the median takes several steps.
ONEPASS_TEST(select_calls, many_items) {
  if (test::small_only()) GTEST_SKIP() << "all blocks share arrays of 2^19 items or more";
  for (const std::size_t n : {std::size_t{1} << 19, (std::size_t{1} << 22) + 5}) {
    few::calls<backend_type> a(backend, n);
    many::calls<backend_type> b(backend, n);
    median_calls<backend_type> c(backend, n);
    const auto check = [&](auto& job) {
      job.load(n);
      job.run(backend.policy());
      job.check();
    };
    check(a);
    check(b);
    check(c);
  }
}
#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(select_calls, graph) {
  for (const bool with_workspace : {false, true}) {
    test::check_graph<few::calls<test::cuda_backend>>(with_workspace);
    test::check_graph<many::calls<test::cuda_backend>>(with_workspace);
    test::check_graph<median_calls<test::cuda_backend>>(with_workspace);
  }
}
ONEPASS_GPU_TEST(select_calls, does_not_wait) { test::check_does_not_wait<few::calls<test::cuda_backend>>(true); }
ONEPASS_GPU_TEST(select_calls, eight_streams) { test::check_eight_streams<many::calls<test::cuda_backend>>(); }
#endif
