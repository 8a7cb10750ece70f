// SPDX-License-Identifier: Apache-2.0
// One workspace for calls of every kind, one after another: what one call leaves in it must mean nothing to the next.
#include <onepass/onepass.hpp>

#include <cstdint>
#include <vector>

#include "support/execution.hpp"
#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

using number = std::uint32_t;

template <class Backend>
class every_kind {
 public:
  every_kind(const Backend& backend, std::size_t n, std::uint64_t seed)
      : values_(test::random_values<number>(n, seed)),
        matrices_(test::random_values<test::matrix>(n, seed)),
        flag_values_(test::random_flags(n, seed, 0.01)),
        in_(backend, values_),
        out_(backend, n),
        in_matrices_(backend, matrices_),
        out_matrices_(backend, n),
        flags_(backend, flag_values_),
        count_(backend, 1) {}

  static constexpr int kinds = 7;

  template <class Policy>
  void run(int kind, const Policy& p) const {
    const test::matrix_product product;
    switch (kind) {
      case 0: onepass::inclusive_scan(p, in_.begin(), in_.end(), out_.begin()); break;
      case 1:
        onepass::inclusive_scan(p, in_matrices_.begin(), in_matrices_.end(), out_matrices_.begin(), product);
        break;
      case 2:
        onepass::copy_if_async(p, in_.begin(), in_.end(), out_.begin(), test::is_lucky{0.5}, count_.begin());
        break;
      case 3: onepass::inclusive_segmented_scan(p, in_.begin(), in_.end(), flags_.begin(), out_.begin()); break;
      case 4: onepass::radix_sort(p, in_.begin(), in_.end()); break;
      case 5: onepass::split_async(p, in_.begin(), in_.end(), out_.begin(), test::is_lucky{0.5}, count_.begin()); break;
      default:
        onepass::inclusive_segmented_scan(p, in_matrices_.begin(), in_matrices_.end(), flags_.begin(),
                                          out_matrices_.begin(), product);
    }
  }
  void check(int kind) const {
    const std::vector<std::uint8_t> lucky = test::flags_of(values_, test::is_lucky{0.5});
    switch (kind) {
      case 0: expect(out_, test::inclusive_reference<number>(values_, onepass::sum{})); break;
      case 1: expect(out_matrices_, test::inclusive_reference<test::matrix>(matrices_, test::matrix_product{})); break;
      case 2: expect_front(test::kept(values_, lucky)); break;
      case 3: expect(out_, test::inclusive_segmented_reference(values_, flag_values_, onepass::sum{})); break;
      case 4: expect(in_, test::arranged(values_, test::sorted_order(values_))); break;
      case 5: expect(out_, test::partitioned(values_, lucky)); break;
      default:
        expect(out_matrices_, test::inclusive_segmented_reference(matrices_, flag_values_, test::matrix_product{}));
    }
    in_.assign(values_);
    out_.poison_all();
    out_matrices_.poison_all();
  }

 private:
  template <class T>
  void expect(const test::buffer<T>& to, const std::vector<T>& expected) const {
    EXPECT_TRUE(test::same(to.to_host(), expected));
  }
  void expect_front(const std::vector<number>& expected) const {
    EXPECT_EQ(count_.to_host()[0], static_cast<std::int64_t>(expected.size()));
    EXPECT_TRUE(test::same(out_.to_host(expected.size()), expected));
  }

  std::vector<number> values_;
  std::vector<test::matrix> matrices_;
  std::vector<std::uint8_t> flag_values_;
  test::buffer<number> in_, out_;
  test::buffer<test::matrix> in_matrices_, out_matrices_;
  test::buffer<std::uint8_t> flags_;
  test::buffer<std::int64_t> count_;
};

// Every kind after every other, on few and on many items.
template <class Backend, class Policy>
void check_all_orders(const Backend& backend, const Policy& policy, std::size_t n) {
  const every_kind<Backend> many(backend, n, 1), few(backend, n / 7, 2);
  for (int first = 0; first < many.kinds; ++first) {
    for (int second = 0; second < many.kinds; ++second) {
      SCOPED_TRACE(testing::Message() << "call " << second << " after call " << first);
      many.run(first, policy);
      many.check(first);
      (second % 2 == 0 ? few : many).run(second, policy);
      (second % 2 == 0 ? few : many).check(second);
    }
  }
}

}  // namespace

ONEPASS_TEST(workspace, one_for_calls_of_every_kind) {
  const std::size_t n = test::limited(60013);
  const every_kind<backend_type> job(backend, n, 1);
  onepass::workspace_size size;
  for (int kind = 0; kind < job.kinds; ++kind) {
    size = max(size, onepass::measure(backend.policy(), [&](const auto& p) { job.run(kind, p); }));
  }
  const onepass::workspace_size at_once = onepass::measure(backend.policy(), [&](const auto& p) {
    for (int kind = 0; kind < job.kinds; ++kind) job.run(kind, p);
  });
  EXPECT_EQ(at_once.tiles, size.tiles);
  EXPECT_EQ(at_once.scratch, size.scratch);
  onepass::workspace memory(backend.policy(), size);
  check_all_orders(backend, backend.policy().with(memory), n);
}

#if ONEPASS_HAS_CUDA
// Launches are numbered with 32 bits, and a slot has the number of the launch that has published it. A reduction by offsets
// leaves out tiles in which no segment goes on. Their slots lose the number all the same, before it comes again.
ONEPASS_GPU_TEST(workspace, numbers_of_launches_come_again) {
  if (test::small_only()) GTEST_SKIP() << "shorter reductions publish nothing";
  const std::size_t n = 2700000;
  std::vector<std::int64_t> one(100000, static_cast<std::int64_t>(n));  // and empty segments behind it
  one[0] = 0;
  const std::vector<std::int64_t> empty(2 * n, static_cast<std::int64_t>(n / 2));
  const test::buffer<std::int64_t> long_segment(backend, one), empty_segments(backend, empty);
  const test::buffer<number> in(backend, std::vector<number>(n, 1)), out(backend, 2 * n);
  const auto reduce = [&](const auto& policy, const test::buffer<std::int64_t>& at) {
    onepass::segmented_reduce(policy, in.begin(), in.end(), onepass::offsets(at.begin(), at.end()), out.begin(),
                              number{0}, onepass::sum{});
  };
  const onepass::workspace_size size = onepass::measure(backend.policy(), [&](const auto& p) {
    reduce(p, long_segment);
    reduce(p, empty_segments);
  });
  ASSERT_GT(size.tiles, 10u);
  const test::buffer<std::uint32_t> bytes(backend, size.bytes() / sizeof(std::uint32_t) + 1);
  onepass::workspace memory(backend.policy(), size, bytes.data());
  const auto policy = backend.policy().with(memory);
  const auto slots_with = [&](std::uint32_t number_of_launch) {
    const std::vector<std::uint32_t> words = bytes.to_host();
    constexpr std::size_t per_slot = sizeof(onepass::detail::slot) / sizeof(std::uint32_t);
    std::size_t found = 0;
    for (std::size_t i = 0; i < size.tiles; ++i)
      found += words[sizeof(onepass::detail::control) / sizeof(std::uint32_t) + i * per_slot] == number_of_launch;
    return found;
  };
  reduce(policy, long_segment);
  EXPECT_EQ(out.to_host()[0], n);
  EXPECT_GT(slots_with(1), 0u) << "no tile was published";
  for (std::size_t i = 0; i < size.tiles; ++i) reduce(policy, empty_segments);
  EXPECT_EQ(slots_with(1), 0u);
}
#endif

// The library's own memory, too.
ONEPASS_TEST(workspace, librarys_own_for_calls_of_every_kind) {
  check_all_orders(backend, backend.policy(), test::limited(60013));
}

ONEPASS_TEST(workspace, memory_of_the_caller_is_checked) {
  const onepass::workspace_size size{10, 1000};
  const auto policy = backend.policy();
  const test::buffer<std::uint32_t> bytes(backend, size.bytes() / sizeof(std::uint32_t) + 1);
  EXPECT_THROW(onepass::workspace(policy, size, nullptr), onepass::invalid_argument);
  EXPECT_THROW(onepass::workspace(policy, size, bytes.data() + 1), onepass::invalid_argument);
}
