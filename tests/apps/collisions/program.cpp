// SPDX-License-Identifier: Apache-2.0
// The program as a user starts it: exit status, one clear line for what went wrong, tables and pictures.
#include "../common/program.hpp"

#include <filesystem>
#include <string>

#include "../../../apps/common/backend.hpp"

namespace {

using test::outcome;

class collisions_program : public test::app_program {
 protected:
  collisions_program() : app_program("collisions") {}
};

TEST_F(collisions_program, wrong_options) {
  expect_refused("--no-such-option", "--no-such-option");
  expect_refused("--spheres 0", "0 is not a whole number from 1 to 10000000");
  expect_refused("--spheres 10000001", "10000001 is not a whole number from 1 to 10000000");
  expect_refused("--frames 0", "--frames");
  expect_refused("--steps -1", "--steps");
  for (const char* bounce : {"1.5", "-0.1", "nan", "inf"}) {
    expect_refused(std::string("--bounce=") + bounce, "--bounce: is not a number from 0 to 1");
  }
  expect_refused("--size 100", "--size: 100 is not WxH");
  expect_refused("--check x", "--check");
  expect_refused("--seed 18446744073709551616", "--seed");
  expect_refused("--out -", "--out: is a folder");
  expect_refused("--backend gpu", "--backend");
  expect_refused("--threads -1", "--threads");
  expect_refused("a.csv", "a.csv");
}

TEST_F(collisions_program, no_place_for_its_pictures) {
  write("file", "x");
  expect_refused("--spheres 10 --backend cpu --out file", "--out: file: can't be made a folder");
  std::filesystem::create_directories(folder_ / "taken" / "frame_0000.png" / "x");
  const outcome got = run("--spheres 10 --backend cpu --size 8x8 --out taken");
  expect_one_line(got, "a folder in its way", "frame_0000.png: can't be written");
}

TEST_F(collisions_program, no_device_where_one_was_asked_for) {
  if (apps::why_no_cuda().empty()) GTEST_SKIP() << "this machine has a GPU";
  expect_refused("--backend cuda", "--backend cuda: no GPU");
}

TEST_F(collisions_program, help) {
  const outcome got = run("--help");
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.errors, "");
  for (const char* option : {"--spheres", "--frames", "--steps", "--bounce", "--size", "--out", "--check", "--backend",
                             "--threads", "--seed", "--version"}) {
    EXPECT_NE(got.out.find(option), std::string::npos) << option;
  }
  EXPECT_EQ(run("--version").out.rfind("collisions (onepass) ", 0), 0U);
}

TEST_F(collisions_program, frames_cpu) {
  const std::string options = "--spheres 900 --frames 3 --steps 60 --size 64x40 --check 100 --backend cpu";
  const outcome got = run(options + " --threads 2 --out two");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.errors, "");
  for (const char* part : {"900 spheres (seed 1), cpu, 2 threads", "onepass::radix_sort_by_key", "std::stable_sort",
                           "a serial grid", "pairs a second: ", "beside all pairs: 100 spheres, 400 steps",
                           "the same bits", "all results agree: yes", "two/frame_0000.png to two/frame_0002.png"}) {
    EXPECT_NE(got.out.find(part), std::string::npos) << part << " is not in\n" << got.out;
  }
  EXPECT_EQ(run(options + " --threads 3 --out three").status, 0);
  EXPECT_EQ(run(options + " --threads 3 --seed 2 --out other").status, 0);
  for (const char* frame : {"frame_0000.png", "frame_0001.png", "frame_0002.png"}) {
    expect_png(folder_ / "two" / frame);
    EXPECT_TRUE(text_of(folder_ / "two" / frame) == text_of(folder_ / "three" / frame)) << frame;
    EXPECT_FALSE(text_of(folder_ / "two" / frame) == text_of(folder_ / "other" / frame)) << frame;
  }
  EXPECT_FALSE(text_of(folder_ / "two" / "frame_0000.png") == text_of(folder_ / "two" / "frame_0002.png"));
}

TEST_F(collisions_program, one_sphere_cpu) {
  const outcome got = run("--spheres 1 --frames 2 --steps 5 --size 1x1 --check 0 --backend cpu --threads 1 --out one");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("all results agree: yes"), std::string::npos) << got.out;
  EXPECT_EQ(got.out.find("beside all pairs"), std::string::npos) << got.out;
}

TEST_F(collisions_program, frames_gpu) {
  if (!apps::why_no_cuda().empty()) GTEST_SKIP() << apps::why_no_cuda();
  const outcome got = run("--spheres 20000 --frames 2 --steps 100 --size 64x40 --check 300 --backend cuda --out gpu");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("all results agree: yes"), std::string::npos) << got.out;
  expect_png(folder_ / "gpu" / "frame_0001.png");
}

}  // namespace
