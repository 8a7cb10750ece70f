// SPDX-License-Identifier: Apache-2.0
// The program as a user starts it: exit status, one clear line for what went wrong, pictures and sparse pixels; and its
// results beside those of scikit-image and OpenCV.
#include "../common/program.hpp"

#include <filesystem>
#include <string>

#include "../../../apps/common/backend.hpp"
#include "../../../apps/equalize/png_file.hpp"
#include "pictures.hpp"

namespace {

using test::outcome;

class equalize_program : public test::app_program {
 protected:
  equalize_program() : app_program("equalize") {
    write("grey.dat", equalize::as_png(test::random_picture(1, 64, 48, 1, 8), "grey"));
    write("colour.dat", equalize::as_png(test::random_picture(2, 80, 60, 3, 16), "colour"));
  }

  // Status of a Python program in the test's folder, where `module` is there; nothing otherwise.
  std::optional<int> python(const std::string& module, const std::string& code) const {
    if (std::system(("python3 -c 'import " + module + "' >/dev/null 2>&1").c_str()) != 0) return std::nullopt;
    write("check.py", code);
    return std::system(("cd '" + folder_.string() + "' && python3 check.py").c_str());
  }
};

TEST_F(equalize_program, wrong_options) {
  expect_refused("", "input");
  expect_refused("grey.dat --no-such-option", "--no-such-option");
  for (const char* tiles : {"0x1", "8x", "x8", "65x2", "1.5x2", "8x8x8", "a"}) {
    expect_refused(std::string("grey.dat --tiles ") + tiles, std::string("--tiles: ") + tiles + " is not COLUMNSxROWS");
  }
  expect_refused("grey.dat --clip 0", "--clip: must be above 0");
  expect_refused("grey.dat --clip nan", "--clip");
  expect_refused("grey.dat --repeat 0", "--repeat");
  expect_refused("grey.dat --backend gpu", "--backend");
  expect_refused("grey.dat --out x --plot x", "--plot: x is what --out writes, too");
  expect_refused("grey.dat --backend cpu --tiles 64x64", "--tiles: 64x64 are too many for 64 x 48 pixels");
}

TEST_F(equalize_program, never_writes_over_its_input) {
  const std::string before = text_of(folder_ / "grey.dat");
  for (const char* output : {"--out", "--plot", "--sparse"}) {
    expect_refused(std::string("grey.dat --backend cpu ") + output + " ./grey.dat",
                   "./grey.dat would overwrite grey.dat");
  }
  EXPECT_EQ(text_of(folder_ / "grey.dat"), before);
}

TEST_F(equalize_program, missing_and_broken_files) {
  expect_refused("missing.png", "missing.png: can't be opened: No such file");
  expect_refused(".", "is a folder");
  write("text.dat", "hello");
  expect_refused("text.dat --backend cpu", "text.dat: is no PNG file");
  write("cut.dat", text_of(folder_ / "colour.dat").substr(0, 1000));
  expect_refused("cut.dat --backend cpu --sparse s.tsv", "cut.dat: is damaged: it ends too early");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "s.tsv"));
}

TEST_F(equalize_program, no_place_for_its_results) {
  expect_refused("grey.dat --backend cpu --out missing/x", "missing/x: can't be written");
  expect_refused("missing.dat --plot missing/x", "missing/x: can't be written");  // before any work
}

TEST_F(equalize_program, no_device_where_one_was_asked_for) {
  if (apps::why_no_cuda().empty()) GTEST_SKIP() << "this machine has a GPU";
  expect_refused("grey.dat --backend cuda", "--backend cuda: no GPU");
}

TEST_F(equalize_program, help) {
  const outcome got = run("--help");
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.errors, "");
  for (const char* option : {"--input", "--out", "--plot", "--sparse", "--tiles", "--clip", "--repeat", "--no-compare",
                             "--backend", "--threads", "--version"}) {
    EXPECT_NE(got.out.find(option), std::string::npos) << option;
  }
  EXPECT_EQ(run("--version").out.rfind("equalize (onepass) ", 0), 0U);
}

TEST_F(equalize_program, equalizes_cpu) {
  const outcome got = run("colour.dat --backend cpu --threads 2 --tiles 4x3 --plot plot.png");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.errors, "");
  for (const char* part :
       {"colour.dat, 80 x 60, coloured, 16 bits; 4 x 3 tiles, clip 2; cpu, 2 threads", "onepass::histogram",
        "a serial program", "all results agree: yes", "result: equalized.png"}) {
    EXPECT_NE(got.out.find(part), std::string::npos) << part << " is not in\n" << got.out;
  }
  expect_png(folder_ / "plot.png");
  const equalize::picture result = equalize::read_png((folder_ / "equalized.png").string());
  EXPECT_EQ(result.width, 80);
  EXPECT_EQ(result.channels, 3);
  EXPECT_EQ(result.depth, 16);
}

TEST_F(equalize_program, results_on_standard_output_cpu) {
  outcome got = run("- --backend cpu --out - <grey.dat", ">out.png 2>errors.txt");
  EXPECT_EQ(got.status, 0) << got.errors;
  expect_png(folder_ / "out.png");
  EXPECT_NE(got.errors.find("all results agree: yes"), std::string::npos) << got.errors;

  write("lit.dat", equalize::as_png({3, 2, 1, 8, {0, 9, 0, 0, 0, 255}}, "lit"));
  got = run("lit.dat --backend cpu --no-compare --sparse -");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.out, "1\t0\t9\n2\t1\t255\n");
  EXPECT_EQ(got.errors.find("a loop"), std::string::npos) << got.errors;
}

TEST_F(equalize_program, moon_beside_scikit_image_cpu) {
  const std::string moon = test::data_file("moon.png");
  if (moon.empty()) GTEST_SKIP() << "moon.png is not there";
  ASSERT_EQ(run("'" + moon + "' --backend cpu --out ours.png").status, 0);
  const std::optional<int> same = python("skimage",
                                         "from skimage import exposure, io\n"
                                         "import numpy as np\n"
                                         "ours = io.imread('ours.png').astype(int)\n"
                                         "theirs = np.round(255 * exposure.equalize_hist(io.imread('" +
                                             moon +
                                             "'))).astype(int)\n"
                                             "assert np.abs(ours - theirs).max() <= 1\n"
                                             "assert (ours != theirs).mean() < 0.001\n");
  if (!same) GTEST_SKIP() << "scikit-image is not there";
  EXPECT_EQ(*same, 0);
}

TEST_F(equalize_program, moon_by_tiles_beside_opencv_cpu) {
  const std::string moon = test::data_file("moon.png");
  if (moon.empty()) GTEST_SKIP() << "moon.png is not there";
  ASSERT_EQ(run("'" + moon + "' --backend cpu --tiles 8x8 --clip 3 --out ours.png").status, 0);
  const std::optional<int> same = python("cv2",
                                         "import cv2, numpy as np\n"
                                         "ours = cv2.imread('ours.png', cv2.IMREAD_UNCHANGED).astype(int)\n"
                                         "theirs = cv2.createCLAHE(3, (8, 8)).apply(cv2.imread('" +
                                             moon +
                                             "', cv2.IMREAD_UNCHANGED)).astype(int)\n"
                                             "assert np.abs(ours - theirs).max() <= 1\n");
  if (!same) GTEST_SKIP() << "OpenCV is not there";
  EXPECT_EQ(*same, 0);
}

TEST_F(equalize_program, equalizes_gpu) {
  if (!apps::why_no_cuda().empty()) GTEST_SKIP() << apps::why_no_cuda();
  ASSERT_EQ(run("colour.dat --backend cuda --tiles 4x3 --out gpu.png").status, 0);
  ASSERT_EQ(run("colour.dat --backend cpu --tiles 4x3 --out cpu.png").status, 0);
  EXPECT_EQ(text_of(folder_ / "gpu.png"), text_of(folder_ / "cpu.png"));
}

}  // namespace
