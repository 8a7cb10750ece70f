// SPDX-License-Identifier: Apache-2.0
// Pictures on each backend: against a serial program, bit for bit in every order of the work, and against what light does.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "../../../apps/rays/run.hpp"
#include "support/test.hpp"

namespace {

using namespace rays;

template <class Backend>
options on(const Backend&, int width, int height, std::uint64_t samples) {
  options wanted;
  wanted.backend = Backend::on_device ? apps::backend_kind::cuda : apps::backend_kind::cpu;
  wanted.scene.width = width, wanted.scene.height = height;
  wanted.scene.spheres = 60;
  wanted.samples = samples;
  return wanted;
}

// A ball of triangles.
mesh faceted_ball() {
  mesh result;
  constexpr int steps = 12;
  const auto at = [](int i, int j) {
    const float high = 3.14159F * static_cast<float>(i) / steps, round = 6.28318F * static_cast<float>(j) / steps;
    return vec3{std::sin(high) * std::cos(round), 3 + std::cos(high), std::sin(high) * std::sin(round)};
  };
  for (int i = 0; i < steps; ++i) {
    for (int j = 0; j < steps; ++j) {
      result.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      result.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return result;
}

bool same_bits(const std::vector<vec3>& a, const std::vector<vec3>& b) {
  return !a.empty() && a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(vec3)) == 0;
}

run_report drawn(const mesh& what, const options& wanted) {
  return draw(make_scene(what, "test", wanted.scene), wanted, [](const std::vector<vec3>&) {});
}

void expect_agreement(const run_report& report) {
  for (const auto* rows : {&report.hierarchy, &report.ways, &report.steps}) {
    for (const apps::comparison& row : *rows) EXPECT_TRUE(row.agree) << row.name << ", " << row.call;
  }
  EXPECT_EQ(report.ways.size(), 3U);
}

// Every pixel of the first sample has the serial program's bits; so have the waves without compaction or sorting.
ONEPASS_TEST(rays, pictures_like_a_serial_program) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    for (const bool with_mesh : {false, true}) {
      options wanted = on(backend, 57, 33, 3);
      wanted.scene.seed = seed;
      wanted.scene.turn = static_cast<double>(100 * seed);
      wanted.compare = 57 * 33;
      expect_agreement(drawn(with_mesh ? faceted_ball() : mesh{}, wanted));
    }
  }
}

ONEPASS_TEST(rays, few_bounces_and_pixels) {
  for (const int bounces : {0, 1, 2, 100}) {
    options wanted = on(backend, 16, 9, 2);
    wanted.bounces = bounces;
    wanted.compare = 1000;
    const run_report report = drawn({}, wanted);
    expect_agreement(report);
    ASSERT_EQ(report.living.size(), static_cast<std::size_t>(bounces) + 1);
    EXPECT_EQ(report.living[0], 2U * 16 * 9);
    for (std::size_t i = 1; i < report.living.size(); ++i) EXPECT_LE(report.living[i], report.living[i - 1]);
  }
  options wanted = on(backend, 1, 1, 1);
  wanted.scene.spheres = 0;
  expect_agreement(drawn({}, wanted));
}

// The picture of a backend is that of one thread; on a GPU, too, as all arithmetic is rounded in one way.
ONEPASS_TEST(rays, same_bits_as_one_thread) {
  options wanted = on(backend, 120, 80, 5);
  wanted.compare = 0;
  const run_report here = drawn(faceted_ball(), wanted);
  EXPECT_TRUE(here.ways.empty());
  wanted.backend = apps::backend_kind::cpu;
  wanted.threads = 1;
  EXPECT_TRUE(same_bits(here.picture, drawn(faceted_ball(), wanted).picture));
}

ONEPASS_CPU_TEST(rays, same_bits_with_any_number_of_threads) {
  options wanted = on(backend, 100, 60, 6);
  wanted.compare = 0;
  wanted.threads = 1;
  const std::vector<vec3> one = drawn({}, wanted).picture;
  for (const int threads : {2, 3, 7}) {
    wanted.threads = threads;
    EXPECT_TRUE(same_bits(drawn({}, wanted).picture, one)) << threads;
  }
  wanted.scene.seed = 2;
  EXPECT_FALSE(same_bits(drawn({}, wanted).picture, one));
}

// More samples begin with the same ones, whatever waves they come in.
ONEPASS_CPU_TEST(rays, pictures_come_after_1_2_4_samples_and_converge) {
  options wanted = on(backend, 90, 60, 40);
  wanted.compare = 0;
  std::vector<std::vector<vec3>> pictures;
  const run_report report = draw(make_scene({}, "test", wanted.scene), wanted,
                                 [&](const std::vector<vec3>& picture) { pictures.push_back(picture); });
  ASSERT_EQ(pictures.size(), 7U);  // 1, 2, 4, 8, 16, 32, 40
  EXPECT_TRUE(same_bits(pictures.back(), report.picture));
  ASSERT_EQ(report.noise.size(), 6U);
  EXPECT_EQ(report.noise[0].samples, 2U);
  EXPECT_EQ(report.noise[5].samples, 40U);
  EXPECT_NEAR(report.noise[4].noise / report.noise[2].noise, 0.5, 0.1);  // 32 and 8 samples
  wanted.samples = 4;
  EXPECT_TRUE(same_bits(drawn({}, wanted).picture, pictures[2]));
}

// Where everything reflects all light, and all that shines is equally bright, everything is that bright.
ONEPASS_TEST(rays, nothing_gains_or_loses_light) {
  options wanted = on(backend, 96, 64, 64);
  wanted.bounces = 100;
  wanted.compare = 0;
  scene white = make_scene(faceted_ball(), "white", wanted.scene);
  for (material& one : white.materials) one.colour = {1, 1, 1};
  for (light& one : white.lights) one.colour = {1, 1, 1};
  white.horizon = white.zenith = {1, 1, 1};
  const run_report report = draw(white, wanted, [](const std::vector<vec3>&) {});
  double sum = 0;
  for (const vec3 pixel : report.picture) {
    EXPECT_NEAR(pixel.y, 1, 1) << "a pixel";
    sum += pixel.y;
  }
  EXPECT_NEAR(sum / static_cast<double>(report.picture.size()), 1, 0.01);
}

}  // namespace
