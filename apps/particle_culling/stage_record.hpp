// SPDX-License-Identifier: Apache-2.0
// Times the stages of a frame, and runs a peer on the same input beside those that have one.
#pragma once

#include <chrono>
#include <vector>

#include "../common/comparison.hpp"

namespace particle_culling {

template <class Backend>
class stage_record {
 public:
  explicit stage_record(const Backend& backend) : backend_(backend) {}

  void start() { stages_.clear(); }
  const std::vector<apps::comparison>& stages() const { return stages_; }

  template <class Work>
  void timed(const char* name, Work work) {
    stages_.push_back({name, "", "", milliseconds(work), 0, true});
  }

  // agree() is asked after both: are the results the same?
  template <class Work, class Peer, class Agree>
  void compared(const char* name, const char* call, const char* peer_name, Work work, Peer peer, Agree agree) {
    const double own = milliseconds(work);
    const double other = milliseconds(peer);
    stages_.push_back({name, call, peer_name, own, other, agree()});
  }

 private:
  // Until everything that `work` started is done.
  template <class Work>
  double milliseconds(Work work) const {
    backend_.wait();
    const auto begin = std::chrono::steady_clock::now();
    work();
    backend_.wait();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }

  const Backend& backend_;
  std::vector<apps::comparison> stages_;
};

}  // namespace particle_culling
