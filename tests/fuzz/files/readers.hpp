// SPDX-License-Identifier: Apache-2.0
// The programs' readers as functions of a file's bytes, for any bytes at all.
#pragma once

#include <string_view>
#include <vector>

namespace file_fuzz {

struct reader {
  const char* name;  // also of its folder in corpus/
  // Reads, and checks what every file that was read promises; false where the reader refused the bytes. A broken promise
  // ends the program, as a crash does.
  bool (*read)(std::string_view bytes);
};

const std::vector<reader>& readers();

}  // namespace file_fuzz
