// SPDX-License-Identifier: Apache-2.0
// Times the stages of a program's work, and runs a peer on the same input beside those that have one.
#pragma once

#include <chrono>
#include <vector>

#include "comparison.hpp"

namespace apps {

template <class Backend>
class stage_record {
 public:
  explicit stage_record(const Backend& backend) : backend_(backend) {}

  // Without peers a stage that has one is only timed.
  void start(bool beside_peers = true) {
    stages_.clear();
    beside_peers_ = beside_peers;
  }
  const std::vector<comparison>& stages() const { return stages_; }

  template <class Work>
  void timed(const char* name, Work work) {
    stages_.push_back({name, "", "", milliseconds(work), 0, true});
  }

  // agree() is asked after both: are the results the same?
  template <class Work, class Peer, class Agree>
  void compared(const char* name, const char* call, const char* peer_name, Work work, Peer peer, Agree agree) {
    if (!beside_peers_) return timed(name, work);
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
  bool beside_peers_ = true;
  std::vector<comparison> stages_;
};

}  // namespace apps
