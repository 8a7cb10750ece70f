// SPDX-License-Identifier: Apache-2.0
// The ladder as the program prints it: a row for each rung and peer, and for each size its time, its speed and its share of a
// copy's.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "../support/report.hpp"

namespace ladder {

class ladder_table : public bench::table_reporter {
 public:
  void Finalize() override {
    bench::show_progress("");
    std::vector<std::string> problems;
    for (const std::string& key : order_) {
      if (const std::string name = problem_of(key); problems.empty() || problems.back() != name)
        problems.push_back(name);
    }
    for (const std::string& problem : problems) print_problem(problem);
    std::printf("GB/s: read and written once an item; copy: share of memcpy's speed.\n");
    if (has_left_out_)
      std::printf("*: left out, as it would take longer than --budget; the figures are those of a smaller size.\n");
  }

 private:
  // gpu/ladder/whole/i32/1024: the size is the last word.
  static std::string problem_of(const std::string& key) { return key.substr(0, key.rfind('/')); }
  static std::string size_of(const std::string& key) { return key.substr(key.rfind('/') + 1); }

  void print_problem(const std::string& problem) {
    std::vector<std::string> keys;
    std::copy_if(order_.begin(), order_.end(), std::back_inserter(keys),
                 [&](const std::string& key) { return problem_of(key) == problem; });
    std::printf("%-34s", problem.c_str());
    for (const std::string& key : keys) std::printf("%12s us %7s %6s", size_of(key).c_str(), "GB/s", "copy");
    std::printf("\n");
    for (const std::string& contender : ordered_contenders()) print_contender(contender, keys);
    std::printf("\n");
  }

  // The rungs from the ground up, the peers, onepass, and the roof.
  std::vector<std::string> ordered_contenders() const {
    std::vector<std::string> names = peers_;
    std::stable_partition(names.begin(), names.end(),
                          [&](const std::string& name) { return !notes_.at(name).empty(); });
    names.insert(names.end(), {"onepass", "memcpy"});
    return names;
  }

  void print_contender(const std::string& contender, const std::vector<std::string>& keys) {
    const auto was_measured = [&](const std::string& key) { return rows_.at(key).microseconds.count(contender) > 0; };
    if (std::none_of(keys.begin(), keys.end(), was_measured)) return;
    std::printf("%-34s", contender.c_str());
    const row* last = nullptr;
    for (const std::string& key : keys) {
      const bool is_own = was_measured(key);
      if (is_own) last = &rows_.at(key);
      has_left_out_ = has_left_out_ || !is_own;
      if (last == nullptr) {
        std::printf("%15s %7s %6s", "*", "*", "*");
        continue;
      }
      const double us = last->microseconds.at(contender),
                   copy = last->microseconds.count("memcpy") > 0 ? last->microseconds.at("memcpy") : 0;
      std::printf("%14.1f%c %7.1f %6.4f", us, is_own ? ' ' : '*', last->bytes / us / 1e3, copy / us);
    }
    std::printf("\n");
  }

  bool has_left_out_ = false;
};

}  // namespace ladder
