// SPDX-License-Identifier: Apache-2.0
// A radix sort across ranks. On the CPU: find the splitters, partition each rank's items for the ranks that they go to,
// exchange them, and sort what has come. On GPUs each rank sorts its items first, and merges what comes
// (cuda/rank_sort_on_cuda.cuh). Items arrive by rank, then by position, and sorts and merges are stable; so the whole
// is. Bytes moved: the splitters' and the partition's, each item once between ranks, and one sort.
#pragma once

#include "compact_over_ranks.hpp"
#include "find_splitters.hpp"
#include "moved_items.hpp"
#include "partition_items.hpp"

#if ONEPASS_HAS_CUDA
#include "cuda/rank_sort_on_cuda.cuh"
#endif

namespace onepass::detail {

// What each rank of a sort says of itself: its room, and its request, which has to be the same on all ranks.
struct sort_room {
  index_t size, capacity;
  radix_options options;
  distributed::shares wanted;
  std::size_t key_bytes, value_bytes;
};
// Throws on all ranks if one asks for something else than rank 0. Every rank finds the same.
template <class Comm>
void check_same_request(rank_call<Comm>& ranks, const std::vector<sort_room>& rooms) {
  const radix_options& options = rooms[0].options;
  for (std::size_t r = 1; r < rooms.size(); ++r) {
    const radix_options& own = rooms[r].options;
    if (own.descending != options.descending || own.begin_bit != options.begin_bit || own.end_bit != options.end_bit)
      ranks.refuse(static_cast<int>(r), "sorts by other options than rank 0");
    if (rooms[r].key_bytes != rooms[0].key_bytes || rooms[r].value_bytes != rooms[0].value_bytes)
      ranks.refuse(static_cast<int>(r), "sorts keys or values of another size than rank 0");
    if (rooms[r].wanted != rooms[0].wanted) ranks.refuse(static_cast<int>(r), "wants other shares than rank 0");
  }
}

// The splitters of keys in any order, of which each rank has given `sizes`. `policy` is the rank's own.
template <class Comm, class Policy, class In>
auto splitters_of(rank_call<Comm>& ranks, const Policy& policy, In first, const std::vector<index_t>& sizes,
                  const radix_options& options, distributed::shares wanted) {
  using key = value_of<In>;
  const index_t n = sizes[static_cast<std::size_t>(ranks.rank())];
  const bits_in_order<key> order(options);
  if constexpr (!is_on_cuda<Comm>) {
    return find_splitters<key>(ranks, cpu_digit_counter<In>(policy, first, n, order), sizes, options, wanted);
  } else {
#if ONEPASS_HAS_CUDA
    device_items<key> sorted;
    ranks.agree([&] {
      sorted.allocate(ranks.name(), n, policy.stream());
      onepass::radix_sort_copy(policy, first, first + n, sorted.data(), options);
    });
    const sorted_digit_counter<Comm, key> counter(ranks, policy, sorted.data(), n, order);
    return find_splitters<key>(ranks, counter, sizes, options, wanted);
#endif
  }
}

// A rank's part of a sort on the CPU; cuda_rank_sort (cuda/rank_sort_on_cuda.cuh) has the same members.
template <class In, class Out, class Values>
class rank_sort : public moved_items<In, Out, Values, owned_array> {
  using base = moved_items<In, Out, Values, owned_array>;
  using base::first_, base::values_, base::keys_, base::other_values_;
  using key = value_of<In>;

 public:
  using base::base;
  template <class Comm>
  found_splitters<key> find(rank_call<Comm>& ranks, const cpu_policy& policy, const std::vector<index_t>& sizes,
                            const radix_options& options, distributed::shares wanted) {
    return splitters_of(ranks, policy, first_, sizes, options, wanted);
  }
  // Takes memory, moves the items, and sorts the rank's share.
  template <class Comm>
  void move(rank_call<Comm>& ranks, const cpu_policy& policy, const found_splitters<key>& found,
            const std::vector<index_t>& sizes) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const index_t n = sizes[rank], share = found.set.begins[rank + 1] - found.set.begins[rank];
    std::vector<index_t> sent;
    std::unique_ptr<workspace> memory;
    ranks.agree([&] {
      keys_.allocate(std::max(n, share));
      if constexpr (Values::exist) other_values_.allocate(std::max(n, share));
      memory = memory_for(policy, [&](const cpu_policy& p) { sort(p, share, found.set.options); });
      sent = partition_items(policy, first_, n, values_.in, found.set, keys_.data(), other_values_.data());
    });
    const std::vector<index_t> received = ranks.swap_counts(sent);
    if (shares_of(received).back() != share)
      throw distributed_error(ranks.name(), ranks.rank(), "its share has another size: keys have changed meanwhile");
    this->exchange(ranks, policy, sent, received, this->keys_out(), this->values_out());
    sort(policy.with(*memory), share, found.set.options);
  }

 private:
  // Sorts what has come. What has been sent makes room for the sort's second arrays.
  void sort(const cpu_policy& policy, index_t share, const radix_options& options) const {
    const double_buffer<key> keys(this->keys_out(), keys_.data());
    if constexpr (Values::exist) {
      const double_buffer<typename Values::item> values(this->values_out(), other_values_.data());
      onepass::radix_sort_by_key(policy, keys, values, share, options);
    } else {
      onepass::radix_sort(policy, keys, share, options);
    }
  }
};

// Checks the arguments of a rank with n items and room for `capacity`.
template <class In, class Out, class Values>
void check_sort_arguments(const char* call, In first, index_t n, Out out, const Values& values, index_t capacity) {
  check_not_null(call, "first", first, n);
  check_room(call, out, capacity);
  if constexpr (Values::exist) {
    check_not_null(call, "values", values.in, n);
    check_room(call, values.out, capacity);
    check_overlap(call, "out", out, capacity, "values_out", values.out, capacity, false);
  }
}

// The rank's own policy, without memory of the caller's, and what moves its items.
template <class In, class Out, class Values>
rank_sort<In, Out, Values> rank_sort_on(const cpu_policy&, In first, Out out, Values values) {
  return {first, out, values};
}
inline cpu_policy plain_policy(const cpu_policy& given) { return cpu_policy(given.threads()); }
#if ONEPASS_HAS_CUDA
template <class In, class Out, class Values>
cuda_rank_sort<In, Out, Values> rank_sort_on(const cuda_policy&, In first, Out out, Values values) {
  return {first, out, values};
}
inline cuda_policy plain_policy(const cuda_policy& given) { return cuda_policy(given.stream()); }
#endif

template <class Comm, class Policy, class In, class Out, class Values>
distributed::slice sort_over_ranks(const char* call, Comm& comm, const Policy& any_policy, In first, In last, Out out,
                                   Values values, index_t capacity, const radix_options& asked,
                                   distributed::shares wanted) {
  check_memory<Comm, Policy>();
  const auto given = as_policy(any_policy);
  const auto policy = plain_policy(given);
  rank_call<Comm> ranks(comm, call);
  const auto rank = static_cast<std::size_t>(ranks.rank());
  auto own = rank_sort_on(policy, first, out, values);
  radix_options options;
  const auto rooms = ranks.gather([&] {
    options = checked_options<value_of<In>, whole_key>(call, asked);
    const index_t n = checked_size<Comm>(call, given, first, last);
    detail::check_sort_arguments(call, first, n, out, values, capacity);
    return sort_room{n, capacity, options, wanted, sizeof(value_of<In>), sizeof(typename Values::item)};
  });
  check_same_request(ranks, rooms);
  const std::vector<index_t> sizes = sizes_of(rooms);
  if (wanted != distributed::shares::loose) check_capacity(ranks, rooms, wanted_shares(wanted, sizes));
  const auto found = own.find(ranks, policy, sizes, options, wanted);
  const std::vector<index_t>& begins = found.set.begins;
  check_capacity(ranks, rooms, begins);
  own.move(ranks, policy, found, sizes);
  if constexpr (Values::exist) wait_for_ranks<In, Out, decltype(values.in), decltype(values.out)>(ranks, given);
  else wait_for_ranks<In, Out>(ranks, given);
  return {begins[rank + 1] - begins[rank], begins[rank], begins.back()};
}

}  // namespace onepass::detail
