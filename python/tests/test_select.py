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


NOT_NUMBERS = [
    np.array(["a", "", "b", " "]), np.array([b"a", b"", b"b", b"\0\0", b" "]), np.array([0, 1], "M8[s]"),
    np.array(["NaT", 0, 5], "M8[s]"), np.array([0, -1], "m8[ns]"), np.array([None, 0, "", [], 1], object),
    np.array([(0, 0.0), (0, 1.0), (0, np.nan), (0, -0.0)], "i4,f4"),
    np.array([(0, ""), (0, "a")], [("number", "i1"), ("text", "U3")]), np.array([b"\0\0", b"\1\0"]).view("V2"),
    np.array([0, 1j, 0]), np.array([0, 1, 2], "f16"), np.array([0, 1, 256], ">i2"), np.array([0, 1, 2], "f2"),
]


@pytest.mark.parametrize("x", NOT_NUMBERS, ids=lambda x: str(x.dtype))
def test_nonzero_of_any_type(x):
    for given in (x, x[::-1], np.stack([x, x[::-1]]).T):
        for result, expected in zip(onepass.nonzero(given), np.nonzero(given), strict=True):
            same(result, expected)
    same(onepass.nonzero(x, size=2)[0], np.append(np.nonzero(x)[0], [-1, -1])[:2])


def test_an_item_may_refuse_to_be_true_or_false():
    x = np.empty(1, object)
    x[0] = np.arange(2)
    with pytest.raises(ValueError, match="ambiguous"):
        onepass.nonzero(x)


def test_texts():
    mask = np.array([True, False, True])
    same(onepass.compress(np.array(["a", "bc", "d"]), mask, size=4, fill="-"), np.array(["a", "d", "-", "-"], "U2"))
    same(onepass.compress(np.array([b"a", b"bc", b"d"]), mask, size=4, fill=""), np.array([b"a", b"d", b"", b""], "S2"))


@pytest.mark.parametrize("error, text, call", [
    (TypeError, "compress: x has dtype object", lambda x, m: onepass.compress(x.astype(object), m)),
    (TypeError, "compress: x has dtype complex128", lambda x, m: onepass.compress(x * 1j, m)),
    (TypeError, "compress: mask has dtype int64, not bool", lambda x, m: onepass.compress(x, x)),
    (ValueError, r"compress: mask has shape \(4,\), not \(5,\)", lambda x, m: onepass.compress(x, m[1:])),
    (ValueError, "partition: mask has shape", lambda x, m: onepass.partition(x, m[None])),
    (TypeError, "compress: size is 1.5", lambda x, m: onepass.compress(x, m, size=1.5)),
    (ValueError, "compress: size is -1, below 0", lambda x, m: onepass.compress(x, m, size=-1)),
    (ValueError, f"compress: size is {1 << 62}, .* more than any memory has", lambda x, m: onepass.compress(x, m, size=1 << 62)),
    (ValueError, f"nonzero: size is {1 << 62}", lambda x, m: onepass.nonzero(x, size=1 << 62)),
    (ValueError, "compress: fill is 300, which is no int8", lambda x, m: onepass.compress(x.astype("i1"), m, size=9, fill=300)),
    (ValueError, "compress: fill is 0, which is no <U1", lambda x, m: onepass.compress(x.astype("U1"), m, size=9)),
    (ValueError, "compress: fill is 'long', which is no <U1",
     lambda x, m: onepass.compress(x.astype("U1"), m, size=9, fill="long")),
    (ValueError, "compress: fill is 7, which is no |S2", lambda x, m: onepass.compress(x.astype("S2"), m, size=9, fill=7)),
    (TypeError, "nonzero: size is given", lambda x, m: onepass.nonzero(x[None], size=3)),
    (TypeError, "nonzero: x has no dimension", lambda x, m: onepass.nonzero(np.array(3))),
])
def test_refused(error, text, call):
    with pytest.raises(error, match=f"^onepass.{text}"):
        call(np.arange(5), np.ones(5, bool))
