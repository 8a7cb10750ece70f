// SPDX-License-Identifier: Apache-2.0
// onepass/workspace.hpp: memory for calls. A call with a workspace works in that memory, and on CUDA it does not
// allocate on the device, unless it passes a sort on to Thrust (onepass/sort.hpp). Without a workspace the library
// provides the memory, and on CUDA keeps it for later calls.
//
// Three steps: measure how much the calls need, make a workspace of that size, and pass it with the policy.
//
//   std::vector<int> x = {3, 1, 2}, y(3);
//   const auto size = onepass::measure(onepass::cpu(), [&](const auto& policy) {
//     onepass::inclusive_scan(policy, x.begin(), x.end(), y.begin());
//     onepass::radix_sort(policy, x.begin(), x.end());
//   });
//   onepass::workspace memory(onepass::cpu(), size);
//   onepass::inclusive_scan(onepass::cpu().with(memory), x.begin(), x.end(), y.begin());  // y = 3 4 6
//   onepass::radix_sort(onepass::cpu().with(memory), x.begin(), x.end());                 // x = 1 2 3
//
// A workspace that was measured for n items serves the same call on fewer items, too (a reduction by offsets: on fewer
// items and segments). It can be used again for any number of calls, but by one at a time: on CUDA by the calls of one
// stream, or by graphs that are replayed one after another.
//   Errors     if a workspace is too small, the call throws onepass::invalid_argument before it writes to any
//              range.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "../../../core/lookback/tile_memory.hpp"
#include "policy.hpp"

namespace onepass {

namespace detail {
// How a backend allocates, clears and releases memory: allocate(policy, bytes), clear(policy, memory, bytes),
// release(memory).
template <class Policy>
struct workspace_memory;
template <class Policy>
struct workspace_memory<sized_policy<Policy>> : workspace_memory<Policy> {};
}  // namespace detail

// How much memory a call needs. `measure` returns it. max(a, b) is enough for either of two calls.
struct workspace_size {
  std::size_t tiles = 0;    // slots for the look-back
  std::size_t scratch = 0;  // bytes

  // The size of the memory in all.
  std::size_t bytes() const {
    return sizeof(detail::control) + detail::round_up(tiles * sizeof(detail::slot), detail::section_alignment) +
           scratch;
  }
  friend workspace_size max(const workspace_size& a, const workspace_size& b) {
    return {std::max(a.tiles, b.tiles), std::max(a.scratch, b.scratch)};
  }
};

// Memory for calls, which policy.with(workspace) gives to a call. It serves one call at a time (see the top).
//
// It has two parts. The tiles are for the look-back. They are zeroed once, when the workspace is made, and every call
// leaves them as the next one needs them. The scratch is for everything else, and means nothing between calls.
class workspace {
 public:
  // Allocates size.bytes(), and zeroes the tiles in the order of the policy's stream. On CUDA the destructor waits for
  // the device, so the workspace may be destroyed while calls still work in it.
  //   Errors     onepass::bad_alloc or onepass::cuda_error; std::bad_alloc on the CPU.
  template <class Policy>
  workspace(const Policy& policy, workspace_size size)
      : workspace(size, detail::workspace_memory<Policy>::allocate(policy, size.bytes()),
                  detail::workspace_memory<Policy>::release) {
    detail::workspace_memory<Policy>::clear(policy, memory_, size.bytes() - size.scratch);
  }
  // Uses memory of the caller: size.bytes() bytes, aligned to 256. The caller must not free it before the workspace is
  // destroyed and all calls that use it have ended. The constructor zeroes the tiles in the order of the policy's
  // stream.
  //   Errors     onepass::invalid_argument if the memory is null or not aligned; onepass::cuda_error.
  template <class Policy>
  workspace(const Policy& policy, workspace_size size, void* memory) : workspace(size, memory, nullptr) {
    if (memory == nullptr) throw invalid_argument("workspace", "memory is null");
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
    // More than a tile number can say are never used.
    const auto usable = std::min<std::size_t>(size_.tiles, std::numeric_limits<detail::tile_t>::max() / 2);
    return {head, reinterpret_cast<detail::slot*>(head + 1), static_cast<detail::tile_t>(usable)};
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

// Returns how much memory the calls need that f(policy) makes with the policy it is given. `f` runs, but no call in it
// launches, reads or writes anything, and the iterators that calls return mean nothing. If `f` makes several calls, the
// size is enough for each of them.
//   auto size = onepass::measure(onepass::cuda(), [&](const auto& p) { onepass::radix_sort(p, first, last); });
template <class Policy, class F>
workspace_size measure(const Policy& policy, F&& f) {
  workspace probe(workspace::measuring_tag{});
  f(policy.with(probe));
  return probe.size();
}

}  // namespace onepass
