// SPDX-License-Identifier: Apache-2.0
// Benchmarks of onepass/compact.hpp: each item read once, each kept item written once; keepN: N percent are kept.
// On the GPU onepass's and CUB's calls leave the count on the device, Thrust's returns it and so waits.
// Peers: CUB and Thrust on the GPU; the standard library, serial and on TBB, and Thrust on OpenMP on the CPU.
#include <onepass/compact.hpp>

#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/partition.h>
#include <thrust/unique.h>
#include <algorithm>

#include "support/program.hpp"

using onepass::index_t;

template <class T>
struct less_than {
  T limit;
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const { return x < limit; }
};
template <class T>
struct at_least {
  T limit;
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const { return !(x < limit); }
};
struct is_set {
  ONEPASS_HOST_DEVICE bool operator()(std::uint8_t flag) const { return flag != 0; }
};

template <class T, class Where>
void copy_if(bench::problem<Where>& p, int percent) {
  const less_than<T> is_kept{bench::threshold<T>(percent)};
  const auto in = p.reads(bench::uniform<T>{p.random()});
  const auto out = p.template writes<T>();
  const auto count = p.writes_count();
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceSelect::If(memory, bytes, in.begin(), out.begin(), count.begin(), in.size(), is_kept, stream);
  });
#endif
  p.standard([=](const auto&... policy) -> index_t {
    return std::copy_if(policy..., in.begin(), in.end(), out.begin(), is_kept) - out.begin();
  });
  p.thrust([=](const auto& policy) -> index_t {
    return thrust::copy_if(policy, in.begin(), in.end(), out.begin(), is_kept) - out.begin();
  });
  p.onepass([=](const auto& policy) {
    onepass::copy_if_async(policy, in.begin(), in.end(), out.begin(), is_kept, count.begin());
  });
}

// In place. CUB's call of that kind says what is kept, the others say what is removed.
template <class T, class Where>
void remove_if(bench::problem<Where>& p, int percent) {
  const less_than<T> is_kept{bench::threshold<T>(percent)};
  const at_least<T> is_removed{is_kept.limit};
  const auto in = p.reads(bench::uniform<T>{p.random()});
  const auto items = p.template writes<T>();
  const auto count = p.writes_count();
  p.restores(items, in);
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceSelect::If(memory, bytes, items.begin(), count.begin(), items.size(), is_kept, stream);
  });
#endif
  p.standard([=](const auto&... policy) -> index_t {
    return std::remove_if(policy..., items.begin(), items.end(), is_removed) - items.begin();
  });
  p.thrust([=](const auto& policy) -> index_t {
    return thrust::remove_if(policy, items.begin(), items.end(), is_removed) - items.begin();
  });
  p.onepass([=](const auto& policy) {
    onepass::remove_if_async(policy, items.begin(), items.end(), is_removed, count.begin());
  });
}

// One byte an item says whether it is kept: a bit of CUB's keys (bench/support/data.hpp). `ands` sets the entropy: 0, 2
// and -1 for 1, 0.544 and 0, where all are kept.
struct flags {
  using type = std::uint8_t;
  bench::keys<type> keys;
  ONEPASS_HOST_DEVICE type operator()(index_t i) const { return keys(~i) & 1; }
};

template <class T, class Where>
void compact_by_flags(bench::problem<Where>& p, int ands) {
  const auto in = p.reads(bench::uniform<T>{p.random()});
  const auto flag = p.reads(flags{{p.random(), ands}});
  const auto out = p.template writes<T>();
  const auto count = p.writes_count();
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceSelect::Flagged(memory, bytes, in.begin(), flag.begin(), out.begin(), count.begin(), in.size(),
                                      stream);
  });
#endif
  p.serial([=]() -> index_t {
    T* end = out.begin();
    for (index_t i = 0; i < in.size(); ++i) {
      if (flag.begin()[i] != 0) *end++ = in.begin()[i];
    }
    return end - out.begin();
  });
  p.thrust([=](const auto& policy) -> index_t {
    return thrust::copy_if(policy, in.begin(), in.end(), flag.begin(), out.begin(), is_set{}) - out.begin();
  });
  p.onepass([=](const auto& policy) {
    onepass::compact_async(policy, in.begin(), in.end(), onepass::flags(flag.begin()), out.begin(), count.begin());
  });
}

// Runs of equal items, two long on average.
template <class T, class Where>
void unique_copy(bench::problem<Where>& p) {
  const auto in = p.reads(bench::segment_keys<T>{{p.random(), 2}});
  const auto out = p.template writes<T>();
  const auto count = p.writes_count();
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceSelect::Unique(memory, bytes, in.begin(), out.begin(), count.begin(), in.size(), stream);
  });
#endif
  p.standard([=](const auto&... policy) -> index_t {
    return std::unique_copy(policy..., in.begin(), in.end(), out.begin()) - out.begin();
  });
  p.onepass([=](const auto& policy) {
    onepass::unique_copy_async(policy, in.begin(), in.end(), out.begin(), count.begin());
  });
}

// How many runs there are, two items long on average.
template <class T, class Where>
void unique_count(bench::problem<Where>& p) {
  const auto in = p.reads(bench::segment_keys<T>{{p.random(), 2}});
  const auto count = p.writes_count();
  p.serial([=]() -> index_t {
    index_t runs = in.size() > 0 ? 1 : 0;
    for (index_t i = 1; i < in.size(); ++i) runs += in.begin()[i] != in.begin()[i - 1];
    return runs;
  });
  p.thrust([=](const auto& policy) -> index_t { return thrust::unique_count(policy, in.begin(), in.end()); });
  p.onepass([=](const auto& policy) { onepass::unique_count_async(policy, in.begin(), in.end(), count.begin()); });
}

// The first of each run of keys, two long on average, with its value.
template <class K, class V, class Where>
void unique_by_key_copy(bench::problem<Where>& p) {
  const auto keys = p.reads(bench::segment_keys<K>{{p.random(), 2}});
  const auto values = p.reads(bench::uniform<V>{p.random()});
  const auto keys_out = p.template writes<K>();
  const auto values_out = p.template writes<V>();
  const auto count = p.writes_count();
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceSelect::UniqueByKey(memory, bytes, keys.begin(), values.begin(), keys_out.begin(),
                                          values_out.begin(), count.begin(), keys.size(), stream);
  });
#endif
  p.serial([=]() -> index_t {
    index_t kept = 0;
    for (index_t i = 0; i < keys.size(); ++i) {
      if (i > 0 && keys.begin()[i] == keys.begin()[i - 1]) continue;
      keys_out.begin()[kept] = keys.begin()[i];
      values_out.begin()[kept++] = values.begin()[i];
    }
    return kept;
  });
  p.thrust([=](const auto& policy) -> index_t {
    return thrust::unique_by_key_copy(policy, keys.begin(), keys.end(), values.begin(), keys_out.begin(),
                                      values_out.begin())
               .first -
           keys_out.begin();
  });
  p.onepass([=](const auto& policy) {
    onepass::unique_by_key_copy_async(policy, keys.begin(), keys.end(), values.begin(), keys_out.begin(),
                                      values_out.begin(), ::cuda::std::equal_to<>{}, count.begin());
  });
}

// Kept items from the front of the output, the others from its back: as CUB does it.
template <class T, class Where>
void partition_copy(bench::problem<Where>& p, int percent) {
  const less_than<T> is_kept{bench::threshold<T>(percent)};
  const auto in = p.reads(bench::uniform<T>{p.random()});
  const auto out = p.template writes<T>();
  const auto count = p.ignores_count();
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DevicePartition::If(memory, bytes, in.begin(), out.begin(), count.begin(), in.size(), is_kept, stream);
  });
#endif
  const auto back = [=] { return thrust::make_reverse_iterator(out.end()); };
  p.standard([=](const auto&... policy) {
    std::partition_copy(policy..., in.begin(), in.end(), out.begin(), std::make_reverse_iterator(out.end()), is_kept);
  });
  p.thrust(
      [=](const auto& policy) { thrust::partition_copy(policy, in.begin(), in.end(), out.begin(), back(), is_kept); });
  p.onepass([=](const auto& policy) {
    onepass::partition_copy_async(policy, in.begin(), in.end(), out.begin(), back(), is_kept, count.begin());
  });
}

// 30, 40 and 30 percent of the items.
template <class T, class Where>
void three_way_partition_copy(bench::problem<Where>& p) {
  const less_than<T> is_first{bench::threshold<T>(30)}, is_second{bench::threshold<T>(70)};
  const auto in = p.reads(bench::uniform<T>{p.random()});
  const auto first = p.template writes<T>();  // the three have n items in all
  const auto second = p.template writes<T>(p.n(), false), rest = p.template writes<T>(p.n(), false);
  const auto counts = p.ignores_count(2);
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DevicePartition::If(memory, bytes, in.begin(), first.begin(), second.begin(), rest.begin(),
                                    counts.begin(), in.size(), is_first, is_second, stream);
  });
#endif
  p.serial([=] {
    T *a = first.begin(), *b = second.begin(), *c = rest.begin();
    for (const T *x = in.begin(), *end = in.end(); x != end; ++x) *(is_first(*x) ? a : is_second(*x) ? b : c)++ = *x;
  });
  p.onepass([=](const auto& policy) {
    onepass::three_way_partition_copy_async(policy, in.begin(), in.end(), first.begin(), second.begin(), rest.begin(),
                                            is_first, is_second, counts.begin());
  });
}

template <class T, class Where>
void stable_partition(bench::problem<Where>& p, int percent) {
  const less_than<T> is_kept{bench::threshold<T>(percent)};
  const auto in = p.reads(bench::uniform<T>{p.random()});
  const auto items = p.template writes<T>();
  p.restores(items, in);
  p.standard([=](const auto&... policy) { std::stable_partition(policy..., items.begin(), items.end(), is_kept); });
  p.thrust([=](const auto& policy) { thrust::stable_partition(policy, items.begin(), items.end(), is_kept); });
  p.onepass([=](const auto& policy) {  // waits for the border, as Thrust does
    onepass::stable_partition(policy, items.begin(), items.end(), is_kept);
  });
}

// The indices of bytes that are set, `ands` as above.
template <class Index, class Where>
void positions(bench::problem<Where>& p, int ands) {
  const auto flag = p.reads(flags{{p.random(), ands}});
  const auto out = p.template writes<Index>();
  const auto count = p.writes_count();
  const thrust::counting_iterator<Index> first(0), last(static_cast<Index>(p.n()));
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceSelect::Flagged(memory, bytes, first, flag.begin(), out.begin(), count.begin(), flag.size(),
                                      stream);
  });
#endif
  p.serial([=]() -> index_t {
    Index* to = out.begin();
    for (index_t i = 0; i < flag.size(); ++i) {
      if (flag.begin()[i] != 0) *to++ = static_cast<Index>(i);
    }
    return to - out.begin();
  });
  p.thrust([=](const auto& policy) -> index_t {
    return thrust::copy_if(policy, first, last, flag.begin(), out.begin(), is_set{}) - out.begin();
  });
  p.onepass([=](const auto& policy) {
    onepass::positions_async(policy, flag.begin(), flag.end(), out.begin(), count.begin());
  });
}

int main(int argc, char** argv) {
  return bench::run_program("compact", argc, argv, [](auto& suite) {
    suite.default_sizes({10, 16, 20, 24, 28}, {16, 20, 24, 26});
    for (const int percent : {0, 1, 50, 99, 100}) {
      suite.add("copy_if/i32/keep" + std::to_string(percent), [=](auto& p) { copy_if<std::int32_t>(p, percent); });
    }
    bench::for_types<std::int8_t, std::int16_t, std::int64_t, float, double>([&](auto value) {
      using T = decltype(value);
      suite.add("copy_if/" + bench::name_of<T>() + "/keep50", [](auto& p) { copy_if<T>(p, 50); });
    });
    for (const int percent : {1, 50, 99}) {
      suite.add("remove_if/i32/keep" + std::to_string(percent), [=](auto& p) { remove_if<std::int32_t>(p, percent); });
    }
    for (const int ands : {0, 2}) {
      const std::string keep = ands == 0 ? "/keep50" : "/keep12.5";
      suite.add("flags/i32" + keep, [=](auto& p) { compact_by_flags<std::int32_t>(p, ands); });
      suite.add("positions/i32" + keep, [=](auto& p) { positions<std::int32_t>(p, ands); });
      suite.add("positions/i64" + keep, [=](auto& p) { positions<std::int64_t>(p, ands); });
    }
    suite.add("flags/i32/keep100", [](auto& p) { compact_by_flags<std::int32_t>(p, -1); });
    suite.add("unique_by_key_copy/i32-i32/runs2", [](auto& p) { unique_by_key_copy<std::int32_t, std::int32_t>(p); });
    suite.add("partition_copy/i32/keep50", [](auto& p) { partition_copy<std::int32_t>(p, 50); });
    bench::for_types<std::int8_t, std::int32_t, std::int64_t>([&](auto value) {
      using T = decltype(value);
      suite.add("three_way_partition_copy/" + bench::name_of<T>(), [](auto& p) { three_way_partition_copy<T>(p); });
    });
    suite.add("stable_partition/i32/keep50", [](auto& p) { stable_partition<std::int32_t>(p, 50); });
    suite.add("unique_copy/i32/runs2", [](auto& p) { unique_copy<std::int32_t>(p); });
    suite.add("unique_count/i32/runs2", [](auto& p) { unique_count<std::int32_t>(p); });
  });
}
