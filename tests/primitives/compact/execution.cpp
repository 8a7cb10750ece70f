// SPDX-License-Identifier: Apache-2.0
// How compactions are executed: workspaces, host threads, streams, graphs, waiting.
#include <onepass/compact.hpp>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "support/execution.hpp"
#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

using number = std::uint32_t;

// A copy that leaves its count in memory, or, with `waits`, returns it.
template <class Backend, bool waits>
class copies {
 public:
  copies(const Backend& backend, std::size_t n) : in_(backend, n), out_(backend, n), count_(backend, 1) {}
  void load(std::uint64_t seed) {
    values_ = test::random_values<number>(in_.size(), seed);
    in_.assign(values_);
    out_.poison_all();
    count_.poison_all();
    returned_ = -1;
  }
  template <class Policy>
  void run(const Policy& p) const {
    if constexpr (waits) returned_ = onepass::copy_if(p, in_.begin(), in_.end(), out_.begin(), lucky) - out_.begin();
    else onepass::copy_if_async(p, in_.begin(), in_.end(), out_.begin(), lucky, count_.begin());
  }
  void check() const {
    const std::vector<number> expected = test::kept(values_, test::flags_of(values_, lucky));
    EXPECT_EQ(waits ? returned_ : count_.to_host()[0], static_cast<std::int64_t>(expected.size()));
    EXPECT_TRUE(test::same(out_.to_host(expected.size()), expected));
    EXPECT_TRUE(out_.untouched(expected.size())) << "written behind the last kept item";
  }
  bool untouched() const { return out_.untouched() && count_.untouched() && in_.to_host() == values_; }

 private:
  static constexpr test::is_lucky lucky{0.4};
  test::buffer<number> in_, out_;
  test::buffer<std::int64_t> count_;
  std::vector<number> values_;
  mutable std::int64_t returned_ = -1;
};
template <class Backend>
using async_copies = copies<Backend, false>;
template <class Backend>
using waiting_copies = copies<Backend, true>;

// A partition in place, which takes scratch and a second launch; items of 24 bytes.
template <class Backend>
class partitions {
 public:
  partitions(const Backend& backend, std::size_t n) : in_(backend, n), count_(backend, 1) {}
  void load(std::uint64_t seed) {
    values_ = test::random_values<test::triple>(in_.size(), seed);
    in_.assign(values_);
    count_.poison_all();
  }
  template <class Policy>
  void run(const Policy& p) const {
    onepass::stable_partition_async(p, in_.begin(), in_.end(), test::is_lucky{0.6}, count_.begin());
  }
  void check() const {
    const std::vector<std::uint8_t> flags = test::flags_of(values_, test::is_lucky{0.6});
    EXPECT_EQ(count_.to_host()[0], static_cast<std::int64_t>(test::kept(values_, flags).size()));
    EXPECT_TRUE(test::same(in_.to_host(), test::partitioned(values_, flags)));
  }
  bool untouched() const { return count_.untouched() && in_.to_host() == values_; }

 private:
  test::buffer<test::triple> in_;
  test::buffer<std::int64_t> count_;
  std::vector<test::triple> values_;
};

}  // namespace

ONEPASS_TEST(compact, workspace) {
  test::check_workspace<async_copies<backend_type>>(backend);
  test::check_workspace<waiting_copies<backend_type>>(backend);
  test::check_workspace<partitions<backend_type>>(backend);
}
ONEPASS_TEST(compact, workspace_in_own_memory) {
  test::check_workspace_in_own_memory<partitions<backend_type>>(backend);
}
ONEPASS_TEST(compact, workspace_too_small) {
  test::check_workspace_too_small<partitions<backend_type>>(backend, "stable_partition_async");
}
ONEPASS_TEST(compact, several_host_threads) {
  test::check_host_threads<waiting_copies<backend_type>>(backend);
  test::check_host_threads<partitions<backend_type>>(backend);
}
ONEPASS_CPU_TEST(compact, one_to_five_threads) {
  test::check_cpu_threads<waiting_copies<test::cpu_backend>>();
  test::check_cpu_threads<partitions<test::cpu_backend>>();
}

// A thread compares a key with the one before its tile, whose value another thread may be storing again.
ONEPASS_CPU_TEST(compact, values_that_own_memory_in_place) {
  std::vector<int> keys(60000), out_keys(keys.size());
  std::iota(keys.begin(), keys.end(), 0);
  std::vector<std::string> values(keys.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = "a value that takes memory: " + std::to_string(i);
  const std::vector<std::string> before = values;
  for (int round = 0; round < 5; ++round) {
    const auto ends = onepass::unique_by_key_copy(onepass::cpu(8), keys.begin(), keys.end(), values.begin(),
                                                  out_keys.begin(), values.begin());
    ASSERT_EQ(ends.second - values.begin(), static_cast<std::ptrdiff_t>(keys.size()));
    ASSERT_TRUE(out_keys == keys);
    ASSERT_TRUE(values == before);
  }
}

#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(compact, graph) {
  test::check_graph<async_copies<test::cuda_backend>>(false);
  test::check_graph<partitions<test::cuda_backend>>(false);
}
ONEPASS_GPU_TEST(compact, graph_with_workspace) {
  test::check_graph<async_copies<test::cuda_backend>>(true);
  test::check_graph<partitions<test::cuda_backend>>(true);
}
ONEPASS_GPU_TEST(compact, one_launch) { test::check_launches<async_copies<test::cuda_backend>>(1); }
ONEPASS_GPU_TEST(compact, partition_allocates_nothing) { test::check_launches<partitions<test::cuda_backend>>(0); }
ONEPASS_GPU_TEST(compact, async_does_not_wait) {
  test::check_does_not_wait<async_copies<test::cuda_backend>>(false);
  test::check_does_not_wait<async_copies<test::cuda_backend>>(true);
  test::check_does_not_wait<partitions<test::cuda_backend>>(true);
}
ONEPASS_GPU_TEST(compact, eight_streams) {
  test::check_eight_streams<async_copies<test::cuda_backend>>();
  test::check_eight_streams<partitions<test::cuda_backend>>();
}
// A call that returns a count cannot be captured, and says what can.
ONEPASS_GPU_TEST(compact, waiting_call_refuses_capture) {
  const test::stream s;
  waiting_copies<test::cuda_backend> job(test::cuda_backend{s.get()}, 5000);
  job.load(1);
  EXPECT_TRUE(test::throws<onepass::invalid_argument>(
      "onepass::copy_if: ", [&] { test::graph captured(s, [&] { job.run(onepass::cuda(s.get())); }); }));
  job.run(onepass::cuda(s.get()));
  job.check();
}
#endif
