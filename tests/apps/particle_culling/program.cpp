// SPDX-License-Identifier: Apache-2.0
// The program as a user starts it: exit status, one clear line for what went wrong, and the pictures.
#include "../common/program.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "../../../apps/common/backend.hpp"
#include "../common/ply_text.hpp"

namespace {

namespace fs = std::filesystem;

using test::outcome;

class program : public test::app_program {
 protected:
  program() : app_program("particle_culling") {}
};

TEST_F(program, wrong_options) {
  expect_refused("--no-such-option", "--no-such-option");
  expect_refused("--particles 0", "--particles");
  expect_refused("--particles -5", "--particles");
  expect_refused("--particles many", "--particles");
  expect_refused("--particles 99999999999", "--particles");
  expect_refused("--frames 0", "--frames");
  expect_refused("--frames", "--frames");
  expect_refused("--threads -1", "--threads");
  for (const char* seed : {"x", "-1", "1.5", "18446744073709551616"}) {
    expect_refused(std::string("--seed=") + seed, "is not a whole number from 0 to 18446744073709551615");
  }
  expect_refused("--out -", "--out: is a folder");
  expect_refused("--backend gpu", "--backend");
  for (const char* size : {"640", "640x", "x480", "0x480", "640x-1", "640x480x3", "99999x9", "axb", "6e2x480"}) {
    expect_refused(std::string("--size ") + size, "--size");
  }
  expect_refused("one.ply two.ply", "two.ply");
}

TEST_F(program, missing_and_broken_files) {
  expect_refused("missing.ply", "missing.ply: can't be opened: No such file");
  expect_refused("--input missing.ply", "missing.ply");
  expect_refused(".", "is a folder");
  write("garbage.ply", "hello");
  expect_refused("garbage.ply", "garbage.ply: not a PLY file");
  write("cut.ply",
        test::ply_header("ascii", {"element vertex 9", "property float x", "property float y", "property float z"}) +
            "1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8");
  expect_refused("cut.ply", "cut.ply: cut short");
}

TEST_F(program, no_place_for_pictures) {
  write("a_file", "x");
  expect_refused("--particles 100 --frames 1 --size 16x16 --out a_file", "a_file");
  expect_refused("--particles 100 --frames 1 --size 16x16 --out a_file/below", "a_file");
}

TEST_F(program, points_that_are_nowhere_are_counted_cpu) {
  const std::string header =
      test::ply_header("ascii", {"element vertex 4", "property float x", "property float y", "property float z"});
  write("a.ply", header + "0 0 0\nnan 1 1\n1 1e999 1\n1 1 inf\n");
  const std::string small = " --backend cpu --frames 1 --size 16x16 --out pictures";
  const outcome got = run("a.ply" + small);
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("beyond 1e18: 3\n"), std::string::npos) << got.out;
  write("b.ply", header + "0 0 0\n1 1 1\n1 2 1\n1 1 3\n");
  EXPECT_EQ(run("b.ply" + small).out.find("left out"), std::string::npos);
}

TEST_F(program, never_draws_over_its_input) {
  fs::create_directory(folder_ / "pictures");
  write("pictures/frame_0001.png", "ply\n");
  const outcome got = run("pictures/frame_0001.png --backend cpu --frames 2 --size 16x16 --out pictures");
  expect_one_line(got, "own input", "--out: pictures/frame_0001.png would overwrite pictures/frame_0001.png");
  EXPECT_EQ(text_of(folder_ / "pictures/frame_0001.png"), "ply\n");
}

// A build would take minutes; a cmake of the test's own tells whether one was begun.
TEST_F(program, demo_script_helps_without_building) {
  const std::string script = test::found_above("scripts/demo");
  if (script.empty()) GTEST_SKIP() << "the source tree is not there";
  for (const char* command : {"cmake", "apt-get", "sudo"}) {
    write(command, "#!/bin/sh\ntouch '" + (folder_ / "built").string() + "'\nexit 1\n");
    fs::permissions(folder_ / command, fs::perms::owner_all);
  }
  for (const char* call : {"--help", "-h", "cloud.ply --frames 3 --help"}) {
    const std::string command =
        "cd '" + folder_.string() + "' && PATH=\"$PWD:$PATH\" '" + script + "' " + call + " >out.txt 2>errors.txt";
    EXPECT_EQ(std::system(command.c_str()), 0) << call;
    const std::string help = text_of(folder_ / "out.txt");
    for (const char* part : {"usage: scripts/demo", "--frames", "--size", "--out", "--backend", "--particles"}) {
      EXPECT_NE(help.find(part), std::string::npos) << part << " is not in\n" << help;
    }
    EXPECT_FALSE(fs::exists(folder_ / "built")) << call;
  }
}

TEST_F(program, no_device_where_one_was_asked_for) {
  if (apps::why_no_cuda().empty()) GTEST_SKIP() << "this machine has a GPU";
  expect_refused("--backend cuda --particles 100", "--backend cuda: no GPU");
}

TEST_F(program, help) {
  const outcome got = run("--help");
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.errors, "");
  for (const char* option :
       {"--input", "--particles", "--frames", "--size", "--out", "--backend", "--threads", "--seed"}) {
    EXPECT_NE(got.out.find(option), std::string::npos) << option;
  }
}

TEST_F(program, draws_a_galaxy_cpu) {
  const outcome got = run("--backend cpu --particles 20000 --frames 3 --size 96x64 --threads 2 --out pictures/here");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.errors, "");  // no progress bar where there is no terminal
  EXPECT_NE(got.out.find("all results agree: yes"), std::string::npos) << got.out;
  for (const char* word : {"onepass::compact", "std::copy_if", "onepass::radix_sort_by_key", "std::stable_sort",
                           "onepass::inclusive_scan", "std::inclusive_scan", "visible", "alive"}) {
    EXPECT_NE(got.out.find(word), std::string::npos) << word;
  }
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_ / "pictures" / "here")) {
    names.push_back(entry.path().filename().string());
    expect_png(entry.path());
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"frame_0000.png", "frame_0001.png", "frame_0002.png"}));
}

TEST_F(program, same_seed_same_picture_cpu) {
  const std::string small = "--backend cpu --particles 5000 --frames 2 --size 64x64 ";
  EXPECT_EQ(run(small + "--seed 5 --threads 1 --out a").status, 0);
  EXPECT_EQ(run(small + "--seed 5 --threads 3 --out b").status, 0);
  EXPECT_EQ(run(small + "--seed 6 --out c").status, 0);
  const std::string picture = text_of(folder_ / "a" / "frame_0001.png");
  EXPECT_FALSE(picture.empty());
  EXPECT_EQ(picture, text_of(folder_ / "b" / "frame_0001.png"));
  EXPECT_NE(picture, text_of(folder_ / "c" / "frame_0001.png"));
}

TEST_F(program, draws_a_file_either_way_cpu) {
  write("triangle.ply",
        test::ply_header("ascii", {"element vertex 3", "property float x", "property float y", "property float z"}) +
            "0 0 0\n1 0 0\n0 1 0\n");
  const std::string small = " --backend cpu --frames 1 --size 32x32 ";
  EXPECT_EQ(run("triangle.ply" + small + "--out a").status, 0);
  EXPECT_EQ(run(small + "--out b --input triangle.ply").status, 0);
  EXPECT_EQ(run("triangle.ply --particles 1000" + small + "--out c").status, 0);
  EXPECT_EQ(text_of(folder_ / "a" / "frame_0000.png"), text_of(folder_ / "b" / "frame_0000.png"));
  EXPECT_TRUE(fs::exists(folder_ / "c" / "frame_0000.png"));
}

TEST_F(program, scanned_head_cpu) {
  const std::string file = test::data_file("igea.ply");
  if (file.empty()) GTEST_SKIP() << "igea.ply is not there";
  const outcome got = run("'" + file + "' --backend cpu --frames 2 --size 160x120 --out head");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("134,345"), std::string::npos) << got.out;
  EXPECT_NE(got.out.find("all results agree: yes"), std::string::npos) << got.out;
}

TEST_F(program, draws_a_galaxy_gpu) {
  const std::string reason = apps::why_no_cuda();
  if (!reason.empty()) GTEST_SKIP() << reason;
  const outcome got = run("--backend cuda --particles 200000 --frames 2 --size 320x200 --out pictures");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("all results agree: yes"), std::string::npos) << got.out;
  EXPECT_TRUE(fs::exists(folder_ / "pictures" / "frame_0001.png"));
}

}  // namespace
