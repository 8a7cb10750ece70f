// SPDX-License-Identifier: Apache-2.0
// Chooses where ranks run, and what carries data between them. A CUDA build compiles this file with nvcc.
#include "run.hpp"

#include <onepass/cuda_thread_ranks.hpp>
#include <onepass/nccl.hpp>
#include <onepass/thread_ranks.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>

#include "../common/program.hpp"
#include "agreement.hpp"
#include "job.hpp"
#include "key_file.hpp"
#include "process_ranks.hpp"
#include "report.hpp"

namespace distributed_sort {
namespace {

namespace od = onepass::distributed;

// The cores that this process may use, or its part of the machine's if that is less.
int threads_of(const options& wanted, const host_communicator& ranks) {
  if (wanted.threads > 0) return wanted.threads;
  const int own = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return std::max(1, std::min(own, cores / ranks.ranks_on_this_machine()));
}

// work(Key{}) for the type that was asked for.
template <class Work>
auto with_key_type(key_type type, Work work) {
  switch (type) {
    case key_type::u32: return work(std::uint32_t{});
    case key_type::u64: return work(std::uint64_t{});
    case key_type::i32: return work(std::int32_t{});
    case key_type::i64: return work(std::int64_t{});
    case key_type::f32: return work(float{});
    case key_type::f64: break;
  }
  return work(double{});
}

// The number of all keys; the same on all ranks.
std::uint64_t total_keys(const options& wanted, host_communicator& ranks) {
  std::uint64_t total = wanted.generate.value_or(keys_of_a_rank * static_cast<std::uint64_t>(ranks.size()));
  all_do(ranks, [&] {
    if (wanted.input.empty()) return;
    total = keys_in(wanted.input, bytes_of(wanted.type), name_of(wanted.type));
  });
  const std::uint64_t first = gathered(ranks, total).front();
  all_do(ranks, [&] {
    if (total != first) throw apps::user_error(wanted.input + ": is another file than on rank 0");
  });
  return total;
}

// Sorts by sort_on_cpu or sort_on_cuda, and lets rank 0 print. Returns the exit status.
template <class Sort>
int sort_and_report(const options& wanted, host_communicator& ranks, const std::string& ranks_are, Sort sort) {
  const job what{wanted, ranks, ranks_are, total_keys(wanted, ranks), threads_of(wanted, ranks)};
  const report found = with_key_type(wanted.type, [&](auto key) { return sort(key, what); });
  all_do(ranks, [&] {
    if (ranks.rank() != 0) return;
    std::ostringstream out;
    print_report(out, what, found);
    apps::print_report(out.str());
  });
  return found.all_hold() ? 0 : 1;
}

int sort_with_cpu(const options& wanted, host_communicator& ranks, const std::string& ranks_are) {
  return sort_and_report(wanted, ranks, ranks_are,
                         [&](auto key, const job& what) { return sort_on_cpu<decltype(key)>(what, ranks); });
}

#if ONEPASS_HAS_CUDA
int sort_with_cuda(const options& wanted, host_communicator& ranks, device_communicator& carrier,
                   const std::string& ranks_are) {
  return sort_and_report(wanted, ranks, ranks_are,
                         [&](auto key, const job& what) { return sort_on_cuda<decltype(key)>(what, carrier); });
}

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}
int devices_here() {
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  return devices;
}

// Makes a GPU this process's own: the one with its number on the machine, of those that it sees. Returns whether all ranks
// have one that no other rank has, which NCCL wants.
bool takes_own_gpu(host_communicator& ranks) {
  struct gpu {
    char id[16];
    bool is_there;
  };
  gpu mine{};
  all_do(ranks, [&] {
    if (!apps::why_no_cuda().empty()) return;
    const int device = ranks.rank_on_this_machine() % devices_here();
    cudaDeviceProp properties{};
    check(cudaSetDevice(device), "cudaSetDevice");
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    std::memcpy(mine.id, &properties.uuid, sizeof mine.id);
    mine.is_there = true;
  });
  const std::vector<gpu> all = gathered(ranks, mine);
  for (auto one = all.begin(); one != all.end(); ++one) {
    if (!one->is_there) return false;
    for (auto other = all.begin(); other != one; ++other) {
      if (std::memcmp(one->id, other->id, sizeof one->id) == 0) return false;
    }
  }
  return true;
}

// A communicator of processes with a GPU each; null where `auto` has to be content with the CPU.
std::unique_ptr<device_communicator> gpus_of_processes(const options& wanted, host_communicator& ranks) {
  const bool is_asked = wanted.backend == apps::backend_kind::cuda;
  const bool have_gpus = takes_own_gpu(ranks);
  const std::string missing = have_gpus ? od::missing_nccl() : "";
  const std::vector<char> lack = gathered(ranks, static_cast<char>(!missing.empty()));
  const bool have_nccl = std::none_of(lack.begin(), lack.end(), [](char one) { return one != 0; });
  if (!is_asked && (!have_gpus || !have_nccl)) return nullptr;
  all_do(ranks, [&] {
    apps::chosen_backend(wanted.backend);  // says why there is no GPU
    if (!have_gpus) throw apps::user_error("--backend cuda: not every rank has a GPU of its own, which NCCL wants");
    if (!missing.empty()) throw apps::user_error("--backend cuda: no NCCL: " + missing);
  });
  od::nccl_id id{};
  all_do(ranks, [&] {
    if (ranks.rank() == 0) id = od::make_nccl_id();
  });
  id = gathered(ranks, id).front();
  std::unique_ptr<device_communicator> carrier;
  all_do(ranks, [&] {
    onepass::communicator_options limits;
    limits.deadline = std::chrono::minutes(5);
    carrier = std::make_unique<carried_by_gpus<od::nccl_communicator>>(
        od::nccl_communicator(id, ranks.size(), ranks.rank(), limits));
  });
  return carrier;
}

// Threads, the GPUs of this machine dealt out to them; they share GPUs where there are fewer.
int run_threads_with_gpus(const options& wanted) {
  const int gpus = devices_here();
  std::vector<int> devices;
  for (int rank = 0; rank < wanted.ranks; ++rank) devices.push_back(rank % gpus);
  const std::string are = "threads, with " + std::to_string(std::min(gpus, wanted.ranks)) +
                          (std::min(gpus, wanted.ranks) == 1 ? " GPU" : " GPUs");
  const od::thread_ranks hosts(wanted.ranks);
  std::atomic<int> status{0};
  od::run_cuda_ranks(devices, [&](od::cuda_thread_communicator& comm) {
    carried_by_threads<od::thread_communicator> ranks(hosts.communicator(comm.rank()));
    carried_by_gpus<od::cuda_thread_communicator> carrier(comm);
    try {
      const int own = sort_with_cuda(wanted, ranks, carrier, are);
      if (comm.rank() == 0) status = own;
    } catch (const std::exception& error) {
      ranks.fail(error.what());  // run_cuda_ranks tells those that wait for this rank's GPU
      throw;
    }
  });
  return status;
}
#endif

int run_threads(const options& wanted) {
  const apps::backend_kind backend = apps::chosen_backend(wanted.backend);
#if ONEPASS_HAS_CUDA
  if (backend == apps::backend_kind::cuda) return run_threads_with_gpus(wanted);
#endif
  (void)backend;
  std::atomic<int> status{0};
  od::run_ranks(wanted.ranks, [&](od::thread_communicator& comm) {
    carried_by_threads<od::thread_communicator> ranks(comm);
    const int own = sort_with_cpu(wanted, ranks, "threads");
    if (comm.rank() == 0) status = own;
  });
  return status;
}

// Rank 0 reads the line first, and alone says what is wrong with it. False where help was asked for.
bool read_line(host_communicator& ranks, int argc, char** argv, std::optional<options>& wanted) {
  all_do(ranks, [&] {
    if (ranks.rank() == 0) wanted = parse_options(argc, argv);
  });
  if (gathered(ranks, static_cast<char>(wanted.has_value())).front() == 0) return false;
  all_do(ranks, [&] {
    if (ranks.rank() != 0) wanted = parse_options(argc, argv);
    if (wanted->ranks_given && wanted->ranks != ranks.size()) {
      throw apps::user_error("--ranks: is for one process, and " + std::to_string(ranks.size()) + " have been started");
    }
  });
  return true;
}

int run_process(host_communicator& ranks, int argc, char** argv) {
  std::optional<options> wanted;
  if (!read_line(ranks, argc, argv, wanted)) return 0;
#if ONEPASS_HAS_CUDA
  if (wanted->backend != apps::backend_kind::cpu) {
    if (const auto carrier = gpus_of_processes(*wanted, ranks)) {
      return sort_with_cuda(*wanted, ranks, *carrier, "processes, over NCCL");
    }
  }
#else
  all_do(ranks, [&] { apps::chosen_backend(wanted->backend); });
#endif
  return sort_with_cpu(*wanted, ranks, "processes, over MPI");
}

}  // namespace

int run(int argc, char** argv) {
  if (const std::unique_ptr<host_communicator> ranks = process_ranks()) {
    try {
      return run_process(*ranks, argc, argv);
    } catch (const std::exception& error) {
      if (dynamic_cast<const known_to_all*>(&error) == nullptr) ranks->fail(error.what());
      throw;
    }
  }
  const std::optional<options> wanted = parse_options(argc, argv);
  return wanted ? run_threads(*wanted) : 0;
}

}  // namespace distributed_sort
