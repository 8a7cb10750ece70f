// SPDX-License-Identifier: Apache-2.0
// Reads files one after another in parts, each part while the one before it is worked on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sequence_file.hpp"

namespace kmers {

class part_reader {
 public:
  // Begins to read the first part.
  part_reader(const std::vector<std::string>& files, std::size_t part_bytes) : files_(files), part_bytes_(part_bytes) {
    read_ahead({});
  }
  ~part_reader() {
    if (reading_.valid()) reading_.wait();
  }
  part_reader(const part_reader&) = delete;
  part_reader& operator=(const part_reader&) = delete;

  // Waits for the next part, of which `bytes_read` counts the bytes of all files up to here; nothing behind the last one.
  // Throws as sequence_file does, and cannot be used any more then.
  std::optional<sequence_text> take() { return reading_.get(); }

  // Begins to read the part behind the last one that was taken, into the memory of `spare`.
  void read_ahead(std::string spare) {
    reading_ =
        std::async(std::launch::async, [this, memory = std::move(spare)]() mutable { return read(std::move(memory)); });
  }

 private:
  std::optional<sequence_text> read(std::string memory) {
    for (; next_ < files_.size(); ++next_) {
      if (!file_) file_.emplace(files_[next_], part_bytes_);
      if (std::optional<sequence_text> part = file_->next(std::move(memory))) {
        file_bytes_ = part->bytes_read;
        part->bytes_read += before_;
        return part;
      }
      file_.reset();
      before_ += std::exchange(file_bytes_, 0);
    }
    return std::nullopt;
  }

  const std::vector<std::string>& files_;
  std::size_t part_bytes_, next_ = 0;
  std::optional<sequence_file> file_;          // files_[next_], once it is open
  std::uint64_t before_ = 0, file_bytes_ = 0;  // read of the files before it, and of it
  std::future<std::optional<sequence_text>> reading_;
};

}  // namespace kmers
