// SPDX-License-Identifier: Apache-2.0
// Files of keys, of which each rank reads and writes its own part: no rank has all of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "communicators.hpp"

namespace distributed_sort {

// How many keys of `key_bytes` bytes the file has. Throws apps::user_error where it can't be read, is no regular file, or
// does not end with a whole key.
std::uint64_t keys_in(const std::string& file, std::size_t key_bytes, const std::string& type);

// Reads `bytes` bytes from the offset on; `done` hears now and then how many of them are there. Throws apps::user_error.
void read_part(const std::string& file, std::uint64_t offset, void* to, std::size_t bytes,
               const std::function<void(std::size_t bytes)>& done);

struct part_of_file {
  std::string file;
  std::uint64_t offset = 0;
  const void* from = nullptr;
  std::size_t bytes = 0;
};

// All ranks write their parts of the same files. The files have temporary names until all parts of all of them are written;
// where that fails on any rank, all ranks throw, what was there before stays, and nothing else is left.
void write_parts(host_communicator& ranks, const std::vector<part_of_file>& parts);

// Throws apps::user_error where `file` can't be written.
void check_writable(const std::string& file);

}  // namespace distributed_sort
