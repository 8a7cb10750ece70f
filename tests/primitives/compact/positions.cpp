// SPDX-License-Identifier: Apache-2.0
// positions: flags as bytes, bits, bools and by a predicate, of every density; indices of 32 and 64 bits; iterators, sizes in
// memory, workspaces, arguments.
#include <onepass/positions.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/execution.hpp"
#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/simd_levels.hpp"
#include "support/test.hpp"

namespace {

template <class Index, class Flag>
std::vector<Index> set_in(const std::vector<Flag>& flags) {
  std::vector<Index> where;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] != Flag{}) where.push_back(static_cast<Index>(i));
  }
  return where;
}

// With room for exactly what is written.
template <class Index, class Backend, class Flags, class... Pred>
void check_call(const Backend& backend, Flags first, std::size_t n, const std::vector<Index>& expected, Pred... pred) {
  const test::buffer<Index> out(backend, expected.size(), n % 3);
  const test::buffer<std::int64_t> count(backend, 1);
  const auto last = first + static_cast<std::ptrdiff_t>(n);
  EXPECT_EQ(onepass::positions(backend.policy(), first, last, out.begin(), pred...), out.end());
  EXPECT_TRUE(test::same(out.to_host(), expected));
  out.poison_all();
  onepass::positions_async(backend.policy(), first, last, out.begin(), pred..., count.begin());
  EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(expected.size()));
  EXPECT_TRUE(test::same(out.to_host(), expected)) << "async";
}

template <class Index, class Backend>
void check_flags(const Backend& backend, const std::vector<std::size_t>& sizes) {
  for (const std::size_t n : sizes) {
    for (const double share : {0.0, 0.01, 0.5, 1.0}) {
      SCOPED_TRACE(testing::Message() << n << " flags, " << share << " of them set");
      std::vector<std::uint8_t> flags = test::random_flags(n, n + 1, share);
      const std::vector<Index> expected = set_in<Index>(flags);
      const test::buffer<std::uint32_t> words(backend, test::words_of(flags, 13));
      check_call<Index>(backend, onepass::bits(words.begin()) + 13, n, expected);
      for (std::uint8_t& flag : flags) flag = static_cast<std::uint8_t>(flag * 0x80);  // any value but zero is true
      const test::buffer<std::uint8_t> bytes(backend, flags, n % 5);
      check_call<Index>(backend, bytes.begin(), n, expected);
    }
  }
}

}  // namespace

ONEPASS_TEST(positions, of_32_bits) { check_flags<std::int32_t>(backend, test::sizes()); }
ONEPASS_TEST(positions, of_64_bits) { check_flags<std::int64_t>(backend, test::sizes()); }
#if ONEPASS_HAS_CUDA
// Through the pipeline, also where the last tile is cut off.
ONEPASS_GPU_TEST(positions, long_32_bits) {
  check_flags<std::uint32_t>(backend, {test::limited(3000001), test::limited(30000017)});
}
ONEPASS_GPU_TEST(positions, long_64_bits) { check_flags<std::int64_t>(backend, {test::limited(9000011)}); }
ONEPASS_GPU_TEST(positions, long_by_predicate) {
  const std::size_t n = test::limited(9000011);
  const std::vector<std::int64_t> items = test::random_values<std::int64_t>(n, 1);
  const test::buffer<std::int64_t> in(backend, items, 1);
  const test::is_lucky lucky{0.3};
  check_call<std::int32_t>(backend, in.begin(), n, set_in<std::int32_t>(test::flags_of(items, lucky)), lucky);
}
#endif

ONEPASS_TEST(positions, by_predicate) {
  const test::is_lucky lucky{0.5};
  for (const std::size_t n : test::few_sizes()) {
    const std::vector<std::int32_t> items = test::random_values<std::int32_t>(n, 3);
    const test::buffer<std::int32_t> in(backend, items);
    check_call<std::int64_t>(backend, in.begin(), n, set_in<std::int64_t>(test::flags_of(items, lucky)), lucky);
    const std::vector<float> numbers = test::random_between<float>(n, n, 0, 3);  // zero or not
    const test::buffer<float> floats(backend, numbers);
    check_call<std::int32_t>(backend, floats.begin(), n, set_in<std::int32_t>(numbers));
  }
}

// Flags and indices that are no arrays: there indices have 64 bits.
ONEPASS_TEST(positions, iterators) {
  const std::size_t n = test::limited(100003);
  const test::buffer<std::int64_t> out(backend, n);
  const thrust::counting_iterator<std::int64_t> first(0);
  const auto to = thrust::make_permutation_iterator(out.begin(), first);
  const auto end = onepass::positions(backend.policy(), first, first + static_cast<std::ptrdiff_t>(n), to);
  EXPECT_EQ(end - to, static_cast<std::ptrdiff_t>(n - 1));
  std::vector<std::int64_t> expected(n - 1);
  for (std::size_t i = 1; i < n; ++i) expected[i - 1] = static_cast<std::int64_t>(i);
  EXPECT_TRUE(test::same(out.to_host(n - 1), expected));
}
ONEPASS_CPU_TEST(positions, vectors) {
  const std::size_t n = test::limited(100003);
  const std::vector<std::uint8_t> flags = test::random_flags(n, 3, 0.4);
  test::at_each_simd_level([&] {
    check_call<std::int64_t>(backend, flags.begin(), n, set_in<std::int64_t>(flags));
    for (const int threads : {1, 3})
      check_call<std::int32_t>(test::cpu_backend{threads}, flags.data(), n, set_in<std::int32_t>(flags));
  });
  const std::vector<bool> bools(flags.begin(), flags.end());
  check_call<std::int32_t>(backend, bools.begin(), n, set_in<std::int32_t>(flags));
}

ONEPASS_TEST(positions, without_a_policy) {
  const test::buffer<std::uint8_t> flags(backend, std::vector<std::uint8_t>{0, 1, 1, 0, 1});
  const test::buffer<int> out(backend, 3);
  const auto first = backend.tagged(flags.begin()), last = backend.tagged(flags.end());
  EXPECT_EQ(onepass::positions(first, last, backend.tagged(out.begin())) - backend.tagged(out.begin()), 3);
  EXPECT_TRUE(test::same(out.to_host(), std::vector<int>{1, 2, 4}));
}

ONEPASS_TEST(positions, sized) {
  const std::vector<std::uint8_t> flags = test::random_flags(5000, 3, 0.5);
  const test::buffer<std::uint8_t> in(backend, flags);
  const test::buffer<std::int32_t> out(backend, flags.size());
  const test::buffer<std::int64_t> counts(backend, std::vector<std::int64_t>{1234, 0});
  onepass::positions_async(backend.policy().sized_by(counts.begin()), in.begin(), in.end(), out.begin(),
                           counts.begin() + 1);
  const std::vector<std::int32_t> expected =
      set_in<std::int32_t>(std::vector<std::uint8_t>(flags.begin(), flags.begin() + 1234));
  EXPECT_EQ(counts.to_host()[1], static_cast<std::int64_t>(expected.size()));
  EXPECT_TRUE(test::same(out.to_host(expected.size()), expected));
  EXPECT_TRUE(out.untouched(expected.size()));
}

ONEPASS_TEST(positions, arguments) {
  const test::buffer<std::uint8_t> flags(backend, std::vector<std::uint8_t>(300, 1));
  const test::buffer<std::int8_t> out(backend, 300);
  const auto p = backend.policy();
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::positions: the items of out are too small", [&] {
    onepass::positions(p, flags.begin(), flags.begin() + 129, out.begin());
  }));
  EXPECT_TRUE(out.untouched());
  EXPECT_EQ(onepass::positions(p, flags.begin(), flags.begin() + 128, out.begin()) - out.begin(), 128);
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::positions: out overlaps [first, last)", [&] {
    onepass::positions(p, flags.begin(), flags.end(), reinterpret_cast<std::int8_t*>(flags.begin() + 7));
  }));
  EXPECT_TRUE(test::throws<onepass::invalid_argument>("onepass::positions_async: count is null", [&] {
    onepass::positions_async(p, flags.begin(), flags.end(), out.begin(), nullptr);
  }));
}

namespace {

template <class Backend>
class position_calls {
 public:
  position_calls(const Backend& backend, std::size_t n) : in_(backend, n), out_(backend, n), count_(backend, 1) {}
  void load(std::uint64_t seed) {
    flags_ = test::random_flags(in_.size(), seed, 0.3);
    in_.assign(flags_);
    out_.poison_all(), count_.poison_all();
  }
  template <class Policy>
  void run(const Policy& p) const {
    onepass::positions_async(p, in_.begin(), in_.end(), out_.begin(), count_.begin());
  }
  void check() const {
    const std::vector<std::int32_t> expected = set_in<std::int32_t>(flags_);
    EXPECT_EQ(count_.to_host()[0], static_cast<std::int64_t>(expected.size()));
    EXPECT_TRUE(test::same(out_.to_host(expected.size()), expected));
    EXPECT_TRUE(out_.untouched(expected.size()));
  }
  bool untouched() const { return out_.untouched() && count_.untouched() && in_.to_host() == flags_; }

 private:
  test::buffer<std::uint8_t> in_;
  test::buffer<std::int32_t> out_;
  test::buffer<std::int64_t> count_;
  std::vector<std::uint8_t> flags_;
};

}  // namespace

ONEPASS_TEST(positions, workspace) { test::check_workspace<position_calls<backend_type>>(backend); }
#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(positions, graph) { test::check_graph<position_calls<test::cuda_backend>>(false); }
#endif
