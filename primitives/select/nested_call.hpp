// SPDX-License-Identifier: Apache-2.0
// Calls of another family that work in a part of a call's scratch.
#pragma once

#include <onepass/workspace.hpp>

#include "../../core/execution/scratch_layout.hpp"

namespace onepass::detail {

// An address for calls that are measured: they look at nothing but whether it is null.
template <class T>
T* any_address() {
  return reinterpret_cast<T*>(std::uintptr_t{section_alignment});
}

class nested_call {
 public:
  nested_call() = default;
  // make(policy) makes the call; here it is measured. `most_at_once`: how many of it may run at the same time.
  template <class Policy, class Make>
  nested_call(layout& scratch, const Policy& policy, Make make, index_t most_at_once = 1)
      : size_(onepass::measure(policy, make)), bytes_(round_up(size_.bytes(), section_alignment)) {
    offset_ = scratch.add<char>(most_at_once * static_cast<index_t>(bytes_));
  }
  // `number`: which one of those that run at the same time.
  template <class Policy, class Make>
  void run(void* scratch, const Policy& policy, Make make, index_t number = 0) const {
    workspace memory(policy, size_, section<char>(scratch, offset_) + number * static_cast<index_t>(bytes_));
    make(policy.with(memory));
  }

 private:
  workspace_size size_;
  std::size_t bytes_ = 0, offset_ = 0;
};

}  // namespace onepass::detail
