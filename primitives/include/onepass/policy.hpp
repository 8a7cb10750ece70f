// SPDX-License-Identifier: Apache-2.0
// onepass/policy.hpp: execution policies, which say where a call runs. Every call takes one as its first argument, or one of
// Thrust's, or none: then the iterators decide (onepass/iterator_system.hpp).
#pragma once

#include <cstddef>

#include "errors.hpp"
#include "iterator_system.hpp"

namespace onepass {

class workspace;  // onepass/workspace.hpp

namespace detail {
// The allocator that a Thrust policy carries: temporary memory comes from it. Empty: the library's.
struct policy_allocator {
  void* policy = nullptr;
  void* (*allocate)(void* policy, std::size_t bytes) = nullptr;
  void (*release)(void* policy, void* memory, std::size_t bytes) = nullptr;
};
}  // namespace detail

// The same as Policy, for a range whose size is not known to who calls: [first, last) is what there is room for, and the
// call works on the first *size of its items. On CUDA `size` lies where the device can read it, and is read when the call's
// turn comes, so that calls can be chained without the host's waiting for a count; iterators that a call returns are those
// of the whole room. *size below 0 counts as 0, above the room as the room.
template <class Policy>
class sized_policy : public Policy {
 public:
  sized_policy(const Policy& policy, const index_t* size) : Policy(policy), size_(size) {}
  sized_policy with(workspace& memory) const { return {Policy::with(memory), size_}; }
  const index_t* size() const { return size_; }

 private:
  const index_t* size_;
};

// Runs on the current CUDA device, in `stream`'s order.
class cuda_policy {
 public:
  using system = cuda_system;
  explicit cuda_policy(stream_t stream) : stream_(stream) {}
  // The same, with memory for the call: then it never allocates. The workspace belongs to one stream at a time.
  cuda_policy with(workspace& memory) const {
    cuda_policy p = *this;
    p.memory_ = &memory;
    return p;
  }
  // The same, with the number of items in memory.
  sized_policy<cuda_policy> sized_by(const index_t* size) const { return {*this, size}; }
  stream_t stream() const { return stream_; }
  workspace* memory() const { return memory_; }

  // ---- for the engine
  // In a call with a Thrust policy that synchronises, or without a policy: where the host can read the items, it waits.
  cuda_policy as_thrusts(bool waits, detail::policy_allocator allocator) const {
    cuda_policy p = *this;
    p.waits_ = waits;
    p.allocator_ = allocator;
    return p;
  }
  bool waits() const { return waits_; }
  const detail::policy_allocator& allocator() const { return allocator_; }

 private:
  stream_t stream_;
  workspace* memory_ = nullptr;
  bool waits_ = false;
  detail::policy_allocator allocator_;
};

// Runs on the calling thread and up to `threads` - 1 others; 0: as many as there are cores; below 0 is an error. It returns
// when all is done.
class cpu_policy {
 public:
  using system = cpu_system;
  explicit cpu_policy(int threads) : threads_(threads) {
    if (threads < 0) throw invalid_argument("cpu", "threads is negative");
  }
  cpu_policy with(workspace& memory) const {
    cpu_policy p = *this;
    p.memory_ = &memory;
    return p;
  }
  sized_policy<cpu_policy> sized_by(const index_t* size) const { return {*this, size}; }
  int threads() const { return threads_; }
  workspace* memory() const { return memory_; }

  // ---- for the engine
  cpu_policy as_thrusts(detail::policy_allocator allocator) const {
    cpu_policy p = *this;
    p.allocator_ = allocator;
    return p;
  }
  const detail::policy_allocator& allocator() const { return allocator_; }

 private:
  int threads_;
  workspace* memory_ = nullptr;
  detail::policy_allocator allocator_;
};

// The default stream is the legacy one, or the thread's own where the program is compiled so, as in Thrust.
inline cuda_policy cuda(stream_t stream = nullptr) { return cuda_policy(stream); }
inline cpu_policy cpu(int threads = 0) { return cpu_policy(threads); }

}  // namespace onepass
