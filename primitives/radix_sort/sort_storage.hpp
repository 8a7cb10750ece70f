// SPDX-License-Identifier: Apache-2.0
// The caller's ranges as arrays that a sort can work on: copied there where they are not, and the result copied to
// where it is wanted.
#pragma once

#include <thrust/iterator/transform_iterator.h>

#include "../../core/cpu/driver/cpu_call_memory.hpp"
#include "../../core/execution/host_results.hpp"
#include "../../core/execution/scratch_layout.hpp"
#include "../../core/support/construct.hpp"
#include "cpu/cpu_items.hpp"
#include "struct_keys/field_digits.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/cuda_sort.cuh"
#endif

namespace onepass::detail {

// wanted: on the device, if not null, whether to copy.
template <class Policy, class To, class From>
void copy_all(const char* call, const Policy& policy, To to, From from, item_count size,
              [[maybe_unused]] const bool* wanted = nullptr) {
  if constexpr (!on_cuda<Policy>) {
    (void)call, (void)policy;
    for (index_t i = 0, n = size.get(); i < n; ++i) to[i] = from[i];
  } else {
#if ONEPASS_HAS_CUDA
    launch_copy(call, to, from, size, wanted, policy.stream());
#endif
  }
}

template <class It>
constexpr bool is_discard = false;
template <class System>
constexpr bool is_discard<thrust::discard_iterator<System>> = true;

// Where a sort reads and where it writes: one range for both, or two that do not overlap.
template <class In, class Out = In>
struct sorted_range {
  using value = value_of<In>;
  static_assert(alignof(value) <= section_alignment, "onepass: items that are sorted are aligned to 256 bytes at most");
  In in;
  Out out;
  bool in_place;
  value* alternate = nullptr;  // the caller's second array, if the call has one

  // Items that are gathered in place go through other memory. The caller's second array serves if its items are no more
  // than their bytes: gathering destroys nothing there.
  bool needs_room_to_gather() const { return in_place && !gathers_in_alternate(); }
  value* room_to_gather(value* in_scratch) const { return gathers_in_alternate() ? alternate : in_scratch; }
  bool gathers_in_alternate() const { return alternate != nullptr && std::is_trivially_copyable_v<value>; }
};
struct no_range {};
template <class It>
sorted_range<It> sorted_in_place(It first, value_of<It>* alternate = nullptr) {
  return {first, first, true, alternate};
}
template <class In, class Out>
sorted_range<In, Out> sorted_to(In first, Out out) {
  static_assert(std::is_copy_constructible_v<value_of<In>> || is_discard<Out>,
                "onepass: items that cannot be copied can only be sorted in place");
  return {first, out, false};
}

// An item that the device moves as its bytes: pairs and tuples of the standard library, whose assignment is a function
// of the host, and items with an assignment of their own, for which scratch has no objects to assign to.
template <class T>
struct opaque {
  alignas(T) unsigned char bytes[sizeof(T)];
};
template <class Policy, class T>
using moved_as = std::conditional_t<on_cuda<Policy> && !std::is_trivially_copyable_v<T>, opaque<T>, T>;
template <class Policy, class In, class Out>
auto for_backend(const sorted_range<In, Out>& range) {
  using T = value_of<In>;
  if constexpr (on_cuda<Policy> && !std::is_trivially_copyable_v<T> && is_contiguous<In> &&
                std::is_same_v<unwrapped<Out>, T*>) {
    using in_pointer = std::conditional_t<std::is_same_v<unwrapped<In>, T*>, opaque<T>*, const opaque<T>*>;
    return sorted_range<in_pointer, opaque<T>*>{reinterpret_cast<in_pointer>(unwrap(range.in)),
                                                reinterpret_cast<opaque<T>*>(unwrap(range.out)), range.in_place,
                                                reinterpret_cast<opaque<T>*>(range.alternate)};
  } else {
    return range;
  }
}
template <class Policy>
no_range for_backend(no_range) {
  return {};
}

template <class To, class From>
struct as_bytes_of {
  ONEPASS_HOST_DEVICE To operator()(const From& from) const {
    alignas(To) unsigned char bytes[sizeof(To)] = {};
    memcpy(bytes, static_cast<const void*>(object_address(from)),
           sizeof(To) < sizeof(From) ? sizeof(To) : sizeof(From));
    return *reinterpret_cast<const To*>(bytes);
  }
};

template <class K>
struct as_stored {};

// A range as two arrays of K, where K is the item, or an integer with the item's bytes and maybe more: the caller's
// output and alternate where they can take K, else scratch. An input that is another array of such items is not copied.
template <class K, class In, class Out>
class sortable {
 public:
  using stored = K;
  using item = value_of<In>;

  sortable(as_stored<K>, const sorted_range<In, Out>& range, item_count size, layout& scratch)
      : in_(unwrap(range.in)), out_(unwrap(range.out)), in_place_(range.in_place), size_(size) {
    if constexpr (same_size && (std::is_same_v<unwrapped<In>, item*> || std::is_same_v<unwrapped<In>, const item*>)) {
      if (!in_place_ && is_aligned(in_)) input_ = reinterpret_cast<const K*>(in_);
    }
    if constexpr (may_be_direct) {
      if (is_aligned(out_)) direct_ = reinterpret_cast<K*>(out_);
      if (same_size && is_aligned(range.alternate)) alternate_ = reinterpret_cast<K*>(range.alternate);
    }
    if (direct_ == nullptr) copy_ = scratch.add<K>(size.most);
    if (alternate_ == nullptr) other_ = scratch.add<K>(size.most);
  }
  static constexpr bool needs_input = true, is_numbers = false, is_wanted = !is_discard<Out>;
  bool in_place() const { return in_place_; }
  bool in_scratch() const { return direct_ == nullptr; }
  // The caller's input, if the sort can read it; else null.
  const K* input() const { return input_; }
  buffers<K> in(void* scratch) const {
    return {direct_ != nullptr ? direct_ : section<K>(scratch, copy_),
            alternate_ != nullptr ? alternate_ : section<K>(scratch, other_)};
  }
  template <class Policy>
  void copy_in(const char* call, const Policy& policy, void* scratch) const {
    if (direct_ != nullptr && in_place_) return;
    K* to = in(scratch).primary;
    if constexpr (same_size) copy_all(call, policy, raw_output<item>{reinterpret_cast<item*>(to)}, in_, size_);
    else copy_all(call, policy, to, thrust::make_transform_iterator(in_, as_bytes_of<K, item>()), size_);
  }
  template <class Policy>
  void copy_out(const char* call, const Policy& policy, void* scratch) const {
    if (direct_ != nullptr || !is_wanted) return;
    const K* from = in(scratch).primary;
    if constexpr (same_size) copy_all(call, policy, out_, reinterpret_cast<const item*>(from), size_);
    else copy_all(call, policy, out_, thrust::make_transform_iterator(from, as_bytes_of<item, K>()), size_);
  }

 private:
  static constexpr bool same_size = sizeof(item) == sizeof(K);
  static constexpr bool may_be_direct = same_size && std::is_same_v<unwrapped<Out>, item*>;
  static bool is_aligned(const void* p) {
    return p != nullptr && reinterpret_cast<std::uintptr_t>(p) % alignof(K) == 0;
  }

  unwrapped<In> in_;
  unwrapped<Out> out_;
  bool in_place_;
  item_count size_;
  const K* input_ = nullptr;
  K *direct_ = nullptr, *alternate_ = nullptr;
  std::size_t copy_ = 0, other_ = 0;
};

// Stands for the values of a sort of keys alone.
struct nothing_to_move {
  using stored = none;
  static constexpr bool needs_input = false, is_numbers = false;
  static constexpr const none* input() { return nullptr; }
  static constexpr bool in_scratch() { return false; }
  template <class Policy>
  void copy_in(const char*, const Policy&, void*) const {}
  template <class Policy>
  void copy_out(const char*, const Policy&, void*) const {}
};

}  // namespace onepass::detail
