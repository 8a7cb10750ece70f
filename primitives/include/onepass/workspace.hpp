// SPDX-License-Identifier: Apache-2.0
// The memory that a call works in. It has two parts that never mix:
//   tiles:    a control block and one slot a tile, for the look-back. Zeroed once, when the workspace is made; after that
//             the kernels keep it in order themselves (core/lookback/descriptor.hpp says how), so no call has to clear it.
//   scratch:  whatever else a call needs (buffers of a sort, say). Its content means nothing between calls.
// A call describes what it needs once, as a `workspace_size` and a `layout` of its scratch; the measuring mode and the
// pointers both come from that.
//
//   std::vector<int> x = {3, 1, 2};
//   const auto size = onepass::measure(onepass::cpu(), [&](const auto& p) { onepass::radix_sort(p, x.begin(), x.end()); });
//   onepass::workspace memory(onepass::cpu(), size);
//   onepass::radix_sort(onepass::cpu().with(memory), x.begin(), x.end());  // x = 1 2 3
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "../../../core/lookback/tile_memory.hpp"
#include "policy.hpp"

namespace onepass {

namespace detail {
// How a backend gets and clears memory: allocate(policy, bytes), clear(policy, memory, bytes), release(memory).
template <class Policy>
struct workspace_memory;
template <class Policy>
struct workspace_memory<sized_policy<Policy>> : workspace_memory<Policy> {};
}  // namespace detail

// How much a call needs. Comes from `measure`; the larger of two sizes serves both calls.
struct workspace_size {
  std::size_t tiles = 0;    // slots for the look-back
  std::size_t scratch = 0;  // bytes

  std::size_t bytes() const {  // of memory in all
    return sizeof(detail::control) + detail::round_up(tiles * sizeof(detail::slot), detail::section_alignment) +
           scratch;
  }
  friend workspace_size max(const workspace_size& a, const workspace_size& b) {
    return {std::max(a.tiles, b.tiles), std::max(a.scratch, b.scratch)};
  }
};

// Memory for calls, given to a policy by `policy.with(workspace)`: such calls never allocate. It serves one call at a
// time: on CUDA, calls on one stream, or graphs replayed one after another.
class workspace {
 public:
  // Owns memory of `size`, zeroed in the order of the policy's stream. On CUDA its end waits for the device, so calls that
  // still work in it may be under way.
  template <class Policy>
  workspace(const Policy& policy, workspace_size size)
      : workspace(size, detail::workspace_memory<Policy>::allocate(policy, size.bytes()),
                  detail::workspace_memory<Policy>::release) {
    detail::workspace_memory<Policy>::clear(policy, memory_, size.bytes() - size.scratch);
  }
  // Uses the caller's memory of size.bytes(), aligned to 256 bytes, which must live as long. Zeroes a part of it.
  template <class Policy>
  workspace(const Policy& policy, workspace_size size, void* memory) : workspace(size, memory, nullptr) {
    if (reinterpret_cast<std::uintptr_t>(memory) % detail::section_alignment != 0) {
      throw invalid_argument("workspace", "memory is not aligned to 256 bytes");
    }
    detail::workspace_memory<Policy>::clear(policy, memory_, size.bytes() - size.scratch);
  }
  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;
  ~workspace() {
    if (release_ != nullptr) release_(memory_);
  }

  workspace_size size() const { return size_; }

  // ---- for the engine
  struct measuring_tag {};
  explicit workspace(measuring_tag) : measuring_(true) {}
  bool measuring() const { return measuring_; }
  void require(workspace_size needed) { size_ = max(size_, needed); }
  void check(const char* call, workspace_size needed) const {
    if (needed.tiles > size_.tiles || needed.scratch > size_.scratch) {
      throw invalid_argument(call, "the workspace is too small: " + std::to_string(needed.tiles) + " tiles and " +
                                       std::to_string(needed.scratch) + " bytes of scratch are needed, it has " +
                                       std::to_string(size_.tiles) + " and " + std::to_string(size_.scratch));
    }
  }
  detail::tile_memory tiles() const {
    auto* head = static_cast<detail::control*>(memory_);
    return {head, reinterpret_cast<detail::slot*>(head + 1), static_cast<detail::tile_t>(size_.tiles)};
  }
  void* scratch() const { return static_cast<char*>(memory_) + (size_.bytes() - size_.scratch); }

 private:
  workspace(workspace_size size, void* memory, void (*release)(void*))
      : size_(size), memory_(memory), release_(release) {}

  workspace_size size_;
  void* memory_ = nullptr;
  void (*release_)(void*) = nullptr;
  bool measuring_ = false;
};

// What the calls that `f` makes with the policy it is given need: `f` runs, but no call in it launches, reads or
// writes anything, and iterators that calls return mean nothing. Several calls in one `f`: enough for each of them.
//   auto size = onepass::measure(onepass::cuda(), [&](const auto& p) { onepass::radix_sort(p, first, last); });
template <class Policy, class F>
workspace_size measure(const Policy& policy, F&& f) {
  workspace probe(workspace::measuring_tag{});
  f(policy.with(probe));
  return probe.size();
}

}  // namespace onepass
