// SPDX-License-Identifier: Apache-2.0
// The one exception for what the person at the keyboard can put right: a wrong option, a missing or broken file, a
// folder that can't be written, no GPU where one was asked for. main() prints its text as one line and exits with 2.
#pragma once

#include <stdexcept>
#include <string>

namespace apps {

struct user_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace apps
