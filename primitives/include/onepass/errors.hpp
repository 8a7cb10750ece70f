// SPDX-License-Identifier: Apache-2.0
// onepass/errors.hpp: the exceptions that calls throw. Each names the call, or what the call uses for its work (cpu,
// allocate, workspace), and the argument that is wrong. All are thrown before any result is written, except cuda_error,
// which reports an error of the CUDA runtime.
#pragma once

#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>

#include "config.hpp"

namespace onepass {

// A wrong argument: "onepass::inclusive_scan: last is before first".
class invalid_argument : public std::invalid_argument {
 public:
  invalid_argument(const char* call, const std::string& what)
      : std::invalid_argument(std::string("onepass::") + call + ": " + what) {}
};

// An error of the CUDA runtime, with its own text: "onepass::inclusive_scan: an illegal memory access was encountered".
class cuda_error : public std::runtime_error {
 public:
  cuda_error(const char* call, int code, const char* text)
      : std::runtime_error(std::string("onepass::") + call + ": " + text), code_(code) {}
  // The cudaError_t.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

// There was no memory for a call: for its workspace, or of the host for a count. Input and output are untouched. `call`
// is a string literal.
class bad_alloc : public std::bad_alloc {
 public:
  explicit bad_alloc(const char* call) noexcept : call_(call) {
    std::snprintf(what_, sizeof what_, "onepass::%s: out of memory for the workspace", call);
  }
  const char* what() const noexcept override { return what_; }
  // The name of the call that asked.
  const char* call() const noexcept { return call_; }

 private:
  const char* call_;
  char what_[96];  // no string: there is no memory
};

}  // namespace onepass
