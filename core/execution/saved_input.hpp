// SPDX-License-Identifier: Apache-2.0
// An input that a call reads again after it has begun to write there: such a call works on a copy of it in scratch, and puts
// the items back if a function object throws (CPU).
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "../support/argument_checks.hpp"
#include "scratch_layout.hpp"

#if ONEPASS_HAS_CUDA
#include "../cuda/runtime/launch.cuh"
#endif

namespace onepass::detail {

template <class Policy, class It>
class saved_input {
  using item = value_of<It>;
  static constexpr bool is_array = std::is_pointer_v<unwrapped<It>>;
  // On the CPU, items that are more than their bytes are objects of a vector.
  static constexpr bool needs_objects = is_array && !on_cuda<Policy> && !std::is_trivially_copyable_v<item>;

 public:
  // `is_overwritten`: the call writes where the n items from `it` on are, which is known of arrays alone.
  saved_input(It it, index_t n, bool is_overwritten, layout& scratch)
      : it_(unwrap(it)), is_saved_(is_array && is_overwritten) {
    if (is_saved_ && !needs_objects) offset_ = scratch.add<item>(n);
  }

  // The items as the call is to read them: `n` of them, as many as the scratch has room for, in the order of the policy.
  unwrapped<It> get(const char* call, const Policy& policy, void* scratch, index_t n) {
    if constexpr (is_array) {
      if (!is_saved_) return it_;
      n_ = n;
      const auto bytes = static_cast<std::size_t>(n) * sizeof(item);
      if constexpr (needs_objects) {
        objects_.assign(it_, it_ + n);
        copy_ = objects_.data();
      } else {
        copy_ = section<item>(scratch, offset_);
        if constexpr (on_cuda<Policy>) {
#if ONEPASS_HAS_CUDA
          check_cuda(call, cudaMemcpyAsync(static_cast<void*>(copy_), static_cast<const void*>(it_), bytes,
                                           cudaMemcpyDefault, policy.stream()));
#endif
        } else {
          (void)call, (void)policy;
          if (bytes > 0) std::memcpy(static_cast<void*>(copy_), static_cast<const void*>(it_), bytes);
        }
      }
      return copy_;
    } else {
      (void)call, (void)policy, (void)scratch, (void)n;
      return it_;
    }
  }

  // On the CPU: the items are what they were before the call.
  void put_back() {
    if constexpr (is_array && !on_cuda<Policy>) {
      if (copy_ != nullptr) std::copy_n(copy_, n_, const_cast<item*>(it_));  // where the call writes
    }
  }

 private:
  unwrapped<It> it_;
  bool is_saved_;
  std::size_t offset_ = 0;
  index_t n_ = 0;
  item* copy_ = nullptr;
  std::vector<std::conditional_t<needs_objects, item, char>> objects_;
};

// Throws where a call would write over an input that it has no copy of: one that is no array.
template <class Policy, class In, class Out>
void check_saved(const char* call, const Policy& policy, const char* in_name, In in, index_t n, const char* out_name,
                 Out out) {
  if constexpr (!is_contiguous<In>) {
    if (n > 0 && !is_measuring(policy) && is_in_place<!on_cuda<Policy>>(in, out)) {
      throw invalid_argument(call, std::string(out_name) + " overlaps " + in_name + ", which are no array");
    }
  }
}

// Calls f; if it throws, the inputs are put back first.
template <class F, class... Saved>
void or_put_back(F&& f, Saved&... saved) {
  try {
    f();
  } catch (...) {
    (saved.put_back(), ...);
    throw;
  }
}

}  // namespace onepass::detail
