// SPDX-License-Identifier: Apache-2.0
// Keeps vertices and the corners of triangles as the file has them, and puts them together in the end: a file may have faces
// before vertices.
#include "mesh_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "../common/ply_items.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"

namespace rays {
namespace {

enum class item_kind { other, vertex, face, strip };

class mesh_reader : public apps::ply_visitor {
 public:
  explicit mesh_reader(const std::string& file) : file_(file) {}

  std::vector<bool> begin(const apps::ply_element& element) override {
    kind_ = kind_of(element.name);
    if (kind_ == item_kind::other) return {};
    std::vector<bool> wanted(element.properties.size());
    const auto want = [&](const char* name, const char* other, bool list) {
      for (std::size_t p = 0; p < wanted.size(); ++p) {
        const apps::ply_property& property = element.properties[p];
        if (property.is_list != list || (property.name != name && property.name != other)) continue;
        wanted[p] = true;
        return p;
      }
      throw apps::user_error(file_ + ": its " + (list ? "faces lack vertex_indices" : "vertices lack x, y or z"));
    };
    if (kind_ == item_kind::vertex) properties_ = {want("x", "x", false), want("y", "y", false), want("z", "z", false)};
    else properties_ = {want("vertex_indices", "vertex_index", true)};
    return wanted;
  }

  void take(const std::vector<std::vector<double>>& values) override {
    if (kind_ == item_kind::vertex) {
      const auto coordinate = [&](std::size_t axis) { return values[properties_[axis]].front(); };
      vertices_.push_back({coordinate(0), coordinate(1), coordinate(2)});
      return;
    }
    const std::vector<double>& corners = values[properties_[0]];
    if (kind_ == item_kind::face) {
      for (std::size_t i = 2; i < corners.size(); ++i) keep(corners[0], corners[i - 1], corners[i]);
      return;
    }
    std::size_t begin = 0;  // of the strip
    for (std::size_t i = 0; i < corners.size(); ++i) {
      if (corners[i] == -1) begin = i + 1;
      else if (i >= begin + 2) keep(corners[i - 2], corners[i - 1], corners[i]);
    }
  }

  mesh result() const {
    mesh found;
    const std::array<double, 3> origin = apps::float_origin(used_vertices());
    for (const std::array<std::uint32_t, 3>& corners : corners_) {
      triangle one;
      bool somewhere = true;
      for (std::size_t i = 0; i < 3; ++i) {
        if (corners[i] >= vertices_.size()) {
          throw apps::user_error(file_ + ": a face names vertex " + std::to_string(corners[i]) + ", but there are " +
                                 std::to_string(vertices_.size()));
        }
        const std::array<double, 3>& at = vertices_[corners[i]];
        somewhere &= std::all_of(at.begin(), at.end(), [](double value) { return std::abs(value) <= 1e18; });
        if (somewhere) {
          one[i] = {static_cast<float>(at[0] - origin[0]), static_cast<float>(at[1] - origin[1]),
                    static_cast<float>(at[2] - origin[2])};
        }
      }
      if (somewhere) found.triangles.push_back(one);
      else ++found.left_out;
    }
    if (found.triangles.empty()) {
      throw apps::user_error(file_ + ": holds no triangles" +
                             (found.left_out == 0 ? "" : " whose corners are finite numbers up to 1e18"));
    }
    return found;
  }

 private:
  static item_kind kind_of(const std::string& name) {
    if (name == "vertex") return item_kind::vertex;
    if (name == "face") return item_kind::face;
    return name == "tristrips" ? item_kind::strip : item_kind::other;
  }

  std::vector<std::array<double, 3>> used_vertices() const {
    std::vector<std::array<double, 3>> used;
    for (const std::array<std::uint32_t, 3>& corners : corners_) {
      for (const std::uint32_t corner : corners) {
        if (corner < vertices_.size()) used.push_back(vertices_[corner]);
      }
    }
    return used;
  }

  // Strips turn around by triangles that have a corner twice.
  void keep(double a, double b, double c) {
    if (a == b || b == c || a == c) return;
    for (const double index : {a, b, c}) {
      if (!(index >= 0 && index < 4294967295.0 && index == std::floor(index))) {
        throw apps::user_error(file_ + ": a face names a vertex by what is no index");
      }
    }
    corners_.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(c)});
  }

  const std::string& file_;
  item_kind kind_ = item_kind::other;
  std::vector<std::size_t> properties_;  // of an item, that are wanted
  std::vector<std::array<double, 3>> vertices_;
  std::vector<std::array<std::uint32_t, 3>> corners_;
};

}  // namespace

mesh parse_mesh(std::string_view bytes, const std::string& file) {
  mesh_reader reader(file);
  apps::read_ply_items(bytes, file, reader);
  return reader.result();
}

mesh read_mesh(const std::string& file) { return parse_mesh(apps::read_whole(file), apps::input_name(file)); }

}  // namespace rays
