// SPDX-License-Identifier: Apache-2.0
// Keeps the vertices of a PLY file.
#include "ply_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "../common/ply_items.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"

namespace particle_culling {
namespace {

// The properties that are kept, by their place in a vertex.
enum field : int { x, y, z, nx, ny, nz, red, green, blue, field_count, no_field = -1 };

using vertex_values = std::array<double, field_count>;

int field_of(const apps::ply_property& property) {
  constexpr std::array<const char*, field_count> names{"x", "y", "z", "nx", "ny", "nz", "red", "green", "blue"};
  if (property.is_list) return no_field;
  for (int i = 0; i < field_count; ++i) {
    if (property.name == names[i]) return i;
    if (i >= red && property.name == std::string("diffuse_") + names[i]) return i;
  }
  return no_field;
}

// What colours of a type are divided by to come out between 0 and 1.
double colour_scale(apps::ply_type type) {
  switch (type) {
    case apps::ply_type::int8: return 127;
    case apps::ply_type::uint8: return 255;
    case apps::ply_type::int16: return 32767;
    case apps::ply_type::uint16: return 65535;
    case apps::ply_type::int32: return 2147483647.0;
    case apps::ply_type::uint32: return 4294967295.0;
    default: return 1;
  }
}

float linear_colour(double value) { return static_cast<float>(std::pow(std::min(std::max(value, 0.0), 1.0), 2.2)); }

class vertex_reader : public apps::ply_visitor {
 public:
  explicit vertex_reader(const std::string& file) : file_(file) {}

  cloud result() {
    const std::array<double, 3> origin = apps::float_origin(places_);
    for (std::size_t i = 0; i < places_.size(); ++i) result_.points[i].position = position_of(places_[i], origin);
    return std::move(result_);
  }

  std::vector<bool> begin(const apps::ply_element& element) override {
    if (element.name != "vertex") return {};
    std::array<bool, field_count> has{};
    fields_.clear();
    scales_.clear();
    std::vector<bool> wanted;
    for (const apps::ply_property& p : element.properties) {
      fields_.push_back(field_of(p));
      scales_.push_back(fields_.back() >= red ? colour_scale(p.type) : 1);
      wanted.push_back(fields_.back() != no_field);
      has_doubles_ |= fields_.back() >= x && fields_.back() <= z && p.type == apps::ply_type::float64;
      if (wanted.back()) has[static_cast<std::size_t>(fields_.back())] = true;
    }
    if (!has[x] || !has[y] || !has[z]) throw apps::user_error(file_ + ": its vertices lack x, y or z");
    result_.has_normals = has[nx] && has[ny] && has[nz];
    result_.has_colours = has[red] && has[green] && has[blue];
    result_.points.reserve(static_cast<std::size_t>(element.count));
    for (std::size_t i = places_.size(); has_doubles_ && i < result_.points.size(); ++i) {
      const vec3 at = result_.points[i].position;
      places_.push_back({at.x, at.y, at.z});
    }
    return wanted;
  }

  void take(const std::vector<std::vector<double>>& values) override {
    vertex_values v{};
    for (std::size_t p = 0; p < fields_.size(); ++p) {
      if (fields_[p] != no_field) v[static_cast<std::size_t>(fields_[p])] = values[p].front() / scales_[p];
    }
    keep(v);
  }

 private:
  // Squared, and multiplied by a few, it is still a float. Values that the file doesn't have are 0.
  static bool can_be_drawn(const vertex_values& v) {
    constexpr double largest = 1e18;
    return std::all_of(v.begin(), v.end(), [](double value) { return std::abs(value) <= largest; });
  }

  static vec3 position_of(const std::array<double, 3>& at, const std::array<double, 3>& origin) {
    return {static_cast<float>(at[0] - origin[0]), static_cast<float>(at[1] - origin[1]),
            static_cast<float>(at[2] - origin[2])};
  }

  void keep(const vertex_values& v) {
    if (!can_be_drawn(v)) {
      ++result_.left_out;
      return;
    }
    const auto as_vec3 = [&](int first) {
      const auto at = static_cast<std::size_t>(first);
      return vec3{static_cast<float>(v[at]), static_cast<float>(v[at + 1]), static_cast<float>(v[at + 2])};
    };
    point p;
    p.position = as_vec3(x);
    if (result_.has_normals) p.normal = as_vec3(nx);
    if (result_.has_colours) p.colour = {linear_colour(v[red]), linear_colour(v[green]), linear_colour(v[blue])};
    result_.points.push_back(p);
    if (has_doubles_) places_.push_back({v[x], v[y], v[z]});
  }

  const std::string& file_;
  cloud result_;
  std::vector<int> fields_;     // of a vertex's properties
  std::vector<double> scales_;  // what a property is divided by
  bool has_doubles_ = false;
  std::vector<std::array<double, 3>> places_;  // of all points, where the file has doubles
};

}  // namespace

cloud parse_ply(std::string_view bytes, const std::string& file) {
  vertex_reader reader(file);
  apps::read_ply_items(bytes, file, reader);
  cloud result = reader.result();
  if (result.points.empty()) {
    const std::string left_out = std::to_string(result.left_out);
    throw apps::user_error(
        file + ": holds no points" +
        (result.left_out == 0 ? "" : ": left out " + left_out + ", whose values are no finite numbers or beyond 1e18"));
  }
  return result;
}

cloud read_ply(const std::string& file) { return parse_ply(apps::read_whole(file), apps::input_name(file)); }

}  // namespace particle_culling
