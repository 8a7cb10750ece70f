// SPDX-License-Identifier: Apache-2.0
// Unpacks by zlib's inflate, one member after another. zlib's gzread would take a damaged member behind another one for the
// end of the file, and report no error.
#include "packed_file.hpp"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "../common/text.hpp"
#include "../common/user_error.hpp"

namespace kmers {
namespace {

constexpr std::size_t buffer_bytes = 1 << 18;
constexpr int gzip_window = 15 + 16;  // zlib's way to say: gzip, with the largest window

}  // namespace

void packed_file::ender::operator()(z_stream_s* stream) const {
  (void)inflateEnd(stream);
  delete stream;
}

packed_file::packed_file(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)), buffer_(new (std::nothrow) unsigned char[buffer_bytes]) {
  if (buffer_ != nullptr) return;
  ::close(descriptor_);
  throw std::bad_alloc();
}
packed_file::~packed_file() { ::close(descriptor_); }

// Whether so many bytes stand in the buffer, where the file has them.
bool packed_file::has(std::size_t bytes) {
  while (end_ - next_ < bytes) {
    std::memmove(buffer_.get(), buffer_.get() + next_, end_ - next_);
    end_ -= std::exchange(next_, 0);
    const std::size_t got = read_file(buffer_.get() + end_, buffer_bytes - end_);
    if (got == 0) return false;
    end_ += got;
  }
  return true;
}

// Up to `most` bytes of the file itself.
std::size_t packed_file::read_file(void* to, std::size_t most) {
  for (;;) {
    const ssize_t got = ::read(descriptor_, to, most);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw apps::user_error(name_ + ": can't be read: " + std::generic_category().message(errno));
    bytes_read_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }
}

bool packed_file::begins_member() { return has(2) && buffer_[next_] == 0x1F && buffer_[next_ + 1] == 0x8B; }

std::size_t packed_file::read(char* to, std::size_t most) {
  if (form_ == form::unknown) form_ = begins_member() ? form::packed : form::plain;
  if (form_ == form::packed) return unpack(to, most);
  if (next_ == end_) return read_file(to, most);
  const std::size_t bytes = std::min(most, end_ - next_);
  std::memcpy(to, buffer_.get() + next_, bytes);
  next_ += bytes;
  return bytes;
}

std::size_t packed_file::unpack(char* to, std::size_t most) {
  for (;;) {
    if (!in_member_) {
      while (stream_ != nullptr && has(1) && buffer_[next_] == 0) ++next_;
      if (!has(1)) return 0;
      if (!begins_member()) throw apps::user_error(name_ + ": is damaged: its packed data go on with something else");
      if (stream_ != nullptr) {
        (void)inflateReset(stream_.get());
      } else {
        stream_.reset(new z_stream_s{});
        if (inflateInit2(stream_.get(), gzip_window) != Z_OK) throw std::bad_alloc();
      }
      in_member_ = true;
    }
    if (!has(1)) throw apps::user_error(name_ + ": is cut off: its packed data end too early");
    stream_->next_in = buffer_.get() + next_;
    stream_->avail_in = static_cast<unsigned>(end_ - next_);
    stream_->next_out = reinterpret_cast<unsigned char*>(to);
    stream_->avail_out = static_cast<unsigned>(most);
    const int status = inflate(stream_.get(), Z_NO_FLUSH);
    next_ = end_ - stream_->avail_in;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      const char* const reason = stream_->msg == nullptr ? "its packed data mean nothing" : stream_->msg;
      throw apps::user_error(name_ + ": is damaged: " + apps::printable(reason));
    }
    in_member_ = status != Z_STREAM_END;
    const std::size_t bytes = most - stream_->avail_out;
    if (bytes > 0) return bytes;
  }
}

}  // namespace kmers
