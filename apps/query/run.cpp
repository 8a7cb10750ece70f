// SPDX-License-Identifier: Apache-2.0
// Picks the backend, answers and checks. A CUDA build compiles this file with nvcc, and nothing else of this program.
#include "run.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "../common/cpu_peers.hpp"
#include "../common/cuda_peers.hpp"
#include "../common/progress.hpp"
#include "plain_query.hpp"
#include "query_pipeline.hpp"

namespace query {
namespace {

class stopwatch {
 public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Where the result has all columns that it is ordered by: are its rows in their order?
bool order_is_right(const plan& what, const table& answer) {
  std::vector<std::size_t> order;
  for (const std::size_t index : what.order_by) {
    const auto place = std::find(what.columns.begin(), what.columns.end(), index);
    if (!what.grouped && place == what.columns.end()) return true;
    order.push_back(what.grouped ? index : static_cast<std::size_t>(place - what.columns.begin()));
  }
  return is_ordered(answer, order, what.descending);
}

// The whole answer beside a serial program's, without ORDER BY and LIMIT: sums of reals depend on their order in the last bits,
// and so may the order of groups by them.
template <class Backend>
apps::comparison beside_plain(query_pipeline<Backend>& pipeline, const plan& what, const table& on,
                              const table& answer) {
  plan unordered = what;
  unordered.order_by.clear();
  unordered.limit = ~std::uint64_t{0};
  const stopwatch watch;
  const table own = pipeline.answer(unordered);
  const double milliseconds = watch.milliseconds();
  const stopwatch plain_watch;
  const plain_answer plain = plain_query(unordered, on);
  const double plain_milliseconds = plain_watch.milliseconds();
  const bool right = agrees(own, plain) && order_is_right(what, answer) &&
                     answer.rows() == std::min<std::uint64_t>(own.rows(), what.limit);
  return {"all, not ordered", "all of these", "a serial program", milliseconds, plain_milliseconds, right};
}

template <class Backend>
run_report answer_on(const Backend& backend, const plan& what, const table& on, bool compare, int repeats) {
  run_report report;
  report.backend = backend.name();
  query_pipeline<Backend> pipeline(backend, on);
  report.answer = pipeline.answer(what);  // to allocate memory, and on a GPU to load the code
  std::vector<double> times;
  apps::progress_bar progress("answer", static_cast<std::uint64_t>(repeats));
  for (int i = 0; i < repeats; ++i) {
    backend.wait();
    const stopwatch watch;
    report.answer = pipeline.answer(what);
    times.push_back(watch.milliseconds());
    progress.show(static_cast<std::uint64_t>(i) + 1);
  }
  report.milliseconds = apps::median(times);
  pipeline.answer(what, true, compare);
  report.stages = pipeline.stages();
  if (compare) report.stages.push_back(beside_plain(pipeline, what, on, report.answer));
  return report;
}

}  // namespace

run_report answer_and_compare(const plan& what, const table& on, apps::backend_kind backend, int threads, bool compare,
                              int repeats) {
  backend = apps::chosen_backend(backend);
#if ONEPASS_HAS_CUDA
  if (backend == apps::backend_kind::cuda) return answer_on(apps::cuda_with_peers(), what, on, compare, repeats);
#endif
  return answer_on(apps::cpu_with_peers(threads), what, on, compare, repeats);
}

}  // namespace query
