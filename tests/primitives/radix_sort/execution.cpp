// SPDX-License-Identifier: Apache-2.0
// How sorts and splits are executed: workspaces, host threads, streams, graphs, waiting, memory that is not to be had.
#include <onepass/radix_sort.hpp>

#include <cstdint>
#include <vector>

#include "support/execution.hpp"
#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

#if defined(__linux__)
#include <sys/resource.h>

#include <fstream>
#endif

namespace {

using key = std::uint32_t;

// Keys with values.
template <class Backend>
class sorts {
 public:
  sorts(const Backend& backend, std::size_t n) : keys_(backend, n), carried_(backend, n) {}
  void load(std::uint64_t seed) {
    key_values_ = test::keys<key>(keys_.size(), seed, test::pattern::low_entropy);
    values_ = test::random_values<std::uint64_t>(keys_.size(), seed);
    keys_.assign(key_values_);
    carried_.assign(values_);
  }
  template <class Policy>
  void run(const Policy& p) const {
    onepass::radix_sort_by_key(p, keys_.begin(), keys_.end(), carried_.begin());
  }
  void check() const {
    const std::vector<std::size_t> order = test::sorted_order(key_values_);
    EXPECT_TRUE(test::same(keys_.to_host(), test::arranged(key_values_, order)));
    EXPECT_TRUE(test::same(carried_.to_host(), test::arranged(values_, order)));
  }
  bool untouched() const { return keys_.to_host() == key_values_ && carried_.to_host() == values_; }

 private:
  test::buffer<key> keys_;
  test::buffer<std::uint64_t> carried_;
  std::vector<key> key_values_;
  std::vector<std::uint64_t> values_;
};

// A split whose border stays in memory.
template <class Backend>
class splits {
 public:
  splits(const Backend& backend, std::size_t n) : in_(backend, n), out_(backend, n), count_(backend, 1) {}
  void load(std::uint64_t seed) {
    values_ = test::random_values<key>(in_.size(), seed);
    in_.assign(values_);
    out_.poison_all();
    count_.poison_all();
  }
  template <class Policy>
  void run(const Policy& p) const {
    onepass::split_async(p, in_.begin(), in_.end(), out_.begin(), test::is_lucky{0.3}, count_.begin());
  }
  void check() const {
    const std::vector<std::uint8_t> flags = test::flags_of(values_, test::is_lucky{0.3});
    EXPECT_EQ(count_.to_host()[0], static_cast<std::int64_t>(test::kept(values_, flags).size()));
    EXPECT_TRUE(test::same(out_.to_host(), test::partitioned(values_, flags)));
  }
  bool untouched() const { return out_.untouched() && count_.untouched() && in_.to_host() == values_; }

 private:
  test::buffer<key> in_, out_;
  test::buffer<std::int64_t> count_;
  std::vector<key> values_;
};

#if ONEPASS_HAS_CUDA
struct short_sorts : sorts<test::cuda_backend> {
  short_sorts(const test::cuda_backend& backend, std::size_t) : sorts(backend, 1000) {}
};
#endif

}  // namespace

ONEPASS_TEST(radix_sort, workspace) {
  test::check_workspace<sorts<backend_type>>(backend);
  test::check_workspace<splits<backend_type>>(backend);
}
ONEPASS_TEST(radix_sort, workspace_in_own_memory) { test::check_workspace_in_own_memory<sorts<backend_type>>(backend); }
ONEPASS_TEST(radix_sort, workspace_too_small) {
  test::check_workspace_too_small<sorts<backend_type>>(backend, "radix_sort_by_key");
}
ONEPASS_TEST(radix_sort, several_host_threads) {
  test::check_host_threads<sorts<backend_type>>(backend);
  test::check_host_threads<splits<backend_type>>(backend);
}
ONEPASS_CPU_TEST(radix_sort, one_to_five_threads) {
  test::check_cpu_threads<sorts<test::cpu_backend>>();
  test::check_cpu_threads<splits<test::cpu_backend>>();
}

#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(radix_sort, graph) {
  test::check_graph<sorts<test::cuda_backend>>(false);
  test::check_graph<splits<test::cuda_backend>>(false);
}
ONEPASS_GPU_TEST(radix_sort, graph_with_workspace) {
  test::check_graph<sorts<test::cuda_backend>>(true);
  test::check_graph<splits<test::cuda_backend>>(true);
}
ONEPASS_GPU_TEST(radix_sort, allocates_nothing_with_workspace) {
  test::check_launches<sorts<test::cuda_backend>>(5);  // a histogram, a pass for each of four digits
  test::check_launches<short_sorts>(1);
  test::check_launches<splits<test::cuda_backend>>(0);
}
ONEPASS_GPU_TEST(radix_sort, does_not_wait) {
  test::check_does_not_wait<sorts<test::cuda_backend>>(false);
  test::check_does_not_wait<splits<test::cuda_backend>>(true);
}
ONEPASS_GPU_TEST(radix_sort, eight_streams) {
  test::check_eight_streams<sorts<test::cuda_backend>>();
  test::check_eight_streams<splits<test::cuda_backend>>();
}

// All memory of the device but a few hundred MiB is taken, and a sort asks for 1 GiB.
ONEPASS_GPU_TEST(radix_sort, device_memory_not_to_be_had) {
  if (test::small_only()) GTEST_SKIP() << "takes all memory of the device";
  const std::size_t n = std::size_t{1} << 28;
  std::vector<key> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<key>(i * 2654435761u);
  const test::buffer<key> keys(backend, values);
  std::vector<void*> taken;
  for (std::size_t bytes = std::size_t{1} << 32; bytes >= std::size_t{1} << 27;) {
    std::size_t free_bytes = 0, all_bytes = 0;
    test::check_cuda(cudaMemGetInfo(&free_bytes, &all_bytes), "cudaMemGetInfo");
    if (free_bytes < bytes + (std::size_t{1} << 28)) {
      bytes /= 2;
      continue;
    }
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes) == cudaSuccess) taken.push_back(memory);
    else bytes /= 2;
  }
  cudaGetLastError();
  EXPECT_TRUE(test::throws<onepass::bad_alloc>(
      "onepass", [&] { onepass::radix_sort(backend.policy(), keys.begin(), keys.end()); }));
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "an error was left for the next call of the program";
  for (void* memory : taken) cudaFree(memory);
  EXPECT_TRUE(test::same(keys.to_host(), values)) << "written before the exception";
  sorts<test::cuda_backend> job(backend, 50021);
  job.load(1);
  job.run(backend.policy());
  job.check();
}
#endif

// The process may take 64 MiB more, and a sort asks for 256 MiB.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
ONEPASS_CPU_TEST(radix_sort, memory_not_to_be_had) {
  if (test::small_only()) GTEST_SKIP() << "takes 256 MiB";
  const std::size_t n = std::size_t{1} << 26;
  std::vector<key> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<key>(i * 2654435761u);
  sorts<test::cpu_backend> job(backend, 50021);
  job.load(1);
  job.run(backend.policy());  // starts the threads, whose stacks take memory too
  job.check();
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit tight = before;
  tight.rlim_cur = pages * 4096 + (std::size_t{1} << 26);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  EXPECT_TRUE(test::throws<onepass::bad_alloc>(
      "onepass", [&] { onepass::radix_sort(backend.policy(), values.begin(), values.end()); }));
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < n; ++i) moved += values[i] != static_cast<key>(i * 2654435761u);
  EXPECT_EQ(moved, 0u) << "written before the exception";
  job.load(2);
  job.run(backend.policy());
  job.check();
}
#endif
