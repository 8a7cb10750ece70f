// SPDX-License-Identifier: Apache-2.0
// What every program's main() does: runs, and turns what went wrong into one line and an exit status.
#pragma once

#include <string>

namespace apps {

// The status of run(argc, argv): by convention 0, or 1 when results differ from the peers'. 2 for what the user can mend, 1
// for anything unforeseen. A run that throws, or begins with standard output closed, prints one line on standard error,
// in which bytes that would steer a terminal are escaped.
int run_program(const char* name, int (*run)(int argc, char** argv), int argc, char** argv);

// Prints a program's report, its lines escaped in the same way: on standard output, or on standard error where a result
// went to standard output. Throws user_error with the system's reason where that can't be written.
void print_report(const std::string& text, bool result_on_standard_output = false);

}  // namespace apps
