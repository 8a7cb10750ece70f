# SPDX-License-Identifier: Apache-2.0
"""Arrays that Hypothesis draws, and how results are compared."""
import hypothesis.extra.numpy as npst
import numpy as np
from hypothesis import strategies as st

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float32", "float64"]
TYPES = ["bool", *INTEGERS, *FLOATS]
# Around the engine's tiles, and where a call begins to use several threads.
SIZES = [0, 1, 2, 3, 31, 33, 1000, 1025, 16385, 100003]


def random_array(rng, dtype, shape, few=False):
    """Any bits for integers; for floats whole numbers, so that sums are exact in every order."""
    dtype = np.dtype(dtype)
    if dtype == bool:
        return rng.random(shape) < 0.5
    if dtype.kind == "f":
        return rng.integers(-8, 8, shape).astype(dtype)
    info = np.iinfo(dtype)
    low, high = (0, 5) if few else (info.min, info.max)
    return rng.integers(low, high, shape, dtype=dtype, endpoint=True)


@st.composite
def strided(draw, dtypes=TYPES, dimensions=3, side=40):
    """An array of any type and shape, maybe with gaps, reversed or transposed, and an axis of it."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    shape = draw(npst.array_shapes(min_dims=1, max_dims=dimensions, min_side=0, max_side=side))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    steps = tuple(draw(st.sampled_from([1, 1, 1, 2, -1, -3])) for _ in shape)
    whole = random_array(rng, dtype, tuple(n * abs(step) for n, step in zip(shape, steps)), few=draw(st.booleans()))
    x = whole[tuple(slice(None, None, step) for step in steps)]
    assert x.shape == tuple(shape)
    if draw(st.booleans()):
        x = x.T
    return x


def axes_of(x):
    return st.one_of(st.none(), st.integers(-x.ndim, x.ndim - 1))


def same(result, expected):
    """Equal in kind, type, shape and every item; NaN equals NaN."""
    assert isinstance(result, np.ndarray)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result, expected)
    return True
