// SPDX-License-Identifier: Apache-2.0
// Pictures of splats: known values, the Gaussian in double precision, and the serial program, bit by bit, for every sort. This
// file is over 300 lines because a Gaussian in double precision is written out.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "../../../apps/common/backend.hpp"
#include "../../../apps/splats/blending.hpp"
#include "../../../apps/splats/plain_splats.hpp"
#include "../../../apps/splats/run.hpp"

namespace {

using apps::backend_kind;
using splats::camera;
using splats::gaussian;
using splats::scene;
using splats::sort_way;
using splats::vec3;

constexpr sort_way all_ways[] = {sort_way::global, sort_way::segmented, sort_way::depth};

camera straight_view(int width, int height, float focal) {  // along -z, from the origin
  camera view;
  view.width = width;
  view.height = height;
  view.focal = focal;
  view.nearest = 0.1F;
  return view;
}

float logit_of(double share) { return static_cast<float>(std::log(share / (1 - share))); }

// Of one colour from all sides.
void add(scene& to, vec3 position, std::array<double, 3> scale, std::array<float, 4> rotation, double opacity,
         vec3 colour) {
  to.gaussians.push_back({position,
                          {static_cast<float>(std::log(scale[0])), static_cast<float>(std::log(scale[1])),
                           static_cast<float>(std::log(scale[2]))},
                          rotation,
                          logit_of(opacity)});
  to.colours.push_back((colour - vec3{0.5F, 0.5F, 0.5F}) * (1 / 0.28209479F));
}

bool same_bits(const std::vector<vec3>& a, const std::vector<vec3>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(vec3)) == 0;
}

std::vector<vec3> serial(const scene& what, const camera& view) {
  return plainly_drawn(what, solid_splats(what.gaussians), view);
}

void expect_all_ways_agree(const scene& what, const camera& view, backend_kind backend, const char* name,
                           std::int64_t room = 0) {
  const std::vector<vec3> expected = serial(what, view);
  for (const sort_way way : all_ways) {
    for (const int threads : {1, 3}) {
      EXPECT_TRUE(same_bits(drawn(what, view, way, backend, threads, room), expected))
          << name << ", sort " << static_cast<int>(way) << ", " << threads << " threads";
    }
  }
}

TEST(pictures, exponential) {
  for (float x = -8; x <= 0; x += 0.0007F) {
    const double expected = std::exp(double{x});
    EXPECT_NEAR(splats::exponential(x), expected, 1.5e-6 * expected) << x;
  }
  EXPECT_EQ(splats::exponential(0), 1);
}

TEST(pictures, one_round_splat_cpu) {
  scene what;
  what.background = {0.25F, 0.5F, 0.125F};
  add(what, {0, 0, -2}, {0.1, 0.1, 0.1}, {1, 0, 0, 0}, 0.8, {1, 0.5F, 0});
  const camera view = straight_view(65, 33, 80);  // the splat's centre is that of pixel (32, 16)
  const std::vector<vec3> picture = drawn(what, view, sort_way::global, backend_kind::cpu, 1);
  const double variance = 80 * 0.1 / 2 * (80 * 0.1 / 2) + 0.3;
  for (int y = 0; y < 33; ++y) {
    for (int x = 0; x < 65; ++x) {
      const double squared = (x - 32) * (x - 32) + (y - 16) * (y - 16);
      double alpha = 0.8 * std::exp(-0.5 * squared / variance);
      if (std::abs(alpha - 1.0 / 255) < 1e-5) continue;  // either would do
      if (alpha < 1.0 / 255) alpha = 0;
      const vec3 got = picture[static_cast<std::size_t>(y * 65 + x)];
      EXPECT_NEAR(got.x, alpha * 1 + (1 - alpha) * 0.25, 2e-6) << x << ", " << y;
      EXPECT_NEAR(got.y, 0.5, 2e-6);
      EXPECT_NEAR(got.z, (1 - alpha) * 0.125, 2e-6);
    }
  }
}

// Deviations 0.5, 0.1 and 0.05 along axes rotated by 60 degrees about the direction of the view, and then tilted.
TEST(pictures, rotated_splat_is_the_projected_gaussian_cpu) {
  const double half = 0.5235987755982988, tilt = 0.35;
  const double turn[4] = {std::cos(half), 0, 0, std::sin(half)}, lean[4] = {std::cos(tilt), std::sin(tilt), 0, 0};
  const std::array<float, 4> rotation{
      static_cast<float>(3 * lean[0] * turn[0]), static_cast<float>(3 * lean[1] * turn[0]),
      static_cast<float>(-3 * lean[1] * turn[3]),
      static_cast<float>(3 * lean[0] * turn[3])};  // lean after turn, three times as long
  scene what;
  const vec3 at{0.3F, -0.2F, -3};
  add(what, at, {0.5, 0.1, 0.05}, rotation, 0.6, {1, 1, 1});
  const camera view = straight_view(120, 90, 100);

  // The same in double precision: axes by turning, and tilting, unit vectors.
  double covariance[3][3] = {};
  const double scale[3] = {0.5, 0.1, 0.05};
  for (int axis = 0; axis < 3; ++axis) {
    const double v[3] = {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
    const double c = std::cos(2 * half), s = std::sin(2 * half);
    const double rotated[3] = {c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]};
    const double d = std::cos(2 * tilt), e = std::sin(2 * tilt);
    const double tilted[3] = {rotated[0], d * rotated[1] - e * rotated[2], e * rotated[1] + d * rotated[2]};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) covariance[i][j] += scale[axis] * scale[axis] * tilted[i] * tilted[j];
    }
  }
  // A pixel moves by these with a point: x = 60 + 100 px / -pz, y = 45 - 100 py / -pz.
  const double z = 3, across[3] = {100 / z, 0, 100 * 0.3 / (z * z)}, down[3] = {0, -100 / z, 100 * 0.2 / (z * z)};
  double xx = 0.3, xy = 0, yy = 0.3;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      xx += across[i] * covariance[i][j] * across[j];
      xy += across[i] * covariance[i][j] * down[j];
      yy += down[i] * covariance[i][j] * down[j];
    }
  }
  const double determinant = xx * yy - xy * xy;
  const std::vector<vec3> picture = drawn(what, view, sort_way::segmented, backend_kind::cpu, 2);
  int lit = 0;
  for (int y = 0; y < 90; ++y) {
    for (int x = 0; x < 120; ++x) {
      const double dx = x + 0.5 - 70, dy = y + 0.5 - (45 + 20.0 / 3);
      double alpha = 0.6 * std::exp(-0.5 * (yy * dx * dx - 2 * xy * dx * dy + xx * dy * dy) / determinant);
      if (std::abs(alpha - 1.0 / 255) < 3e-5) continue;
      if (alpha < 1.0 / 255) alpha = 0;
      lit += alpha > 0 ? 1 : 0;
      EXPECT_NEAR(picture[static_cast<std::size_t>(y * 120 + x)].x, alpha, 2e-5) << x << ", " << y;
    }
  }
  EXPECT_GT(lit, 500);
}

TEST(pictures, front_to_back_with_a_stop_cpu) {
  const camera view = straight_view(1, 1, 100);
  scene what;  // large enough to be even over the pixel; listed back to front
  add(what, {0, 0, -4}, {50, 50, 50}, {1, 0, 0, 0}, 0.9, {0, 0, 1});
  add(what, {0, 0, -3}, {50, 50, 50}, {1, 0, 0, 0}, 0.5, {0, 1, 0});
  add(what, {0, 0, -2}, {50, 50, 50}, {1, 0, 0, 0}, 0.25, {1, 0, 0});
  std::vector<vec3> picture = drawn(what, view, sort_way::global, backend_kind::cpu, 1);
  EXPECT_NEAR(picture[0].x, 0.25, 1e-5);
  EXPECT_NEAR(picture[0].y, 0.75 * 0.5, 1e-5);
  EXPECT_NEAR(picture[0].z, 0.75 * 0.5 * 0.9, 1e-5);
  // No alpha is above 0.99; a third such splat would let less than 10^-4 through, and is not drawn.
  what = {};
  what.background = {0, 0, 1};
  for (const float z : {-2.0F, -3.0F, -4.0F}) add(what, {0, 0, z}, {50, 50, 50}, {1, 0, 0, 0}, 0.9999, {1, 0, 0});
  picture = drawn(what, view, sort_way::depth, backend_kind::cpu, 1);
  EXPECT_NEAR(picture[0].x, 0.99, 1e-4);  // the second leaves 0.0001 - rounding, or is the last one
  EXPECT_LT(picture[0].z, 0.0101);
}

TEST(pictures, harmonics_of_every_degree) {
  // The sum of squares of degree l is (2 l + 1) / (4 pi) in each direction.
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 50; ++i) {
    const vec3 d = apps::normalized({normal(random), normal(random), normal(random)});
    for (int degree = 0; degree <= 3; ++degree) {
      double sum = 0;
      for (int j = degree * degree; j < splats::coefficients_of(degree); ++j) {
        std::vector<vec3> coefficients(16);
        coefficients[static_cast<std::size_t>(j)] = {1, 0, 0};
        const double value = splats::harmonics(coefficients.data(), 3, d).x;
        sum += value * value;
        EXPECT_EQ(splats::harmonics(coefficients.data(), degree, d).x, static_cast<float>(value));
      }
      EXPECT_NEAR(sum, (2 * degree + 1) / (4 * 3.14159265358979), 1e-5) << degree;
    }
  }
  const auto value_of = [](std::size_t j, vec3 d) {
    std::vector<vec3> coefficients(16);
    coefficients[j] = {0, 1, 0};
    return splats::harmonics(coefficients.data(), 3, d).y;
  };
  EXPECT_FLOAT_EQ(value_of(1, {0, 1, 0}), -0.48860251F);
  EXPECT_FLOAT_EQ(value_of(2, {0, 0, 1}), 0.48860251F);
  EXPECT_FLOAT_EQ(value_of(3, {1, 0, 0}), -0.48860251F);
  EXPECT_FLOAT_EQ(value_of(6, {0, 0, 1}), 0.63078313F);
  EXPECT_FLOAT_EQ(value_of(12, {0, 0, 1}), 0.74635267F);
  EXPECT_EQ(splats::colour_of(std::vector<vec3>{{-9, 0, 9}}.data(), 0, {0, 0, 1}).x, 0);
}

TEST(pictures, nothing_to_see_cpu) {
  scene what;
  what.background = {0.5F, 0.25F, 1};
  const camera view = straight_view(20, 17, 30);
  const auto expect_background = [&](const char* name) {
    for (const sort_way way : all_ways) {
      for (const vec3 one : drawn(what, view, way, backend_kind::cpu, 2)) {
        ASSERT_TRUE(one.x == 0.5F && one.y == 0.25F && one.z == 1) << name;
      }
    }
  };
  expect_background("no splats");
  for (int i = 0; i < 40; ++i) {
    add(what, {0.1F * static_cast<float>(i), 0, 1.0F + static_cast<float>(i)}, {1, 1, 1}, {1, 0, 0, 0}, 0.9, {1, 1, 1});
  }
  expect_background("all behind the eye");
  add(what, {0, 0, -0.05F}, {1, 1, 1}, {1, 0, 0, 0}, 0.9, {1, 1, 1});
  expect_background("one too near");
  add(what, {0, 0, -2}, {1, 1, 1}, {1, 0, 0, 0}, 0.0039, {1, 1, 1});
  expect_background("one too faint");
  add(what, {900, 0, -2}, {1, 1, 1}, {1, 0, 0, 0}, 0.9, {1, 1, 1});
  expect_background("one beside the picture");
}

// Of all sizes, some at one depth, thin or huge, near the eye or around it, with colours of degree 3.
scene random_scene(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> uniform;
  scene what;
  what.degree = 3;
  what.background = {0.1F, 0.2F, 0.3F};
  for (int i = 0; i < count; ++i) {
    const float z = i % 5 == 0 ? -2 : normal(random) * 2 - 2;
    const float size = -4 + 2 * normal(random);
    what.gaussians.push_back({{normal(random), normal(random), z},
                              {size + normal(random), size + normal(random), size + 3 * normal(random)},
                              {normal(random), normal(random), normal(random), normal(random)},
                              3 * normal(random)});
    for (int j = 0; j < 16; ++j) what.colours.push_back(vec3{uniform(random), normal(random), normal(random)} * 0.5F);
  }
  return what;
}

TEST(pictures, same_bits_as_the_serial_program_cpu) {
  for (const int count : {1, 2, 100, 3000}) {
    const scene what = random_scene(count, static_cast<unsigned>(count));
    for (const auto& [width, height] : {std::pair{1, 1}, std::pair{16, 16}, std::pair{17, 31}, std::pair{150, 100}}) {
      expect_all_ways_agree(what, straight_view(width, height, 80), backend_kind::cpu, "any numbers");
    }
  }
}

TEST(pictures, room_for_entries_grows_cpu) {
  expect_all_ways_agree(random_scene(1000, 5), straight_view(100, 80, 60), backend_kind::cpu, "one entry", 1);
}

// Values at the edge of what a file may have overflow on the way: such splats are not seen, or are the same everywhere.
TEST(pictures, extreme_values_cpu) {
  scene what = random_scene(200, 9);
  for (std::size_t i = 0; i < what.gaussians.size(); ++i) {
    gaussian& one = what.gaussians[i];
    const float sign = i % 2 == 0 ? 1.0F : -1.0F;
    if (i % 7 == 0) one.log_scale = {40, sign * 40, -40};
    if (i % 7 == 1) one.log_scale = {40, 40, 40};
    if (i % 7 == 2) one.position = {sign * 1e18F, 1e18F, -1e18F};
    if (i % 7 == 3) one.position.x = sign * 1e18F;
    if (i % 7 == 4) one.logit = sign * 1e18F;
    if (i % 7 == 5) one.rotation = {sign * 1e18F, 1e-30F, 0, 1e18F};
    if (i % 7 == 6) what.colours[16 * i] = {1e18F, -1e18F, 1e18F};
  }
  expect_all_ways_agree(what, straight_view(70, 50, 80), backend_kind::cpu, "extreme");
}

TEST(pictures, knot_from_all_sides_cpu) {
  const scene what = splats::knot_scene(3000, 1);
  EXPECT_EQ(what.colours.size(), 4 * what.gaussians.size());
  splats::options wanted;
  wanted.width = 96, wanted.height = 64, wanted.frames = 3;
  const splats::middle of = middle_of(what);
  std::vector<vec3> before;
  for (const splats::axis up : {splats::axis::y, splats::axis::minus_y, splats::axis::z, splats::axis::minus_z}) {
    for (int frame = 0; frame < 3; ++frame) {
      const camera view = frame_camera(of, up, wanted, frame);
      EXPECT_NEAR(dot(cross(view.right, view.forward), view.up), 1, 1e-4);
      EXPECT_NEAR(length(of.centre - view.eye) / dot(of.centre - view.eye, view.forward), 1, 1e-4);
      expect_all_ways_agree(what, view, backend_kind::cpu, "knot");
      const std::vector<vec3> picture = serial(what, view);
      EXPECT_FALSE(same_bits(picture, before));
      before = picture;
    }
  }
}

TEST(pictures, same_bits_gpu) {
  if (!apps::why_no_cuda().empty()) GTEST_SKIP() << apps::why_no_cuda();
  for (const int count : {1, 300, 3000, 30000}) {  // sorts of few items take other ways, and other memory
    const scene what = random_scene(count, static_cast<unsigned>(count));
    expect_all_ways_agree(what, straight_view(301, 203, 250), backend_kind::cuda, "any numbers");
    expect_all_ways_agree(what, straight_view(100, 80, 60), backend_kind::cuda, "one entry", 1);
  }
  scene none;
  none.background = {1, 0.5F, 0};
  expect_all_ways_agree(none, straight_view(30, 20, 60), backend_kind::cuda, "none");
}

}  // namespace
