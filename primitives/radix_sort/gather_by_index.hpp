// SPDX-License-Identifier: Apache-2.0
// Items that a sort does not move itself: it moves their indices, and in the end each item is gathered from where it
// was.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>

#include "sort_storage.hpp"

namespace onepass::detail {

// Copies the items of a range to its output in the order of `order`, their indices. `memory`: room for the items,
// needed where the output is the range itself.
template <class Policy, class Index, class In, class Out>
void gather(const char* call, const Policy& policy, const Index* order, const sorted_range<In, Out>& range,
            item_count size, value_of<In>* memory) {
  if (is_discard<Out>) return;
  using item = value_of<In>;
  const auto in = unwrap(range.in);
  const auto out = unwrap(range.out);
  const auto ordered = thrust::make_permutation_iterator(in, order);
  if constexpr (std::is_copy_constructible_v<item>) {  // else it is in place
    if (!range.in_place) return copy_all(call, policy, out, ordered, size);
  }
  if constexpr (!on_cuda<Policy>) {
    const index_t n = size.get();
    struct destroyed_in_the_end {
      item* first;
      index_t count;
      ~destroyed_in_the_end() { std::destroy_n(first, count); }
    } made{memory, 0};
    for (; made.count < n; ++made.count)
      ::new (static_cast<void*>(memory + made.count)) item(std::move(in[static_cast<index_t>(order[made.count])]));
    for (index_t i = 0; i < n; ++i) out[i] = std::move(memory[i]);
  } else {
    copy_all(call, policy, raw_output<item>{memory}, ordered, size);
    copy_all(call, policy, out, static_cast<const item*>(memory), size);
  }
}

// Calls f with an index of a type that is wide enough for n items. The CPU always has 64 bits, as it gains little by
// 32. With `is_narrow`, the caller knows that 32 are enough.
template <class Policy, bool is_narrow = false, class F>
void with_index_type(index_t n, F&& f) {
  if constexpr (on_cuda<Policy> && is_narrow) {
    f(std::uint32_t());
  } else if (on_cuda<Policy> && n <= index_t{1} << 32) {
    if constexpr (on_cuda<Policy>) f(std::uint32_t());
  } else {
    f(index_t());
  }
}

template <class It>
constexpr bool is_counting = false;
template <class I, class System, class Traversal, class Difference>
constexpr bool is_counting<thrust::counting_iterator<I, System, Traversal, Difference>> = std::is_integral_v<I>;

// A range of items that are too large to be moved in every pass, or that cannot be copied byte by byte, or that count.
// The sort moves their indices. In the end each item is moved once, and once more if the sort is in place. Items that
// count from 0 are their indices.
template <class Index, class In, class Out>
class sortable_by_index {
 public:
  using stored = Index;
  using item = value_of<In>;
  static constexpr bool needs_input = true, is_numbers = true;
  static constexpr bool in_scratch() { return true; }
  static constexpr const Index* input() { return nullptr; }

  sortable_by_index(const sorted_range<In, Out>& range, item_count size, layout& scratch)
      : range_(range), size_(size), direct_(as<Index>(range)), alternate_(scratch.add<Index>(size.most)) {
    if (direct_ == nullptr) primary_ = scratch.add<Index>(size.most);
    if (range.needs_room_to_gather()) gathered_ = scratch.add<item>(size.most);
  }
  // On CUDA, the output of indices that the caller wants in 8 bytes.
  std::uint64_t* widened() const {
    if constexpr (sizeof(Index) == 4) return as<std::uint64_t>(range_);
    else return nullptr;
  }
  buffers<Index> in(void* scratch) const {
    return {direct_ != nullptr ? direct_ : section<Index>(scratch, primary_), section<Index>(scratch, alternate_)};
  }
  template <class Policy>
  void copy_in(const char* call, const Policy& policy, void* scratch) const {
    copy_all(call, policy, in(scratch).primary, thrust::counting_iterator<Index>(0), size_);
  }
  // is_narrow: on the device, if not null, whether indices that are to be widened still have to be.
  template <class Policy>
  void copy_out(const char* call, const Policy& policy, void* scratch, const bool* is_narrow = nullptr) const {
    if (direct_ != nullptr) return;
    if (widened() != nullptr)
      return copy_all(call, policy, widened(), static_cast<const Index*>(in(scratch).primary), size_, is_narrow);
    detail::gather(call, policy, section<Index>(scratch, primary_), range_, size_,
                   range_.room_to_gather(section<item>(scratch, gathered_)));
  }

 private:
  // The output, if it is an array of integers of T's size, and the items are their indices, which narrower ones are not: they
  // begin again.
  template <class T>
  static T* as(const sorted_range<In, Out>& range) {
    using out = unwrapped<Out>;
    if constexpr (is_counting<In> && std::is_pointer_v<out>) {
      using to = std::remove_pointer_t<out>;
      if constexpr (std::is_integral_v<to> && sizeof(to) == sizeof(T) && sizeof(item) >= sizeof(std::uint32_t)) {
        if (*range.in == 0) return reinterpret_cast<T*>(unwrap(range.out));
      }
    }
    return nullptr;
  }

  sorted_range<In, Out> range_;
  item_count size_;
  Index* direct_;
  std::size_t alternate_, primary_ = 0, gathered_ = 0;
};

}  // namespace onepass::detail
