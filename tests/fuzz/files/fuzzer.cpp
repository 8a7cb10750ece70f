// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry, for the reader that ONEPASS_FUZZ_READER in the environment names. Built by scripts/fuzz_files, with clang.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "readers.hpp"

namespace {

const file_fuzz::reader& chosen_reader() {
  const char* name = std::getenv("ONEPASS_FUZZ_READER");
  for (const file_fuzz::reader& reader : file_fuzz::readers()) {
    if (name != nullptr && reader.name == std::string(name)) return reader;
  }
  std::fputs("ONEPASS_FUZZ_READER has to be ply, mtx, csv, wav, seq or png\n", stderr);
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const file_fuzz::reader& reader = chosen_reader();
  // A copy whose end AddressSanitizer watches.
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  reader.read(bytes);
  return 0;
}
