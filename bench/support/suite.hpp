// SPDX-License-Identifier: Apache-2.0
// All problems of one program on one backend: registered with Google Benchmark, set up one after another, checked, timed.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "problem.hpp"
#include "report.hpp"

namespace bench {

template <class Where>
class suite {
 public:
  suite(std::string program, const options& o)
      : where_(o), program_(std::move(program)), options_(o), limit_(static_cast<std::size_t>(o.memory * (1u << 30))) {
    if (limit_ == 0) limit_ = where_.free_memory() / 10 * 8;
  }
  ~suite() {
    if (current_ != nullptr) current_->tear_down();
  }
  suite(const suite&) = delete;
  suite& operator=(const suite&) = delete;

  static constexpr bool is_gpu = Where::is_gpu;

  // The powers of two that problems have as sizes, unless the command line has others.
  void default_sizes(std::vector<int> gpu_sizes, std::vector<int> cpu_sizes) {
    sizes_ = is_gpu ? gpu_sizes : cpu_sizes;
  }

  // What --budget is unless given. Sizes then begin with one that is short for any contender, as it is judged by that.
  void default_budget(double seconds) {
    if (options_.budget < 0) options_.budget = seconds;
    for (auto* sizes : {&sizes_, &options_.sizes}) {
      std::sort(sizes->begin(), sizes->end());
      if (!sizes->empty() && sizes->front() > short_size) sizes->insert(sizes->begin(), short_size);
    }
  }

  // describe(problem) names the arrays and the contenders of a problem; it is called for each size.
  template <class Describe>
  void add(const std::string& name, Describe describe) {
    for (const int size : options_.sizes.empty() ? sizes_ : options_.sizes) {
      const std::string full = std::string(Where::name) + "/" + program_ + "/" + name;
      auto p = std::make_unique<problem<Where>>(full, index_t{1} << size, where_, options_.seed);
      describe(*p);
      if (p->memory() > limit_) {
        std::fprintf(stderr, "left out: %s/%lld needs %.1f GiB\n", full.c_str(), static_cast<long long>(p->n()),
                     static_cast<double>(p->memory()) / (1u << 30));
        continue;
      }
      enrol(*p);
      problems_.push_back(std::move(p));
    }
  }

 private:
  static constexpr int short_size = 20;

  using contender = typename problem<Where>::contender;
  using call = typename problem<Where>::call;

  // memcpy, the peers, and onepass last: its ratios to them are then known.
  void enrol(problem<Where>& p) {
    for (contender& c : p.contenders()) {
      const std::string name = p.name() + "/" + c.name + "/" + std::to_string(p.n());
      const auto run = [this, &p, &c](benchmark::State& state) { this->run(p, c, state); };
      benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Iterations(1)->Unit(benchmark::kMicrosecond);
    }
  }

  void run(problem<Where>& p, contender& c, benchmark::State& state) {
    show_progress(p.name() + "/" + c.name + "/" + std::to_string(p.n()));
    if (expected_seconds(p, c) > options_.budget && options_.budget > 0) return state.SkipWithError(over_budget);
    try {
      become_current(p);
      const call f = c.prepare();
      const std::string wrong = c.is_checked ? p.check(f) : std::string();
      if (!wrong.empty()) return state.SkipWithError(("wrong result: " + wrong).c_str());
      std::vector<double> samples = measure(f, p.restore());
      std::sort(samples.begin(), samples.end());
      c.seconds = (samples[(samples.size() - 1) / 2] + samples[samples.size() / 2]) / 2;  // the median
      last_[p.name() + "/" + c.name] = {p.n(), c.seconds};
      state.SetLabel(c.note);
      for (auto _ : state) state.SetIterationTime(c.seconds);
      state.counters["fastest_us"] = samples.front() * 1e6;
      state.counters["samples"] = static_cast<double>(samples.size());
      state.counters["spread"] = (samples.back() - samples.front()) / c.seconds;
      count(p, c, state);
    } catch (const std::exception& e) {
      state.SkipWithError(e.what());
    }
  }

  // Of a call, as the same contender's last size tells; 0 where there was none.
  double expected_seconds(const problem<Where>& p, const contender& c) const {
    const auto last = last_.find(p.name() + "/" + c.name);
    if (last == last_.end()) return 0;
    return last->second.seconds * static_cast<double>(p.n()) / static_cast<double>(last->second.n);
  }

  // One problem has memory at a time.
  void become_current(problem<Where>& p) {
    if (current_ == &p) return;
    if (current_ != nullptr) std::exchange(current_, nullptr)->tear_down();
    try {
      p.set_up();
    } catch (...) {
      p.tear_down();
      throw;
    }
    current_ = &p;
  }

  // Seconds a call, one figure a batch; a batch takes a millisecond or longer.
  std::vector<double> measure(const call& f, const std::function<void()>& restore) {
    constexpr double shortest_batch = 1.5e-3;
    where_.time(1, f, restore);
    double once = where_.time(1, f, restore);
    if (once < shortest_batch) once = where_.time(10, f, restore);
    const int batch = std::max(1, static_cast<int>(std::ceil(shortest_batch / std::max(once, 1e-7))));
    std::vector<double> samples;
    double spent = 0;
    do {
      samples.push_back(where_.time(batch, f, restore));
      spent += samples.back() * batch;
    } while (static_cast<int>(samples.size()) < options_.samples && (spent < options_.seconds || samples.size() < 3));
    return samples;
  }

  static void count(problem<Where>& p, const contender& c, benchmark::State& state) {
    const double n = static_cast<double>(p.n());
    state.counters["items"] = n;
    state.counters["bytes_read"] = p.bytes_read();
    state.counters["bytes_written"] = p.bytes_written();
    state.SetItemsProcessed(p.n());
    state.SetBytesProcessed(static_cast<std::int64_t>(p.bytes_read() + p.bytes_written()));
    for (const contender& other : p.contenders()) {
      if (other.seconds == 0 || &other == &c) continue;
      if (other.name == "memcpy") state.counters["share_of_memcpy"] = other.seconds / c.seconds;
      else if (c.name == "onepass") state.counters["speed_to_" + other.name] = other.seconds / c.seconds;
    }
  }

  Where where_;
  std::string program_;
  options options_;
  std::size_t limit_;
  std::vector<int> sizes_;
  std::vector<std::unique_ptr<problem<Where>>> problems_;
  problem<Where>* current_ = nullptr;
  struct measurement {
    index_t n;
    double seconds;
  };
  std::map<std::string, measurement> last_;  // of each contender of each problem
};

}  // namespace bench
