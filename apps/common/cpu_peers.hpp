// SPDX-License-Identifier: Apache-2.0
// The CPU with the standard library's algorithms, which a program's stages are compared with. cuda_peers.hpp has the same
// members for a GPU.
#pragma once

#include <algorithm>
#include <numeric>

#include "cpu_backend.hpp"

namespace apps {

class cpu_with_peers : public cpu_backend {
 public:
  static constexpr const char* copy_if_name = "std::copy_if";
  static constexpr const char* scan_name = "std::inclusive_scan";
  static constexpr const char* sort_keys_name = "std::sort";
  static constexpr const char* run_lengths_name = "a loop";  // the standard library has no run lengths

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
};

}  // namespace apps
