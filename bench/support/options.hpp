// SPDX-License-Identifier: Apache-2.0
// The options that a benchmark program has beside Google Benchmark's own (--benchmark_filter, --benchmark_out, ...).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace bench {

constexpr const char* usage =
    "  --backend=gpu|cpu|all  which one is measured; unless given, the GPU where there is one and the CPU otherwise\n"
    "  --sizes=10,16,30       numbers of items, as powers of two\n"
    "  --samples=5            batches timed; the median is reported\n"
    "  --seconds=1            of timing after which a call gets no more samples; it always gets one\n"
    "  --budget=0             seconds a call may take; sizes where it would take longer are left out; 0: all are "
    "taken\n"
    "  --threads=0            of the CPU calls; 0: all cores\n"
    "  --memory=0             GiB that one problem may use; larger ones are left out; 0: most of what is free\n"
    "  --seed=1               of the input\n"
    "  --graph                time calls as nodes of a CUDA graph instead of on a stream\n";

struct options {
  std::string backend;
  std::vector<int> sizes;  // empty: the program's own
  int samples = 5;
  double seconds = 1;
  double budget = -1;  // below 0: the program's own
  int threads = 0;
  double memory = 0;
  std::uint32_t seed = 1;
  bool graph = false;
};

[[noreturn]] inline void stop(const std::string& why) {
  std::cerr << why << '\n';
  std::exit(2);
}

// The value of --NAME=VALUE, if `argument` is that.
inline bool value_of_option(const std::string& argument, const std::string& name, std::string& value) {
  const std::string start = "--" + name + "=";
  if (argument.compare(0, start.size(), start) != 0) return false;
  value = argument.substr(start.size());
  return true;
}

template <class T>
T read_number(const std::string& text, const std::string& argument, T least, T most) {
  std::istringstream stream(text);
  T value{};
  if (!(stream >> value) || !stream.eof() || value < least || value > most) stop("wrong option " + argument);
  return value;
}

inline std::vector<int> read_sizes(const std::string& text, const std::string& argument) {
  std::vector<int> sizes;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) sizes.push_back(read_number(part, argument, 0, 34));
  return sizes;
}

// Takes its own options out of argv and leaves the others.
inline options take_options(int& argc, char** argv) {
  options o;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    std::string value;
    if (value_of_option(argument, "backend", value)) {
      if (value != "gpu" && value != "cpu" && value != "all") stop("wrong option " + argument);
      o.backend = value;
    } else if (value_of_option(argument, "sizes", value)) {
      o.sizes = read_sizes(value, argument);
    } else if (value_of_option(argument, "samples", value)) {
      o.samples = read_number(value, argument, 1, 1000);
    } else if (value_of_option(argument, "seconds", value)) {
      o.seconds = read_number(value, argument, 0.0, 1e6);
    } else if (value_of_option(argument, "budget", value)) {
      o.budget = read_number(value, argument, 0.0, 1e6);
    } else if (value_of_option(argument, "threads", value)) {
      o.threads = read_number(value, argument, 0, 4096);
    } else if (value_of_option(argument, "memory", value)) {
      o.memory = read_number(value, argument, 0.0, 1e6);
    } else if (value_of_option(argument, "seed", value)) {
      o.seed = read_number<std::uint32_t>(value, argument, 0, ~std::uint32_t{0});
    } else if (argument == "--graph") {
      o.graph = true;
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  argv[argc] = nullptr;
  if (o.threads == 0) o.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return o;
}

}  // namespace bench
