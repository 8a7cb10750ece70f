// SPDX-License-Identifier: Apache-2.0
// The program as a user starts it: exit status, one clear line for what went wrong, and the picture.
#include "../common/program.hpp"

#include <filesystem>
#include <string>

#include "../../../apps/common/backend.hpp"
#include "../common/ply_text.hpp"

namespace {

using test::outcome;

class rays_program : public test::app_program {
 protected:
  rays_program() : app_program("rays") {
    write("corner.ply",
          test::ply_header("ascii", {"element vertex 4", "property float x", "property float y", "property float z",
                                     "element face 3", "property list uchar int vertex_indices"}) +
              "0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 2 3\n3 0 3 1\n");
  }

  const std::string small_ = " --backend cpu --size 40x30 --samples 2 --spheres 20 ";
};

TEST_F(rays_program, wrong_options) {
  expect_refused("--no-such-option", "--no-such-option");
  for (const char* size : {"0x10", "10x", "x10", "10", "10x10x10", "8193x10", "-1x10", "1.5x2"}) {
    expect_refused(std::string("--size ") + size, std::string("--size: ") + size + " is not WxH");
  }
  expect_refused("--samples 0", "0 is not a whole number from 1 to");
  expect_refused("--bounces 101", "101 is not a whole number from 0 to 100");
  expect_refused("--spheres -1", "--spheres");
  expect_refused("--up w", "w is none of x, y, z");
  expect_refused(small_ + "--up z", "--up");  // of no mesh
  for (const char* turn : {"nan", "inf", "400", "-361", "x"}) expect_refused(std::string("--turn ") + turn, "--turn");
  expect_refused("--seed x", "--seed");
  expect_refused("--threads -1", "--threads");
  expect_refused("--backend gpu", "--backend");
}

TEST_F(rays_program, never_writes_over_its_input) {
  const std::string before = text_of(folder_ / "corner.ply");
  expect_refused("corner.ply --backend cpu --out ./corner.ply", "./corner.ply would overwrite corner.ply");
  EXPECT_EQ(text_of(folder_ / "corner.ply"), before);
}

TEST_F(rays_program, missing_and_broken_files) {
  expect_refused("missing.ply --backend cpu", "missing.ply: can't be opened: No such file");
  expect_refused(". --backend cpu", "is a folder");
  write("text.ply", "hello");
  expect_refused("text.ply --backend cpu", "text.ply: not a PLY file");
  write("cloud.ply",
        test::ply_header("ascii", {"element vertex 1", "property float x", "property float y", "property float z"}) +
            "1 2 3\n");
  expect_refused("cloud.ply --backend cpu", "cloud.ply: holds no triangles");
  const std::string whole = text_of(folder_ / "corner.ply");
  write("cut.ply", whole.substr(0, whole.size() - 4));
  expect_refused("cut.ply --backend cpu", "cut.ply: cut short in face 3 of 3");
}

TEST_F(rays_program, no_place_for_its_picture) {
  expect_refused(small_ + "--out missing/x", "missing/x: can't be written");
  expect_refused("missing.ply --backend cpu --out missing/x",
                 "missing/x: can't be written");  // before anything is read
}

TEST_F(rays_program, no_device_where_one_was_asked_for) {
  if (apps::why_no_cuda().empty()) GTEST_SKIP() << "this machine has a GPU";
  expect_refused("--backend cuda", "--backend cuda: no GPU");
}

TEST_F(rays_program, help) {
  const outcome got = run("--help");
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.errors, "");
  for (const char* option : {"--input", "--out", "--samples", "--size", "--bounces", "--spheres", "--up", "--turn",
                             "--compare", "--seed", "--backend", "--threads", "--version"}) {
    EXPECT_NE(got.out.find(option), std::string::npos) << option;
  }
  EXPECT_EQ(run("--version").out.rfind("rays (onepass) ", 0), 0U);
}

TEST_F(rays_program, draws_cpu) {
  const outcome got = run("corner.ply" + small_ + "--bounces 3 --threads 2 --compare 20");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.errors, "");
  for (const char* part :
       {"corner.ply, 29 triangles and spheres, 40x30, cpu, 2 threads", "2 samples of each pixel", "living paths",
        "2,400   100.0 %", "noise", "onepass::radix_sort_by_key", "compaction and sorting", "a serial program",
        "onepass::copy_if", "picture: rays.png", "all results agree: yes"}) {
    EXPECT_NE(got.out.find(part), std::string::npos) << part << " is not in\n" << got.out;
  }
  expect_png(folder_ / "rays.png");
}

TEST_F(rays_program, the_same_seed_draws_the_same_picture_cpu) {
  ASSERT_EQ(run(small_ + "--threads 1 --out a.png").status, 0);
  ASSERT_EQ(run(small_ + "--threads 5 --compare 0 --out b.png").status, 0);
  ASSERT_EQ(run(small_ + "--seed 2 --out c.png").status, 0);
  ASSERT_EQ(run(small_ + "--turn 90 --out d.png").status, 0);
  EXPECT_EQ(text_of(folder_ / "a.png"), text_of(folder_ / "b.png"));
  EXPECT_NE(text_of(folder_ / "a.png"), text_of(folder_ / "c.png"));
  EXPECT_NE(text_of(folder_ / "a.png"), text_of(folder_ / "d.png"));
}

TEST_F(rays_program, through_pipes_cpu) {
  outcome got = run("-" + small_ + "--out - <corner.ply", ">out.png 2>errors.txt");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.errors.find("standard input, 29 triangles"), std::string::npos) << got.errors;
  expect_png(folder_ / "out.png");
  ASSERT_EQ(run("corner.ply" + small_ + "--compare 0 --up z --out up.png").status, 0);
  EXPECT_NE(text_of(folder_ / "out.png"), text_of(folder_ / "up.png"));
}

TEST_F(rays_program, triangles_left_out_are_told_cpu) {
  std::string text = text_of(folder_ / "corner.ply");
  text.replace(text.find("0 0 1\n"), 6, "0 0 inf\n");
  write("inf.ply", text);
  const outcome got = run("inf.ply" + small_);
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("beyond 1e18: 2"), std::string::npos) << got.out;
}

TEST_F(rays_program, scanned_head_cpu) {
  const std::string file = test::data_file("igea.ply");
  if (file.empty()) GTEST_SKIP() << "igea.ply is not there";
  const outcome got = run("'" + file + "' --backend cpu --size 64x40 --samples 1 --compare 8");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("all results agree: yes"), std::string::npos) << got.out;
}

TEST_F(rays_program, draws_gpu) {
  if (!apps::why_no_cuda().empty()) GTEST_SKIP() << apps::why_no_cuda();
  ASSERT_EQ(run("corner.ply" + small_ + "--out cpu.png").status, 0);
  const outcome got = run("corner.ply" + small_ + "--backend cuda --out gpu.png");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(text_of(folder_ / "gpu.png"), text_of(folder_ / "cpu.png"));
}

}  // namespace
