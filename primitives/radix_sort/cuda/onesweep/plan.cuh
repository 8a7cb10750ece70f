// SPDX-License-Identifier: Apache-2.0
// What the kernels of a split share: the plan that the histogram makes for the passes, where passes read and write, and
// the shapes of tiles.
#pragma once

#include "../../../../core/lookback/chained_look_back.hpp"
#include "../../../../core/execution/scratch_layout.hpp"
#include "frequent_digits.cuh"
#include "warp_rank.cuh"
#include "../../../../core/cuda/io/hide_from_compiler.cuh"
#include "../../../../core/support/none.hpp"

namespace onepass::detail {

constexpr int max_positions = 16;

// What a pass does. Where all items have the same digit, nothing has to be moved, and the pass is skipped. But one of
// these copies all items instead, where the sort would not end in the primary buffer otherwise: in place, if an odd
// number of passes is left; to another range, if none is left.
enum class pass_action : unsigned char { skip, copy, ballot_ranking, atomic_ranking };

// Where a pass reads. The first one that moves items reads the input, the others read what the one before has stored.
enum class pass_buffer : unsigned char { input, primary, alternate };

struct alignas(4) pass_plan {
  pass_action action;
  pass_buffer from;
  bool to_alternate : 1;    // else to the primary buffer
  bool is_last : 1;         // no pass after this one moves anything
  bool ends_sort : 1;       // so it is, and no position has been left out
  unsigned char table : 1;  // of its descriptors
};
static_assert(sizeof(pass_plan) == 4);

// What is known of the pass at one position while the plan is made.
struct planned_pass {
  pass_plan plan;
  float same_digit;  // how likely two keys are to have the same digit there
};

// What a block of a pass needs first. It is one word, so that one addition draws a tile and reads the plan.
struct alignas(8) pass_start {
  unsigned tile;  // the next one to draw
  pass_plan plan;
};

// What only the device knows, as the host never waits. The histogram's first block clears it; its last block writes it,
// or the passes do.
struct alignas(16) split_plan {
  pass_start pass[max_positions];
  bool result_in_alternate;  // only in place, and with an odd number of digit positions
  unsigned negative_zeros;   // not 0: a key is -0
  unsigned is_out_of_order;  // not 0: a key comes after the next one, or that is not known
  unsigned tiles_redone;     // tiles that atomic ranking has left out of order, and buckets sorted again
  unsigned tied_pairs;       // of samples (msd_first/choose_digits.cuh)
  int lowest_position;       // the lowest digit position that is sorted by; if not 0, more is to do (finish.cuh)
  bool result_is_narrow;     // indices that the caller wants in 8 bytes (index_output.cuh) have been left in 4
  // Only if the passes make the plan: one key's digits, and the number of keys.
  unsigned char digit_of_one[max_positions];
  index_t items;
  // The count of each digit at each position; later, unless the passes make the plan, where the digit starts in the
  // output. It stands last, as only the counts of positions that a sort has are cleared.
  alignas(16) unsigned long long count[max_positions][digit_values];

  static constexpr ONEPASS_HOST_DEVICE std::size_t bytes_used(int positions) {
    return sizeof(split_plan) - static_cast<std::size_t>(max_positions - positions) * sizeof(count[0]);
  }
};
static_assert(split_plan::bytes_used(1) % alignof(split_plan) == 0);

// Which passes may rank by atomics. `if_ties_are_free`: those of keys of which none is -0; each tile's order is seen
// from its keys. `always`: each tile's order is seen from where its items came from.
enum class atomics_rule : unsigned char { never, if_ties_are_free, always };

// Buckets of keys with the same highest bits, in which a sort may end (msd_first/choose_buckets.cuh).
constexpr int small_bucket = 128 * 19, medium_bucket = 256 * 18, large_bucket = 512 * 18;
struct bucket_shape {
  int bits = 0;  // that say a key's bucket
  int room = 0;  // keys of a bucket that a block sorts: one of the three
  ONEPASS_HOST_DEVICE unsigned count() const { return 1u << bits; }
};

// What a sort by the upper digits alone leaves to the launches behind the passes (msd_first/finish.cuh).
enum class left_open : unsigned char { nothing, few_ties, many_ties, buckets };

// What the plan may decide.
struct plan_rules {
  bool may_skip = false;  // not for a split: it has to copy its items to another array
  bool in_place = false;  // the input is the primary buffer
  atomics_rule atomics = atomics_rule::never;
  left_open may_leave = left_open::nothing;  // if a sort leaves out its lowest digit positions
  bool has_few_tiles = false;                // then the passes make the plan, and not the histogram's last block
  bucket_shape buckets = {};                 // of a sort that may end in buckets
};

// The decision for one pass.
inline __device__ pass_action action_of_pass(bool all_have_one_digit, bool free_ties, const plan_rules& rules) {
  if (rules.may_skip && all_have_one_digit) return pass_action::skip;
  const bool by_atomics =
      rules.atomics == atomics_rule::always || (rules.atomics == atomics_rule::if_ties_are_free && free_ties);
  return by_atomics ? pass_action::atomic_ranking : pass_action::ballot_ranking;
}

// By a warp, with the plan of position p in lane p: decides from which buffer to which each pass moves the items, if those
// below `lowest` are left out, and items are moved `moves_behind` times behind all passes. A pass that is skipped becomes a
// copy where the result would not be in the primary buffer otherwise. Returns whether it is in the alternate all the same.
__device__ inline bool chain_passes(pass_plan& mine, int positions, int lowest, int moves_behind, bool in_place) {
  const int position = lane_id();
  if (position < lowest) mine.action = pass_action::skip;
  unsigned moving = __ballot_sync(all_lanes, position < positions && mine.action != pass_action::skip);
  if (in_place ? (__popc(moving) + moves_behind) % 2 != 0 : moving == 0) {
    const unsigned skipped = ~moving & ((1u << positions) - 1), first = skipped & (0 - skipped);
    if (first >> position & 1) mine.action = pass_action::copy;
    moving |= first;
  }
  const int passes = __popc(moving), moves = passes + moves_behind, before = __popc(moving & lanes_below());
  const bool first_to_alternate = in_place || moves % 2 == 0, is_odd = before % 2 != 0;
  mine.to_alternate = first_to_alternate != is_odd;
  mine.from = before == 0 ? pass_buffer::input : mine.to_alternate ? pass_buffer::primary : pass_buffer::alternate;
  mine.table = is_odd;
  mine.is_last = before + 1 == passes;
  mine.ends_sort = mine.is_last && lowest == 0;
  return moves > 0 && first_to_alternate == (moves % 2 != 0);
}

struct split_memory {
  void* scratch;
  control* head;  // of the workspace
};

template <class V>
constexpr std::size_t stored_size = std::is_same_v<V, none> ? 0 : sizeof(V);

// Whether it depends on the digits and on the keys if passes may rank by atomics. Else they always may.
template <class Digits, class V>
constexpr bool rule_may_forbid = stored_size<V> == 0 && Digits::is_checkable;

// Whole keys without values cannot be told apart if they are equal and not -0. So ties are free; a caller may say it, too.
template <class V, class Digits>
atomics_rule rule_of_atomics([[maybe_unused]] const Digits& digits) {
  if constexpr (!rule_may_forbid<Digits, V>) return atomics_rule::always;
  else return digits.is_whole_key() || digits.of.ties_may_change ? atomics_rule::if_ties_are_free : atomics_rule::never;
}

// Where passes read and write. A split has a fixed input and a fixed output. A sort reads its input once and alternates
// between two buffers; in place, the input is the primary buffer. An input of integers may be null: it stands for 0, 1,
// 2 and so on, and is not read.
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
// Whether such an input stands for numbers.
template <class T>
__device__ bool numbers_itself(const T* in) {
  return std::is_integral_v<T> && in == nullptr;
}
template <class T>
__device__ void number([[maybe_unused]] T* to, [[maybe_unused]] index_t i) {
  if constexpr (std::is_integral_v<T>) *to = static_cast<T>(i);
}
template <class T>
__device__ T item_or_number(const T* in, index_t i) {
  if constexpr (std::is_integral_v<T>) {
    if (numbers_itself(in)) return static_cast<T>(i);
  }
  return in[i];
}

// What a tile adds to the ranks of a digit's `count` items, which go to `at` on and whose first one has the rank `rank`.
template <class Out, class Word>
__device__ Word begin_run(const Out&, Word at, unsigned rank, [[maybe_unused]] unsigned count) {
  return at - rank;
}

struct no_route {
  using item = none;
  const none* input = nullptr;
  none *primary = nullptr, *alternate = nullptr;
  no_route of_result() const { return {}; }
  __device__ none source(pass_buffer) const { return {}; }
  __device__ none target(bool) const { return {}; }
};

// has_few_tiles: there is no more than one tile a multiprocessor. Then each block of the pass makes the plan for itself, and
// adds up the counts of all tiles before its own. It may have fewer threads than its shape, and so a smaller tile.
template <class Digit, class Keys, class Values, class Word, bool has_few_tiles_ = false>
struct split_job {
  using word = Word;
  static constexpr bool has_few_tiles = has_few_tiles_;
  static constexpr bool may_choose_ballots = rule_may_forbid<Digit, typename Values::item>;
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
  unsigned tiles;      // tile numbers below this are all drawn
  bool is_only;        // there is no other pass
  int window;          // how many descriptors a look-back reads at once
  unsigned minus_one;  // see lanes_with_digit
  int positions = 0;   // this and the rules only if there are few tiles
  plan_rules rules = {};
};

// A tile clears its part of a table, with a thread for each digit. Each tile number below job.tiles belongs to some
// block, so together they clear all rows.
template <class Job>
__device__ void clear_table(const Job& job, int which, unsigned tile) {
  auto* table = job.table[which];
  for (unsigned row = tile; row < job.rows; row += job.tiles) table[index_t{row} * digit_values + threadIdx.x] = 0;
}

// A tile has threads x per_thread items; a multiprocessor is to hold `blocks` blocks.
template <int threads_, int per_thread_, int blocks_>
struct pass_shape {
  static constexpr int threads = threads_, warps = threads / warp_size, per_thread = per_thread_, blocks = blocks_;
  static constexpr int items = threads * per_thread;
  static_assert(items < 1 << 16, "a rank has 16 bits");
};

template <class Shape>
ONEPASS_HOST_DEVICE index_t tiles_of(index_t n) {
  return divide_up(n, index_t{Shape::items});
}
template <class Shape, class Job>
__device__ int threads_of_tile() {
  return Job::has_few_tiles ? static_cast<int>(blockDim.x) : Shape::threads;
}
template <class Shape, class Job>
__device__ int items_of_tile() {
  return threads_of_tile<Shape, Job>() * Shape::per_thread;
}

// Whether a tile keeps each item's origin, its index in the tile before the split: to find the item's value by it, or
// to see the order of keys that cannot be compared.
template <class Digit, class V>
constexpr bool keeps_origins = stored_size<V> != 0 || (Digit::can_pad && !Digit::is_checkable);

template <class Digit, class V, class Shape, class Word>
struct split_shared {
  using key_bits = typename Digit::key_bits;
  alignas(16) unsigned char keys[Shape::items * sizeof(key_bits)];      // in the order of their digits
  alignas(16) unsigned char values[Shape::items * stored_size<V> + 1];  // in the order of the input
  std::uint16_t origins[keeps_origins<Digit, V> ? Shape::items : 1];    // in the order of the keys
  unsigned warp_count[Shape::warps][digit_values];  // later: the rank in the tile of the warp's next item of the digit
  Word store_offset[digit_values];  // this plus an item's rank in the tile is its index in the output; may wrap
  unsigned warp_total[digit_values / warp_size];
  Word items_of_warp[digit_values / warp_size];  // of all items, those with a digit of the warp
  frequent_digits frequent;
};

template <class Shared>
__device__ Shared& shared_of_block() {
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  return *reinterpret_cast<Shared*>(dynamic_shared);
}

}  // namespace onepass::detail
