// SPDX-License-Identifier: Apache-2.0
// Benchmarks of onepass/radix_sort.hpp. Bytes count keys and values read once and written once, though a sort does that
// once for each 8 bits of the key, so the share of memcpy says how far a sort is from a copy.
// onepass and Thrust sort in place and have their input restored before each call; CUB sorts the input into the same array.
// Structs go to CUB and to onepass by the same decomposer.
// Peers: cub::DeviceRadixSort and Thrust on the GPU; std::sort, serial and on TBB, Thrust on OpenMP and on TBB, Highway's
// vqsort (one thread; it may use AVX-512) and Boost's spreadsort (one thread) on the CPU.
#include <onepass/little_memory_sort.hpp>
#include <onepass/radix_sort.hpp>

#include <thrust/sort.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "support/program.hpp"

#if ONEPASS_BENCH_VQSORT
#include <hwy/contrib/sort/vqsort.h>
#endif
#if ONEPASS_BENCH_SPREADSORT
#include <boost/sort/spreadsort/spreadsort.hpp>
#endif

// how: nothing, or in_little_memory; then the peers take the memory that they want.
template <class Data, class Where, class... How>
void sort_keys_of(bench::problem<Where>& p, const Data& data, How... how) {
  using K = typename Data::type;
  const auto in = p.reads(data);
  const auto keys = p.template writes<K>();
  p.restores(keys, in);
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, in.begin(), keys.begin(), in.size(), 0, 8 * sizeof(K), stream);
  });
#endif
  p.standard([=](const auto&... policy) { std::sort(policy..., keys.begin(), keys.end()); });
#if ONEPASS_BENCH_VQSORT
  if constexpr (sizeof(K) > 1 && sizeof(K) <= 8) {
    p.peer("vqsort", [=] { hwy::Sorter()(keys.begin(), static_cast<std::size_t>(keys.size()), hwy::SortAscending()); });
  }
#endif
#if ONEPASS_BENCH_SPREADSORT
  if constexpr (sizeof(K) <= 8) {
    p.peer("spreadsort", [=] { boost::sort::spreadsort::spreadsort(keys.begin(), keys.end()); });
  }
#endif
  if constexpr (std::is_unsigned_v<K>) {  // not for every type: Thrust's sort is CUB's, and long to compile
    p.thrust([=](const auto& policy) { thrust::sort(policy, keys.begin(), keys.end()); });
  }
  p.onepass([=](const auto& policy) { onepass::radix_sort(policy, keys.begin(), keys.end(), how...); });
}

template <class K, class Where, class... How>
void sort_keys(bench::problem<Where>& p, int ands, How... how) {
  sort_keys_of(p, bench::keys<K>{p.random(), ands}, how...);
}
template <class Where>
void sort_equal_bits(bench::problem<Where>& p, bench::pattern_of_equal_bits pattern) {
  sort_keys_of(p, bench::keys_of_equal_bits{p.random(), pattern});
}
template <class Where>
void sort_patterned(bench::problem<Where>& p, bench::key_pattern pattern) {
  sort_keys_of(p, bench::patterned_keys{p.random(), pattern});
}

// Structs: a random key in front, other fields behind it.
struct by_both {
  using type = bench::two_fields;
  ONEPASS_HOST_DEVICE ::cuda::std::tuple<std::int32_t&, float&> operator()(type& t) const { return {t.kind, t.weight}; }
  static bool less(const type& a, const type& b) { return a.kind != b.kind ? a.kind < b.kind : a.weight < b.weight; }
};
template <int bytes>
struct by_first {
  using type = bench::record<bytes>;
  ONEPASS_HOST_DEVICE ::cuda::std::tuple<std::uint32_t&> operator()(type& r) const { return {r.key}; }
  static bool less(const type& a, const type& b) { return a.key < b.key; }
};
template <class Decomposer, class Where>
void sort_structs(bench::problem<Where>& p) {
  using K = typename Decomposer::type;
  const auto in = p.reads(bench::structs<K>{p.random()});
  const auto keys = p.template writes<K>();
  p.restores(keys, in);
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, in.begin(), keys.begin(), in.size(), Decomposer(), stream);
  });
#endif
  p.serial([=] { std::stable_sort(keys.begin(), keys.end(), Decomposer::less); });
  p.onepass([=](const auto& policy) { onepass::radix_sort(policy, keys.begin(), keys.end(), Decomposer()); });
}

// To another array, as CUB does.
template <class Where>
void sort_to(bench::problem<Where>& p) {
  using K = std::uint32_t;
  const auto in = p.reads(bench::keys<K>{p.random(), 0});
  const auto out = p.template writes<K>();
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, in.begin(), out.begin(), in.size(), 0, 32, stream);
  });
#endif
  p.serial([=] {
    std::copy(in.begin(), in.end(), out.begin());
    std::sort(out.begin(), out.end());
  });
  p.onepass([=](const auto& policy) { onepass::radix_sort_copy(policy, in.begin(), in.end(), out.begin()); });
}

// The sorted order of floats, as indices of 64 bits. CUB sorts them with indices that it reads, and writes keys, too.
template <class Where>
void sort_order(bench::problem<Where>& p) {
  const auto in = p.reads(bench::keys<float>{p.random(), 0});
  const auto order = p.template writes<bench::wide_indices::type>();
#if ONEPASS_HAS_CUDA
  const auto indices = p.reads_uncounted(bench::wide_indices{});
  const auto keys = p.reads_uncounted(bench::keys<float>{p.random(), 0});
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, in.begin(), keys.begin(), indices.begin(), order.begin(),
                                           in.size(), 0, 32, stream);
  });
#endif
  p.serial([=] {
    std::iota(order.begin(), order.end(), bench::wide_indices::type{0});
    std::stable_sort(order.begin(), order.end(), [=](auto a, auto b) { return in.begin()[a] < in.begin()[b]; });
  });
  p.onepass([=](const auto& policy) { onepass::radix_argsort(policy, in.begin(), in.end(), order.begin()); });
}

// Values are the items' indices, so the result shows that equal keys kept their order.
template <class K, class Values, class Where, class... How>
void sort_pairs(bench::problem<Where>& p, int ands, How... how) {
  const auto in = p.reads(bench::keys<K>{p.random(), ands});
  const auto values_in = p.reads(Values{});
  const auto keys = p.template writes<K>();
  const auto values = p.template writes<typename Values::type>();
  p.restores(keys, in);
  p.restores(values, values_in);
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, in.begin(), keys.begin(), values_in.begin(), values.begin(),
                                           in.size(), 0, 8 * sizeof(K), stream);
  });
#endif
  // The standard library has no sort by key: pairs are made, sorted and taken apart. The first call, which is not timed,
  // takes the memory.
  p.serial([=, room = std::make_shared<std::vector<std::pair<K, typename Values::type>>>()] {
    auto& pairs = *room;
    pairs.resize(static_cast<std::size_t>(keys.size()));
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {keys.begin()[i], values.begin()[i]};
    std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < pairs.size(); ++i)
      keys.begin()[i] = pairs[i].first, values.begin()[i] = pairs[i].second;
  });
#if ONEPASS_BENCH_VQSORT
  if constexpr (sizeof(K) == 4 &&
                sizeof(typename Values::type) == 4) {  // as integers of 64 bits, the values below the keys
    p.peer("vqsort", [=, room = std::make_shared<std::vector<std::uint64_t>>()] {
      const auto n = static_cast<std::size_t>(keys.size());
      room->resize(n);
      std::uint64_t* const both = room->data();
      for (std::size_t i = 0; i < n; ++i) both[i] = std::uint64_t{keys.begin()[i]} << 32 | values.begin()[i];
      hwy::Sorter()(both, n, hwy::SortAscending());
      for (std::size_t i = 0; i < n; ++i) {
        keys.begin()[i] = static_cast<K>(both[i] >> 32);
        values.begin()[i] = static_cast<std::uint32_t>(both[i]);
      }
    });
  }
#endif
  p.thrust([=](const auto& policy) { thrust::stable_sort_by_key(policy, keys.begin(), keys.end(), values.begin()); });
  p.onepass([=](const auto& policy) {
    onepass::radix_sort_by_key(policy, keys.begin(), keys.end(), values.begin(), how...);
  });
}

int main(int argc, char** argv) {
  return bench::run_program("radix_sort", argc, argv, [](auto& suite) {
    suite.default_sizes({10, 12, 14, 16, 20, 22, 24, 28}, {16, 20, 24});
    suite.add("keys/u32/entropy1", [](auto& p) { sort_keys<std::uint32_t>(p, 0); });
    suite.add("keys/u32/entropy0.544", [](auto& p) { sort_keys<std::uint32_t>(p, 2); });
    suite.add("keys/u32/entropy0.201", [](auto& p) { sort_keys<std::uint32_t>(p, 4); });
    const std::pair<const char*, bench::key_pattern> patterns[] = {
        {"presorted", bench::key_pattern::presorted},           {"constant", bench::key_pattern::constant},
        {"three_values", bench::key_pattern::three_values},     {"three_spread", bench::key_pattern::three_spread},
        {"sixteen_spread", bench::key_pattern::sixteen_spread}, {"modulo_1000", bench::key_pattern::modulo_1000},
        {"below_2^16", bench::key_pattern::below_2_16}};
    for (const auto& [name, pattern] : patterns) {
      suite.add(std::string("keys/u32/") + name, [pattern = pattern](auto& p) { sort_patterned(p, pattern); });
    }
    bench::for_types<std::int8_t, std::int16_t, std::uint64_t, float, double>([&](auto key) {
      using K = decltype(key);
      suite.add("keys/" + bench::name_of<K>() + "/entropy1", [](auto& p) { sort_keys<K>(p, 0); });
    });
    suite.add("keys/u64/entropy0.201", [](auto& p) { sort_keys<std::uint64_t>(p, 4); });
    const std::pair<const char*, bench::pattern_of_equal_bits> equal_bits[] = {
        {"below_2^32", bench::pattern_of_equal_bits::below_2_32},
        {"repeated", bench::pattern_of_equal_bits::repeated},
        {"one_in_10000", bench::pattern_of_equal_bits::one_in_10000}};
    for (const auto& [name, pattern] : equal_bits) {
      suite.add(std::string("keys/u64/") + name, [pattern = pattern](auto& p) { sort_equal_bits(p, pattern); });
    }
    suite.add("keys/u128/entropy1", [](auto& p) { sort_keys_of(p, bench::wide_keys{p.random()}); });
    suite.add("structs/8_bytes/by_i32_f32", [](auto& p) { sort_structs<by_both>(p); });
    suite.add("structs/8_bytes/by_u32", [](auto& p) { sort_structs<by_first<8>>(p); });
    suite.add("structs/16_bytes/by_u32", [](auto& p) { sort_structs<by_first<16>>(p); });
    suite.add("structs/32_bytes/by_u32", [](auto& p) { sort_structs<by_first<32>>(p); });
    suite.add("copy/u32/entropy1", [](auto& p) { sort_to(p); });
    suite.add("pairs/u32_u32/entropy1", [](auto& p) { sort_pairs<std::uint32_t, bench::indices>(p, 0); });
    suite.add("pairs/u32_i64/entropy1", [](auto& p) { sort_pairs<std::uint32_t, bench::wide_indices>(p, 0); });
    suite.add("pairs/u64_u32/entropy1", [](auto& p) { sort_pairs<std::uint64_t, bench::indices>(p, 0); });
    const onepass::in_little_memory little;
    suite.add("little_memory/keys/u32/entropy1", [=](auto& p) { sort_keys<std::uint32_t>(p, 0, little); });
    suite.add("little_memory/pairs/u32_u32/entropy1",
              [=](auto& p) { sort_pairs<std::uint32_t, bench::indices>(p, 0, little); });
    suite.add("order/f32_i64/entropy1", [](auto& p) { sort_order(p); });
  });
}
