// SPDX-License-Identifier: Apache-2.0
// Columns on the CPU: a thread sweeps over the rows of some neighbouring columns, a band, and keeps the combination of
// each column so far, its carry, in the nearest cache. So a band is read in rows, in vectors where there are lanes for
// the operator and the types. A column is one thread's, and is combined from its first item to its last.
#pragma once

#include <memory>

#include "../cpu/driver/thread_team.hpp"
#include "../cpu/simd/simd_scan.hpp"
#include "../support/construct.hpp"
#include "../support/iterator.hpp"
#include "column_job.hpp"

namespace onepass::detail {

constexpr index_t carry_bytes = 4096;       // of a band, so that rows beside them fit a first-level cache; not measured
constexpr index_t least_band_columns = 64;  // so that a band's part of a row has whole cache lines
constexpr index_t least_shared_items = 1 << 16;  // fewer are one thread's; not measured for columns

struct column_band {
  index_t first;          // the index of its first item
  index_t columns, rows;  // the last row may be shorter
  index_t result;         // the number of its first column among all columns
};

// What a thread keeps for each column of a band. It has no more than were added.
template <class T, index_t most>
class column_carries {
 public:
  column_carries() = default;
  ~column_carries() { std::destroy_n(data(), count_); }
  column_carries(const column_carries&) = delete;
  column_carries& operator=(const column_carries&) = delete;
  void add(const T& x) {
    detail::construct(data() + count_, x);
    ++count_;
  }
  T& operator[](index_t c) { return data()[c]; }

 private:
  T* data() { return reinterpret_cast<T*>(memory_); }
  alignas(T) unsigned char memory_[static_cast<std::size_t>(most) * sizeof(T)];
  index_t count_ = 0;
};

#if !ONEPASS_HAS_SIMD
template <class Job>
struct column_kernels {
  static constexpr bool possible = false;
};
#endif

}  // namespace onepass::detail

#if ONEPASS_HAS_SIMD
#if defined(__x86_64__)
#include "../cpu/simd/level_avx512.inc"
#include "cpu_columns.inc"
#include "../cpu/simd/level_end.inc"
#endif
#include "../cpu/simd/level_avx2.inc"
#include "cpu_columns.inc"
#include "../cpu/simd/level_end.inc"
#endif

namespace onepass::detail {

template <class Job>
class cpu_column_sweep {
  using value = typename Job::value_type;
  using kernels = column_kernels<Job>;  // those of the usual level
  static constexpr index_t plain_columns = std::max<index_t>(1, carry_bytes / index_t{sizeof(value)});

 public:
  // So many columns are a band at most.
  static constexpr index_t most_columns = kernels::possible ? carry_bytes / index_t{sizeof(value)} : plain_columns;

  explicit cpu_column_sweep(const Job& job) : job_(job), level_(kernels::possible ? simd_in_use() : simd_level::none) {}

  void run(const column_band& band) const {
    if constexpr (kernels::possible) {
      if (level_ != simd_level::none) return at_level([&](auto of) { of.sweep(job_, band); });
    }
    for (index_t c = 0; c < band.columns; c += plain_columns) {
      const index_t columns = std::min(plain_columns, band.columns - c);
      run_plainly({band.first + c, columns, job_.shape.rows_from(band.first + c, band.rows), band.result + c});
    }
  }

 private:
  template <class F>
  void at_level(F f) const {
#if ONEPASS_HAS_SIMD && defined(__x86_64__)
    if (level_ == simd_level::avx512) return f(avx512::column_kernels<Job>());
#endif
    if constexpr (kernels::possible) f(kernels());
  }

  void run_plainly(const column_band& band) const {
    constexpr bool is_exclusive = Job::result == column_result::exclusive;
    column_carries<value, plain_columns> carry;
    auto op = job_.op;
    index_t i = band.first;
    for (index_t row = 0; row < band.rows; ++row, i += job_.shape.width) {
      const index_t columns = std::min(band.columns, job_.shape.n - i);
      for (index_t c = 0; c < columns; ++c) {
        const value item = job_.source.at(i + c);  // read before the result is stored, as the call may work in place
        if (row == 0) carry.add(is_exclusive ? *job_.initial : item);
        if constexpr (is_exclusive) store(i + c, carry[c]);
        if (is_exclusive || row > 0) carry[c] = static_cast<value>(op(carry[c], item));
        if constexpr (Job::result == column_result::inclusive) store(i + c, carry[c]);
      }
    }
    if constexpr (Job::result == column_result::total) {
      for (index_t c = 0; c < band.columns; ++c)
        store(band.result + c, static_cast<value>(op(*job_.initial, carry[c])));
    }
  }
  void store(index_t i, const value& x) const { job_.out[i] = as_item_of<decltype(job_.out)>(x); }

  Job job_;
  const simd_level level_;
};

// Runs a job on up to `threads` threads. What the operator throws reaches the caller.
template <class Job>
void run_columns_on_cpu(const Job& job, int threads) {
  const column_shape& shape = job.shape;
  if (shape.n == 0) return;
  using sweep_type = cpu_column_sweep<Job>;
  const int members = shape.n < least_shared_items ? 1 : threads > 0 ? threads : available_threads();
  // Some bands for each thread, so that all end at about the same time (4: not measured).
  const index_t wanted = divide_up(index_t{4} * members, shape.arrays());
  const index_t narrow = round_up(divide_up(shape.width, wanted), least_band_columns);
  const index_t columns = members > 1 ? std::min(sweep_type::most_columns, narrow) : sweep_type::most_columns;
  const index_t bands = divide_up(shape.width, columns);
  share_out(members, shape.arrays() * bands, [&](index_t part, int) {
    const index_t array = part / bands, column = part % bands * columns;
    const index_t first = array * shape.array_items() + column;
    if (first >= shape.n) return;
    const index_t most = std::min(columns, std::min(shape.width - column, shape.n - first));
    sweep_type(job).run({first, most, shape.rows_from(first, shape.height), array * shape.width + column});
  });
}

}  // namespace onepass::detail
