// SPDX-License-Identifier: Apache-2.0
// A short row in the registers of a block, and the searches among its items. Of an item there is its order alone, without its
// index, which its position tells: half the registers of a ranked key, and half the comparisons.
#pragma once

#include "../../../core/segments/segment_bounds.hpp"
#include "block_search.cuh"

namespace onepass::detail {

template <class Source, int threads>
class row_in_registers {
 public:
  using register_key = typename Source::register_key;
  static constexpr int in_thread =
      sizeof(register_key) == 16 ? 8 : (threads <= 128 ? 128 : 64) / static_cast<int>(sizeof(register_key));
  static constexpr int most = in_thread * threads;

  // All threads of a block make one, of a row of no more than `most` items. Behind the row's end they hold zeros.
  __device__ row_in_registers(const Source& source, const item_range& range) : size_(static_cast<int>(range.size)) {
    constexpr int per_vector = Source::per_vector;
    if constexpr (per_vector > 1) {
      const auto* const first = source.keys + range.begin;
      are_vectors_ = is_aligned_to_vector(first) && size_ % per_vector == 0;
      if (are_vectors_) {
        load_vectors(source, reinterpret_cast<const uint4*>(first));
        return;
      }
    }
    const auto thread = static_cast<int>(threadIdx.x);
    const index_t begin = range.begin + thread;
    const int rest = size_ - thread;
#pragma unroll
    for (int j = 0; j < in_thread; ++j)
      x_[j] = j * threads < rest ? source.register_key_at(begin, j * threads) : register_key{0};
  }
  __device__ int size() const { return size_; }
  // Item j of this thread, as an index in the row. Where the row is read as vectors, it holds neighbours.
  __device__ int position(int j) const {
    constexpr int per_vector = Source::per_vector;
    const auto thread = static_cast<int>(threadIdx.x);
    const int begin = are_vectors_ ? thread * per_vector : thread, apart = are_vectors_ ? 1 : threads;
    return begin + j / per_vector * (per_vector * threads) + j % per_vector * apart;
  }
  __device__ register_key largest() const {
    register_key found = 0;
    for_each([&](int j) { found = x_[j] > found ? x_[j] : found; });
    return found;
  }
  // This thread's items, as bits: those above `least`, and those equal to it in positions up to `last`.
  __device__ unsigned reaching(register_key least, int last) const {
    unsigned bits = 0;
    for_each([&](int j) { bits |= static_cast<unsigned>(x_[j] >= least) << j; });
    if (least > 0 && last + 1 >= size_) return bits;
    const stands_before is_kept(*this, last + 1);
    for_each([&](int j) {
      if (x_[j] == least && !is_kept(j)) bits &= ~(1u << j);
    });
    return bits;
  }
  // A number that from k up to `most_reached` items reach, or the largest one that at least k reach. At least k reach `known`.
  template <class Sum>
  __device__ register_key find_least(unsigned k, unsigned most_reached, register_key known, Sum& sum) const {
    const int bits = bits_above<threads>(known, largest());
    return find_by_bits(x_, bits < Source::register_bits ? known >> bits << bits : register_key{0}, bits, k,
                        most_reached, sum);
  }
  // A position up to which there are from k up to `most_tied` items equal to `tied`; or that of the k-th of them.
  template <class Sum>
  __device__ int find_tie(register_key tied, unsigned k, unsigned most_tied, Sum& sum) const {
    int found = 0;
#pragma unroll 1
    for (int bit = most / 2; bit > 0; bit /= 2) {
      const stands_before is_before(*this, found | bit);
      unsigned before = 0;
      for_each([&](int j) { before += x_[j] == tied && is_before(j); });
      before = sum(before);
      if (before < k) found |= bit;
      else if (before <= most_tied) return (found | bit) - 1;
    }
    return found;
  }

 private:
  // Calls f(j) for the items of this thread. Rows often leave a part of the registers empty.
  template <class F>
  __device__ void for_each(F f) const {
    constexpr int at_once = Source::per_vector > 8 ? Source::per_vector : 8;  // no vector is in two groups
    constexpr int groups = in_thread < at_once ? 1 : in_thread / at_once;
#pragma unroll
    for (int group = 0; group < groups; ++group) {
      if (group * at_once * threads >= size_) return;
#pragma unroll
      for (int j = 0; j < in_thread / groups; ++j) f(group * at_once + j);
    }
  }
  // Whether item j stands before a position. The compiler would keep the positions of all items in registers.
  class stands_before {
   public:
    __device__ stands_before(const row_in_registers& row, int position) {
#pragma unroll
      for (int j = 0; j < Source::per_vector; ++j) limits_[j] = position - row.position(j);
    }
    __device__ bool operator()(int j) const {
      constexpr int per_vector = Source::per_vector;
      return j / per_vector * (per_vector * threads) < limits_[j % per_vector];
    }

   private:
    int limits_[Source::per_vector];
  };
  __device__ void load_vectors(const Source& source, const uint4* first) {
    constexpr int per_vector = Source::per_vector, vectors = in_thread / per_vector;
    const auto thread = static_cast<int>(threadIdx.x);
    const int rest = size_ / per_vector - thread;
    first += thread;
    uint4 loaded[vectors] = {};
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      if (v * threads < rest) loaded[v] = first[v * threads];
    }
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      const bool is_there = v * threads < rest;
      int j = v * per_vector;
      auto each = [&](const auto& key) { x_[j++] = is_there ? source.register_key_of(key) : register_key{0}; };
      for_each_in_vector<typename Source::key>(loaded[v], each);
    }
  }

  register_key x_[in_thread];
  int size_;
  bool are_vectors_ = false;
};

// ---- bounds from a sample ------------------------------------------------------------------------------------------------
// Items of a sample of a row as ranked keys, `N` of each thread of a block, round `round` of `rounds`. They are whole vectors
// where they are many of the row's items, as memory is read by vectors anyway.
template <int threads, int N, class Source>
__device__ void sample_row(const Source& source, const item_range& range, int round, int rounds,
                           typename Source::ranked (&x)[N]) {
  constexpr int per_vector = Source::per_vector, vectors = threads * N / per_vector;
  const auto thread = static_cast<int>(threadIdx.x);
  if constexpr (per_vector > 1 && N % per_vector == 0) {
    const vector_part<typename Source::key> part(source.keys + range.begin, range.size);
    if (rounds == 1 && part.vectors >= vectors && part.vectors / vectors < 128) {
#pragma unroll
      for (int v = 0; v < N / per_vector; ++v) {
        const index_t at = sampled_index(v * threads + thread, part.vectors, vectors);
        index_t i = part.head + at * per_vector;
        int j = v * per_vector;
        auto each = [&](const auto& key) { x[j++] = source.of(key, i++); };
        const uint4 vector = part.first[at];
        for_each_in_vector<typename Source::key>(vector, each);
      }
      return;
    }
  }
#pragma unroll
  for (int j = 0; j < N; ++j)
    x[j] = source.at(range.begin, sampled_index((round * N + j) * threads + thread, range.size, rounds * threads * N));
}
// Bounds between which the item with rank k, or the k first, almost always are. In long rows each sampled item stands for
// `room` / 64 others or a little more, and for fewer where more than `room` items might reach the bound. All threads of the
// block call it.
template <int threads, int N, index_t room, class Source>
__device__ void bounds_of_sample(const Source& source, const item_range& range, index_t k, bool is_nth,
                                 typename Source::ranked& first, typename Source::ranked& last,
                                 block_sum<threads>& sum) {
  using ranked = typename Source::ranked;
  constexpr int bits = index_bits<ranked> + Source::order_bits, few = threads / 16;
  int rounds = static_cast<int>(min(index_t{1024}, max(index_t{1}, range.size / (threads * N * (room / 64)))));
  const auto fits = [&] {
    const double reached = sample_ranks(k, range.size, rounds * threads * N).most_behind();
    const double apart = static_cast<double>(range.size) / (rounds * threads * N);
    return (reached + 5 * ::sqrt(reached)) * apart <= static_cast<double>(room);
  };
  while (!is_nth && rounds < 1024 && !fits()) rounds *= 2;
  if (is_nth || sample_ranks(k, range.size, rounds * threads * N).least_behind() > threads / 2) rounds = 1;
  ranked x[N], largest = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    sample_row<threads>(source, range, round, rounds, x);
#pragma unroll
    for (int j = 0; j < N; ++j) largest = x[j] > largest ? x[j] : largest;
  }
  const sample_ranks ranks(k, range.size, rounds * threads * N);
  const auto least = static_cast<unsigned>(ranks.least_behind()), most = static_cast<unsigned>(ranks.most_behind());
  // Neighbours may be similar, and a thread's largest items stand for fewer items than all do.
  if (rounds > 1 || least <= few) first = find_by_votes<threads>(largest, bits, least, most);
  else if (least <= threads * N) first = find_by_bits(x, ranked{0}, bits, least, most, sum);
  if (is_nth && ranks.most_before() >= 1)
    last = find_by_bits(x, ranked{0}, bits, static_cast<unsigned>(ranks.least_before()),
                        static_cast<unsigned>(ranks.most_before()), sum);
}

}  // namespace onepass::detail
