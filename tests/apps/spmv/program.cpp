// SPDX-License-Identifier: Apache-2.0
// The program as a user starts it: exit status, one clear line for what went wrong, and the plot.
#include "../common/program.hpp"

#include <filesystem>
#include <string>

#include "../../../apps/common/backend.hpp"

namespace {

using test::outcome;

class spmv_program : public test::app_program {
 protected:
  spmv_program() : app_program("spmv") {
    write("m.mtx",
          "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 5\n1 1 4\n2 1 1\n2 2 3\n3 3 1\n3 3 1\n");
    write("wide.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 4 3\n1 1\n1 4\n2 2\n");
  }
};

TEST_F(spmv_program, wrong_options) {
  expect_refused("", "input");
  expect_refused("m.mtx --no-such-option", "--no-such-option");
  expect_refused("m.mtx --iterations 0", "--iterations");
  expect_refused("m.mtx --iterations x", "--iterations");
  expect_refused("m.mtx --repeat 0", "--repeat");
  expect_refused("m.mtx --threads -1", "--threads");
  expect_refused("m.mtx --backend gpu", "--backend");
  expect_refused("m.mtx --out a.png", "--iterations");
  expect_refused("m.mtx wide.mtx", "wide.mtx");
  expect_refused("wide.mtx --backend cpu --iterations 3", "wide.mtx is not square");
}

TEST_F(spmv_program, never_writes_over_its_input) {
  const std::string before = text_of(folder_ / "m.mtx");
  std::filesystem::create_symlink("m.mtx", folder_ / "link");
  for (const char* output : {"m.mtx", "./m.mtx", "link"}) {
    expect_refused(std::string("m.mtx --backend cpu --iterations 3 --out ") + output, " would overwrite m.mtx");
  }
  expect_refused("- --backend cpu --iterations 3 --out m.mtx <m.mtx", "m.mtx would overwrite standard input");
  EXPECT_EQ(text_of(folder_ / "m.mtx"), before);
}

// Rows and columns without entries are legal, and cost memory.
TEST_F(spmv_program, sizes_in_proportion_to_the_file) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  write("rows.mtx", banner + "2147483647 1 1\n1 1 1\n");
  expect_refused("rows.mtx --backend cpu",
                 "rows.mtx: line 2: 2147483647 rows are too many for 1 entry: 1000000, and 16 more");
  write("columns.mtx", banner + "% c\n1 1000017 1\n1 1 1\n");
  expect_refused("columns.mtx --backend cpu", "columns.mtx: line 3: 1000017 columns are too many for 1 entry");
  write("square.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1000032 1000032 1\n2 1 1\n");
  EXPECT_EQ(run("square.mtx --backend cpu --repeat 1").status, 0);
}

TEST_F(spmv_program, plot_on_standard_output_cpu) {
  const outcome got = run("m.mtx --backend cpu --iterations 9 --out -", ">plot.png 2>errors.txt");
  EXPECT_EQ(got.status, 0) << got.errors;
  expect_png(folder_ / "plot.png");
  EXPECT_NE(got.errors.find("all results agree: yes"), std::string::npos) << got.errors;
}

TEST_F(spmv_program, missing_and_broken_files) {
  expect_refused("missing.mtx", "missing.mtx: can't be opened: No such file");
  expect_refused(".", "is a folder");
  write("broken.mtx", "%%MatrixMarket matrix coordinate real general\n% c\n2 2 2\n1 1 1\n1 7 1\n");
  expect_refused("broken.mtx --iterations 3", "broken.mtx: line 5: column 7 is not from 1 to 2");
}

TEST_F(spmv_program, no_place_for_the_plot) {
  expect_refused("m.mtx --backend cpu --iterations 3 --out missing/a.png", "missing/a.png: can't be written");
  expect_refused("missing.mtx --iterations 3 --out missing/a.png",
                 "missing/a.png: can't be written");  // before any work
}

TEST_F(spmv_program, no_device_where_one_was_asked_for) {
  if (apps::why_no_cuda().empty()) GTEST_SKIP() << "this machine has a GPU";
  expect_refused("m.mtx --backend cuda", "--backend cuda: no GPU");
}

TEST_F(spmv_program, help) {
  const outcome got = run("--help");
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.errors, "");
  for (const char* option : {"--input", "--iterations", "--out", "--repeat", "--backend", "--threads"}) {
    EXPECT_NE(got.out.find(option), std::string::npos) << option;
  }
}

TEST_F(spmv_program, multiplies_and_iterates_cpu) {
  const outcome got = run("m.mtx --backend cpu --threads 2 --iterations 100 --out plot.png");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.errors, "");  // no progress bar where there is no terminal
  for (const char* part : {"m.mtx, 3 x 3 real symmetric, 5 entries (duplicates added up: 1)", "cpu, 2 threads",
                           "a plain loop", "eigenvalue 4.618033988", "all results agree: yes", "plot: plot.png"}) {
    EXPECT_NE(got.out.find(part), std::string::npos) << part << " is not in\n" << got.out;
  }
  expect_png(folder_ / "plot.png");
  EXPECT_EQ(run("--input m.mtx --backend cpu --threads 1 --iterations 100 --out again.png").status, 0);
  EXPECT_EQ(text_of(folder_ / "plot.png"), text_of(folder_ / "again.png"));
}

// The only eigenvalue of such a matrix is 0, which the last step that was not 0 does not tell.
TEST_F(spmv_program, nilpotent_cpu) {
  write("nilpotent.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1\n");
  const outcome got = run("nilpotent.mtx --backend cpu --iterations 5 --out plot.png");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("power iteration: eigenvalue 0, as A v is 0 after 1 steps; plot: plot.png"), std::string::npos)
      << got.out;
}

TEST_F(spmv_program, writes_nothing_that_was_not_asked_for_cpu) {
  const std::size_t before = files_in_folder() + 2;  // what it prints goes to two files
  const outcome got = run("wide.mtx --backend cpu");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(files_in_folder(), before);
  EXPECT_EQ(got.out.find("eigenvalue"), std::string::npos) << got.out;
}

TEST_F(spmv_program, real_matrices_cpu) {
  for (const auto& [name, entries] : {std::pair{"bcsstk13.mtx", "83,883 entries"}, {"bayer10.mtx", "94,926 entries"}}) {
    const std::string file = test::data_file(name);
    if (file.empty()) GTEST_SKIP() << name << " is not there";
    const outcome got = run("'" + file + "' --backend cpu --repeat 1 --iterations 20");
    EXPECT_EQ(got.status, 0) << got.errors;
    EXPECT_NE(got.out.find(entries), std::string::npos) << got.out;
    EXPECT_NE(got.out.find("all results agree: yes"), std::string::npos) << got.out;
    expect_png(folder_ / "spmv_convergence.png");
  }
}

TEST_F(spmv_program, multiplies_and_iterates_gpu) {
  if (!apps::why_no_cuda().empty()) GTEST_SKIP() << apps::why_no_cuda();
  const outcome got = run("m.mtx --backend cuda --iterations 100 --out plot.png");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("eigenvalue 4.618033988"), std::string::npos) << got.out;
  EXPECT_NE(got.out.find("all results agree: yes"), std::string::npos) << got.out;
  // Its time is there, or why it isn't.
  EXPECT_TRUE(got.out.find("cusparseSpMV") != std::string::npos ||
              got.out.find("no time of cuSPARSE: ") != std::string::npos)
      << got.out;
  expect_png(folder_ / "plot.png");
}

}  // namespace
