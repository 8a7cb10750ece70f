// SPDX-License-Identifier: Apache-2.0
// Benchmarks of compactions of few items on the CPU: support/small_calls.hpp says which.
#include <onepass/compact.hpp>

#include "support/small_calls.hpp"

using onepass::index_t;

// ---- compactions --------------------------------------------------------------------------------------------------------
struct less_than {
  std::int32_t limit;
  bool operator()(std::int32_t x) const { return x < limit; }
};

template <class Where>
void copy_if(bench::problem<Where>& p, index_t n, int percent) {
  const less_than is_kept{bench::threshold<std::int32_t>(percent)};
  const auto in = p.reads(bench::uniform<std::int32_t>{p.random()});
  const auto out = p.template writes<std::int32_t>();
  bench::compare_small(
      p, n, [=](index_t i) { std::copy_if(in.begin() + i, in.begin() + i + n, out.begin() + i, is_kept); },
      [=](index_t i, const auto& policy) {
        onepass::copy_if(policy, in.begin() + i, in.begin() + i + n, out.begin() + i, is_kept);
      });
}
template <class Where>
void compact_by_flag(bench::problem<Where>& p, index_t n) {
  const auto flags = p.reads(bench::segment_flags{{p.random(), 2}});
  const auto in = p.reads(bench::uniform<std::int32_t>{p.random()});
  const auto out = p.template writes<std::int32_t>();
  bench::compare_small(
      p, n,
      [=](index_t at) {
        auto* to = out.begin() + at;
        for (index_t i = at; i < at + n; ++i)
          if (flags.begin()[i] != 0) *to++ = in.begin()[i];
      },
      [=](index_t i, const auto& policy) {
        onepass::compact(policy, in.begin() + i, in.begin() + i + n, onepass::flags(flags.begin() + i),
                         out.begin() + i);
      });
}
template <class Where>
void unique_copy(bench::problem<Where>& p, index_t n, index_t length) {
  const auto in = p.reads(bench::segment_keys<std::int32_t>{{p.random(), length}});
  const auto out = p.template writes<std::int32_t>();
  bench::compare_small(
      p, n, [=](index_t i) { std::unique_copy(in.begin() + i, in.begin() + i + n, out.begin() + i); },
      [=](index_t i, const auto& policy) {
        onepass::unique_copy(policy, in.begin() + i, in.begin() + i + n, out.begin() + i);
      });
}
template <class Where>
void unique_by_key_copy(bench::problem<Where>& p, index_t n, index_t length) {
  const auto keys = p.reads(bench::segment_keys<std::int32_t>{{p.random(), length}});
  const auto values = p.reads(bench::uniform<std::int32_t>{p.random()});
  const auto keys_out = p.template writes<std::int32_t>();
  const auto out = p.template writes<std::int32_t>();
  bench::compare_small(
      p, n,
      [=](index_t at) {
        const auto *const k = keys.begin() + at, *const v = values.begin() + at;
        auto *keys_to = keys_out.begin() + at, *to = out.begin() + at;
        for (index_t i = 0; i < n; ++i) {
          if (i > 0 && k[i] == k[i - 1]) continue;
          *keys_to++ = k[i];
          *to++ = v[i];
        }
      },
      [=](index_t i, const auto& policy) {
        onepass::unique_by_key_copy(policy, keys.begin() + i, keys.begin() + i + n, values.begin() + i,
                                    keys_out.begin() + i, out.begin() + i);
      });
}
template <class Where>
void partition_copy(bench::problem<Where>& p, index_t n, int percent) {
  const less_than is_kept{bench::threshold<std::int32_t>(percent)};
  const auto in = p.reads(bench::uniform<std::int32_t>{p.random()});
  const auto kept = p.template writes<std::int32_t>(), others = p.template writes<std::int32_t>();
  bench::compare_small(
      p, n,
      [=](index_t i) {
        std::partition_copy(in.begin() + i, in.begin() + i + n, kept.begin() + i, others.begin() + i, is_kept);
      },
      [=](index_t i, const auto& policy) {
        onepass::partition_copy(policy, in.begin() + i, in.begin() + i + n, kept.begin() + i, others.begin() + i,
                                is_kept);
      });
}

// ---- in place -----------------------------------------------------------------------------------------------------------
template <class Where>
void stable_partition(bench::problem<Where>& p, index_t n, int percent) {
  const less_than is_kept{bench::threshold<std::int32_t>(percent)};
  const auto in = p.reads(bench::uniform<std::int32_t>{p.random()});
  const auto items = p.template writes<std::int32_t>();
  p.restores(items, in);
  bench::compare_small(
      p, n, [=](index_t i) { std::stable_partition(items.begin() + i, items.begin() + i + n, is_kept); },
      [=](index_t i, const auto& policy) {
        onepass::stable_partition(policy, items.begin() + i, items.begin() + i + n, is_kept);
      });
}
// What is left behind the kept items is unspecified, so it is cleared.
template <class Where>
void remove_if(bench::problem<Where>& p, index_t n, int percent) {
  const less_than is_removed{bench::threshold<std::int32_t>(percent)};
  const auto in = p.reads(bench::uniform<std::int32_t>{p.random()});
  const auto items = p.template writes<std::int32_t>();
  p.restores(items, in);
  const auto clear = [=](index_t i, std::int32_t* end) { std::fill(end, items.begin() + i + n, 0); };
  bench::compare_small(
      p, n, [=](index_t i) { clear(i, std::remove_if(items.begin() + i, items.begin() + i + n, is_removed)); },
      [=](index_t i, const auto& policy) {
        clear(i, onepass::remove_if(policy, items.begin() + i, items.begin() + i + n, is_removed));
      });
}

int main(int argc, char** argv) {
  return bench::run_small_calls("small_compactions", argc, argv, [](auto& suite, index_t n) {
    const std::string size = "/of" + std::to_string(n);
    const auto each = [&](const std::string& name, auto f) { suite.add(name + size, f); };
    for (const int percent : {1, 50, 99}) {
      const std::string kept = "/keep" + std::to_string(percent);
      each("copy_if/i32" + kept, [=](auto& p) { copy_if(p, n, percent); });
      each("remove_if/i32" + kept, [=](auto& p) { remove_if(p, n, 100 - percent); });
      each("partition_copy/i32" + kept, [=](auto& p) { partition_copy(p, n, percent); });
      each("stable_partition/i32" + kept, [=](auto& p) { stable_partition(p, n, percent); });
    }
    each("compact_by_flag/i32/keep50", [=](auto& p) { compact_by_flag(p, n); });
    for (const index_t length : {2, 8, 50}) {
      const std::string runs = "/len" + std::to_string(length);
      each("unique_copy/i32" + runs, [=](auto& p) { unique_copy(p, n, length); });
      each("unique_by_key_copy/i32-i32" + runs, [=](auto& p) { unique_by_key_copy(p, n, length); });
    }
  });
}
