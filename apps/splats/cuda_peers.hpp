// SPDX-License-Identifier: Apache-2.0
// A GPU as a frame sees it, with CUB's sorts, which take bits and segments, as peers. Only in sources that nvcc compiles.
#pragma once

#include <onepass/radix_options.hpp>

#include "../common/cuda_peers.hpp"

#if ONEPASS_HAS_CUDA
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <cstddef>
#include <cstdint>

namespace splats {

class cuda_backend : public apps::cuda_with_peers {
 public:
  static constexpr bool draws_by_pixel = true;
  static constexpr const char* sort_name = "cub::DeviceRadixSort";
  static constexpr const char* segmented_sort_name = "cub::DeviceSegmentedSort";

  // A stable sort of a copy by the keys' bits from begin_bit to before end_bit; with offsets, of each segment between two, by
  // all bits. All its memory is allocated before.
  template <class Key>
  class peer_bit_sort {
   public:
    peer_bit_sort(const cuda_backend& backend, const vector<Key>& keys, const vector<std::uint32_t>& values,
                  std::int64_t count, onepass::radix_options bits, const vector<onepass::index_t>* offsets = nullptr)
        : backend_(backend),
          count_(count),
          bits_(bits),
          offsets_(offsets),
          keys_(keys.begin(), keys.begin() + count),
          values_(values.begin(), values.begin() + count),
          other_keys_(keys_.size()),
          other_values_(values_.size()),
          key_buffer_(apps::pointer_to(keys_), apps::pointer_to(other_keys_)),
          value_buffer_(apps::pointer_to(values_), apps::pointer_to(other_values_)) {
      sort(nullptr);
      memory_.resize(bytes_);
    }

    void run() { sort(apps::pointer_to(memory_)); }

    bool equals(const vector<Key>& keys, const vector<std::uint32_t>& values) const {
      const auto& sorted_keys = key_buffer_.selector == 0 ? keys_ : other_keys_;
      const auto& sorted_values = value_buffer_.selector == 0 ? values_ : other_values_;
      return backend_.equal(sorted_keys.begin(), sorted_keys.end(), keys.begin()) &&
             backend_.equal(sorted_values.begin(), sorted_values.end(), values.begin());
    }

   private:
    void sort(void* memory) {
      if (offsets_ == nullptr) {
        check(cub::DeviceRadixSort::SortPairs(memory, bytes_, key_buffer_, value_buffer_, count_, bits_.begin_bit,
                                              bits_.end_bit, backend_.stream()),
              "cub::DeviceRadixSort::SortPairs");
        return;
      }
      const onepass::index_t* const begins = apps::pointer_to(*offsets_);
      check(cub::DeviceSegmentedSort::StableSortPairs(memory, bytes_, key_buffer_, value_buffer_, count_,
                                                      static_cast<std::int64_t>(offsets_->size()) - 1, begins,
                                                      begins + 1, backend_.stream()),
            "cub::DeviceSegmentedSort::StableSortPairs");
    }

    const cuda_backend& backend_;
    std::int64_t count_;
    onepass::radix_options bits_;
    const vector<onepass::index_t>* offsets_;
    vector<Key> keys_;
    vector<std::uint32_t> values_;
    vector<Key> other_keys_;
    vector<std::uint32_t> other_values_;
    cub::DoubleBuffer<Key> key_buffer_;
    cub::DoubleBuffer<std::uint32_t> value_buffer_;
    vector<char> memory_;
    std::size_t bytes_ = 0;
  };
};

}  // namespace splats
#endif
