// SPDX-License-Identifier: Apache-2.0
// Benchmarks of sorts of few items on the CPU: support/small_calls.hpp says which. Peers are std::sort and Highway's
// vqsort, which may use AVX-512.
#include <onepass/radix_sort.hpp>

#include <memory>
#include <vector>

#include "support/small_calls.hpp"

#if ONEPASS_BENCH_VQSORT
#include <hwy/contrib/sort/vqsort.h>
#endif

using onepass::index_t;

template <class K, class Where>
void sort(bench::problem<Where>& p, index_t n) {
  const auto in = p.reads(bench::keys<K>{p.random(), 0});
  const auto keys = p.template writes<K>();
  p.restores(keys, in);
#if ONEPASS_BENCH_VQSORT
  p.peer("vqsort", [=] {
    for (index_t i = 0; i + n <= keys.size(); i += n)
      hwy::Sorter()(keys.begin() + i, static_cast<std::size_t>(n), hwy::SortAscending());
  });
#endif
  bench::compare_small(
      p, n, [=](index_t i) { std::sort(keys.begin() + i, keys.begin() + i + n); },
      [=](index_t i, const auto& policy) { onepass::radix_sort(policy, keys.begin() + i, keys.begin() + i + n); });
}
// The loop sorts words of a key and its value, as values take no part in the order.
template <class Where>
void sort_by_key(bench::problem<Where>& p, index_t n) {
  const auto in = p.reads(bench::uniform<std::uint32_t>{p.random()});
  const auto values_in = p.reads(bench::indices{});
  const auto keys = p.template writes<std::uint32_t>(), values = p.template writes<std::uint32_t>();
  p.restores(keys, in);
  p.restores(values, values_in);
  const auto room = std::make_shared<std::vector<std::uint64_t>>(n);
  bench::compare_small(
      p, n,
      [=](index_t at) {
        std::uint64_t* const words = room->data();
        for (index_t i = 0; i < n; ++i) words[i] = std::uint64_t{keys.begin()[at + i]} << 32 | values.begin()[at + i];
        std::sort(words, words + n);
        for (index_t i = 0; i < n; ++i) {
          keys.begin()[at + i] = static_cast<std::uint32_t>(words[i] >> 32);
          values.begin()[at + i] = static_cast<std::uint32_t>(words[i]);
        }
      },
      [=](index_t i, const auto& policy) {
        onepass::radix_sort_by_key(policy, keys.begin() + i, keys.begin() + i + n, values.begin() + i);
      });
}

int main(int argc, char** argv) {
  return bench::run_small_calls("small_sorts", argc, argv, [](auto& suite, index_t n) {
    const std::string size = "/of" + std::to_string(n);
    bench::for_types<std::int16_t, std::uint32_t, std::uint64_t, float, double>([&](auto key) {
      using K = decltype(key);
      suite.add("radix_sort/" + bench::name_of<K>() + size, [=](auto& p) { sort<K>(p, n); });
    });
    suite.add("radix_sort_by_key/u32-u32" + size, [=](auto& p) { sort_by_key(p, n); });
  });
}
