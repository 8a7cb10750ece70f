// SPDX-License-Identifier: Apache-2.0
// What the counting does with one byte, one base or one k-mer, on any backend.
#pragma once

#include <onepass/config.hpp>

#include <cstdint>

namespace kmers {

// ---- lines ----------------------------------------------------------------------------------------------------------
// What a byte's line is. FASTQ: how many lines of its record end before the byte.
using line_kind = std::uint8_t;
constexpr line_kind sequence_line = 1, header_line = 2;  // FASTQ's line of + ends a sequence as FASTA's header does

// What byte i says of its line: FASTA, the kind of the line that it begins, else 0; FASTQ, 1 if the byte before ends a line.
struct line_begin {
  const char* text;
  bool fastq;
  line_kind first;  // FASTA: of the first byte

  ONEPASS_HOST_DEVICE line_kind operator()(std::int64_t i) const {
    if (i == 0) return fastq ? line_kind{0} : first;
    if (text[i - 1] != '\n') return 0;
    return !fastq && text[i] == '>' ? header_line : sequence_line;  // both are 1 in FASTQ
  }
};

// The operator whose scan over these is the kind of each byte's line. FASTA: the last line that has begun; it does not
// commute. FASTQ: a sum modulo 4.
struct line_of {
  bool fastq;
  ONEPASS_HOST_DEVICE line_kind operator()(line_kind before, line_kind here) const {
    if (fastq) return static_cast<line_kind>((before + here) & 3);
    return here != 0 ? here : before;
  }
};

struct is_line_end {
  ONEPASS_HOST_DEVICE bool operator()(char c) const { return c == '\n'; }
};

// ---- bases ----------------------------------------------------------------------------------------------------------
// 0 to 3: A, C, G, T. Behind them what breaks a k-mer: another letter, the end of a sequence, and what must not be there.
using base_code = std::uint8_t;
constexpr base_code break_code = 4, wrong_code = 5, no_code = 6;  // no_code: the byte is left out

ONEPASS_HOST_DEVICE inline base_code code_of_letter(char c) {
  switch (c) {
    case 'A':
    case 'a': return 0;
    case 'C':
    case 'c': return 1;
    case 'G':
    case 'g': return 2;
    case 'T':
    case 't': return 3;
    case ' ':
    case '\t':
    case '\r':
    case '\n': return no_code;
    default: break;
  }
  const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '*';
  return letter ? break_code : wrong_code;
}

// The code of byte i: a base's in a line of the sequence, a break where a header begins.
struct code_of_byte {
  const char* text;
  const line_kind* kinds;
  ONEPASS_HOST_DEVICE base_code operator()(std::int64_t i) const {
    if (kinds[i] == sequence_line) return code_of_letter(text[i]);
    return kinds[i] == header_line && (i == 0 || text[i - 1] == '\n') ? break_code : no_code;
  }
};

struct is_code {
  ONEPASS_HOST_DEVICE bool operator()(base_code code) const { return code != no_code; }
};

// 32 bases, the first one in the highest bits, and a bit for each that breaks.
struct base_word {
  std::uint64_t bases;
  std::uint32_t breaks;
  std::uint32_t wrong;  // whether one must not be there
};

struct pack_bases {
  const base_code* codes;
  std::int64_t count;
  base_word* words;
  std::uint8_t* flags;  // whether a word has what must not be there
  ONEPASS_HOST_DEVICE void operator()(std::int64_t w) const {
    base_word word{0, 0, 0};
    for (int j = 0; j < 32; ++j) {
      const base_code code = 32 * w + j < count ? codes[32 * w + j] : break_code;
      const bool breaks = code >= break_code;
      word.bases = word.bases << 2 | (breaks ? 0U : code);
      word.breaks = word.breaks << 1 | (breaks ? 1U : 0U);
      word.wrong |= code == wrong_code ? 1U : 0U;
    }
    words[w] = word;
    flags[w] = static_cast<std::uint8_t>(word.wrong);
  }
};

// ---- k-mers ---------------------------------------------------------------------------------------------------------
// Whether the k bases from i on are bases.
struct is_kmer {
  const base_word* words;
  int k;
  ONEPASS_HOST_DEVICE bool operator()(std::int64_t i) const {
    const std::uint64_t breaks = std::uint64_t{words[i / 32].breaks} << 32 | words[i / 32 + 1].breaks;
    return breaks << (i % 32) >> (64 - k) == 0;
  }
};

ONEPASS_HOST_DEVICE inline std::uint64_t reverse_complement(std::uint64_t code, int k) {
  std::uint64_t x = ~code;  // A and T, and C and G, are each other's complements
  x = (x >> 2 & 0x3333333333333333U) | (x & 0x3333333333333333U) << 2;
  x = (x >> 4 & 0x0F0F0F0F0F0F0F0FU) | (x & 0x0F0F0F0F0F0F0F0FU) << 4;
  x = (x >> 8 & 0x00FF00FF00FF00FFU) | (x & 0x00FF00FF00FF00FFU) << 8;
  x = (x >> 16 & 0x0000FFFF0000FFFFU) | (x & 0x0000FFFF0000FFFFU) << 16;
  x = x >> 32 | x << 32;
  return x >> (64 - 2 * k);
}

// The canonical code of the k bases from i on: the smaller of the k-mer's and of its reverse complement's.
struct kmer_at {
  const base_word* words;
  int k;
  ONEPASS_HOST_DEVICE std::uint64_t operator()(std::int64_t i) const {
    const int shift = static_cast<int>(2 * (i % 32));
    const std::uint64_t next = shift == 0 ? 0 : words[i / 32 + 1].bases >> (64 - shift);
    const std::uint64_t forward = (words[i / 32].bases << shift | next) >> (64 - 2 * k);
    const std::uint64_t backward = reverse_complement(forward, k);
    return forward < backward ? forward : backward;
  }
};

// ---- records of FASTQ -----------------------------------------------------------------------------------------------
// Sets a flag for each record that is none: lines that begin wrongly, or not as many qualities as bases.
struct check_record {
  const char* text;
  const std::int64_t* ends;  // of lines
  std::uint8_t* flags;

  ONEPASS_HOST_DEVICE std::int64_t begin(std::int64_t line) const { return line == 0 ? 0 : ends[line - 1] + 1; }
  ONEPASS_HOST_DEVICE std::int64_t length(std::int64_t line) const {
    const std::int64_t first = begin(line), end = ends[line];
    return end - first - (end > first && text[end - 1] == '\r' ? 1 : 0);
  }
  ONEPASS_HOST_DEVICE void operator()(std::int64_t record) const {
    const std::int64_t line = 4 * record;
    const bool right = text[begin(line)] == '@' && text[begin(line + 2)] == '+' && length(line + 1) == length(line + 3);
    flags[record] = right ? 0 : 1;
  }
};

}  // namespace kmers
