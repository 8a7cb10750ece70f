// SPDX-License-Identifier: Apache-2.0
// What the kernels of a split share: the plan that the histogram leaves for the passes, where passes read and write, and
// the shapes of tiles.
#pragma once

#include "../../../../core/lookback/chained_look_back.hpp"
#include "../../../../core/execution/scratch_layout.hpp"
#include "warp_rank.cuh"
#include "../../../../core/support/none.hpp"

namespace onepass::detail {

// From here on the compiler takes nothing for known of it: neither a constant, nor what it computed from a key in one step,
// which it would keep for the next one, a register more a key, and spill.
template <class KeyBits>
__device__ void forget_what_is_known_of(KeyBits& key_bits) {
  if constexpr (is_wide_integer<KeyBits>) {
    auto low = static_cast<std::uint64_t>(key_bits), high = static_cast<std::uint64_t>(key_bits >> 64);
    asm volatile("" : "+l"(low), "+l"(high));
    key_bits = static_cast<KeyBits>(high) << 64 | low;
  } else if constexpr (std::is_unsigned_v<KeyBits> && sizeof(KeyBits) == 8) {
    asm volatile("" : "+l"(key_bits));
  } else if constexpr (std::is_unsigned_v<KeyBits>) {
    unsigned word = key_bits;
    asm volatile("" : "+r"(word));
    key_bits = static_cast<KeyBits>(word);
  }
}

constexpr int max_positions = 16;

// What the pass of a place does, once the digits are counted. A digit that all items share: nothing is to be moved, but a
// sort whose other passes are odd in number copies there, so that it ends where it began.
enum class pass_action : unsigned char { skip, copy, by_ballots, by_lane_order, by_lane_order_but_one };

struct alignas(4) pass_plan {
  pass_action way;
  bool from_alternate;  // where the pass finds its input
  bool is_last;         // no pass after this one moves anything
  unsigned char hot;    // the digit that most items have
};
static_assert(sizeof(pass_plan) == 4);

// What a block of a pass begins with; in one word, so that one addition draws a tile and reads the plan.
struct alignas(8) pass_start {
  unsigned tile;  // the next one to draw
  pass_plan plan;
};

// What the host does not know: it never waits. Cleared by the histogram's first block, written by its last one.
struct alignas(16) split_plan {
  pass_start pass[max_positions];
  bool result_in_alternate;  // only with an odd number of places
  unsigned negative_zeros;   // not 0: a key is -0
  unsigned tiles_redone;     // lane order did not hold in them
  int first;                 // the lowest place that is sorted by; if not 0, groups are looked at (fix_ties.cuh)
  // Of each digit; then where it starts in the output. Last, as nothing behind the last place is cleared.
  alignas(16) unsigned long long count[max_positions][digit_values];

  static constexpr ONEPASS_HOST_DEVICE std::size_t bytes_used(int positions) {
    return sizeof(split_plan) - static_cast<std::size_t>(max_positions - positions) * sizeof(count[0]);
  }
};
static_assert(split_plan::bytes_used(1) % 16 == 0);

// What the plan may say.
struct plan_rules {
  bool may_skip = false;  // a split copies to another place, so it cannot
  bool may_use_lane_order = false;
  bool may_leave_out = false;       // the lowest places, of a sort
  double share_for_lane_order = 0;  // a digit that more of the items have is ranked apart
};

// For a place of whose n digits the most frequent one occurs `largest` times.
inline __device__ pass_action action_of_pass(unsigned long long largest, unsigned long long n, bool free_ties,
                                             const plan_rules& rules) {
  if (rules.may_skip && largest == n) return pass_action::skip;
  if (!rules.may_use_lane_order || !free_ties) return pass_action::by_ballots;
  return static_cast<double>(largest) <= rules.share_for_lane_order * static_cast<double>(n)
             ? pass_action::by_lane_order
             : pass_action::by_lane_order_but_one;
}

struct split_memory {
  void* scratch;
  control* head;  // of the workspace
};

// What each block of the histogram has counted, in a sort of few keys (plan_by_rows.cuh).
struct count_rows {
  unsigned* counts = nullptr;  // null: the plan has them
  unsigned rows = 0;
  int positions = 0;

  static constexpr ONEPASS_HOST_DEVICE index_t stride(int positions) {
    return index_t{positions} * digit_values + warp_size;
  }
  __device__ index_t stride() const { return stride(positions); }
  // A row's counts of a place; behind those of the last one, what has been found: a bit for each place in which a key
  // differs from the first of all, and whether a key is -0.
  __device__ unsigned* of(unsigned row, int position) const {
    return counts + row * stride() + position * digit_values;
  }
  __device__ unsigned* found(unsigned row) const { return of(row, positions); }
  static constexpr unsigned negative_zero = 1u << 31;
};

template <class V>
constexpr std::size_t stored_size = std::is_same_v<V, none> ? 0 : sizeof(V);

// A split has two fixed places; a sort goes to and fro between two buffers.
template <class In, class Out>
struct fixed_route {
  using item = value_of<In>;
  In in;
  Out out;
  __device__ In source(bool) const { return in; }
  __device__ Out target(bool) const { return out; }
};
template <class T>
struct buffer_route {
  using item = T;
  T* primary;
  T* alternate;
  __device__ const T* source(bool from_alternate) const { return from_alternate ? alternate : primary; }
  __device__ T* target(bool from_alternate) const { return from_alternate ? primary : alternate; }
};
struct no_route {
  using item = none;
  none* primary = nullptr;
  __device__ none source(bool) const { return {}; }
  __device__ none target(bool) const { return {}; }
};

template <class Digit, class Keys, class Values, class Word, bool may_have_rows_ = false>
struct split_job {
  static constexpr bool may_have_rows = may_have_rows_;  // whether a plan may be by rows of counts
  using word = Word;
  Digit digit;
  int position;
  Keys keys;
  Values values;
  item_count size;
  split_plan* plan;
  // Descriptors: two tables of `rows` rows, a row a tile, a word a digit. A pass uses the table that goes with where it
  // finds its input, and clears the other one for the next pass.
  Word* table[2];
  unsigned rows;
  bool is_only;        // no pass before or after
  int window;          // how many tiles a look-back looks at at once
  unsigned minus_one;  // see lanes_with_digit
  count_rows counted = {};
  plan_rules rules = {};  // of a plan by rows
};

// A tile: threads x per_thread items, and how many blocks a multiprocessor is to hold.
template <int threads_, int per_thread_, int blocks_>
struct pass_shape {
  static constexpr int threads = threads_, warps = threads / warp_size, per_thread = per_thread_, blocks = blocks_;
  static constexpr int items = threads * per_thread;
  static_assert(threads >= digit_values, "a thread a digit");
  static_assert(items < 1 << 16, "ranks are held in 16 bits");
};

// The shapes of a kernel that ranks in both ways, or by ballots only.
template <class Ballots, class LaneOrder = Ballots>
struct pass_shapes {
  using ballots = Ballots;
  using lane_order = LaneOrder;
  static constexpr int threads = Ballots::threads, blocks = Ballots::blocks;
  static_assert(LaneOrder::threads == threads && LaneOrder::blocks == blocks && LaneOrder::items >= Ballots::items);
};
template <class Shape>
ONEPASS_HOST_DEVICE index_t tiles_of(index_t n) {
  return divide_up(n, index_t{Shape::items});
}

template <class KeyBits, class V, class Shape, class Word>
struct split_shared {
  static constexpr std::size_t item_bytes = sizeof(KeyBits) > stored_size<V> ? sizeof(KeyBits) : stored_size<V>;
  alignas(16) unsigned char items[Shape::items * item_bytes];  // the keys, and when they are stored, the values
  unsigned warp_count[Shape::warps][digit_values];  // then: rank in the tile of the warp's next item of the digit
  Word store_offset[digit_values];                  // plus the rank in the tile: the index in the output; may wrap
  unsigned warp_total[digit_values / warp_size];
};

template <class Shared>
__device__ Shared& shared_of_block() {
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  return *reinterpret_cast<Shared*>(dynamic_shared);
}

}  // namespace onepass::detail
