// SPDX-License-Identifier: Apache-2.0
// Scenes: the galaxy, clouds from files, and the normals that are estimated for them.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "../../../apps/particle_culling/cloud.hpp"
#include "../../../apps/particle_culling/normals.hpp"

namespace {

using namespace particle_culling;

std::vector<point> sphere(std::size_t count, vec3 centre) {
  std::mt19937 random(1);
  std::normal_distribution<float> direction;
  std::vector<point> points(count);
  for (point& p : points) {
    p.position = centre + normalized(vec3{direction(random), direction(random), direction(random)}) * 3;
  }
  return points;
}

bool finite(vec3 v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

TEST(scene, galaxy_depends_on_its_seed_alone) {
  const scene a = scene_of_galaxy(5000, 4), b = scene_of_galaxy(5000, 4), c = scene_of_galaxy(5000, 5);
  ASSERT_EQ(a.source.points.size(), 5000U);
  int different = 0;
  for (std::size_t i = 0; i < 5000; ++i) {
    const point& p = a.source.points[i];
    EXPECT_EQ(p.position.x, b.source.points[i].position.x);
    different += p.position.x != c.source.points[i].position.x;
    EXPECT_TRUE(finite(p.position) && finite(p.velocity) && finite(p.colour));
    EXPECT_GT(p.radius, 0);
    EXPECT_TRUE(p.opacity >= 0 && p.opacity <= 1);
    EXPECT_LT(length(p.position), 10);
  }
  EXPECT_GT(different, 4900);
  EXPECT_EQ(scene_of_galaxy(1, 1).source.points.size(), 1U);
}

TEST(scene, normals_of_a_sphere_point_outwards) {
  const vec3 centre{10, -20, 5};
  std::vector<point> points = sphere(20000, centre);
  estimate_normals(points);
  for (const point& p : points) EXPECT_GT(dot(p.normal, normalized(p.position - centre)), 0.9F);
}

TEST(scene, normals_of_a_plane_agree) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> unit(0, 1);
  std::vector<point> points(3000);
  for (point& p : points) p.position = {unit(random), 0.5F, unit(random)};
  estimate_normals(points);
  for (const point& p : points) {
    EXPECT_NEAR(std::abs(p.normal.y), 1, 1e-4);
    EXPECT_EQ(p.normal.y > 0, points[0].normal.y > 0);
  }
}

TEST(scene, normals_of_odd_clouds) {
  for (const std::size_t count : {0, 1, 2, 3, 100}) {
    std::vector<point> same(count), line(count);
    for (std::size_t i = 0; i < count; ++i) line[i].position.x = static_cast<float>(i);
    estimate_normals(same);
    estimate_normals(line);
    for (const point& p : same) EXPECT_EQ(length(p.normal), 0);
    for (const point& p : line) EXPECT_TRUE(finite(p.normal));
  }
}

TEST(scene, cloud_gets_as_many_particles_as_asked_for) {
  for (const std::size_t asked : {0, 1, 500, 1000, 2500}) {
    cloud source;
    source.points = sphere(1000, {});
    const scene result = scene_of_cloud(std::move(source), "sphere", asked);
    ASSERT_EQ(result.source.points.size(), asked == 0 ? 1000U : asked);
    EXPECT_EQ(result.name, "sphere");
    EXPECT_GT(result.radius, 0);
    for (const point& p : result.source.points) {
      EXPECT_GT(p.radius, 0);
      EXPECT_TRUE(finite(p.velocity));
    }
  }
}

TEST(scene, one_point_is_a_scene) {
  cloud source;
  source.points.resize(1);
  source.points[0].position = {5, 6, 7};
  const scene result = scene_of_cloud(std::move(source), "dot", 0);
  EXPECT_EQ(result.radius, 1);
  EXPECT_EQ(result.centre.y, 6);
}

TEST(scene, colours_and_normals_of_the_file_stay) {
  cloud source;
  source.points = sphere(100, {});
  source.has_normals = source.has_colours = true;
  for (point& p : source.points) p.normal = {0, 0, 2}, p.colour = {0.1F, 0.2F, 0.3F};
  const scene result = scene_of_cloud(std::move(source), "sphere", 0);
  EXPECT_EQ(result.source.points[50].normal.z, 1);  // of length 1 now
  EXPECT_EQ(result.source.points[50].colour.y, 0.2F);
}

}  // namespace
