// SPDX-License-Identifier: Apache-2.0
// Segments by computed offsets; and an error, which the caller catches.
#include <onepass/segmented_scan.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <vector>

namespace first_file {

constexpr int items = 1 << 20, segment_items = 16, segments = items / segment_items;

struct begin_of_segment {
  int operator()(int segment) const { return segment * segment_items; }
};

}  // namespace first_file

__attribute__((visibility("default"))) bool first_works() {
  using namespace first_file;
  std::vector<float> in(items, 1.0f), out(items);
  const auto begins = thrust::make_transform_iterator(thrust::make_counting_iterator(0), begin_of_segment());
  onepass::inclusive_segmented_scan(onepass::cpu(), in.begin(), in.end(), onepass::offsets(begins, begins + segments),
                                    out.begin());
  bool right = true;
  for (std::size_t i = 0; i < items; ++i) right = right && out[i] == static_cast<float>(i % segment_items + 1);
  try {
    onepass::inclusive_segmented_scan(onepass::cpu(), in.end(), in.begin(), onepass::offsets(begins, begins + segments),
                                      out.begin());
    return false;
  } catch (const onepass::invalid_argument&) {
    return right;
  }
}
