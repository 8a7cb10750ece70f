// SPDX-License-Identifier: Apache-2.0
// The launches of a split and of a sort on CUDA: clear the plan and the descriptors, histogram, a pass a digit, and for a
// sort a last kernel that moves the result if it ended in the other buffer. Nothing here waits for the device: passes
// that would move nothing are launched and return at once.
#pragma once

#include "../../core/cuda/memory.cuh"
#include "cuda_pass.cuh"

namespace onepass::detail {

constexpr int copy_threads = 256;

// to[i] = from[i] for all i, if the plan says so (or there is none).
template <class To, class From>
__global__ void __launch_bounds__(copy_threads) copy_kernel(To to, From from, index_t n, const split_plan* plan) {
  if (plan != nullptr && !plan->result_in_alternate) return;
  const index_t step = static_cast<index_t>(gridDim.x) * copy_threads;
  for (index_t i = static_cast<index_t>(blockIdx.x) * copy_threads + threadIdx.x; i < n; i += step) to[i] = from[i];
}
template <class To, class From>
void launch_copy(const char* call, To to, From from, index_t n, const split_plan* plan, cudaStream_t stream) {
  const auto grid = static_cast<unsigned>(std::min<index_t>(divide_up(n, index_t{copy_threads} * 4), 1 << 16));
  launch_kernel(call, copy_kernel<To, From>, dim3(grid), copy_threads, 0, stream, to, from, n, plan);
}

// The plan and the descriptors of all passes, cleared before each call.
template <class K, class V>
class cuda_split {
  using shape = split_shape<K, V>;

 public:
  cuda_split(const char* call, index_t n, int places, layout& scratch) : call_(call), n_(n), places_(places) {
    const index_t tiles = divide_up(n, index_t{shape::items});
    if (tiles >= most_tiles) throw invalid_argument(call, "more items than one call can take");
    tiles_ = static_cast<unsigned>(tiles);
    words_ = static_cast<std::size_t>(tiles_) * digit_values;
    const std::size_t before = scratch.bytes();
    plan_ = scratch.add<split_plan>(1);
    tables_ = scratch.add<char>(static_cast<index_t>(words_ * word_bytes() * static_cast<std::size_t>(places)));
    cleared_ = scratch.bytes() - before;
  }

  split_plan* plan(void* scratch) const { return section<split_plan>(scratch, plan_); }

  template <class In, class Digits>
  void histogram(In in, Digits digits, void* scratch, cudaStream_t stream) const {
    check_cuda(call_, cudaMemsetAsync(plan(scratch), 0, cleared_, stream));
    launch_histogram(call_, in, n_, digits, plan(scratch), stream);
  }

  template <class Digits, class Keys, class Values>
  void pass(int place, Digits digits, Keys keys, Values values, void* scratch, cudaStream_t stream) const {
    // 30 bits of a 32-bit descriptor hold a count below 2^30.
    if (word_bytes() == 4) launch<std::uint32_t>(place, digits, keys, values, scratch, stream);
    else launch<std::uint64_t>(place, digits, keys, values, scratch, stream);
  }

 private:
  std::size_t word_bytes() const { return n_ < index_t{1} << 30 ? 4 : 8; }

  template <class Word, class Digits, class Keys, class Values>
  void launch(int place, Digits digits, Keys keys, Values values, void* scratch, cudaStream_t stream) const {
    using job = split_job<Digits, Keys, Values, Word>;
    const auto kernel = split_pass_kernel<job, K, V, Word>;
    constexpr std::size_t shared = sizeof(split_shared<K, V>);
    static resident_blocks resident(kernel, shape::threads, shared);
    (void)resident.on_this_device(call_);  // lets the kernel have its shared memory
    auto* table = section<Word>(scratch, tables_) + words_ * static_cast<std::size_t>(place);
    launch_kernel(call_, kernel, dim3(tiles_), shape::threads, shared, stream,
                  job{digits, place, keys, values, n_, plan(scratch), table});
  }

  const char* call_;
  index_t n_;
  int places_;
  unsigned tiles_ = 0;
  std::size_t words_ = 0, plan_ = 0, tables_ = 0, cleared_ = 0;
};

// Splits by each place in turn. The result ends in the routes' primary buffers.
template <class K, class V, class Values>
void cuda_sort(const char* call, const cuda_split<K, V>& split, key_digits<K> digits, buffer_route<K> keys,
               Values values, index_t n, void* scratch, cudaStream_t stream) {
  split.histogram(static_cast<const K*>(keys.primary), digits, scratch, stream);
  for (int place = 0; place < digits.places(); ++place) split.pass(place, digits, keys, values, scratch, stream);
  launch_copy(call, keys.primary, static_cast<const K*>(keys.alternate), n, split.plan(scratch), stream);
  if constexpr (!std::is_same_v<V, no_value>) {
    launch_copy(call, values.primary, static_cast<const V*>(values.alternate), n, split.plan(scratch), stream);
  }
}

}  // namespace onepass::detail
