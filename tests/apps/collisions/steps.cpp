// SPDX-License-Identifier: Apache-2.0
// Steps on each backend, bit by bit against programs that try all pairs, and the laws that every step keeps.
#include <algorithm>
#include <cmath>
#include <vector>

#include "../../../apps/collisions/run.hpp"
#include "../../../apps/common/random.hpp"
#include "support/test.hpp"

namespace {

using namespace collisions;

template <class Backend>
apps::backend_kind kind_of(const Backend&) {
  return Backend::on_device ? apps::backend_kind::cuda : apps::backend_kind::cpu;
}

// The scene, with velocities up to `speed`, so that spheres touch soon.
scene lively_scene(std::uint32_t spheres, double bounce, float speed) {
  scene result = falling_scene(spheres, 7, bounce);
  for (body& b : result.bodies) {
    apps::random_stream random(11, b.move.id);
    const auto component = [&] { return speed * (2 * random.uniform() - 1); };
    const float x = component(), y = component(), z = component();
    b.move.velocity = {x, y, z};
  }
  return result;
}

// A box without gravity or friction, and no spheres yet.
scene empty_space(double bounce) {
  scene result;
  result.by = rules_of({20, 20, 20}, bounce);
  result.by.gravity = 0;
  result.by.friction = 0;
  return result;
}

void add(scene& to, vec3 at, float radius, vec3 velocity) {
  body b;
  b.shape = {at, radius};
  b.move = {velocity, static_cast<std::uint32_t>(to.bodies.size())};
  to.bodies.push_back(b);
}

ONEPASS_TEST(collisions, same_bits_as_all_pairs) {
  const check_report few = check_steps(lively_scene(300, 0.6, 8), 250, kind_of(backend), 3);
  EXPECT_TRUE(few.agrees);
  EXPECT_GT(few.contacts, 10000U);
  const check_report many = check_steps(lively_scene(2000, 0.6, 12), 25, kind_of(backend), 2);
  EXPECT_TRUE(many.agrees);
  EXPECT_GT(many.contacts, 10000U);
  EXPECT_GT(many.deepest, 0.01F);
  EXPECT_LT(many.deepest, 0.3F);
}

// Spheres beyond the walls, several at one point, cells with dozens of spheres, and a single sphere.
ONEPASS_TEST(collisions, crowds_and_spheres_outside) {
  scene what = empty_space(0.5);
  what.by.gravity = 10;
  add(what, {3, 3, 3}, 0.5F, {1, 0, 0});
  EXPECT_TRUE(check_steps(what, 3, kind_of(backend), 2).agrees);
  for (int i = 0; i < 4; ++i) add(what, {5, 5, 5}, 0.45F, {0, 0, 0});
  for (int i = 0; i < 160; ++i) add(what, {8 + 0.004F * static_cast<float>(i), 8, 8}, 0.5F, {0, 0, 0});
  for (int i = 0; i < 30; ++i) {
    const float far = -4 + static_cast<float>(i);
    add(what, {far, far, far}, 0.5F, {3, 0, 0});
    add(what, {far, -2.5F, far + 0.5F}, 0.5F, {0, 3, 0});
    add(what, {21.5F, far + 0.25F, 23}, 0.5F, {0, 0, 9});
  }
  const check_report crowd = check_steps(what, 40, kind_of(backend), 2);
  EXPECT_TRUE(crowd.agrees);
  EXPECT_GT(crowd.contacts, 40U * 60U * 30U);
  EXPECT_GT(crowd.deepest, 0.9F);
}

ONEPASS_TEST(collisions, room_for_pairs_grows) {
  const scene what = lively_scene(1500, 0.6, 10);
  const std::vector<body> wide = bodies_after(what, 30, kind_of(backend), 2);
  for (const std::int64_t room : {1, 1000, 20000}) {
    EXPECT_TRUE(same_bits(bodies_after(what, 30, kind_of(backend), 2, room), wide)) << room;
  }
  EXPECT_FALSE(same_bits(bodies_after(what, 29, kind_of(backend), 2), wide));
}

ONEPASS_CPU_TEST(collisions, same_bits_with_any_number_of_threads) {
  const scene what = lively_scene(20000, 0.6, 10);
  const std::vector<body> one = bodies_after(what, 20, kind_of(backend), 1);
  EXPECT_FALSE(same_bits(one, what.bodies));
  for (const int threads : {2, 3, 7}) {
    EXPECT_TRUE(same_bits(bodies_after(what, 20, kind_of(backend), threads), one)) << threads;
  }
}

TEST(collisions, same_bits_as_the_cpu_gpu) {
  if (!apps::why_no_cuda().empty()) GTEST_SKIP() << apps::why_no_cuda();
  const scene what = lively_scene(20000, 0.6, 10);
  const std::vector<body> on_cpu = bodies_after(what, 20, apps::backend_kind::cpu, 0);
  EXPECT_TRUE(same_bits(bodies_after(what, 20, apps::backend_kind::cuda, 0), on_cpu));
}

// Two spheres that meet head-on go apart at the speed that was asked for, and off a wall about so.
ONEPASS_CPU_TEST(collisions, bounces) {
  for (const double bounce : {1.0, 0.8, 0.5, 0.2}) {
    const double tolerance = bounce < 0.8 ? 0.15 : 0.05;  // surfaces never pull, so the formula is rough
    scene what = empty_space(bounce);
    add(what, {8, 10, 10}, 0.46F, {5, 0, 0});
    add(what, {12, 10, 10}, 0.46F, {-5, 0, 0});
    add(what, {10, 4, 2}, 0.46F, {0, 0, -5});
    const std::vector<body> after = bodies_after(what, 450, kind_of(backend), 1);
    const double apart = double{after[1].move.velocity.x} - after[0].move.velocity.x;
    EXPECT_NEAR(apart / 10, bounce, tolerance) << bounce;
    EXPECT_EQ(after[0].move.velocity.x, -after[1].move.velocity.x);
    EXPECT_EQ(after[0].move.velocity.y, 0);
    EXPECT_NEAR(after[2].move.velocity.z / 5, bounce, tolerance) << bounce;
  }
}

// Impulses are opposite to the last bit: spheres of one mass keep the sum of their velocities.
ONEPASS_CPU_TEST(collisions, momentum_stays) {
  scene what = empty_space(0.4);
  what.by.friction = 5;
  for (int i = 0; i < 216; ++i) {
    apps::random_stream random(3, static_cast<std::uint64_t>(i));
    const float x = random.uniform(), y = random.uniform(), z = random.uniform();
    const vec3 at{6 + 1.02F * static_cast<float>(i % 6), 6 + 1.02F * static_cast<float>(i / 6 % 6),
                  6 + 1.02F * static_cast<float>(i / 36)};
    add(what, at, 0.5F, {8 * x - 4, 8 * y - 4, 8 * z - 4});
  }
  const auto momentum = [](const std::vector<body>& bodies) {
    double sum[3] = {0, 0, 0};
    for (const body& b : bodies) {
      sum[0] += double{b.move.velocity.x}, sum[1] += double{b.move.velocity.y}, sum[2] += double{b.move.velocity.z};
    }
    return std::vector<double>(sum, sum + 3);
  };
  const std::vector<body> after = bodies_after(what, 200, kind_of(backend), 2);
  const std::vector<double> first = momentum(what.bodies), last = momentum(after);
  for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(first[axis], last[axis], 2e-3) << axis;
  EXPECT_LT(energies_of(after, what.by).kinetic, 0.8 * energies_of(what.bodies, what.by).kinetic);
}

ONEPASS_CPU_TEST(collisions, energy_stays_where_bounces_lose_none) {
  scene what = lively_scene(250, 1, 6);
  what.by.damping = what.by.wall_damping = what.by.friction = 0;
  const double before = all_energies_of(what.bodies, what.by).sum();
  const std::vector<body> after = bodies_after(what, 1500, kind_of(backend), 1);
  EXPECT_GT(check_steps(what, 100, kind_of(backend), 1).contacts, 500U);
  EXPECT_NEAR(all_energies_of(after, what.by).sum() / before, 1, 0.02);
}

ONEPASS_CPU_TEST(collisions, energy_falls_until_the_spheres_lie_still) {
  scene what = falling_scene(250, 2, 0.4);
  double before = all_energies_of(what.bodies, what.by).sum();
  for (int i = 0; i < 8; ++i) {
    what.bodies = bodies_after(what, 600, kind_of(backend), 1);
    const double now = all_energies_of(what.bodies, what.by).sum();
    EXPECT_LT(now, before * 1.0001) << i;
    before = now;
  }
  const energies last = all_energies_of(what.bodies, what.by);
  EXPECT_LT(last.kinetic, 0.03 * last.height);
  EXPECT_LT(check_steps(what, 1, kind_of(backend), 1).deepest, 0.05F);
  for (const body& b : what.bodies) {
    const vec3 at = b.shape.at, box = what.by.box;
    EXPECT_TRUE(at.x > 0.35F && at.y > 0.35F && at.z > 0.35F);
    EXPECT_TRUE(at.x < box.x - 0.35F && at.y < box.y - 0.35F && at.z < box.z - 0.35F);
  }
}

TEST(plain_steps, grid_like_all_pairs_cpu) {
  const scene what = lively_scene(700, 0.6, 10);
  std::vector<body> pairs = what.bodies, grid = what.bodies;
  for (int i = 0; i < 60; ++i) {
    const step_result all = all_pairs_step(pairs, what.by), near = plain_grid_step(grid, what.by);
    EXPECT_EQ(all.contacts, near.contacts);
    EXPECT_EQ(all.deepest, near.deepest);
    EXPECT_EQ(all.candidates, 700U * 699U);
    EXPECT_LT(near.candidates, 700U * 60U);
  }
  EXPECT_TRUE(same_bits(pairs, grid));
}

TEST(scenes, spheres_are_apart_and_inside_cpu) {
  for (const std::uint32_t number : {1U, 2U, 33U, 1200U}) {
    const scene what = falling_scene(number, 5, 0.6);
    ASSERT_EQ(what.bodies.size(), number);
    ASSERT_EQ(what.colours.size(), number);
    for (std::uint32_t i = 0; i < number; ++i) {
      const sphere a = what.bodies[i].shape;
      EXPECT_EQ(what.bodies[i].move.id, i);
      EXPECT_TRUE(a.radius >= smallest_radius && a.radius <= largest_radius);
      EXPECT_GE(std::min({a.at.x, a.at.y, a.at.z}), a.radius);
      EXPECT_GE(std::min({what.by.box.x - a.at.x, what.by.box.y - a.at.y, what.by.box.z - a.at.z}), a.radius);
      for (std::uint32_t j = 0; j < i; ++j) EXPECT_FALSE(touch(a, what.bodies[j].shape)) << i << ", " << j;
    }
  }
  EXPECT_TRUE(same_bits(falling_scene(500, 5, 0.6).bodies, falling_scene(500, 5, 0.6).bodies));
  EXPECT_FALSE(same_bits(falling_scene(500, 5, 0.6).bodies, falling_scene(500, 6, 0.6).bodies));
}

}  // namespace
