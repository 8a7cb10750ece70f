# SPDX-License-Identifier: Apache-2.0
"""NumPy's arrays whose items do not lie at multiples of their size, as in a file behind a header: none goes to the engine."""
import numpy as np
import pytest

import onepass
from onepass._numpy_arrays import NumpyArrays
from support import random_array, same

TYPES = ["int16", "uint32", "int64", "float16", "float32", "float64"]
CALLS = {
    "cumsum": onepass.cumsum,
    "cumsum, columns": lambda x: onepass.cumsum(x.reshape(20, -1), axis=0),
    "cumsum, reverse": lambda x: onepass.cumsum(x, reverse=True),
    "cummax": onepass.cummax,
    "scan, init": lambda x: onepass.scan(x, "max", init=1),
    "sort": onepass.sort,
    "argsort": onepass.argsort,
    "sort_by_key": lambda x: onepass.sort_by_key(x, x),
    "top_k": lambda x: onepass.top_k(x, 7),
    "nth_element": lambda x: onepass.nth_element(x, 7),
    "unique": lambda x: onepass.unique(x, return_inverse=True),
    "unique_consecutive": onepass.unique_consecutive,
    "compress": lambda x: onepass.compress(x, x > 1),
    "partition": lambda x: onepass.partition(x, x > 1),
    "nonzero": onepass.nonzero,
    "segment_reduce": lambda x: onepass.segment_reduce(x, unaligned(np.array([0, 7, 100]))),
    "scan, segments": lambda x: onepass.scan(x, segments=unaligned(np.array([0, 7, 100]))),
    "scan, keys": lambda x: onepass.scan(x, keys=unaligned(np.arange(100) // 7)),
    "reduce_by_key": lambda x: onepass.reduce_by_key(unaligned(np.arange(100) // 7), x),
    "histogram": lambda x: onepass.histogram(x, 3),
    "histogram, edges": lambda x: onepass.histogram(x, unaligned(np.array([0.0, 1.0, 2.0]))),
}


def unaligned(x):
    """A copy that begins behind one byte."""
    buffer = bytearray(x.nbytes + 1)
    moved = np.frombuffer(buffer, x.dtype, offset=1)
    moved[...] = x
    assert x.itemsize == 1 or moved.ctypes.data % x.itemsize
    return moved


@pytest.fixture(autouse=True)
def looked_at(monkeypatch):
    """What goes to the engine is looked at."""
    def checked(given):
        def address(x):
            result = given(x)
            assert result.ctypes.data % result.itemsize == 0
            return result
        return staticmethod(address)

    monkeypatch.setattr(NumpyArrays, "address", checked(NumpyArrays.address))
    monkeypatch.setattr(NumpyArrays, "bytes_of", checked(NumpyArrays.bytes_of))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", CALLS)
def test_items(name, dtype):
    x = random_array(np.random.default_rng(1), dtype, 100, few=True)
    results, expected = (result if isinstance(result, tuple) else (result,) for result in map(CALLS[name], (unaligned(x), x)))
    for one, other in zip(results, expected, strict=True):
        same(one, other)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_recurrence(dtype):
    a, b = (random_array(np.random.default_rng(seed), dtype, 100) for seed in (1, 2))
    same(onepass.linear_recurrence(unaligned(a), unaligned(b), init=3), onepass.linear_recurrence(a, b, init=3))


@pytest.mark.parametrize("dtype", ["complex64", "datetime64[s]", "S4", "i4,f4"])
def test_items_that_are_only_moved(dtype):
    x, mask = np.arange(800, dtype=np.uint16)[:100 * np.dtype(dtype).itemsize // 2].view(dtype), np.arange(100) % 3 == 0
    results = onepass.compress(unaligned(x), mask), *onepass.partition(unaligned(x), mask)
    for one, other in zip(results, (x[mask], x[mask], x[~mask]), strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_out(dtype, reverse):
    x = random_array(np.random.default_rng(1), dtype, 100)
    expected, out = onepass.cumsum(x, reverse=reverse), unaligned(np.zeros(100, dtype))
    for given in (x, unaligned(x), out):
        out[...] = x
        assert onepass.cumsum(given, reverse=reverse, out=out) is out
        same(out, expected)
