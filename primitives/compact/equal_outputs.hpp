// SPDX-License-Identifier: Apache-2.0
// The check of outputs that begin at the same address. They overlap unless at most one of them receives items. A call
// that may wait counts the items of each kind before it writes any. In this case alone the input is read once more, and
// the predicate is called once more for each item.
#pragma once

#include "../../core/execution/scratch_layout.hpp"
#include "../../core/execution/host_results.hpp"
#include "../../core/support/argument_checks.hpp"

#if ONEPASS_HAS_CUDA
#include "../../core/cuda/runtime/cuda_call_memory.cuh"
#endif

namespace onepass::detail {

#if ONEPASS_HAS_CUDA
constexpr int count_kinds_threads = 256;

template <int kinds, class KindOf>
__global__ void __launch_bounds__(count_kinds_threads)
    count_kinds_kernel(KindOf kind_of, item_count n, unsigned long long* counts) {
  const index_t size = n.get(), step = static_cast<index_t>(gridDim.x) * count_kinds_threads;
  for (index_t begin = static_cast<index_t>(blockIdx.x) * count_kinds_threads; begin < size; begin += step) {
    const index_t i = begin + threadIdx.x;
    const int kind = i < size ? kind_of(i) : kinds;
    for (int k = 0; k < kinds; ++k) {
      const int found = __syncthreads_count(kind == k);
      if (threadIdx.x == 0 && found > 0) atomicAdd(counts + k, static_cast<unsigned long long>(found));
    }
  }
}
#endif

// Throws if two outputs begin at the same address and both receive items. kind_of(i): which output item i goes to.
template <class Policy, class KindOf, class... Outs>
void check_equal_outputs(const char* call, const Policy& policy, index_t n, const KindOf& kind_of, bool may_wait,
                         const char* const (&names)[sizeof...(Outs)], Outs... outs) {
  constexpr int kinds = sizeof...(Outs);
  const std::uintptr_t begins[sizeof...(Outs)] = {detail::address_of(outs)...};
  const auto are_equal = [&](int a, int b) { return begins[a] != 0 && begins[a] == begins[b]; };
  bool has_equal = false;
  for (int b = 1; b < kinds; ++b)
    for (int a = 0; a < b; ++a) has_equal |= are_equal(a, b);
  if (n == 0 || !has_equal || !may_wait) return;

  index_t counts[sizeof...(Outs)] = {};
  if constexpr (!on_cuda<Policy>) {
    if (is_measuring(policy)) return;
    auto ask = kind_of;
    const index_t size = items_now(policy, n);
    for (index_t i = 0; i < size; ++i) ++counts[ask(i)];
  } else {
#if ONEPASS_HAS_CUDA
    layout scratch;
    const std::size_t own_counts = scratch.add<index_t>(kinds);
    if (!is_measuring(policy)) check_may_wait(call, policy);
    const cuda_call_memory call_memory(call, policy, {0, scratch.bytes()});
    if (call_memory.measuring()) return;
    auto* const on_device = section<index_t>(call_memory.scratch(), own_counts);
    clear_counts(call, policy, on_device, kinds);
    const auto blocks = static_cast<unsigned>(std::min<index_t>(divide_up(n, index_t{count_kinds_threads}), 4096));
    kernel_launch::in_order(call, count_kinds_kernel<kinds, KindOf>, blocks, count_kinds_threads, 0, policy.stream(),
                            kind_of, count_of(policy, n), reinterpret_cast<unsigned long long*>(on_device));
    read_counts(call, policy, on_device, counts, kinds);
#endif
  }
  for (int b = 1; b < kinds; ++b) {
    for (int a = 0; a < b; ++a) {
      if (are_equal(a, b) && counts[a] > 0 && counts[b] > 0) {
        throw invalid_argument(call, std::string(names[b]) + " overlaps " + names[a]);
      }
    }
  }
}

}  // namespace onepass::detail
