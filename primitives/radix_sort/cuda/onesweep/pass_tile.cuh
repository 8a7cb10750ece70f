// SPDX-License-Identifier: Apache-2.0
// A tile of a pass, which splits items stably by one digit. Its items are first gathered in shared memory in the order of
// their digits, so that neighbouring threads store to neighbouring addresses. A thread for each digit learns by look-back
// where the tile's items of that digit start in the output; of few tiles, all threads add that up. Bytes moved: 2 n items.
//
// The steps, in order: load, count, publish, rank and gather, find offsets, store. Only keys are gathered. With each key
// goes its origin, its index in the tile before the split; the item's value waits there in shared memory. The file is
// over 300 lines because a thread's keys stay in its registers through all steps.
//
// Source: A. Adinets and D. Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs" (2022), section 3.
#pragma once

#include "../../../../core/cuda/io/cached_access.cuh"
#include "../../../../core/cuda/runtime/launch.cuh"
#include "../../../../core/support/construct.hpp"
#include "few_tiles.cuh"
#include "index_output.cuh"

namespace onepass::detail {

// A tile that is not full is filled up with keys if there is a key that can pad (is_padded). Such items come behind all others
// of the last digit, and are not stored. Otherwise each step leaves out missing items, in a second copy of the code (not full).
template <class Ranking, class Shape, class Job, bool full>
class split_tile {
  static constexpr int per_thread = Shape::per_thread, unrolled = detail::unrolled<Ranking, per_thread>;
  static constexpr bool has_keys = unrolled == per_thread;  // in registers; else a thread reads each key again
  using word = typename Job::word;
  using state = chained_descriptor<word>;
  using value = typename decltype(Job::values)::item;
  static constexpr bool has_values = stored_size<value> > 0;
  // Keys with values and without can differ in whether -0 and +0 are equal: without, the plan knows that no key is -0.
  using job_digit = decltype(Job::digit);
  using digit_of = std::conditional_t<has_values, job_digit, typename Ranking::template digit_of<job_digit>>;
  using key_bits = typename digit_of::key_bits;
  static constexpr bool checks_origins = Ranking::is_checked && keeps_origins<job_digit, value>;
  static constexpr bool is_padded = digit_of::can_pad;
  static_assert(!(full && is_padded));

 public:
  using shared = split_shared<job_digit, value, Shape, word>;

  __device__ split_tile(const Job& job, shared& s, const pass_plan& plan, index_t n, unsigned tile)
      : job_(job),
        s_(s),
        digit_(job.digit),
        plan_(plan),
        minus_one_(job.minus_one),
        tile_(tile),
        descriptor_(job.table[plan.table] + static_cast<index_t>(tile) * digit_values + threadIdx.x),
        begin_(static_cast<index_t>(tile) * items()),
        size_(full ? items() : static_cast<int>(min(n - begin_, index_t{items()}))) {}

  // Returns whether the tile is stored in order. `again`: it has run before, and it is known where its digits start.
  __device__ bool run(bool again) {
    load();
    load_values();
    if constexpr (Job::has_few_tiles) {
      if (!again && has_digit()) lower_in_warp_ = items_of_lower_lanes(job_, s_.items_of_warp);
    }
    count(again);
    if (!again) publish();
    digit_begin_ = counters_to_ranks<Shape::warps>(s_.warp_count, s_.warp_total, padded_warps());
    const bool is_in_order = Ranking::is_checked && s_.frequent.has_all;
    if (!is_in_order) rank_and_gather();
    if (!again) find_offsets();
    if constexpr (has_values) __pipeline_wait_prior(0);
    __syncthreads();  // all keys are gathered, all values there, all offsets written
    if constexpr (may_end_in_indices<decltype(Job::values)>) {
      const unsigned only_digit = is_in_order ? digit_(key_[0]) : digit_values;
      if (widens(job_, plan_)) return store_widened<Ranking, Shape, digit_of>(job_, s_, size_, only_digit);
    }
    if (!is_in_order) return store();
    store_as_loaded();
    return true;
  }

 private:
  // Where item i of this thread stands in the tile. In a warp, (i, lane) is the order of the input, and loads are
  // coalesced.
  __device__ int local(int i) const { return (warp_id() * per_thread + i) * warp_size + lane_id(); }
  __device__ bool exists(int i) const { return full || local(i) < size_; }
  __device__ bool is_ranked(int i) const { return is_padded || exists(i); }
  __device__ static int threads() { return threads_of_tile<Shape, Job>(); }
  __device__ static int padded_warps() { return divide_up(threads() / warp_size, warps_at_once) * warps_at_once; }
  __device__ static int items() { return threads() * per_thread; }
  __device__ value* staged_values() const { return reinterpret_cast<value*>(s_.values); }
  __device__ bool has_digit() const { return Shape::threads == digit_values || threadIdx.x < digit_values; }

  __device__ key_bits key(int i) const {
    if constexpr (has_keys) {
      return key_[i];
    } else {
      key_bits bits{};
      if constexpr (is_padded) bits = digit_.pad();
      const auto keys = job_.keys.source(plan_.from) + (begin_ + local(0));
      if (exists(i)) bits = digit_.to_bits(detail::load_with(keys, i * warp_size, evict_first()));
      return bits;
    }
  }
  __device__ void load() {
    if constexpr (!has_keys) return;
    const index_t first = begin_ + local(0);  // each address is this plus a constant
    const cache_hint hint = evict_first();
    const auto keys = job_.keys.source(plan_.from) + first;
    if (is_padded && size_ == items()) {  // most tiles are full: they check once, and not for every key
#pragma unroll
      for (int i = 0; i < per_thread; ++i) key_[i] = digit_.to_bits(detail::load_with(keys, i * warp_size, hint));
    } else {
#pragma unroll
      for (int i = 0; i < per_thread; ++i) {
        if constexpr (is_padded) key_[i] = digit_.pad();
        if (exists(i)) key_[i] = digit_.to_bits(detail::load_with(keys, i * warp_size, hint));
      }
    }
  }

  // The values arrive while the keys are ranked. The copies stay unrolled: nvcc 13.0 makes illegal instructions of a loop.
  __device__ void load_values() {
    if constexpr (has_values) {
      const cache_hint hint = evict_first();
      const auto from = job_.values.source(plan_.from);
      value* const to = staged_values() + local(0);
      if (numbers_itself(from)) {
#pragma unroll
        for (int i = 0; i < per_thread; ++i) number(to + i * warp_size, begin_ + local(i));
        return;
      }
      const auto first = from + (begin_ + local(0));
#pragma unroll
      for (int i = 0; i < per_thread; ++i) {
        if (exists(i)) detail::copy_async_with(to + i * warp_size, first + i * warp_size, hint);
      }
      __pipeline_commit();
    }
  }

  // Makes a histogram for each warp.
  __device__ void count(bool again) {
    unsigned* counters = s_.warp_count[warp_id()];
#pragma unroll
    for (int d = 0; d < digit_values; d += warp_size) counters[d + lane_id()] = 0;
    if (const int w = warp_id() + threads() / warp_size; Job::has_few_tiles && w < padded_warps()) {
#pragma unroll
      for (int d = 0; d < digit_values; d += warp_size) s_.warp_count[w][d + lane_id()] = 0;  // no warp has it
    }
    if (threadIdx.x == 0) s_.frequent.clear();
    if (Job::has_few_tiles && !again && has_digit()) s_.store_offset[threadIdx.x] = 0;
    __syncwarp();  // this warp's counters are zero
#pragma unroll unrolled
    for (int i = 0; i < per_thread; ++i) {
      if (is_ranked(i)) atomicAdd(counters + digit_(key(i)), 1u);
    }
    __syncthreads();  // all warps have counted
  }

  // Publishes the tile's counts as early as possible, as later tiles wait for them.
  __device__ void publish() {
    if (has_digit()) {
      const int d = static_cast<int>(threadIdx.x);
      unsigned count = 0;
      for (int first = 0; first < padded_warps(); first += warps_at_once) {
#pragma unroll
        for (int w = 0; w < warps_at_once; ++w) count += s_.warp_count[first + w][d];
      }
      if constexpr (Job::has_few_tiles) {
        publish_pair(job_.table[plan_.table], tile_, count);
      } else {  // tile 0's count is its inclusive prefix, too, so no look-back walks past it
        set(static_cast<word>(count) | (tile_ == 0 ? state::inclusive : state::aggregate));
      }
      digit_count_ = count;
      if constexpr (Ranking::is_checked) s_.frequent.add_if_frequent(threadIdx.x, count, items());
      if (!job_.is_only) clear_table(job_, 1 - plan_.table, tile_);
    }
  }

  __device__ void rank_and_gather() {
    unsigned* const counters = s_.warp_count[warp_id()];
    const Ranking ranking(counters, minus_one_);
    if constexpr (Ranking::is_checked) {
      if (s_.frequent.have_almost_all(items())) return gather_by(match_ranking(counters));
      if (s_.frequent.count > 0) return gather_by(ranking_with_votes<Ranking>(counters, ranking, s_.frequent));
    }
    gather_by(ranking);
  }
  template <class How>
  __device__ __forceinline__ void gather_by(How ranking) {
    constexpr int batch = batch_of<How, per_thread>;
    key_bits* keys = reinterpret_cast<key_bits*>(s_.keys);
#pragma unroll
    for (int i = 0; has_keys && i < per_thread; ++i) hide_from_compiler(key_[i]);
#pragma unroll unrolled
    for (int i = 0; i < per_thread; i += batch) {
      unsigned digit[batch], rank[batch];
      bool there[batch];
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        there[j] = is_ranked(i + j);
        digit[j] = there[j] ? digit_(key(i + j)) : 0;
      }
      ranking.rank(digit, there, rank);
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        if (!there[j]) continue;
        detail::construct(keys + rank[j], key(i + j));
        if constexpr (has_values || checks_origins) s_.origins[rank[j]] = static_cast<std::uint16_t>(local(i + j));
      }
    }
  }

  // Comes after the ranking, so that the tiles before have had that time to publish.
  __device__ void find_offsets() {
    if constexpr (Job::has_few_tiles) {
      const word start = has_digit() ? lower_in_warp_ + items_of_lower_warps(s_.items_of_warp) : 0;
      if (has_digit()) atomicAdd(&s_.store_offset[threadIdx.x], start - digit_begin_);
      add_counts_before(job_.table[plan_.table], tile_, s_.store_offset);
    } else if (has_digit()) {
      const auto start = static_cast<word>(job_.plan->count[job_.position][threadIdx.x]);
      const auto to = job_.keys.target(plan_.to_alternate);
      s_.store_offset[threadIdx.x] = begin_run(to, static_cast<word>(start + look_back()), digit_begin_, digit_count_);
    }
  }
  // How many items of this thread's digit the tiles before have.
  __device__ word look_back() {
    if (tile_ == 0) return 0;
    spin_guard guard;
    const word before = chained_prefix(descriptor_ - digit_values, index_t{digit_values}, index_t{tile_}, job_.window,
                                       [&] { guard.wait(); });
    set((before + digit_count_) | state::inclusive);
    return before;
  }

  // Where all items have the same digit.
  __device__ void store_as_loaded() {
    const cache_hint hint = output_hint();
    const index_t to = index_of(digit_(key_[0]), local(0));
#pragma unroll unrolled
    for (int i = 0; i < per_thread; ++i) {
      if (!exists(i)) continue;
      detail::store_with(job_.keys.target(plan_.to_alternate), to + i * warp_size, digit_.from_bits(key_[i]), hint);
      if constexpr (has_values)
        detail::store_with(job_.values.target(plan_.to_alternate), to + i * warp_size, staged_values()[local(i)], hint);
    }
  }

  __device__ int lowest_bit() const {  // that is sorted by: of the plan's lowest position
    if constexpr (Ranking::is_checked && !checks_origins && sizeof(key_bits) >= 4)
      return max(digit_.begin_bit, digit_.shift - digit_bits * (job_.position - job_.plan->lowest_position));
    return 0;
  }

  // Checks the order, too. Items whose origins ascend in each digit have been split stably. So have keys that ascend in
  // all positions up to this one, as the passes before have sorted them by the positions below.
  __device__ bool store() {
    if constexpr (is_padded)
      if (size_ == items()) return store_items<true>();
    return store_items<full>();
  }
  template <bool all_there>
  __device__ bool store_items() {
    const key_bits* keys = reinterpret_cast<const key_bits*>(s_.keys);
    const auto out = job_.keys.target(plan_.to_alternate);
    const cache_hint hint = output_hint();
    bool ascends = true;
    key_bits sorted_bits{};
    if constexpr (Ranking::is_checked && !checks_origins) sorted_bits = digit_.sorted_bits(lowest_bit());
#pragma unroll unrolled
    for (int i = 0; i < per_thread; ++i) {
      const int rank = static_cast<int>(threadIdx.x) + i * threads();
      const bool is_there = all_there || rank < size_;
      if (!is_there && !(Ranking::is_checked && is_padded)) break;
      const key_bits key = keys[rank];
      const unsigned digit = digit_(key);
      unsigned origin = 0;
      if constexpr (has_values || checks_origins) origin = s_.origins[rank];
      if (is_there) {
        const index_t to = index_of(digit, rank);
        detail::store_with(out, to, digit_.from_bits(key), hint);
        if constexpr (has_values)
          detail::store_with(job_.values.target(plan_.to_alternate), to, staged_values()[origin], hint);
      }
      if constexpr (Ranking::is_checked) {
        const int previous = i == 0 && threadIdx.x == 0 ? 0 : rank - 1;
        if constexpr (checks_origins) {  // padding comes from behind all items
          ascends &= (digit_(keys[previous]) << 16 | s_.origins[previous]) <= (digit << 16 | origin);
        } else {
          ascends &= digit_.sorted_part(keys[previous], sorted_bits) <= digit_.sorted_part(key, sorted_bits);
          ascends &= is_there || key == digit_.pad();  // else a real key stands where only padding should be
        }
      }
    }
    return ascends;
  }

  // A pass's output is the next one's input. Besides, several blocks store the items of one digit that share a line of the
  // output, one after another; a line that stays in L2 until it is full is written to memory once.
  __device__ cache_hint output_hint() const { return plan_.is_last ? evict_normal() : evict_last(); }
  __device__ index_t index_of(unsigned digit, int rank) const {
    return static_cast<index_t>(static_cast<word>(s_.store_offset[digit] + rank));
  }

  __device__ void set(word w) const { detail::store_relaxed(descriptor_, w); }

  const Job& job_;
  shared& s_;
  digit_of digit_;
  pass_plan plan_;
  unsigned minus_one_;  // a copy: through the reference it would be read again for every item
  unsigned tile_;
  word* descriptor_;  // of the tile and this thread's digit
  index_t begin_;
  int size_;
  unsigned digit_count_ = 0, digit_begin_ = 0;
  word lower_in_warp_ = 0;
  key_bits key_[has_keys ? per_thread : 1];
};

}  // namespace onepass::detail
