// SPDX-License-Identifier: Apache-2.0
// A call of another family that works in a part of a call's scratch.
#pragma once

#include <onepass/workspace.hpp>

#include "../../../core/cuda/runtime/cuda_call_memory.cuh"

namespace onepass::detail {

class nested_call {
 public:
  nested_call() = default;
  // make(policy) makes the call; here it is measured.
  template <class Make>
  nested_call(layout& scratch, Make make) : size_(onepass::measure(cuda_policy(nullptr), make)) {
    offset_ = scratch.add<char>(static_cast<index_t>(size_.bytes()));
  }
  template <class Make>
  void run(void* scratch, stream_t stream, Make make) const {
    const cuda_policy policy(stream);
    workspace memory(policy, size_, section<char>(scratch, offset_));
    make(policy.with(memory));
  }

 private:
  workspace_size size_;
  std::size_t offset_ = 0;
};

}  // namespace onepass::detail
