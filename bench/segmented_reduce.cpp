// SPDX-License-Identifier: Apache-2.0
// Benchmarks of onepass/segmented_reduce.hpp: keys and values read once, one key and one result a run written. lenN: the
// runs' mean length; power: lengths follow a power law. onepass's and CUB's calls leave the count on the device. By
// offsets, a fourth of the segments is empty.
// Peers: cub::DeviceReduce::ReduceByKey, cub::DeviceRunLengthEncode, cub::DeviceSegmentedReduce and Thrust on the GPU; a
// plain loop and Thrust on OpenMP on the CPU.
#include <onepass/segmented_reduce.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>

#include "support/program.hpp"
#if ONEPASS_HAS_CUDA
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#endif

using onepass::index_t;

// The reference of both: out[k] = the sum of value(i) over run k.
template <class K, class V, class Value>
index_t sum_runs(const K* keys, index_t n, K* out_keys, V* out, Value value) {
  index_t runs = 0;
  for (index_t i = 0; i < n; ++i) {
    if (i > 0 && keys[i] == keys[i - 1]) {
      out[runs - 1] = static_cast<V>(out[runs - 1] + value(i));
    } else {
      out_keys[runs] = keys[i];
      out[runs++] = value(i);
    }
  }
  return runs;
}

template <class K, class V, class Where>
void reduce_by_key(bench::problem<Where>& p, index_t length) {
  const auto keys = p.reads(bench::segment_keys<K>{{p.random(), length}});
  const auto values = p.reads(bench::summands<V>{p.random()});
  const auto keys_out = p.template writes<K>();
  const auto sums = p.template writes<V>();
  const auto count = p.writes_count();
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceReduce::ReduceByKey(memory, bytes, keys.begin(), keys_out.begin(), values.begin(), sums.begin(),
                                          count.begin(), ::cuda::std::plus<>{}, keys.size(), stream);
  });
#endif
  p.serial([=] {
    const auto value = [v = values.begin()](index_t i) { return v[i]; };
    return sum_runs(keys.begin(), keys.size(), keys_out.begin(), sums.begin(), value);
  });
  p.thrust([=](const auto& policy) -> index_t {
    return thrust::reduce_by_key(policy, keys.begin(), keys.end(), values.begin(), keys_out.begin(), sums.begin())
               .first -
           keys_out.begin();
  });
  p.onepass([=](const auto& policy) {
    onepass::reduce_by_key_async(policy, keys.begin(), keys.end(), values.begin(), keys_out.begin(), sums.begin(),
                                 ::cuda::std::equal_to<>{}, onepass::sum{}, count.begin());
  });
}

template <class K, class Where>
void run_length_encode(bench::problem<Where>& p, index_t length) {
  const auto keys = p.reads(bench::segment_keys<K>{{p.random(), length}});
  const auto keys_out = p.template writes<K>();
  const auto lengths = p.template writes<std::int32_t>();
  const auto count = p.writes_count();
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceRunLengthEncode::Encode(memory, bytes, keys.begin(), keys_out.begin(), lengths.begin(),
                                              count.begin(), keys.size(), stream);
  });
#endif
  p.serial([=] {
    return sum_runs(keys.begin(), keys.size(), keys_out.begin(), lengths.begin(), [](index_t) { return 1; });
  });
  p.onepass([=](const auto& policy) {
    onepass::run_length_encode_async(policy, keys.begin(), keys.end(), keys_out.begin(), lengths.begin(),
                                     count.begin());
  });
}

// Offsets from 0 to n, each fourth of which is there twice.
struct offsets_with_empty_segments {
  using type = index_t;
  bench::segment_offsets offsets;
  index_t n;
  ONEPASS_HOST_DEVICE index_t operator()(index_t i) const {
    const index_t offset = offsets(i - (i + 1) / 4);
    return offset < n ? offset : n;
  }
};

template <class Where>
bench::range<index_t> random_offsets(bench::problem<Where>& p, index_t length) {
  const index_t different = (p.n() + length - 1) / length + 2, count = different + different / 3 + 1;
  return p.reads(offsets_with_empty_segments{{{p.random(), length}}, p.n()}, count);
}

// items(): the iterator at the first of n items.
template <class T, class Where, class Items>
void sums_by_offset(bench::problem<Where>& p, const bench::range<index_t>& offsets, Items items) {
  const index_t n = p.n();
  const auto out = p.template writes<T>(offsets.size() - 1);
#if ONEPASS_HAS_CUDA
  p.cub([=](void* memory, auto& bytes, auto stream) {
    return cub::DeviceSegmentedReduce::Sum(memory, bytes, items(), out.begin(), out.size(), offsets.begin(),
                                           offsets.begin() + 1, stream);
  });
#endif
  p.serial([=] {
    const auto first = items();
    for (index_t s = 0; s < out.size(); ++s) {
      T total{};
      for (index_t i = offsets.begin()[s]; i < offsets.begin()[s + 1]; ++i) total = static_cast<T>(total + first[i]);
      out.begin()[s] = total;
    }
  });
  p.onepass([=](const auto& policy) {
    const auto first = items();
    onepass::segmented_reduce(policy, first, first + n, onepass::offsets(offsets.begin(), offsets.end()), out.begin());
  });
}

template <class T, class Where>
void by_offset(bench::problem<Where>& p, index_t length) {
  const auto offsets = random_offsets(p, length);
  const auto in = p.reads(bench::summands<T>{p.random()});
  sums_by_offset<T>(p, offsets, [in] { return in.begin(); });
}

struct random_columns {
  using type = std::int32_t;
  bench::random_bits random;
  index_t rows;
  ONEPASS_HOST_DEVICE type operator()(index_t i) const { return static_cast<type>((random(i) >> 16) % rows); }
};
template <class T>
struct product_at {
  const T* value;
  const std::int32_t* column;
  const T* x;
  ONEPASS_HOST_DEVICE T operator()(index_t i) const { return value[i] * x[column[i]]; }
};
// A sparse matrix times a vector, which has as many items as the matrix has rows.
template <class T, class Where>
void matrix_product(bench::problem<Where>& p, index_t length) {
  const auto offsets = random_offsets(p, length);
  const index_t rows = offsets.size() - 1;
  const auto values = p.reads(bench::summands<T>{p.random()});
  const auto columns = p.reads(random_columns{p.random(), rows});
  const auto x = p.reads(bench::summands<T>{p.random()}, rows);
  sums_by_offset<T>(p, offsets, [=] {
    const product_at<T> product{values.begin(), columns.begin(), x.begin()};
    return thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0), product);
  });
}

int main(int argc, char** argv) {
  return bench::run_program("segmented_reduce", argc, argv, [](auto& suite) {
    suite.default_sizes({16, 20, 24, 28}, {16, 20, 24, 26});
    for (const index_t length : {2, 1000, 0}) {
      const std::string name = length == 0 ? "power" : "len" + std::to_string(length);
      suite.add("reduce_by_key/i32-i32/" + name,
                [=](auto& p) { reduce_by_key<std::int32_t, std::int32_t>(p, length); });
      suite.add("run_length_encode/i32/" + name, [=](auto& p) { run_length_encode<std::int32_t>(p, length); });
    }
    for (const index_t length : {10, 50, 1000, 10000}) {
      suite.add("by_offset/f32/len" + std::to_string(length), [=](auto& p) { by_offset<float>(p, length); });
    }
    for (const index_t length : {10, 100}) {
      suite.add("matrix_product/f32/len" + std::to_string(length), [=](auto& p) { matrix_product<float>(p, length); });
    }
    suite.add("reduce_by_key/i32-f64/len1000", [](auto& p) { reduce_by_key<std::int32_t, double>(p, 1000); });
  });
}
