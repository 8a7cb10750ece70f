// SPDX-License-Identifier: Apache-2.0
// What every program's main() does: runs, and turns what went wrong into one line and an exit status.
#pragma once

#include <exception>
#include <iostream>
#include <new>

#include "user_error.hpp"

namespace apps {

// The status of run(argc, argv): by convention 0, or 1 when results differ from the peers'. 2 for what the user can mend, 1
// for anything unforeseen.
template <class Run>
int run_program(const char* name, Run run, int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const user_error& error) {
    std::cerr << name << ": " << error.what() << "\n";
    return 2;
  } catch (const std::bad_alloc&) {
    std::cerr << name << ": not enough memory for an input of this size\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << "\n";
    return 1;
  }
}

}  // namespace apps
