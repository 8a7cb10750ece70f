// SPDX-License-Identifier: Apache-2.0
// Sorts across ranks with GPUs.
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

// While it lives, shares of few items are cut into groups, too (primitives/distributed/cuda/rank_sort_on_cuda.cuh).
class small_groups {
 public:
  explicit small_groups(index_t items) : usual_(onepass::detail::least_in_group.exchange(items)) {}
  ~small_groups() { onepass::detail::least_in_group = usual_; }
  small_groups(const small_groups&) = delete;
  small_groups& operator=(const small_groups&) = delete;

 private:
  index_t usual_;
};
ONEPASS_GPU_TEST(cuda_ranks_sort, groups_of_uint32) {
  const small_groups small(16);
  by_gpu_threads(sorts<std::uint32_t>{{900}});
}
ONEPASS_GPU_TEST(cuda_ranks_sort, groups_of_floats) {
  const small_groups small(50);
  by_gpu_threads(sorts_of_floats{});
}
ONEPASS_GPU_TEST(cuda_ranks_sort, groups_of_other_values) {
  const small_groups small(100);
  by_gpu_threads(sorts_of_other_values{});
}
ONEPASS_GPU_TEST(cuda_ranks_sort, groups_of_bytes) {  // a top digit is the whole key
  const small_groups small(1);
  by_gpu_threads(sorts<std::uint8_t>{{300}});
}
ONEPASS_GPU_TEST(cuda_ranks_sort, groups_with_options) {
  const small_groups small(32);
  by_gpu_threads(sorts_with_options<std::int16_t>{});
}

}  // namespace test
