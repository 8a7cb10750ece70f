// SPDX-License-Identifier: Apache-2.0
// Keeps the vertices of a PLY file that are splats.
#include "splat_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "../common/ply_items.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"

namespace splats {
namespace {

constexpr std::size_t own_values = 14;  // in this order; what f_rest has comes behind them
constexpr std::array<const char*, own_values> own_names{"x",      "y",       "z",       "f_dc_0",  "f_dc_1",
                                                        "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2",
                                                        "rot_0",  "rot_1",   "rot_2",   "rot_3"};
constexpr std::size_t first_colour = 3, opacity_at = 6, first_scale = 7, first_rotation = 10;
constexpr std::size_t most_rest = 45;

class splat_reader : public apps::ply_visitor {
 public:
  explicit splat_reader(const std::string& file) : file_(file) {}

  scene result() { return std::move(result_); }

  std::vector<bool> begin(const apps::ply_element& element) override {
    if (element.name != "vertex") return {};
    if (seen_) throw apps::user_error(file_ + ": has vertices twice");
    seen_ = true;
    std::vector<bool> wanted(element.properties.size());
    // The property's index; as many as there are where it is missing.
    const auto find = [&](const std::string& name) {
      const auto& all = element.properties;
      const auto same = [&](const apps::ply_property& p) { return p.name == name && !p.is_list; };
      const auto found = static_cast<std::size_t>(std::find_if(all.begin(), all.end(), same) - all.begin());
      if (found < wanted.size()) wanted[found] = true;
      return found;
    };
    for (std::size_t i = 0; i < own_values; ++i) {
      properties_.push_back(find(own_names[i]));
      if (properties_.back() == wanted.size()) {
        throw apps::user_error(file_ + ": its vertices lack " + own_names[i] + ", which splats have");
      }
    }
    for (std::size_t i = 0; i <= most_rest; ++i) {
      const std::size_t property = find("f_rest_" + std::to_string(i));
      if (property == wanted.size()) break;
      properties_.push_back(property);
    }
    result_.degree = degree_of(properties_.size() - own_values);
    reserve(element.count);
    return wanted;
  }

  void take(const std::vector<std::vector<double>>& values) override {
    std::vector<double>& own = values_;
    own.clear();
    for (const std::size_t property : properties_) own.push_back(values[property].front());
    if (!can_be_drawn(own)) {
      ++result_.left_out;
      return;
    }
    const auto at = [&](std::size_t i) { return static_cast<float>(own[i]); };
    result_.gaussians.push_back(
        {{at(0), at(1), at(2)},
         {at(first_scale), at(first_scale + 1), at(first_scale + 2)},
         {at(first_rotation), at(first_rotation + 1), at(first_rotation + 2), at(first_rotation + 3)},
         at(opacity_at)});
    result_.colours.push_back({at(first_colour), at(first_colour + 1), at(first_colour + 2)});
    const std::size_t rest = (own.size() - own_values) / 3;  // of a channel
    for (std::size_t i = own_values; i < own_values + rest; ++i) {
      result_.colours.push_back({at(i), at(i + rest), at(i + 2 * rest)});
    }
  }

 private:
  int degree_of(std::size_t rest) const {
    for (int degree = 0; degree <= most_degrees; ++degree) {
      if (rest == 3 * (static_cast<std::size_t>(coefficients_of(degree)) - 1)) return degree;
    }
    throw apps::user_error(file_ + ": its vertices have " + (rest > most_rest ? "more than 45" : std::to_string(rest)) +
                           " values of f_rest in a row, which are not 0, 9, 24 or 45");
  }

  void reserve(std::uint64_t count) {  // the file has room for so many
    result_.gaussians.reserve(static_cast<std::size_t>(count));
    result_.colours.reserve(static_cast<std::size_t>(count) *
                            static_cast<std::size_t>(coefficients_of(result_.degree)));
  }

  // Squared, and multiplied by a few, what is up to 1e18 is still a float.
  static bool can_be_drawn(const std::vector<double>& own) {
    const auto all_within = [&](std::size_t first, std::size_t count, double most) {
      return std::all_of(own.begin() + static_cast<std::ptrdiff_t>(first),
                         own.begin() + static_cast<std::ptrdiff_t>(first + count),
                         [most](double value) { return std::abs(value) <= most; });
    };
    double length = 0;
    for (std::size_t i = first_rotation; i < first_rotation + 4; ++i) length += std::abs(static_cast<float>(own[i]));
    return all_within(0, own.size(), 1e18) && all_within(first_scale, 3, 40) && length > 0;
  }

  const std::string& file_;
  bool seen_ = false;
  scene result_;
  std::vector<std::size_t> properties_;  // of a vertex, that are wanted
  std::vector<double> values_;           // of one vertex
};

void add_float(std::string& bytes, float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(bits >> 8 * i & 0xFF);
}

std::string header_of(const scene& what, std::size_t rest) {
  std::string text =
      "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(what.gaussians.size()) + "\n";
  const auto add = [&](const std::string& name) { text += "property float " + name + "\n"; };
  for (const char* name : {"x", "y", "z", "nx", "ny", "nz", "f_dc_0", "f_dc_1", "f_dc_2"}) add(name);
  for (std::size_t i = 0; i < 3 * rest; ++i) add("f_rest_" + std::to_string(i));
  for (std::size_t i = opacity_at; i < own_values; ++i) add(own_names[i]);
  return text + "end_header\n";
}

}  // namespace

scene parse_splats(std::string_view bytes, const std::string& file) {
  splat_reader reader(file);
  apps::read_ply_items(bytes, file, reader);
  scene result = reader.result();
  if (result.gaussians.empty()) {
    throw apps::user_error(file + ": holds no splats" +
                           (result.left_out == 0 ? ""
                                                 : ": left out " + std::to_string(result.left_out) +
                                                       ", whose values are no finite numbers or too large"));
  }
  result.name = apps::input_title(file);
  result.up = axis::minus_y;
  return result;
}

scene read_splats(const std::string& file) { return parse_splats(apps::read_whole(file), apps::input_name(file)); }

std::string splat_file(const scene& what) {
  const auto coefficients = static_cast<std::size_t>(coefficients_of(what.degree));
  std::string bytes = header_of(what, coefficients - 1);
  bytes.reserve(bytes.size() + what.gaussians.size() * 4 * (own_values + 3 * coefficients));
  const auto add = [&](float value) { add_float(bytes, value); };
  for (std::size_t i = 0; i < what.gaussians.size(); ++i) {
    const gaussian& one = what.gaussians[i];
    const vec3* colours = what.colours.data() + i * coefficients;
    for (const float value : {one.position.x, one.position.y, one.position.z, 0.0F, 0.0F, 0.0F}) add(value);
    for (const float value : {colours[0].x, colours[0].y, colours[0].z}) add(value);
    for (std::size_t j = 1; j < coefficients; ++j) add(colours[j].x);
    for (std::size_t j = 1; j < coefficients; ++j) add(colours[j].y);
    for (std::size_t j = 1; j < coefficients; ++j) add(colours[j].z);
    add(one.logit);
    for (const float value : one.log_scale) add(value);
    for (const float value : one.rotation) add(value);
  }
  return bytes;
}

}  // namespace splats
