// SPDX-License-Identifier: Apache-2.0
// Standard streams and exit status.
#include "program.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string_view>

#include "text.hpp"
#include "user_error.hpp"
#include "whole_file.hpp"

namespace apps {
namespace {

// A closed standard stream's number would go to the next file that is opened, and what is printed into that file.
void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // For the wrong direction, so that to use it fails as before.
    if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

int failed(const char* name, const char* what, int status) {
  std::cerr << name << ": " << escaped(what) << "\n";
  return status;
}

}  // namespace

int run_program(const char* name, int (*run)(int argc, char** argv), int argc, char** argv) {
  const bool silent = fcntl(STDOUT_FILENO, F_GETFD) == -1;
  occupy_standard_streams();
  try {
    if (silent) throw user_error("standard output is closed");
    return run(argc, argv);
  } catch (const user_error& error) {
    return failed(name, error.what(), 2);
  } catch (const std::bad_alloc&) {
    return failed(name, "not enough memory for an input of this size", 2);
  } catch (const std::length_error&) {  // more than any memory
    return failed(name, "not enough memory for an input of this size", 2);
  } catch (const std::exception& error) {
    return failed(name, error.what(), 1);
  }
}

void print_report(const std::string& text, bool result_on_standard_output) {
  std::string safe;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    safe += escaped(std::string_view(text).substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  if (result_on_standard_output) std::cerr << safe;
  else write_whole("-", safe);
}

}  // namespace apps
