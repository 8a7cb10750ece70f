// SPDX-License-Identifier: Apache-2.0
// Partition in place, with a buffer.
//   CUDA   kept items go to the front of the range, rejected items to the buffer, and from there behind the kept items.
//          Bytes moved: every item is read and written once, and once more if it is rejected.
//   CPU    all items go to the buffer and back, so that nothing is lost when a predicate throws. Bytes moved: every
//          item is read twice and written twice. Items that fit one tile need no buffer: the tile has read all of them
//          into its own memory before it writes any.
#pragma once

#include <vector>

#include "../../core/support/argument_checks.hpp"
#include "../../core/support/construct.hpp"
#include "compact_dispatch.hpp"

namespace onepass::detail {

#if ONEPASS_HAS_CUDA
constexpr int append_rejected_threads = 256;
constexpr int append_rejected_items = 8;  // how many loads of a thread are in flight together (not measured)

template <class It, class T>
__global__ void __launch_bounds__(append_rejected_threads)
    append_rejected_kernel(It out, const T* rejected, const index_t* count, item_count n) {
  const index_t kept = *count, size = n.get() - kept;
  constexpr index_t block_items = index_t{append_rejected_threads} * append_rejected_items;
  for (index_t begin = blockIdx.x * block_items; begin < size; begin += gridDim.x * block_items) {
#pragma unroll
    for (int i = 0; i < append_rejected_items; ++i) {
      const index_t at = begin + i * append_rejected_threads + threadIdx.x;
      if (at < size) out[kept + at] = rejected[at];
    }
  }
}

template <class It, class T>
void append_rejected(const char* call, It out, const T* rejected, const index_t* count, item_count n, stream_t stream) {
  const auto kernel = append_rejected_kernel<It, T>;
  const resident_blocks resident(kernel, append_rejected_threads, 0);
  const index_t useful = divide_up(n.most, index_t{append_rejected_threads} * append_rejected_items);
  const auto blocks = static_cast<unsigned>(std::min<index_t>(useful, resident.on_this_device(call)));
  kernel_launch::in_order(call, kernel, blocks, append_rejected_threads, 0, stream, out, rejected, count, n);
}

template <class Policy, class It, class Rule>
index_t partition_in_place_on_cuda(const char* call, const Policy& policy, It first, index_t n, const Rule& rule,
                                   index_t* count) {
  using item = value_of<It>;
  using rejected = raw_output<item>;
  const auto out = unwrap(first);
  layout scratch;
  const std::size_t offset = scratch.add<item>(n);
  return run_compact(
      call, policy, rule, n, count, scratch,
      [&](void* memory) {
        const rejected buffer{section<item>(memory, offset)};
        return compact_outputs<unwrapped<It>, rejected>{out, buffer, true, true};
      },
      [&](void* memory, const index_t* kept, item_count items) {
        detail::append_rejected(call, out, section<item>(memory, offset), kept, items, policy.stream());
      });
}
#endif

// The CPU's buffer is scratch. Items that are more than their bytes can be assigned only to objects, so their buffer is a
// vector, which begins as a copy of the input. Items that fit one tile have no buffer: the tile reads them all before it
// writes any, so the outputs are the range itself.
template <class Policy, class It, class Rule>
index_t partition_in_place_on_cpu(const char* call, const Policy& policy, It first, index_t n, const Rule& rule,
                                  index_t* count) {
  using item = value_of<It>;
  using outputs = compact_outputs<item*, from_end<item>>;
  constexpr bool needs_objects = !std::is_trivially_copyable_v<item>;
  constexpr bool has_array = !needs_objects && std::is_same_v<unwrapped<It>, item*>;
  const auto out = unwrap(first);
  const bool fits_tile = [&] {
    if constexpr (has_array) return n <= cpu_compact_tile<compact_job<Rule, outputs>>::items;
    else return false;
  }();
  layout scratch;
  std::size_t offset = 0;
  std::vector<std::conditional_t<needs_objects, item, char>> objects;
  // Objects are made for items that are there, and none while the call is only measured.
  const index_t room = !needs_objects ? n : is_measuring(policy) ? 0 : items_now(policy, n);
  if constexpr (needs_objects) or_bad_alloc(call, [&] { objects.assign(first, first + room); });
  else if (!fits_tile) offset = scratch.add<item>(n);
  const auto buffer = [&](void* memory) {
    if constexpr (needs_objects) return objects.data();
    else return section<item>(memory, offset);
  };
  const auto make_outputs = [&](void* memory) {
    if constexpr (has_array) {
      if (fits_tile) return outputs{out, {out + items_now(policy, n), true}, false, false};
    }
    item* const items = buffer(memory);
    return outputs{items, {items + room, false}, false, false};
  };
  const auto put_back = [&](void* memory, const index_t* kept, item_count items_in) {
    if (fits_tile) return;
    const index_t front = *kept, back = items_in.get() - front;
    const auto behind = out + front;
    item* const items = buffer(memory);
    for (index_t i = 0; i < front; ++i) out[i] = std::move(items[i]);
    for (index_t i = 0; i < back; ++i) behind[i] = std::move(items[room - 1 - i]);
  };
  return run_compact(call, policy, rule, n, count, scratch, make_outputs, put_back);
}

template <class Policy, class It, class Rule>
index_t partition_in_place(const char* call, const Policy& any_policy, It first, It last, const Rule& rule,
                           index_t* count) {
  const auto policy = as_policy(any_policy);
  const index_t n = checked_distance(call, first, last);
  check_not_null(call, "first", first, n);
  check_rule(call, rule, n);
  check_apart(call, rule, n, "[first, last)", first);
  if constexpr (!on_cuda<std::decay_t<decltype(policy)>>) {
    return partition_in_place_on_cpu(call, policy, first, n, rule, count);
  } else {
#if ONEPASS_HAS_CUDA
    return partition_in_place_on_cuda(call, policy, first, n, rule, count);
#else
    return 0;
#endif
  }
}

}  // namespace onepass::detail
