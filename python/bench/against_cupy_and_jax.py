#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times onepass's calls and CuPy's, or JAX's, on the same arrays of a CUDA device, and prints how many times as fast onepass is.

against_cupy_and_jax.py cupy|jax [--log2-items 28] [--filter TEXT] [--repeats 7] [--json FILE]

Results are compared first where they are exact. A time is the median of `repeats` calls (three, if they take more than 50 ms):
with CuPy from events of the stream, with JAX the host's from a call to block_until_ready, as JAX has no events; both sides are
compiled by jax.jit. That of a short call is the host's for many calls in a row, the best of five rounds. Each result is allocated
in each call, on both sides. A case that fails says so.
"""
import argparse
import functools
import json
import os
import statistics
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import numpy as np  # noqa: E402

import onepass  # noqa: E402


class Cupy:
    def __init__(self):
        import cupy

        self.library, self.version = cupy, f"CuPy {cupy.__version__}"
        self.device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()

    def synchronize(self, result):
        self.library.cuda.Device().synchronize()

    def microseconds(self, call):
        begin, end = self.library.cuda.Event(), self.library.cuda.Event()
        begin.record()
        call()
        end.record()
        end.synchronize()
        return self.library.cuda.get_elapsed_time(begin, end) * 1e3

    def short_calls(self):
        x = self.library.random.default_rng(1).standard_normal(1000, dtype="f4")
        mask, cupy = x > 0, self.library
        yield "cumsum", lambda: onepass.cumsum(x), lambda: cupy.cumsum(x), False
        yield "sort", lambda: onepass.sort(x), lambda: cupy.sort(x), True
        yield "argsort", lambda: onepass.argsort(x), lambda: cupy.argsort(x), False
        yield "compress", lambda: onepass.compress(x, mask), lambda: x[mask], True
        yield "nonzero", lambda: onepass.nonzero(mask)[0], lambda: cupy.flatnonzero(mask), True

    def long_calls(self, n):
        cupy = self.library
        rng = cupy.random.default_rng(1)
        x = rng.standard_normal(n, dtype="f4")
        yield "a copy", None, lambda: x.copy(), False
        yield "cumsum f32", lambda: onepass.cumsum(x), lambda: cupy.cumsum(x), False
        half = x.astype("f2")
        yield "cumsum f16", lambda: onepass.cumsum(half), lambda: cupy.cumsum(half), False
        del half
        mask = x > 0
        yield "cumsum bool to i64", lambda: onepass.cumsum(mask), lambda: cupy.cumsum(mask), True
        yield "nonzero", lambda: onepass.nonzero(mask)[0], lambda: cupy.flatnonzero(mask), True
        yield "compress f32", lambda: onepass.compress(x, mask), lambda: x[mask], True
        del mask
        rows = x.reshape(-1, 4096)
        yield f"cumsum f32 {rows.shape[0]} x 4096", lambda: onepass.cumsum(rows), lambda: cupy.cumsum(rows, 1), False
        yield ("the same, axis 0", lambda: onepass.cumsum(rows, axis=0), lambda: cupy.cumsum(rows, 0), False)
        part = x[:n >> 1]
        yield "sort f32, half of the items", lambda: onepass.sort(part), lambda: cupy.sort(part), True
        yield "argsort f32, half of the items", lambda: onepass.argsort(part), lambda: cupy.argsort(part), False
        few = rows[:n >> 14]
        yield f"sort f32 {few.shape[0]} x 4096", lambda: onepass.sort(few), lambda: cupy.sort(few, 1), True
        del x, rows, part, few
        whole = rng.integers(-2**62, 2**62, n >> 2)
        yield "sort i64, a quarter", lambda: onepass.sort(whole), lambda: cupy.sort(whole), True
        yield "argsort i64, a quarter", lambda: onepass.argsort(whole), lambda: cupy.argsort(whole), True
        small = (whole % 1000).astype("i4")
        yield "unique i32 of 1,000 values, a quarter", lambda: onepass.unique(small), lambda: cupy.unique(small), True


class Jax:
    def __init__(self):
        import jax

        self.library, self.version, self.device = jax, f"JAX {jax.__version__}", jax.devices()[0].device_kind

    def synchronize(self, result):
        self.library.block_until_ready(result)

    def microseconds(self, call):
        begin = time.perf_counter()
        self.library.block_until_ready(call())
        return (time.perf_counter() - begin) * 1e6

    def pair(self, ours, theirs, *arrays):
        """Both compiled, and called with the arrays."""
        return [of and functools.partial(self.library.jit(of), *arrays) for of in (ours, theirs)]

    def random(self, *shape, seed=1):
        return self.library.random.normal(self.library.random.key(seed), shape, "float32")

    def short_calls(self):
        jnp, x = self.library.numpy, self.random(1000)
        yield "cumsum", *self.pair(onepass.cumsum, jnp.cumsum, x), False
        yield "sort", *self.pair(onepass.sort, jnp.sort, x), True
        yield "argsort", *self.pair(onepass.argsort, jnp.argsort, x), True
        yield "top_k, 10", *self.pair(lambda x: onepass.top_k(x, 10), lambda x: self.library.lax.top_k(x, 10), x), True

    def long_calls(self, n):
        jax, jnp = self.library, self.library.numpy
        x = self.random(n)
        yield "a copy", *self.pair(None, lambda x: x + 1, x), False
        yield "cumsum f32", *self.pair(onepass.cumsum, jnp.cumsum, x), False
        brain = x.astype("bfloat16")
        yield "cumsum bf16", *self.pair(onepass.cumsum, jnp.cumsum, brain), False
        del brain
        yield "nonzero, size=n", *self.pair(lambda x: onepass.nonzero(x > 0, size=n)[0],
                                            lambda x: jnp.nonzero(x > 0, size=n, fill_value=-1)[0], x), True
        rows = x.reshape(-1, 4096)
        yield f"cumsum f32 {rows.shape[0]} x 4096", *self.pair(onepass.cumsum, lambda x: jnp.cumsum(x, 1), rows), False
        for k in (10, 1000):
            yield f"top_k f32, {k}", *self.pair(lambda x: onepass.top_k(x, k)[0], lambda x: jax.lax.top_k(x, k)[0], x), True
        few = rows[:n >> 14]
        yield (f"top_k f32, 64 of {few.shape[0]} x 4096",
               *self.pair(lambda x: onepass.top_k(x, 64), lambda x: jax.lax.top_k(x, 64), few), True)
        yield f"sort f32 {few.shape[0]} x 4096", *self.pair(onepass.sort, jnp.sort, few), True
        del rows
        part = x[:n >> 2]
        del x
        yield "sort f32, a quarter", *self.pair(onepass.sort, jnp.sort, part), True
        yield "argsort f32, a quarter", *self.pair(onepass.argsort, jnp.argsort, part), True
        brain = part.astype("bfloat16")
        yield "sort bf16, a quarter", *self.pair(onepass.sort, jnp.sort, brain), True
        a, b = (self.random(n >> 14, 4096, seed=seed) for seed in (2, 3))

        def loop(a, b):
            return jax.lax.associative_scan(lambda first, second: (first[0] * second[0], second[0] * first[1] + second[1]),
                                            (a, b), axis=1)[1]

        yield f"recurrence f32 {n >> 14} x 4096", *self.pair(onepass.linear_recurrence, loop, jnp.tanh(a), b), False


def time_short(library, call, calls=1000):
    best = float("inf")
    for _ in range(5):
        library.synchronize(call())
        begin = time.perf_counter()
        for _ in range(calls):
            result = call()
        library.synchronize(result)
        best = min(best, (time.perf_counter() - begin) / calls * 1e6)
    return best


def time_long(library, call, repeats):
    for _ in range(2):
        library.synchronize(call())
    times = []
    while len(times) < repeats and not (len(times) >= 3 and times[-1] > 5e4):
        times.append(library.microseconds(call))
    return statistics.median(times)


def compare(ours, theirs):
    one, other = ours(), theirs()
    for a, b in zip(one, other) if isinstance(one, (tuple, list)) else ((one, other),):
        if a.shape != b.shape or not bool((a == b).all()):
            raise AssertionError("results differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=["cupy", "jax"])
    parser.add_argument("--log2-items", type=int, default=28)
    parser.add_argument("--filter", default="")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--json", default="")
    options = parser.parse_args()
    library, n, results = Cupy() if options.library == "cupy" else Jax(), 1 << options.log2_items, []
    print(f"onepass {onepass.__version__}, {library.version}, NumPy {np.__version__}, {library.device}, {n} items")
    print(f"{'':40} {'items':>10} {'onepass, us':>12} {options.library + ', us':>12} {'times':>8}")

    def row(name, items, ours, theirs, is_equal, timer):
        if options.filter not in name:
            return
        try:
            if is_equal:
                compare(ours, theirs)
            a, b = [timer(library, call) if call else float("nan") for call in (ours, theirs)]
        except Exception as error:
            print(f"{name:40} {items:10} FAILED {error!r}"[:200], flush=True)
            return
        print(f"{name:40} {items:10} {a:12.1f} {b:12.1f} {b / a:8.2f}{' equal' if is_equal else ''}", flush=True)
        results.append({"name": name, "items": items, "onepass_us": a, f"{options.library}_us": b})

    for name, ours, theirs, is_equal in library.short_calls():
        row(name, 1000, ours, theirs, is_equal, time_short)
    for name, ours, theirs, is_equal in library.long_calls(n):
        row(name, n, ours, theirs, is_equal, lambda of, call: time_long(of, call, options.repeats))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"device": library.device, options.library: library.version, "rows": results}, file, indent=1)


if __name__ == "__main__":
    main()
