# SPDX-License-Identifier: Apache-2.0
"""scripts/wheel: calls each function of an installed onepass once, with NumPy alone. usage: wheel_check.py cpu|cuda"""
import sys

import numpy as np

import onepass

x = np.random.default_rng(1).integers(-1000, 1000, 300_001)
mask, order, offsets = x > 0, np.argsort(x, kind="stable"), np.array([0, 7, 7, x.size])
factors, terms = np.full(9, 0.5), np.ones(9)
same = np.testing.assert_array_equal
CHECKS = {
    "scan": lambda: same(onepass.scan(x, "bitwise_xor"), np.bitwise_xor.accumulate(x)),
    "cumsum": lambda: same(onepass.cumsum(x), np.cumsum(x)),
    "cumprod": lambda: same(onepass.cumprod(x), np.cumprod(x)),
    "cummax": lambda: same(onepass.cummax(x), np.maximum.accumulate(x)),
    "cummin": lambda: same(onepass.cummin(x), np.minimum.accumulate(x)),
    "compress": lambda: same(onepass.compress(x, mask), x[mask]),
    "nonzero": lambda: same(onepass.nonzero(x), np.nonzero(x)),
    "partition": lambda: same(np.concatenate(onepass.partition(x, mask)), np.concatenate([x[mask], x[~mask]])),
    "sort": lambda: same(onepass.sort(x), x[order]),
    "argsort": lambda: same(onepass.argsort(x), order),
    "sort_by_key": lambda: same(onepass.sort_by_key(x, np.arange(x.size))[1], order),
    "top_k": lambda: same(onepass.top_k(x, 10, largest=False)[1], order[:10]),
    "nth_element": lambda: same(onepass.nth_element(x, 5), x[order[5]]),
    "unique": lambda: same(onepass.unique(x), np.unique(x)),
    "unique_consecutive": lambda: same(onepass.unique_consecutive(x[order]), np.unique(x)),
    "reduce_by_key": lambda: same(onepass.reduce_by_key(mask, np.ones_like(x))[1].sum(), x.size),
    "segment_reduce": lambda: same(onepass.segment_reduce(x, offsets), [x[:7].sum(), 0, x[7:].sum()]),
    "linear_recurrence": lambda: same(onepass.linear_recurrence(factors, terms), 2 - 0.5 ** np.arange(9)),
    "histogram": lambda: same(onepass.histogram(x, 7)[0], np.histogram(x, 7)[0]),
    "release_workspace": onepass.release_workspace,
    "info": lambda: same(onepass.info()["cuda"], sys.argv[1] == "cuda"),
}
missing = set(onepass.__all__) - {"CudaError"} - set(CHECKS)
assert not missing, f"not called: {missing}"
for check in CHECKS.values():
    check()
if sys.argv[1] == "cuda":
    assert onepass.info()["device"], "this build sees no CUDA device"
print(f"onepass {onepass.__version__} for {sys.argv[1]}: {len(CHECKS)} functions of {onepass.__file__} are right")
