// SPDX-License-Identifier: Apache-2.0
// Picks the backend, counts part after part on it while the next one is read, and checks. A CUDA build compiles this file
// with nvcc, and nothing else of this program.
#include "run.hpp"

#include <chrono>
#include <future>
#include <optional>
#include <stdexcept>

#include "../common/cpu_peers.hpp"
#include "../common/cuda_peers.hpp"
#include "../common/text.hpp"
#include "count_pipeline.hpp"
#include "plain_count.hpp"
#include "sequence_file.hpp"

namespace kmers {
namespace {

class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

template <class Backend>
class counter {
 public:
  counter(const Backend& backend, const counting& how) : how_(how), pipeline_(backend, how.k) {
    report_.backend = backend.name();
  }

  void count(const sequence_text& part) {
    if (how_.compare_bytes > 0 && report_.parts == 0) compare(part);
    tally found;
    {
      const stopwatch watch;
      if (!pipeline_.count(part, found)) explain(part);
      report_.working += watch.seconds();
    }
    const stopwatch watch;
    tallies_.add(std::move(found));
    report_.merging += watch.seconds();
    report_.bytes += part.text.size();
    ++report_.parts;
  }

  void waited(double seconds) { report_.reading += seconds; }

  run_report report() {
    const stopwatch watch;
    report_.found = tallies_.total();
    report_.merging += watch.seconds();
    report_.seconds = watch_.seconds() - comparing_;
    return std::move(report_);
  }

 private:
  // The serial reader says what is wrong, and where.
  [[noreturn]] void explain(const sequence_text& part) const {
    plain_kmers(part, how_.k);
    throw std::logic_error(part.file + ": the backend refused what the serial reader takes");
  }

  void compare(const sequence_text& part) {
    const stopwatch watch;
    sequence_text front = prefix_of(part, how_.compare_bytes);
    if (front.text.empty()) front = part;  // a record that is longer
    tally found;
    // The first time is to allocate memory, and on a GPU to load the code.
    for (int time = 0; time < 2; ++time) {
      if (!pipeline_.count(front, found, true)) explain(front);
    }
    report_.rows = pipeline_.stages();
    double own = 0;
    for (const apps::comparison& row : report_.rows) own += row.milliseconds;
    const stopwatch plain_watch;
    const tally plain = plain_tally(front, how_.k);
    report_.rows.push_back(
        {"all", "all of these", "a serial program, std::sort", own, 1000 * plain_watch.seconds(), found == plain});
    report_.compared_bytes = front.text.size();
    comparing_ = watch.seconds();
  }

  const counting how_;
  count_pipeline<Backend> pipeline_;
  tally_of_parts tallies_;
  run_report report_;
  stopwatch watch_;
  double comparing_ = 0;
};

template <class Backend>
run_report count_on(const Backend& backend, const std::vector<std::string>& files, const counting& how,
                    const std::function<void(std::uint64_t)>& done) {
  counter<Backend> counts(backend, how);
  std::uint64_t before = 0;
  std::string spare;
  for (const std::string& name : files) {
    sequence_file file(name, how.part_bytes);
    const auto read_ahead = [&] {
      return std::async(std::launch::async,
                        [&file, memory = std::move(spare)]() mutable { return file.next(std::move(memory)); });
    };
    std::uint64_t read = 0;
    for (auto reading = read_ahead();;) {
      const stopwatch watch;
      std::optional<sequence_text> part = reading.get();
      counts.waited(watch.seconds());
      if (!part) break;
      reading = read_ahead();
      counts.count(*part);
      spare = std::move(part->text);
      read = part->bytes_read;
      done(before + read);
    }
    before += read;
  }
  return counts.report();
}

template <class Backend>
run_report count_on(const Backend& backend, const sequence_text& text, const counting& how) {
  counter<Backend> counts(backend, how);
  counts.count(text);
  return counts.report();
}

// work(backend, how) on the backend that was asked for.
template <class Work>
run_report on_backend(counting how, Work work) {
  const apps::backend_kind backend = apps::chosen_backend(how.backend);
  if (how.part_bytes == 0) how.part_bytes = std::size_t{backend == apps::backend_kind::cuda ? 256U : 64U} << 20;
#if ONEPASS_HAS_CUDA
  if (backend == apps::backend_kind::cuda) return work(apps::cuda_with_peers(), how);
#endif
  return work(apps::cpu_with_peers(how.threads), how);
}

}  // namespace

run_report count_files(const std::vector<std::string>& files, const counting& how,
                       const std::function<void(std::uint64_t bytes)>& done) {
  return on_backend(how, [&](const auto& backend, const counting& set) { return count_on(backend, files, set, done); });
}

run_report count_text(const sequence_text& text, const counting& how) {
  return on_backend(how, [&](const auto& backend, const counting& set) { return count_on(backend, text, set); });
}

}  // namespace kmers
