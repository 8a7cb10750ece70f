// SPDX-License-Identifier: Apache-2.0
// Reads and writes at offsets, in pieces.
#include "key_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"
#include "agreement.hpp"

namespace distributed_sort {
namespace {

constexpr std::size_t piece = std::size_t{1} << 26;  // bytes of one call of the system, which takes no more than 2 GiB

[[noreturn]] void fail(const std::string& file, const char* what, int reason) {
  throw apps::user_error(file + ": " + what + ": " + std::generic_category().message(reason));
}

class open_file {
 public:
  open_file(const std::string& file, int flags) : number_(open(file.c_str(), flags | O_CLOEXEC | O_NOCTTY)) {}
  ~open_file() {
    if (number_ >= 0) ::close(number_);
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  bool is_open() const { return number_ >= 0; }
  int get() const { return number_; }
  bool close() {
    const int number = number_;
    number_ = -1;
    return ::close(number) == 0;
  }

 private:
  int number_;
};

// `file` is what messages call it.
void write_part(const std::string& name, const std::string& file, const part_of_file& part) {
  open_file to(name, O_WRONLY);
  if (!to.is_open()) fail(file, "can't be written", errno);
  const char* const from = static_cast<const char*>(part.from);
  for (std::size_t done = 0; done < part.bytes;) {
    const ssize_t written =
        pwrite(to.get(), from + done, std::min(piece, part.bytes - done), static_cast<off_t>(part.offset + done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(file, "can't be written", errno);
    done += static_cast<std::size_t>(written);
  }
  if (!to.close()) fail(file, "can't be written", errno);
}

struct file_name {
  char text[4096] = {};
};

}  // namespace

std::uint64_t keys_in(const std::string& file, std::size_t key_bytes, const std::string& type) {
  const open_file from(file, O_RDONLY | O_NONBLOCK);  // a pipe without a writer is no reason to wait
  if (!from.is_open()) fail(file, "can't be opened", errno);
  struct stat found {};
  if (fstat(from.get(), &found) != 0) fail(file, "can't be read", errno);
  if (S_ISDIR(found.st_mode)) throw apps::user_error(file + ": is a folder");
  if (!S_ISREG(found.st_mode))
    throw apps::user_error(file + ": is no regular file, of which each rank could read a part");
  const auto bytes = static_cast<std::uint64_t>(found.st_size);
  if (bytes % key_bytes != 0) {
    throw apps::user_error(file + ": has " + std::to_string(bytes) +
                           " bytes, which is no whole number of keys of type " + type + ", of " +
                           std::to_string(key_bytes) + " bytes each");
  }
  return bytes / key_bytes;
}

void read_part(const std::string& file, std::uint64_t offset, void* to, std::size_t bytes,
               const std::function<void(std::size_t)>& done) {
  const open_file from(file, O_RDONLY);
  if (!from.is_open()) fail(file, "can't be opened", errno);
  for (std::size_t read = 0; read < bytes; done(read)) {
    const ssize_t got = pread(from.get(), static_cast<char*>(to) + read, std::min(piece, bytes - read),
                              static_cast<off_t>(offset + read));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(file, "can't be read", errno);
    if (got == 0) throw apps::user_error(file + ": has become shorter while it was read");
    read += static_cast<std::size_t>(got);
  }
}

void write_parts(host_communicator& ranks, const std::vector<part_of_file>& parts) {
  std::vector<std::unique_ptr<apps::unfinished_file>> files;  // rank 0 has them
  std::vector<file_name> names(parts.size());
  all_do(ranks, [&] {
    for (std::size_t i = 0; i < parts.size() && ranks.rank() == 0; ++i) {
      files.push_back(std::make_unique<apps::unfinished_file>(parts[i].file));
      const std::string& name = files.back()->name();
      if (name.size() >= sizeof names[i].text) fail(parts[i].file, "can't be written", ENAMETOOLONG);
      std::memcpy(names[i].text, name.c_str(), name.size() + 1);
    }
  });
  for (file_name& name : names) name = gathered(ranks, name).front();
  all_do(ranks, [&] {
    for (std::size_t i = 0; i < parts.size(); ++i) write_part(names[i].text, parts[i].file, parts[i]);
  });
  all_do(ranks, [&] {
    for (const auto& file : files) file->finish();
  });
}

void check_writable(const std::string& file) { const apps::unfinished_file trial(file); }

}  // namespace distributed_sort
