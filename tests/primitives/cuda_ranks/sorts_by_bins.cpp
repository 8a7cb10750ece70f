// SPDX-License-Identifier: Apache-2.0
// Sorts across ranks with GPUs by bins (primitives/distributed/cuda/sort_bins.cuh), which otherwise take more keys than
// these tests have: here, every sort of so few that has its keys spread well.
#define ONEPASS_LEAST_IN_GROUP 16

#include "on_gpus.hpp"
#include "primitives/distributed/sort_checks.hpp"

namespace test {

ONEPASS_GPU_TEST(cuda_ranks_sort_by_bins, uint32) { by_gpu_threads(sorts<std::uint32_t>{{700, 9000}}); }
ONEPASS_GPU_TEST(cuda_ranks_sort_by_bins, uint64) { by_gpu_threads(sorts<std::uint64_t>{{1500, 6000}}); }
ONEPASS_GPU_TEST(cuda_ranks_sort_by_bins, doubles) { by_gpu_threads(sorts<double>{{5000}}); }
ONEPASS_GPU_TEST(cuda_ranks_sort_by_bins, floats) { by_gpu_threads(sorts_of_floats{}); }
ONEPASS_GPU_TEST(cuda_ranks_sort_by_bins, many) { by_gpu_threads(sorts_of_many{}); }
ONEPASS_GPU_TEST(cuda_ranks_sort_by_bins, bits_of_int32) { by_gpu_threads(sorts_with_options<std::int32_t>{}); }
ONEPASS_GPU_TEST(cuda_ranks_sort_by_bins, bits_of_int64) { by_gpu_threads(sorts_with_options<std::int64_t>{}); }
ONEPASS_GPU_TEST(cuda_ranks_sort_by_bins, exchanged_uint32) {
  by_gpu_threads(without_lending<sorts<std::uint32_t>>{{{700, 9000}}});
}
ONEPASS_GPU_TEST(cuda_ranks_sort_by_bins, exchanged_uint64) {
  by_gpu_threads(without_lending<sorts<std::uint64_t>>{{{6000}}});
}
ONEPASS_GPU_TEST(cuda_ranks_sort_by_bins, exchanged_bits_of_int32) {
  by_gpu_threads(without_lending<sorts_with_options<std::int32_t>>{});
}

// Values of 1, 2, 4 and 12 bytes beside keys: what moves has any alignment.
struct twelve_bytes {
  std::uint32_t of[3];
};
struct sorts_of_small_values {
  template <class Comm>
  void operator()(Comm& comm) const {
    check<std::uint8_t>(comm, [](std::uint64_t i) { return static_cast<std::uint8_t>(hash(25, i)); });
    check<std::uint16_t>(comm, [](std::uint64_t i) { return static_cast<std::uint16_t>(hash(26, i)); });
    check<float>(comm, [](std::uint64_t i) { return static_cast<float>(i); });
    check<twelve_bytes>(comm, [](std::uint64_t i) {
      return twelve_bytes{{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(hash(27, i)), 7}};
    });
  }

 private:
  template <class V, class Comm, class Value>
  static void check(Comm& comm, Value value) {
    for (const rank_sizes& of : distributions(comm.size(), 4000)) {
      SCOPED_TRACE(text_of(of, comm.rank()) + ", values of " + std::to_string(sizeof(V)) + " bytes");
      const auto n = static_cast<std::size_t>(total_of(of));
      const auto whole = make_keys<std::uint32_t>(n, keys_are::random);
      std::vector<V> values(n);
      for (std::size_t i = 0; i < n; ++i) values[i] = value(i);
      const auto order = sorted_order(whole);
      const auto x = array_on(comm, part_of(whole, of, comm.rank()));
      const auto v = array_on(comm, part_of(values, of, comm.rank()));
      auto keys_out = array_on<std::uint32_t>(comm, x.size());
      auto values_out = array_on<V>(comm, x.size());
      const od::slice mine = od::radix_sort_by_key(comm, policy_on(comm, 1), x.begin(), x.end(), v.begin(),
                                                   keys_out.data(), values_out.data(), static_cast<index_t>(x.size()));
      const auto sorted = on_host(values_out);
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        const V& expected = values[order[static_cast<std::size_t>(mine.offset) + i]];
        ASSERT_EQ(std::memcmp(&sorted[i], &expected, sizeof(V)), 0) << "item " << i;
      }
    }
  }
};
ONEPASS_GPU_TEST(cuda_ranks_sort_by_bins, small_values) { by_gpu_threads(sorts_of_small_values{}); }
ONEPASS_GPU_TEST(cuda_ranks_sort_by_bins, exchanged_small_values) {
  by_gpu_threads(without_lending<sorts_of_small_values>{});
}

}  // namespace test
