// SPDX-License-Identifier: Apache-2.0
// Texts of sequences for the tests, and counts of their k-mers as strings.
#pragma once

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace test {

using kmer_counts = std::map<std::string, std::uint64_t>;

inline std::string reverse_complement(const std::string& kmer) {
  std::string result;
  for (auto base = kmer.rbegin(); base != kmer.rend(); ++base) {
    result += *base == 'A' ? 'T' : *base == 'C' ? 'G' : *base == 'G' ? 'C' : 'A';
  }
  return result;
}

inline kmer_counts counts_of(const std::vector<std::string>& sequences, std::size_t k) {
  kmer_counts counts;
  for (std::string bases : sequences) {
    for (char& c : bases) c = static_cast<char>(std::toupper(c));
    for (std::size_t i = 0; i + k <= bases.size(); ++i) {
      const std::string kmer = bases.substr(i, k);
      if (kmer.find_first_not_of("ACGT") == std::string::npos) ++counts[std::min(kmer, reverse_complement(kmer))];
    }
  }
  return counts;
}

// Bases in both cases, one in fifty another letter; and half of the time what was there before.
inline std::string random_bases(std::mt19937& random, std::size_t size) {
  std::string bases;
  while (bases.size() < size) {
    if (bases.size() > 100 && random() % 64 == 0) bases += bases.substr(random() % 50, 50);
    else bases += random() % 50 == 0 ? "NnRy-*."[random() % 7] : "ACGTACGTacgt"[random() % 12];
  }
  return bases.substr(0, size);
}

inline std::vector<std::string> random_sequences(unsigned seed, std::size_t number, std::size_t longest) {
  std::mt19937 random(seed);
  std::vector<std::string> sequences;
  for (std::size_t i = 0; i < number; ++i) sequences.push_back(random_bases(random, random() % (longest + 1)));
  return sequences;
}

inline std::string as_fasta(const std::vector<std::string>& sequences, std::size_t width,
                            const std::string& end = "\n") {
  std::string text;
  for (const std::string& bases : sequences) {
    text += ">ACGTACGTACGT > @ name" + end;
    for (std::size_t i = 0; i < bases.size(); i += width) text += bases.substr(i, width) + end;
    if (bases.size() % 5 == 0) text += end;
  }
  return text;
}

// The qualities begin with what begins a record, or its third line.
inline std::string as_fastq(const std::vector<std::string>& sequences, const std::string& end = "\n") {
  std::string text;
  for (const std::string& bases : sequences) {
    const char first = "@+>I"[bases.size() % 4];
    text += "@ACGTACGTACGT" + end + bases + end + "+ACGTACGT" + end + std::string(bases.size(), first) + end;
  }
  return text;
}

// A descriptor to read `bytes` from; of no file that has a name.
inline int descriptor_of(const std::string& bytes) {
  std::FILE* file = std::tmpfile();
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fflush(file);
  const int descriptor = dup(fileno(file));
  std::fclose(file);
  lseek(descriptor, 0, SEEK_SET);
  return descriptor;
}

inline std::string packed(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);  // 16: with gzip's header
  std::string result(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

}  // namespace test
