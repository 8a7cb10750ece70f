// SPDX-License-Identifier: Apache-2.0
// A random table, made by all threads.
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "../common/cpu_backend.hpp"
#include "table.hpp"

namespace query {
namespace {

// SplitMix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014), figure 16.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

struct ride_values {
  std::uint64_t seed;
  std::uint64_t bits(std::uint64_t row, std::uint64_t field) const { return mixed(mixed(seed) + row * 8 + field); }
  double uniform(std::uint64_t row, std::uint64_t field) const {
    return static_cast<double>(bits(row, field) >> 11) * 0x1p-53;
  }
  // In whole cents, as fares are.
  static double cents(double value) { return std::floor(value * 100) / 100; }
};

column named(const char* name, column_type type) {
  column result;
  result.name = name;
  result.type = type;
  return result;
}

}  // namespace

table generated_table(std::size_t rows, std::uint64_t seed) {
  constexpr std::uint32_t zones = 260;
  column zone = named("zone", column_type::text), payment = named("payment", column_type::text);
  column passengers = named("passengers", column_type::integer);
  column distance = named("distance", column_type::real), fare = named("fare", column_type::real),
         tip = named("tip", column_type::real);
  for (std::uint32_t i = 0; i < zones; ++i) zone.words.push_back("zone " + std::to_string(1000 + i).substr(1));
  payment.words = {"cash", "credit card", "dispute", "voucher"};
  zone.texts.resize(rows);
  payment.texts.resize(rows);
  passengers.integers.resize(rows);
  for (column* reals : {&distance, &fare, &tip}) reals->reals.resize(rows);
  const ride_values values{seed};
  apps::cpu_backend(0).for_each(static_cast<std::int64_t>(rows), [&](std::int64_t index) {
    const auto row = static_cast<std::size_t>(index);
    zone.texts[row] = static_cast<std::uint32_t>(values.bits(row, 0) % zones);
    payment.texts[row] = std::array<std::uint32_t, 8>{0, 0, 1, 1, 1, 1, 2, 3}[values.bits(row, 1) % 8];
    passengers.integers[row] = 1 + static_cast<std::int64_t>(values.bits(row, 2) % 6);
    const double miles = 0.5 + 20 * values.uniform(row, 3) * values.uniform(row, 3);
    distance.reals[row] = ride_values::cents(miles);
    fare.reals[row] = ride_values::cents(2.5 + 2.5 * miles + 5 * values.uniform(row, 4));
    tip.reals[row] = values.bits(row, 5) % 16 == 0 ? missing_real
                                                   : ride_values::cents(0.3 * fare.reals[row] * values.uniform(row, 6));
  });
  table result;
  result.columns = {std::move(zone),     std::move(payment), std::move(passengers),
                    std::move(distance), std::move(fare),    std::move(tip)};
  return result;
}

}  // namespace query
