// SPDX-License-Identifier: Apache-2.0
// As docs/distributed.md says: a program with ranks over MPI.
#include <onepass/distributed.hpp>
#include <onepass/mpi.hpp>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    onepass::distributed::mpi_communicator comm(MPI_COMM_WORLD);
    const std::vector<unsigned> keys = {5u, 3u, static_cast<unsigned>(comm.rank())};
    std::vector<unsigned> sorted(3);
    const auto mine =
        onepass::distributed::radix_sort(comm, onepass::cpu(1), keys.begin(), keys.end(), sorted.data(), 3);
    std::printf("rank %d has items %lld to %lld of %lld\n", comm.rank(), static_cast<long long>(mine.offset),
                static_cast<long long>(mine.offset + mine.size), static_cast<long long>(mine.total));
  }
  MPI_Finalize();
}
