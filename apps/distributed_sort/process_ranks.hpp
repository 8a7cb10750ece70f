// SPDX-License-Identifier: Apache-2.0
// Ranks that are processes, over MPI. A program that no launcher has started never touches MPI.
#pragma once

#include <memory>

#include "communicators.hpp"

namespace distributed_sort {

// From begin to end of the program. Begins MPI where an MPI's launcher (mpirun, srun) has started this process.
class mpi_session {
 public:
  mpi_session(int& argc, char**& argv);
  ~mpi_session();  // waits for the other processes
  mpi_session(const mpi_session&) = delete;
  mpi_session& operator=(const mpi_session&) = delete;
};

// Which of the launcher's processes this is; 0 where there is no launcher.
int launched_rank();

// A communicator of all processes, or null where no launcher has started this one. Throws apps::user_error where one has,
// and this program was built without MPI. To be destroyed before the session.
std::unique_ptr<host_communicator> process_ranks();

}  // namespace distributed_sort
