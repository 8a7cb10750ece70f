// SPDX-License-Identifier: Apache-2.0
// A part of a file of sequences: FASTA, a header line that begins with '>' and then lines of bases; or FASTQ, records of four
// lines: '@' and a name, the bases, '+', and a quality for each base.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kmers {

enum class sequence_format { fasta, fastq };

struct sequence_text {
  std::string file;  // for messages
  sequence_format format = sequence_format::fasta;
  std::string text;              // FASTQ: whole records, the last of which ends its line, too
  std::uint64_t first_line = 1;  // the number in its file of the line in which the text begins
  std::uint64_t lines = 0;       // how many end in the text
  bool begins_line = true;       // or the text begins in the middle of one, ...
  bool in_header = false;        // ... of a header
  bool begins_file = true;       // otherwise k-mers may go on from the part before it
  std::uint64_t bytes_read = 0;  // of the file up to here, as it lies packed on the disk
};

// As much of `whole` as there is in its first `bytes`, cut where its format may be cut; nothing if a record is longer.
sequence_text prefix_of(const sequence_text& whole, std::size_t bytes);

// How many lines end in `text`.
std::uint64_t line_ends(const std::string& text);

}  // namespace kmers
