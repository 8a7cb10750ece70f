// SPDX-License-Identifier: Apache-2.0
// Reads and writes through the system's own calls, whose reasons for a failure are the ones to report.
#include "whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "text.hpp"
#include "user_error.hpp"

namespace apps {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& file, const char* what, int reason) {
  throw user_error(file + ": " + what + ": " + std::generic_category().message(reason));
}

class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&&) = delete;
  ~descriptor() {
    if (number_ > STDERR_FILENO) ::close(number_);
  }
  int get() const { return number_; }
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

// 0, or the reason why not all was written.
int write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(to, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// What stands at `file`, behind all symbolic links; nothing where nothing does.
std::optional<struct stat> found_at(const std::string& file) {
  struct stat found {};
  return stat(file.c_str(), &found) == 0 ? std::optional(found) : std::nullopt;
}

std::optional<struct stat> found_at(int descriptor) {
  struct stat found {};
  return fstat(descriptor, &found) == 0 ? std::optional(found) : std::nullopt;
}

bool same(const std::optional<struct stat>& a, const std::optional<struct stat>& b) {
  return a && b && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// The name behind all symbolic links, also where the last one names a file that isn't there yet.
fs::path behind_links(const std::string& file) {
  constexpr int most_links = 40;  // as the system has it
  fs::path name = file;
  std::error_code error;
  for (int link = 0; fs::is_symlink(fs::symlink_status(name, error)); ++link) {
    if (link == most_links) fail(file, "can't be written", ELOOP);
    name = name.parent_path() / fs::read_symlink(name, error);  // an absolute one replaces the folder
    if (error) fail(file, "can't be written", error.value());
  }
  return name;
}

void write_as_it_stands(const std::string& file, std::string_view bytes) {
  descriptor to(open(file.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (to.get() < 0) fail(file, "can't be written", errno);
  const int reason = write_all(to.get(), bytes);
  if (reason != 0) fail(file, "can't be written", reason);
  if (!to.close()) fail(file, "can't be written", errno);
}

void write_and_rename(const std::string& file, std::string_view bytes) {
  unfinished_file to(file);
  const int reason = write_all(to.descriptor(), bytes);
  if (reason != 0) fail(file, "can't be written", reason);
  to.finish();
}

void write_standard_output(std::string_view bytes) {
  if (isatty(STDOUT_FILENO) == 1 && bytes.find('\0') != std::string_view::npos) {
    throw user_error("standard output: is a terminal, and this is no text");
  }
  const int reason = write_all(STDOUT_FILENO, bytes);
  if (reason != 0) fail("standard output", "can't be written", reason);
}

}  // namespace

unfinished_file::unfinished_file(const std::string& file) : file_(file), target_(behind_links(file).string()) {
  const std::optional<struct stat> before = found_at(file);
  if (before && S_ISDIR(before->st_mode)) fail(file, "can't be written", EISDIR);
  if (before && !S_ISREG(before->st_mode)) throw user_error(file + ": can't be written: is no regular file");
  // Renaming asks the folder alone, and would replace a file that nobody may write.
  if (before && access(target_.c_str(), W_OK) != 0) fail(file, "can't be written", errno);
  for (int number = 0; descriptor_ < 0; ++number) {  // until nobody else has a file of this name
    name_ = (fs::path(target_).parent_path() /
             (".onepass." + std::to_string(getpid()) + "." + std::to_string(number) + ".part"))
                .string();
    descriptor_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) fail(file, "can't be written", errno);
  }
}

unfinished_file::~unfinished_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!is_finished_) unlink(name_.c_str());
}

void unfinished_file::finish() {
  const std::optional<struct stat> before = found_at(file_);
  int reason = 0;
  if (before) {
    // Who may not give files away keeps this one; its owner comes first, as that clears permissions.
    if (fchown(descriptor_, before->st_uid, before->st_gid) != 0) errno = 0;
    if (fchmod(descriptor_, before->st_mode & 07777) != 0) reason = errno;
  }
  if (::close(std::exchange(descriptor_, -1)) != 0 && reason == 0) reason = errno;
  if (reason == 0 && rename(name_.c_str(), target_.c_str()) != 0) reason = errno;
  if (reason != 0) fail(file_, "can't be written", reason);
  is_finished_ = true;
}

bool is_standard_output(const std::string& file) {
  if (file == "-") return true;
  const std::optional<struct stat> found = found_at(file);
  return found && !S_ISCHR(found->st_mode) && same(found, found_at(STDOUT_FILENO));
}

void write_whole(const std::string& file, std::string_view bytes) {
  if (is_standard_output(file)) return write_standard_output(bytes);
  const std::optional<struct stat> before = found_at(file);
  if (before && S_ISDIR(before->st_mode)) fail(file, "can't be written", EISDIR);
  if (before && !S_ISREG(before->st_mode)) return write_as_it_stands(file, bytes);
  write_and_rename(file, bytes);
}

void refuse_same_file(const std::string& option, const std::string& output, const std::string& other) {
  if (output == "-") return;
  const std::optional<struct stat> one = found_at(output),
                                   two = other == "-" ? found_at(STDIN_FILENO) : found_at(other);
  const auto place = [](const std::string& file) { return fs::weakly_canonical(fs::absolute(behind_links(file))); };
  const bool one_file = one ? S_ISREG(one->st_mode) && same(one, two) : !two && place(output) == place(other);
  if (one_file) throw user_error(option + ": " + output + " would overwrite " + input_name(other));
}

void refuse_unwritable(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (file.empty() || is_standard_output(file)) continue;
    const std::optional<struct stat> found = found_at(file);
    if (!found || S_ISREG(found->st_mode) || S_ISDIR(found->st_mode)) const unfinished_file trial(file);
  }
}

void refuse_same_files(const std::vector<std::pair<std::string, std::string>>& outputs,
                       const std::vector<std::string>& inputs) {
  for (auto one = outputs.begin(); one != outputs.end(); ++one) {
    const auto& [option, file] = *one;
    if (file.empty()) continue;
    for (const std::string& input : inputs) refuse_same_file(option, file, input);
    for (auto other = outputs.begin(); other != one; ++other) {
      if (other->second.empty()) continue;
      if (file == other->second || (is_standard_output(file) && is_standard_output(other->second)))
        throw user_error(option + ": " + file + " is what " + other->first + " writes, too");
      refuse_same_file(option, file, other->second);
    }
  }
}

std::string read_whole(const std::string& file) {
  const std::string name = input_name(file);
  const descriptor from(file == "-" ? STDIN_FILENO : open(file.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC));
  if (from.get() < 0) fail(name, "can't be opened", errno);
  const std::optional<struct stat> found = found_at(from.get());
  if (found && S_ISDIR(found->st_mode)) throw user_error(name + ": is a folder, not a file");
  std::string bytes;
  constexpr std::size_t block = 1 << 20;
  if (found && S_ISREG(found->st_mode)) bytes.reserve(static_cast<std::size_t>(found->st_size) + block);
  for (std::size_t size = 0;;) {
    bytes.resize(size + block);
    const ssize_t got = ::read(from.get(), bytes.data() + size, block);
    if (got < 0 && errno != EINTR) fail(name, "can't be read", errno);
    size += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    bytes.resize(size);
    if (got == 0) return bytes;
  }
}

std::string input_name(const std::string& file) { return file == "-" ? "standard input" : file; }

std::string input_title(const std::string& file) { return fs::path(input_name(file)).filename().string(); }

void make_folder(const std::string& option, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder)) {
    throw user_error(option + ": " + folder + ": can't be made a folder" + (error ? ": " + error.message() : ""));
  }
}

std::string frame_name(const std::string& folder, int frame) {
  return (std::filesystem::path(folder) / formatted("frame_%04d.png", frame)).string();
}

}  // namespace apps
