// SPDX-License-Identifier: Apache-2.0
// The library's reductions by keys of 1 and 2 bytes. They share kernels, which are told the size when they run.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "library_reduce.hpp"

namespace onepass::library::detail {

namespace {

struct load_key {
  const void* keys;
  int bytes;
  ONEPASS_HOST_DEVICE std::uint32_t operator()(index_t i) const {
    if (bytes == 1) return static_cast<const std::uint8_t*>(keys)[i];
    return static_cast<const std::uint16_t*>(keys)[i];
  }
};
struct store_key {
  void* keys;
  int bytes;
  ONEPASS_HOST_DEVICE void operator()(index_t i, std::uint32_t key) const {
    if (bytes == 1) static_cast<std::uint8_t*>(keys)[i] = static_cast<std::uint8_t>(key);
    else static_cast<std::uint16_t*>(keys)[i] = static_cast<std::uint16_t>(key);
  }
};

}  // namespace

std::size_t reduce_narrow_keys(const char* call, const execution& where, const_items keys, index_t n,
                               const_items values, items out_keys, items out_values, op by, std::int64_t* count) {
  const int bytes = bytes_of(keys.kind);
  const auto bytes_at = [](const void* data) { return static_cast<const char*>(data); };
  // The engine sees no pointers to these.
  const auto apart = [&](const char* name, const void* data, index_t size, const char* out_name, const void* out) {
    onepass::detail::check_begin(call, name, bytes_at(data), size, out_name, bytes_at(out), false);
  };
  apart("keys", keys.data, n * bytes, "out_keys", out_keys.data);
  apart("keys", keys.data, n * bytes, "out_values", out_values.data);
  apart("values", values.data, n * bytes_of(values.kind), "out_keys", out_keys.data);
  apart("out_keys", out_keys.data, n > 0 ? 1 : 0, "out_values", out_values.data);
  const auto first = thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0), load_key{keys.data, bytes});
  const auto to_keys = thrust::make_tabulate_output_iterator(store_key{out_keys.data, bytes});
  return reduce_runs(call, where, first, n, values, to_keys, out_values, by, count);
}

}  // namespace onepass::library::detail
