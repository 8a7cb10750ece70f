// SPDX-License-Identifier: Apache-2.0
// Benchmarks of onepass/histogram.hpp: items are read once, a count a bin is written. binsN: the number of bins, of which
// each item is in one. uniform, or equal (all items in one bin). rowsN: rows of N items.
// Peers: cub::DeviceHistogram on the GPU, which has no rows; a plain loop on the CPU.
#include <onepass/histogram.hpp>

#include "support/program.hpp"
#if ONEPASS_HAS_CUDA
#include <cub/device/device_histogram.cuh>
#endif

using onepass::index_t;

// Items in [0, bins), or with `equal` all the same.
template <class T>
struct binned {
  using type = T;
  bench::random_bits random;
  index_t bins;
  bool equal;
  ONEPASS_HOST_DEVICE T operator()(index_t i) const {
    const auto bin = equal ? bins / 3 : static_cast<index_t>((random(i) >> 20) % static_cast<std::uint64_t>(bins));
    return static_cast<T>(bin);
  }
};

template <class T, class Where>
void by_value(bench::problem<Where>& p, index_t bins, bool equal) {
  const auto items = p.reads(binned<T>{p.random(), bins, equal});
  const auto counts = p.template writes<std::int32_t>(bins);
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceHistogram::HistogramEven(memory, bytes, items.begin(), counts.begin(), static_cast<int>(bins) + 1,
                                               0, static_cast<int>(bins), items.size(), stream);
  });
#endif
  p.serial([=] {
    std::fill(counts.begin(), counts.end(), 0);
    for (const T item : items) ++counts.begin()[item];
  });
  p.onepass([=](const auto& policy) {
    onepass::histogram(policy, items.begin(), items.end(), onepass::value_bins(0, bins), counts.begin());
  });
}

template <class Where>
void by_width(bench::problem<Where>& p, int bins) {
  const auto items = p.reads(bench::uniform<float>{p.random()});
  const auto counts = p.template writes<std::int32_t>(bins);
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceHistogram::HistogramEven(memory, bytes, items.begin(), counts.begin(), bins + 1, 0.0f, 1.0f,
                                               items.size(), stream);
  });
#endif
  p.serial([=] {
    std::fill(counts.begin(), counts.end(), 0);
    for (const float item : items) ++counts.begin()[static_cast<index_t>(item * static_cast<float>(bins))];
  });
  p.onepass([=](const auto& policy) {
    onepass::histogram(policy, items.begin(), items.end(), onepass::even_bins(0, 1, bins), counts.begin());
  });
}

// Integers in bins of even width.
template <class T, class Where>
void integers_by_width(bench::problem<Where>& p, int bins) {
  constexpr T upper = std::numeric_limits<T>::max();
  const auto items = p.reads(bench::uniform<T>{p.random()});
  const auto counts = p.template writes<std::int32_t>(bins);
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceHistogram::HistogramEven(memory, bytes, items.begin(), counts.begin(), bins + 1, T{0}, upper,
                                               items.size(), stream);
  });
#endif
  p.serial([=] {
    std::fill(counts.begin(), counts.end(), 0);
    for (const T item : items) {
      if (item < upper) ++counts.begin()[std::uint64_t{item} * static_cast<std::uint64_t>(bins) / upper];
    }
  });
  p.onepass([=](const auto& policy) {
    onepass::histogram(policy, items.begin(), items.end(), onepass::even_bins(T{0}, upper, bins), counts.begin());
  });
}

template <class Where>
void of_rows(bench::problem<Where>& p, index_t length) {
  constexpr index_t bins = 256;
  const auto items = p.reads(binned<std::uint8_t>{p.random(), bins, false});
  const index_t rows = (items.size() + length - 1) / length;
  const auto counts = p.template writes<std::int32_t>(rows * bins);
  // So that a GPU has something to compare with, too: each row by itself.
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    for (index_t row = 0; row < rows; ++row) {
      const index_t size = std::min(length, items.size() - row * length);
      const auto status = cub::DeviceHistogram::HistogramEven(memory, bytes, items.begin() + row * length,
                                                              counts.begin() + row * bins, 257, 0, 256, size, stream);
      if (status != cudaSuccess || memory == nullptr) return status;
    }
    return cudaSuccess;
  });
#endif
  p.serial([=] {
    std::fill(counts.begin(), counts.end(), 0);
    for (index_t i = 0; i < items.size(); ++i) ++counts.begin()[i / length * bins + items.begin()[i]];
  });
  p.onepass([=](const auto& policy) {
    onepass::histogram(policy, items.begin(), items.end(), onepass::rows(length), onepass::value_bins(0, bins),
                       counts.begin());
  });
}

int main(int argc, char** argv) {
  return bench::run_program("histogram", argc, argv, [](auto& suite) {
    suite.default_sizes({10, 16, 20, 24, 28}, {16, 20, 24, 26});
    for (const bool equal : {false, true}) {
      const std::string input = equal ? "/equal" : "/uniform";
      suite.add("bins256/u8" + input, [=](auto& p) { by_value<std::uint8_t>(p, 256, equal); });
      suite.add("bins65536/u16" + input, [=](auto& p) { by_value<std::uint16_t>(p, 65536, equal); });
      for (const index_t bins : {1000, 20000, 1 << 20})
        suite.add("bins" + std::to_string(bins) + "/u32" + input,
                  [=](auto& p) { by_value<std::uint32_t>(p, bins, equal); });
    }
    suite.add("even_bins1000/f32/uniform", [](auto& p) { by_width(p, 1000); });
    suite.add("even_bins1000/u32/uniform", [](auto& p) { integers_by_width<std::uint32_t>(p, 1000); });
    for (const index_t length : {1 << 16, 1 << 20})
      suite.add("bins256/u8/rows" + std::to_string(length), [=](auto& p) { of_rows(p, length); });
  });
}
