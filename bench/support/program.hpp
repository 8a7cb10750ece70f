// SPDX-License-Identifier: Apache-2.0
// The main function of every benchmark program. How it measures:
//   Time       of one call, from batches of calls back to back that take a millisecond or more; the median of the batches.
//              GPU: device events around a batch on one stream. Sorts, whose input has to be restored, have events around
//              each call.
//   Memory     workspace of onepass and CUB is allocated before; Thrust's time has its own allocation and
//              synchronisation in it, as every call of it does.
//   Ceiling    memcpy of as many bytes as the problem reads and writes at least; on the GPU from device to device.
//   Checked    each contender's result is compared with the first peer's, bit by bit, before it is timed. A difference is
//              an error, and the program's exit status is 1.
// Names read BACKEND/PROGRAM/CALL/TYPE[/INPUT]/CONTENDER/ITEMS; --benchmark_filter=i32/.*/16777216 takes a part of them.
#pragma once

#include <thrust/version.h>

#include <cstring>

#include "suite.hpp"

namespace bench {

// A fact about the run for the JSON file, unless the command line has given it.
inline void add_fact(const std::string& key, const std::string& value) {
  const auto* given = benchmark::internal::GetGlobalContext();
  if (given == nullptr || given->count(key) == 0) benchmark::AddCustomContext(key, value);
}

inline void add_facts(const options& o, bool on_gpu, const std::string& command) {
#if ONEPASS_HAS_CUDA
  add_fact("device", on_gpu ? gpu::device() : cpu::device());
  add_fact("driver", on_gpu ? gpu::driver() : "none");
#else
  (void)on_gpu;
  add_fact("device", cpu::device());
  add_fact("driver", "none");
#endif
#if defined(__CUDACC_VER_MAJOR__)
  add_fact("toolkit", std::to_string(__CUDACC_VER_MAJOR__) + "." + std::to_string(__CUDACC_VER_MINOR__) + "." +
                          std::to_string(__CUDACC_VER_BUILD__));
#else
  add_fact("toolkit", "none");
#endif
  add_fact("cccl", std::to_string(THRUST_MAJOR_VERSION) + "." + std::to_string(THRUST_MINOR_VERSION) + "." +
                       std::to_string(THRUST_SUBMINOR_VERSION));
  add_fact("threads", std::to_string(o.threads));
  add_fact("seed", std::to_string(o.seed));
  add_fact("thrust", "its time includes its allocation and synchronisation");
  add_fact("command", command);
}

inline std::string command_line(int argc, char** argv) {
  const char* slash = std::strrchr(argv[0], '/');
  std::string command = slash == nullptr ? argv[0] : slash + 1;
  for (int i = 1; i < argc; ++i) command += std::string(" ") + argv[i];
  return command;
}

inline void print_help() {
  benchmark::PrintDefaultHelp();
  std::printf("%s", usage);
}

// fill(suite) adds the program's problems to a suite of either backend; Table prints what was measured.
template <class Table = table_reporter, class Fill>
int run_program(const char* name, int argc, char** argv, Fill fill) {
  const std::string command = command_line(argc, argv);
  const options o = take_options(argc, argv);
  const bool has_file = command.find("--benchmark_out=") != std::string::npos;
  benchmark::Initialize(&argc, argv, print_help);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const std::string filter = benchmark::GetBenchmarkFilter();

  bool on_gpu = false;
#if ONEPASS_HAS_CUDA
  on_gpu = gpu::exists() && (o.backend != "cpu");
#endif
  if (o.backend == "gpu" && !on_gpu) stop("no CUDA device, or no CUDA in this build");
  const bool on_cpu = o.backend == "cpu" || o.backend == "all" || !on_gpu || filter.find("cpu/") != std::string::npos;
  add_facts(o, on_gpu, command);
  Table table;
  json_reporter json;
  const auto run = [&] {
    if (has_file) benchmark::RunSpecifiedBenchmarks(&table, &json);
    else benchmark::RunSpecifiedBenchmarks(&table);
  };
#if ONEPASS_HAS_CUDA
  std::unique_ptr<suite<gpu>> gpu_suite;
  if (on_gpu) {
    gpu_suite = std::make_unique<suite<gpu>>(name, o);
    fill(*gpu_suite);
  }
#endif
  std::unique_ptr<suite<cpu>> cpu_suite;
  if (on_cpu) {
    cpu_suite = std::make_unique<suite<cpu>>(name, o);
    fill(*cpu_suite);
  }
  run();
  return table.failures() == 0 ? 0 : 1;
}

}  // namespace bench
