// SPDX-License-Identifier: Apache-2.0
// The CPU as the frame pipeline sees it: with peers for the stages that no other program has. cuda_peers.hpp has the same
// members for a GPU.
#pragma once

#include <cstdint>

#include "../common/cpu_peers.hpp"

namespace particle_culling {

class cpu_backend : public apps::cpu_with_peers {
 public:
  static constexpr bool draws_by_pixel = false;
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
};

}  // namespace particle_culling
