// SPDX-License-Identifier: Apache-2.0
// Reads a file in blocks; writes one under a temporary name that becomes the real one at the end.
#include "whole_file.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "user_error.hpp"

namespace apps {
namespace {

std::ifstream opened(const std::string& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) throw user_error(file + ": is a folder, not a file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw user_error(file + ": can't be opened: " + std::generic_category().message(errno));
  return stream;
}

}  // namespace

void write_whole(const std::string& file, const std::function<void(const std::string& name)>& write) {
  const std::string unfinished = file + ".part";
  std::string reason;
  std::error_code error;
  try {
    write(unfinished);
    std::filesystem::rename(unfinished, file, error);
    if (!error) return;
    reason = error.message();
  } catch (const std::runtime_error& failure) {
    reason = failure.what();
  }
  std::filesystem::remove(unfinished, error);
  throw user_error(file + ": can't be written: " + reason);
}

void check_readable(const std::string& file) { opened(file); }

std::string read_whole(const std::string& file) {
  std::ifstream stream = opened(file);
  std::string bytes;
  std::vector<char> block(1 << 20);
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) || stream.gcount() > 0) {
    bytes.append(block.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) throw user_error(file + ": can't be read");
  return bytes;
}

}  // namespace apps
