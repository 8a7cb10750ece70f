// SPDX-License-Identifier: Apache-2.0
// Picks the backend, counts part after part on it while the next one is read and the counts of the last one are merged, and
// checks. A CUDA build compiles this file with nvcc, and nothing else of this program.
#include "run.hpp"

#include <chrono>
#include <future>
#include <optional>
#include <stdexcept>

#include "../common/cpu_peers.hpp"
#include "../common/cuda_peers.hpp"
#include "../common/text.hpp"
#include "count_pipeline.hpp"
#include "part_reader.hpp"
#include "plain_count.hpp"

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
    {
      const stopwatch watch;
      if (!pipeline_.count(part, found_)) explain(part);
      report_.working += watch.seconds();
    }
    wait_for_merge();
    std::swap(found_, in_merge_);
    merging_ = std::async(std::launch::async, [this] { tallies_.add(in_merge_); });
    report_.bytes += part.text.size();
    ++report_.parts;
  }

  void waited(double seconds) { report_.reading += seconds; }

  run_report report() {
    wait_for_merge();
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

  void wait_for_merge() {
    const stopwatch watch;
    if (merging_.valid()) merging_.get();
    report_.merging += watch.seconds();
  }

  void compare(const sequence_text& part) {
    const stopwatch watch;
    sequence_text front = prefix_of(part, how_.compare_bytes);
    if (front.text.empty()) front = part;  // a record that is longer
    tally found;
    // The first time is to allocate memory, and on a GPU to load the code.
    for (int time = 0; time < 2; ++time) {
      found = {};
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
  tally found_, in_merge_;  // of the last part, and of the one before it
  run_report report_;
  stopwatch watch_;
  double comparing_ = 0;
  std::future<void> merging_;  // into tallies_; the last member, as its end is waited for
};

template <class Backend>
run_report count_on(const Backend& backend, part_reader& parts, const counting& how,
                    const std::function<void(std::uint64_t)>& done) {
  counter<Backend> counts(backend, how);
  for (std::string spare;;) {
    const stopwatch watch;
    std::optional<sequence_text> part = parts.take();
    counts.waited(watch.seconds());
    if (!part) return counts.report();
    parts.read_ahead(std::move(spare));
    counts.count(*part);
    spare = std::move(part->text);
    done(part->bytes_read);
  }
}

template <class Backend>
run_report count_on(const Backend& backend, const sequence_text& text, const counting& how) {
  counter<Backend> counts(backend, how);
  counts.count(text);
  return counts.report();
}

// `how` with all that it leaves open.
counting chosen(counting how) {
  how.backend = apps::chosen_backend(how.backend);
  if (how.part_bytes == 0) {
    how.part_bytes = std::size_t{how.backend == apps::backend_kind::cuda ? 256U : 64U} << 20;
  }
  return how;
}

// work(backend), on that of chosen(how).
template <class Work>
run_report on_backend(const counting& how, Work work) {
#if ONEPASS_HAS_CUDA
  if (how.backend == apps::backend_kind::cuda) return work(apps::cuda_with_peers());
#endif
  return work(apps::cpu_with_peers(how.threads));
}

}  // namespace

run_report count_files(const std::vector<std::string>& files, const counting& how,
                       const std::function<void(std::uint64_t bytes)>& done) {
  const counting set = chosen(how);
  part_reader parts(files, set.part_bytes);  // reads while a GPU is made ready, which takes as long
  return on_backend(set, [&](const auto& backend) { return count_on(backend, parts, set, done); });
}

run_report count_text(const sequence_text& text, const counting& how) {
  const counting set = chosen(how);
  return on_backend(set, [&](const auto& backend) { return count_on(backend, text, set); });
}

}  // namespace kmers
