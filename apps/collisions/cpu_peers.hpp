// SPDX-License-Identifier: Apache-2.0
// The CPU as the steps see it: with a peer for the stage that no other program has. cuda_peers.hpp has the same for a GPU.
#pragma once

#include "../common/cpu_peers.hpp"

namespace collisions {

class cpu_backend : public apps::cpu_with_peers {
 public:
  static constexpr const char* reduce_name = "a loop";  // the standard library has no reduction by key

  using apps::cpu_with_peers::cpu_with_peers;

  // The end of the keys that it writes, one for each run of equal ones.
  template <class Keys, class Values, class KeysOut, class Out, class Op>
  KeysOut peer_reduce_by_key(Keys first, Keys last, Values values, KeysOut keys, Out out, Op op) const {
    while (first != last) {
      const auto key = *first;
      auto sum = *values;
      for (++first, ++values; first != last && *first == key; ++first, ++values) sum = op(sum, *values);
      *keys++ = key;
      *out++ = sum;
    }
    return keys;
  }
};

}  // namespace collisions
