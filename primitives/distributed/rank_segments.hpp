// SPDX-License-Identifier: Apache-2.0
// How the segments of a rank's items are given, and what ranks tell each other of their last segments.
#pragma once

#include <onepass/segmented_scan.hpp>

#include "../../core/execution/saved_input.hpp"
#include "../../core/segments/offset_index.hpp"
#include "local_call.hpp"

namespace onepass::detail {

// The end of a rank's items, as it tells the others: the combination of the items from the last head on, or of all, if
// it has none.
template <class T, class Key>
struct segment_end {
  bool has_items;
  bool begins_anew;     // item 0 is a head. By keys that is not known here
  bool has_inner_head;  // an item behind item 0 is a head
  raw_value<Key> first_key, last_key;
  raw_value<T> total;
};

// A class of segments has
//   policy, n            which are set when the call begins
//   begins_anew()        as above
//   first_head()         the first head behind item 0, or n
//   last_head()          the last head behind item 0, or 0
//   scan(policy, i, values, out, init, op)
//                        the segmented scan of the rank's items from i on, where item i is a head
//   check(call, out)     throws if the scan would overwrite what it cannot save
//   tell_keys(end)       sets the keys of a segment_end
//   continues(a, b)      whether the first segment of end b may continue the last one of end a
//   may_fail             whether one of these may throw because of a function object

template <class Policy, class It, class Heads, class Out, class Init, class Op>
void scan_by_heads(const Policy& policy, It first, It last, Heads heads, Out out, Init init, Op op) {
  if constexpr (std::is_same_v<Init, none>) {
    onepass::inclusive_segmented_scan(policy, first, last, heads, out, op);
  } else {
    onepass::exclusive_segmented_scan(policy, first, last, heads, out, init, op);
  }
}

struct segments_without_keys {
  using key = char;  // none travels
  static constexpr bool may_fail = false;
  cpu_policy policy = cpu_policy(1);
  index_t n = 0;
  template <class Out>
  void check(const char*, const Out&) const {}  // nothing that is overwritten
  template <class End>
  void tell_keys(End&) const {}
  template <class End>
  bool continues(const End&, const End&) const {
    return true;
  }
};

// Item i of the rank is a head if flags[i] is true.
template <class It>
struct flagged_segments : segments_without_keys {
  It flags;
  explicit flagged_segments(It it) : flags(it) {}

  bool begins_anew() const { return n > 0 && static_cast<bool>(flags[0]); }
  index_t first_head() const {
    return find_first(policy, 1, n, [&](index_t i) { return static_cast<bool>(flags[i]); });
  }
  index_t last_head() const {
    return find_last(policy, 1, n, [&](index_t i) { return static_cast<bool>(flags[i]); });
  }
  template <class Values, class Out, class Init, class Op>
  void scan(const cpu_policy& p, index_t i, Values values, Out out, Init init, Op op) const {
    scan_by_heads(p, values + i, values + n, flags + i, out + i, init, op);
  }
};

// The rank's items at the offsets within [0, n) are heads. Offsets ascend.
template <class It>
struct offset_segments : segments_without_keys {
  offsets_range<It> offsets;
  explicit offset_segments(offsets_range<It> range) : offsets(range) {}

  bool begins_anew() const {
    const It found = at_least(0);
    return n > 0 && found != offsets.end && index_of(*found) == 0;
  }
  index_t first_head() const {
    const It found = at_least(1);
    return found != offsets.end ? std::min(n, index_of(*found)) : n;
  }
  index_t last_head() const {
    const It found = at_least(n);
    return found != offsets.begin ? std::max<index_t>(0, index_of(*(found - 1))) : 0;
  }
  template <class Values, class Out, class Init, class Op>
  void scan(const cpu_policy& p, index_t i, Values values, Out out, Init init, Op op) const {
    const auto begin = thrust::make_transform_iterator(unwrap(offsets.begin), behind{i});
    const auto rest = onepass::offsets(begin, begin + (offsets.end - offsets.begin));
    scan_by_heads(p, values + i, values + n, rest, out + i, init, op);
  }

 private:
  template <class T>
  static index_t index_of(const T& x) {
    return offset_index(static_cast<value_of<It>>(x));
  }
  struct behind {  // an offset, counted from item `first` on
    index_t first;
    template <class T>
    index_t operator()(const T& x) const {
      const index_t index = index_of(x);
      return index < first ? -1 : index - first;
    }
  };
  // The first offset that is `item` or larger.
  It at_least(index_t item) const {
    return std::partition_point(offsets.begin, offsets.end, [&](const auto& x) { return index_of(x) < item; });
  }
};

// A segment is a run of items with equal keys.
template <class It, class Equal>
struct keyed_segments {
  using key = value_of<It>;
  static constexpr bool may_fail =
      !(std::is_same_v<Equal, equal_to> &&
        std::is_arithmetic_v<key>)&&!std::is_nothrow_invocable_v<Equal&, const key&, const key&>;
  cpu_policy policy = cpu_policy(1);
  index_t n = 0;
  It keys;
  Equal equal;
  keyed_segments(It it, Equal e) : keys(it), equal(e) {}

  bool begins_anew() const { return false; }
  index_t first_head() const {
    return find_first(policy, 1, n, [&](index_t i) { return !are_equal(keys[i - 1], keys[i]); });
  }
  index_t last_head() const {
    return find_last(policy, 1, n, [&](index_t i) { return !are_equal(keys[i - 1], keys[i]); });
  }
  template <class Values, class Out, class Init, class Op>
  void scan(const cpu_policy& p, index_t i, Values values, Out out, Init init, Op op) const {
    if constexpr (std::is_same_v<Init, none>) {
      onepass::inclusive_scan_by_key(p, keys + i, keys + n, values + i, out + i, equal, op);
    } else {
      onepass::exclusive_scan_by_key(p, keys + i, keys + n, values + i, out + i, init, equal, op);
    }
  }
  template <class Out>
  void check(const char* call, const Out& out) const {
    check_saved(call, policy, "the keys", keys, n, "out", out);
  }
  template <class End>
  void tell_keys(End& end) const {
    if (n == 0) return;
    end.first_key.set(static_cast<key>(keys[0]));
    end.last_key.set(static_cast<key>(keys[n - 1]));
  }
  template <class End>
  bool continues(const End& a, const End& b) const {
    return are_equal(a.last_key.get(), b.first_key.get());
  }

 private:
  bool are_equal(const key& a, const key& b) const {
    Equal e = equal;
    return e(a, b);
  }
};

template <class It>
flagged_segments<It> segments_of(It flags) {
  return flagged_segments<It>(flags);
}
template <class It>
offset_segments<It> segments_of(offsets_range<It> offsets) {
  return offset_segments<It>(offsets);
}

// What this rank tells the others of its n items. The last head is searched from the end backwards.
template <class T, class Segments, class It, class Op>
segment_end<T, typename Segments::key> end_of_segments(const Segments& segments, It values, Op op) {
  const index_t n = segments.n;
  segment_end<T, typename Segments::key> end{n > 0, segments.begins_anew(), false, {}, {}, {}};
  if (n == 0) return end;
  const index_t head = segments.last_head();
  end.has_inner_head = head > 0;
  end.total.set(reduce_items<T>(segments.policy, values + head, n - head, op));
  segments.tell_keys(end);
  return end;
}

// The combination of the items before this rank's first item that lie in the same segment, in rank order. It is empty
// if there are none. ends[q] is rank q's; continues(a, b) says whether the first segment of end b may continue the last
// one of end a.
ONEPASS_EXEC_CHECK_DISABLE
template <class T, class Key, class Ends, class Continues, class Op>
ONEPASS_HOST_DEVICE ::cuda::std::optional<T> carry_of_segments(const Ends& ends, int rank, const Continues& continues,
                                                               Op op) {
  ::cuda::std::optional<T> open;
  int before = -1;  // the last rank with items
  for (int q = 0; q <= rank; ++q) {
    const segment_end<T, Key>& next = ends[static_cast<std::size_t>(q)];
    if (!next.has_items) continue;
    if (before >= 0 && (next.begins_anew || !continues(ends[static_cast<std::size_t>(before)], next))) open.reset();
    if (q == rank) return open;
    if (!open || next.has_inner_head) open.emplace(next.total.get());
    else open.emplace(static_cast<T>(op(*open, next.total.get())));
    before = q;
  }
  return {};
}

}  // namespace onepass::detail
