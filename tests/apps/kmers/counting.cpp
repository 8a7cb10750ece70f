// SPDX-License-Identifier: Apache-2.0
// Counting on each backend, in parts of all sizes, against counts of strings.
#include <string>
#include <vector>

#include "../../../apps/common/user_error.hpp"
#include "../../../apps/kmers/plain_count.hpp"
#include "../../../apps/kmers/run.hpp"
#include "../common/files.hpp"
#include "sequences.hpp"
#include "support/test.hpp"

namespace {

using namespace kmers;

test::kmer_counts by_letters(const tally& found, int k) {
  test::kmer_counts counts;
  for (std::size_t i = 0; i < found.kmers.size(); ++i) counts[letters(found.kmers[i], k)] = found.counts[i];
  EXPECT_EQ(counts.size(), found.kmers.size());
  EXPECT_TRUE(std::is_sorted(found.kmers.begin(), found.kmers.end()));
  return counts;
}

counting on(apps::backend_kind backend, int k, std::size_t part_bytes = 0) {
  counting how;
  how.k = k;
  how.part_bytes = part_bytes;
  how.backend = backend;
  return how;
}

template <class Backend>
counting on(const Backend&, int k) {
  return on(Backend::on_device ? apps::backend_kind::cuda : apps::backend_kind::cpu, k);
}

sequence_text text_of(sequence_format format, const std::string& text) {
  sequence_text part;
  part.file = "text";
  part.format = format;
  part.text = text;
  part.lines = line_ends(text);
  return part;
}

template <class Backend>
void expect_counts(const Backend& backend, const sequence_text& text, const std::vector<std::string>& sequences,
                   int k) {
  counting how = on(backend, k);
  how.compare_bytes = text.text.size();
  const run_report report = count_text(text, how);
  EXPECT_EQ(by_letters(report.found, k), test::counts_of(sequences, static_cast<std::size_t>(k))) << "k " << k;
  EXPECT_TRUE(apps::all_agree(report.rows)) << "k " << k;
  EXPECT_EQ(report.rows.empty(), text.text.empty());
  EXPECT_EQ(plain_tally(text, k).kmers, report.found.kmers) << "k " << k;
}

ONEPASS_TEST(kmers, of_all_lengths) {
  const std::vector<std::string> sequences = test::random_sequences(1, 30, 700);
  for (const int k : {1, 2, 3, 7, 8, 15, 16, 17, 21, 30, 31, 32}) {
    expect_counts(backend, text_of(sequence_format::fasta, test::as_fasta(sequences, 70)), sequences, k);
    expect_counts(backend, text_of(sequence_format::fastq, test::as_fastq(sequences)), sequences, k);
  }
}

ONEPASS_TEST(kmers, of_longer_texts) {
  const std::vector<std::string> sequences = test::random_sequences(2, 9, 60000);
  expect_counts(backend, text_of(sequence_format::fasta, test::as_fasta(sequences, 60, "\r\n")), sequences, 31);
  expect_counts(backend, text_of(sequence_format::fasta, test::as_fasta(sequences, 100000)), sequences, 12);
  expect_counts(backend, text_of(sequence_format::fastq, test::as_fastq(sequences, "\r\n")), sequences, 31);
}

ONEPASS_TEST(kmers, few_and_none) {
  const auto fasta = [&](const std::string& text, const std::vector<std::string>& sequences, int k) {
    expect_counts(backend, text_of(sequence_format::fasta, text), sequences, k);
  };
  fasta(">", {}, 31);
  fasta(">no end", {}, 1);
  fasta(">a\nACG\n>b\n\n>c\nT", {"ACG", "T"}, 4);
  fasta(">a\nACG\n>b\n\n>c\nT", {"ACG", "T"}, 3);
  fasta("\n\n>a\n\nAC\n \nGT\n\n", {"ACGT"}, 4);
  fasta(">a\nNNNNN\n", {"NNNNN"}, 2);
  expect_counts(backend, text_of(sequence_format::fastq, "@a\n\n+\n\n@b\nAC\n+\n@@\n"), {"", "AC"}, 2);
  EXPECT_TRUE(count_text(text_of(sequence_format::fastq, ""), on(backend, 3)).found.kmers.empty());
  // The reverse complement of each is itself.
  fasta(">a\nACGTACGTACGTACGTACGTACGTACGTACGT\n", {"ACGTACGTACGTACGTACGTACGTACGTACGT"}, 32);
  fasta(">a\n" + std::string(5000, 'T') + "\n", {std::string(5000, 'T')}, 32);
}

class parts : public test::own_folder {};

// K-mers go on over the ends of parts, and lines, headers and records do.
void expect_the_same_in_parts(apps::backend_kind backend, const std::string& file,
                              const std::vector<std::string>& all) {
  for (const std::size_t part : {1U, 2U, 5U, 64U, 333U, 4096U}) {
    const run_report report = count_files({file}, on(backend, 5, part), [](std::uint64_t) {});
    EXPECT_EQ(by_letters(report.found, 5), test::counts_of(all, 5)) << "parts of " << part;
  }
}

void count_in_parts(apps::backend_kind backend, const std::string& folder) {
  const std::vector<std::string> sequences = test::random_sequences(3, 9, 90);
  const auto file = [&](const char* name, const std::string& text) {
    std::ofstream(folder + "/" + name, std::ios::binary) << text;
    return folder + "/" + name;
  };
  expect_the_same_in_parts(backend, file("a.fa", test::as_fasta(sequences, 13)), sequences);
  expect_the_same_in_parts(backend, file("b.fa", test::as_fasta(sequences, 11, "\r\n")), sequences);
  // A part may end between the two characters that end the first line.
  expect_the_same_in_parts(backend, file("c.fa", ">\r\nACGTAC\r\n"), {"ACGTAC"});
  expect_the_same_in_parts(backend, file("a.fq", test::as_fastq(sequences)), sequences);
  std::string open = test::as_fastq({"ACGTA", "GGGTC"}, "\r\n");
  open.resize(open.size() - 2);
  expect_the_same_in_parts(backend, file("b.fq", open), {"ACGTA", "GGGTC"});
  expect_the_same_in_parts(backend, file("c.fq", test::as_fastq({"ACGTA", ""}) + "\n\r\n\n"), {"ACGTA"});
  // More blank lines than a record has, some of which may end a part.
  for (const char* blank : {"\n", "\r\n"}) {
    std::string lines;
    for (int i = 0; i < 13; ++i) lines += blank;
    expect_the_same_in_parts(backend, file("d.fq", test::as_fastq({"ACGTA", "GG", ""}) + lines), {"ACGTA", "GG"});
  }
}

TEST_F(parts, of_all_sizes_cpu) { count_in_parts(apps::backend_kind::cpu, folder_.string()); }

TEST_F(parts, of_all_sizes_gpu) {
  if (!apps::why_no_cuda().empty()) GTEST_SKIP() << apps::why_no_cuda();
  count_in_parts(apps::backend_kind::cuda, folder_.string());
}

TEST_F(parts, several_files_cpu) {
  const std::string a = write("a.fa", ">a\nACGT"), b = write("b.fq", "@b\nTTGC\n+\nIIII\n");
  const run_report report = count_files({a, b, a}, on(apps::backend_kind::cpu, 4, 3), [](std::uint64_t) {});
  EXPECT_EQ(by_letters(report.found, 4), (test::kmer_counts{{"ACGT", 2}, {"GCAA", 1}}));
  EXPECT_EQ(report.bytes, 7U + 15U + 7U);
}

template <class Backend>
std::string refusal(const Backend& backend, sequence_format format, const std::string& text) {
  try {
    count_text(text_of(format, text), on(backend, 3));
  } catch (const apps::user_error& error) {
    return error.what();
  }
  return "";
}

ONEPASS_TEST(kmers, wrong_texts) {
  const auto fasta = [&](const std::string& text) { return refusal(backend, sequence_format::fasta, text); };
  EXPECT_EQ(fasta(">a\nACGT\nAC>T\n"), "text: line 3: \">\" is no base");
  EXPECT_EQ(fasta(">a\nACGT\n1 ACGT\n"), "text: line 3: \"1\" is no base");
  EXPECT_EQ(fasta(std::string(">a\nACGT\nA\0C\n", 12)), "text: line 3: \"\\x00\" is no base");
  EXPECT_EQ(fasta(">a\n" + std::string(100000, 'A') + "\n\n\x1b"), "text: line 4: \"\\x1b\" is no base");
  EXPECT_EQ(fasta(">\x1b\nA\n"), "");

  const auto fastq = [&](const std::string& text) { return refusal(backend, sequence_format::fastq, text); };
  EXPECT_EQ(fastq("@a\nAC\n+\nII\nb\nAC\n+\nII\n"),
            "text: line 5: a record of FASTQ begins with @, and this line with \"b\"");
  EXPECT_EQ(fastq("@a\nAC\nII\nII\n"), "text: line 3: the third line of a record begins with +, not with \"I\"");
  EXPECT_EQ(fastq("@a\nAC\n\nII\n"), "text: line 3: the third line of a record begins with +, not with \"\"");
  EXPECT_EQ(fastq("@a\nAC\n+\nI\n"), "text: line 4: 1 qualities for 2 bases");
  EXPECT_EQ(fastq("@a\r\nAC\r\n+\r\nII\n"), "");
  EXPECT_EQ(fastq("@a\nA@\n+\nII\n"), "text: line 2: \"@\" is no base");
}

ONEPASS_CPU_TEST(kmers, same_counts_with_any_number_of_threads) {
  const std::vector<std::string> sequences = test::random_sequences(4, 20, 9000);
  const sequence_text text = text_of(sequence_format::fasta, test::as_fasta(sequences, 80));
  counting how = on(backend, 19);
  how.threads = 1;
  const tally one = count_text(text, how).found;
  for (const int threads : {2, 7}) {
    how.threads = threads;
    EXPECT_TRUE(count_text(text, how).found == one);
  }
}

}  // namespace
