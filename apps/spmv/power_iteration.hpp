// SPDX-License-Identifier: Apache-2.0
// The power iteration: v becomes A v / |A v|, again and again, and turns towards the eigenvector of the eigenvalue with the
// largest magnitude.
#pragma once

#include <onepass/scan.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "../common/cpu_backend.hpp"
#include "../common/cuda_backend.hpp"
#include "../common/user_error.hpp"
#include "multiplier.hpp"
#include "run.hpp"
#if ONEPASS_HAS_CUDA
#include <thrust/transform_reduce.h>
#endif

namespace spmv {

// (a w + b v) (c w + d v) at a place: all the sums that the iteration takes.
struct term_at {
  const double* w;
  const double* v;
  double a, b, c, d;
  ONEPASS_HOST_DEVICE double operator()(std::int64_t i) const { return (a * w[i] + b * v[i]) * (c * w[i] + d * v[i]); }
};

struct scale {
  const double* from;
  double* to;
  double factor;
  ONEPASS_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = factor * from[i]; }
};

struct magnitude_at {
  const double* w;
  ONEPASS_HOST_DEVICE double operator()(std::int64_t i) const { return w[i] < 0 ? -w[i] : w[i]; }
};
struct larger {  // also of what is no number, so that it is seen
  ONEPASS_HOST_DEVICE double operator()(double a, double b) const { return a >= b || a != a ? a : b; }
};

// The terms of all places together, from 0 on.
template <class Term, class Operator>
double fold_of(const apps::cpu_backend&, std::int64_t count, const Term& term, Operator together) {
  double result = 0;
  for (std::int64_t i = 0; i < count; ++i) result = together(result, term(i));
  return result;
}
#if ONEPASS_HAS_CUDA
template <class Term, class Operator>
double fold_of(const apps::cuda_backend& backend, std::int64_t count, const Term& term, Operator together) {
  const thrust::counting_iterator<std::int64_t> first(0);
  return thrust::transform_reduce(backend.peer_policy(), first, first + count, term, 0.0, together);
}
#endif

// Up to `iterations` steps from `start`; `done` hears of each, counted from 1.
template <class Backend>
power_result iterated(const Backend& backend, multiplier<Backend>& matrix, const std::vector<double>& start,
                      int iterations, const std::function<void(int)>& done) {
  typename multiplier<Backend>::vector v(start.begin(), start.end()), w(start.size());
  const auto n = static_cast<std::int64_t>(start.size());
  double* const at_v = apps::pointer_to(v);
  double* const at_w = apps::pointer_to(w);
  const auto sum = [&](double a, double b, double c, double d) {
    return fold_of(backend, n, term_at{at_w, at_v, a, b, c, d}, thrust::plus<double>());
  };

  power_result result;
  backend.for_each(n, scale{at_v, at_v, 1 / std::sqrt(sum(0, 1, 0, 1))});
  for (int i = 1; i <= iterations; ++i) {
    matrix.multiply(v, w);
    const double largest = fold_of(backend, n, magnitude_at{at_w}, larger{});
    if (!std::isfinite(largest))
      throw apps::user_error("--iterations: the matrix's values are too large, A v overflows");
    if (largest == 0) {
      result.vanished = true;
      break;
    }
    // A v as a number times a power of two, so that squares neither overflow nor vanish. Powers of two are exact.
    const int exponent = std::clamp(std::ilogb(largest), -1000, 1000);
    backend.for_each(n, scale{at_w, at_w, std::ldexp(1.0, -exponent)});
    const double length = std::sqrt(sum(1, 0, 1, 0));
    const double eigenvalue = sum(1, 0, 0, 1);  // v . A v
    result.eigenvalues.push_back(std::ldexp(eigenvalue, exponent));
    result.residuals.push_back(std::sqrt(sum(1, -eigenvalue, 1, -eigenvalue)) / length);
    backend.for_each(n, scale{at_w, at_v, 1 / length});
    done(i);
  }
  return result;
}

}  // namespace spmv
