// SPDX-License-Identifier: Apache-2.0
// The one file that knows of MPI, in builds that have found one.
#include "process_ranks.hpp"

#include <cstdlib>
#include <string>

#include "../common/user_error.hpp"

#if ONEPASS_HAS_MPI
#include <onepass/mpi.hpp>

#include <chrono>
#include <thread>
#endif

namespace distributed_sort {
namespace {

// What Open MPI, PMIx (also Slurm's), MPICH, Intel MPI, Slurm's PMI 2 and MVAPICH tell each process.
const char* rank_from_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"}) {
    if (const char* const rank = std::getenv(name)) return rank;
  }
  return nullptr;
}

#if ONEPASS_HAS_MPI
class mpi_ranks final : public carried_by<onepass::distributed::mpi_communicator> {
 public:
  mpi_ranks() : carried_by(onepass::distributed::mpi_communicator(MPI_COMM_WORLD)) {
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank(), MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &rank_here_);
    MPI_Comm_size(machine, &ranks_here_);
    MPI_Comm_free(&machine);
  }
  int ranks_on_this_machine() const override { return ranks_here_; }
  int rank_on_this_machine() const override { return rank_here_; }
  // MPI's own barrier, and this library's exchanges, keep a core busy.
  void rest_until_all_are_here() override {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int is_done = 0;;) {
      MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
      if (is_done != 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 private:
  int rank_here_ = 0, ranks_here_ = 1;
};
#endif

}  // namespace

int launched_rank() {
  const char* const rank = rank_from_launcher();
  return rank == nullptr ? 0 : std::atoi(rank);
}

#if ONEPASS_HAS_MPI
mpi_session::mpi_session(int& argc, char**& argv) {
  int provided = 0;
  if (rank_from_launcher() != nullptr) MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
}

mpi_session::~mpi_session() {
  int is_initialized = 0;
  MPI_Initialized(&is_initialized);
  if (is_initialized != 0) MPI_Finalize();
}

std::unique_ptr<host_communicator> process_ranks() {
  if (rank_from_launcher() == nullptr) return nullptr;
  return std::make_unique<mpi_ranks>();
}
#else
mpi_session::mpi_session(int&, char**&) {}

mpi_session::~mpi_session() = default;

std::unique_ptr<host_communicator> process_ranks() {
  if (rank_from_launcher() == nullptr) return nullptr;
  throw apps::user_error("was built without MPI, but started by an MPI's launcher; --ranks N makes N threads ranks");
}
#endif

}  // namespace distributed_sort
