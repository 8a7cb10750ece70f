// SPDX-License-Identifier: Apache-2.0
// Copies an input that a call overwrites before it has read it for the last time. The call then reads the copy, in
// scratch. On the CPU the items are put back if a function object throws.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "../support/argument_checks.hpp"
#include "resolve_policy.hpp"
#include "scratch_layout.hpp"

#if ONEPASS_HAS_CUDA
#include "../cuda/runtime/launch.cuh"
#endif

namespace onepass::detail {

template <class Policy, class It>
class saved_input {
  using item = value_of<It>;
  static constexpr bool is_array = std::is_pointer_v<unwrapped<It>>;
  // On the CPU, items that cannot be copied as bytes are copied to a vector.
  static constexpr bool needs_objects = is_array && !on_cuda<Policy> && !std::is_trivially_copyable_v<item>;
  static constexpr std::size_t vector_bytes = 16;
  static constexpr index_t room_before = divide_up(vector_bytes, sizeof(item));  // in items

 public:
  // `is_overwritten` says that the call writes where the n items from `it` on stand. That is known for arrays only.
  saved_input(It it, index_t n, bool is_overwritten, layout& scratch)
      : it_(unwrap(it)), is_saved_(is_array && is_overwritten) {
    if (is_saved_ && !needs_objects) offset_ = scratch.add<item>(n + room_before);
  }

  // Copies `most` items, if need be, in the order of the policy's stream, and returns where the call has to read them. On the
  // CPU these are no more than the policy's size: items behind may be another thread's. The scratch has room for as many as
  // the constructor was told.
  unwrapped<It> get(const char* call, const Policy& policy, void* scratch, index_t most) {
    if constexpr (is_array) {
      if (!is_saved_) return it_;
      n_ = most;
      if constexpr (!on_cuda<Policy>) n_ = items_now(policy, most);
      const auto bytes = static_cast<std::size_t>(n_) * sizeof(item);
      if constexpr (needs_objects) {
        or_bad_alloc(call, [&] { objects_.assign(it_, it_ + n_); });
        copy_ = objects_.data();
      } else {
        // At the same distance from a multiple of 16 bytes, as the grouping of a scan depends on that (docs/same-bits.md).
        copy_ = section<item>(scratch, offset_ + reinterpret_cast<std::uintptr_t>(it_) % vector_bytes);
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
      (void)call, (void)policy, (void)scratch, (void)most;
      return it_;
    }
  }

  // Restores the items to what they were before the call (CPU only).
  void put_back() {
    if constexpr (is_array && !on_cuda<Policy>) {
      if (copy_ != nullptr) std::copy_n(copy_, n_, const_cast<item*>(it_));  // the call's output, so it can be written
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

// Throws if a call would overwrite an input that is not an array, as there is no copy of it.
template <class Policy, class In, class Out>
void check_saved(const char* call, const Policy& policy, const char* in_name, In in, index_t n, const char* out_name,
                 Out out) {
  if constexpr (!is_contiguous<In>) {
    if (n > 0 && !is_measuring(policy) && is_in_place<!on_cuda<Policy>>(in, out)) {
      throw invalid_argument(call, std::string(out_name) + " overlaps " + in_name + ", which are no array");
    }
  }
}

// Calls f. If f throws, this puts the inputs back before it throws on. The call's scratch has to live until then.
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
