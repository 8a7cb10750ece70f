// SPDX-License-Identifier: Apache-2.0
// What a step does with one sphere, one cell or one pair of spheres, on any backend.
#pragma once

#include <onepass/config.hpp>

#include <cstdint>

#include "cell_grid.hpp"
#include "spheres.hpp"

namespace collisions {

using onepass::index_t;

// Spheres in the order of their cells.
struct body_view {
  sphere* shapes;
  motion* moves;
  ONEPASS_HOST_DEVICE body operator[](std::int64_t i) const { return {shapes[i], moves[i]}; }
};

// And where each cell's spheres begin.
struct arranged_spheres {
  body_view bodies;
  cell_grid grid;
  const std::uint32_t* begins;
};

struct find_cell {
  body_view bodies;
  cell_grid grid;
  std::uint32_t *keys, *order;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    keys[i] = grid.key_of(grid.cell_of(bodies.shapes[i].at));
    order[i] = static_cast<std::uint32_t>(i);
  }
};

struct gather_body {
  body_view from;
  const std::uint32_t* order;
  body_view to;
  push* pushes;  // are zeroed
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    to.shapes[i] = from.shapes[order[i]];
    to.moves[i] = from.moves[order[i]];
    pushes[i] = {};
  }
};

template <class T>
struct set_zero {
  T* items;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const { items[i] = T{}; }
};

// results[keys[i]] = values[i] for the first *number of them.
template <class T>
struct scatter {
  const std::uint32_t* keys;
  const T* values;
  const index_t* number;
  T* results;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    if (i < *number) results[keys[i]] = values[i];
  }
};

// ---- candidates -----------------------------------------------------------------------------------------------------------
// The spheres in the cells around sphere i, but for itself.
struct count_candidates {
  body_view bodies;
  cell_grid grid;
  const std::uint32_t* begins;
  index_t* counts;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    const cell own = grid.cell_of(bodies.shapes[i].at);
    index_t count = -1;
    for (int row = 0; row < 9; ++row) {
      const sphere_range near = grid.around(own, row, begins);
      count += near.last - near.first;
    }
    counts[i] = count;
  }
};

struct alignas(8) pair {
  std::uint32_t first, second;
  ONEPASS_HOST_DEVICE bool operator==(const pair& other) const {
    return first == other.first && second == other.second;
  }
};

// Writes sphere i's candidates behind those of the spheres before it, as far as there is room.
struct list_candidates {
  body_view bodies;
  cell_grid grid;
  const std::uint32_t* begins;
  const index_t* ends;  // of the candidates of each sphere
  index_t room;
  pair* pairs;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    const auto self = static_cast<std::uint32_t>(i);
    if (ends[i] > room) return;
    pair* out = pairs + (i == 0 ? 0 : ends[i - 1]);
    const cell own = grid.cell_of(bodies.shapes[i].at);
    for (int row = 0; row < 9; ++row) {
      const sphere_range near = grid.around(own, row, begins);
      for (std::uint32_t j = near.first; j < near.last; ++j) {
        if (j != self) *out++ = {self, j};
      }
    }
  }
};

// What the steps count, in the backend's memory.
struct step_counts {
  index_t cells = 0;       // that are not empty
  index_t candidates = 0;  // of this step: as many as there is room for
  index_t contacts = 0;
  index_t pushed = 0;  // spheres that touch another one
  index_t most_candidates = 0;
  index_t all_candidates = 0, all_contacts = 0;  // of all steps since the counts were zeroed
};

struct begin_counts {
  const index_t* ends;
  std::int64_t spheres;
  index_t room;
  step_counts* counts;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t) const {
    const index_t number = ends[spheres - 1];
    counts->candidates = number <= room ? number : 0;
    counts->most_candidates = apps::larger(counts->most_candidates, number);
    counts->all_candidates += number;
  }
};

// ---- contacts -------------------------------------------------------------------------------------------------------------
struct touches {
  body_view bodies;
  ONEPASS_HOST_DEVICE bool operator()(const pair& p) const {
    return touch(bodies.shapes[p.first], bodies.shapes[p.second]);
  }
};

struct first_of_pair {
  ONEPASS_HOST_DEVICE std::uint32_t operator()(const pair& p) const { return p.first; }
};

struct push_of_pair {
  body_view bodies;
  rules by;
  ONEPASS_HOST_DEVICE push operator()(const pair& p) const {
    return push_between(by, bodies[p.first], bodies[p.second]);
  }
};

struct advance_body {
  body_view bodies;
  rules by;
  const push* pushes;
  step_counts* counts;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const {
    const body after = advanced(by, bodies[i], pushes[i]);
    bodies.shapes[i] = after.shape;
    bodies.moves[i] = after.move;
    if (i == 0) counts->all_contacts += counts->contacts;
  }
};

}  // namespace collisions
