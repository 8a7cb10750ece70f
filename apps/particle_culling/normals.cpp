// SPDX-License-Identifier: Apache-2.0
// Estimates normals in three steps: sort the points into a grid; fit a plane to the neighbours of each; then walk from
// neighbour to neighbour, the smoothest way first, and turn each normal to the side of the one it was reached from.
// Method: Hoppe et al., "Surface Reconstruction from Unorganized Points", 1992, with buckets for the spanning tree.
#include "normals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace particle_culling {
namespace {

using apps::limited;

constexpr float neighbour_gaps = 2.5F;       // look that many mean distances far: about twenty points on a surface
constexpr std::size_t most_neighbours = 48;  // so that very uneven clouds stay quick
constexpr std::uint64_t axis_bits = 21;      // of a cell's place along one axis; three fit 64 bits
constexpr std::uint64_t axis_cells = std::uint64_t{1} << axis_bits;

// Points in order of their cell, so that three cells in a row of x are one range.
class grid {
 public:
  explicit grid(const std::vector<point>& points) : points_(points), box_(bounds_of(points)) {
    const vec3 size = box_.high - box_.low;
    const float surface = 2 * (size.x * size.y + size.y * size.z + size.z * size.x);
    const float gap = std::sqrt(surface / static_cast<float>(points.size()));
    const float widest = std::max({size.x, size.y, size.z});
    reach_ = std::max({neighbour_gaps * gap, widest * 4 / axis_cells, 1e-30F});
    entries_.reserve(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      entries_.emplace_back(key(cell(points[i].position)), static_cast<std::uint32_t>(i));
    }
    std::sort(entries_.begin(), entries_.end());
  }

  // The points within reach of point `i`, itself among them, at most `most_neighbours`.
  void neighbours(std::size_t i, std::vector<std::uint32_t>& found) const {
    found.clear();
    const vec3 centre = points_[i].position;
    const std::array<std::uint64_t, 3> home = cell(centre);
    for (std::uint64_t z = home[2] - 1; z <= home[2] + 1; ++z) {
      for (std::uint64_t y = home[1] - 1; y <= home[1] + 1; ++y) {
        const std::uint64_t last = key({home[0] + 1, y, z});
        auto entry = std::lower_bound(entries_.begin(), entries_.end(), std::make_pair(key({home[0] - 1, y, z}), 0U));
        for (; entry != entries_.end() && entry->first <= last; ++entry) {
          if (length(points_[entry->second].position - centre) > reach_) continue;
          found.push_back(entry->second);
          if (found.size() == most_neighbours) return;
        }
      }
    }
  }

 private:
  // From 1 on, so that the cells beside it exist too.
  std::array<std::uint64_t, 3> cell(vec3 p) const {
    const vec3 place = (p - box_.low) * (1 / reach_);
    return {static_cast<std::uint64_t>(place.x) + 1, static_cast<std::uint64_t>(place.y) + 1,
            static_cast<std::uint64_t>(place.z) + 1};
  }

  static std::uint64_t key(const std::array<std::uint64_t, 3>& c) {
    return c[0] | c[1] << axis_bits | c[2] << (2 * axis_bits);
  }

  const std::vector<point>& points_;
  bounds box_;
  float reach_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> entries_;
};

// The direction in which the points spread least: of the three ways to solve for a plane's normal the best conditioned.
vec3 plane_normal(const std::vector<point>& points, const std::vector<std::uint32_t>& members) {
  if (members.size() < 3) return {};
  vec3 mean;
  for (const std::uint32_t m : members) mean = mean + points[m].position;
  mean = mean * (1 / static_cast<float>(members.size()));
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  for (const std::uint32_t m : members) {
    const vec3 d = points[m].position - mean;
    xx += d.x * d.x, xy += d.x * d.y, xz += d.x * d.z, yy += d.y * d.y, yz += d.y * d.z, zz += d.z * d.z;
  }
  const double det_x = yy * zz - yz * yz, det_y = xx * zz - xz * xz, det_z = xx * yy - xy * xy;
  const double best = std::max({det_x, det_y, det_z});
  if (!(best > 0)) return {};
  const double a = xz * yz - xy * zz, b = xy * yz - xz * yy, c = xy * xz - yz * xx;
  std::array<double, 3> n{a, det_y, c};
  if (best == det_x) {
    n = {det_x, a, b};
  } else if (best == det_z) {
    n = {b, c, det_z};
  }
  const double size = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  return {static_cast<float>(n[0] / size), static_cast<float>(n[1] / size), static_cast<float>(n[2] / size)};
}

// Links waiting to be followed, those between nearly parallel normals first.
class link_queue {
 public:
  void push(std::uint32_t from, std::uint32_t to, float likeness) {
    const float place = limited(likeness, 0.0F, 0.9999F) * static_cast<float>(buckets_.size());
    buckets_[static_cast<std::size_t>(place)].emplace_back(from, to);
  }

  bool pop(std::pair<std::uint32_t, std::uint32_t>& link) {
    for (auto bucket = buckets_.rbegin(); bucket != buckets_.rend(); ++bucket) {
      if (bucket->empty()) continue;
      link = bucket->back();
      bucket->pop_back();
      return true;
    }
    return false;
  }

 private:
  std::array<std::vector<std::pair<std::uint32_t, std::uint32_t>>, 32> buckets_;
};

// Turns all normals that can be reached from `seed` over neighbours.
void turn_component(std::vector<point>& points, const grid& cells, std::uint32_t seed, std::vector<bool>& done) {
  link_queue waiting;
  std::vector<std::uint32_t> around;
  std::pair<std::uint32_t, std::uint32_t> link{seed, seed};
  do {
    const auto [from, to] = link;
    if (done[to]) continue;
    done[to] = true;
    if (dot(points[from].normal, points[to].normal) < 0) points[to].normal = points[to].normal * -1;
    cells.neighbours(to, around);
    for (const std::uint32_t next : around) {
      if (!done[next]) waiting.push(to, next, std::abs(dot(points[to].normal, points[next].normal)));
    }
  } while (waiting.pop(link));
}

}  // namespace

void estimate_normals(std::vector<point>& points) {
  if (points.empty()) return;
  const grid cells(points);
  std::vector<std::uint32_t> around;
  for (std::size_t i = 0; i < points.size(); ++i) {
    cells.neighbours(i, around);
    points[i].normal = plane_normal(points, around);
  }

  // Outwards is sure for the point farthest from the centre; each further piece begins with its first point.
  const vec3 centre = bounds_of(points).centre();
  const auto nearer = [&](const point& a, const point& b) {
    return length(a.position - centre) < length(b.position - centre);
  };
  const auto farthest = std::max_element(points.begin(), points.end(), nearer) - points.begin();
  std::vector<bool> done(points.size());
  for (std::size_t i = 0; i <= points.size(); ++i) {
    const auto seed = static_cast<std::uint32_t>(i == 0 ? static_cast<std::size_t>(farthest) : i - 1);
    if (done[seed]) continue;
    point& p = points[seed];
    if (dot(p.normal, p.position - centre) < 0) p.normal = p.normal * -1;
    turn_component(points, cells, seed, done);
  }
}

}  // namespace particle_culling
