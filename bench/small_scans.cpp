// SPDX-License-Identifier: Apache-2.0
// Benchmarks of scans of few items on the CPU: support/small_calls.hpp says which.
#include <onepass/scan.hpp>
#include <onepass/segmented_scan.hpp>

#include <numeric>

#include "support/small_calls.hpp"

using onepass::index_t;

struct magnitude {
  template <class T>
  T operator()(const T& x) const {
    return x < 0 ? -x : x;
  }
};

// ---- scans --------------------------------------------------------------------------------------------------------------
template <class T, class Op, class Where>
void inclusive_scan(bench::problem<Where>& p, index_t n, Op op) {
  const auto in = p.reads(bench::summands<T>{p.random()});
  const auto out = p.template writes<T>();
  bench::compare_small(
      p, n, [=](index_t i) { std::inclusive_scan(in.begin() + i, in.begin() + i + n, out.begin() + i, op); },
      [=](index_t i, const auto& policy) {
        onepass::inclusive_scan(policy, in.begin() + i, in.begin() + i + n, out.begin() + i, op);
      });
}
template <class T, class Where>
void exclusive_scan(bench::problem<Where>& p, index_t n) {
  const auto in = p.reads(bench::summands<T>{p.random()});
  const auto out = p.template writes<T>();
  bench::compare_small(
      p, n, [=](index_t i) { std::exclusive_scan(in.begin() + i, in.begin() + i + n, out.begin() + i, T{0}); },
      [=](index_t i, const auto& policy) {
        onepass::exclusive_scan(policy, in.begin() + i, in.begin() + i + n, out.begin() + i, T{0});
      });
}
template <class T, class Where>
void transform_scan(bench::problem<Where>& p, index_t n) {
  const auto in = p.reads(bench::summands<T>{p.random()});
  const auto out = p.template writes<T>();
  const onepass::sum add{};
  bench::compare_small(
      p, n,
      [=](index_t i) {
        std::transform_inclusive_scan(in.begin() + i, in.begin() + i + n, out.begin() + i, add, magnitude{});
      },
      [=](index_t i, const auto& policy) {
        onepass::transform_inclusive_scan(policy, in.begin() + i, in.begin() + i + n, out.begin() + i, magnitude{},
                                          add);
      });
}

// out[i] = the sum of x from its segment's first item on; starts(i) says whether a segment starts at i > 0.
template <class T, class Starts>
void sum_segments(const T* x, T* out, index_t n, Starts starts) {
  T inclusive = x[0];
  out[0] = inclusive;
  for (index_t i = 1; i < n; ++i) out[i] = inclusive = starts(i) ? x[i] : static_cast<T>(inclusive + x[i]);
}

template <class T, class Where>
void scan_by_key(bench::problem<Where>& p, index_t n, index_t length) {
  const auto keys = p.reads(bench::segment_keys<std::int32_t>{{p.random(), length}});
  const auto in = p.reads(bench::summands<T>{p.random()});
  const auto out = p.template writes<T>();
  bench::compare_small(
      p, n,
      [=](index_t at) {
        const auto* const k = keys.begin() + at;
        sum_segments(in.begin() + at, out.begin() + at, n, [k](index_t i) { return k[i] != k[i - 1]; });
      },
      [=](index_t at, const auto& policy) {
        onepass::inclusive_scan_by_key(policy, keys.begin() + at, keys.begin() + at + n, in.begin() + at,
                                       out.begin() + at);
      });
}
template <class T, class Where>
void scan_by_flag(bench::problem<Where>& p, index_t n, index_t length) {
  const auto flags = p.reads(bench::segment_flags{{p.random(), length}});
  const auto in = p.reads(bench::summands<T>{p.random()});
  const auto out = p.template writes<T>();
  bench::compare_small(
      p, n,
      [=](index_t at) {
        const auto* const f = flags.begin() + at;
        sum_segments(in.begin() + at, out.begin() + at, n, [f](index_t i) { return f[i] != 0; });
      },
      [=](index_t at, const auto& policy) {
        onepass::inclusive_segmented_scan(policy, in.begin() + at, in.begin() + at + n, flags.begin() + at,
                                          out.begin() + at);
      });
}

template <class T, class Where>
void scan_by_offset(bench::problem<Where>& p, index_t n, index_t length) {
  const auto offsets = bench::read_offsets(p, n, length);
  const auto in = p.reads(bench::summands<T>{p.random()});
  const auto out = p.template writes<T>();
  bench::compare_small(
      p, n,
      [=](index_t at) {
        const auto range = offsets(at);
        const T* const x = in.begin() + at;
        T* const to = out.begin() + at;
        index_t i = 0;
        for (const index_t* next = range.begin + 1; next < range.end; ++next) {
          T inclusive{0};
          for (; i < *next; ++i) to[i] = inclusive = static_cast<T>(inclusive + x[i]);
        }
        T inclusive{0};
        for (; i < n; ++i) to[i] = inclusive = static_cast<T>(inclusive + x[i]);
      },
      [=](index_t at, const auto& policy) {
        onepass::inclusive_segmented_scan(policy, in.begin() + at, in.begin() + at + n, offsets(at), out.begin() + at);
      });
}

int main(int argc, char** argv) {
  return bench::run_small_calls("small_scans", argc, argv, [](auto& suite, index_t n) {
    const std::string size = "/of" + std::to_string(n);
    const auto each = [&](const std::string& name, auto f) { suite.add(name + size, f); };
    each("inclusive_scan/i32", [=](auto& p) { inclusive_scan<std::int32_t>(p, n, onepass::sum{}); });
    each("inclusive_scan/f32", [=](auto& p) { inclusive_scan<float>(p, n, onepass::sum{}); });
    each("inclusive_scan/i32/functor", [=](auto& p) { inclusive_scan<std::int32_t>(p, n, bench::add{}); });
    each("exclusive_scan/i32", [=](auto& p) { exclusive_scan<std::int32_t>(p, n); });
    each("transform_inclusive_scan/i32", [=](auto& p) { transform_scan<std::int32_t>(p, n); });
    for (const index_t length : {2, 8, 50}) {
      const std::string segments = "/len" + std::to_string(length);
      each("scan_by_key/i32" + segments, [=](auto& p) { scan_by_key<std::int32_t>(p, n, length); });
      each("scan_by_flag/i32" + segments, [=](auto& p) { scan_by_flag<std::int32_t>(p, n, length); });
      each("scan_by_offset/i32" + segments, [=](auto& p) { scan_by_offset<std::int32_t>(p, n, length); });
    }
  });
}
