// SPDX-License-Identifier: Apache-2.0
// One base after another, line by line, with both strands' codes shifted along.
#include "plain_count.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "../common/text.hpp"
#include "../common/user_error.hpp"

namespace kmers {
namespace {

class plain_counter {
 public:
  plain_counter(const sequence_text& part, int k)
      : part_(part), k_(k), mask_(k == 32 ? ~std::uint64_t{0} : (std::uint64_t{1} << (2 * k)) - 1) {}

  std::vector<std::uint64_t> count() {
    std::string_view left = part_.text;
    for (; !left.empty(); ++line_) {
      const std::size_t end = std::min(left.find('\n'), left.size());
      if (part_.format == sequence_format::fasta) fasta_line(left.substr(0, end));
      else fastq_line(left.substr(0, end));
      left.remove_prefix(std::min(end + 1, left.size()));
    }
    return std::move(found_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw apps::user_error(part_.file + ": line " + std::to_string(part_.first_line + line_) + ": " + what);
  }

  void fasta_line(std::string_view line) {
    const bool begun = line_ == 0 && !part_.begins_line;  // in the part before
    if (begun ? part_.in_header : !line.empty() && line[0] == '>') length_ = 0;
    else bases(line);
  }

  void fastq_line(std::string_view line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    switch (line_ % 4) {
      case 0:
        if (line.empty() || line[0] != '@') fail("a record of FASTQ begins with @, and this line with " + start(line));
        break;
      case 1:
        length_ = 0;
        bases(line);
        size_ = line.size();
        break;
      case 2:
        if (line.empty() || line[0] != '+') fail("the third line of a record begins with +, not with " + start(line));
        break;
      default:
        if (line.size() == size_) return;
        fail(std::to_string(line.size()) + " qualities for " + std::to_string(size_) + " bases");
    }
  }

  static std::string start(std::string_view line) { return "\"" + apps::printable(line.substr(0, 1)) + "\""; }

  void bases(std::string_view line) {
    for (const char c : line) {
      switch (c) {
        case 'A':
        case 'a': base(0); break;
        case 'C':
        case 'c': base(1); break;
        case 'G':
        case 'g': base(2); break;
        case 'T':
        case 't': base(3); break;
        case ' ':
        case '\t':
        case '\r': break;
        default:
          if (!(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') && c != '-' && c != '.' && c != '*') {
            fail("\"" + apps::printable(std::string_view(&c, 1)) + "\" is no base");
          }
          length_ = 0;
      }
    }
  }

  void base(std::uint64_t code) {
    forward_ = (forward_ << 2 | code) & mask_;
    backward_ = backward_ >> 2 | (3 - code) << (2 * (k_ - 1));
    if (++length_ >= static_cast<std::uint64_t>(k_)) found_.push_back(std::min(forward_, backward_));
  }

  const sequence_text& part_;
  const int k_;
  const std::uint64_t mask_;
  std::uint64_t line_ = 0, length_ = 0, forward_ = 0, backward_ = 0;
  std::size_t size_ = 0;  // of the record's bases
  std::vector<std::uint64_t> found_;
};

}  // namespace

std::vector<std::uint64_t> plain_kmers(const sequence_text& part, int k) { return plain_counter(part, k).count(); }

tally plain_tally(const sequence_text& part, int k) {
  std::vector<std::uint64_t> all = plain_kmers(part, k);
  std::sort(all.begin(), all.end());
  tally result;
  for (const std::uint64_t kmer : all) {
    if (result.kmers.empty() || result.kmers.back() != kmer) {
      result.kmers.push_back(kmer);
      result.counts.push_back(0);
    }
    ++result.counts.back();
  }
  return result;
}

}  // namespace kmers
