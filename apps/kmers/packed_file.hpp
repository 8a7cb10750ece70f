// SPDX-License-Identifier: Apache-2.0
// Reads a file from its begin to its end, as it is or, where it is packed by gzip, unpacked. A packed file may have several
// members (RFC 1952, 2.2), as bgzip writes them and `cat` makes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

struct z_stream_s;

namespace kmers {

class packed_file {
 public:
  // Closes the descriptor at the end. `name` is for messages.
  packed_file(int descriptor, std::string name);
  ~packed_file();
  packed_file(const packed_file&) = delete;
  packed_file& operator=(const packed_file&) = delete;

  // Up to `most` bytes, at least one; 0 at the end. Throws apps::user_error, naming the file, where it can't be read, is
  // damaged or cut off. Behind a member only another one may stand, and zeros, with which tapes are filled up.
  std::size_t read(char* to, std::size_t most);
  // How many bytes of the file itself have been read.
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  struct ender {
    void operator()(z_stream_s* stream) const;
  };
  enum class form { unknown, plain, packed };

  bool has(std::size_t bytes);
  std::size_t read_file(void* to, std::size_t most);
  bool begins_member();
  std::size_t unpack(char* to, std::size_t most);

  int descriptor_;
  std::string name_;
  form form_ = form::unknown;
  std::unique_ptr<z_stream_s, ender> stream_;
  bool in_member_ = false;
  std::unique_ptr<unsigned char[]> buffer_;
  std::size_t next_ = 0, end_ = 0;  // of the buffer's bytes that have not been used
  std::uint64_t bytes_read_ = 0;
};

}  // namespace kmers
