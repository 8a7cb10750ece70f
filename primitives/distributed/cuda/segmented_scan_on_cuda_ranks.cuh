// SPDX-License-Identifier: Apache-2.0
// A segmented scan across ranks whose items are on GPUs. The total of a rank's last segment is looked for in its last
// tiles; only if no segment begins there all items are combined. Then one segmented scan, whose first item is no head
// unless its flag says so, goes on from the carry. Bytes moved: those of the rank's own segmented scan, the last tiles
// (about 2 MB on an H200), and all items once more where a rank's last segment is longer than that.
#pragma once

#include "../../../core/execution/saved_input.hpp"
#include "../../../core/segments/offset_heads.hpp"
#include "../rank_segments.hpp"
#include "scan_on_cuda_ranks.cuh"

namespace onepass::detail {

// ---- segments on the device -----------------------------------------------------------------------------------------
// Classes of segments have, for the n items of a rank,
//   add_scratch(call, policy, n, out, scratch)
//                           checks them, and adds what memory they need
//   heads(call, policy, memory, n)
//                           the heads, of which the first is one only if its flag says so; may enqueue work
//   keys()                  what a rank tells of its first and last key
struct no_keys {
  using key = char;
  template <class End>
  __device__ void tell(End&, index_t) const {}
  template <class End>
  __device__ bool operator()(const End&, const End&) const {
    return true;
  }
};

template <class It>
struct flags_on_cuda {
  It flags;
  explicit flags_on_cuda(const flagged_segments<It>& s) : flags(s.flags) {}
  template <class Policy, class Out>
  void add_scratch(const char* call, const Policy&, index_t n, Out out, layout&) {
    check_not_null(call, "head_flags", flags, n);
    check_overlap(call, "the head flags", flags, n, "out", out, n, false);
  }
  template <class Policy>
  heads_from_flags<unwrapped<It>> heads(const char*, const Policy&, void*, index_t) const {
    return {unwrap(flags), 0, true};
  }
  no_keys keys() const { return {}; }
};

// The bits are made before, for all items: the reduction and the scan both read them.
template <class It>
struct offsets_on_cuda {
  offsets_range<It> offsets;
  std::size_t words = 0;
  explicit offsets_on_cuda(const offset_segments<It>& s) : offsets(s.offsets) {}
  template <class Policy, class Out>
  void add_scratch(const char* call, const Policy&, index_t n, Out out, layout& scratch) {
    const index_t count = checked_distance(call, offsets.begin, offsets.end);
    check_not_null(call, "offsets", offsets.begin, count);
    check_overlap(call, "the offsets", offsets.begin, count, "out", out, n, false);
    words = scratch.add<std::uint32_t>(head_words(n));
  }
  template <class Policy>
  heads_from_flags<bit_iterator> heads(const char* call, const Policy& policy, void* memory, index_t n) const {
    auto marked = mark_heads(call, policy, offsets, section<char>(memory, words), n);
    marked.continues = true;
    return marked;
  }
  no_keys keys() const { return {}; }
};

template <class It, class Equal>
struct told_keys {
  using key = value_of<It>;
  It keys;
  Equal equal;
  template <class End>
  __device__ void tell(End& end, index_t n) const {
    end.first_key.set(static_cast<key>(keys[0]));
    end.last_key.set(static_cast<key>(keys[n - 1]));
  }
  template <class End>
  __device__ bool operator()(const End& a, const End& b) const {
    Equal e = equal;
    return e(a.last_key.get(), b.first_key.get());
  }
};
template <class It, class Equal>
struct keys_on_cuda {
  It first;
  Equal equal;
  std::optional<saved_input<cuda_policy, It>> saved;
  explicit keys_on_cuda(const keyed_segments<It, Equal>& s) : first(s.keys), equal(s.equal) {}
  template <class Policy, class Out>
  void add_scratch(const char* call, const Policy& policy, index_t n, Out out, layout& scratch) {
    check_not_null(call, "keys", first, n);
    check_overlap(call, "the keys", first, n, "out", out, n, true);
    check_saved(call, policy, "the keys", first, n, "out", out);
    saved.emplace(first, n, detail::same_start(first, out), scratch);
  }
  template <class Policy>
  heads_from_keys<unwrapped<It>, Equal> heads(const char* call, const Policy& policy, void* memory, index_t n) {
    return {saved->get(call, cuda_policy(policy.stream()), memory, n), equal, 0, true};
  }
  told_keys<unwrapped<It>, Equal> keys() const { return {unwrap(first), equal}; }
};

template <class It>
flags_on_cuda<It> on_cuda_device(const flagged_segments<It>& s) {
  return flags_on_cuda<It>(s);
}
template <class It>
offsets_on_cuda<It> on_cuda_device(const offset_segments<It>& s) {
  return offsets_on_cuda<It>(s);
}
template <class It, class Equal>
keys_on_cuda<It, Equal> on_cuda_device(const keyed_segments<It, Equal>& s) {
  return keys_on_cuda<It, Equal>(s);
}

// ---- what a rank tells, and its carry -------------------------------------------------------------------------------
// Writes the end of a rank's items to its message. First the last tiles are looked at; with `only_if_open` all items
// are, if these were not enough.
template <class T, class Keys, class Content = segment_end<T, typename Keys::key>>
struct store_segment_end {
  rank_message<Content>* to;
  bool* is_open;  // no head has been found, and there are more items
  Keys keys;
  std::uint32_t call;
  bool only_if_open;

  __device__ bool is_needed() const { return !only_if_open || *is_open; }
  __device__ void operator()(const flagged<T>* total, index_t n, bool is_all) const {
    auto& end = to->content;
    to->call = call;
    to->state = 0;
    end.has_items = total != nullptr;
    end.begins_anew = false;  // a head at the first item is one in the segmented scan, too
    end.has_inner_head = total != nullptr && total->head;
    *is_open = !is_all && !end.has_inner_head;
    if (total == nullptr) return;
    end.total.set(total->value);
    keys.tell(end, n);
  }
};

template <class T, class Init, class Keys, class Op>
struct fold_segment_ends {
  Init init;
  Keys keys;
  Op op;
  ::cuda::std::optional<flagged<T>>* initial;
  template <class Ends>
  __device__ void operator()(const Ends& ends, int rank) const {
    const auto carry = carry_of_segments<T, typename Keys::key>(ends, rank, keys, op);
    ::cuda::std::optional<flagged<T>> result;
    Op o = op;
    if constexpr (std::is_same_v<Init, none>) {
      if (carry) result.emplace(flagged<T>{*carry, false});
    } else {
      const T before = static_cast<T>(init);
      result.emplace(flagged<T>{carry ? static_cast<T>(o(before, *carry)) : before, false});
    }
    detail::construct(initial, result);
  }
};

// The types of the rank's own scan.
template <class It, class Heads, class Out, class Init, class Op>
struct rank_segmented_scan {
  static constexpr bool inclusive = std::is_same_v<Init, none>;
  using value = scanned_type<inclusive, Op, Init, value_of<It>, unwrapped<Out>>;
  using start = std::conditional_t<inclusive, starts_without_initial<value>, starts_with_initial<value, Op>>;
  using source = segmented_source<value, unwrapped<It>, Heads, start>;
  using emit = std::conditional_t<inclusive, emit_segmented, emit_segmented_exclusive<value>>;
  using job = carried_job<scan_job<source, unwrapped<Out>, segmented<Op>, emit, inclusive>>;
  using totals = segmented_source<value, unwrapped<It>, Heads, starts_without_initial<value>>;

  static job make(It values, const Heads& heads, Out out, Init init, Op op, index_t n,
                  const ::cuda::std::optional<flagged<value>>* carry) {
    if constexpr (inclusive) {
      return {{{unwrap(values), heads, {}}, unwrap(out), {op}, {}, {}, n}, carry};
    } else {
      const auto initial = static_cast<value>(init);
      return {{{unwrap(values), heads, {initial, op}}, unwrap(out), {op}, {initial}, {}, n}, carry};
    }
  }
};

// Over 40 lines because its steps share the memory and the types of one call.
template <class Comm, class Policy, class Range, class It, class Segments, class Out, class Init, class Op>
Out segmented_scan_on_cuda_ranks(const char* call, Comm& comm, const Policy& any_policy, Range first, Range last,
                                 It values, const Segments& given_segments, Out out, Init init, Op op) {
  auto segments = on_cuda_device(given_segments);
  using heads_type = decltype(segments.heads(call, cuda_policy(nullptr), nullptr, 0));
  using scan = rank_segmented_scan<It, heads_type, Out, Init, Op>;
  using value = typename scan::value;
  using keys_type = decltype(segments.keys());
  const auto given = as_policy(any_policy);
  rank_call<Comm> ranks(comm, call);
  using gather = carried_gather<Comm, segment_end<value, typename keys_type::key>, flagged<value>>;
  using fold_type = fold_segment_ends<value, Init, keys_type, Op>;
  using end_job = reduce_job<typename scan::totals, segmented<Op>>;
  using store_type = store_segment_end<value, keys_type>;
  using reduction = ordered_reduction<end_job, store_type, typename gather::template end_type<fold_type>>;
  gather gathered(ranks, given.stream());
  const keys_type keys = segments.keys();
  fold_type fold{init, keys, op, nullptr};
  std::optional<device_block> memory;
  std::optional<heads_type> heads;
  std::optional<reduction> of_all;
  reduce_memory memory_of_ends = {};
  index_t n = 0;
  const auto end_of_items = [&] { return end_job{{unwrap(values), *heads, {}}, {op}, n}; };
  const auto store_end = [&](bool only_if_open) {
    return store_type{gathered.mine(), gathered.is_open(), keys, number_of_call(call), only_if_open};
  };
  const auto prepare = [&] {
    n = checked_distance(call, first, last);
    check_not_null(call, "values", values, n);
    check_not_null(call, "out", out, n);
    check_overlap(call, "the values", values, n, "out", out, n, true);
    layout scratch;
    segments.add_scratch(call, given, n, out, scratch);
    if (scratch.bytes() > 0) memory.emplace(call, scratch.bytes(), given.stream());
    heads.emplace(segments.heads(call, given, memory ? memory->get() : nullptr, n));
    fold.initial = gathered.carry();
    const ordered_reduction<end_job, store_type> of_last(call, n, /*only_last=*/true);
    of_all.emplace(call, n);
    memory_of_ends = gathered.memory_for_reduce(std::max(of_last.bytes(), of_all->bytes()));
    of_last.launch(given, memory_of_ends, end_of_items(), store_end(false));
  };
  const auto enqueue = [&](const auto& end) {
    of_all->launch(given, memory_of_ends, end_of_items(), store_end(true), end);
  };
  gathered.exchange(given, prepare, enqueue, fold, [&] { return count_of(given, n); });
  if (gathered.is_well()) {
    detail::run_scan(call, cuda_policy(given.stream()).sized_by(gathered.size()),
                     scan::make(values, *heads, out, init, op, n, gathered.carry()));
  }
  gathered.finish();
  wait_for_host<Range, It, Out>(call, given);
  return out + n;
}

}  // namespace onepass::detail
