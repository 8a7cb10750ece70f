// SPDX-License-Identifier: Apache-2.0
// The program as a user starts it: exit status, one clear line for what went wrong, counts and picture.
#include "../common/program.hpp"

#include <filesystem>
#include <string>

#include "../../../apps/common/backend.hpp"
#include "sequences.hpp"

namespace {

using test::outcome;

// Of Debian's packages bowtie-examples and bowtie2-examples; empty where it isn't there.
std::string installed(const std::string& name) {
  const std::string file = "/usr/share/doc/" + name;
  return std::filesystem::exists(file) ? file : "";
}

class kmers_program : public test::app_program {
 protected:
  kmers_program() : app_program("kmers") {
    write("a.fa", ">first\nACGTNAC\nGT\n>second\nGGTTA\n");
    write("a.fq", "@r\nACGTT\n+\nIIIII\n");
  }
};

TEST_F(kmers_program, wrong_options) {
  expect_refused("", "input");
  expect_refused("a.fa --no-such-option", "--no-such-option");
  expect_refused("a.fa -k 0", "0 is not a whole number from 1 to 32");
  expect_refused("a.fa -k 33", "33 is not a whole number from 1 to 32");
  expect_refused("a.fa -k x", "--k");
  expect_refused("a.fa --part 0", "--part");
  expect_refused("a.fa --backend gpu", "--backend");
  expect_refused("a.fa --threads -1", "--threads");
  expect_refused("- - <a.fa", "standard input is named twice");
  expect_refused("a.fa --out x --histogram x", "--histogram: x is what --out writes, too");
  expect_refused("a.fa --out - --plot -", "writes, too");
  expect_refused("a.fa --out - --plot out.txt", "writes, too");  // where standard output goes
}

TEST_F(kmers_program, never_writes_over_its_input) {
  const std::string before = text_of(folder_ / "a.fa");
  for (const char* output : {"--out", "--histogram", "--plot"}) {
    expect_refused(std::string("a.fq a.fa --backend cpu ") + output + " ./a.fa", "./a.fa would overwrite a.fa");
  }
  EXPECT_EQ(text_of(folder_ / "a.fa"), before);
}

TEST_F(kmers_program, missing_and_broken_files) {
  expect_refused("missing.fa", "missing.fa: can't be opened: No such file");
  expect_refused(".", "is a folder");
  write("empty.fa", "");
  expect_refused("empty.fa --backend cpu", "empty.fa: is empty");
  write("blank.fa", " \n\n");
  expect_refused("blank.fa --backend cpu", "blank.fa: holds no sequence");
  write("other.txt", "\x1b[31mACGT\n");
  expect_refused("other.txt --backend cpu", "other.txt: begins with \"\\x1b\", where FASTA begins with >");
  write("old.fa", ">a\rACGT\r");
  expect_refused("old.fa --backend cpu", "old.fa: its lines end with a carriage return alone");
  expect_refused("'[a.fa]' --backend cpu", "[a.fa]: can't be opened: No such file");
  write("digits.fa", ">a\nACGT\n60 ACGT\n");
  expect_refused("a.fa digits.fa --backend cpu --out counts.tsv", "digits.fa: line 3: \"6\" is no base");
  write("open.fq", "@r\nACGT\n+\nIIII\n@s\nACGT\n");
  expect_refused("open.fq --backend cpu --out counts.tsv", "open.fq: line 6: the file ends inside a record");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "counts.tsv"));
}

TEST_F(kmers_program, packed_files) {
  const std::string text = test::as_fasta(test::random_sequences(5, 50, 3000), 70), whole = test::packed(text);
  write("p.fa", text);
  write("p.fa.gz", whole);
  write("two.fa.gz", whole + test::packed(">more\nACGTACGT\n"));
  EXPECT_EQ(run("p.fa --backend cpu --out plain.tsv").status, 0);
  EXPECT_EQ(run("p.fa.gz --backend cpu --out packed.tsv").status, 0);
  EXPECT_EQ(run("- --backend cpu --out piped.tsv <p.fa.gz").status, 0);
  EXPECT_GT(text_of(folder_ / "plain.tsv").size(), 100000U);
  EXPECT_EQ(text_of(folder_ / "plain.tsv"), text_of(folder_ / "packed.tsv"));
  EXPECT_EQ(text_of(folder_ / "plain.tsv"), text_of(folder_ / "piped.tsv"));
  EXPECT_EQ(run("two.fa.gz -k 8 --backend cpu --out two.tsv").status, 0);
  EXPECT_EQ(run("p.fa -k 8 --backend cpu --out one.tsv").status, 0);
  EXPECT_NE(text_of(folder_ / "two.tsv"), text_of(folder_ / "one.tsv"));
  const std::string more = test::packed(">more\nACGTACGT\n");
  write("zeros.fa.gz", whole + std::string(1000, '\0') + more + std::string(3, '\0'));
  EXPECT_EQ(run("zeros.fa.gz -k 8 --backend cpu --out zeros.tsv").status, 0);
  EXPECT_EQ(text_of(folder_ / "zeros.tsv"), text_of(folder_ / "two.tsv"));

  std::filesystem::remove(folder_ / "kmers.png");
  write("cut.fa.gz", whole.substr(0, whole.size() / 2));
  expect_refused("cut.fa.gz --backend cpu", "cut.fa.gz: is cut off");
  for (const std::string& behind :
       {std::string(1, '\x1F') + more.substr(2), std::string("ACGT\n"), std::string(1, '\x1F')}) {
    write("behind.fa.gz", whole + behind);
    expect_refused("behind.fa.gz --backend cpu", "behind.fa.gz: is damaged: its packed data go on with something else");
  }
  std::string damaged = whole;
  damaged[damaged.size() - 6] ^= 1;  // of the checksum
  write("damaged.fa.gz", damaged);
  expect_refused("damaged.fa.gz --backend cpu", "damaged.fa.gz: is damaged: ");
}

// Also where the last sequence has no bases, so that a record ends with a blank line.
TEST_F(kmers_program, blank_lines_behind_the_last_record) {
  for (const char* last : {"@s\nACGTT\n+\nIIIII\n", "@s\n\n+\n\n"}) {
    write("none.fq", std::string("@r\nACGTA\n+\nIIIII\n") + last);
    EXPECT_EQ(run("none.fq -k 3 --backend cpu --out none.tsv").status, 0);
    for (const char* blank : {"\n", "\r\n"}) {
      std::string lines;
      for (int count = 1; count <= 9; ++count) {
        SCOPED_TRACE(testing::Message() << last << count);
        write("blank.fq", text_of(folder_ / "none.fq") + (lines += blank));
        EXPECT_EQ(run("blank.fq -k 3 --backend cpu --out blank.tsv").status, 0);
        EXPECT_EQ(text_of(folder_ / "blank.tsv"), text_of(folder_ / "none.tsv"));
      }
    }
  }
}

TEST_F(kmers_program, no_place_for_its_results) {
  for (const char* output : {"--out", "--histogram", "--plot"}) {
    expect_refused(std::string("a.fa --backend cpu ") + output + " missing/x", "missing/x: can't be written");
  }
}

TEST_F(kmers_program, no_device_where_one_was_asked_for) {
  if (apps::why_no_cuda().empty()) GTEST_SKIP() << "this machine has a GPU";
  expect_refused("a.fa --backend cuda", "--backend cuda: no GPU");
}

TEST_F(kmers_program, help) {
  const outcome got = run("--help");
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.errors, "");
  for (const char* option : {"--input", "--k", "--out", "--histogram", "--plot", "--top", "--part", "--compare",
                             "--backend", "--threads", "--version"}) {
    EXPECT_NE(got.out.find(option), std::string::npos) << option;
  }
  EXPECT_EQ(run("--version").out.rfind("kmers (onepass) ", 0), 0U);
}

TEST_F(kmers_program, counts_cpu) {
  const outcome got = run("a.fa a.fq -k 3 --backend cpu --threads 2 --out counts.tsv --histogram abundances.tsv");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.errors, "");
  for (const char* part : {"a.fa and 1 more file, k = 3: 10 k-mers, 4 distinct", "cpu, 2 threads", "a serial program",
                           "std::sort", "all results agree: yes", "plot: kmers.png", "counts: counts.tsv"}) {
    EXPECT_NE(got.out.find(part), std::string::npos) << part << " is not in\n" << got.out;
  }
  EXPECT_EQ(text_of(folder_ / "counts.tsv"), "AAC\t2\nACC\t1\nACG\t6\nTAA\t1\n");
  EXPECT_EQ(text_of(folder_ / "abundances.tsv"), "1\t2\n2\t1\n6\t1\n");
  expect_png(folder_ / "kmers.png");
}

TEST_F(kmers_program, result_on_standard_output_cpu) {
  outcome got = run("a.fq -k 5 --backend cpu --compare 0 --out -");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.out, "AACGT\t1\n");
  EXPECT_NE(got.errors.find("1 k-mers, 1 distinct"), std::string::npos) << got.errors;
  EXPECT_EQ(got.errors.find("std::sort"), std::string::npos) << got.errors;
  got = run("a.fq -k 5 --backend cpu --plot ''");
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.out.find("plot"), std::string::npos);
  got = run("a.fq -k 5 --backend cpu --plot -", ">plot.png 2>errors.txt");
  EXPECT_EQ(got.status, 0) << got.errors;
  expect_png(folder_ / "plot.png");
}

TEST_F(kmers_program, sequences_shorter_than_k_cpu) {
  const outcome got = run("a.fa --backend cpu --out counts.tsv");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("k = 31: 0 k-mers, 0 distinct"), std::string::npos) << got.out;
  EXPECT_EQ(text_of(folder_ / "counts.tsv"), "");
}

// Every file in parts, too, which are then merged.
TEST_F(kmers_program, real_sequences_beside_jellyfish_cpu) {
  if (std::system("jellyfish --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "jellyfish is not there";
  const std::pair<const char*, const char*> inputs[] = {{"bowtie/examples/genomes/NC_008253.fna.gz", "31"},
                                                        {"bowtie2/examples/reference/lambda_virus.fa.gz", "12"},
                                                        {"bowtie2/examples/reads/longreads.fq.gz", "32"},
                                                        {"bowtie2/examples/reads/reads_1.fq.gz", "21"}};
  for (const auto& [name, k] : inputs) {
    const std::string file = installed(name);
    if (file.empty()) GTEST_SKIP() << name << " is not there";
    const outcome got = run("'" + file + "' -k " + k + " --backend cpu --part 1 --compare 1 --out ours.tsv");
    EXPECT_EQ(got.status, 0) << got.errors;
    EXPECT_NE(got.out.find("all results agree: yes"), std::string::npos) << got.out;
    const std::string shell = "cd '" + folder_.string() + "' && gzip -dc '" + file + "' >text && jellyfish count -m " +
                              k + " -C -s 20M -t 2 -o j.jf text && jellyfish dump -c -t j.jf | sort >theirs.tsv";
    ASSERT_EQ(std::system(shell.c_str()), 0);
    EXPECT_TRUE(text_of(folder_ / "ours.tsv") == text_of(folder_ / "theirs.tsv")) << name << ", k = " << k;
    EXPECT_GT(text_of(folder_ / "ours.tsv").size(), 100000U);
  }
}

TEST_F(kmers_program, counts_gpu) {
  if (!apps::why_no_cuda().empty()) GTEST_SKIP() << apps::why_no_cuda();
  const outcome got = run("a.fa a.fq -k 3 --backend cuda --out counts.tsv");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("all results agree: yes"), std::string::npos) << got.out;
  EXPECT_EQ(text_of(folder_ / "counts.tsv"), "AAC\t2\nACC\t1\nACG\t6\nTAA\t1\n");
}

}  // namespace
