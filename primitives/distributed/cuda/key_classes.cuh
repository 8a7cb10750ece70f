// SPDX-License-Identifier: Apache-2.0
// Classes of keys on a GPU, for a partition by borders. A border is a threshold, and the keys from it on are of a higher
// class. Where some keys equal to the border go below it, these are a class of their own: the next number is a threshold,
// too. Then each border cuts the items, in the order of their classes, at one index.
#pragma once

#include "../share_groups.hpp"
#include "device_gather.cuh"

namespace onepass::detail {

// A key's class, as a digit: how many thresholds are not above the key. Most top digits have keys of one class alone.
template <class K>
struct class_digit {
  static constexpr std::uint16_t several = 0xffff;
  bits_in_order<K> order;
  int left;                     // bits below the top digit
  const std::uint16_t* of_top;  // the class of all keys with a top digit, or `several`
  const key_bits_t<K>* thresholds;
  int size;
  ONEPASS_HOST_DEVICE int positions() const { return 1; }
  ONEPASS_HOST_DEVICE class_digit at(int) const { return *this; }
  ONEPASS_HOST_DEVICE unsigned operator()(const K& key) const {
    const key_bits_t<K> b = order.of(key);
    const std::uint16_t known = of_top[static_cast<std::size_t>(b >> left)];
    if (known != several) return known;
    int low = 0, high = size;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (thresholds[middle] <= b) low = middle + 1;
      else high = middle;
    }
    return static_cast<unsigned>(low);
  }
};

template <class K>
class key_classes {
  using bits = key_bits_t<K>;

 public:
  static constexpr std::size_t most_thresholds = digit_values - 1;

  explicit key_classes(const distributed::splitter_set<K>& borders)
      : order_(borders.options), left_(std::max(0, order_.width - digit_bits)) {
    for (const auto& border : borders.borders) {
      thresholds_.push_back(border.key);
      if (border.ties > 0 && border.key != order_.mask) thresholds_.push_back(static_cast<bits>(border.key + 1));
    }
    std::sort(thresholds_.begin(), thresholds_.end());
    thresholds_.erase(std::unique(thresholds_.begin(), thresholds_.end()), thresholds_.end());
  }
  bool fit() const { return thresholds_.size() <= most_thresholds; }
  std::size_t of_bits(bits b) const {
    return static_cast<std::size_t>(std::upper_bound(thresholds_.begin(), thresholds_.end(), b) - thresholds_.begin());
  }

  // Copies what the digit reads to the device.
  class_digit<K> digit(const char* call, stream_t stream) {
    std::vector<std::uint16_t> of_top(digit_values, class_digit<K>::several);
    for (std::size_t top = 0; top <= static_cast<std::size_t>(order_.mask >> left_); ++top) {
      const auto lowest = static_cast<bits>(static_cast<bits>(top) << left_);
      const auto highest = static_cast<bits>(lowest | static_cast<bits>((bits{1} << left_) - 1));
      if (of_bits(lowest) == of_bits(highest)) of_top[top] = static_cast<std::uint16_t>(of_bits(lowest));
    }
    of_top_.allocate(call, static_cast<index_t>(of_top.size()), stream);
    on_device_.allocate(call, static_cast<index_t>(thresholds_.size()), stream);
    copy(call, of_top_.data(), of_top, stream);
    copy(call, on_device_.data(), thresholds_, stream);
    return {order_, left_, of_top_.data(), on_device_.data(), static_cast<int>(thresholds_.size())};
  }

 private:
  template <class T>
  static void copy(const char* call, T* to, const std::vector<T>& from, stream_t stream) {
    if (from.empty()) return;
    check_cuda(call, cudaMemcpyAsync(to, from.data(), from.size() * sizeof(T), cudaMemcpyDefault, stream));
  }

  bits_in_order<K> order_;
  int left_;
  std::vector<bits> thresholds_;
  device_items<std::uint16_t> of_top_;
  device_items<bits> on_device_;
};

}  // namespace onepass::detail
