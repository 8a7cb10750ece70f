// SPDX-License-Identifier: Apache-2.0
// Files that are there whole or not at all, to write and to read.
#pragma once

#include <functional>
#include <string>

namespace apps {

// Calls write(name) with a temporary name beside `file`, and renames what it wrote. When that fails, or `write` throws
// a std::runtime_error, a user_error says "<file>: can't be written: <reason>", and nothing is left behind.
void write_whole(const std::string& file, const std::function<void(const std::string& name)>& write);

// Throws user_error, naming `file`, where it can't be opened.
void check_readable(const std::string& file);

// All bytes of `file`. Throws user_error, naming it, where it can't be read.
std::string read_whole(const std::string& file);

}  // namespace apps
