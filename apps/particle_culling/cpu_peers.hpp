// SPDX-License-Identifier: Apache-2.0
// The CPU as the frame pipeline sees it: with peers for the stages that no other program has. cuda_peers.hpp has the same
// members for a GPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../common/cpu_peers.hpp"

namespace particle_culling {

class cpu_backend : public apps::cpu_with_peers {
 public:
  static constexpr bool draws_by_pixel = false;
  static constexpr const char* sort_name = "std::stable_sort";
  static constexpr const char* count_name = "a loop";  // the standard library has no scan by key

  using apps::cpu_with_peers::cpu_with_peers;

  template <class Keys, class Out>
  void peer_running_count(Keys first, Keys last, Out out) const {
    std::uint32_t number = 0;
    for (Keys key = first; key != last; ++key, ++out) {
      number = key != first && *key == *(key - 1) ? number + 1 : 1;
      *out = number;
    }
  }

  // What the peer sorts: std::stable_sort has no values beside its keys, so it gets pairs.
  template <class Key, class Order>
  class peer_sort {
   public:
    peer_sort(const cpu_backend&, const vector<Key>& keys, const vector<std::uint32_t>& values, std::size_t count)
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

}  // namespace particle_culling
