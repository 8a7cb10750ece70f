// SPDX-License-Identifier: Apache-2.0
// Benchmarks of onepass/segmented_sort.hpp. Bytes count keys and values read once and written once. lenN: the segments' mean
// length, from 1 to twice as much; one: a single segment; power: n / 256 segments, the k-th of which has a share of about 1 / k;
// mixed: one half of the items in one segment, the other in segments of 10; rowsN: all of N items; equalN: the same, which
// onepass is told by rows(N), and CUB by offsets that are computed.
// onepass sorts in place and has its input restored before each call; CUB sorts the input into the same array.
// Peers: cub::DeviceSegmentedSort and DeviceSegmentedRadixSort on the GPU, whose offsets of 32 bits limit n; std::sort or
// std::stable_sort of each segment on the CPU.
#include <onepass/segmented_sort.hpp>

#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "support/program.hpp"
#if ONEPASS_HAS_CUDA
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#endif

using onepass::index_t;

// Where segment i begins, the last one being that of the range's end.
struct begins_of_segments {
  using type = std::int32_t;
  enum class kind { mean, one, power, mixed, rows } of;
  bench::random_bits random;
  index_t n, mean;

  ONEPASS_HOST_DEVICE index_t count() const {
    switch (of) {
      case kind::mean: return (n + mean - 1) / mean + 1;
      case kind::one: return 1;
      case kind::rows: return (n + mean - 1) / mean;
      case kind::power: return n < 256 ? 1 : n >> 8;
      default: return 1 + n / 20;
    }
  }
  ONEPASS_HOST_DEVICE index_t begin_of(index_t i) const {
    switch (of) {
      case kind::mean: return bench::segment_offsets{{random, mean}}(i);
      case kind::one: return i * n;
      case kind::rows: return i * mean;
      case kind::power:
        return static_cast<index_t>(std::log(1.0 + static_cast<double>(i)) /
                                    std::log(static_cast<double>(count()) + 1) * static_cast<double>(n));
      default: return i == 0 ? 0 : n / 2 + (i - 1) * 10;
    }
  }
  ONEPASS_HOST_DEVICE type operator()(index_t i) const {
    const index_t at = begin_of(i);
    return static_cast<type>(at < n ? at : n);
  }
};
using kind = begins_of_segments::kind;

// Offsets that are computed.
struct computed_offsets {
  begins_of_segments begins;
  auto begin() const { return thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0), begins); }
};
// Where segments begin, as CUB and onepass take it. told: onepass knows the segments as rows, and CUB computes offsets.
template <bool told, class Where>
auto offsets_for(bench::problem<Where>& p, const begins_of_segments& begins) {
  if constexpr (told) return computed_offsets{begins};
  else return p.reads(begins, begins.count() + 1);
}
template <bool told, class Offsets>
auto segments_of(const Offsets& offsets, const begins_of_segments& begins) {
  if constexpr (told) return onepass::rows(begins.mean);
  else return onepass::offsets(offsets.begin(), offsets.begin() + begins.count() + 1);
}

template <class K, bool told = false, class Where>
void sort_keys(bench::problem<Where>& p, kind of, index_t mean) {
  const begins_of_segments begins{of, p.random(), p.n(), mean};
  const auto in = p.reads(bench::keys<K>{p.random(), 0});
  const auto offsets = offsets_for<told>(p, begins);
  const index_t count = begins.count();
  const auto keys = p.template writes<K>();
  p.restores(keys, in);
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceSegmentedSort::SortKeys(memory, bytes, in.begin(), keys.begin(), in.size(), count,
                                              offsets.begin(), offsets.begin() + 1, stream);
  });
  p.cub(
      [=](void* memory, auto& bytes, auto stream) {
        return cub::DeviceSegmentedRadixSort::SortKeys(memory, bytes, in.begin(), keys.begin(), in.size(), count,
                                                       offsets.begin(), offsets.begin() + 1, 0, 8 * sizeof(K), stream);
      },
      "cub_radix");
#endif
  p.serial([=] {
    for (index_t s = 0; s < count; ++s)
      std::sort(keys.begin() + offsets.begin()[s], keys.begin() + offsets.begin()[s + 1]);
  });
  p.onepass([=](const auto& policy) {
    onepass::segmented_sort(policy, keys.begin(), keys.end(), segments_of<told>(offsets, begins));
  });
}

// Values are the items' indices, so the result shows that equal keys kept their order.
template <class K, bool told = false, class Where>
void sort_pairs(bench::problem<Where>& p, kind of, index_t mean) {
  const begins_of_segments begins{of, p.random(), p.n(), mean};
  const auto in = p.reads(bench::keys<K>{p.random(), 0});
  const auto values_in = p.reads(bench::indices{});
  const auto offsets = offsets_for<told>(p, begins);
  const index_t count = begins.count();
  const auto keys = p.template writes<K>();
  const auto values = p.template writes<bench::indices::type>();
  p.restores(keys, in);
  p.restores(values, values_in);
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceSegmentedSort::StableSortPairs(memory, bytes, in.begin(), keys.begin(), values_in.begin(),
                                                     values.begin(), in.size(), count, offsets.begin(),
                                                     offsets.begin() + 1, stream);
  });
  p.cub(
      [=](void* memory, auto& bytes, auto stream) {
        return cub::DeviceSegmentedRadixSort::SortPairs(memory, bytes, in.begin(), keys.begin(), values_in.begin(),
                                                        values.begin(), in.size(), count, offsets.begin(),
                                                        offsets.begin() + 1, 0, 8 * sizeof(K), stream);
      },
      "cub_radix");
#endif
  // The first call, which is not timed, takes the memory.
  p.serial([=, room = std::make_shared<std::vector<std::pair<K, bench::indices::type>>>()] {
    auto& pairs = *room;
    pairs.resize(static_cast<std::size_t>(keys.size()));
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {keys.begin()[i], values.begin()[i]};
    for (index_t s = 0; s < count; ++s) {
      std::stable_sort(pairs.begin() + offsets.begin()[s], pairs.begin() + offsets.begin()[s + 1],
                       [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    for (std::size_t i = 0; i < pairs.size(); ++i)
      keys.begin()[i] = pairs[i].first, values.begin()[i] = pairs[i].second;
  });
  p.onepass([=](const auto& policy) {
    onepass::segmented_sort_by_key(policy, keys.begin(), keys.end(), values.begin(),
                                   segments_of<told>(offsets, begins));
  });
}

int main(int argc, char** argv) {
  return bench::run_program("segmented_sort", argc, argv, [](auto& suite) {
    suite.default_sizes({16, 20, 24}, {16, 20, 24});
    const auto add = [&](const std::string& name, kind of, index_t mean) {
      suite.add("keys/u32/" + name, [=](auto& p) { sort_keys<std::uint32_t>(p, of, mean); });
      suite.add("pairs/u32_u32/" + name, [=](auto& p) { sort_pairs<std::uint32_t>(p, of, mean); });
    };
    for (const index_t mean : {10, 100, 1000, 10000, 1000000}) add("len" + std::to_string(mean), kind::mean, mean);
    add("one", kind::one, 0);
    add("power", kind::power, 0);
    add("mixed", kind::mixed, 0);
    suite.add("keys/u32/rows4096", [](auto& p) { sort_keys<std::uint32_t>(p, kind::rows, 4096); });
    suite.add("keys/u32/equal4096", [](auto& p) { sort_keys<std::uint32_t, true>(p, kind::rows, 4096); });
    suite.add("pairs/f32_u32/rows4096", [](auto& p) { sort_pairs<float>(p, kind::rows, 4096); });
    suite.add("pairs/f32_u32/equal4096", [](auto& p) { sort_pairs<float, true>(p, kind::rows, 4096); });
    suite.add("keys/u64/len100", [](auto& p) { sort_keys<std::uint64_t>(p, kind::mean, 100); });
    suite.add("keys/u64/len1000", [](auto& p) { sort_keys<std::uint64_t>(p, kind::mean, 1000); });
  });
}
