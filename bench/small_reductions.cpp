// SPDX-License-Identifier: Apache-2.0
// Benchmarks of reductions of runs and segments of few items on the CPU: support/small_calls.hpp says which.
#include <onepass/segmented_reduce.hpp>

#include <numeric>

#include "support/small_calls.hpp"

using onepass::index_t;

// ---- reductions ---------------------------------------------------------------------------------------------------------
// out[k] = the combination of value(i) over run k; begins(k, i) is told where run k begins.
template <class T, class Starts, class Begins, class Value, class Op>
void combine_runs(index_t n, T* out, Starts starts, Begins begins, Value value, Op op) {
  T sum = value(0);
  begins(0, 0);
  index_t runs = 0;
  for (index_t i = 1; i < n; ++i) {
    if (starts(i)) {
      out[runs++] = sum;
      begins(runs, i);
      sum = value(i);
    } else {
      sum = op(sum, value(i));
    }
  }
  out[runs] = sum;
}

template <class T, class Op, class Where>
void reduce_by_key(bench::problem<Where>& p, index_t n, index_t length, Op op) {
  const auto keys = p.reads(bench::segment_keys<std::int32_t>{{p.random(), length}});
  const auto values = p.reads(bench::summands<T>{p.random()});
  const auto keys_out = p.template writes<std::int32_t>();
  const auto out = p.template writes<T>();
  bench::compare_small(
      p, n,
      [=](index_t at) {
        const auto* const k = keys.begin() + at;
        const auto* const v = values.begin() + at;
        auto* const to = keys_out.begin() + at;
        combine_runs(
            n, out.begin() + at, [k](index_t i) { return k[i] != k[i - 1]; },
            [k, to](index_t run, index_t i) { to[run] = k[i]; }, [v](index_t i) { return v[i]; }, op);
      },
      [=](index_t at, const auto& policy) {
        onepass::reduce_by_key(policy, keys.begin() + at, keys.begin() + at + n, values.begin() + at,
                               keys_out.begin() + at, out.begin() + at, ::cuda::std::equal_to<>{}, op);
      });
}
template <class Where>
void run_length_encode(bench::problem<Where>& p, index_t n, index_t length) {
  const auto keys = p.reads(bench::segment_keys<std::int32_t>{{p.random(), length}});
  const auto keys_out = p.template writes<std::int32_t>();
  const auto out = p.template writes<std::int32_t>();
  bench::compare_small(
      p, n,
      [=](index_t at) {
        const auto* const k = keys.begin() + at;
        auto *const to = keys_out.begin() + at, *const lengths = out.begin() + at;
        index_t runs = 0, begin = 0;
        for (index_t i = 1; i <= n; ++i) {
          if (i < n && k[i] == k[begin]) continue;
          to[runs] = k[begin];
          lengths[runs++] = static_cast<std::int32_t>(i - begin);
          begin = i;
        }
      },
      [=](index_t at, const auto& policy) {
        onepass::run_length_encode(policy, keys.begin() + at, keys.begin() + at + n, keys_out.begin() + at,
                                   out.begin() + at);
      });
}
template <class T, class Where>
void reduce_by_flag(bench::problem<Where>& p, index_t n, index_t length) {
  const auto flags = p.reads(bench::segment_flags{{p.random(), length}});
  const auto in = p.reads(bench::summands<T>{p.random()});
  const auto out = p.template writes<T>();
  bench::compare_small(
      p, n,
      [=](index_t at) {
        const auto* const f = flags.begin() + at;
        const T* const x = in.begin() + at;
        combine_runs(
            n, out.begin() + at, [f](index_t i) { return f[i] != 0; }, [](index_t, index_t) {},
            [x](index_t i) { return x[i]; }, onepass::sum{});
      },
      [=](index_t at, const auto& policy) {
        onepass::segmented_reduce(policy, in.begin() + at, in.begin() + at + n, flags.begin() + at, out.begin() + at,
                                  onepass::sum{});
      });
}
template <class T, class Where>
void reduce_by_offset(bench::problem<Where>& p, index_t n, index_t length) {
  const auto offsets = bench::read_offsets(p, n, length);
  const auto in = p.reads(bench::summands<T>{p.random()});
  const auto out = p.template writes<T>(p.n() + 2 * (p.n() / n));
  bench::compare_small(
      p, n,
      [=](index_t at) {
        const auto range = offsets(at);
        T* to = out.begin() + at;
        for (const index_t* next = range.begin + 1; next < range.end; ++next)
          *to++ = std::accumulate(in.begin() + at + next[-1], in.begin() + at + *next, T{0});
      },
      [=](index_t at, const auto& policy) {
        onepass::segmented_reduce(policy, in.begin() + at, in.begin() + at + n, offsets(at), out.begin() + at, T{0},
                                  onepass::sum{});
      });
}

int main(int argc, char** argv) {
  return bench::run_small_calls("small_reductions", argc, argv, [](auto& suite, index_t n) {
    const std::string size = "/of" + std::to_string(n);
    const auto each = [&](const std::string& name, auto f) { suite.add(name + size, f); };
    for (const index_t length : {2, 8, 50, 1000}) {
      const std::string runs = "/len" + std::to_string(length);
      each("reduce_by_key/i32" + runs, [=](auto& p) { reduce_by_key<std::int32_t>(p, n, length, onepass::sum{}); });
      each("reduce_by_key/f32" + runs, [=](auto& p) { reduce_by_key<float>(p, n, length, onepass::sum{}); });
      each("reduce_by_key/i32/functor" + runs,
           [=](auto& p) { reduce_by_key<std::int32_t>(p, n, length, bench::add{}); });
      each("reduce_by_flag/i32" + runs, [=](auto& p) { reduce_by_flag<std::int32_t>(p, n, length); });
      each("reduce_by_offset/i32" + runs, [=](auto& p) { reduce_by_offset<std::int32_t>(p, n, length); });
      each("run_length_encode/i32" + runs, [=](auto& p) { run_length_encode(p, n, length); });
    }
  });
}
