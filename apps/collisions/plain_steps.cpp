// SPDX-License-Identifier: Apache-2.0
// Loops over spheres.
#include "plain_steps.hpp"

#include <algorithm>
#include <cstring>

#include "cell_grid.hpp"

namespace collisions {
namespace {

// Adds up what pushes body i, and counts.
class contact_sum {
 public:
  contact_sum(const std::vector<body>& bodies, const rules& by, step_result& result)
      : bodies_(bodies), by_(by), result_(result) {}

  push over(std::size_t i, std::size_t first, std::size_t last, push sum) const {
    for (std::size_t j = first; j < last; ++j) {
      if (j == i) continue;
      ++result_.candidates;
      if (!touch(bodies_[i].shape, bodies_[j].shape)) continue;
      ++result_.contacts;
      sum = sum_of_pushes{}(sum, push_between(by_, bodies_[i], bodies_[j]));
    }
    return sum;
  }

 private:
  const std::vector<body>& bodies_;
  const rules& by_;
  step_result& result_;
};

void advance(std::vector<body>& bodies, const std::vector<push>& pushes, const rules& by, step_result& result) {
  std::int32_t depth = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies[i] = advanced(by, bodies[i], pushes[i]);
    depth = std::max(depth, pushes[i].depth);
  }
  result.deepest = static_cast<float>(depth) / quanta;
}

double spring_energy(const rules& by, double depth) { return depth > 0 ? 0.5 * by.stiffness * depth * depth : 0; }

}  // namespace

step_result all_pairs_step(std::vector<body>& bodies, const rules& by) {
  step_result result;
  std::vector<push> pushes(bodies.size());
  const contact_sum contacts(bodies, by, result);
  for (std::size_t i = 0; i < bodies.size(); ++i) pushes[i] = contacts.over(i, 0, bodies.size(), {});
  advance(bodies, pushes, by, result);
  return result;
}

step_result plain_grid_step(std::vector<body>& bodies, const rules& by) {
  const cell_grid grid = grid_of(by.box);
  std::vector<std::uint32_t> begins(static_cast<std::size_t>(grid.count()) + 1), keys(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    keys[i] = grid.key_of(grid.cell_of(bodies[i].shape.at));
    ++begins[keys[i]];
  }
  std::uint32_t sum = 0;
  for (std::uint32_t& begin : begins) begin = sum += begin;
  std::vector<body> sorted(bodies.size());
  for (std::size_t i = bodies.size(); i-- > 0;) sorted[--begins[keys[i]]] = bodies[i];

  step_result result;
  std::vector<push> pushes(bodies.size());
  const contact_sum contacts(sorted, by, result);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const cell own = grid.cell_of(sorted[i].shape.at);
    for (int row = 0; row < 9; ++row) {
      const sphere_range near = grid.around(own, row, begins.data());
      pushes[i] = contacts.over(i, near.first, near.last, pushes[i]);
    }
  }
  advance(sorted, pushes, by, result);
  for (const body& b : sorted) bodies[b.move.id] = b;
  return result;
}

energies energies_of(const std::vector<body>& bodies, const rules& by) {
  energies sum;
  for (const body& b : bodies) {
    const double mass = mass_of(b.shape.radius);
    const vec3 v = b.move.velocity;
    sum.kinetic += 0.5 * mass * (double{v.x} * v.x + double{v.y} * v.y + double{v.z} * v.z);
    sum.height += mass * by.gravity * (double{b.shape.at.z} - b.shape.radius);
  }
  return sum;
}

energies all_energies_of(const std::vector<body>& bodies, const rules& by) {
  energies sum = energies_of(bodies, by);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const sphere& a = bodies[i].shape;
    for (std::size_t j = 0; j < i; ++j) {
      const sphere& b = bodies[j].shape;
      if (touch(a, b)) sum.elastic += spring_energy(by, double{a.radius} + b.radius - length(a.at - b.at));
    }
    for (const float distance : {a.at.x, a.at.y, a.at.z, by.box.x - a.at.x, by.box.y - a.at.y, by.box.z - a.at.z}) {
      sum.elastic += spring_energy(by, double{a.radius} - distance);
    }
  }
  return sum;
}

bool same_bits(const std::vector<body>& a, const std::vector<body>& b) {
  static_assert(sizeof(body) == 32, "a body has no padding");
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(body)) == 0;
}

}  // namespace collisions
