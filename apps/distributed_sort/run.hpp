// SPDX-License-Identifier: Apache-2.0
// The program: reads its command line on every rank, makes the ranks, and sorts.
#pragma once

namespace distributed_sort {

// Returns the exit status. In a process that a launcher has started, the other processes run it, too.
int run(int argc, char** argv);

}  // namespace distributed_sort
