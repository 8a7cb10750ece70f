// SPDX-License-Identifier: Apache-2.0
// Memory of the backend for one case: blocks between guards that nobody may write to (under AddressSanitizer nobody may read
// them either), poisoned when they are made.
#pragma once

#include <memory>
#include <stdexcept>

#include "../support/backend.hpp"
#include "values.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define ONEPASS_FUZZ_POISON(begin, bytes) ASAN_POISON_MEMORY_REGION(begin, bytes)
#define ONEPASS_FUZZ_UNPOISON(begin, bytes) ASAN_UNPOISON_MEMORY_REGION(begin, bytes)
#else
#define ONEPASS_FUZZ_POISON(begin, bytes) (void)0
#define ONEPASS_FUZZ_UNPOISON(begin, bytes) (void)0
#endif

namespace fuzz {

#if ONEPASS_HAS_CUDA
using backend = test::cuda_backend;
#else
using backend = test::cpu_backend;
#endif
constexpr bool on_device = backend::on_device;
constexpr unsigned char poison = 0xA5;

// Something came out as it must not.
struct difference : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// On the device blocks are cut from one piece of memory, as getting some takes longer than a call.
class device_slab {
 public:
  static unsigned char* take(std::size_t bytes) {
    static unsigned char* const all = static_cast<unsigned char*>(backend::memory().allocate(size));
    unsigned char* const block = all + used();
    used() += (bytes + 255) / 256 * 256;
    if (used() > size) throw std::runtime_error("a case needs more device memory than there is for it");
    return block;
  }
  static void clear() { used() = 0; }
  // All blocks that there are, as they are now, and again so later.
  class copy {
   public:
    copy() : bytes_(used()), copy_(take(bytes_)) { backend::memory().copy(copy_, copy_ - bytes_, bytes_); }
    void restore() const { backend::memory().copy(copy_ - bytes_, copy_, bytes_); }

   private:
    std::size_t bytes_;
    unsigned char* copy_;
  };

 private:
  static constexpr std::size_t size = std::size_t{1} << 30;
  static std::size_t& used() {
    static std::size_t bytes = 0;
    return bytes;
  }
};

class block {
  static constexpr std::size_t guard_bytes = 512;

 public:
  // Room for `bytes` bytes, `shift` bytes behind an address that any type may have.
  block(std::string name, std::size_t bytes, std::size_t shift)
      : name_(std::move(name)), bytes_(bytes), before_(guard_bytes + shift), all_(before_ + bytes + guard_bytes) {
    memory_ = on_device ? device_slab::take(all_) : static_cast<unsigned char*>(backend::memory().allocate(all_));
    backend::memory().fill(memory_, poison, all_);
    ONEPASS_FUZZ_POISON(memory_, before_);
    ONEPASS_FUZZ_POISON(memory_ + before_ + bytes_, guard_bytes);
  }
  block(const block&) = delete;
  block& operator=(const block&) = delete;
  ~block() {
    ONEPASS_FUZZ_UNPOISON(memory_, all_);
    if (!on_device) backend::memory().release(memory_);
  }

  unsigned char* data() const { return memory_ + before_; }
  std::size_t bytes() const { return bytes_; }
  void store(const void* from) const {
    if (bytes_ > 0) backend::memory().copy(data(), from, bytes_);
  }
  void load(void* to) const {
    if (bytes_ > 0) backend::memory().copy(to, data(), bytes_);
  }
  void check_guards() const {
    ONEPASS_FUZZ_UNPOISON(memory_, all_);
    std::unique_ptr<unsigned char[]> bytes(new unsigned char[all_]);
    backend::memory().copy(bytes.get(), memory_, all_);
    for (std::size_t i = 0; i < all_; ++i) {
      if (i == before_) i += bytes_;
      if (i < all_ && bytes[i] != poison) {
        throw difference(name_ + ": written outside, at byte " +
                         std::to_string(static_cast<long long>(i) - static_cast<long long>(before_)) + " of " +
                         std::to_string(bytes_));
      }
    }
  }

 private:
  std::string name_;
  std::size_t bytes_, before_, all_;
  unsigned char* memory_;
};

}  // namespace fuzz
