// SPDX-License-Identifier: Apache-2.0
// The program as a user starts it: exit status, one clear line for what went wrong, tables, pictures and files.
#include "../common/program.hpp"

#include <filesystem>
#include <string>

#include "../../../apps/common/backend.hpp"

namespace {

using test::outcome;

class splats_program : public test::app_program {
 protected:
  splats_program() : app_program("splats") {}
};

TEST_F(splats_program, wrong_options) {
  expect_refused("--no-such-option", "--no-such-option");
  expect_refused("--splats 0", "0 is not a whole number from 1 to 500000000");
  expect_refused("--frames 0", "--frames");
  expect_refused("scene.ply --splats 10", "excludes --splats");
  expect_refused("scene.ply --seed 2", "excludes --seed");
  expect_refused("--size 100", "--size: 100 is not WxH");
  expect_refused("--sort none", "none is none of depth, global, segmented");
  expect_refused("--up x", "x is none of minus_y, minus_z, y, z");
  expect_refused("--turn nan", "--turn: is not from -360 to 360");
  expect_refused("--elevation 90", "--elevation: is not from -85 to 85");
  expect_refused("--distance 0", "--distance: is not from 0.01 to 100");
  expect_refused("--compare -1", "--compare");
  expect_refused("--seed 18446744073709551616", "--seed");
  expect_refused("--out -", "--out: is a folder");
  expect_refused("--backend gpu", "--backend");
  expect_refused("--threads -1", "--threads");
}

TEST_F(splats_program, wrong_files) {
  expect_refused("missing.ply --backend cpu", "missing.ply: can't be opened");
  expect_refused(". --backend cpu", "is a folder");
  write("points.ply",
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
        "end_header\n1 2 3\n");
  expect_refused("points.ply --backend cpu", "points.ply: its vertices lack f_dc_0");
  write("text.ply", "hello\n");
  expect_refused("--input text.ply --backend cpu", "text.ply: not a PLY file");
  write("file", "x");
  expect_refused("--splats 10 --backend cpu --out file", "--out: file: can't be made a folder");
  expect_refused("points.ply --backend cpu --write-ply points.ply", "--write-ply: points.ply would overwrite");
  EXPECT_EQ(text_of(folder_ / "file"), "x");
}

TEST_F(splats_program, no_device_where_one_was_asked_for) {
  if (apps::why_no_cuda().empty()) GTEST_SKIP() << "this machine has a GPU";
  expect_refused("--backend cuda", "--backend cuda: no GPU");
}

TEST_F(splats_program, help) {
  const outcome got = run("--help");
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.errors, "");
  for (const char* option :
       {"--input", "--splats", "--frames", "--up", "--turn", "--elevation", "--distance", "--size", "--sort",
        "--compare", "--out", "--write-ply", "--backend", "--threads", "--seed", "--version"}) {
    EXPECT_NE(got.out.find(option), std::string::npos) << option;
  }
  EXPECT_EQ(run("--version").out.rfind("splats (onepass) ", 0), 0U);
}

TEST_F(splats_program, frames_cpu) {
  const std::string options = "--splats 2000 --frames 3 --size 96x64 --backend cpu";
  const outcome got = run(options + " --compare 1 --threads 2 --out two");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.errors, "");
  for (const char* part :
       {"knot (seed 1), 2,000 splats with harmonics of degree 1, 96x64, cpu, 2 threads", "frames/s",
        "onepass::radix_sort_by_key", "onepass::segmented_sort_by_key", "std::stable_sort of each", "a serial program",
        "--sort segmented", "all results agree: yes", "two/frame_0000.png to two/frame_0002.png"}) {
    EXPECT_NE(got.out.find(part), std::string::npos) << part << " is not in\n" << got.out;
  }
  EXPECT_EQ(run(options + " --threads 3 --sort segmented --compare 0 --out three").status, 0);
  EXPECT_EQ(run(options + " --sort depth --compare 0 --out four").status, 0);
  EXPECT_EQ(run(options + " --seed 2 --compare 0 --out other").status, 0);
  for (const char* frame : {"frame_0000.png", "frame_0001.png", "frame_0002.png"}) {
    expect_png(folder_ / "two" / frame);
    EXPECT_TRUE(text_of(folder_ / "two" / frame) == text_of(folder_ / "three" / frame)) << frame;
    EXPECT_TRUE(text_of(folder_ / "two" / frame) == text_of(folder_ / "four" / frame)) << frame;
    EXPECT_FALSE(text_of(folder_ / "two" / frame) == text_of(folder_ / "other" / frame)) << frame;
  }
  EXPECT_FALSE(text_of(folder_ / "two" / "frame_0000.png") == text_of(folder_ / "two" / "frame_0001.png"));
}

// The same pictures, from a file and from standard input, once the camera stands as for the knot.
TEST_F(splats_program, scene_written_and_read_cpu) {
  const std::string options = " --frames 1 --size 80x60 --compare 0 --backend cpu";
  EXPECT_EQ(run("--splats 500 --write-ply scene.ply --out made" + options).status, 0);
  EXPECT_EQ(run("scene.ply --up y --out read" + options).status, 0);
  const outcome got = run("--input - --up y --out piped" + options + " < scene.ply");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("standard input, 500 splats with harmonics of degree 1"), std::string::npos) << got.out;
  EXPECT_EQ(run("scene.ply --write-ply again.ply --out rotated" + options).status, 0);
  EXPECT_TRUE(text_of(folder_ / "again.ply") == text_of(folder_ / "scene.ply"));
  expect_png(folder_ / "read" / "frame_0000.png");
  EXPECT_TRUE(text_of(folder_ / "read" / "frame_0000.png") == text_of(folder_ / "piped" / "frame_0000.png"));
  EXPECT_FALSE(text_of(folder_ / "read" / "frame_0000.png") == text_of(folder_ / "rotated" / "frame_0000.png"));
  const outcome streamed = run("--splats 500 --write-ply - --out streamed" + options);
  EXPECT_EQ(streamed.status, 0) << streamed.errors;
  EXPECT_TRUE(streamed.out == text_of(folder_ / "scene.ply"));
  EXPECT_NE(streamed.errors.find("knot (seed 1)"), std::string::npos);
}

TEST_F(splats_program, one_splat_cpu) {
  const outcome got = run("--splats 1 --frames 1 --size 1x1 --compare 1 --backend cpu --threads 1 --out one");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("all results agree: yes"), std::string::npos) << got.out;
}

TEST_F(splats_program, frames_gpu) {
  if (!apps::why_no_cuda().empty()) GTEST_SKIP() << apps::why_no_cuda();
  const outcome got = run("--splats 50000 --frames 2 --size 300x200 --compare 1 --backend cuda --out gpu");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("all results agree: yes"), std::string::npos) << got.out;
  expect_png(folder_ / "gpu" / "frame_0001.png");
}

}  // namespace
