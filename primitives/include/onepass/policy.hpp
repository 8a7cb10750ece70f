// SPDX-License-Identifier: Apache-2.0
// onepass/policy.hpp: execution policies, which say where a call runs and with what memory.
//
//   onepass::cuda(stream)   on the current CUDA device, in the stream's order
//   onepass::cpu(threads)   on the CPU
//   .with(memory)           the same policy with a workspace (onepass/workspace.hpp)
//   .sized_by(size)         the same policy for a range whose size stands in memory
//
// Every call takes a policy as its first argument; calls across ranks take the communicator before it. It may also be
// one of Thrust's. Without a policy the iterators decide (onepass/iterator_system.hpp).
#pragma once

#include <algorithm>
#include <cstddef>

#include "errors.hpp"
#include "iterator_system.hpp"

namespace onepass {

class workspace;  // onepass/workspace.hpp

namespace detail {
// The allocator of a Thrust policy, which temporary memory comes from. If it is empty, the library's memory is used.
struct policy_allocator {
  void* policy = nullptr;
  void* (*allocate)(void* policy, std::size_t bytes) = nullptr;
  void (*release)(void* policy, void* memory, std::size_t bytes) = nullptr;
};
}  // namespace detail

// A policy for a range whose size the caller does not know, such as the output of an earlier call. [first, last) says
// how many items there is room for, and the call works on the first *size of them. On CUDA, `size` has to be memory
// that the device can read. It is read when the stream reaches the call, so calls can be chained and the host does not
// wait for a count. On the CPU it is read when the call begins. A call that returns out + n returns the end of the
// whole room; one that returns the end of its results returns just that. A *size below 0 counts as 0, and one above
// the room counts as the room. `size` must not point into what the call writes. Where it is null, the call works on the
// whole range.
template <class Policy>
class sized_policy : public Policy {
 public:
  sized_policy(const Policy& policy, const index_t* size) : Policy(policy), size_(size) {}
  sized_policy with(workspace& memory) const {
    sized_policy p = *this;
    static_cast<Policy&>(p) = Policy::with(memory);
    return p;
  }
  const index_t* size() const { return is_read_ ? &number_ : size_; }

  // ---- for the engine
  // The same policy for the items that *size says now: a call on the CPU may write there before it has asked for the last
  // time.
  sized_policy with_size_read() const {
    sized_policy p = *this;
    if (size_ != nullptr) p.number_ = *size_, p.is_read_ = true;
    return p;
  }
  bool has_size_at(const index_t* p) const { return p != nullptr && size_ == p; }

 private:
  const index_t* size_;
  index_t number_ = 0;
  bool is_read_ = false;
};

// The call runs on the current CUDA device, in the order of `stream`.
class cuda_policy {
 public:
  using system = cuda_system;
  explicit cuda_policy(stream_t stream) : stream_(stream) {}
  // The same policy with memory for the call, which then allocates nothing on the device but for a sort that goes to Thrust
  // (onepass/sort.hpp). Calls that return a count share a few bytes of the host's memory, which the first ones allocate.
  // The workspace may serve one stream at a time.
  cuda_policy with(workspace& memory) const {
    cuda_policy p = *this;
    p.memory_ = &memory;
    return p;
  }
  // The same policy for the first *size items of a range.
  sized_policy<cuda_policy> sized_by(const index_t* size) const { return {*this, size}; }
  stream_t stream() const { return stream_; }
  workspace* memory() const { return memory_; }

  // ---- for the engine
  // What a Thrust policy says. `waits`: it synchronises, or the call has no policy. Then the call waits for the device
  // if the host can read the items.
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

// The call runs on the calling thread and up to `threads` - 1 other threads, 4,095 at the most. 0 stands for the number
// of cores that the process may use. A number below 0 is an error. The call returns when its work is done.
class cpu_policy {
 public:
  using system = cpu_system;
  explicit cpu_policy(int threads) : threads_(std::min(threads, 1 << 12)) {
    if (threads < 0) throw invalid_argument("cpu", "threads is negative");
  }
  // The same policy with memory for the call.
  cpu_policy with(workspace& memory) const {
    cpu_policy p = *this;
    p.memory_ = &memory;
    return p;
  }
  // The same policy for the first *size items of a range.
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

// Without a stream this is the default stream: the legacy one, or the thread's own if the program is compiled so, as in
// Thrust.
inline cuda_policy cuda(stream_t stream = nullptr) { return cuda_policy(stream); }
inline cpu_policy cpu(int threads = 0) { return cpu_policy(threads); }

}  // namespace onepass
