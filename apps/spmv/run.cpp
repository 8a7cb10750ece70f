// SPDX-License-Identifier: Apache-2.0
// Picks the backend, multiplies on it, times and checks. A CUDA build compiles this file with nvcc, and nothing else of
// this program.
#include "run.hpp"

#include "../common/cpu_backend.hpp"
#include "../common/cuda_backend.hpp"
#include "../common/text.hpp"
#include "../common/timing.hpp"
#include "../common/vectors.hpp"
#include "cusparse_peer.hpp"
#include "multiplier.hpp"
#include "power_iteration.hpp"

namespace spmv {
namespace {

constexpr const char* call = "onepass::segmented_reduce";

// The product that the others are compared with, and what it takes.
struct plain_loop {
  const csr_matrix& matrix;
  const std::vector<double>& x;
  std::vector<double> y = multiplied(matrix, x);

  double milliseconds(int repeat) {
    return apps::milliseconds_a_call(apps::cpu_backend(1), repeat, [&] { multiply(matrix, x, y); });
  }
  apps::comparison against(const std::string& name, const char* peer, double own, double other,
                           const std::vector<double>& result) const {
    const product_difference difference = difference_of(matrix, x, result, y);
    return {name, call, peer, own, other, difference.rounding, apps::formatted("%.1e apart", difference.largest)};
  }
};

#if ONEPASS_HAS_CUDA
void compare_with_cusparse(const apps::cuda_backend& backend, const multiplier<apps::cuda_backend>& matrix,
                           const apps::cuda_backend::vector<double>& x, const plain_loop& plain, int repeat,
                           run_report& report) {
  report.no_cusparse = why_no_cusparse();
  if (!report.no_cusparse.empty()) return;
#ifdef SPMV_CUSPARSE_FOLDER
  apps::cuda_backend::vector<double> y(plain.y.size());
  cusparse_peer peer(backend.policy().stream(), matrix, plain.matrix, x, y);
  const double time = apps::milliseconds_a_call(backend, repeat, [&] { peer.run(); });
  report.rows.push_back(
      plain.against("multiply", "cusparseSpMV", report.rows.front().milliseconds, time, apps::to_host(y)));
  report.rows.back().agree = report.rows.back().agree && report.rows.front().agree;
#else
  (void)backend, (void)matrix, (void)x, (void)plain, (void)repeat;
#endif
}
#endif

template <class Backend>
run_report run_on(const Backend& backend, const csr_matrix& matrix, const std::vector<double>& x_values,
                  const options& wanted, const std::function<void(int)>& done) {
  run_report report;
  report.backend = backend.name();
  multiplier<Backend> on_backend(backend, matrix);
  const typename multiplier<Backend>::vector x(x_values.begin(), x_values.end());
  typename multiplier<Backend>::vector y(static_cast<std::size_t>(matrix.rows));
  const double own = apps::milliseconds_a_call(backend, wanted.repeat, [&] { on_backend.multiply(x, y); });
  report.y = apps::to_host(y);

  plain_loop plain{matrix, x_values};
  const double loop = plain.milliseconds(wanted.repeat);
  report.rows.push_back(plain.against("multiply", "a plain loop on the CPU", own, loop, report.y));
#if ONEPASS_HAS_CUDA
  if constexpr (std::is_same_v<Backend, apps::cuda_backend>) {
    compare_with_cusparse(backend, on_backend, x, plain, wanted.repeat, report);
  }
#endif
  if (wanted.iterations > 0) report.power = iterated(backend, on_backend, x_values, wanted.iterations, done);
  return report;
}

}  // namespace

std::vector<double> test_vector(std::size_t size) {
  std::vector<double> result(size);
  std::uint64_t state = 1;
  for (double& value : result) {
    state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX generator
    value = 0.5 + static_cast<double>(state >> 11) * 0x1p-53;
  }
  return result;
}

run_report multiply_and_compare(const csr_matrix& matrix, const std::vector<double>& x, const options& wanted,
                                const std::function<void(int)>& done) {
  const apps::backend_kind backend = apps::chosen_backend(wanted.backend);
#if ONEPASS_HAS_CUDA
  if (backend == apps::backend_kind::cuda) return run_on(apps::cuda_backend(), matrix, x, wanted, done);
#endif
  (void)backend;
  return run_on(apps::cpu_backend(wanted.threads), matrix, x, wanted, done);
}

}  // namespace spmv
