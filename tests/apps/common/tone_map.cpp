// SPDX-License-Identifier: Apache-2.0
// Exposure and tone curve.
#include "../../../apps/common/tone_map.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace apps;

TEST(tone_map, exposure_follows_the_light) {
  std::vector<vec3> image(1000, vec3{0.5F, 0.5F, 0.5F});
  EXPECT_NEAR(find_exposure(image), 2, 1e-3);
  image.resize(100000);  // black sky doesn't count
  EXPECT_NEAR(find_exposure(image), 2, 1e-3);
  EXPECT_EQ(find_exposure({{0, 0, 0}}), 1);
  EXPECT_EQ(find_exposure({}), 1);
}

TEST(tone_map, keeps_order_and_ends) {
  std::vector<vec3> ramp;
  for (int i = 0; i <= 100; ++i) ramp.push_back(vec3{1, 1, 1} * (0.01F * static_cast<float>(i)));
  for (const bool compress : {true, false}) {
    const auto rgb = tone_mapped(ramp, 1, compress);
    ASSERT_EQ(rgb.size(), 303U);
    EXPECT_EQ(rgb.front(), 0);
    EXPECT_EQ(rgb.back(), 255);
    for (std::size_t i = 3; i < rgb.size(); ++i) EXPECT_GE(rgb[i], rgb[i - 3]);
  }
  EXPECT_GT(tone_mapped({{0.01F, 0.01F, 0.01F}}, 1, true)[0], tone_mapped({{0.01F, 0.01F, 0.01F}}, 1, false)[0]);
}

TEST(tone_map, too_bright_turns_white_not_wrong) {
  const auto rgb = tone_mapped({{4, 0.2F, 0.1F}, {100, 90, 80}}, 1, false);
  EXPECT_EQ(rgb[0], 255);
  EXPECT_GT(rgb[1], 0.2F * 255);
  EXPECT_EQ(rgb[3], 255);
  EXPECT_EQ(rgb[5], 255);
}

}  // namespace
