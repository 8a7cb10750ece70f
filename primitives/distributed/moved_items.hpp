// SPDX-License-Identifier: Apache-2.0
// What moves between ranks in a sort: keys, and values beside them. They stand in arrays of this object in the order of
// the ranks that they go to, and move from there.
#pragma once

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

 protected:
  template <class Comm, class Policy>
  void exchange(rank_call<Comm>& ranks, const Policy& policy, const std::vector<index_t>& sent,
                const std::vector<index_t>& received, key* to, value* values_to) {
    const auto move = [&] {
      ranks.all_to_all(policy, keys_.data(), sent, to, received);
      if constexpr (Values::exist) ranks.all_to_all(policy, other_values_.data(), sent, values_to, received);
    };
    leaving_on_failure<Comm>(move, keys_, other_values_);
  }
  key* keys_out() const { return thrust::raw_pointer_cast(unwrap(out_)); }
  // Null, if there are no values.
  value* values_out() const {
    if constexpr (Values::exist) return thrust::raw_pointer_cast(unwrap(values_.out));
    else return nullptr;
  }

  In first_;
  Out out_;
  Values values_;
  Array<key> keys_;
  Array<value> other_values_;
};

}  // namespace onepass::detail
