// SPDX-License-Identifier: Apache-2.0
// What a program prints: a table with one row a problem, after all have run. And the JSON file of --benchmark_out.
#pragma once

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace bench {

// On one line of a terminal; nowhere else.
inline void show_progress(const std::string& name) {
  if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\r\033[K%s", name.c_str());
}

constexpr const char* over_budget = "over the budget";  // the error of a run that was left out, which is none

// Names without what Google Benchmark appends for its own settings; without what was left out.
using runs = std::vector<benchmark::BenchmarkReporter::Run>;
inline runs measured(runs reports) {
  reports.erase(std::remove_if(reports.begin(), reports.end(),
                               [](const auto& r) { return r.error_occurred && r.error_message == over_budget; }),
                reports.end());
  for (auto& r : reports) r.run_name.iterations.clear(), r.run_name.time_type.clear();
  return reports;
}

class json_reporter : public benchmark::JSONReporter {
 public:
  void ReportRuns(const runs& reports) override {
    if (const runs here = measured(reports); !here.empty()) benchmark::JSONReporter::ReportRuns(here);
  }
};

class table_reporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override {
    for (const auto& [key, value] : *benchmark::internal::GetGlobalContext())
      std::printf("%s: %s\n", key.c_str(), value.c_str());
    std::fflush(stdout);
    return true;
  }

  void ReportRuns(const runs& reports) override {
    for (const Run& r : measured(reports)) {
      const std::string name = r.benchmark_name();
      if (r.error_occurred) {
        ++failures_;
        std::printf("FAILED %s: %s\n", name.c_str(), r.error_message.c_str());
        std::fflush(stdout);
      } else if (r.run_type == Run::RT_Iteration) {
        note(name, r);
      }
    }
  }

  void Finalize() override {
    show_progress("");
    if (rows_.empty()) return;
    std::printf("%-*s%12s%8s%9s%9s%8s", width_, "", "onepass us", "spread", "Gitem/s", "GB/s", "memcpy");
    for (const std::string& peer : peers_) std::printf("%*s", width_of(peer), peer.c_str());
    std::printf("\n");
    for (const std::string& row : order_) print(row);
    std::printf(
        "memcpy: onepass's share of its speed on as many bytes; the columns after it: onepass's speed over the "
        "peer's.\n");
  }

  int failures() const { return failures_; }

 protected:
  struct row {
    std::map<std::string, double> microseconds;  // of each contender
    double items = 0, bytes = 0, spread = 0;
  };

  // cpu/scan/inclusive_sum/i32/onepass/1024: the contender is the last word but one.
  void note(const std::string& name, const Run& r) {
    const std::size_t last = name.rfind('/'), before = name.rfind('/', last - 1);
    const std::string key = name.substr(0, before) + name.substr(last),
                      contender = name.substr(before + 1, last - before - 1);
    if (rows_.count(key) == 0) order_.push_back(key);
    row& here = rows_[key];
    here.microseconds[contender] = r.GetAdjustedRealTime();
    here.items = r.counters.at("items");
    here.bytes = r.counters.at("bytes_read") + r.counters.at("bytes_written");
    notes_[contender] = r.report_label;
    if (contender == "onepass") here.spread = r.counters.at("spread");
    width_ = std::max(width_, static_cast<int>(key.size()));
    const bool is_peer = contender != "onepass" && contender != "memcpy";
    if (is_peer && std::find(peers_.begin(), peers_.end(), contender) == peers_.end()) peers_.push_back(contender);
  }

  static int width_of(const std::string& peer) { return std::max(9, static_cast<int>(peer.size()) + 2); }

  void print(const std::string& key) const {
    const row& r = rows_.at(key);
    const auto time = [&](const std::string& contender) {
      const auto found = r.microseconds.find(contender);
      return found == r.microseconds.end() ? 0.0 : found->second;
    };
    const auto ratio = [&](const std::string& contender, int columns) {
      if (time(contender) > 0 && time("onepass") > 0) std::printf("%*.2f", columns, time(contender) / time("onepass"));
      else std::printf("%*s", columns, "-");
    };
    const double us = time("onepass");
    std::printf("%-*s", width_, key.c_str());
    if (us > 0) std::printf("%12.1f%7.1f%%%9.3f%9.1f", us, 100 * r.spread, r.items / us / 1e3, r.bytes / us / 1e3);
    else std::printf("%12s%8s%9s%9s", "-", "-", "-", "-");
    ratio("memcpy", 8);
    for (const std::string& peer : peers_) ratio(peer, width_of(peer));
    std::printf("\n");
  }

  std::map<std::string, row> rows_;
  std::map<std::string, std::string> notes_;  // of the contenders
  std::vector<std::string> order_, peers_;
  int width_ = 0, failures_ = 0;
};

}  // namespace bench
