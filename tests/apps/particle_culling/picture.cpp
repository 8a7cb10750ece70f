// SPDX-License-Identifier: Apache-2.0
// Exposure, tone curve, and PNG files: whole or not at all.
#include "../../../apps/particle_culling/picture.hpp"

#include <gtest/gtest.h>
#include <png.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "../../../apps/particle_culling/user_error.hpp"

namespace {

using namespace particle_culling;
namespace fs = std::filesystem;

class picture : public testing::Test {
 protected:
  picture() {
    std::string name = (fs::temp_directory_path() / "particle_culling_XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~picture() override { fs::remove_all(folder_); }

  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

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

TEST_F(picture, png_holds_the_pixels) {
  for (const auto& [width, height] : {std::pair{1, 1}, std::pair{31, 17}, std::pair{640, 3}}) {
    const auto rgb = gradient(width, height);
    write_png((folder_ / "a.png").string(), rgb, width, height);
    EXPECT_EQ(read_back(folder_ / "a.png", width, height), rgb);
    EXPECT_EQ(files_in_folder(), 1U);  // the one before was replaced, nothing else is left
  }
}

TEST_F(picture, failure_leaves_nothing_behind) {
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
TEST_F(picture, full_disk) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  fs::create_symlink("/dev/full", folder_ / "a.png.part");
  EXPECT_THROW(write_png((folder_ / "a.png").string(), gradient(64, 64), 64, 64), user_error);
  EXPECT_FALSE(fs::exists(folder_ / "a.png"));
}

TEST(tone_map, exposure_follows_the_light) {
  std::vector<vec3> image(1000, vec3{0.5F, 0.5F, 0.5F});
  EXPECT_NEAR(find_exposure(image), 2, 1e-3);
  image.resize(100000);  // black sky doesn't count
  EXPECT_NEAR(find_exposure(image), 2, 1e-3);
  EXPECT_EQ(find_exposure({{0, 0, 0}}), 1);
  EXPECT_EQ(find_exposure({}), 1);
}

TEST(tone_map, keeps_order_and_ends) {
  std::vector<vec3> ramp;
  for (int i = 0; i <= 100; ++i) ramp.push_back(vec3{1, 1, 1} * (0.01F * static_cast<float>(i)));
  for (const bool compress : {true, false}) {
    const auto rgb = tone_mapped(ramp, 1, compress);
    ASSERT_EQ(rgb.size(), 303U);
    EXPECT_EQ(rgb.front(), 0);
    EXPECT_EQ(rgb.back(), 255);
    for (std::size_t i = 3; i < rgb.size(); ++i) EXPECT_GE(rgb[i], rgb[i - 3]);
  }
  EXPECT_GT(tone_mapped({{0.01F, 0.01F, 0.01F}}, 1, true)[0], tone_mapped({{0.01F, 0.01F, 0.01F}}, 1, false)[0]);
}

TEST(tone_map, too_bright_turns_white_not_wrong) {
  const auto rgb = tone_mapped({{4, 0.2F, 0.1F}, {100, 90, 80}}, 1, false);
  EXPECT_EQ(rgb[0], 255);
  EXPECT_GT(rgb[1], 0.2F * 255);
  EXPECT_EQ(rgb[3], 255);
  EXPECT_EQ(rgb[5], 255);
}

}  // namespace
