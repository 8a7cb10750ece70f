// SPDX-License-Identifier: Apache-2.0
// Walks through the elements of a PLY file in the order of its header, keeps the vertices and steps over the rest.
#include "ply_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "../common/progress.hpp"
#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"
#include "ply_header.hpp"
#include "ply_values.hpp"

namespace particle_culling {
namespace {

// The properties that are kept, by their place in a vertex.
enum field : int { x, y, z, nx, ny, nz, red, green, blue, field_count, no_field = -1 };

using vertex_values = std::array<double, field_count>;

int field_of(const ply_property& property) {
  constexpr std::array<const char*, field_count> names{"x", "y", "z", "nx", "ny", "nz", "red", "green", "blue"};
  if (property.is_list) return no_field;
  for (int i = 0; i < field_count; ++i) {
    if (property.name == names[i]) return i;
    if (i >= red && property.name == std::string("diffuse_") + names[i]) return i;
  }
  return no_field;
}

// What colours of a type are divided by to come out between 0 and 1.
double colour_scale(ply_type type) {
  switch (type) {
    case ply_type::int8: return 127;
    case ply_type::uint8: return 255;
    case ply_type::int16: return 32767;
    case ply_type::uint16: return 65535;
    case ply_type::int32: return 2147483647.0;
    case ply_type::uint32: return 4294967295.0;
    default: return 1;
  }
}

float linear_colour(double value) { return static_cast<float>(std::pow(std::min(std::max(value, 0.0), 1.0), 2.2)); }

template <class Values>
class body_reader {
 public:
  body_reader(Values values, const ply_header& header, const std::string& file)
      : values_(values), header_(header), file_(file) {}

  cloud read() {
    for (const ply_element& element : header_.elements) {
      require_room(element);
      if (element.name == "vertex") {
        read_vertices(element);
      } else {
        for (std::uint64_t i = 0; i < element.count && !element.properties.empty(); ++i) read_item(element, i, nullptr);
      }
    }
    return std::move(result_);
  }

 private:
  // A header may promise anything: what the file is too short for is refused before memory is taken for it.
  void require_room(const ply_element& element) const {
    std::uint64_t bytes = 0;
    for (const ply_property& p : element.properties) bytes += values_.least_bytes(p.is_list ? p.count_type : p.type);
    if (bytes != 0 && element.count > values_.bytes_left() / bytes) {
      throw apps::user_error(file_ + ": cut short: the header promises " + std::to_string(element.count) + " of " +
                             apps::printable(element.name) + ", at least " + std::to_string(bytes) +
                             " bytes each, but only " + std::to_string(values_.bytes_left()) + " bytes are left");
    }
  }

  void read_vertices(const ply_element& element) {
    std::array<bool, field_count> has{};
    fields_.clear();
    for (const ply_property& p : element.properties) {
      fields_.push_back(field_of(p));
      if (fields_.back() != no_field) has[static_cast<std::size_t>(fields_.back())] = true;
    }
    if (!has[x] || !has[y] || !has[z]) throw apps::user_error(file_ + ": its vertices lack x, y or z");
    result_.has_normals = has[nx] && has[ny] && has[nz];
    result_.has_colours = has[red] && has[green] && has[blue];
    result_.points.reserve(static_cast<std::size_t>(element.count));
    vertex_values values{};
    apps::progress_bar progress("reading point", element.count);
    for (std::uint64_t i = 0; i < element.count; ++i) {
      progress.show(i);
      read_item(element, i, &values);
      keep(values);
    }
  }

  // One item of an element; its kept properties go to `values` unless that is null.
  void read_item(const ply_element& element, std::uint64_t index, vertex_values* values) {
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      if (!read_property(element, p, index, values)) {
        throw apps::user_error(file_ + ": cut short in " + apps::printable(element.name) + " " +
                               std::to_string(index + 1) + " of " + std::to_string(element.count));
      }
    }
  }

  // False where the file ends.
  bool read_property(const ply_element& element, std::size_t place, std::uint64_t index, vertex_values* values) {
    const ply_property& property = element.properties[place];
    const int f = values != nullptr ? fields_[place] : no_field;
    if (!property.is_list && f == no_field) return values_.skip(property.type, 1);
    double value = 0;
    try {
      if (!values_.next(property.is_list ? property.count_type : property.type, value)) return false;
      if (!property.is_list) {
        (*values)[static_cast<std::size_t>(f)] = f >= red ? value / colour_scale(property.type) : value;
        return true;
      }
      if (!(value >= 0 && value <= 4294967295.0 && value == std::floor(value))) {
        throw apps::user_error("a list can't have that length");
      }
    } catch (const apps::user_error& error) {
      throw apps::user_error(file_ + ": " + apps::printable(element.name) + " " + std::to_string(index + 1) + ", " +
                             apps::printable(property.name) + ": " + error.what());
    }
    return values_.skip(property.type, static_cast<std::uint64_t>(value));
  }

  // Squared, and multiplied by a few, it is still a float. Values that the file doesn't have are 0.
  static bool can_be_drawn(const vertex_values& v) {
    constexpr double largest = 1e18;
    return std::all_of(v.begin(), v.end(), [](double value) { return std::abs(value) <= largest; });
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
  }

  Values values_;
  const ply_header& header_;
  const std::string& file_;
  cloud result_;
  std::vector<int> fields_;  // of a vertex's properties
};

}  // namespace

cloud parse_ply(std::string_view bytes, const std::string& file) {
  const ply_header header = parse_ply_header(bytes, file);
  const std::string_view rest = bytes.substr(header.size);
  cloud result =
      header.format == ply_format::ascii
          ? body_reader<ply_text>(ply_text(rest), header, file).read()
          : body_reader<ply_binary>(ply_binary(rest, header.format == ply_format::little_endian), header, file).read();
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
