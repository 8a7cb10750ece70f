#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times onepass's calls and NumPy's by turns in one process, and prints how many times as fast onepass is.

against_numpy.py [--sizes 1000,1000000,10000000] [--filter TEXT] [--seconds 1] [--cpu-time]

Results are compared first. By turns, as other programs on the machine then disturb both; a time is the median. Each result is
allocated in each call, on both sides. --cpu-time counts the process's time on its core, and not the time that other programs
have it: for one core of a busy machine (taskset -c 1), where a long call is interrupted more often than a short one.
"""
import argparse
import os
import statistics
import time

import numpy as np

import onepass


def largest(x, k):
    """The k largest in order, as NumPy finds them; onepass finds their indices, too."""
    return np.sort(np.partition(x, -k)[..., -k:])[..., ::-1]


def cases(n, rng):
    """name, onepass's call, NumPy's call"""
    f32, f64 = rng.standard_normal(n).astype("f4"), rng.standard_normal(n)
    i32, i64 = rng.integers(-2**31, 2**31, n, dtype="i4"), rng.integers(-2**62, 2**62, n)
    whole = np.trunc(f32 * 4)  # sums are exact in every order
    whole64, few_valued = whole.astype("f8"), i32 % 1000
    mask = f32 > 0
    offsets = np.unique(rng.integers(0, n, max(n // 50, 1)))
    offsets[0] = 0
    yield "cumsum f32", lambda: onepass.cumsum(whole), lambda: np.cumsum(whole)
    yield "cumsum f64", lambda: onepass.cumsum(whole64), lambda: np.cumsum(whole64)
    yield "cumsum i64", lambda: onepass.cumsum(i64), lambda: np.cumsum(i64)
    yield "cumsum i32 -> i32", lambda: onepass.cumsum(i32, dtype="i4"), lambda: np.cumsum(i32, dtype="i4")
    yield "cumsum i32 -> i64", lambda: onepass.cumsum(i32), lambda: np.cumsum(i32)
    yield "cumsum bool -> i64", lambda: onepass.cumsum(mask), lambda: np.cumsum(mask)
    yield "cummax f32", lambda: onepass.cummax(f32), lambda: np.maximum.accumulate(f32)
    if n >= 1000:
        rows, columns = i64[:n - n % 100].reshape(-1, 100), i64[:n - n % 100].reshape(100, -1)
        yield "cumsum i64, rows of 100", lambda: onepass.cumsum(rows), lambda: np.cumsum(rows, axis=1)
        yield "cumsum i64, axis 0 of 100", lambda: onepass.cumsum(columns, axis=0), lambda: np.cumsum(columns, axis=0)
        few = f32[:n - n % 100].reshape(-1, 100)
        yield "sort f32, rows of 100", lambda: onepass.sort(few), lambda: np.sort(few)
        yield "top_k f32, 5 of rows of 100", lambda: onepass.top_k(few, 5)[0], lambda: largest(few, 5)
        yield "top_k f32, 100", lambda: onepass.top_k(f32, 100)[0], lambda: largest(f32, 100)
        yield "top_k i64, 100", lambda: onepass.top_k(i64, 100)[0], lambda: largest(i64, 100)
        yield "top_k f32, a tenth", lambda: onepass.top_k(f32, n // 10)[0], lambda: largest(f32, n // 10)
    yield "nth_element f32, median", lambda: onepass.nth_element(f32, n // 2), lambda: np.partition(f32, n // 2)[n // 2]
    yield "x[mask] f32", lambda: onepass.compress(f32, mask), lambda: f32[mask]
    yield "x[mask] f64", lambda: onepass.compress(f64, mask), lambda: f64[mask]
    yield "nonzero", lambda: onepass.nonzero(mask)[0], lambda: np.nonzero(mask)[0]
    yield "sort f32", lambda: onepass.sort(f32), lambda: np.sort(f32)
    yield "sort i32", lambda: onepass.sort(i32), lambda: np.sort(i32)
    yield "sort i64", lambda: onepass.sort(i64), lambda: np.sort(i64)
    yield "argsort f32, stable", lambda: onepass.argsort(f32), lambda: np.argsort(f32, kind="stable")
    yield "argsort i64, stable", lambda: onepass.argsort(i64), lambda: np.argsort(i64, kind="stable")
    yield "unique i32, 2,000 values", lambda: onepass.unique(few_valued), lambda: np.unique(few_valued)
    yield ("segment sums i64, mean 50", lambda: onepass.segment_reduce(i64, np.append(offsets, n)),
           lambda: np.add.reduceat(i64, offsets))


def seconds_of(clock, call):
    start = clock()
    call()
    return clock() - start


def measure(ours, theirs, seconds, clock):
    """The medians of both."""
    once = max(seconds_of(clock, ours), seconds_of(clock, theirs))
    repeats = max(1, int(2e-4 / once))  # short calls are timed many at once
    times, end = ([], []), time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[0]) < 3:
        for call, of in zip((ours, theirs), times):
            start = clock()
            for _ in range(repeats):
                call()
            of.append((clock() - start) / repeats)
    return [statistics.median(of) for of in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1000,1000000,10000000")
    parser.add_argument("--filter", default="")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--cpu-time", action="store_true")
    options = parser.parse_args()
    clock = time.process_time if options.cpu_time else time.perf_counter
    print(f"onepass {onepass.__version__}, NumPy {np.__version__}, {len(os.sched_getaffinity(0))} cores, "
          f"load {os.getloadavg()[0]:.1f}")
    print(f"{'':28} {'n':>10} {'onepass, us':>12} {'NumPy, us':>12} {'times NumPy':>12}")
    for n in map(int, options.sizes.split(",")):
        for name, ours, theirs in cases(n, np.random.default_rng(1)):
            if options.filter in name:
                np.testing.assert_array_equal(ours(), theirs())
                a, b = measure(ours, theirs, options.seconds, clock)
                print(f"{name:28} {n:10} {a * 1e6:12.1f} {b * 1e6:12.1f} {b / a:12.2f}", flush=True)


if __name__ == "__main__":
    main()
