// SPDX-License-Identifier: Apache-2.0
// A thread's work on one tile of a scan.
//   begin   combines the tile's items; this brings them into the cache
//   finish  scans them, with the tile's prefix before the first, and stores the results
// It works in vectors where there are kernels for the operator and the types (core/cpu/simd/simd_scan.hpp), and in
// plain loops otherwise.
#pragma once

#include "cpu_tile_driver.hpp"
#include "../simd/simd_scan.hpp"

namespace onepass::detail {

template <class Job>
class cpu_scan_tile {
  using value = typename Job::value_type;
  using kernels = scan_kernels<Job>;  // those of the usual level

 public:
  // 128 KB of input (cpu_tile_bytes), which stays in a second-level cache beside the output.
  static constexpr index_t items =
      std::max<index_t>(1, cpu_tile_bytes / index_t{sizeof(typename Job::source_type::read_type)});
  static std::size_t scratch_bytes(index_t) { return 0; }
  // In vectors, two threads are faster than one from 8 tiles, 1 MB, on: docs/history/performance-log.md, "CPU". In
  // plain loops a functor may take any time, so there two threads begin with two tiles.
  static constexpr index_t tiles_a_thread = kernels::possible ? 4 : 1;
  static constexpr bool begin_only_combines = true;

  cpu_scan_tile(const Job& job, char*)
      : job_(job), op_(job.op), level_(kernels::possible ? simd_in_use() : simd_level::none) {}

  value begin(index_t first, index_t count) {
    if constexpr (kernels::possible) {
      if (level_ != simd_level::none) return at_level([&](auto of) { return of.reduce(job_, first, count); });
    }
    value total = job_.source.at(first);
    for (index_t i = first + 1; i < first + count; ++i) total = static_cast<value>(op_(total, job_.source.at(i)));
    return total;
  }

  // Tells the range that this thread begins after the next finish.
  void expect(index_t first, index_t count) {
    if constexpr (kernels::possible) ahead_ = kernels::ahead(job_, first, count);
  }

  template <class Optional>
  void finish(index_t first, index_t count, const Optional& prefix, bool) {
    if constexpr (kernels::possible) {
      if (level_ != simd_level::none)
        return at_level([&](auto of) { of.scan(job_, first, count, prefix, std::exchange(ahead_, {})); });
    }
    finish_plainly(first, count, prefix);
  }

 private:
  // Calls f with the kernels of the level in use.
  template <class F>
  auto at_level(F f) const {
#if ONEPASS_HAS_SIMD && defined(__x86_64__)
    if constexpr (kernels::pays_in_avx512) {
      if (level_ == simd_level::avx512) return f(avx512::scan_kernels<Job>());
    }
#endif
    return f(kernels());
  }

  template <class Optional>
  void finish_plainly(index_t first, index_t count, const Optional& prefix) {
    const index_t end = first + count;
    if constexpr (Job::inclusive) {
      const value item = job_.source.at(first);
      value inclusive = prefix ? static_cast<value>(op_(*prefix, item)) : item;
      job_.out[first] = as_item_of<decltype(job_.out)>(job_.emit(inclusive, false));
      for (index_t i = first + 1; i < end; ++i) {
        inclusive = static_cast<value>(op_(inclusive, job_.source.at(i)));
        job_.out[i] = as_item_of<decltype(job_.out)>(job_.emit(inclusive, false));
      }
    } else {
      value before = *prefix;
      for (index_t i = first; i < end; ++i) {
        const value item = job_.source.at(i);  // read before the result is stored, as the call may work in place
        job_.out[i] = as_item_of<decltype(job_.out)>(job_.emit(before, job_.emit.mark(item)));
        before = static_cast<value>(op_(before, item));
      }
    }
  }

  Job job_;
  typename Job::op_type op_;
  const simd_level level_;
  read_ahead ahead_;
};

}  // namespace onepass::detail
