// SPDX-License-Identifier: Apache-2.0
// Linear recurrences as scans: each step is an affine map of what came before, maps are composed by an associative
// operator, and the constant part of all maps up to i, composed, is y[i]. Maps are made from x while it is read, and
// nothing but y is written: 16 bytes an item.
// Source: Blelloch, "Prefix Sums and Their Applications" (1990), section 1.4.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <onepass/scan.hpp>

#include <cstdint>

#include "filter.hpp"

namespace recurrence {

// ---- of the first order: onepass's own affine -----------------------------------------------------------------------

struct average_step {
  const double* x;
  double alpha;
  ONEPASS_HOST_DEVICE onepass::affine_map<double> operator()(std::int64_t i) const {
    return {1 - alpha, i == 0 ? x[0] : alpha * x[i]};
  }
};

struct constant_part {
  ONEPASS_HOST_DEVICE double operator()(const onepass::affine_map<double>& map) const { return map.b; }
};

// ---- of the second order: maps of the plane, and an operator of our own ---------------------------------------------
// The plane's second number is the last difference, y[i] - y[i-1] (the last sum, where y swings from step to step), and
// not y[i-1]: of those two, composed maps of a filter near either end of the frequencies would take large, nearly equal
// multiples, which differ in few digits.

// (p, q) -> (a p + b q + u, c p + d q + v)
struct plane_map {
  double a, b, c, d, u, v;
};

struct compose {  // first f, then g
  ONEPASS_HOST_DEVICE plane_map operator()(const plane_map& f, const plane_map& g) const {
    return {g.a * f.a + g.b * f.c, g.a * f.b + g.b * f.d,       g.c * f.a + g.d * f.c,
            g.c * f.b + g.d * f.d, g.a * f.u + g.b * f.v + g.u, g.c * f.u + g.d * f.v + g.v};
  }
};

struct biquad_step {
  const double* x;
  biquad filter;
  ONEPASS_HOST_DEVICE plane_map operator()(std::int64_t i) const {
    const double x1 = i > 0 ? x[i - 1] : 0, x2 = i > 1 ? x[i - 2] : 0;
    const double input = filter.b0 * x[i] + filter.b1 * x1 + filter.b2 * x2;
    const double sign = filter.a1 < 0 ? 1 : -1;
    const double pull = (sign + filter.a1) + sign * filter.a2;  // exact where it is small
    return {sign - pull, sign * filter.a2, -pull, sign * filter.a2, input, input};
  }
};

struct first_constant {
  ONEPASS_HOST_DEVICE double operator()(const plane_map& map) const { return map.u; }
};

// ---- the scans ------------------------------------------------------------------------------------------------------

// y[i] for all i from 0 to before n. On a GPU it does not wait.
template <class Policy, class Step, class Result, class Operator>
void scan_steps(const Policy& policy, const Step& step, std::int64_t n, double* y, Result result, Operator op) {
  const auto steps = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), step);
  onepass::inclusive_scan(policy, steps, steps + n, thrust::make_transform_output_iterator(y, result), op);
}

template <class Policy>
void scan(const Policy& policy, const moving_average& filter, const double* x, std::int64_t n, double* y) {
  scan_steps(policy, average_step{x, filter.alpha}, n, y, constant_part{}, onepass::affine{});
}
template <class Policy>
void scan(const Policy& policy, const biquad& filter, const double* x, std::int64_t n, double* y) {
  scan_steps(policy, biquad_step{x, filter}, n, y, first_constant{}, compose{});
}

}  // namespace recurrence
