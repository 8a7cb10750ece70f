// SPDX-License-Identifier: Apache-2.0
// A reduction's work on a tile of the pipeline (core/cuda/pipeline/pipeline_block.cuh). What is reduced is called a run
// here.
//   reduce   each lane combines the items of its strip and finds which of them are heads. The warp puts its keys at
//            heads side by side at the front of its share of the keys
//   finish   the warp copies its keys to the indices that the prefix gives. Each lane goes through its strip again. At
//            a head it has the result of the run before, and stores it at the head's rank in the share, so that the
//            warp's results stand side by side, too, and go to neighbouring addresses
// Bytes moved: as in run_reduce_dispatch.hpp and row_reduce_dispatch.hpp.
#pragma once

#include "../../../core/support/accumulator.hpp"
#include "../../../core/cuda/io/warp_copy.cuh"
#include "../../../core/cuda/pipeline/pipeline.cuh"
#include "../counted_source.hpp"

namespace onepass::detail {

template <class Job>
struct pipeline_reduce {
  using source = typename Job::source_type;
  using value = typename Job::value_type;
  using stored = typename Job::stored_type;
  using result = decltype(value::value);
  using item = typename source::read_type;
  using key = value_of<typename source::heads_type::iterator>;
  using ends = decltype(Job::out);

  // Where no values are read, a strip takes few registers but many instructions for the bytes that it moves. There more
  // warps with shorter strips are faster. From docs/history/performance-log.md, "Reductions of runs".
  static constexpr int warps = source::reads_values ? 8 : 12;
  static constexpr int strip_bytes = source::reads_values ? compact_strip_bytes : 96;
  struct slot {
    static constexpr int strips = warps * warp_size;
    alignas(stored) unsigned char before[strips *
                                         sizeof(stored)];  // what precedes each strip in its share; lane 0 has none
    std::uint64_t heads[strips];                           // the heads of each strip, a bit an item
    unsigned share_heads[warps];
  };
  // A lane has a strip's keys, and later its values, in registers.
  static constexpr int V = items_per_vector<item>;
  static constexpr int most_items = [] {
    const int largest =
        static_cast<int>(ends::writes_keys && sizeof(key) > sizeof(result) ? sizeof(key) : sizeof(result));
    const int fit = strip_bytes / largest;
    return fit < 64 ? fit : 64;
  }();
  using shape = strip_shape<source, sizeof(slot), (most_items < V ? 1 : most_items / V), warps>;
  using tile = staged_tile<Job, shape>;
  static constexpr bool fits = shape::stages >= 3 && std::is_trivially_copyable_v<result> &&
                               std::is_trivially_copyable_v<item> && std::is_trivially_copyable_v<key> &&
                               sizeof(stored) <= 32 && shape::strip_items <= 64;
  // Whether results may overwrite the first stream in the stage: the values, or the keys, which have been copied by
  // then.
  static constexpr bool stages_results = sizeof(result) <= sizeof(item) && alignof(result) <= alignof(item);
  // The tile driver moves 16 bytes an item through the block where the pipeline moves one value, so the pipeline begins
  // early. From docs/history/performance-log.md, "Reductions of runs".
  static constexpr index_t least_items() { return index_t{3} << 17; }
  // Sums of equal integers are lengths times that integer; they are not added up.
  static constexpr bool is_length =
      !source::reads_values && std::is_same_v<typename Job::op_type, counting<sum>> && is_number<result>;
  static const void* out_array(const Job&) { return nullptr; }  // outputs are stored item by item

  // Run by a reducer warp. Lane l gets the combination of the strips of lanes 0 to l.
  template <bool aligned>
  static __device__ stored reduce(const tile& t, slot& s, int warp) {
    const int strip = warp * warp_size + lane_id();
    const auto items = t.template source<aligned>();
    auto op = t.job().op;
    key keys[shape::vectors][V];
    result last_run;
    const std::uint64_t heads = load_strip(items, strip, t.count(), op.op, keys, last_run);
    const auto count = static_cast<unsigned>(__popcll(heads));
    const stored inclusive = warp_inclusive_scan(stored{last_run, count}, op);
    reinterpret_cast<stored*>(s.before)[strip] = detail::shuffle_up(inclusive, 1);

    sum add;
    const unsigned heads_inclusive = warp_inclusive_scan(count, add);
    s.heads[strip] = heads;
    if (lane_id() == warp_size - 1) s.share_heads[warp] = heads_inclusive;
    if constexpr (ends::writes_keys) {
      // All lanes have read what others will overwrite: shares, and the key before a share.
      barrier_of_warps<2, shape::warps>();
      key* to = staged_keys(items, warp) + (heads_inclusive - count);
#pragma unroll
      for (int r = 0; r < shape::vectors; ++r) {
#pragma unroll
        for (int j = 0; j < V; ++j) {
          if (heads >> (r * V + j) & 1) *to++ = keys[r][j];
        }
      }
      fence_before_copies();  // the next tile of this slot is copied to where keys have been written
    }
    return inclusive;
  }

  // Run by a finisher warp. `before`: what precedes its share, if anything does.
  template <bool aligned>
  static __device__ void finish(const tile& t, slot& s, int warp, ::cuda::std::optional<value> before, bool,
                                bool is_last) {
    const int strip = warp * warp_size + lane_id(), begin = strip * shape::strip_items, count = t.count();
    const auto items = t.template source<aligned>();
    const auto& out = t.job().out;
    const auto own_heads = static_cast<int>(s.share_heads[warp]);
    const index_t heads_before = before ? before->heads : 0;
    if constexpr (ends::writes_keys) detail::copy_run(staged_keys(items, warp), own_heads, out.out_keys, heads_before);

    result x[shape::vectors][V];
    if constexpr (!is_length) load_values(items, begin, count, x);
    __syncwarp();  // all lanes have read what results will overwrite

    auto* results = staged_results(t, warp * shape::share_items);
    auto op = t.job().op;
    if (lane_id() > 0) {
      const value in_share = reinterpret_cast<const stored*>(s.before)[strip];
      before = before ? op(*before, in_share) : in_share;
    }
    result run = before ? before->value : no_run(x);
    const result each = is_length ? items.value(0) : result{};
    int rank = before ? static_cast<int>(before->heads - heads_before) : 0;  // in the share
    const std::uint64_t heads = s.heads[strip];
    end_runs(t, results, begin, heads, heads_before, x, each, op.op, run, rank);
    if (is_last && begin < count && count <= begin + shape::strip_items) {
      if constexpr (is_length) run = plus_times(run, count - begin, each);
      const value all{run, heads_before + rank};
      out.end(t.first() + count - 1, all);
      out.end_all(all);
    }
    if constexpr (stages_results) copy_results<aligned>(t, results, own_heads, heads_before);
  }

 private:
  // The results at the front of the tile's first stream, from item `at` on.
  static __device__ result* staged_results(const tile& t, int at) {
    return reinterpret_cast<result*>(static_cast<item*>(t.first_item()) + at);
  }

  // What stands for the run before item 0, which does not exist: it is not copied to the output. A length does not
  // depend on the items' values, so these have not been loaded.
  static __device__ result no_run(const result (&x)[shape::vectors][V]) {
    if constexpr (is_length) return result{};
    else return x[0][0];
  }

  // Goes through a lane's strip, and ends a run at each head. `results`: where the share's results are staged. `run`:
  // the result so far of the run that the strip begins in, then of the run that it ends in. `rank`: the rank in the
  // share of the next head.
  template <class Op>
  static __device__ void end_runs(const tile& t, result* results, int begin, std::uint64_t heads, index_t heads_before,
                                  const result (&x)[shape::vectors][V], result each, Op& op, result& run, int& rank) {
#pragma unroll
    for (int r = 0; r < shape::vectors; ++r) {
      if (is_length && (heads >> r * V & ((1u << V) - 1)) == 0) continue;
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const int i = r * V + j;
        if (heads >> i & 1) {
          const result ended = is_length ? plus_times(run, i, each) : run;
          if constexpr (stages_results) results[rank] = t.job().out.finished(ended);
          else if (heads_before + rank > 0)
            t.job().out.end(t.first() + begin + i - 1, value{ended, heads_before + rank});
          ++rank;
          run = is_length ? plus_times(result{}, -i, each) : x[r][j];
        } else if (!is_length && begin + i < t.count()) {
          run = static_cast<result>(op(run, x[r][j]));
        }
      }
    }
  }

  // Copies a share's staged results to the output.
  template <bool aligned>
  static __device__ void copy_results(const tile& t, const result* results, int share_heads, index_t heads_before) {
    fence_before_copies();  // the next tile of this slot is copied to where results have been written
    // The results of this warp are written. Where a word of a share may reach into the next share, those of the other
    // warps are, too.
    if constexpr (aligned) __syncwarp();
    else barrier_of_warps<3, shape::warps>();
    const int none = heads_before == 0;  // the run before item 0
    detail::copy_run(results + none, share_heads - none, t.job().out.out_values, heads_before + none - 1);
  }

  // a + times * each, for lengths, which are not added up.
  static __device__ result plus_times(result a, int times, result each) {
    if constexpr (is_length) {
      using number = std::common_type_t<std::make_unsigned_t<result>, unsigned>;  // no product of it is one of ints
      return static_cast<result>(static_cast<number>(a) + static_cast<number>(times) * static_cast<number>(each));
    } else {
      return a;
    }
  }

  // Returns a word whose bit i says whether item i of the strip is a head. Loads the items' keys if they are written,
  // and combines in `run` the items from the last head on, or all. Without items `run` is some value.
  template <class Items, class Op>
  static __device__ std::uint64_t load_strip(const Items& items, int strip, int count, Op& op,
                                             key (&keys)[shape::vectors][V], result& run) {
    const int begin = strip * shape::strip_items;
    std::uint64_t heads = 0;
    const auto append = [&](int i, const result& x, bool is_head) {
      if constexpr (!is_length) {
        if (is_head || i == 0) run = x;
        else run = static_cast<result>(op(run, x));
      }
      heads |= std::uint64_t{is_head} << i;
    };
    if (begin + shape::strip_items <= count) {
      load_whole(items, begin, keys, append);
    } else {
      run = items.value(0);
      load_partial(items, begin, count, keys, append);
    }
    if constexpr (is_length) {
      const int last = heads != 0 ? 63 - __clzll(static_cast<long long>(heads)) : 0;
      run = plus_times(result{}, max(0, min(count - begin, shape::strip_items) - last), items.value(0));
    }
    return heads;
  }
  template <class Items, class Append>
  static __device__ void load_whole(const Items& items, int begin, key (&keys)[shape::vectors][V],
                                    const Append& append) {
    auto reader = items.heads.template reader<shape::strip_items>(begin);
#pragma unroll
    for (int r = 0; r < shape::vectors; ++r) {
      result x[V];
      bool is_head[V];
      items.value_row(begin + r * V, x);
      reader.row(r * V, is_head);
      if constexpr (ends::writes_keys) detail::load_row(items.heads.keys, begin + r * V, keys[r]);
#pragma unroll
      for (int j = 0; j < V; ++j) append(r * V + j, x[j], is_head[j]);
    }
  }
  template <class Items, class Append>
  static __device__ void load_partial(const Items& items, int begin, int count, key (&keys)[shape::vectors][V],
                                      const Append& append) {
#pragma unroll
    for (int r = 0; r < shape::vectors; ++r) {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const int i = begin + r * V + j;
        if (i < count) {
          append(r * V + j, items.value(i), items.heads.is_head(i));
          if constexpr (ends::writes_keys) keys[r][j] = items.heads.keys[i];
        }
      }
    }
  }

  template <class Items>
  static __device__ void load_values(const Items& items, int begin, int count, result (&x)[shape::vectors][V]) {
#pragma unroll
    for (int r = 0; r < shape::vectors; ++r) {
      const int i = begin + r * V;
      if (begin + shape::strip_items <= count) {
        items.value_row(i, x[r]);
      } else {
#pragma unroll
        for (int j = 0; j < V; ++j) {
          if (i + j < count) x[r][j] = items.value(i + j);
        }
      }
    }
  }

  template <class Items>
  static __device__ key* staged_keys(const Items& items, int warp) {
    return const_cast<key*>(items.heads.keys.items) + warp * shape::share_items;
  }
};

template <class Job>
using pipeline_reduction = pipeline_of<Job, pipeline_reduce<Job>>;

}  // namespace onepass::detail
