// SPDX-License-Identifier: Apache-2.0
// What moves between ranks in a sort: keys, and values beside them. They are partitioned into arrays of this object, go
// from there to the outputs of other ranks, and what has come is sorted.
#pragma once

#include <onepass/radix_sort.hpp>

#include "local_call.hpp"

namespace onepass::detail {

// The values of a sort: an input and an array to write to; or none.
template <class In, class Out>
struct traveling_values {
  static constexpr bool exist = true;
  using item = value_of<In>;
  In in;
  Out out;
  static_assert(std::is_same_v<item, value_of<Out>>, "onepass::distributed: values_out has items of another type");
};
struct no_values {
  static constexpr bool exist = false;
  using item = char;
  none in, out;
};

// Array<T> is memory of the rank's own: owned_array, or device_items.
template <class In, class Out, class Values, template <class> class Array>
class moved_items {
  using key = value_of<In>;
  using value = typename Values::item;
  static_assert(std::is_same_v<key, value_of<Out>>, "onepass::distributed: out has items of another type");

 public:
  moved_items(In first, Out out, Values values) : first_(first), out_(out), values_(values) {}

  template <class Comm, class Policy>
  void exchange(rank_call<Comm>& ranks, const Policy& policy, const std::vector<index_t>& sent,
                const std::vector<index_t>& received) {
    ranks.all_to_all(policy, keys_.data(), sent, array_of(out_), received);
    if constexpr (Values::exist) ranks.all_to_all(policy, other_values_.data(), sent, array_of(values_.out), received);
  }

 protected:
  template <class It>
  static auto array_of(It it) {
    return thrust::raw_pointer_cast(unwrap(it));
  }
  // Sorts what has come. What has been sent makes room for the sort's second arrays.
  template <class Policy>
  void sort_now(const Policy& policy, index_t share, const radix_options& options) const {
    sort_range(policy, 0, share, options, keys_.data(), other_values_.data());
  }
  // Sorts n items of the output from `begin` on, with these second arrays.
  template <class Policy>
  void sort_range(const Policy& policy, index_t begin, index_t n, const radix_options& options, key* second_keys,
                  value* second_values) const {
    const double_buffer<key> keys(array_of(out_) + begin, second_keys);
    if constexpr (Values::exist) {
      const double_buffer<value> values(array_of(values_.out) + begin, second_values);
      onepass::radix_sort_by_key(policy, keys, values, n, options);
    } else {
      onepass::radix_sort(policy, keys, n, options);
    }
  }

  In first_;
  Out out_;
  Values values_;
  Array<key> keys_;
  Array<value> other_values_;
};

}  // namespace onepass::detail
