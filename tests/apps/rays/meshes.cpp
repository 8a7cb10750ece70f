// SPDX-License-Identifier: Apache-2.0
// Triangles of PLY files, whole and broken.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "../../../apps/common/user_error.hpp"
#include "../../../apps/rays/mesh_file.hpp"
#include "../common/files.hpp"
#include "../common/ply_text.hpp"

namespace {

using rays::mesh;
using rays::parse_mesh;

// Vertex i is at (i, i * i, 0), so that an x says which vertex a corner is.
std::string vertices(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i) + " " + std::to_string(i * i) + " 0\n";
  return text;
}

std::string ascii(int count, const char* element, const char* property, const std::string& rest) {
  const std::string number = "element vertex " + std::to_string(count);
  return test::ply_header(
             "ascii", {number.c_str(), "property float x", "property float y", "property float z", element, property}) +
         vertices(count) + rest;
}

// The corners' vertices: "012 023".
std::string corners(const mesh& found) {
  std::string text;
  for (const rays::triangle& one : found.triangles) {
    if (!text.empty()) text += ' ';
    for (const rays::vec3 corner : one) {
      EXPECT_EQ(corner.y, corner.x * corner.x);
      text += std::to_string(static_cast<int>(corner.x));
    }
  }
  return text;
}

TEST(meshes, faces_of_three_corners_and_more) {
  const std::string rest = "3 0 1 2\n4 0 1 2 3\n5 4 3 2 1 0\n2 0 1\n0\n";
  for (const char* name : {"property list uchar int vertex_indices", "property list uchar int vertex_index"}) {
    const mesh found = parse_mesh(ascii(5, "element face 5", name, rest), "a.ply");
    EXPECT_EQ(corners(found), "012 012 023 432 421 410");
    EXPECT_EQ(found.left_out, 0U);
  }
}

// As those on maps are: a float would have its corners half a unit apart.
TEST(meshes, far_from_0_a_mesh_keeps_its_shape) {
  const std::string header =
      test::ply_header("ascii", {"element vertex 4", "property double x", "property double y", "property double z",
                                 "element face 1", "property list uchar int vertex_indices"});
  // The last vertex is in no face.
  const mesh found = parse_mesh(header + "4500000 0 1\n4500000.25 0 1\n4500000 0.125 1\n0 0 0\n3 0 1 2\n", "a.ply");
  ASSERT_EQ(found.triangles.size(), 1U);
  EXPECT_EQ(found.triangles[0][1].x - found.triangles[0][0].x, 0.25F);
  EXPECT_EQ(found.triangles[0][2].y, 0.125F);
  EXPECT_EQ(found.triangles[0][2].z, 1);
}

TEST(meshes, strips_that_begin_anew) {
  const std::string rest = "13 0 1 2 3 -1 4 3 -1 4 4 2 1 0\n";
  const mesh found = parse_mesh(ascii(5, "element tristrips 1", "property list int int vertex_indices", rest), "a.ply");
  EXPECT_EQ(corners(found), "012 123 421 210");
}

TEST(meshes, binary_with_other_properties_and_faces_first) {
  for (const bool little : {true, false}) {
    test::binary_values values(little);
    values.add(7.0F).add(std::uint8_t{3}).add(std::uint16_t{2}).add(std::uint16_t{0}).add(std::uint16_t{1});
    for (int i = 0; i < 3; ++i) {
      values.add(static_cast<double>(i * i)).add(std::uint8_t{1}).add(0.5F).add(static_cast<double>(i)).add(0.0F);
    }
    const mesh found = parse_mesh(
        test::ply_header(little ? "binary_little_endian" : "binary_big_endian",
                         {"element face 1", "property float quality", "property list uchar ushort vertex_indices",
                          "element vertex 3", "property double y", "property list uchar float weights",
                          "property double x", "property float z"}) +
            values.text(),
        "a.ply");
    EXPECT_EQ(corners(found), "201");
  }
}

TEST(meshes, triangles_that_are_nowhere_are_left_out) {
  const std::string header =
      test::ply_header("ascii", {"element vertex 5", "property float x", "property float y", "property float z",
                                 "element face 4", "property list uchar int vertex_indices"});
  const mesh found =
      parse_mesh(header + "0 0 0\n1 1 0\n2 4 0\nnan 0 0\n0 1e19 0\n" + "3 0 1 3\n3 0 1 2\n3 4 1 2\n3 3 4 0\n", "a.ply");
  EXPECT_EQ(corners(found), "012");
  EXPECT_EQ(found.left_out, 3U);
}

void expect_error(const std::string& bytes, const std::string& part) {
  try {
    parse_mesh(bytes, "broken.ply");
    ADD_FAILURE() << "was read: no " << part;
  } catch (const apps::user_error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind("broken.ply: ", 0), 0U) << text;
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
  }
}

TEST(meshes, broken_ones) {
  const char* const list = "property list uchar int vertex_indices";
  expect_error("hello", "not a PLY file");
  expect_error(ascii(3, "element face 0", list, ""), "holds no triangles");
  expect_error(ascii(3, "element camera 1", "property int a", "1"), "holds no triangles");
  expect_error(ascii(3, "element face 1", list, "3 0 1 3"), "names vertex 3, but there are 3");
  expect_error(ascii(3, "element face 1", list, "3 0 1 -1"), "by what is no index");
  expect_error(ascii(3, "element face 1", "property list uchar float vertex_indices", "3 0 1 1.5"), "no index");
  expect_error(ascii(3, "element face 1", "property list uchar double vertex_indices", "3 0 1 nan"), "no index");
  expect_error(ascii(3, "element face 1", list, "3 0 1 two"), "face 1, vertex_indices: \"two\" is no number");
  expect_error(ascii(3, "element face 1", list, "4294967295 0"), "cut short in face 1 of 1");
  expect_error(ascii(3, "element face 1", "property int vertex_indices", "3"), "faces lack vertex_indices");
  expect_error(test::ply_header(
                   "ascii", {"element vertex 1", "property float x", "property float y", "property list int float z"}) +
                   "0 0 1 0",
               "vertices lack x, y or z");
  const std::string header = test::ply_header("ascii", {"element vertex 3", "property float x", "property float y",
                                                        "property float z", "element face 1", list});
  expect_error(header + "0 0 nan\n0 0 0\n1 1 1\n3 0 1 2", "holds no triangles whose corners are finite numbers");
}

std::string binary_mesh() {
  test::binary_values values(true);
  for (int i = 0; i < 4; ++i) values.add(1.0F * i).add(1.0F * i * i).add(0.5F);
  values.add(std::uint8_t{4}).add(0).add(1).add(2).add(3);
  values.add(std::int32_t{6}).add(0).add(1).add(2).add(-1).add(2).add(3);
  return test::ply_header("binary_little_endian",
                          {"element vertex 4", "property float x", "property float y", "property float z",
                           "element face 1", "property list uchar int vertex_indices", "element tristrips 1",
                           "property list int int vertex_indices"}) +
         values.text();
}

TEST(meshes, cut_at_every_byte) {
  const std::string whole = binary_mesh();
  EXPECT_EQ(parse_mesh(whole, "a.ply").triangles.size(), 3U);
  for (std::size_t size = 0; size < whole.size(); ++size) expect_error(whole.substr(0, size), "");
}

// Any error will do, or none: but nothing else than a user_error.
TEST(meshes, random_damage) {
  std::mt19937 random(11);
  int refused = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string bytes =
        i % 2 == 0 ? binary_mesh()
                   : ascii(5, "element face 2", "property list uchar int vertex_index", "3 0 1 2\n4 1 2 3 4\n");
    for (int damage = 0; damage <= i % 4; ++damage) bytes[random() % bytes.size()] = static_cast<char>(random());
    try {
      EXPECT_LE(parse_mesh(bytes, "a.ply").triangles.size(), bytes.size());
    } catch (const apps::user_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 6000);
}

TEST(meshes, scanned_head) {
  const std::string file = test::data_file("igea.ply");
  if (file.empty()) GTEST_SKIP() << "igea.ply is not there";
  const mesh found = rays::read_mesh(file);
  EXPECT_EQ(found.triangles.size(), 268686U);
  EXPECT_EQ(found.left_out, 0U);
}

}  // namespace
