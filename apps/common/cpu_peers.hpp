// SPDX-License-Identifier: Apache-2.0
// The CPU with the standard library's algorithms, which a program's stages are compared with. cuda_peers.hpp has the same
// members for a GPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpu_backend.hpp"

namespace apps {

class cpu_with_peers : public cpu_backend {
 public:
  static constexpr const char* copy_if_name = "std::copy_if";
  static constexpr const char* scan_name = "std::inclusive_scan";
  static constexpr const char* sort_keys_name = "std::sort";
  static constexpr const char* sort_name = "std::stable_sort";
  static constexpr const char* run_lengths_name = "a loop";  // the standard library has no run lengths
  static constexpr const char* histogram_name = "a loop";

  using cpu_backend::cpu_backend;

  template <class In1, class In2>
  bool equal(In1 first, In1 last, In2 other) const {
    return std::equal(first, last, other);
  }
  template <class In, class Out, class Predicate>
  Out peer_copy_if(In first, In last, Out out, Predicate predicate) const {
    return std::copy_if(first, last, out, predicate);
  }
  template <class In, class Out, class Op = std::plus<>>
  void peer_inclusive_scan(In first, In last, Out out, Op op = {}) const {
    std::inclusive_scan(first, last, out, op);
  }
  template <class Keys>
  void peer_sort_keys(Keys first, Keys last) const {
    std::sort(first, last);
  }
  // The end of the keys that it writes, one for each run of equal ones.
  template <class In, class Out, class Lengths>
  Out peer_run_lengths(In first, In last, Out keys, Lengths lengths) const {
    for (In begin = first; begin != last; ++keys, ++lengths) {
      const In end = std::find_if(begin, last, [begin](const auto& key) { return key != *begin; });
      *keys = *begin;
      *lengths = static_cast<std::decay_t<decltype(*lengths)>>(end - begin);
      begin = end;
    }
    return keys;
  }

  // counts[i]: how many are i.
  template <class In>
  void peer_histogram(In first, In last, std::int64_t bins, std::uint32_t* counts) const {
    std::fill_n(counts, bins, 0U);
    for (; first != last; ++first) ++counts[*first];
  }

  // What the peer sorts: std::stable_sort has no values beside its keys, so it gets pairs.
  template <class Key, class Order>
  class peer_sort {
   public:
    peer_sort(const cpu_with_peers&, const vector<Key>& keys, const vector<std::uint32_t>& values, std::size_t count)
        : pairs_(count) {
      for (std::size_t i = 0; i < count; ++i) pairs_[i] = {keys[i], values[i]};
    }
    void run() {
      std::stable_sort(pairs_.begin(), pairs_.end(),
                       [](const auto& a, const auto& b) { return Order()(a.first, b.first); });
    }
    bool equals(const vector<Key>& keys, const vector<std::uint32_t>& values) const {
      for (std::size_t i = 0; i < pairs_.size(); ++i) {
        if (pairs_[i].first != keys[i] || pairs_[i].second != values[i]) return false;
      }
      return true;
    }

   private:
    std::vector<std::pair<Key, std::uint32_t>> pairs_;
  };
};

}  // namespace apps
