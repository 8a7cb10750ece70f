// SPDX-License-Identifier: Apache-2.0
// Scenes of PLY files, whole and broken.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "../../../apps/common/user_error.hpp"
#include "../../../apps/splats/splat_file.hpp"
#include "../common/ply_text.hpp"

namespace {

using splats::gaussian;
using splats::parse_splats;
using splats::scene;

std::vector<std::string> all_names(int rest) {
  std::vector<std::string> names{"x", "y", "z", "nx", "ny", "nz", "f_dc_0", "f_dc_1", "f_dc_2"};
  for (int i = 0; i < rest; ++i) names.push_back("f_rest_" + std::to_string(i));
  for (const char* name : {"opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"}) {
    names.push_back(name);
  }
  return names;
}

// Property j of splat i is 100 i + j, but for scales and rotations, which are j / 100.
std::string text_file(int count, const std::vector<std::string>& names) {
  std::string text = "ply\nformat ascii 1.0\nelement vertex " + std::to_string(count) + "\n";
  for (const std::string& name : names) text += "property float " + name + "\n";
  text += "end_header\n";
  for (int i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < names.size(); ++j) {
      const bool small = names[j].rfind("scale", 0) == 0 || names[j].rfind("rot", 0) == 0;
      text += std::to_string(small ? static_cast<double>(j) / 100 : 100.0 * i + static_cast<double>(j)) + " ";
    }
    text += "\n";
  }
  return text;
}

scene two_splats(int degree) {
  scene what;
  what.degree = degree;
  for (int i = 0; i < 2; ++i) {
    const auto f = static_cast<float>(i);
    what.gaussians.push_back({{1 + f, 2, 3}, {-1, -2 - f, -3}, {1, 0.5F, f, -2}, 0.25F});
    for (int j = 0; j < splats::coefficients_of(degree); ++j) {
      what.colours.push_back({f, 0.1F * static_cast<float>(j), -1});
    }
  }
  return what;
}

TEST(splat_files, properties_of_every_degree) {
  for (int degree = 0; degree <= 3; ++degree) {
    const int rest = splats::coefficients_of(degree) - 1;
    const scene found = parse_splats(text_file(2, all_names(3 * rest)), "folder/a.ply");
    EXPECT_EQ(found.name, "a.ply");
    EXPECT_EQ(found.degree, degree);
    EXPECT_EQ(found.left_out, 0U);
    ASSERT_EQ(found.gaussians.size(), 2U);
    ASSERT_EQ(found.colours.size(), 2U * (1 + rest));
    const gaussian& one = found.gaussians[1];
    EXPECT_EQ(one.position.z, 102);
    EXPECT_EQ(one.logit, 109 + 3 * rest);
    EXPECT_FLOAT_EQ(one.log_scale[2], (12 + 3 * rest) / 100.0F);
    EXPECT_FLOAT_EQ(one.rotation[0], (13 + 3 * rest) / 100.0F);
    const splats::vec3* colours = found.colours.data() + 1 + rest;
    EXPECT_EQ(colours[0].y, 107);
    for (int j = 0; j < rest; ++j) {  // all of red, then of green, then of blue
      EXPECT_EQ(colours[1 + j].x, 109 + j);
      EXPECT_EQ(colours[1 + j].y, 109 + rest + j);
      EXPECT_EQ(colours[1 + j].z, 109 + 2 * rest + j);
    }
  }
}

TEST(splat_files, any_order_of_properties) {
  std::vector<std::string> names = all_names(9);
  const scene found = parse_splats(text_file(1, names), "a.ply");
  std::reverse(names.begin(), names.end());
  const scene rotated = parse_splats(text_file(1, names), "a.ply");
  const auto last = static_cast<float>(names.size()) - 1;
  EXPECT_EQ(rotated.gaussians[0].position.x, last - found.gaussians[0].position.x);
  EXPECT_EQ(rotated.colours[3].z, last - found.colours[3].z);
}

TEST(splat_files, what_is_written_is_read) {
  for (int degree = 0; degree <= 3; ++degree) {
    const scene what = two_splats(degree);
    const scene found = parse_splats(splats::splat_file(what), "a.ply");
    EXPECT_EQ(found.degree, degree);
    ASSERT_EQ(found.gaussians.size(), 2U);
    ASSERT_EQ(found.colours.size(), what.colours.size());
    EXPECT_EQ(std::memcmp(found.gaussians.data(), what.gaussians.data(), 2 * sizeof(gaussian)), 0);
    EXPECT_EQ(std::memcmp(found.colours.data(), what.colours.data(), what.colours.size() * sizeof(splats::vec3)), 0);
  }
}

TEST(splat_files, splats_that_cannot_be_drawn_are_left_out) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const auto left_out = [](auto change) {
    scene what = two_splats(1);
    change(what);
    const scene found = parse_splats(splats::splat_file(what), "a.ply");
    EXPECT_EQ(found.gaussians.size() + found.left_out, 2U);
    EXPECT_EQ(found.colours.size(), 4 * found.gaussians.size());
    return found.left_out;
  };
  EXPECT_EQ(left_out([](scene&) {}), 0U);
  EXPECT_EQ(left_out([](scene& s) { s.gaussians[0].position.y = nan; }), 1U);
  EXPECT_EQ(left_out([](scene& s) { s.gaussians[1].logit = inf; }), 1U);
  EXPECT_EQ(left_out([](scene& s) { s.colours[7].z = -inf; }), 1U);
  EXPECT_EQ(left_out([](scene& s) { s.gaussians[0].position.x = 2e18F; }), 1U);
  EXPECT_EQ(left_out([](scene& s) { s.gaussians[0].log_scale[1] = 40.5F; }), 1U);
  EXPECT_EQ(left_out([](scene& s) { s.gaussians[0].log_scale[1] = -40.5F; }), 1U);
  EXPECT_EQ(left_out([](scene& s) { s.gaussians[1].rotation = {0, 0, 0, 0}; }), 1U);
}

void expect_error(const std::string& bytes, const std::string& part) {
  try {
    parse_splats(bytes, "broken.ply");
    ADD_FAILURE() << "was read: no " << part;
  } catch (const apps::user_error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind("broken.ply: ", 0), 0U) << text;
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST(splat_files, broken_ones) {
  expect_error("hello", "not a PLY file");
  expect_error(text_file(0, all_names(0)), "holds no splats");
  expect_error(test::ply_header("ascii", {"element face 0"}), "holds no splats");
  for (const char* name : {"x", "z", "f_dc_1", "opacity", "scale_2", "rot_0"}) {
    std::vector<std::string> names = all_names(0);
    names.erase(std::find(names.begin(), names.end(), name));
    expect_error(text_file(1, names), std::string("its vertices lack ") + name + ", which splats have");
  }
  for (const int rest : {1, 8, 10, 44}) {
    expect_error(text_file(1, all_names(rest)), "have " + std::to_string(rest) + " values of f_rest in a row");
  }
  expect_error(text_file(1, all_names(46)), "have more than 45 values");
  std::string list = text_file(1, all_names(0));
  list.replace(list.find("float opacity"), 13, "list uchar float opacity");
  expect_error(list, "lack opacity");
  std::string twice = text_file(1, all_names(0));
  twice.replace(twice.find("end_header"), 10, "element vertex 1\nproperty float x\nend_header");
  expect_error(twice, "has vertices twice");
  scene what = two_splats(0);
  for (gaussian& one : what.gaussians) one.position.x = std::nanf("");
  expect_error(splats::splat_file(what), "holds no splats: left out 2, whose values are no finite numbers");
}

TEST(splat_files, cut_at_every_byte) {
  const std::string whole = splats::splat_file(two_splats(1));
  EXPECT_EQ(parse_splats(whole, "a.ply").gaussians.size(), 2U);
  for (std::size_t size = 0; size < whole.size(); ++size) expect_error(whole.substr(0, size), "");
}

// Any error will do, or none: but nothing else than a user_error.
TEST(splat_files, random_damage) {
  std::mt19937 random(17);
  int refused = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string bytes = i % 2 == 0 ? splats::splat_file(two_splats(i % 3)) : text_file(3, all_names(9));
    for (int damage = 0; damage <= i % 4; ++damage) bytes[random() % bytes.size()] = static_cast<char>(random());
    try {
      EXPECT_LE(parse_splats(bytes, "a.ply").gaussians.size(), bytes.size());
    } catch (const apps::user_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 6000);
}

}  // namespace
