// SPDX-License-Identifier: Apache-2.0
// A bucket of keys with the same highest bits (choose_buckets.cuh), which a block sorts by the other bits in shared memory.
//
// The steps: load; for each of two digits: rank in the warp, turn the warps' counts into ranks, gather; check; store. Only
// the bits below those of the bucket are moved; with values, so are the items' indices, and the values wait in shared memory.
// Where there are more than 16 such bits, the two digits are the highest 16, and what is left decides among keys that are
// equal in these (bucket_ties.cuh).
//
// Items are ranked by atomics (warp_rank.cuh). The order of all is checked before any is stored; with indices, that of equal
// keys, too.
#pragma once

#include "../../../../core/cuda/io/short_numbers.cuh"
#include "../onesweep/index_output.cuh"
#include "bucket_ties.cuh"
#include "choose_buckets.cuh"
#include "long_ranges.cuh"

namespace onepass::detail {

template <class Digits, class V>
struct bucket_job {
  Digits digits;
  typename Digits::key* keys;
  V* values;
  item_count size;
  bucket_shape buckets;
  split_plan* plan;
  unsigned* starts;    // of the buckets; behind them, the number of items
  long_range* ranges;  // one for each chunk
  range_lists lists;   // of those that are not empty
  control* head;
  unsigned minus_one;  // see lanes_with_digit
  index_output output = {};
  static constexpr bool may_make_indices = std::is_same_v<V, std::uint32_t>;

  // Whether a bucket's indices are all that is wanted of it. No bucket is long then: sorting a long one would also need the
  // keys of those beside it.
  __device__ bool makes_indices() const { return may_make_indices && output.alone && !plan->result_is_narrow; }
};

// A word has a key's bits below the bucket's, as they are in the order of the sort; with values, above the item's index in
// the bucket. Of keys alone there are 16 such bits.
template <class Shape, class V>
struct bucket_shared {
  using word = std::conditional_t<stored_size<V> == 0, std::uint16_t, std::uint32_t>;
  static constexpr std::size_t value_bytes = stored_size<V> == 0 ? 1 : Shape::items * stored_size<V>;
  alignas(16) unsigned warp_count[Shape::warps][digit_values];  // later: where the warp's items of the digit go
  unsigned warp_total[digit_values / warp_size];
  alignas(16) word words[Shape::items];
  alignas(16) unsigned char values[value_bytes];  // in the order of the input
};

template <class Ranking, class Shape, class Digits, class V>
class bucket_sorter {
  using job_type = bucket_job<Digits, V>;
  using K = typename Digits::key;
  using key_bits = typename Digits::key_bits;
  static constexpr bool has_values = stored_size<V> != 0;
  static constexpr int per_thread = Shape::per_thread, unrolled = detail::unrolled<Ranking, per_thread>;
  static constexpr int index_bits = !has_values ? 0 : Shape::items <= 1 << 13 ? 13 : 14;
  static constexpr bool by_all_bits = !Ranking::is_checked, may_have_ties = has_values && !by_all_bits;
  static_assert(sizeof(key_bits) == 4 && Shape::items <= 1 << 14);

 public:
  using shared = bucket_shared<Shape, V>;
  using word = typename shared::word;
  __device__ bucket_sorter(const job_type& job, shared& s, unsigned bucket, index_t begin, int size)
      : job_(job),
        s_(s),
        minus_one_(job.minus_one),
        flip_(job.digits.of.flip()),
        bucket_(bucket),
        size_(size),
        rows_(divide_up(size, Shape::threads)),
        bits_left_(has_values ? 32 - job.buckets.bits : 16),
        keys_(job.keys + begin),
        values_(has_values ? job.values + begin : nullptr) {}

  // Returns whether it has sorted; else nothing is changed. All threads.
  __device__ bool run() {
    load();
    const int rest = has_values ? bits_left_ - 2 * digit_bits : 0;
    // Digits 0 and 1 are the highest 16 bits. Digit -1 is the lowest 8, of which digit 0 may have some, too.
    constexpr int first = by_all_bits && has_values ? -1 : 0;
#pragma unroll has_values ? 1 : 2
    for (int digit = first; digit < 2; ++digit) {
      if (digit > first) reload();
      split_by(index_bits + (digit < 0 ? 0 : rest + digit * digit_bits));
    }
    if constexpr (has_values) __pipeline_wait_prior(0);
    if constexpr (may_have_ties) {
      if (!bucket_ties<Shape, index_bits>{s_.words, size_, rows_}.put_in_order(index_bits + rest)) return false;
    }
    if (!take_sorted()) return false;
    store();
    return true;
  }

 private:
  // Where item i of this thread stands in the bucket. In a warp, (i, lane) is the order of the input.
  __device__ int local(int i) const { return (warp_id() * rows_ + i) * warp_size + lane_id(); }
  __device__ V* staged_values() const { return reinterpret_cast<V*>(s_.values); }
  __device__ int rank_of(int i) const { return static_cast<int>(threadIdx.x) + i * Shape::threads; }

  // Where the last row has no items, words come behind all others. Values arrive while the keys are sorted.
  __device__ void load() {
#pragma unroll unrolled
    for (int i = 0; i < per_thread; ++i) {
      item_[i] = ~flip_;
      if (i < rows_ && local(i) < size_) {
        item_[i] = static_cast<unsigned>(to_key_bits(load_with(keys_, local(i), evict_first())));
        if constexpr (has_values)
          detail::copy_async_with(staged_values() + local(i), values_ + local(i), evict_first());
      }
    }
    if constexpr (has_values) __pipeline_commit();
    const unsigned mask = (1u << bits_left_) - 1;
#pragma unroll unrolled
    for (int i = 0; i < per_thread; ++i) {
      item_[i] = (item_[i] ^ flip_) & mask;
      if constexpr (has_values) item_[i] = item_[i] << index_bits | static_cast<unsigned>(local(i));
    }
  }
  __device__ void reload() {
#pragma unroll unrolled
    for (int i = 0; i < per_thread; ++i) {
      if (i < rows_) item_[i] = s_.words[local(i)];
    }
  }
  // Gathers the words in the order of a digit, the 8 bits from bit `shift` on. Contains barriers before and behind all writes.
  __device__ __forceinline__ void split_by(int shift) {
    constexpr int batch = batch_of<Ranking, per_thread>;
    unsigned* const counters = s_.warp_count[warp_id()];
#pragma unroll
    for (int d = 0; d < digit_values; d += warp_size) counters[d + lane_id()] = 0;
    __syncwarp();  // this warp's counters are zero
    Ranking ranking(counters, minus_one_);
    short_numbers<has_values ? per_thread : 1> ranks;
#pragma unroll unrolled
    for (int i = 0; i < per_thread; i += batch) {
      unsigned digit[batch], rank[batch] = {};
      bool there[batch];
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        there[j] = i + j < rows_;
        digit[j] = item_[i + j] >> shift & (digit_values - 1u);
      }
      if (there[0]) ranking.rank(digit, there, rank);
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        if constexpr (has_values) ranks.put(i + j, rank[j]);
        else item_[i + j] |= rank[j] << 16;
      }
    }
    __syncthreads();  // all warps have counted, and have read their words
    (void)counters_to_ranks<Shape::warps>(s_.warp_count, s_.warp_total, Shape::warps);
#pragma unroll unrolled
    for (int i = 0; i < per_thread; ++i) {
      if (i >= rows_) continue;
      unsigned to = counters[item_[i] >> shift & (digit_values - 1u)];
      if constexpr (has_values) to += ranks.get(i);
      else to += item_[i] >> 16;
      s_.words[to] = static_cast<word>(item_[i]);
    }
    __syncthreads();  // all words are gathered
  }

  // Each thread takes the words that it stores. Returns whether all ascend, those behind the last item, too; with an index no
  // two are equal. Behind this, all values are there.
  __device__ bool take_sorted() {
    bool ascends = true;
#pragma unroll unrolled
    for (int i = 0; i < per_thread; ++i) {
      if (i >= rows_) continue;
      item_[i] = s_.words[rank_of(i)];
      if constexpr (Ranking::is_checked && !may_have_ties) ascends &= s_.words[max(rank_of(i) - 1, 0)] <= item_[i];
    }
    return may_have_ties || __syncthreads_and(ascends);
  }

  __device__ void store() {
    if constexpr (job_type::may_make_indices) {
      if (job_.makes_indices()) {
        if (job_.output.widened == nullptr) return store_items<false>(values_);
        return store_items<false>(job_.output.widened + (keys_ - job_.keys));
      }
    }
    store_items<true>(values_);
  }
  template <bool with_keys, class To>
  __device__ void store_items([[maybe_unused]] To* values) {
#pragma unroll unrolled
    for (int i = 0; i < per_thread; ++i) {
      const int rank = rank_of(i);
      if (rank >= size_) continue;
      if constexpr (with_keys) keys_[rank] = from_key_bits<K>((bucket_ << bits_left_ | item_[i] >> index_bits) ^ flip_);
      if constexpr (has_values) values[rank] = staged_values()[item_[i] & ((1u << index_bits) - 1)];
    }
  }

  const job_type& job_;
  shared& s_;
  unsigned minus_one_, flip_, bucket_;
  int size_, rows_, bits_left_;
  K* keys_;
  V* values_;
  unsigned item_[per_thread];  // a word; without values, above it its rank in the warp
};

}  // namespace onepass::detail
