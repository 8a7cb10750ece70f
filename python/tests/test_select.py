# SPDX-License-Identifier: Apache-2.0
"""compress, nonzero and partition against NumPy's indexing."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onepass
from support import SIZES, TYPES, same, strided

MOVED = [*TYPES, "float16", "complex64", "datetime64[s]", "S4", "i4,f4"]


def mask_for(data, x):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    mask = rng.random(x.shape) < data.draw(st.sampled_from([0.0, 0.02, 0.5, 1.0]))
    return np.asfortranarray(mask) if data.draw(st.booleans()) else mask


@given(st.data())
def test_compress_and_partition(data):
    x = data.draw(strided())
    mask = mask_for(data, x)
    same(onepass.compress(x, mask), x[mask])
    chosen, others = onepass.partition(x, mask)
    same(chosen, x[mask])
    same(others, x[~mask])
    size = data.draw(st.integers(0, x.size + 3))
    expected = np.full(size, 1, x.dtype)
    kept = x[mask][:size]
    expected[:kept.size] = kept
    same(onepass.compress(x, mask, size=size, fill=1), expected)


@pytest.mark.parametrize("dtype", MOVED)
@pytest.mark.parametrize("n", SIZES)
def test_items_of_any_type(dtype, n):
    rng = np.random.default_rng(n)
    x = rng.integers(0, 256, n * np.dtype(dtype).itemsize, dtype=np.uint8).view(dtype) if dtype != "bool" else rng.random(n) < 0.5
    mask = rng.random(n) < 0.3
    for result, expected in ((onepass.compress(x, mask), x[mask]), (onepass.partition(x, mask)[1], x[~mask])):
        assert result.dtype == expected.dtype
        assert result.tobytes() == expected.tobytes()


@given(st.data())
def test_nonzero(data):
    x = data.draw(strided())
    if data.draw(st.booleans()):
        x = x * (np.random.default_rng(1).random(x.shape) < 0.1).astype(x.dtype)
    result, expected = onepass.nonzero(x), np.nonzero(x)
    assert isinstance(result, tuple) and len(result) == x.ndim
    for a, b in zip(result, expected):
        same(a, b)
    if x.ndim == 1:
        size = data.draw(st.integers(0, x.size + 3))
        padded = np.full(size, -7, np.int64)
        kept = expected[0][:size]
        padded[:kept.size] = kept
        same(onepass.nonzero(x, size=size, fill=-7)[0], padded)


def test_nan_is_not_zero():
    same(onepass.nonzero(np.array([0.0, np.nan, -0.0]))[0], np.array([1]))


@pytest.mark.parametrize("error, text, call", [
    (TypeError, "compress: x has dtype object", lambda x, m: onepass.compress(x.astype(object), m)),
    (TypeError, "compress: x has dtype complex128", lambda x, m: onepass.compress(x * 1j, m)),
    (TypeError, "compress: mask has dtype int64, not bool", lambda x, m: onepass.compress(x, x)),
    (ValueError, r"compress: mask has shape \(4,\), not \(5,\)", lambda x, m: onepass.compress(x, m[1:])),
    (ValueError, "partition: mask has shape", lambda x, m: onepass.partition(x, m[None])),
    (TypeError, "compress: size is 1.5", lambda x, m: onepass.compress(x, m, size=1.5)),
    (ValueError, "compress: size is -1, below 0", lambda x, m: onepass.compress(x, m, size=-1)),
    (ValueError, "compress: fill is 300, which is no int8", lambda x, m: onepass.compress(x.astype("i1"), m, size=9, fill=300)),
    (TypeError, "nonzero: size is given", lambda x, m: onepass.nonzero(x[None], size=3)),
    (TypeError, "nonzero: x has no dimension", lambda x, m: onepass.nonzero(np.array(3))),
])
def test_refused(error, text, call):
    with pytest.raises(error, match=f"^onepass.{text}"):
        call(np.arange(5), np.ones(5, bool))
