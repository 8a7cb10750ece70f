// SPDX-License-Identifier: Apache-2.0
// distributed_sort: sorts keys over several ranks, which are processes, threads, or GPUs.
// Exit status: 0; 1 when the result is wrong or something unforeseen happens; 2 for what the user can mend. It is the same on
// all ranks, and rank 0 alone prints.
#include <exception>
#include <new>

#include "../common/program.hpp"
#include "../common/user_error.hpp"
#include "process_ranks.hpp"
#include "run.hpp"

namespace distributed_sort {
namespace {

// Of ranks whose failures rank 0 reports.
int run_silently(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const apps::user_error&) {
    return 2;
  } catch (const std::bad_alloc&) {
    return 2;
  } catch (const std::exception&) {
    return 1;
  }
}

}  // namespace
}  // namespace distributed_sort

int main(int argc, char** argv) {
  const distributed_sort::mpi_session session(argc, argv);
  if (distributed_sort::launched_rank() > 0) return distributed_sort::run_silently(argc, argv);
  return apps::run_program("distributed_sort", distributed_sort::run, argc, argv);
}
