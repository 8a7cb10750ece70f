// SPDX-License-Identifier: Apache-2.0
// The library's count of set flags: array libraries ask for it before they allocate what a compaction writes.
#include <atomic>

#include <thrust/iterator/counting_iterator.h>

#include "../../core/execution/host_results.hpp"
#include "library_each_index.hpp"

#if ONEPASS_HAS_CUDA
#include "../../core/cuda/reduce/ordered_reduce.cuh"
#endif

namespace onepass::library::detail {

namespace {

constexpr index_t piece_flags = 16;

ONEPASS_HOST_DEVICE inline index_t set_bits(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return __popcll(word);
#else
  return __builtin_popcountll(word);
#endif
}

// How many of 8 flags are set: the highest bit of each byte says whether the byte is 0 or not.
ONEPASS_HOST_DEVICE inline index_t set_bytes(std::uint64_t flags) {
  constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f;
  return set_bits((((flags & low) + low) | flags) & ~low);
}

// How many flags of a piece are set, or how many are not. Pieces begin at addresses that are multiples of 16, so the first and the last may
// have fewer flags.
struct set_in_piece {
  const std::uint8_t* flags;
  onepass::detail::item_count size;
  bool set;

  ONEPASS_HOST_DEVICE index_t before() const {
    return static_cast<index_t>(reinterpret_cast<std::uintptr_t>(flags) % piece_flags);
  }
  index_t pieces() const { return onepass::detail::divide_up(before() + size.most, piece_flags); }

  ONEPASS_HOST_DEVICE index_t operator()(index_t piece) const {
    const index_t begin = piece * piece_flags - before(), end = begin + piece_flags, n = size.get();
    if (begin >= 0 && end <= n) {
      const index_t count = set_in_whole(flags + begin);
      return set ? count : piece_flags - count;
    }
    index_t count = 0;
    for (index_t i = begin < 0 ? 0 : begin; i < (end < n ? end : n); ++i) count += (flags[i] != 0) == set;
    return count;
  }

 private:
  static ONEPASS_HOST_DEVICE index_t set_in_whole(const std::uint8_t* at) {
    struct alignas(piece_flags) words {
      std::uint64_t first, second;
    } both;
#if defined(__CUDA_ARCH__)
    const uint4 bits = *reinterpret_cast<const uint4*>(at);
    memcpy(&both, &bits, sizeof both);
#else
    std::memcpy(&both, at, sizeof both);
#endif
    return set_bytes(both.first) + set_bytes(both.second);
  }
};

index_t count_on_cpu(const cpu_policy& policy, const set_in_piece& set) {
  constexpr index_t part = index_t{1} << 15;  // pieces; so that to draw a part costs nothing beside it
  const index_t pieces = set.pieces(), parts = onepass::detail::divide_up(pieces, part);
  const int threads = policy.threads() > 0 ? policy.threads() : onepass::detail::available_threads();
  std::atomic<index_t> total{0};
  const auto run = [&](index_t p, int) {
    index_t count = 0;
    for (index_t i = p * part, end = std::min(pieces, i + part); i < end; ++i) count += set(i);
    total += count;
  };
  onepass::detail::share_out(static_cast<int>(std::min<index_t>(threads, parts)), parts, run);
  return total;
}

#if ONEPASS_HAS_CUDA
struct store_count {
  index_t* to;
  __device__ bool is_needed() const { return true; }
  __device__ void operator()(const index_t* total, index_t, bool) const { *to = *total; }
};

index_t count_on_cuda(const char* call, const cuda_policy& policy, const set_in_piece& set) {
  using pieces = onepass::detail::values_source<index_t, thrust::counting_iterator<index_t>, set_in_piece>;
  using job = onepass::detail::reduce_job<pieces, sum>;
  onepass::detail::check_may_wait(call, policy);
  const index_t n = set.pieces();
  const onepass::detail::ordered_reduction<job, store_count> reduction(call, n);
  const onepass::detail::cuda_call_memory memory(call, policy, {1, reduction.bytes()});
  onepass::detail::host_counts count;
  reduction.launch(policy, {memory.scratch(), memory.tiles().head}, {{{}, set}, {}, n}, {count.get(call)});
  return *count.wait(call, policy);
}
#endif

}  // namespace

std::size_t count_set(const char* call, const execution& where, const std::uint8_t* flags, std::size_t size, bool set) {
  const set_in_piece pieces{flags, {checked_items(call, where, size), where.on_cuda() ? where.size() : nullptr}, set};
  check_pointer(call, "flags", flags, size);
  return with_plain_policy(call, where, [&](const auto& policy) -> std::size_t {
    if (size == 0) return 0;
    if constexpr (!onepass::detail::on_cuda<std::decay_t<decltype(policy)>>) {
      return static_cast<std::size_t>(count_on_cpu(policy, pieces));
    } else {
#if ONEPASS_HAS_CUDA
      return static_cast<std::size_t>(count_on_cuda(call, policy, pieces));
#endif
    }
  });
}

std::size_t count_flags(const execution& where, const std::uint8_t* flags, std::size_t size) {
  return count_set("count_flags", where, flags, size, true);
}

}  // namespace onepass::library::detail
