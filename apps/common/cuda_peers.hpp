// SPDX-License-Identifier: Apache-2.0
// A GPU with Thrust's algorithms, which a program's stages are compared with. Only in sources that nvcc compiles.
#pragma once

#include "cuda_backend.hpp"
#include "vectors.hpp"

#if ONEPASS_HAS_CUDA
#include <cub/device/device_histogram.cuh>
#include <thrust/copy.h>
#include <thrust/equal.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace apps {

class cuda_with_peers : public cuda_backend {
 public:
  static constexpr const char* copy_if_name = "thrust::copy_if";
  static constexpr const char* scan_name = "thrust::inclusive_scan";
  static constexpr const char* sort_keys_name = "thrust::sort";
  static constexpr const char* histogram_name = "cub::DeviceHistogram";
  static constexpr const char* sort_name = "thrust::stable_sort_by_key";
  static constexpr const char* run_lengths_name = "thrust::reduce_by_key";

  template <class In1, class In2>
  bool equal(In1 first, In1 last, In2 other) const {
    return thrust::equal(peer_policy(), first, last, other);
  }
  template <class In, class Out, class Predicate>
  Out peer_copy_if(In first, In last, Out out, Predicate predicate) const {
    return thrust::copy_if(peer_policy(), first, last, out, predicate);
  }
  template <class In, class Out, class Op = thrust::plus<>>
  void peer_inclusive_scan(In first, In last, Out out, Op op = {}) const {
    thrust::inclusive_scan(peer_policy(), first, last, out, op);
  }
  template <class Keys>
  void peer_sort_keys(Keys first, Keys last) const {
    thrust::sort(peer_policy(), first, last);
  }
  // The end of the keys that it writes, one for each run of equal ones.
  template <class In, class Out, class Lengths>
  Out peer_run_lengths(In first, In last, Out keys, Lengths lengths) const {
    const thrust::constant_iterator<typename std::iterator_traits<Lengths>::value_type> one(1);
    return thrust::reduce_by_key(peer_policy(), first, last, one, keys, lengths).first;
  }

  // counts[i]: how many are i.
  template <class In>
  void peer_histogram(In first, In last, std::int64_t bins, std::uint32_t* counts) const {
    std::size_t bytes = 0;
    const auto count = [&](void* memory) {
      check(cub::DeviceHistogram::HistogramEven(memory, bytes, first, counts, static_cast<int>(bins) + 1, 0,
                                                static_cast<int>(bins), last - first, stream()),
            "cub::DeviceHistogram::HistogramEven");
    };
    count(nullptr);
    vector<char> memory(bytes);
    count(pointer_to(memory));
    wait();
  }

  // What the peer sorts, a copy.
  template <class Key, class Order>
  class peer_sort {
   public:
    peer_sort(const cuda_with_peers& backend, const vector<Key>& keys, const vector<std::uint32_t>& values,
              std::size_t count)
        : backend_(backend),
          keys_(keys.begin(), keys.begin() + count),
          values_(values.begin(), values.begin() + count) {}
    void run() {
      thrust::stable_sort_by_key(backend_.peer_policy(), keys_.begin(), keys_.end(), values_.begin(), Order());
    }
    bool equals(const vector<Key>& keys, const vector<std::uint32_t>& values) const {
      return backend_.equal(keys_.begin(), keys_.end(), keys.begin()) &&
             backend_.equal(values_.begin(), values_.end(), values.begin());
    }

   private:
    const cuda_with_peers& backend_;
    vector<Key> keys_;
    vector<std::uint32_t> values_;
  };
};

}  // namespace apps
#endif
