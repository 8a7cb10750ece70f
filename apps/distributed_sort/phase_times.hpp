// SPDX-License-Identifier: Apache-2.0
// Times steps that all ranks begin together.
#pragma once

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <vector>

#include "../common/comparison.hpp"
#include "agreement.hpp"
#include "job.hpp"

namespace distributed_sort {

using clock = std::chrono::steady_clock;

inline double seconds_between(clock::time_point begin, clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

// The same phases of several runs as one row each.
inline std::vector<phase> medians_of(const std::vector<std::vector<phase>>& runs) {
  std::vector<phase> result = runs.front();
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::vector<double> slowest, mean;
    for (const std::vector<phase>& run : runs) {
      slowest.push_back(run[i].slowest);
      mean.push_back(run[i].mean);
    }
    result[i].slowest = apps::median(slowest);
    result[i].mean = apps::median(mean);
  }
  return result;
}

template <class Backend>
class phase_timer {
 public:
  phase_timer(const Backend& backend, host_communicator& ranks) : backend_(backend), ranks_(ranks) {}

  // This rank's seconds for `work`. What it throws on one rank all throw.
  template <class Work>
  double seconds_of(Work work) const {
    double seconds = 0;
    backend_.wait();
    gathered(ranks_, char{});
    all_do(ranks_, [&] {
      const auto begin = clock::now();
      work();
      backend_.wait();
      seconds = seconds_between(begin, clock::now());
    });
    return seconds;
  }
  phase over_ranks(const std::string& name, double seconds) const {
    const std::vector<double> all = gathered(ranks_, seconds);
    return {name, *std::max_element(all.begin(), all.end()),
            std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size())};
  }
  template <class Work>
  phase timed(const std::string& name, Work work) const {
    const double seconds = seconds_of(work);
    return over_ranks(name, seconds);
  }

 private:
  const Backend& backend_;
  host_communicator& ranks_;
};

}  // namespace distributed_sort
