// SPDX-License-Identifier: Apache-2.0
// From the points of a file to a scene: as many points as particles are asked for, a size, a colour and a motion each.
#include "cloud.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "normals.hpp"

namespace particle_culling {
namespace {

const vec3 clay{0.86F, 0.58F, 0.36F};  // for files without colours

// `count` points spread evenly over those there are: fewer leave some out, more give some points several particles.
std::vector<point> resampled(const std::vector<point>& points, std::size_t count) {
  std::vector<point> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    result[i] = points[i * points.size() / count];
  }
  return result;
}

// The distance of neighbours if the points lay evenly on a surface as large as the box around them.
float spacing(const bounds& box, std::size_t count) {
  const vec3 size = box.high - box.low;
  const float surface = 2 * (size.x * size.y + size.y * size.z + size.z * size.x);
  return std::sqrt(surface / static_cast<float>(std::max<std::size_t>(count, 1)));
}

}  // namespace

bounds bounds_of(const std::vector<point>& points) {
  if (points.empty()) return {};
  bounds box{points.front().position, points.front().position};
  for (const point& p : points) {
    box.low = {std::min(box.low.x, p.position.x), std::min(box.low.y, p.position.y), std::min(box.low.z, p.position.z)};
    box.high = {std::max(box.high.x, p.position.x), std::max(box.high.y, p.position.y),
                std::max(box.high.z, p.position.z)};
  }
  return box;
}

scene scene_of_cloud(cloud source, std::string name, std::size_t particles) {
  if (!source.has_normals) estimate_normals(source.points);
  if (particles != 0 && particles != source.points.size()) source.points = resampled(source.points, particles);

  const bounds box = bounds_of(source.points);
  scene result;
  result.name = std::move(name);
  result.centre = box.centre();
  // A body's corners seldom reach those of the box around it.
  result.radius = box.radius() > 0 ? 0.85F * box.radius() : 1;
  result.elevation = 0.15F;
  result.fixed_exposure = 1;
  result.background = {0.008F, 0.011F, 0.018F};

  const float gap = std::max(spacing(box, source.points.size()), 0.0005F * result.radius);
  for (point& p : source.points) {
    p.normal = normalized(p.normal);
    p.velocity = p.normal * (0.1F * gap);
    if (!source.has_colours) p.colour = clay;
    p.radius = 1.4F * gap;
    p.opacity = 0.9F;
  }
  result.source = std::move(source);
  return result;
}

}  // namespace particle_culling
