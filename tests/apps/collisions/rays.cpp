// SPDX-License-Identifier: Apache-2.0
// Rays through the cells against rays that try every sphere.
#include "../../../apps/collisions/ray_caster.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "../../../apps/collisions/scene.hpp"

namespace {

using namespace collisions;

// Spheres in the order of their cells, and the marks that rays ask for.
struct arranged_scene {
  explicit arranged_scene(const scene& what) : grid(grid_of(what.by.box)), box(what.by.box) {
    std::vector<body> bodies = what.bodies;
    std::sort(bodies.begin(), bodies.end(), [&](const body& a, const body& b) { return key(a) < key(b); });
    begins.resize(static_cast<std::size_t>(grid.count()) + 1);
    for (const body& b : bodies) {
      shapes.push_back(b.shape);
      moves.push_back(b.move);
      ++begins[key(b) + 1];
    }
    for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
    marks.resize(static_cast<std::size_t>(grid.count()));
    for (std::int64_t i = 0; i < grid.count(); ++i) mark_cell{grid, begins.data(), marks.data()}(i);
  }
  std::uint32_t key(const body& b) const { return grid.key_of(grid.cell_of(b.shape.at)); }
  ray_caster caster() { return ray_caster({{shapes.data(), moves.data()}, grid, begins.data()}, marks.data(), box); }

  cell_grid grid;
  vec3 box;
  std::vector<sphere> shapes;
  std::vector<motion> moves;
  std::vector<std::uint32_t> begins;
  std::vector<std::uint8_t> marks;
};

float plain_distance(const std::vector<sphere>& shapes, const ray& r) {
  float best = 1e30F;
  for (const sphere& s : shapes) {
    const vec3 to = s.at - r.from;
    const float middle = dot(to, r.along);
    const float half = s.radius * s.radius - (dot(to, to) - middle * middle);
    if (half > 0 && middle - std::sqrt(half) > 1e-3F) best = std::min(best, middle - std::sqrt(half));
  }
  return best;
}

TEST(rays, like_those_that_try_every_sphere_cpu) {
  arranged_scene spheres(falling_scene(1500, 3, 0.6));
  const ray_caster caster = spheres.caster();
  int met = 0, missed = 0;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    apps::random_stream random(1, i);
    const auto inside = [&](float size, float margin) { return (size + 2 * margin) * random.uniform() - margin; };
    const float margin = i % 2 == 0 ? 0.0F : 20.0F;  // from inside the box, or from anywhere
    const float x = inside(spheres.box.x, margin), y = inside(spheres.box.y, margin), z = inside(spheres.box.z, margin);
    const float tx = inside(spheres.box.x, 0), ty = inside(spheres.box.y, 0), tz = inside(spheres.box.z, 0);
    const ray r{{x, y, z}, normalized(vec3{tx - x, ty - y, tz - z})};
    const hit got = caster.first_hit(r, 1e30F);
    const float expected = plain_distance(spheres.shapes, r);
    EXPECT_EQ(got.distance, expected) << i;
    if (got.found()) {
      EXPECT_FALSE(caster.first_hit(r, 0.999F * expected).found()) << i;
      ++met;
    } else {
      ++missed;
    }
  }
  EXPECT_GT(met, 1000);
  EXPECT_GT(missed, 300);
}

TEST(rays, nothing_beside_the_box_cpu) {
  arranged_scene spheres(falling_scene(100, 3, 0.6));
  const ray away{{-5, 1, 1}, normalized(vec3{-1, 0.01F, 0.01F})};
  EXPECT_FALSE(spheres.caster().first_hit(away, 1e30F).found());
  const span part = spheres.caster().inside(away);
  EXPECT_GE(part.begin, part.end);
}

}  // namespace
