// SPDX-License-Identifier: Apache-2.0
// How segmented scans are executed: workspaces, host threads, streams, graphs, waiting.
#include <onepass/segmented_scan.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/execution.hpp"
#include "support/operators.hpp"
#include "support/references.hpp"
#include "support/test.hpp"

namespace {

using number = std::uint32_t;

template <class Backend>
class by_key {
 public:
  by_key(const Backend& backend, std::size_t n) : keys_(backend, n), in_(backend, n), out_(backend, n) {}
  void load(std::uint64_t seed) {
    const std::size_t n = in_.size();
    key_values_ = test::keys_of<std::int32_t>(test::segment_starts(n, seed, 200), n, seed);
    values_ = test::random_values<number>(n, seed);
    keys_.assign(key_values_);
    in_.assign(values_);
    out_.poison_all();
  }
  template <class Policy>
  void run(const Policy& p) const {
    onepass::inclusive_scan_by_key(p, keys_.begin(), keys_.end(), in_.begin(), out_.begin());
  }
  void check() const {
    const std::vector<std::uint8_t> heads = test::heads_of_keys(key_values_);
    EXPECT_TRUE(test::same(out_.to_host(), test::inclusive_segmented_reference(values_, heads, onepass::sum{})));
  }
  bool untouched() const { return out_.untouched() && in_.to_host() == values_ && keys_.to_host() == key_values_; }

 private:
  test::buffer<std::int32_t> keys_;
  test::buffer<number> in_, out_;
  std::vector<std::int32_t> key_values_;
  std::vector<number> values_;
};

// By offsets, which take scratch, and a launch more where they are dense, as for every other thousand; values of 16 bytes.
template <class Backend>
class by_offsets {
 public:
  by_offsets(const Backend& backend, std::size_t n) : offsets_(backend, count(n)), in_(backend, n), out_(backend, n) {}
  void load(std::uint64_t seed) {
    offset_values_.resize(offsets_.size());
    for (std::size_t i = 0; i < offset_values_.size(); ++i) {
      offset_values_[i] = static_cast<std::int64_t>(test::hash(seed, i) % (in_.size() + 1));
    }
    std::sort(offset_values_.begin(), offset_values_.end());
    values_ = test::random_values<test::matrix>(in_.size(), seed);
    offsets_.assign(offset_values_);
    in_.assign(values_);
    out_.poison_all();
  }
  template <class Policy>
  void run(const Policy& p) const {
    onepass::exclusive_segmented_scan(p, in_.begin(), in_.end(), onepass::offsets(offsets_.begin(), offsets_.end()),
                                      out_.begin(), one, test::matrix_product{});
  }
  void check() const {
    const std::vector<std::uint8_t> heads = test::heads_of_offsets(offset_values_, values_.size());
    EXPECT_TRUE(
        test::same(out_.to_host(), test::exclusive_segmented_reference(values_, heads, one, test::matrix_product{})));
  }
  bool untouched() const { return out_.untouched() && in_.to_host() == values_; }

 private:
  static constexpr test::matrix one{1, 0, 0, 1};
  static std::size_t count(std::size_t n) { return n / (n / 1000 % 2 == 0 ? 50 : 100) + 1; }
  test::buffer<std::int64_t> offsets_;
  test::buffer<test::matrix> in_, out_;
  std::vector<std::int64_t> offset_values_;
  std::vector<test::matrix> values_;
};

}  // namespace

ONEPASS_TEST(segmented_scan, workspace) {
  test::check_workspace<by_key<backend_type>>(backend);
  test::check_workspace<by_offsets<backend_type>>(backend);
}
ONEPASS_TEST(segmented_scan, workspace_in_own_memory) {
  test::check_workspace_in_own_memory<by_offsets<backend_type>>(backend);
}
ONEPASS_TEST(segmented_scan, workspace_too_small) {
  test::check_workspace_too_small<by_offsets<backend_type>>(backend, "exclusive_segmented_scan");
}
ONEPASS_TEST(segmented_scan, several_host_threads) {
  test::check_host_threads<by_key<backend_type>>(backend);
  test::check_host_threads<by_offsets<backend_type>>(backend);
}
ONEPASS_CPU_TEST(segmented_scan, one_to_five_threads) {
  test::check_cpu_threads<by_key<test::cpu_backend>>();
  test::check_cpu_threads<by_offsets<test::cpu_backend>>();
}

#if ONEPASS_HAS_CUDA
ONEPASS_GPU_TEST(segmented_scan, graph) {
  test::check_graph<by_key<test::cuda_backend>>(false);
  test::check_graph<by_offsets<test::cuda_backend>>(false);
}
ONEPASS_GPU_TEST(segmented_scan, graph_with_workspace) {
  test::check_graph<by_key<test::cuda_backend>>(true);
  test::check_graph<by_offsets<test::cuda_backend>>(true);
}
ONEPASS_GPU_TEST(segmented_scan, one_launch_by_key) { test::check_launches<by_key<test::cuda_backend>>(1); }
ONEPASS_GPU_TEST(segmented_scan, by_offsets_allocates_nothing) {
  test::check_launches<by_offsets<test::cuda_backend>>(0);
}
ONEPASS_GPU_TEST(segmented_scan, does_not_wait) {
  test::check_does_not_wait<by_key<test::cuda_backend>>(true);
  test::check_does_not_wait<by_offsets<test::cuda_backend>>(false);
}
ONEPASS_GPU_TEST(segmented_scan, eight_streams) {
  test::check_eight_streams<by_key<test::cuda_backend>>();
  test::check_eight_streams<by_offsets<test::cuda_backend>>();
}
#endif
