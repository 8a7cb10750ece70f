// SPDX-License-Identifier: Apache-2.0
// Reads a FASTA or FASTQ file, packed by gzip or not, in parts.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "packed_file.hpp"
#include "sequence_text.hpp"

namespace kmers {

class sequence_file {
 public:
  // "-" is standard input. Throws apps::user_error where the file can't be opened. Parts have about `part_bytes` bytes, and
  // more where a record of FASTQ is longer than that.
  sequence_file(const std::string& file, std::size_t part_bytes);
  // The same of a descriptor that is open; closes it.
  sequence_file(int descriptor, const std::string& name, std::size_t part_bytes);

  // The next part; nothing behind the last one. Throws apps::user_error, naming the file and where it can the line, for a file
  // that is empty, of another format, damaged or cut off. Bases are not looked at here. The text is made in the memory of
  // `spare`, which new memory would take longer than to read.
  std::optional<sequence_text> next(std::string spare = {});

 private:
  void open(int descriptor);
  void read_more(std::string& text, std::size_t before);
  void recognise(const std::string& text);
  sequence_text fasta_part(std::string text);
  sequence_text fastq_part(std::string text);
  void end_last_record(std::string& text, std::uint64_t& lines) const;

  std::string name_;
  std::size_t part_bytes_;
  std::unique_ptr<packed_file> file_;
  bool at_end_ = false;
  bool recognised_ = false;
  sequence_text next_;  // without its text: where the next part begins
  std::string rest_;    // of a record that the last part had no room for
};

}  // namespace kmers
