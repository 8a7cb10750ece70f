// SPDX-License-Identifier: Apache-2.0
// Sorts across ranks with GPUs.
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/universal_vector.h>

#include "on_gpus.hpp"
#include "primitives/distributed/sort_checks.hpp"

namespace test {

ONEPASS_GPU_TEST(cuda_ranks_sort, uint32) { by_gpu_threads(sorts<std::uint32_t>{{700}}); }
ONEPASS_GPU_TEST(cuda_ranks_sort, floats) { by_gpu_threads(sorts_of_floats{}); }
ONEPASS_GPU_TEST(cuda_ranks_sort, many) { by_gpu_threads(sorts_of_many{}); }

// Values that are too large to move in every pass, and values that are no array.
struct sorts_of_other_values {
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : distributions(comm.size(), 3000)) {
      SCOPED_TRACE(text_of(of, comm.rank()));
      const auto n = static_cast<std::size_t>(total_of(of));
      const auto whole = random_between<std::int64_t>(n, 22, -3, 3);
      const auto large = random_values<triple>(n, 23);
      const auto order = sorted_order(whole);
      const auto x = array_on(comm, part_of(whole, of, comm.rank()));
      const auto v = array_on(comm, part_of(large, of, comm.rank()));
      auto keys = array_on<std::int64_t>(comm, x.size());
      auto values = array_on<triple>(comm, x.size());
      auto numbers = array_on<std::int64_t>(comm, x.size());
      const auto policy = policy_on(comm, 1);
      const auto size = static_cast<index_t>(x.size());
      const od::slice mine =
          od::radix_sort_by_key(comm, policy, x.begin(), x.end(), v.begin(), keys.data(), values.data(), size);
      const thrust::counting_iterator<std::int64_t> computed(begin_of(of, comm.rank()));
      od::radix_sort_by_key(comm, policy, x.begin(), x.end(), computed, keys.data(), numbers.data(), size);
      const auto sorted_values = on_host(values);
      const auto sorted_numbers = on_host(numbers);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t from = order[static_cast<std::size_t>(mine.offset) + i];
        ASSERT_EQ(sorted_values[i], large[from]) << "item " << i;
        ASSERT_EQ(sorted_numbers[i], static_cast<std::int64_t>(from)) << "item " << i;
      }
    }
  }
};
ONEPASS_GPU_TEST(cuda_ranks_sort, other_values) { by_gpu_threads(sorts_of_other_values{}); }

// Where only the values are managed memory, the host may read them as soon as a call returns whose policy synchronises.
struct sorts_of_managed_values {
  template <class Comm>
  void operator()(Comm& comm) const {
    const index_t n = small_only() ? 3000 : index_t{1} << 20, begin = comm.rank() * n, last = comm.size() * n - 1;
    std::vector<std::uint32_t> keys(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < keys.size(); ++i)
      keys[i] = static_cast<std::uint32_t>(last - begin - static_cast<index_t>(i));
    const auto x = array_on(comm, keys);
    auto sorted = array_on<std::uint32_t>(comm, keys.size());
    thrust::universal_vector<index_t> values(keys.size()), moved(keys.size(), -1);
    const index_t* const there = thrust::raw_pointer_cast(moved.data());
    for (index_t i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = begin + i;
    od::radix_sort_by_key(comm, thrust::cuda::par.on(rank_stream()), x.begin(), x.end(), values.begin(), sorted.data(),
                          moved.begin(), n);
    for (index_t i = n; i-- > 0;) ASSERT_EQ(there[i], last - begin - i) << "item " << i;
  }
};
ONEPASS_GPU_TEST(cuda_ranks_sort, managed_values) { by_gpu_threads(sorts_of_managed_values{}); }

// So many items that a rank merges several tiles (primitives/distributed/cuda/merge_runs.cuh). Of equal keys, of few and
// of skewed ones a tile's begin lies among many equal keys.
ONEPASS_GPU_TEST(cuda_ranks_sort, tiles_of_uint32) { by_gpu_threads(sorts<std::uint32_t>{{20000}}); }
ONEPASS_GPU_TEST(cuda_ranks_sort, tiles_of_bytes) { by_gpu_threads(sorts<std::uint8_t>{{15000}}); }
ONEPASS_GPU_TEST(cuda_ranks_sort, tiles_of_uint64) { by_gpu_threads(sorts<std::uint64_t>{{12000}}); }

// Keys of which rank r has only those from r * step on: all borders lie in one rank's keys, at a key's first item, among
// equal ones, or where a digit begins.
struct sorts_of_apart {
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : distributions(comm.size(), 5000)) {
      for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{1} << 21, std::uint64_t{1} << 53}) {
        for (const std::uint64_t values : {1, 5, 1 << 11}) {
          SCOPED_TRACE(text_of(of, comm.rank()) + ", step " + std::to_string(step) + ", " + std::to_string(values));
          std::vector<std::uint64_t> whole;
          for (std::size_t r = 0; r < of.size(); ++r) {
            for (index_t i = 0; i < of[r]; ++i)
              whole.push_back((of.size() - r) * step + hash(24, whole.size()) % values);
          }
          check_sort(comm, of, whole, onepass::ascending(), od::shares::even);
          check_sort(comm, of, whole, onepass::descending(), od::shares::as_given);
        }
      }
    }
  }
};
ONEPASS_GPU_TEST(cuda_ranks_sort, keys_apart) { by_gpu_threads(sorts_of_apart{}); }

// The splitters alone: as many keys are below each border as its begin says.
struct splitters_of_keys {
  template <class Comm>
  void operator()(Comm& comm) const {
    for (const rank_sizes& of : distributions(comm.size(), 4000)) {
      for (const keys_are kind : all_keys) {
        SCOPED_TRACE(text_of(of, comm.rank()) + ", keys " + std::to_string(static_cast<int>(kind)));
        const auto whole = make_keys<std::uint32_t>(static_cast<std::size_t>(total_of(of)), kind);
        const auto keys = part_of(whole, of, comm.rank());
        const auto x = array_on(comm, keys);
        const auto cuts = od::splitters(comm, policy_on(comm, 1), x.begin(), x.end(), {}, od::shares::even);
        std::vector<std::uint64_t> below;
        for (const auto& border : cuts.borders) {
          const auto is_below = [&](std::uint32_t key) { return key < border.key; };
          below.push_back(static_cast<std::uint64_t>(std::count_if(keys.begin(), keys.end(), is_below) + border.ties));
        }
        comm.all_sum("splitters_of_keys", below.data(), below.size());
        for (std::size_t r = 0; r < below.size(); ++r) EXPECT_EQ(static_cast<index_t>(below[r]), cuts.begins[r + 1]);
      }
    }
  }
};
ONEPASS_GPU_TEST(cuda_ranks_sort, splitters) { by_gpu_threads(splitters_of_keys{}); }

// Ranks that cannot read each other's memory exchange their runs.
ONEPASS_GPU_TEST(cuda_ranks_sort, exchanged_uint32) {
  by_gpu_threads(without_lending<sorts<std::uint32_t>>{{{900, 8000}}});
}
ONEPASS_GPU_TEST(cuda_ranks_sort, exchanged_other_values) { by_gpu_threads(without_lending<sorts_of_other_values>{}); }
ONEPASS_GPU_TEST(cuda_ranks_sort, exchanged_with_options) {
  by_gpu_threads(without_lending<sorts_with_options<std::int16_t>>{});
}

}  // namespace test
