// SPDX-License-Identifier: Apache-2.0
// All families of calls. Each is a file, and a list of shapes: which types, iterators and function objects a call has, chosen
// so that each comes in, and each pair of them where the library has code of its own for it; not their product.
#pragma once

#include "case.hpp"

namespace fuzz {

const std::vector<shape>& scan_shapes();
const std::vector<shape>& segmented_scan_shapes();
const std::vector<shape>& segmented_reduce_shapes();
const std::vector<shape>& columns_shapes();
const std::vector<shape>& copy_if_shapes();
const std::vector<shape>& positions_shapes();
const std::vector<shape>& remove_shapes();
const std::vector<shape>& unique_shapes();
const std::vector<shape>& partition_shapes();
const std::vector<shape>& radix_sort_shapes();
const std::vector<shape>& little_memory_shapes();
const std::vector<shape>& sort_shapes();
const std::vector<shape>& segmented_sort_shapes();
const std::vector<shape>& histogram_shapes();
const std::vector<shape>& select_shapes();

inline const std::vector<family>& families() {
  static const std::vector<family> all = {
      {"scan", scan_shapes},
      {"segmented_scan", segmented_scan_shapes},
      {"segmented_reduce", segmented_reduce_shapes},
      {"columns", columns_shapes},
      {"copy_if", copy_if_shapes},
      {"positions", positions_shapes},
      {"remove", remove_shapes},
      {"unique", unique_shapes},
      {"partition", partition_shapes},
      {"radix_sort", radix_sort_shapes},
      {"little_memory", little_memory_shapes},
      {"sort", sort_shapes},
      {"segmented_sort", segmented_sort_shapes},
      {"histogram", histogram_shapes},
      {"select", select_shapes},
  };
  return all;
}

}  // namespace fuzz
