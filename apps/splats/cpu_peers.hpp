// SPDX-License-Identifier: Apache-2.0
// The CPU as a frame sees it: with peers for the stages that no other program has. cuda_peers.hpp has the same for a GPU.
#pragma once

#include <onepass/radix_options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../common/cpu_peers.hpp"

namespace splats {

class cpu_backend : public apps::cpu_with_peers {
 public:
  static constexpr bool draws_by_pixel = false;
  static constexpr const char* segmented_sort_name = "std::stable_sort of each";

  using apps::cpu_with_peers::cpu_with_peers;

  // A stable sort of a copy by the keys' bits from begin_bit to before end_bit; with offsets, of each segment between two.
  template <class Key>
  class peer_bit_sort {
   public:
    peer_bit_sort(const cpu_backend&, const vector<Key>& keys, const vector<std::uint32_t>& values, std::int64_t count,
                  onepass::radix_options bits, const vector<onepass::index_t>* offsets = nullptr)
        : bits_(bits), offsets_{0, count} {
      if (offsets != nullptr) offsets_.assign(offsets->begin(), offsets->end());
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) pairs_.push_back({keys[i], values[i]});
    }

    void run() {
      const int above = static_cast<int>(8 * sizeof(Key)) - bits_.end_bit;
      const auto bits_of = [&](Key key) { return static_cast<Key>(key << above) >> (above + bits_.begin_bit); };
      for (std::size_t i = 0; i + 1 < offsets_.size(); ++i) {
        std::stable_sort(pairs_.begin() + offsets_[i], pairs_.begin() + offsets_[i + 1],
                         [&](const auto& a, const auto& b) { return bits_of(a.first) < bits_of(b.first); });
      }
    }

    bool equals(const vector<Key>& keys, const vector<std::uint32_t>& values) const {
      for (std::size_t i = 0; i < pairs_.size(); ++i) {
        if (pairs_[i].first != keys[i] || pairs_[i].second != values[i]) return false;
      }
      return true;
    }

   private:
    onepass::radix_options bits_;
    std::vector<onepass::index_t> offsets_;
    std::vector<std::pair<Key, std::uint32_t>> pairs_;
  };
};

}  // namespace splats
