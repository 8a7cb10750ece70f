// SPDX-License-Identifier: Apache-2.0
// Short reductions by offsets: a block a tile, and no block waits for another one. A tile has the segments that end among its
// steps (segment_path.cuh), with all their items: those before the tile, too, of segments that are no longer than `longest`. Of
// a longer segment each tile reduces the part that it has, and the last of their blocks combines the parts (long_segments.cuh).
//   find    a warp looks for the tile's first segment; then each thread loads some of the offsets from there on
//   load    copies the segments' items to shared memory, and marks their heads
//   reduce  a thread combines a strip of consecutive items; at each head it stores the result of the segment before in
//           that segment's last item. A scan over the strips adds what precedes each
//   store   a thread takes a segment and stores its result
// The association depends on the offsets, the number of items, the operator and the tile's number, and on nothing else.
#pragma once

#include "long_segments.cuh"
#include "offset_reduce_job.cuh"
#include "segment_strips.cuh"

namespace onepass::detail {

template <class Job>
class short_offset_reduce {
  using T = typename Job::value_type;
  static constexpr offset_tuning tuning = short_offset_reduce_tuning(sizeof(T));
  static constexpr int warps = tuning.threads / warp_size;
  static constexpr int capacity = tuning.strips * tuning.strip;  // items that fit
  // The search may leave so many ends before the tile, and a thread loads so many offsets at once.
  static constexpr int few = 2 * tuning.threads, batch = 4;
  // Items that are not copied, which a thread has in registers. Of large ones a tile has few.
  static constexpr int half_strip = (tuning.strip + 1) / 2, at_once = half_strip < 8 ? half_strip : 8;

 public:
  static constexpr int threads = tuning.threads, blocks = tuning.blocks;
  static constexpr int steps = (capacity + 1) / 2;      // of a tile
  static constexpr int longest = capacity - steps;      // a segment that is not cut
  static constexpr int most_offsets = steps + few + 2;  // that are kept
  static_assert(tuning.strip <= 32, "a strip's heads are bits of one word");

  struct shared {
    // The items' address modulo 16 is that of the array, so that most of them are copied 16 bytes at a time.
    alignas(alignof(T) < 16 ? 16 : alignof(T)) unsigned char items[std::size_t{capacity} * sizeof(T) + 16];
    std::int32_t begins[most_offsets];  // of the segments from `low` on, counted from the item `base`
    unsigned heads[capacity / 32 + 2];  // a bit an item
    warp_totals<T, warps> totals;
    index_t low;         // how many ends come before the tile, or up to `few` less
    int before, inside;  // how many these are, and the ends in the tile
    alignas(long_segment) unsigned char first[sizeof(long_segment)], last[sizeof(long_segment)];
    bool combines[2];  // whether this block combines the parts of `first` and of `last`
  };

  __device__ short_offset_reduce(const Job& job, const long_segments<T>& parts, shared& s)
      : job_(job),
        parts_(parts),
        s_(s),
        first_(min(static_cast<index_t>(blockIdx.x) * steps, job.n)),
        last_(min(first_ + steps, job.n)) {}

  __device__ void run() {
    find();
    if (threadIdx.x == threads - 1 && (cuts_first_ || cuts_last_)) prepare_sharing();
    if (count_ > 0) load();
    __syncthreads();  // the items have arrived, heads are marked, and long segments are described
    if (count_ > 0) reduce();
    store();
    if (cuts_first_ || cuts_last_) share();
  }

 private:
  // ---- find -----------------------------------------------------------------------------------------------------------
  __device__ void find() {
    if (warp_id() == warps - 1) {
      const index_t low = first_ == 0 ? 0 : job_.path.template ends_within<warp_size, 8>(first_, few);
      if (lane_id() == 0) s_.low = low;
    }
    for (int w = static_cast<int>(threadIdx.x); w < capacity / 32 + 2; w += threads) s_.heads[w] = 0;
    if (threadIdx.x == 0) s_.before = s_.inside = 0;
    __syncthreads();  // all of these are written
    const index_t low = s_.low;
    count_ends(low);
    __syncthreads();                // ends are counted, and begins written
    before_ = min(s_.before, few);  // always, if offsets ascend
    inside_ = min(s_.inside, steps);
    base_ = first_ - low;
    first_segment_ = low + before_;
    left_ = -before_;  // the tile's steps have the items from `left_` up to `right`
    const int right = static_cast<int>(last_ - first_) - before_ - inside_;
    const int begin = s_.begins[before_], open = s_.begins[before_ + inside_];
    is_first_long_ = inside_ > 0 && s_.begins[before_ + 1] - begin > longest;
    const bool goes_on = first_segment_ + inside_ < job_.path.segments;
    const bool is_next_long = goes_on && s_.begins[before_ + inside_ + 1] - open > longest;
    start_ = inside_ == 0 || is_first_long_ ? max(left_, begin) : begin;
    count_ = (is_next_long ? right : inside_ > 0 ? open : start_) - start_;
    // So that nothing is read or written outside the memory where offsets do not ascend.
    count_ = max(0, min(min(count_, capacity), static_cast<int>(job_.path.items - base_) - start_));
    cuts_first_ = is_first_long_ && has_end(end_of(0));
    cuts_last_ = is_next_long && right > max(left_, open) && count_ > 0;
  }

  // Counts the ends of the segments from `low` on that come before the tile and in it. Keeps their offsets, and that behind
  // them.
  __device__ void count_ends(index_t low) {
    int before = 0, inside = 0;
    for (index_t from = low;; from += batch * threads) {
      const index_t segments = job_.path.segments, next = from + batch * threads - 1;
      const index_t last_end = next < segments ? job_.path.begin(next) + next : last_ + 1;  // as below
      index_t begins[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        const index_t s = from + k * threads + static_cast<int>(threadIdx.x);
        if (s <= segments) begins[k] = job_.path.begin(s);
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        const index_t s = from + k * threads + static_cast<int>(threadIdx.x);
        const index_t end =
            s <= segments ? begins[k] + s : last_ + 1;  // one more than the step of the end of segment s - 1
        before += __popc(__ballot_sync(all_lanes, s > low && end <= first_));
        inside += __popc(__ballot_sync(all_lanes, s > low && end > first_ && end <= last_));
        if (s <= segments && s - low < most_offsets)
          s_.begins[s - low] = static_cast<std::int32_t>(begins[k] - (first_ - low));
      }
      if (last_end > last_) break;
    }
    if (lane_id() > 0) return;
    atomicAdd(&s_.before, before);
    atomicAdd(&s_.inside, inside);
  }

  // ---- load -----------------------------------------------------------------------------------------------------------
  __device__ index_t first_item() const { return base_ + start_; }
  // Where the items are in shared memory.
  __device__ T* values() const {
    if constexpr (Job::copies_items) {
      return reinterpret_cast<T*>(s_.items + reinterpret_cast<std::uintptr_t>(job_.items + first_item()) % 16);
    } else {
      return reinterpret_cast<T*>(s_.items);
    }
  }

  // The items of an array are copied asynchronously, which takes no registers. Others are loaded one by one, neighbours by
  // neighbouring threads.
  __device__ void load() {
    if constexpr (Job::copies_items) {
      copy_items<threads, capacity>(job_.items + first_item(), count_, values());
      __pipeline_commit();
      mark_heads();
      __pipeline_wait_prior(0);
    } else {
      load_items<threads, at_once>(job_.items, first_item(), count_, values(), [&] { mark_heads(); });
    }
  }

  __device__ void mark_heads() {
    for (int k = static_cast<int>(threadIdx.x); k < inside_; k += threads) {
      const auto end = static_cast<unsigned>(end_of(k));
      if (end < static_cast<unsigned>(count_)) atomicOr(s_.heads + end / 32, 1u << end % 32);
    }
  }
  // Where the k-th segment that ends here ends, counted from the first item in shared memory.
  __device__ int end_of(int k) const { return s_.begins[before_ + 1 + k] - start_; }
  // Whether the item before an end is here.
  __device__ bool has_end(int end) const { return static_cast<unsigned>(end - 1) < static_cast<unsigned>(count_); }

  // ---- reduce ---------------------------------------------------------------------------------------------------------
  // Leaves each segment's result, as far as its items are here, in its last item. Contains two barriers.
  __device__ void reduce() {
    const int strip =
        divide_up(count_, threads) | 1;  // odd, so that the threads of a warp read theirs without bank conflicts
    const int begin = static_cast<int>(threadIdx.x) * strip, items = min(count_ - begin, strip);
    const unsigned heads = items > 0 ? heads_from(begin, items) : 0;
    auto op = job_.op;
    // A strip without items takes part with the last one, which does not count.
    T open = values()[min(begin, count_ - 1)];
    if (items > 0) open = reduce_strip(values() + begin, items, heads, open, op);
    const strip_state<T> state = scan_strips(open, heads != 0, op, s_.totals);
    __syncthreads();  // the warps' totals are written
    if (items > 0) add_before(values() + begin, items, heads, state, op, s_.totals);
    __syncthreads();  // results stand at the segments' last items
  }

  // The heads of `items` items from `begin` on, 32 at most.
  __device__ unsigned heads_from(int begin, int items) const {
    const unsigned bits = __funnelshift_r(s_.heads[begin / 32], s_.heads[begin / 32 + 1], begin % 32);
    return bits & (0xffffffffu >> (32 - items));
  }

  // Returns what a strip's items from the last head on come to, and stores at its inner heads what precedes them.
  template <class Op>
  static __device__ T reduce_strip(T* x, int items, unsigned heads, T open, Op& op) {
    constexpr int at_once = sizeof(T) <= 8 ? 4 : 1;
    const auto append = [&](int i, const T& next) {
      if (heads >> i & 1) {
        x[i - 1] = open;
        open = next;
      } else {
        open = static_cast<T>(op(open, next));
      }
    };
    int i = 1;
#pragma unroll 1
    for (; i + at_once <= items; i += at_once) {
      T next[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) next[k] = x[i + k];
#pragma unroll
      for (int k = 0; k < at_once; ++k) append(i + k, next[k]);
    }
#pragma unroll 1
    for (; i < items; ++i) append(i, x[i]);
    return open;
  }

  // ---- store ----------------------------------------------------------------------------------------------------------
  __device__ void store() const {
    for (int k = static_cast<int>(threadIdx.x); k < inside_; k += threads) {
      if (k == 0 && is_first_long_) continue;
      const int begin = k > 0 ? end_of(k - 1) : s_.begins[before_] - start_, end = end_of(k);
      if (begin < end && has_end(end)) job_.store(first_segment_ + k, values()[end - 1]);
      else job_.out[first_segment_ + k] = job_.init;
    }
  }

  // ---- long segments --------------------------------------------------------------------------------------------------
  __device__ const long_segment& first() const { return *reinterpret_cast<const long_segment*>(s_.first); }
  __device__ const long_segment& last() const { return *reinterpret_cast<const long_segment*>(s_.last); }

  // By one thread. Describes the long segments that have a part here.
  __device__ void prepare_sharing() {
    const auto describe = [&](unsigned char* to, int k) {
      const index_t begin = base_ + s_.begins[before_ + k], behind = base_ + s_.begins[before_ + k + 1];
      parts_.prepare(*::new (to) long_segment(first_segment_ + k, begin, behind, steps));
    };
    if (cuts_first_) describe(s_.first, 0);
    if (cuts_last_) describe(s_.last, inside_);
  }

  // Stores this tile's parts of one or two long segments, and combines those whose parts are then all there.
  __device__ void share() {
    if (threadIdx.x == 0) {
      if (cuts_last_) detail::construct(parts_.open + blockIdx.x, values()[count_ - 1]);
      if (cuts_first_) detail::construct(parts_.last + blockIdx.x, values()[end_of(0) - 1]);
      s_.combines[0] = cuts_first_ && parts_.arrive(first());
      s_.combines[1] = cuts_last_ && parts_.arrive(last());
    }
    __syncthreads();                                              // combines is written
    constexpr int folding = capacity < warps ? capacity : warps;  // warps whose results fit into the memory
    T* const of_warps = reinterpret_cast<T*>(s_.items);
    if (s_.combines[0]) parts_.template combine<folding>(job_, first(), of_warps);
    if (s_.combines[1]) parts_.template combine<folding>(job_, last(), of_warps);
  }

  const Job& job_;
  const long_segments<T>& parts_;
  shared& s_;
  index_t first_, last_;  // the tile's steps
  index_t first_segment_, base_;
  int before_, inside_, left_, start_, count_;  // items are counted from base_ on
  bool is_first_long_, cuts_first_, cuts_last_;
};

template <class Job>
__global__ void __launch_bounds__(short_offset_reduce<Job>::threads, short_offset_reduce<Job>::blocks)
    short_offset_reduce_kernel(const __grid_constant__ Job all, item_count size,
                               const __grid_constant__ long_segments<typename Job::value_type> parts) {
  wait_for_previous_kernel();
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  auto& s = *reinterpret_cast<typename short_offset_reduce<Job>::shared*>(dynamic_shared);
  Job job = all;
  job.n = size.get();
  complete_sized(job);
  short_offset_reduce<Job>(job, parts, s).run();
}

}  // namespace onepass::detail
