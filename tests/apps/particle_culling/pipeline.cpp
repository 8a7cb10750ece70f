// SPDX-License-Identifier: Apache-2.0
// A frame from particles to picture, against plain loops over the same particles.
#include "../../../apps/particle_culling/frame_pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "../../../apps/particle_culling/cpu_peers.hpp"

namespace {

using namespace particle_culling;

void expect_agreement(const frame_result& frame) {
  int compared = 0;
  for (const apps::comparison& stage : frame.stages) {
    EXPECT_TRUE(stage.agree) << stage.name;
    compared += !stage.call.empty();
  }
  EXPECT_EQ(compared, 7);
}

// Spots in order over the whole picture, no tiles.
std::vector<vec3> plain_drawing(const scene& what, const camera& view, const std::vector<body>& bodies,
                                const std::vector<std::uint32_t>& order, float largest) {
  std::vector<vec3> image(static_cast<std::size_t>(view.width) * static_cast<std::size_t>(view.height),
                          what.background);
  for (const std::uint32_t slot : order) {
    const splat s = splat_of(what.source.points[slot], bodies[slot], view, largest);
    for (int y = 0; y < view.height; ++y) {
      for (int x = 0; x < view.width; ++x) {
        blend(image[static_cast<std::size_t>(y * view.width + x)], s, static_cast<float>(x), static_cast<float>(y));
      }
    }
  }
  return image;
}

float largest_difference(const std::vector<vec3>& a, const std::vector<vec3>& b) {
  EXPECT_EQ(a.size(), b.size());
  float most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const vec3 d = a[i] - b[i];
    most = std::max({most, std::abs(d.x), std::abs(d.y), std::abs(d.z)});
  }
  return most;
}

TEST(pipeline, visible_particles_like_a_scalar_loop_cpu) {
  const scene what = scene_of_galaxy(20000, 3);
  const cpu_backend backend(2);
  frame_pipeline<cpu_backend> pipeline(backend, what, 3);
  std::vector<vec3> image;
  for (int frame = 0; frame < 5; ++frame) {
    const camera view = orbit(what.centre, 0.3F, what.elevation, frame, 5, 160, 90);
    const frame_result result = pipeline.render(view, image);
    expect_agreement(result);

    const std::vector<body> bodies = pipeline.bodies();
    std::vector<std::uint32_t> expected;
    std::uint64_t alive = 0;
    for (std::uint32_t slot = 0; slot < bodies.size(); ++slot) {
      if (!is_alive(bodies[slot])) continue;
      ++alive;
      if (frustum_of(view).contains(bodies[slot].position)) expected.push_back(slot);
    }
    std::vector<std::uint32_t> drawn = pipeline.drawn_slots();
    for (std::size_t i = 1; i < drawn.size(); ++i) {
      const float behind = depth_of(view, bodies[drawn[i - 1]].position),
                  front = depth_of(view, bodies[drawn[i]].position);
      EXPECT_TRUE(behind > front || (behind == front && drawn[i - 1] < drawn[i])) << "place " << i;
    }
    std::sort(drawn.begin(), drawn.end());
    EXPECT_EQ(drawn, expected);
    EXPECT_EQ(result.alive, alive);
    EXPECT_EQ(result.visible, expected.size());
    EXPECT_LT(result.visible, result.alive);
    EXPECT_LT(result.alive, result.particles);
  }
}

TEST(pipeline, picture_like_a_plain_drawing_cpu) {
  const scene what = scene_of_galaxy(3000, 9);
  const camera view = orbit(what.centre, what.radius, what.elevation, 0, 1, 101, 67);
  const cpu_backend backend(3);
  frame_pipeline<cpu_backend> pipeline(backend, what, 9);
  std::vector<vec3> image;
  pipeline.render(view, image);
  const float largest = std::clamp(std::sqrt(8.0F * 101 * 67 / 3000), 7.5F, 96.0F);
  const std::vector<vec3> expected = plain_drawing(what, view, pipeline.bodies(), pipeline.drawn_slots(), largest);
  EXPECT_LT(largest_difference(image, expected), 1e-4F);
  EXPECT_GT(largest_difference(image, std::vector<vec3>(image.size())), 0.01F);  // there is something on it
}

TEST(pipeline, same_bits_with_any_number_of_threads_cpu) {
  const scene what = scene_of_galaxy(50000, 2);
  std::vector<std::vector<vec3>> images;
  for (const int threads : {1, 2, 7}) {
    const cpu_backend backend(threads);
    frame_pipeline<cpu_backend> pipeline(backend, what, 2);
    std::vector<vec3>& image = images.emplace_back();
    for (int frame = 0; frame < 3; ++frame) {
      pipeline.render(orbit(what.centre, what.radius, what.elevation, frame, 3, 128, 96), image);
    }
  }
  EXPECT_EQ(largest_difference(images[0], images[1]), 0);
  EXPECT_EQ(largest_difference(images[0], images[2]), 0);
}

TEST(pipeline, nothing_in_view_cpu) {
  scene what = scene_of_galaxy(1000, 1);
  what.background = {0.25F, 0.5F, 0.75F};
  const cpu_backend backend(2);
  frame_pipeline<cpu_backend> pipeline(backend, what, 1);
  const camera view = orbit({1000, 0, 0}, 1, 0, 0, 1, 33, 17);
  std::vector<vec3> image;
  const frame_result result = pipeline.render(view, image);
  expect_agreement(result);
  EXPECT_EQ(result.visible, 0U);
  EXPECT_EQ(result.tile_entries, 0U);
  ASSERT_EQ(image.size(), 33U * 17U);
  for (const vec3 pixel : image) EXPECT_EQ(pixel.y, 0.5F);
}

TEST(pipeline, few_particles_and_small_pictures_cpu) {
  const cpu_backend backend(2);
  for (const std::size_t particles : {1, 2, 33}) {
    for (const int side : {1, 15, 16, 17}) {
      const scene what = scene_of_galaxy(particles, 1);
      frame_pipeline<cpu_backend> pipeline(backend, what, 1);
      std::vector<vec3> image;
      for (int frame = 0; frame < 4; ++frame) {
        expect_agreement(pipeline.render(orbit({}, 1, 0.5F, frame, 4, side, side), image));
        EXPECT_EQ(image.size(), static_cast<std::size_t>(side * side));
      }
    }
  }
}

// Over many frames every slot dies and lives again, and the share of the living settles.
TEST(pipeline, particles_die_and_are_emitted_again_cpu) {
  const scene what = scene_of_galaxy(2000, 1);
  const cpu_backend backend(2);
  frame_pipeline<cpu_backend> pipeline(backend, what, 1);
  std::vector<vec3> image;
  std::vector<float> age(2000, 0);
  std::vector<int> births(2000, 0);
  for (int frame = 0; frame < 400; ++frame) {
    const frame_result result = pipeline.render(orbit({}, 1, 0.5F, 0, 1, 16, 16), image);
    EXPECT_GT(result.alive, 1400U);
    EXPECT_LT(result.alive, 2000U);
    const std::vector<body> bodies = pipeline.bodies();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      births[i] += bodies[i].age < age[i];
      age[i] = bodies[i].age;
    }
  }
  EXPECT_GT(*std::min_element(births.begin(), births.end()), 2);
}

TEST(pipeline, backs_are_left_out_cpu) {
  cloud source;
  source.points.resize(2000);
  source.has_normals = true;
  for (std::size_t i = 0; i < 2000; ++i) {
    random_stream random(1, i);
    source.points[i].position = normalized(vec3{random.normal(), random.normal(), random.normal()});
    source.points[i].normal = source.points[i].position;
  }
  const scene what = scene_of_cloud(std::move(source), "ball", 0);
  const cpu_backend backend(1);
  frame_pipeline<cpu_backend> pipeline(backend, what, 1);
  std::vector<vec3> image;
  const camera view = orbit(what.centre, what.radius, 0, 0, 1, 64, 64);
  const frame_result result = pipeline.render(view, image);
  EXPECT_GT(result.visible, 300U);
  EXPECT_LT(result.visible, result.alive / 2);
  for (const std::uint32_t slot : pipeline.drawn_slots()) {
    EXPECT_LT(dot(what.source.points[slot].normal, view.forward), 0.5F);
  }
}

}  // namespace
