// SPDX-License-Identifier: Apache-2.0
// Whole runs through the plain interface: each backend agrees with its peers, and both draw the same picture.
#include "../../../apps/particle_culling/run.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "../../../apps/common/backend.hpp"

namespace {

using namespace particle_culling;
using apps::backend_kind;
using apps::why_no_cuda;

options small_run(backend_kind backend) {
  options wanted;
  wanted.frames = 3;
  wanted.width = 320;
  wanted.height = 200;
  wanted.backend = backend;
  return wanted;
}

struct outcome {
  run_report report;
  std::vector<vec3> image;  // the last one
};

outcome run(backend_kind backend) {
  outcome result;
  int calls = 0;
  result.report = run_frames(scene_of_galaxy(100000, 6), small_run(backend), [&](int frame, const auto& image) {
    EXPECT_EQ(frame, calls++);
    result.image = image;
  });
  EXPECT_EQ(calls, 3);
  return result;
}

void expect_sound(const outcome& got) {
  EXPECT_TRUE(all_agree(got.report));
  ASSERT_EQ(got.report.frames.size(), 3U);
  for (const frame_result& frame : got.report.frames) {
    EXPECT_EQ(frame.particles, 100000U);
    EXPECT_GE(frame.particles, frame.alive);
    EXPECT_GE(frame.alive, frame.visible);
    EXPECT_GT(frame.visible, 50000U);
    EXPECT_GE(frame.tile_entries, frame.visible / 2);
  }
  EXPECT_EQ(got.image.size(), 320U * 200U);
}

TEST(run, galaxy_cpu) {
  const outcome got = run(backend_kind::cpu);
  expect_sound(got);
  EXPECT_EQ(got.report.backend.rfind("cpu, ", 0), 0U);
}

TEST(run, galaxy_gpu) {
  if (!why_no_cuda().empty()) GTEST_SKIP() << why_no_cuda();
  const outcome got = run(backend_kind::cuda);
  expect_sound(got);
  EXPECT_EQ(got.report.backend.rfind("cuda, ", 0), 0U);

  // Rounding may put a particle on the other side of a border, and sums of colours differ in their last bits.
  const outcome same = run(backend_kind::cpu);
  double difference = 0, light = 0;
  for (std::size_t i = 0; i < same.image.size(); ++i) {
    difference += length(same.image[i] - got.image[i]);
    light += length(same.image[i]);
  }
  EXPECT_GT(light, 0);
  EXPECT_LT(difference / light, 1e-2);
  const double visible = static_cast<double>(same.report.frames[2].visible);
  EXPECT_NEAR(static_cast<double>(got.report.frames[2].visible) / visible, 1, 1e-3);
}

}  // namespace
