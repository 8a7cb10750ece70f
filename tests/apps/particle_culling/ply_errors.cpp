// SPDX-License-Identifier: Apache-2.0
// Broken PLY files: each must end in a user_error that names the file and what is wrong, never in a crash, an endless
// loop or memory for what isn't there.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

#include "../../../apps/particle_culling/ply_reader.hpp"
#include "../../../apps/common/user_error.hpp"
#include "../common/ply_text.hpp"

namespace {

using apps::user_error;
using particle_culling::parse_ply;

// The error's text; empty when there was none.
std::string error_of(const std::string& bytes) {
  try {
    parse_ply(bytes, "broken.ply");
  } catch (const user_error& error) {
    return error.what();
  }
  return {};
}

void expect_error(const std::string& bytes, const std::string& part) {
  const std::string text = error_of(bytes);
  EXPECT_EQ(text.rfind("broken.ply: ", 0), 0U) << "'" << text << "'";
  EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

std::string points_header(const std::string& format, const char* element = "element vertex 2") {
  return test::ply_header(format, {element, "property float x", "property float y", "property float z"});
}

// A file with everything in it; `little` picks the byte order.
std::string whole_file(bool little) {
  test::binary_values values(little);
  values.add(1.0F).add(2.0F).add(3.0F).add(std::uint8_t{2}).add(std::int16_t{5}).add(std::int16_t{6});
  values.add(4.0F).add(5.0F).add(6.0F).add(std::uint8_t{0});
  values.add(std::int32_t{3}).add(0).add(1).add(0);
  return test::ply_header(
             little ? "binary_little_endian" : "binary_big_endian",
             {"element vertex 2", "property float x", "property float y", "property float z",
              "property list uchar short tags", "element tristrips 1", "property list int int vertex_indices"}) +
         values.text();
}

TEST(ply_errors, not_ply) {
  expect_error("", "not a PLY file");
  expect_error("P", "not a PLY file");
  expect_error("\x89PNG\r\n\x1a\n and so on", "not a PLY file");
  expect_error(std::string(100000, '\0'), "not a PLY file");
  expect_error("plyer\nformat ascii 1.0\n", "not a PLY file");
}

TEST(ply_errors, header) {
  expect_error("ply\nformat ascii 1.0\nelement vertex 1\n", "before \"end_header\"");
  expect_error("ply\n" + std::string(100000, 'x'), "before \"end_header\"");
  expect_error("ply\nend_header\n", "no format");
  expect_error("ply\nformat text 1.0\nend_header\n", "line 2: unknown format \"text\"");
  expect_error("ply\nformat ascii 2.0\nend_header\n", "unknown version \"2.0\"");
  expect_error("ply\nformat ascii\nend_header\n", "line 2: a format line");
  expect_error("ply\nformat ascii 1.0\nelement vertex many\nend_header\n", "line 3: \"many\" is no count");
  expect_error("ply\nformat ascii 1.0\nelement vertex -1\nend_header\n", "\"-1\" is no count");
  expect_error("ply\nformat ascii 1.0\nelement vertex 99999999999999999999\nend_header\n", "is no count");
  expect_error("ply\nformat ascii 1.0\nproperty float x\nend_header\n", "before the first element");
  expect_error("ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\nend_header\n", "unknown type \"real\"");
  expect_error("ply\nformat ascii 1.0\nelement vertex 1\nproperty list float int x\nend_header\n",
               "must be an integer");
  expect_error("ply\nformat ascii 1.0\nelement vertex 1\nproperty list int x\nend_header\n", "a property line");
  expect_error("ply\nformat ascii 1.0\n\x01\x02\x7f\nend_header\n", "line 3: unknown keyword \"\\x01\\x02\\x7f\"");
}

TEST(ply_errors, no_points) {
  expect_error(test::ply_header("ascii", {}), "holds no points");
  expect_error(points_header("ascii", "element vertex 0"), "holds no points");
  for (const char* coordinate : {"nan", "inf", "-inf", "1e999", "-1e999", "1e39"}) {
    expect_error(points_header("ascii", "element vertex 1") + coordinate + " 0 0",
                 "holds no points: left out 1, whose values are no finite numbers");
  }
  expect_error(test::ply_header("ascii", {"element vertex 1", "property float x", "property float y"}) + "1 2",
               "lack x, y or z");
  expect_error(test::ply_header("ascii", {"element vertex 1", "property float x", "property float y",
                                          "property list uchar float z"}) +
                   "1 2 1 3",
               "lack x, y or z");
  expect_error(test::ply_header("ascii", {"element vertex 5"}), "lack x, y or z");
}

TEST(ply_errors, ascii_values) {
  expect_error(points_header("ascii") + "1 2 3\n4 five 6\n", "vertex 2, y: \"five\" is no number");
  expect_error(points_header("ascii") + "1 2 3\n4 5 0x6\n", "\"0x6\" is no number");
  expect_error(points_header("ascii") + "1 2 3\n4 5      ", "cut short in vertex 2 of 2");
  expect_error(test::ply_header("ascii", {"element vertex 1", "property float x", "property float y",
                                          "property float z", "element face 1", "property list char int i"}) +
                   "1 2 3\n-1\n",
               "face 1, i: a list can't have that length");
  for (const char* length : {"inf", "1e999", "nan"}) {
    expect_error(test::ply_header("ascii", {"element face 1", "property list int int i"}) + length,
                 "face 1, i: a list can't have that length");
  }
}

TEST(ply_errors, promises_more_than_it_holds) {
  expect_error(points_header("binary_little_endian", "element vertex 18446744073709551615") + "abc", "cut short");
  expect_error(points_header("ascii", "element vertex 4000000000000") + "1 2 3", "cut short");
  const auto long_list = test::binary_values(true).add(0.0F).add(0.0F).add(0.0F).add(std::uint32_t{4294967295U});
  expect_error(test::ply_header("binary_little_endian", {"element vertex 1", "property float x", "property float y",
                                                         "property float z", "property list uint double l"}) +
                   long_list.text(),
               "cut short in vertex 1 of 1");
}

// An element without properties takes no bytes, however many of them there are.
TEST(ply_errors, endless_empty_element) {
  const std::string header = test::ply_header("ascii", {"element nothing 18446744073709551615", "element vertex 1",
                                                        "property float x", "property float y", "property float z"});
  EXPECT_EQ(error_of(header + "1 2 3"), "");
}

TEST(ply_errors, cut_at_every_byte) {
  for (const bool little : {true, false}) {
    const std::string whole = whole_file(little);
    EXPECT_EQ(error_of(whole), "");
    for (std::size_t size = 0; size < whole.size(); ++size) expect_error(whole.substr(0, size), "");
  }
}

// Any error will do, or none: but nothing else than a user_error.
TEST(ply_errors, random_damage) {
  std::mt19937 random(7);
  const std::string ascii = points_header("ascii") + "1 2 3\n4 5 6\n";
  for (int i = 0; i < 6000; ++i) {
    std::string bytes = i % 3 == 0 ? ascii : whole_file(i % 3 == 1);
    for (int damage = 0; damage <= i % 4; ++damage) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    EXPECT_NO_FATAL_FAILURE(error_of(bytes));
  }
}

TEST(ply_errors, files) {
  for (const char* file : {"no/such/file.ply", "/", "."}) {
    try {
      particle_culling::read_ply(file);
      FAIL() << file << " was read";
    } catch (const user_error& error) {
      EXPECT_EQ(std::string(error.what()).rfind(std::string(file) + ": ", 0), 0U) << error.what();
    }
  }
}

}  // namespace
