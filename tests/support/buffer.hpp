// SPDX-License-Identifier: Apache-2.0
// Memory of a backend with guard zones at both ends. All of it is poisoned when it is made; the guards are checked
// when it goes, so a test that uses a buffer checks for stray writes without saying so.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "backend.hpp"

namespace test {

constexpr unsigned char poison = 0xA5;

template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T>, "a buffer holds bytes that can be copied between systems");
  static constexpr std::size_t guard_bytes = 512;  // keeps the alignment of the allocation

 public:
  // `shift`: how many times alignof(T) data() lies behind an address that is aligned for all types. An odd one makes a
  // pointer that is aligned for T only: to a struct of chars, at an odd address.
  template <class Backend>
  buffer(const Backend&, std::size_t size, std::size_t shift = 0)
      : system_(&Backend::memory()),
        size_(size),
        before_(guard_bytes + shift * alignof(T)),
        bytes_(before_ + size * sizeof(T) + guard_bytes),
        memory_(static_cast<unsigned char*>(system_->allocate(bytes_))) {
    poison_all();
  }
  template <class Backend>
  buffer(const Backend& backend, const std::vector<T>& values, std::size_t shift = 0)
      : buffer(backend, values.size(), shift) {
    assign(values);
  }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  ~buffer() {
    // Memory that an asynchronous error made unreadable is for that error's own report.
    try {
      EXPECT_TRUE(guards_intact()) << "written outside the range of " << size_ << " items";
    } catch (const std::exception& error) {
      ADD_FAILURE() << "cannot check the guards: " << error.what();
    }
    system_->release(memory_);
  }

  T* data() const { return reinterpret_cast<T*>(memory_ + before_); }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }
  std::size_t size() const { return size_; }

  void assign(const std::vector<T>& values) const {
    const std::size_t count = std::min(size_, values.size());
    if (count > 0) system_->copy(data(), values.data(), count * sizeof(T));
  }
  void poison_all() const { system_->fill(memory_, poison, bytes_); }

  std::vector<T> to_host() const { return to_host(size_); }
  std::vector<T> to_host(std::size_t count) const {
    std::vector<T> values(count);
    if (count > 0) system_->copy(static_cast<void*>(values.data()), data(), count * sizeof(T));
    return values;
  }

  bool guards_intact() const {
    return poisoned(memory_, before_) && poisoned(memory_ + before_ + size_ * sizeof(T), guard_bytes);
  }
  // Whether the items from `first` on are as they were made.
  bool untouched(std::size_t first = 0) const { return poisoned(data() + first, (size_ - first) * sizeof(T)); }

 private:
  bool poisoned(const void* from, std::size_t count) const {
    std::vector<unsigned char> bytes(count);
    if (count > 0) system_->copy(bytes.data(), from, count);
    return std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte == poison; });
  }

  const memory_system* system_;
  std::size_t size_, before_, bytes_;
  unsigned char* memory_;
};

}  // namespace test
