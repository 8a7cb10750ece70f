// SPDX-License-Identifier: Apache-2.0
// PNG files, whole or not at all; canvas and plots.
#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../../../apps/common/canvas.hpp"
#include "../../../apps/common/plot.hpp"
#include "../../../apps/common/png_writer.hpp"
#include "../../../apps/common/user_error.hpp"
#include "files.hpp"

namespace {

using namespace apps;
namespace fs = std::filesystem;

class png_writer : public test::own_folder {};
class plots : public test::own_folder {};

std::vector<std::uint8_t> gradient(int width, int height) {
  std::vector<std::uint8_t> rgb;
  for (int i = 0; i < width * height * 3; ++i) rgb.push_back(static_cast<std::uint8_t>(i * 7));
  return rgb;
}

std::vector<std::uint8_t> read_back(const fs::path& file, int width, int height) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&image, file.c_str()), 0) << image.message;
  EXPECT_EQ(image.width, static_cast<png_uint_32>(width));
  EXPECT_EQ(image.height, static_cast<png_uint_32>(height));
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> rgb(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, rgb.data(), 0, nullptr), 0) << image.message;
  return rgb;
}

TEST_F(png_writer, png_holds_the_pixels) {
  for (const auto& [width, height] : {std::pair{1, 1}, std::pair{31, 17}, std::pair{640, 3}}) {
    const auto rgb = gradient(width, height);
    write_png((folder_ / "a.png").string(), rgb, width, height);
    EXPECT_EQ(read_back(folder_ / "a.png", width, height), rgb);
    EXPECT_EQ(files_in_folder(), 1U);  // the one before was replaced, nothing else is left
  }
}

TEST_F(png_writer, failure_leaves_nothing_behind) {
  const std::string file = (folder_ / "missing" / "a.png").string();
  try {
    write_png(file, gradient(4, 4), 4, 4);
    FAIL() << "no error";
  } catch (const user_error& error) {
    EXPECT_EQ(std::string(error.what()).rfind(file + ": can't be written", 0), 0U) << error.what();
  }
  fs::create_directory(folder_ / "b.png");
  std::ofstream(folder_ / "b.png" / "keeps it from being replaced") << "x";
  EXPECT_THROW(write_png((folder_ / "b.png").string(), gradient(4, 4), 4, 4), user_error);
  EXPECT_EQ(files_in_folder(), 1U);
}

// A device that is always full stands for a full disk.
TEST_F(png_writer, full_disk) {
  if (!make_device("a.png", 7)) GTEST_SKIP() << "no devices here";
  EXPECT_THROW(write_png((folder_ / "a.png").string(), gradient(64, 64), 64, 64), user_error);
  EXPECT_TRUE(fs::is_character_file(folder_ / "a.png"));
}

// The pixels of a paint: how many, and between which rows and columns.
struct found_pixels {
  int count = 0, first_row = 1 << 30, last_row = -1, first_column = 1 << 30, last_column = -1;
};

found_pixels find(const std::vector<std::uint8_t>& rgb, int width, colour paint) {
  found_pixels found;
  for (std::size_t i = 0; i + 2 < rgb.size(); i += 3) {
    if (rgb[i] != paint.red || rgb[i + 1] != paint.green || rgb[i + 2] != paint.blue) continue;
    const int row = static_cast<int>(i / 3) / width, column = static_cast<int>(i / 3) % width;
    ++found.count;
    found.first_row = std::min(found.first_row, row), found.last_row = std::max(found.last_row, row);
    found.first_column = std::min(found.first_column, column), found.last_column = std::max(found.last_column, column);
  }
  return found;
}

TEST(canvas, draws_where_it_is_told_and_nowhere_else) {
  const colour red{200, 0, 0};
  canvas on(40, 30);
  EXPECT_EQ(find(on.rgb(), 40, {255, 255, 255}).count, 40 * 30);
  on.box(10, 5, 20, 15, red);
  found_pixels found = find(on.rgb(), 40, red);
  EXPECT_EQ(found.count, 100);
  EXPECT_EQ(found.first_row, 5);
  EXPECT_EQ(found.last_column, 19);

  on.line(-1e9, -1e9, -1e9, -1e9, 3, red);
  on.box(-50, 28, 1e9, 1e9, red);  // cut off at the edges
  found = find(on.rgb(), 40, red);
  EXPECT_EQ(found.count, 100 + 80);
}

TEST(canvas, text_is_as_wide_as_it_says) {
  canvas on(300, 40);
  on.text(10, 8, "residual", {0, 0, 0});
  const found_pixels found = find(on.rgb(), 300, {0, 0, 0});
  EXPECT_GT(found.count, 100);
  EXPECT_GE(found.first_column, 10);
  EXPECT_NEAR(found.last_column, 10 + canvas::text_width("residual"), 5);
  EXPECT_LT(found.last_row, 8 + canvas::text_height());
  on.text(0, 0, "\x01\xff\n", {0, 0, 0});  // does no harm
}

TEST(plot, ticks_are_round) {
  EXPECT_EQ(ticks_of(0, 10, 5, false), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(ticks_of(-1, 1, 4, false), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  EXPECT_EQ(ticks_of(1e-3, 1e1, 8, true), (std::vector<double>{std::pow(10, -3), 0.01, 0.1, 1, 10}));
  EXPECT_LE(ticks_of(1e-300, 1e300, 8, true).size(), 9U);
}

TEST(plot, labels_tell_ticks_apart) {
  using labels = std::vector<std::string>;
  EXPECT_EQ(labels_of({0, 0.5, 1}, 5), (labels{"0", "0.5", "1"}));
  EXPECT_EQ(labels_of({100000, 200000}, 5), (labels{"1e+05", "2e+05"}));
  EXPECT_EQ(labels_of({100000, 100000.5, 100001}, 5), (labels{"100000", "100000.5", "100001"}));
  EXPECT_EQ(labels_of({12345, 12345.5}, 5), (labels{"12345", "12345.5"}));
  EXPECT_EQ(labels_of({-1e-300, 1e-300}, 5), (labels{"-1e-300", "1e-300"}));
  EXPECT_EQ(labels_of({7}, 5), (labels{"7"}));
  EXPECT_TRUE(labels_of({}, 5).empty());
}

TEST_F(plots, curves_from_corner_to_corner) {
  plot what{"a title", "place", 0, 1, false, {{"rising", {}}}};
  for (int i = 0; i < 100000; ++i) what.curves[0].values.push_back(i);
  write_plot((folder_ / "a.png").string(), what);
  const found_pixels found = find(read_back(folder_ / "a.png", 1200, 700), 1200, {165, 175, 190});
  EXPECT_LT(found.first_column, 130);
  EXPECT_GT(found.last_column, 1160);
  EXPECT_LT(found.first_row, 110);
  EXPECT_GT(found.last_row, 590);
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(plots, odd_curves) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), most = std::numeric_limits<double>::max();
  for (const bool logarithmic : {false, true}) {
    for (const std::vector<double>& values : std::vector<std::vector<double>>{
             {}, {0}, {nan, nan}, {1, nan, 3}, {-most, most}, {0, 1e-300, 1e300}, {most, most}, {5e-324, 7}}) {
      write_plot((folder_ / "a.png").string(), {"title", "x", 0, 1, logarithmic, {{"curve", values}}});
      EXPECT_GT(find(read_back(folder_ / "a.png", 1200, 700), 1200, {40, 40, 40}).count, 500);
    }
  }
  EXPECT_THROW(write_plot((folder_ / "missing" / "a.png").string(), {}), user_error);
}

}  // namespace
