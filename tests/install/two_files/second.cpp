// SPDX-License-Identifier: Apache-2.0
// Segments by offsets in memory.
#include <onepass/segmented_scan.hpp>

#include <vector>

namespace second_file {

constexpr int items = 1 << 20, segment_items = 16, segments = items / segment_items;

}  // namespace second_file

__attribute__((visibility("default"))) bool second_works() {
  using namespace second_file;
  std::vector<float> in(items, 1.0f), out(items);
  std::vector<int> begins(segments);
  for (int s = 0; s < segments; ++s) begins[static_cast<std::size_t>(s)] = s * segment_items;
  onepass::inclusive_segmented_scan(onepass::cpu(), in.begin(), in.end(),
                                    onepass::offsets(begins.begin(), begins.end()), out.begin());
  bool right = true;
  for (std::size_t i = 0; i < items; ++i) right = right && out[i] == static_cast<float>(i % segment_items + 1);
  return right;
}
