// SPDX-License-Identifier: Apache-2.0
// What a rank is asked to do, and what comes out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../common/progress.hpp"
#include "communicators.hpp"
#include "options.hpp"

namespace distributed_sort {

// The progress bar of rank 0; other ranks have none.
class step_bar {
 public:
  step_bar(bool shown, int steps, bool anywhere) : steps_(steps) {
    if (shown) bar_.emplace("percent", 100, anywhere);
  }
  void next() { show(++done_, 0); }
  void part(std::size_t done, std::size_t all) {
    show(done_, static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(all, 1)));
  }

 private:
  void show(int steps, double part) {
    if (bar_) bar_->show(static_cast<std::uint64_t>(100 * (steps + part) / steps_));
  }
  std::optional<apps::progress_bar> bar_;
  int steps_, done_ = 0;
};

struct job {
  const options& wanted;
  host_communicator& ranks;
  std::string ranks_are;  // "processes, over MPI"
  std::uint64_t total;    // keys of all ranks
  int threads;            // of this rank, on the CPU

  std::uint64_t begin_of(int rank) const {  // of the part that a rank reads
    const auto r = static_cast<std::uint64_t>(rank), size = static_cast<std::uint64_t>(ranks.size());
    return total / size * r + std::min(r, total % size);
  }
};

struct phase {
  std::string name;
  double slowest = 0, mean = 0;  // seconds, over the ranks
};

struct report {
  std::string backend;  // of rank 0
  std::vector<phase> phases;
  phase whole;
  double alone = 0;           // seconds of one rank that sorts all keys; 0: was not asked
  std::string why_not_alone;  // why it was not done
  std::uint64_t moved_bytes = 0, message_bytes = 0;
  std::int64_t smallest_share = 0, largest_share = 0;
  bool in_order = false, complete = false;
  std::optional<bool> stable, parts_agree, peer_agrees;  // nothing: was not looked at

  bool all_hold() const {
    return in_order && complete && stable.value_or(true) && parts_agree.value_or(true) && peer_agrees.value_or(true);
  }
};

// Sorts on every rank, whose data `carrier` exchanges.
template <class Key>
report sort_on_cpu(const job& what, host_communicator& carrier);
template <class Key>
report sort_on_cuda(const job& what, device_communicator& carrier);

}  // namespace distributed_sort
