# SPDX-License-Identifier: Apache-2.0
"""Bool arrays that are views of other bytes: NumPy takes each byte but 0 for true, and so does every function."""
import numpy as np
import pytest

import onepass
from support import same


def views(n, seed=1):
    """A bool array whose true items have any byte but 0, and the same with 1."""
    rng = np.random.default_rng(seed)
    true = rng.random(n) < 0.5
    return np.where(true, rng.integers(1, 256, n), 0).astype(np.uint8).view(bool), true


CALLS = {
    "cumsum": onepass.cumsum,
    "cumprod": lambda x: onepass.cumprod(x, reverse=True),
    "cummax": onepass.cummax,
    "scan": lambda x: onepass.scan(x, "bitwise_xor", exclusive=True),
    "dtype": lambda x: onepass.cumsum(x, dtype="int32"),
    "rows": lambda x: onepass.cumsum(x.reshape(-1, 10), axis=0),
    "strides": lambda x: onepass.cumsum(x[::-3]),
    "keys": lambda x: onepass.scan(np.arange(x.size), keys=x),
    "segments": lambda x: onepass.scan(np.arange(x.size), segments=x, reverse=True),
    "sort": onepass.sort,
    "argsort": onepass.argsort,
    "sort_by_key": lambda x: onepass.sort_by_key(x, np.arange(x.size)),
    "sort_by_key, rows": lambda x: onepass.sort_by_key(x.reshape(-1, 10), np.arange(x.size, dtype=np.int16).reshape(-1, 10)),
    "top_k": lambda x: onepass.top_k(x, 7),
    "nth_element": lambda x: onepass.nth_element(x, x.size // 2),
    "unique": lambda x: onepass.unique(x, return_index=True, return_inverse=True, return_counts=True),
    "unique alone": onepass.unique,
    "unique_consecutive": lambda x: onepass.unique_consecutive(x, return_inverse=True, return_counts=True),
    "unique_consecutive alone": onepass.unique_consecutive,
    "reduce_by_key": lambda x: onepass.reduce_by_key(x, np.arange(x.size)),
    "reduce_by_key, values": lambda x: onepass.reduce_by_key(np.arange(x.size) // 9, x),
    "segment_reduce": lambda x: onepass.segment_reduce(x, [0, 11, x.size]),
    "histogram": lambda x: onepass.histogram(x, 2, range=(0, 2)),
    "histogram, edges": lambda x: onepass.histogram(x, np.array([0, 1, 255])),
    "compress": lambda x: onepass.compress(np.arange(x.size), x),
    "partition": lambda x: onepass.partition(np.arange(x.size), x),
    "nonzero": onepass.nonzero,
}


def arrays_of(result):
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("n", [50, 30000])
def test_any_byte_is_true(name, n):
    given, true = views(n)
    before = given.tobytes()
    for result, expected in zip(arrays_of(CALLS[name](given)), arrays_of(CALLS[name](true)), strict=True):
        same(result, expected)
        assert result.tobytes() == expected.tobytes()
    assert given.tobytes() == before


def test_out_may_be_such_an_array():
    given, true = views(1000)
    assert onepass.cummax(given, out=given) is given
    same(given, np.maximum.accumulate(true))


def test_no_dimension_and_no_items():
    same(onepass.cumsum(np.array(255, np.uint8).view(bool)), np.array([1]))
    same(onepass.cumsum(np.zeros(0, np.uint8).view(bool)), np.zeros(0, np.int64))
