// SPDX-License-Identifier: Apache-2.0
// What the kernels of a split share: the plan that the histogram makes for the passes, where passes read and write, and
// the shapes of tiles.
#pragma once

#include "../../../../core/lookback/chained_look_back.hpp"
#include "../../../../core/execution/scratch_layout.hpp"
#include "warp_rank.cuh"
#include "../../../../core/support/none.hpp"

namespace onepass::detail {

// From here on the compiler assumes nothing about the value. It can no longer fold a constant; and it no longer keeps
// what it computed from a key in one step for the next step, which would take a register more for each key, and spill.
template <class KeyBits>
__device__ void hide_from_compiler(KeyBits& key_bits) {
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

// What a pass does. Where all items have the same digit, nothing has to be moved, and the pass is skipped. But one of
// these copies all items instead, where the sort would not end in the primary buffer otherwise: in place, if an odd
// number of passes is left; to another range, if none is left.
enum class pass_action : unsigned char { skip, copy, ballot_ranking, atomic_ranking, atomic_ranking_but_one };

// Where a pass reads. The first one that moves items reads the input, the others read what the one before has stored.
enum class pass_buffer : unsigned char { input, primary, alternate };

struct alignas(4) pass_plan {
  pass_action action;
  pass_buffer from;
  bool to_alternate : 1;         // else to the primary buffer
  bool is_last : 1;              // no pass after this one moves anything
  unsigned char table : 1;       // of its descriptors
  unsigned char frequent_digit;  // the digit that most items have
};
static_assert(sizeof(pass_plan) == 4);

// What a block of a pass needs first. It is one word, so that one addition draws a tile and reads the plan.
struct alignas(8) pass_start {
  unsigned tile;  // the next one to draw
  pass_plan plan;
};

// What only the device knows, as the host never waits. The histogram's first block clears it, its last block writes it.
struct alignas(16) split_plan {
  pass_start pass[max_positions];
  bool result_in_alternate;  // only in place, and with an odd number of digit positions
  unsigned negative_zeros;   // not 0: a key is -0
  unsigned is_out_of_order;  // not 0: a key comes after the next one, or that is not known
  unsigned tiles_redone;     // tiles and buckets that atomic ranking has left out of order
  int lowest_position;       // the lowest digit position that is sorted by; if not 0, more is to do (finish.cuh)
  // The count of each digit at each position; later, where the digit starts in the output. It stands last, as only the
  // counts of positions that a sort has are cleared.
  alignas(16) unsigned long long count[max_positions][digit_values];

  static constexpr ONEPASS_HOST_DEVICE std::size_t bytes_used(int positions) {
    return sizeof(split_plan) - static_cast<std::size_t>(max_positions - positions) * sizeof(count[0]);
  }
};
static_assert(split_plan::bytes_used(1) % 16 == 0);

// What the plan may decide.
struct plan_rules {
  bool may_skip = false;  // not for a split: it has to copy its items to another array
  bool in_place = false;  // the input is the primary buffer
  bool may_use_atomics = false;
  bool may_be_msd_first = false;      // whether a sort may leave out its lowest digit positions
  double most_share_for_atomics = 0;  // if a larger share of the items has one digit, that digit is ranked by ballots
};

// The decision for one pass over n items, of which `largest` have the most frequent digit.
inline __device__ pass_action action_of_pass(unsigned long long largest, unsigned long long n, bool free_ties,
                                             const plan_rules& rules) {
  if (rules.may_skip && largest == n) return pass_action::skip;
  if (!rules.may_use_atomics || !free_ties) return pass_action::ballot_ranking;
  return static_cast<double>(largest) <= rules.most_share_for_atomics * static_cast<double>(n)
             ? pass_action::atomic_ranking
             : pass_action::atomic_ranking_but_one;
}

struct split_memory {
  void* scratch;
  control* head;  // of the workspace
};

template <class V>
constexpr std::size_t stored_size = std::is_same_v<V, none> ? 0 : sizeof(V);

// Where passes read and write. A split has a fixed input and a fixed output. A sort reads its input once and alternates
// between two buffers; in place, the input is the primary buffer.
template <class In, class Out>
struct fixed_route {
  using item = value_of<In>;
  In in;
  Out out;
  __device__ In source(pass_buffer) const { return in; }
  __device__ Out target(bool) const { return out; }
};
template <class T>
struct buffer_route {
  using item = T;
  const T* input;
  T* primary;
  T* alternate;
  static buffer_route in_place(T* primary, T* alternate) { return {primary, primary, alternate}; }
  bool is_in_place() const { return input == primary; }
  // The route of what is done to the sorted items.
  buffer_route of_result() const { return in_place(primary, alternate); }
  __device__ const T* source(pass_buffer from) const {
    return from == pass_buffer::input ? input : from == pass_buffer::primary ? primary : alternate;
  }
  __device__ T* target(bool to_alternate) const { return to_alternate ? alternate : primary; }
};
struct no_route {
  using item = none;
  const none* input = nullptr;
  none* primary = nullptr;
  no_route of_result() const { return {}; }
  __device__ none source(pass_buffer) const { return {}; }
  __device__ none target(bool) const { return {}; }
};

template <class Digit, class Keys, class Values, class Word>
struct split_job {
  using word = Word;
  Digit digit;
  int position;
  Keys keys;
  Values values;
  item_count size;
  split_plan* plan;
  // Descriptors: two tables of `rows` rows, with a row for each tile and a word for each digit. Passes that move items
  // take the tables in turn, and clear the other one for the next pass.
  Word* table[2];
  unsigned rows;
  bool is_only;        // there is no other pass
  int window;          // how many descriptors a look-back reads at once
  unsigned minus_one;  // see lanes_with_digit
};

// A tile has threads x per_thread items; a multiprocessor is to hold `blocks` blocks.
template <int threads_, int per_thread_, int blocks_>
struct pass_shape {
  static constexpr int threads = threads_, warps = threads / warp_size, per_thread = per_thread_, blocks = blocks_;
  static constexpr int items = threads * per_thread;
  static_assert(threads >= digit_values, "a thread for each digit");
  static_assert(items < 1 << 16, "a rank has 16 bits");
};

// A kernel's shapes of tiles: of those that are ranked by ballots, and of those that are ranked by atomics.
template <class Ballots, class Atomics = Ballots>
struct pass_shapes {
  using ballots = Ballots;
  using atomics = Atomics;
  static constexpr int threads = Ballots::threads, blocks = Ballots::blocks;
  static_assert(Atomics::threads == threads && Atomics::blocks == blocks && Atomics::items >= Ballots::items);
};
template <class Shape>
ONEPASS_HOST_DEVICE index_t tiles_of(index_t n) {
  return divide_up(n, index_t{Shape::items});
}

template <class KeyBits, class V, class Shape, class Word>
struct split_shared {
  static constexpr std::size_t item_bytes = sizeof(KeyBits) > stored_size<V> ? sizeof(KeyBits) : stored_size<V>;
  alignas(16) unsigned char items[Shape::items * item_bytes];  // the keys; the values, once the keys are stored
  unsigned warp_count[Shape::warps][digit_values];  // later: the rank in the tile of the warp's next item of the digit
  Word store_offset[digit_values];  // this plus an item's rank in the tile is its index in the output; may wrap
  unsigned warp_total[digit_values / warp_size];
};

template <class Shared>
__device__ Shared& shared_of_block() {
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  return *reinterpret_cast<Shared*>(dynamic_shared);
}

}  // namespace onepass::detail
