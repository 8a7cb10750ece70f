// SPDX-License-Identifier: Apache-2.0
// Cuts what it reads into parts.
#include "sequence_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"

namespace kmers {
namespace {

constexpr const char* blanks = " \t\r\n";

[[noreturn]] void fail(const std::string& name, const char* what, int reason) {
  throw apps::user_error(name + ": " + what + ": " + std::generic_category().message(reason));
}

// How many of the last lines in front of `end` are blank. There the last of them ends.
std::uint64_t blank_lines_at_end(const std::string& text, std::size_t end) {
  std::uint64_t lines = 0;
  for (; end > 0; ++lines) {
    --end;  // the end of a line
    if (end > 0 && text[end - 1] == '\r') --end;
    if (end > 0 && text[end - 1] != '\n') break;
  }
  return lines;
}

void drop_last_lines(std::string& text, std::uint64_t lines) {
  for (; lines > 0; --lines) {
    const std::size_t before = text.size() < 2 ? std::string::npos : text.rfind('\n', text.size() - 2);
    text.resize(before == std::string::npos ? 0 : before + 1);
  }
}

// New memory comes in pages, and to get a small one takes as long as to read a file into it.
void use_large_pages([[maybe_unused]] char* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = 1 << 21;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page,
             end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // refused: as before
#endif
}

}  // namespace

// By counters of a byte, 64 side by side, which compilers keep in vectors: one of 8 bytes takes five times as long.
std::uint64_t line_ends(const std::string& text) {
  constexpr std::size_t width = 64, most = 255;  // what a byte can count to
  std::uint64_t lines = 0;
  std::size_t begin = 0;
  while (text.size() - begin >= width) {
    std::array<std::uint8_t, width> counts{};
    const std::size_t rows = std::min(most, (text.size() - begin) / width);
    for (std::size_t row = 0; row < rows; ++row, begin += width) {
      for (std::size_t i = 0; i < width; ++i) counts[i] += static_cast<std::uint8_t>(text[begin + i] == '\n');
    }
    for (const std::uint8_t count : counts) lines += count;
  }
  return lines +
         static_cast<std::uint64_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), '\n'));
}

// Where the first `wanted` of the text's lines end. A line that has no end does not count.
std::size_t end_of_lines(const std::string& text, std::uint64_t lines, std::uint64_t wanted) {
  if (wanted == 0) return 0;
  std::size_t end = text.rfind('\n');
  for (; lines > wanted; --lines) end = text.rfind('\n', end - 1);
  return end + 1;
}

// How many lines are those of whole records, where more may follow. Blank lines at the end may be those behind the last
// record of the file.
std::uint64_t lines_of_records(const std::string& text, std::uint64_t lines) {
  if (lines == 0) return 0;
  const std::size_t end = text.rfind('\n') + 1;
  const bool is_open = end < text.size() && (text[end] != '\r' || end + 1 < text.size());
  const std::uint64_t blank = is_open ? 0 : blank_lines_at_end(text, end);
  return (lines - blank) / 4 * 4;
}

sequence_text prefix_of(const sequence_text& whole, std::size_t bytes) {
  sequence_text result = whole;
  result.text.resize(std::min(bytes, whole.text.size()));
  if (whole.format == sequence_format::fastq) {
    const std::uint64_t lines = line_ends(result.text);
    result.text.resize(end_of_lines(result.text, lines, lines / 4 * 4));
  }
  result.lines = line_ends(result.text);
  return result;
}

sequence_file::sequence_file(const std::string& file, std::size_t part_bytes)
    : name_(apps::input_name(file)), part_bytes_(part_bytes) {
  const int opened = file == "-" ? dup(STDIN_FILENO) : ::open(file.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (opened < 0) fail(name_, "can't be opened", errno);
  open(opened);
}

sequence_file::sequence_file(int descriptor, const std::string& name, std::size_t part_bytes)
    : name_(name), part_bytes_(part_bytes) {
  open(descriptor);
}

void sequence_file::open(int descriptor) {
  struct stat found {};
  const bool folder = fstat(descriptor, &found) == 0 && S_ISDIR(found.st_mode);
  if (folder) ::close(descriptor);
  if (folder) throw apps::user_error(name_ + ": is a folder, not a file");
  file_ = std::make_unique<packed_file>(descriptor, name_);
  next_.file = name_;
}

// Up to a part's bytes behind the first `before` ones of `text`, which then ends there. What it has beyond them is not cleared
// first, as new characters of a string are.
void sequence_file::read_more(std::string& text, std::size_t before) {
  const std::size_t wanted = before + part_bytes_;
  if (text.capacity() < wanted) {
    text.reserve(wanted);  // what is not used of it costs nothing
    use_large_pages(text.data(), text.capacity());
  }
  std::size_t bytes = before;
  while (!at_end_ && bytes < wanted) {
    constexpr std::size_t block = 1 << 22;
    if (text.size() == bytes) text.resize(std::min(bytes + block, wanted));
    const std::size_t got = file_->read(text.data() + bytes, std::min(text.size(), wanted) - bytes);
    bytes += got;
    at_end_ = got == 0;
  }
  text.resize(bytes);
}

void sequence_file::recognise(const std::string& text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string::npos) throw apps::user_error(name_ + (text.empty() ? ": is empty" : ": holds no sequence"));
  if (text[first] != '>' && text[first] != '@') {
    throw apps::user_error(name_ + ": begins with \"" + apps::printable(text.substr(first, 1)) +
                           "\", where FASTA begins with > and FASTQ with @");
  }
  // Behind a carriage return at the end of the text a line feed may follow.
  if (text.find('\n') == std::string::npos && text.find('\r') < text.size() - 1)
    throw apps::user_error(name_ + ": its lines end with a carriage return alone");
  next_.format = text[first] == '>' ? sequence_format::fasta : sequence_format::fastq;
  recognised_ = true;
}

std::optional<sequence_text> sequence_file::next(std::string spare) {
  std::string text = std::move(spare);
  if (text.size() < rest_.size()) text.resize(rest_.size());
  std::copy(rest_.begin(), rest_.end(), text.begin());
  read_more(text, rest_.size());
  if (!recognised_) recognise(text);
  if (text.empty()) return std::nullopt;
  sequence_text part =
      next_.format == sequence_format::fasta ? fasta_part(std::move(text)) : fastq_part(std::move(text));
  next_.begins_file = false;
  part.bytes_read = file_->bytes_read();
  return part;
}

sequence_text sequence_file::fasta_part(std::string text) {
  sequence_text part = next_;
  const std::size_t last_end = text.rfind('\n');
  next_.begins_line = last_end != std::string::npos && last_end + 1 == text.size();
  // What line does the text end in?
  if (last_end != std::string::npos && !next_.begins_line) next_.in_header = text[last_end + 1] == '>';
  else if (last_end == std::string::npos && part.begins_line) next_.in_header = text[0] == '>';
  part.lines = line_ends(text);
  next_.first_line += part.lines;
  part.text = std::move(text);
  return part;
}

sequence_text sequence_file::fastq_part(std::string text) {
  std::uint64_t lines = line_ends(text), whole = lines_of_records(text, lines);
  while (!at_end_ && whole == 0) {
    read_more(text, text.size());
    lines = line_ends(text);
    whole = lines_of_records(text, lines);
  }
  if (at_end_) {
    end_last_record(text, lines);
    whole = lines;
  }
  const std::size_t cut = end_of_lines(text, lines, whole);
  rest_ = text.substr(cut);
  sequence_text part = next_;
  part.lines = whole;
  next_.first_line += part.lines;
  text.resize(cut);
  part.text = std::move(text);
  return part;
}

// The last line may lack its end, and blank lines may follow. Of a record at most one line is blank at its end: the
// qualities of a sequence without bases.
void sequence_file::end_last_record(std::string& text, std::uint64_t& lines) const {
  if (text.back() != '\n') {
    text += '\n';
    ++lines;
  }
  const std::uint64_t blank = blank_lines_at_end(text, text.size());
  const std::uint64_t behind = blank >= lines % 4 ? lines % 4 + (blank - lines % 4) / 4 * 4 : blank;
  drop_last_lines(text, behind);
  lines -= behind;
  if (lines % 4 == 0) return;
  throw apps::user_error(name_ + ": line " + std::to_string(next_.first_line + lines - 1) +
                         ": the file ends inside a record, which has 4 lines");
}

}  // namespace kmers
