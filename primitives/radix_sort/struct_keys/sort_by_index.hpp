// SPDX-License-Identifier: Apache-2.0
// Sorts keys that passes do not move: structs of more bytes than a pass moves well, structs that own memory, and
// structs with more than 128 bits of fields. The sort moves the fields' bits with the keys' indices; in the end it
// gathers keys and values. Where the fields have more than 128 bits, it sorts by one group of fields after another, the
// last group first: each of these sorts is stable.
#pragma once

#include <vector>

#include "../cpu/cpu_sort.hpp"
#include "../gather_by_index.hpp"

namespace onepass::detail {

template <class T, class Order>
using group_bits = typename unsigned_of<power_of_two_from(
    std::min(key_fields<T, Order>::bytes(), key_fields<T, Order>::most_bytes))>::type;

// Joins the ordered bits of some fields of a key in an integer, as joined_fields does on the host.
template <class Item, class Bits>
struct ordered_fields {
  int count;
  field_position fields[sizeof(Bits)];

  ONEPASS_HOST_DEVICE Bits operator()(const Item& key) const {
    const auto* bytes = reinterpret_cast<const unsigned char*>(object_address(key));
    Bits all = 0;
    for (int f = 0; f < count; ++f) {
      const field_position field = fields[f];
      Bits own = 0;
      for (int b = field.bytes; b-- > 0;) own = static_cast<Bits>(own << 8 | bytes[field.from + b]);
      all = static_cast<Bits>((field.bytes < static_cast<int>(sizeof(Bits)) ? all << 8 * field.bytes : Bits{0}) |
                              ordered(own, field));
    }
    return all;
  }

 private:
  // Does what ordered_bits does, and inverts the sign of signed integers.
  static ONEPASS_HOST_DEVICE Bits ordered(Bits own, const field_position& field) {
    const auto sign = static_cast<Bits>(Bits{1} << (8 * field.bytes - 1));
    if (field.is_signed) return static_cast<Bits>(own ^ sign);
    if (!field.is_float) return own;
    return static_cast<Bits>(own > sign ? ~own & (sign | (sign - 1)) : own | sign);  // -0 counts as +0
  }
};

// The scratch of such a sort: two arrays of bits, two of indices, and room for items that are gathered in place.
template <class bits, class Index, class Values>
class index_sort_memory {
  template <class In, class Out>
  static std::size_t add_room(const sorted_range<In, Out>& range, index_t n, layout& scratch) {
    return range.needs_room_to_gather() ? scratch.add<value_of<In>>(n) : 0;
  }
  static std::size_t add_room(no_range, index_t, layout&) { return 0; }

 public:
  template <class Keys>
  index_sort_memory(const Keys& keys, const Values& values, index_t n, layout& scratch)
      : bits_{scratch.add<bits>(n), scratch.add<bits>(n)},
        order_{scratch.add<Index>(n), scratch.add<Index>(n)},
        keys_(add_room(keys, n, scratch)),
        values_(add_room(values, n, scratch)) {}

  buffers<bits> fields(void* scratch) const {
    return {section<bits>(scratch, bits_[0]), section<bits>(scratch, bits_[1])};
  }
  buffers<Index> order(void* scratch) const {
    return {section<Index>(scratch, order_[0]), section<Index>(scratch, order_[1])};
  }
  template <class Policy, class Keys>
  void gather_all(const char* call, const Policy& policy, const Keys& keys, const Values& values, item_count size,
                  void* scratch) const {
    const Index* order = this->order(scratch).primary;
    detail::gather(call, policy, order, keys, size, keys.room_to_gather(section<typename Keys::value>(scratch, keys_)));
    if constexpr (!std::is_same_v<Values, no_range>) {
      detail::gather(call, policy, order, values, size,
                     values.room_to_gather(section<typename Values::value>(scratch, values_)));
    }
  }

 private:
  std::size_t bits_[2], order_[2], keys_, values_;
};

// Calls f(first, end, begin_bit, end_bit) for each group of fields that has bits to sort by, from the last group on:
// the fields [first, end), which are constants, and the bits of the group.
template <class T, class Order, class F>
void for_each_group(const radix_options& options, F&& f) {
  using fields = key_fields<T, Order>;
  int at = 0;
  fields::for_each_group([&](auto first, auto end) {
    constexpr int bits = 8 * static_cast<int>(fields::bytes(first, end));
    const int begin_bit = std::max(0, options.begin_bit - at), end_bit = std::min(bits, options.end_bit - at);
    if (begin_bit < end_bit) f(first, end, begin_bit, end_bit);
    at += bits;
  });
}

// T: the type of keys that the decomposer takes.
template <class T, class Policy, class Keys, class Values, class Order, class Parts>
void sort_by_index_on_cpu(const char* call, const Policy& policy, const Keys& keys, const Values& values, index_t most,
                          const Order& order, const radix_options& options, const Parts& parts) {
  using bits = group_bits<T, Order>;
  const index_t n = items_now(policy, most);
  layout scratch;
  const index_sort_memory<bits, index_t, Values> memory(keys, values, n, scratch);
  const auto sorter = parts.template on_cpu<cpu_digits<ordered_key<bits>>, index_t>(n, policy.threads(), scratch);
  const cpu_call_memory call_memory(call, policy, scratch.bytes());
  if (call_memory.measuring()) return;
  const auto fields = memory.fields(call_memory.scratch());
  const auto indices = memory.order(call_memory.scratch());
  const auto in = unwrap(keys.in);
  for (index_t i = 0; i < n; ++i) indices.primary[i] = i;
  for_each_group<T, Order>(options, [&](auto first, auto end, int begin_bit, int end_bit) {
    const joined_fields<T, Order, first, end> joined{order};
    for (index_t i = 0; i < n; ++i) {
      const T& key = in[indices.primary[i]];
      fields.primary[i] = joined(key);
    }
    const auto flip = static_cast<bits>(options.descending ? ~bits{0} : bits{0});
    sorter.run(cpu_digits<ordered_key<bits>>{{}, flip, begin_bit, end_bit}, fields, indices, call_memory.scratch());
  });
  memory.gather_all(call, policy, keys, values, {n, nullptr}, call_memory.scratch());
}

#if ONEPASS_HAS_CUDA
template <class T, class Index, class Policy, class Keys, class Values, class Order, class Parts>
void sort_by_index_on_cuda(const char* call, const Policy& policy, const Keys& keys, const Values& values, index_t n,
                           const Order& order, const radix_options& options, const Parts& parts) {
  using bits = group_bits<T, Order>;
  using digits_type = bits_digits<bits, true>;
  static_assert(is_bytes<T>, "onepass: on CUDA, keys have to be trivially copyable");
  const item_count size = count_of(policy, n);
  layout scratch;
  const index_sort_memory<bits, Index, Values> memory(keys, values, n, scratch);
  std::vector<ordered_fields<typename Keys::value, bits>> groups;
  std::vector<decltype(parts.template on_cuda<digits_type, Index>(call, size, digits_type{}, scratch))> sorters;
  const auto found = find_fields<T>(call, order);
  std::size_t tiles = 0;
  for_each_group<T, Order>(options, [&](auto first, auto end, int begin_bit, int end_bit) {
    ordered_fields<typename Keys::value, bits> group = {};
    for (std::size_t i = first; i < end; ++i) group.fields[group.count++] = found[i];
    groups.push_back(group);
    const digits_type digits{{begin_bit, end_bit, options.descending, false}};
    sorters.push_back(parts.template on_cuda<digits_type, Index>(call, size, digits, scratch));
    tiles = std::max(tiles, sorters.back().tiles());
  });
  if (n == 0) return;
  const cuda_call_memory call_memory(call, policy, {tiles, scratch.bytes()});
  if (call_memory.measuring()) return;
  const auto fields = memory.fields(call_memory.scratch());
  const auto indices = memory.order(call_memory.scratch());
  copy_all(call, policy, indices.primary, thrust::counting_iterator<Index>(0), size);
  const auto in = thrust::make_permutation_iterator(unwrap(keys.in), static_cast<const Index*>(indices.primary));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    copy_all(call, policy, fields.primary, thrust::make_transform_iterator(in, groups[g]), size);
    sorters[g].run(buffer_route<bits>::in_place(fields.primary, fields.alternate),
                   buffer_route<Index>::in_place(indices.primary, indices.alternate),
                   split_memory{call_memory.scratch(), call_memory.tiles().head}, policy.stream());
  }
  memory.gather_all(call, policy, keys, values, size, call_memory.scratch());
}
#endif

template <class T, class Policy, class Keys, class Values, class Order, class Parts>
void sort_by_index(const char* call, const Policy& policy, const Keys& keys, const Values& values, index_t n,
                   const Order& order, const radix_options& options, const Parts& parts) {
  if constexpr (!on_cuda<Policy>) {
    sort_by_index_on_cpu<T>(call, policy, keys, values, n, order, options, parts);
  } else {
#if ONEPASS_HAS_CUDA
    with_index_type<Policy>(n, [&](auto index) {
      sort_by_index_on_cuda<T, decltype(index)>(call, policy, keys, values, n, order, options, parts);
    });
#endif
  }
}

}  // namespace onepass::detail
