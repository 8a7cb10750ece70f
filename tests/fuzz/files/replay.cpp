// SPDX-License-Identifier: Apache-2.0
// The corpus, and damage of many kinds to it, through the programs' readers: the same in every build, so that the sanitizer
// presets see it without clang. ONEPASS_TEST_ROUNDS=N takes N times as many.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "readers.hpp"

namespace {

namespace fs = std::filesystem;

std::vector<std::string> corpus_of(const std::string& reader) {
  std::map<std::string, std::string> files;  // by name, so that seeds mean the same everywhere
  if (!fs::exists(fs::path(ONEPASS_FUZZ_CORPUS) / reader)) return {};
  for (const auto& entry : fs::directory_iterator(fs::path(ONEPASS_FUZZ_CORPUS) / reader)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    files[entry.path().filename().string()] = {std::istreambuf_iterator<char>(stream),
                                               std::istreambuf_iterator<char>()};
  }
  std::vector<std::string> result;
  for (const auto& file : files) result.push_back(file.second);
  return result;
}

class damage {
 public:
  explicit damage(const std::vector<std::string>& corpus) : corpus_(corpus) {}

  std::string next() {
    std::string bytes = corpus_[below(corpus_.size())];
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }

  void change(std::string& bytes) {
    const std::size_t at = below(bytes.size() + 1), length = below(std::min<std::size_t>(bytes.size() - at, 40) + 1);
    switch (below(8)) {
      case 0: bytes.resize(at); break;
      case 1: bytes.erase(at, length); break;
      case 2: bytes.insert(at, bytes.substr(below(bytes.size()), 40)); break;
      case 3: bytes.replace(at, length, token()); break;
      case 4: bytes = bytes.substr(0, at) + other_end(); break;
      case 5:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 6:  // a number of binary data: 0, 1, the most, the least, a NaN
        for (std::size_t i = at; i < std::min(at + 4, bytes.size()); ++i) bytes[i] = static_cast<char>(extreme_);
        extreme_ = static_cast<unsigned char>(random_());
        break;
      default:
        if (at < bytes.size()) bytes[at] = static_cast<char>(random_());
    }
  }

  std::string token() {
    static const char* const tokens[] = {"nan",        "inf",        "-1",
                                         "0",          "1e999",      "-1e-999",
                                         "2147483647", "2147483648", "18446744073709551616",
                                         "1",          " ",          "\n",
                                         "\r",         "\"",         ",",
                                         "%",          "\x1b[31m",   "\xc2\x9b",
                                         "general",    "symmetric",  "ply",
                                         "list",       "element",    "property",
                                         "int",        "double",     "end_header",
                                         "data",       "fmt ",       "RF64"};
    return tokens[below(std::size(tokens))];
  }

  std::string other_end() {
    const std::string& other = corpus_[below(corpus_.size())];
    return other.substr(below(other.size() + 1));
  }

  const std::vector<std::string>& corpus_;
  std::mt19937_64 random_{20240607};
  unsigned char extreme_ = 0xFF;
};

class file_readers : public testing::TestWithParam<file_fuzz::reader> {};

TEST_P(file_readers, corpus_and_damage_to_it) {
  const std::vector<std::string> corpus = corpus_of(GetParam().name);
  if (corpus.empty()) GTEST_SKIP() << "the source tree is not there";
  std::size_t read = 0;
  for (const std::string& bytes : corpus) read += GetParam().read(bytes);
  EXPECT_GE(read, corpus.size() / 3);
  EXPECT_LT(read, corpus.size());

  const char* rounds = std::getenv("ONEPASS_TEST_ROUNDS");
  const std::size_t inputs = 4000 * std::max<std::size_t>(rounds != nullptr ? std::strtoul(rounds, nullptr, 10) : 1, 1);
  damage next(corpus);
  read = 0;
  for (std::size_t i = 0; i < inputs; ++i) read += GetParam().read(next.next());
  EXPECT_GT(read, inputs / 100);
  EXPECT_LT(read, inputs * 9 / 10);
}

INSTANTIATE_TEST_SUITE_P(all, file_readers, testing::ValuesIn(file_fuzz::readers()),
                         [](const auto& what) { return std::string(what.param.name); });

}  // namespace
