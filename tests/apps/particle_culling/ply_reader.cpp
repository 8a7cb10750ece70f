// SPDX-License-Identifier: Apache-2.0
// The PLY reader: what it takes from a file, and what it steps over.
#include "../../../apps/particle_culling/ply_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "../common/files.hpp"
#include "../common/ply_text.hpp"

namespace {

using particle_culling::cloud;
using particle_culling::parse_ply;
using particle_culling::vec3;

void expect_position(const cloud& points, std::size_t i, vec3 expected) {
  ASSERT_LT(i, points.points.size());
  const vec3 p = points.points[i].position;
  EXPECT_EQ(p.x, expected.x) << "point " << i;
  EXPECT_EQ(p.y, expected.y) << "point " << i;
  EXPECT_EQ(p.z, expected.z) << "point " << i;
}

TEST(ply_reader, ascii) {
  const std::string header = test::ply_header("ascii", {"comment made by hand", "element vertex 3", "property float x",
                                                        "property float y", "property float z"});
  const cloud points = parse_ply(header + "1 2 3\n-4.5 +5 6e1\n  7\t8   9", "a.ply");
  ASSERT_EQ(points.points.size(), 3U);
  expect_position(points, 0, {1, 2, 3});
  expect_position(points, 1, {-4.5F, 5, 60});
  expect_position(points, 2, {7, 8, 9});
  EXPECT_FALSE(points.has_normals);
  EXPECT_FALSE(points.has_colours);
}

// As those on maps are: a float would have them half a unit apart.
TEST(ply_reader, doubles_far_from_0_keep_their_shape) {
  const std::string header =
      test::ply_header("ascii", {"element vertex 3", "property double x", "property double y", "property double z"});
  const cloud far = parse_ply(header + "4500000.125 5500000 7\n4500000.25 5500000 8\n4500000.375 5500000.5 9", "a.ply");
  ASSERT_EQ(far.points.size(), 3U);
  expect_position(far, 0, {-0.125F, -0.25F, 7});
  expect_position(far, 1, {0, -0.25F, 8});
  expect_position(far, 2, {0.125F, 0.25F, 9});
  expect_position(parse_ply(header + "100 -5 7\n90 5 8\n99 5 9", "a.ply"), 0, {100, -5, 7});
}

TEST(ply_reader, line_ends_of_all_systems) {
  for (const char* end : {"\n", "\r\n", "\r"}) {
    const std::string header = test::ply_header(
        "ascii", {"element vertex 1", "property float x", "property float y", "property float z"}, end);
    expect_position(parse_ply(header + "1 2 3" + end, "a.ply"), 0, {1, 2, 3});
  }
  const std::string windows = test::ply_header(
      "binary_little_endian", {"element vertex 1", "property float x", "property float y", "property float z"}, "\r\n");
  const auto values = test::binary_values(true).add(1.0F).add(2.0F).add(3.0F);
  expect_position(parse_ply(windows + values.text(), "a.ply"), 0, {1, 2, 3});
}

TEST(ply_reader, every_type_and_byte_order) {
  for (const bool little : {true, false}) {
    const std::string header = test::ply_header(
        little ? "binary_little_endian" : "binary_big_endian",
        {"element vertex 2", "property char a", "property uint8 b", "property float64 x", "property int16 y",
         "property ushort c", "property uint32 z", "property int d", "property float32 e"});
    test::binary_values values(little);
    for (int i = 0; i < 2; ++i) {
      values.add(std::int8_t{-1}).add(std::uint8_t{200}).add(1.5 + i).add(std::int16_t{-300}).add(std::uint16_t{7});
      values.add(std::uint32_t{i == 0 ? 4000000000U : 1000000000U}).add(std::int32_t{-9}).add(0.25F);
    }
    const cloud points = parse_ply(header + values.text(), "b.ply");
    ASSERT_EQ(points.points.size(), 2U);
    expect_position(points, 0, {1.5F, -300, 4.0e9F});
    expect_position(points, 1, {2.5F, -300, 1.0e9F});
  }
}

TEST(ply_reader, signed_bytes) {
  const std::string header = test::ply_header(
      "binary_big_endian", {"element vertex 1", "property int8 x", "property uint8 y", "property int32 z"});
  const auto values =
      test::binary_values(false).add(std::int8_t{-128}).add(std::uint8_t{255}).add(std::int32_t{-70000});
  expect_position(parse_ply(header + values.text(), "b.ply"), 0, {-128, 255, -70000});
}

TEST(ply_reader, skips_other_elements_and_lists) {
  for (const bool little : {true, false}) {
    const std::string header =
        test::ply_header(little ? "binary_little_endian" : "binary_big_endian",
                         {"obj_info nothing of interest", "element camera 1", "property double focal",
                          "property list uchar short marks", "element vertex 2", "property float x",
                          "property list int double weights", "property float y", "property float z", "element empty 0",
                          "property int nothing", "element tristrips 1", "property list int int vertex_indices"});
    test::binary_values values(little);
    values.add(35.0).add(std::uint8_t{2}).add(std::int16_t{1}).add(std::int16_t{2});
    values.add(1.0F).add(std::int32_t{1}).add(0.5).add(2.0F).add(3.0F);
    values.add(4.0F).add(std::int32_t{0}).add(5.0F).add(6.0F);
    values.add(std::int32_t{4}).add(0).add(1).add(0).add(-1);
    const cloud points = parse_ply(header + values.text(), "c.ply");
    ASSERT_EQ(points.points.size(), 2U);
    expect_position(points, 0, {1, 2, 3});
    expect_position(points, 1, {4, 5, 6});
  }
}

TEST(ply_reader, skips_lists_in_ascii) {
  const std::string header = test::ply_header(
      "ascii", {"element face 2", "property list uchar int vertex_indices", "element vertex 1", "property float z",
                "property list uchar float w", "property float y", "property float x"});
  const cloud points = parse_ply(header + "3 0 1 2\n0\n3 2 0.5 0.5 2 1\n", "c.ply");
  ASSERT_EQ(points.points.size(), 1U);
  expect_position(points, 0, {1, 2, 3});
}

TEST(ply_reader, normals_and_colours) {
  const std::string header =
      test::ply_header("ascii", {"element vertex 1", "property float x", "property float y", "property float z",
                                 "property float nx", "property float ny", "property float nz", "property uchar red",
                                 "property uchar green", "property uchar blue", "property uchar alpha"});
  const cloud points = parse_ply(header + "1 2 3 0 0 -1 255 0 128 255\n", "d.ply");
  ASSERT_EQ(points.points.size(), 1U);
  EXPECT_TRUE(points.has_normals);
  EXPECT_TRUE(points.has_colours);
  EXPECT_EQ(points.points[0].normal.z, -1);
  EXPECT_FLOAT_EQ(points.points[0].colour.x, 1);
  EXPECT_FLOAT_EQ(points.points[0].colour.y, 0);
  EXPECT_NEAR(points.points[0].colour.z, std::pow(128.0 / 255, 2.2), 1e-5);
}

TEST(ply_reader, colours_of_other_types_and_names) {
  const std::string wide = test::ply_header(
      "ascii", {"element vertex 1", "property float x", "property float y", "property float z",
                "property ushort diffuse_red", "property ushort diffuse_green", "property ushort diffuse_blue"});
  EXPECT_FLOAT_EQ(parse_ply(wide + "0 0 0 65535 0 0", "d.ply").points[0].colour.x, 1);
  const std::string floats =
      test::ply_header("ascii", {"element vertex 1", "property float x", "property float y", "property float z",
                                 "property float red", "property float green", "property float blue"});
  EXPECT_FLOAT_EQ(parse_ply(floats + "0 0 0 0.5 7 -1", "d.ply").points[0].colour.y, 1);
}

TEST(ply_reader, leaves_out_and_counts_points_that_are_nowhere) {
  const std::string header = test::ply_header(
      "binary_little_endian", {"element vertex 3", "property float x", "property float y", "property float z"});
  test::binary_values values(true);
  values.add(1.0F).add(std::numeric_limits<float>::quiet_NaN()).add(1.0F);
  values.add(1.0F).add(2.0F).add(3.0F);
  values.add(std::numeric_limits<float>::infinity()).add(1.0F).add(1.0F);
  const cloud points = parse_ply(header + values.text(), "e.ply");
  ASSERT_EQ(points.points.size(), 1U);
  EXPECT_EQ(points.left_out, 2U);
  expect_position(points, 0, {1, 2, 3});

  // In text, too, and where the number is too large for a double or a float: never another number in its place.
  const cloud text = parse_ply(
      test::ply_header("ascii", {"element vertex 6", "property float x", "property float y", "property float z"}) +
          "inf 0 0\n0 1e999 0\n1 2 3\n0 0 -1e999\n0 0 nan\n1e38 1e-400 1e39\n",
      "e.ply");
  ASSERT_EQ(text.points.size(), 1U);
  EXPECT_EQ(text.left_out, 5U);
  expect_position(text, 0, {1, 2, 3});
}

TEST(ply_reader, leaves_out_points_whose_normal_or_colour_is_no_number) {
  const std::string header =
      test::ply_header("ascii", {"element vertex 5", "property float x", "property float y", "property float z",
                                 "property float nx", "property float ny", "property float nz", "property float red",
                                 "property float green", "property float blue", "property float quality"});
  const cloud points = parse_ply(header +
                                     "0 0 0 0 0 1 0 0 0 nan\n1 0 0 nan 0 1 0 0 0 0\n2 0 0 0 0 1 0 inf 0 0\n"
                                     "3 0 0 0 0 1e30 0 0 0 0\n4 0 0 0 0 0 0.5 0.5 0.5 0\n",
                                 "e.ply");
  ASSERT_EQ(points.points.size(), 2U);
  EXPECT_EQ(points.left_out, 3U);
  expect_position(points, 0, {0, 0, 0});
  expect_position(points, 1, {4, 0, 0});
}

TEST(ply_reader, scanned_head) {
  const std::string file = test::data_file("igea.ply");
  if (file.empty()) GTEST_SKIP() << "igea.ply is not there";
  const cloud points = particle_culling::read_ply(file);
  EXPECT_EQ(points.points.size(), 134345U);
  const particle_culling::bounds box = bounds_of(points.points);
  EXPECT_GT(box.radius(), 0);
  EXPECT_TRUE(std::isfinite(box.radius()));
}

}  // namespace
