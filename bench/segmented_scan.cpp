// SPDX-License-Identifier: Apache-2.0
// Benchmarks of onepass/segmented_scan.hpp: values and keys, flags or offsets read once, results written once. lenN: the
// segments' mean length; power: lengths follow a power law. Rows of equal length have lenN items, and arrays whose
// columns are scanned have widthN columns, or are many of HxW, H rows and W columns.
// Peers: cub::DeviceScan by key and Thrust on the GPU; a plain loop and Thrust on OpenMP on the CPU, as the standard
// library has no segmented scan. CUB has none by flags: it scans (value, flag) pairs that are put together while loading,
// or the same segments as keys ("cub_keys"), an array that it reads, too. By bits, by offsets and by rows it is given such
// keys; rows as computed keys as well ("cub_keys"), and columns as these alone, with the items in the columns' order. From
// CCCL 3.3 on it has a scan of segments by offsets ("cub_segmented"), which it is given for rows and offsets, too. This file is
// over 300 lines because each form of segments has all its peers' calls beside it.
#include <onepass/segmented_scan.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/scan.h>
#include <thrust/tuple.h>

#include <limits>
#include <utility>

#include "support/program.hpp"
#if ONEPASS_HAS_CUDA && __has_include(<cub/device/device_segmented_scan.cuh>)
#include <cub/device/device_segmented_scan.cuh>
#define BENCH_HAS_SEGMENTED_SCAN 1
#endif

using onepass::index_t;

// out[i] = the sum of x from its segment's first item on; starts(i) says whether a segment starts at i > 0.
template <class T, class Starts>
void sum_segments(const T* x, T* out, index_t n, Starts starts) {
  T inclusive{};
  for (index_t i = 0; i < n; ++i) out[i] = inclusive = i == 0 || starts(i) ? x[i] : static_cast<T>(inclusive + x[i]);
}

template <class T, class Where>
void by_key(bench::problem<Where>& p, index_t length) {
  const auto keys = p.reads(bench::segment_keys<std::int32_t>{{p.random(), length}});
  const auto in = p.reads(bench::summands<T>{p.random()});
  const auto out = p.template writes<T>();
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceScan::InclusiveSumByKey(memory, bytes, keys.begin(), in.begin(), out.begin(), in.size(),
                                              ::cuda::std::equal_to<>{}, stream);
  });
#endif
  p.serial([=] {
    const auto* k = keys.begin();
    sum_segments(in.begin(), out.begin(), in.size(), [k](index_t i) { return k[i] != k[i - 1]; });
  });
  p.thrust([=](const auto& policy) {
    thrust::inclusive_scan_by_key(policy, keys.begin(), keys.end(), in.begin(), out.begin());
  });
  p.onepass([=](const auto& policy) {
    onepass::inclusive_scan_by_key(policy, keys.begin(), keys.end(), in.begin(), out.begin());
  });
}

template <class T>
struct make_pair {
  ONEPASS_HOST_DEVICE onepass::flagged<T> operator()(const thrust::tuple<T, std::uint8_t>& t) const {
    return {thrust::get<0>(t), thrust::get<1>(t) != 0};
  }
};
template <class T>
struct take_value {
  ONEPASS_HOST_DEVICE T operator()(const onepass::flagged<T>& f) const { return f.value; }
};

// CUB with the same segments as keys.
template <class T, class Keys, class Where>
void cub_by_key(bench::problem<Where>& p, Keys generate, bench::range<T> in, bench::range<T> out,
                const char* name = "cub") {
#if ONEPASS_HAS_CUDA
  const auto keys = p.reads_uncounted(generate);
  p.cub(
      [=](void* memory, auto& bytes, auto stream) {
        return cub::DeviceScan::InclusiveSumByKey(memory, bytes, keys.begin(), in.begin(), out.begin(), in.size(),
                                                  ::cuda::std::equal_to<>{}, stream);
      },
      name);
#else
  (void)p, (void)generate, (void)in, (void)out, (void)name;
#endif
}

template <class T, class Where>
void by_flag(bench::problem<Where>& p, index_t length) {
  const bench::segment_number number{p.random(), length};
  const auto flags = p.reads(bench::segment_flags{number});
  const auto in = p.reads(bench::summands<T>{p.random()});
  const auto out = p.template writes<T>();
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    const auto pairs =
        thrust::make_transform_iterator(thrust::make_zip_iterator(in.begin(), flags.begin()), make_pair<T>{});
    const auto values = thrust::make_transform_output_iterator(out.begin(), take_value<T>{});
    return cub::DeviceScan::InclusiveScan(memory, bytes, pairs, values, onepass::segmented<onepass::sum>{}, in.size(),
                                          stream);
  });
#endif
  cub_by_key(p, bench::segment_keys<std::int32_t>{number}, in, out, "cub_keys");
  p.serial([=] {
    const auto* f = flags.begin();
    sum_segments(in.begin(), out.begin(), in.size(), [f](index_t i) { return f[i] != 0; });
  });
  p.onepass([=](const auto& policy) {
    onepass::inclusive_segmented_scan(policy, in.begin(), in.end(), flags.begin(), out.begin());
  });
}

template <class T, class Where>
void by_bit(bench::problem<Where>& p, index_t length) {
  const bench::segment_number number{p.random(), length};
  const auto words = p.reads(bench::segment_bits{number}, (p.n() + 31) / 32);
  const auto in = p.reads(bench::summands<T>{p.random()});
  const auto out = p.template writes<T>();
  cub_by_key(p, bench::segment_keys<std::int32_t>{number}, in, out);
  p.serial([=] {
    const auto* w = words.begin();
    sum_segments(in.begin(), out.begin(), in.size(), [w](index_t i) { return (w[i / 32] >> i % 32 & 1) != 0; });
  });
  p.onepass([=](const auto& policy) {
    onepass::inclusive_segmented_scan(policy, in.begin(), in.end(), onepass::bits(words.begin()), out.begin());
  });
}

// CUB's scan of `count` segments. bounds(): where each begins, and behind that the last one's end.
template <class T, class Bounds, class Where>
void cub_segmented(bench::problem<Where>& p, bench::range<T> in, bench::range<T> out, Bounds bounds, index_t count) {
#if BENCH_HAS_SEGMENTED_SCAN
  p.cub(
      [=](void* memory, auto& bytes, auto stream) {
        return cub::DeviceSegmentedScan::InclusiveSegmentedSum(memory, bytes, in.begin(), out.begin(), bounds(),
                                                               bounds() + 1, count, stream);
      },
      "cub_segmented");
#else
  (void)p, (void)in, (void)out, (void)bounds, (void)count;
#endif
}

// The same offsets for CUB: none is above n, and behind the last one is n.
template <class Offsets>
struct offsets_up_to {
  using type = index_t;
  Offsets offsets;
  index_t count, n;
  ONEPASS_HOST_DEVICE type operator()(index_t i) const {
    const index_t at = i < count ? offsets(i) : n;
    return at < n ? at : n;
  }
};

template <class T, class Offsets, class Keys, class Where>
void by_offset(bench::problem<Where>& p, Offsets generate, index_t count, Keys keys) {
  const auto offsets = p.reads(generate, count);
  const auto in = p.reads(bench::summands<T>{p.random()});
  const auto out = p.template writes<T>();
  cub_by_key(p, keys, in, out);
#if BENCH_HAS_SEGMENTED_SCAN
  const auto bounds = p.reads_uncounted(offsets_up_to<Offsets>{generate, count, p.n()}, count + 1);
  cub_segmented(
      p, in, out, [=] { return bounds.begin(); }, count);
#endif
  p.serial([=] {
    const auto* next = offsets.begin();
    const auto starts = [&](index_t i) {
      bool is_start = false;
      for (; next != offsets.end() && *next <= i; ++next) is_start = is_start || *next == i;
      return is_start;
    };
    sum_segments(in.begin(), out.begin(), in.size(), starts);
  });
  p.onepass([=](const auto& policy) {
    onepass::inclusive_segmented_scan(policy, in.begin(), in.end(), onepass::offsets(offsets.begin(), offsets.end()),
                                      out.begin());
  });
}

template <class T, class Where>
void by_offset(bench::problem<Where>& p, index_t length) {
  if (length == 0) {
    const index_t stretches = (p.n() - 1 >> 20) + 1;
    return by_offset<T>(p, bench::power_law_offsets{}, stretches * bench::power_law_offsets::a_stretch,
                        bench::power_law_keys{});
  }
  const bench::segment_number number{p.random(), length};
  // One for item 0 and one a cell, the last of which may be cut off.
  by_offset<T>(p, bench::segment_offsets{number}, (p.n() + length - 1) / length + 1,
               bench::segment_keys<std::int32_t>{number});
}

struct row_number {
  using type = std::int32_t;
  index_t length;
  ONEPASS_HOST_DEVICE type operator()(index_t i) const { return static_cast<type>(i / length); }
};
struct short_row_number {  // of fewer than 2^32 items, which takes less time
  std::uint32_t length;
  ONEPASS_HOST_DEVICE std::uint32_t operator()(std::uint32_t i) const { return i / length; }
};
struct row_bound {
  index_t length, n;
  ONEPASS_HOST_DEVICE index_t operator()(index_t row) const { return row * length < n ? row * length : n; }
};

template <class T, class Where>
void by_row(bench::problem<Where>& p, index_t length) {
  const auto in = p.reads(bench::summands<T>{p.random()});
  const auto out = p.template writes<T>();
  cub_by_key(p, row_number{length}, in, out);
#if ONEPASS_HAS_CUDA
  if (p.n() < index_t{1} << 32) {
    const auto keys = thrust::make_transform_iterator(thrust::counting_iterator<std::uint32_t>(0),
                                                      short_row_number{static_cast<std::uint32_t>(length)});
    p.cub(
        [=](void* memory, auto& bytes, auto stream) {
          return cub::DeviceScan::InclusiveSumByKey(memory, bytes, keys, in.begin(), out.begin(), in.size(),
                                                    ::cuda::std::equal_to<>{}, stream);
        },
        "cub_keys");
  }
#endif
  const auto bounds = [bound = row_bound{length, p.n()}] {
    return thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0), bound);
  };
  cub_segmented(p, in, out, bounds, (p.n() + length - 1) / length);
  p.serial([=] { sum_segments(in.begin(), out.begin(), in.size(), [=](index_t i) { return i % length == 0; }); });
  p.onepass([=](const auto& policy) {
    onepass::inclusive_segmented_scan(policy, in.begin(), in.end(), onepass::rows(length), out.begin());
  });
}

// Where the items of a column after another stand, for CUB.
struct in_columns {
  index_t width, rows;
  ONEPASS_HOST_DEVICE index_t operator()(index_t i) const {
    const index_t in_array = i % (rows * width);
    return i - in_array + in_array % rows * width + in_array / rows;
  }
};

// Arrays of up to `most_rows` rows of `width` items, as many as there are in n.
template <class T, class Where>
void by_column(bench::problem<Where>& p, index_t most_columns,
               index_t most_rows = std::numeric_limits<index_t>::max()) {
  const index_t width = std::min(most_columns, p.n()), rows = std::min(p.n() / width, most_rows);
  const index_t n = p.n() / (rows * width) * (rows * width);
  const auto in = p.reads(bench::summands<T>{p.random()}, n);
  const auto out = p.template writes<T>(n);
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    const auto at = thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0), in_columns{width, rows});
    const auto keys = thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0), row_number{rows});
    return cub::DeviceScan::InclusiveSumByKey(memory, bytes, keys, thrust::make_permutation_iterator(in.begin(), at),
                                              thrust::make_permutation_iterator(out.begin(), at), n,
                                              ::cuda::std::equal_to<>{}, stream);
  });
#endif
  p.serial([=] {
    const T* const x = in.begin();
    T* const sums = out.begin();
    for (index_t i = 0; i < n; ++i)
      sums[i] = i % (rows * width) < width ? x[i] : static_cast<T>(sums[i - width] + x[i]);
  });
  p.onepass([=](const auto& policy) {
    onepass::inclusive_segmented_scan(policy, in.begin(), in.end(), onepass::columns(width, rows), out.begin());
  });
}

int main(int argc, char** argv) {
  return bench::run_program("segmented_scan", argc, argv, [](auto& suite) {
    suite.default_sizes({10, 16, 20, 24, 28}, {16, 20, 24, 26});
    for (const index_t length : {1, 10, 1000, 1000000, 0}) {
      suite.add("by_key/i32/" + (length == 0 ? "power" : "len" + std::to_string(length)),
                [=](auto& p) { by_key<std::int32_t>(p, length); });
    }
    bench::for_types<std::int8_t, std::int16_t, std::int64_t, float, double>([&](auto value) {
      using T = decltype(value);
      suite.add("by_key/" + bench::name_of<T>() + "/len1000", [](auto& p) { by_key<T>(p, 1000); });
    });
    for (const index_t length : {1, 51, 1000, 1000000, 0}) {
      const std::string name = length == 0 ? "power" : "len" + std::to_string(length);
      suite.add("by_flag/i32/" + name, [=](auto& p) { by_flag<std::int32_t>(p, length); });
      suite.add("by_bit/i32/" + name, [=](auto& p) { by_bit<std::int32_t>(p, length); });
    }
    for (const index_t length : {10, 1000, 1000000, 0}) {
      suite.add("by_offset/i32/" + (length == 0 ? "power" : "len" + std::to_string(length)),
                [=](auto& p) { by_offset<std::int32_t>(p, length); });
    }
    for (const index_t length : {1, 16, 100, 1000, 4096, 65536, 1 << 24})
      suite.add("by_row/f32/len" + std::to_string(length), [=](auto& p) { by_row<float>(p, length); });
    for (const index_t width : {2, 4, 16, 256, 4096, 100000}) {
      suite.add("by_column/f32/width" + std::to_string(width), [=](auto& p) { by_column<float>(p, width); });
    }
    for (const auto& [rows, width] : {std::pair{2, 2}, std::pair{16, 16}, std::pair{33, 8}, std::pair{512, 4}}) {
      suite.add("by_column/f32/" + std::to_string(rows) + "x" + std::to_string(width),
                [rows = rows, width = width](auto& p) { by_column<float>(p, width, rows); });
    }
  });
}
