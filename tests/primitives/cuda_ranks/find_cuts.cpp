// SPDX-License-Identifier: Apache-2.0
// Where a rank's share begins and ends in sorted runs (primitives/distributed/cuda/find_cuts.cuh).
#include <algorithm>
#include <numeric>

#include <thrust/device_vector.h>

#include "on_gpus.hpp"
#include "../../../primitives/distributed/cuda/find_cuts.cuh"

namespace test {

using onepass::index_t;
namespace od = onepass::detail;

// Sorted runs, one behind the other.
template <class K>
struct some_runs {
  std::vector<K> keys;
  std::vector<index_t> begins = {0};
  onepass::radix_options options = {false, 0, static_cast<int>(8 * sizeof(K))};

  auto bits(std::size_t i) const { return od::bits_in_order<K>(options).of(keys[i]); }
  void add(std::vector<K> run) {
    const od::bits_in_order<K> order(options);
    std::stable_sort(run.begin(), run.end(), [&](K a, K b) { return order.of(a) < order.of(b); });
    keys.insert(keys.end(), run.begin(), run.end());
    begins.push_back(static_cast<index_t>(keys.size()));
  }
  std::size_t size() const { return begins.size() - 1; }
};

// Cuts are right if as many items are below them as wanted, and each of these comes before all others: by its key, then
// by its run.
template <class K>
void expect_border(const some_runs<K>& of, const std::vector<index_t>& cuts, index_t wanted) {
  index_t below = 0;
  for (std::size_t r = 0; r < of.size(); ++r) {
    ASSERT_GE(cuts[r], 0) << "run " << r;
    ASSERT_LE(cuts[r], of.begins[r + 1] - of.begins[r]) << "run " << r;
    below += cuts[r];
  }
  ASSERT_EQ(below, wanted);
  using bits = decltype(of.bits(0));
  const auto none = of.size();
  std::size_t last_run = none, first_run = none;
  bits last = 0, first = 0;
  for (std::size_t r = 0; r < of.size(); ++r) {
    if (cuts[r] > 0) {
      const bits b = of.bits(static_cast<std::size_t>(of.begins[r] + cuts[r] - 1));
      if (last_run == none || b >= last) last = b, last_run = r;
    }
    if (of.begins[r] + cuts[r] < of.begins[r + 1]) {
      const bits b = of.bits(static_cast<std::size_t>(of.begins[r] + cuts[r]));
      if (first_run == none || b < first) first = b, first_run = r;
    }
  }
  if (last_run == none || first_run == none) return;
  EXPECT_TRUE(last < first || (last == first && last_run <= first_run)) << "wanted " << wanted;
}

template <class K>
void expect_cuts(const some_runs<K>& of, std::vector<index_t> wanted) {
  using run = od::sorted_run<K, char>;
  const thrust::device_vector<K> keys(of.keys.begin(), of.keys.end());
  const int size = static_cast<int>(of.size());
  std::vector<run> runs;
  for (std::size_t r = 0; r < of.size(); ++r) {
    runs.push_back({thrust::raw_pointer_cast(keys.data()) + of.begins[r], nullptr, of.begins[r + 1] - of.begins[r], 0});
  }
  const thrust::device_vector<run> on_device(runs.begin(), runs.end());
  thrust::device_vector<run> parts(of.size() + 1);
  thrust::device_vector<index_t> cuts(2 * of.size());
  std::sort(wanted.begin(), wanted.end());
  for (std::size_t i = 0; i + 1 < wanted.size(); ++i) {
    constexpr index_t spacing = 7;
    const auto* const all = thrust::raw_pointer_cast(on_device.data());
    auto* const of_borders = thrust::raw_pointer_cast(cuts.data());
    od::find_cuts_kernel<<<2, od::cut_threads>>>(all, size, od::bits_in_order<K>(of.options), wanted[i], wanted[i + 1],
                                                 wanted[i + 1] - wanted[i], of_borders);
    od::cut_runs_kernel<<<1, 1>>>(all, size, of_borders, spacing, thrust::raw_pointer_cast(parts.data()));
    check_cuda(cudaGetLastError(), "find_cuts_kernel");
    std::vector<run> found(of.size() + 1);
    thrust::copy(parts.begin(), parts.end(), found.begin());
    std::vector<index_t> first, last;
    index_t samples = 0;
    for (std::size_t r = 0; r < of.size(); ++r) {
      first.push_back(found[r].keys - runs[r].keys);
      last.push_back(first[r] + found[r].size);
      EXPECT_EQ(found[r].first_sample, samples);
      samples += (found[r].size + spacing - 1) / spacing;
    }
    EXPECT_EQ(found[of.size()].first_sample, samples);
    expect_border(of, first, wanted[i]);
    expect_border(of, last, wanted[i + 1]);
  }
}

// Both ends, the borders of even shares, their neighbours, and some others.
static std::vector<index_t> some_borders(index_t n, int shares, std::uint64_t seed) {
  std::vector<index_t> wanted = {0, n};
  for (int r = 1; r < shares; ++r) {
    for (const index_t near : {-1, 0, 1}) wanted.push_back(std::clamp<index_t>(n / shares * r + near, 0, n));
    wanted.push_back(
        static_cast<index_t>(hash(seed, static_cast<std::uint64_t>(r)) % static_cast<std::uint64_t>(n + 1)));
  }
  return wanted;
}

template <class K>
void expect_cuts_of(int runs, std::size_t most, std::uint64_t different, std::uint64_t seed, bool descending) {
  SCOPED_TRACE(std::to_string(runs) + " runs of up to " + std::to_string(most) + " items, " +
               std::to_string(different) + " different, seed " + std::to_string(seed));
  some_runs<K> of;
  of.options.descending = descending;
  for (std::uint64_t r = 0; r < static_cast<std::uint64_t>(runs); ++r) {
    const std::uint64_t kind = hash(seed, r) % 4;  // an empty one, a short one, and longer ones
    const std::size_t n = kind == 0 ? 0 : kind == 1 ? 3 : static_cast<std::size_t>(hash(seed + 1, r) % (most + 1));
    std::vector<K> run(n);
    for (std::size_t i = 0; i < n; ++i) run[i] = static_cast<K>(hash(seed + 2 + r, i) % different);
    of.add(std::move(run));
  }
  expect_cuts(of, some_borders(of.begins.back(), 4, seed));
}

ONEPASS_GPU_TEST(cuda_ranks_find_cuts, of_any_runs) {
  std::uint64_t seed = 1;
  for (const int runs : {1, 2, 3, 4, 8, 33, 128}) {
    for (const std::size_t most : {std::size_t{2}, std::size_t{500}, std::size_t{20000}}) {
      for (const std::uint64_t different : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 31}) {
        seed += 200;
        expect_cuts_of<std::uint32_t>(runs, most, different, seed, seed % 400 == 1);
      }
    }
  }
}
ONEPASS_GPU_TEST(cuda_ranks_find_cuts, of_other_keys) {
  expect_cuts_of<std::uint8_t>(5, 3000, 256, 7, false);
  expect_cuts_of<std::int64_t>(5, 3000, std::uint64_t{1} << 62, 8, true);
  expect_cuts_of<double>(5, 3000, 1000, 9, false);
}
// Each run has keys of its own: only one of them is cut.
ONEPASS_GPU_TEST(cuda_ranks_find_cuts, of_runs_that_do_not_overlap) {
  for (const bool backwards : {false, true}) {
    some_runs<std::uint32_t> of;
    for (std::uint32_t r = 0; r < 6; ++r) {
      std::vector<std::uint32_t> run(5000);
      std::iota(run.begin(), run.end(), (backwards ? 6 - r : r) * 5000);
      of.add(std::move(run));
    }
    expect_cuts(of, some_borders(of.begins.back(), 9, 5));
  }
}
// So many that several rounds are needed.
ONEPASS_GPU_TEST(cuda_ranks_find_cuts, of_long_runs) {
  some_runs<std::uint32_t> of;
  for (std::uint64_t r = 0; r < 4; ++r) {
    std::vector<std::uint32_t> run(r == 3 ? 5000000 : 1500000 + 100 * r);
    for (std::size_t i = 0; i < run.size(); ++i) run[i] = static_cast<std::uint32_t>(hash(r, i)) >> (r * 3);
    of.add(std::move(run));
  }
  expect_cuts(of, some_borders(of.begins.back(), 4, 11));
}

}  // namespace test
