// SPDX-License-Identifier: Apache-2.0
// The program as a user starts it: exit status, one clear line for what went wrong, results.
#include "../common/program.hpp"

#include <string>

#include "../../../apps/common/backend.hpp"

namespace {

using test::outcome;

class query_program : public test::app_program {
 protected:
  query_program() : app_program("query") { write("t.csv", "zone,fare\nnorth,10\nsouth,20\nnorth,5\n"); }
};

TEST_F(query_program, wrong_options) {
  expect_refused("", "a CSV or Parquet file is needed, or --generate ROWS");
  expect_refused("t.csv --no-such-option", "--no-such-option");
  expect_refused("t.csv --generate 5", "--generate");
  expect_refused("t.csv --seed 5", "--seed");
  expect_refused("t.csv --where 'fare >'", "--where: character 7");
  expect_refused("--select zone t.csv --select price", "--select: there is no column price");
  expect_refused("t.csv --order-by '[fare]'", "there is no column [fare]");
  expect_refused("t.csv --select zone,price", "--select: there is no column price, but zone, fare");
  expect_refused("t.csv --group-by zone,zone", "--group-by: zone is named twice");
  expect_refused("t.csv --group-by zone --select fare", "--select");
  expect_refused("t.csv --group-by zone --order-by fare", "--order-by: there is no column fare, but zone");
  expect_refused("--sum zone t.csv", "--sum: column zone is of texts");
  expect_refused("t.csv --count --count", "two columns of the result are named count");
  expect_refused("t.csv --desc", "--desc: there is no --order-by");
  expect_refused("t.csv --limit -1", "--limit");
  expect_refused("t.csv --backend gpu", "--backend");
  expect_refused("t.csv --out ./t.csv", "./t.csv would overwrite t.csv");
  expect_refused("missing.csv", "missing.csv: can't be opened: No such file");
  expect_refused("t.csv --backend cpu --out missing/x.csv", "missing/x.csv: can't be written");
}

TEST_F(query_program, no_device_where_one_was_asked_for) {
  if (apps::why_no_cuda().empty()) GTEST_SKIP() << "this machine has a GPU";
  expect_refused("t.csv --backend cuda", "--backend cuda: no GPU");
}

TEST_F(query_program, help) {
  const outcome got = run("--help");
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.errors, "");
  for (const char* option : {"--input", "--generate", "--seed",    "--where",   "--select",   "--group-by", "--count",
                             "--sum",   "--mean",     "--min",     "--max",     "--order-by", "--desc",     "--limit",
                             "--out",   "--compare",  "--repeats", "--backend", "--threads",  "--version"}) {
    EXPECT_NE(got.out.find(option), std::string::npos) << option;
  }
}

TEST_F(query_program, answers_cpu) {
  const outcome got = run(
      "t.csv --backend cpu --threads 2 --group-by zone --count --sum fare --order-by 'sum(fare)' --desc --out r.csv");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.errors, "");
  EXPECT_EQ(text_of(folder_ / "r.csv"), "zone,count,sum(fare)\nsouth,1,20\nnorth,2,15\n");
  for (const char* part : {"t.csv: 3 rows of zone (texts), fare (whole numbers); cpu, 2 threads", "2 rows in ",
                           "std::stable_sort", "a serial program", "result: r.csv", "all results agree: yes"}) {
    EXPECT_NE(got.out.find(part), std::string::npos) << part << " is not in\n" << got.out;
  }
}

TEST_F(query_program, standard_streams_cpu) {
  const outcome got = run("- --backend cpu --compare 0 --where 'fare < 20' --order-by fare --out - <t.csv");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.out, "zone,fare\nnorth,5\nnorth,10\n");
  EXPECT_NE(got.errors.find("standard input: 3 rows"), std::string::npos) << got.errors;
  EXPECT_EQ(got.errors.find("std::"), std::string::npos) << got.errors;
}

TEST_F(query_program, generated_rides_cpu) {
  const outcome got = run("--generate 2000 --seed 5 --backend cpu --out r.csv --limit 100");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("a random table: 2,000 rows of zone (texts), payment (texts), passengers (whole numbers)"),
            std::string::npos)
      << got.out;
  EXPECT_NE(got.out.find("and 80 more\n"), std::string::npos) << got.out;
  const std::string text = text_of(folder_ / "r.csv");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 101);
}

}  // namespace
