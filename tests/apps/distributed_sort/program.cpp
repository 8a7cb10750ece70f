// SPDX-License-Identifier: Apache-2.0
// The program as a user starts it: options, the report, the version. sorting.cpp has what it writes.
#include "../common/program.hpp"

#include <string>

#include "../../../apps/common/backend.hpp"

namespace {

using test::outcome;

class distributed_sort_program : public test::app_program {
 protected:
  distributed_sort_program() : app_program("distributed_sort") {}
};

TEST_F(distributed_sort_program, wrong_options) {
  expect_refused("--generate 10 --no-such-option", "--no-such-option");
  expect_refused("--generate -1", "-1 is not a whole number");
  expect_refused("--generate 10 --input x", "--generate");
  expect_refused("--generate 10 --type u16", "u16 is none of f32, f64, i32, i64, u32, u64");
  expect_refused("--generate 10 --ranks 0", "0 is not a whole number from 1 to 256");
  expect_refused("--generate 10 --distribution normal", "normal is none of equal, few, sorted, uniform, zipf");
  expect_refused("x --seed 3", "--seed: is for generated keys, and x is a file");
  expect_refused("--generate 10 --out -", "not standard output");
  expect_refused("--generate 10 --values-out -", "not standard output");
  expect_refused("--generate 10 --out x --values-out x", "--values-out: x is what --out writes, too");
}

TEST_F(distributed_sort_program, no_device_where_one_was_asked_for) {
  if (apps::why_no_cuda().empty()) GTEST_SKIP() << "this machine has a GPU";
  expect_refused("--generate 10 --backend cuda", "--backend cuda: no GPU");
}

TEST_F(distributed_sort_program, help) {
  const outcome got = run("--help");
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.errors, "");
  for (const char* option :
       {"--input", "--generate", "--type", "--distribution", "--seed", "--values", "--descending", "--shares", "--out",
        "--values-out", "--ranks", "--no-compare", "--repeat", "--progress", "--backend", "--threads", "--version"}) {
    EXPECT_NE(got.out.find(option), std::string::npos) << option;
  }
  EXPECT_EQ(run("--version").out.rfind("distributed_sort (onepass) ", 0), 0U);
}

TEST_F(distributed_sort_program, report_cpu) {
  const outcome got = run("--generate 100000 --ranks 4 --values --backend cpu --repeat 2 --threads 1");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.errors, "");
  for (const char* part :
       {"100,000 keys of u32 (uniform, seed 1) with their indices", "4 ranks: threads; each: cpu, 1 thread",
        "splitters  ", "partition  ", "exchange  ", "local sort  ", "the whole call  ", "one rank alone  ",
        "times as fast as one rank", "% of all, between ranks", "keys of a rank: 25,000",
        "in order, on each rank and across ranks: yes", "the same keys as before, with their indices: yes",
        "equal keys keep their order: yes", "the parts give the same as the whole call: yes",
        "one rank gets the same: yes"}) {
    EXPECT_NE(got.out.find(part), std::string::npos) << part << " is not in\n" << got.out;
  }
}

TEST_F(distributed_sort_program, without_a_comparison_cpu) {
  const outcome got = run("--generate 1000 --ranks 2 --no-compare --backend cpu");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.out.find("one rank"), std::string::npos) << got.out;
}

TEST_F(distributed_sort_program, full_disk_under_standard_output) {
  expect_one_line(run("--generate 10 --ranks 3 --backend cpu", ">/dev/full 2>errors.txt"), "",
                  "standard output: can't be written: No space left on device");
}

TEST_F(distributed_sort_program, report_gpu) {
  if (!apps::why_no_cuda().empty()) GTEST_SKIP() << apps::why_no_cuda();
  const outcome got = run("--generate 1000000 --ranks 3 --values --backend cuda");
  EXPECT_EQ(got.status, 0) << got.errors;
  for (const char* part : {"3 ranks: threads, with ", "cuda, ", "one rank gets the same: yes"}) {
    EXPECT_NE(got.out.find(part), std::string::npos) << part << " is not in\n" << got.out;
  }
  EXPECT_EQ(got.out.find("NO"), std::string::npos) << got.out;
}

}  // namespace
