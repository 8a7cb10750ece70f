# SPDX-License-Identifier: Apache-2.0
"""scan and the cumulative functions against NumPy's."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onepass
from support import FLOATS, SIZES, TYPES, axes_of, random_array, same, strided

UFUNCS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "bitwise_and": np.bitwise_and,
          "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}


def ops_of(dtype):
    return [op for op in UFUNCS if not (np.dtype(dtype).kind == "f" and op.startswith("bitwise"))]


def reference(x, op, axis, dtype=None, reverse=False, exclusive=False, init=None):
    """One item after another, by NumPy's ufuncs."""
    if axis is None:
        x, axis = x.reshape(-1), 0
    ufunc = UFUNCS[op]
    if dtype is None:
        dtype = ufunc.accumulate(np.zeros(1, x.dtype)).dtype
    x = np.moveaxis(x.astype(dtype), axis, 0)
    if reverse:
        x = x[::-1]
    if init is not None:
        x = np.concatenate([np.full((1, *x.shape[1:]), init, dtype), x])
    with np.errstate(all="ignore"):
        out = ufunc.accumulate(x, dtype=dtype) if x.size else x.copy()
    if init is not None:
        out = out[:-1] if exclusive else out[1:]
    if reverse:
        out = out[::-1]
    return np.moveaxis(out, 0, axis)


def identity(op, dtype):
    if op in ("sum", "bitwise_or", "bitwise_xor"):
        return dtype.type(0)
    if op == "prod":
        return dtype.type(1)
    if op == "bitwise_and":
        return ~dtype.type(0)
    if dtype == bool:
        return op == "min"
    if dtype.kind == "f":
        return dtype.type(np.inf if op == "min" else -np.inf)
    return np.iinfo(dtype).max if op == "min" else np.iinfo(dtype).min


def small(x, op):
    """Products of floats stay exact, and finite."""
    return np.sign(x) + (x == 0) if op == "prod" and x.dtype.kind == "f" else x


@given(st.data())
def test_any_array_axis_and_operator(data):
    x = data.draw(strided())
    axis = data.draw(axes_of(x))
    op = data.draw(st.sampled_from(ops_of(x.dtype)))
    x = small(x, op)
    before = x.copy()
    same(onepass.scan(x, op, axis=axis), reference(x, op, axis))
    same(x, before)


@given(st.data())
def test_directions_forms_and_initial_values(data):
    x = data.draw(strided())
    axis = data.draw(axes_of(x))
    op = data.draw(st.sampled_from(ops_of(x.dtype)))
    x = small(x, op)
    reverse, exclusive = data.draw(st.booleans()), data.draw(st.booleans())
    init = data.draw(st.sampled_from([0, 1]))
    same(onepass.scan(x, op, axis=axis, reverse=reverse, exclusive=exclusive, init=init),
         reference(x, op, axis, None, reverse, exclusive, init))


@given(st.data())
def test_exclusive_scans_begin_with_the_identity(data):
    x = data.draw(strided())
    axis = data.draw(axes_of(x))
    op = data.draw(st.sampled_from(ops_of(x.dtype)))
    x = small(x, op)
    of = reference(x, op, axis).dtype
    same(onepass.scan(x, op, axis=axis, exclusive=True), reference(x, op, axis, None, False, True, identity(op, of)))


@given(st.data())
def test_result_types(data):
    x = data.draw(strided(side=9))
    dtype = data.draw(st.sampled_from(TYPES))
    op = data.draw(st.sampled_from(ops_of(dtype)))
    if x.dtype.kind == "f" and np.dtype(dtype).kind == "u":
        x = np.abs(x)  # a negative float as an unsigned integer is undefined in C
    if np.dtype(dtype).kind == "f" or op == "prod":
        x = (x.astype(np.int64) & 1).astype(x.dtype)
    same(onepass.scan(x, op, dtype=dtype), reference(x, op, -1, dtype))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_sizes(dtype, n):
    x = random_array(np.random.default_rng(n), dtype, n)
    same(onepass.cumsum(x), np.cumsum(x))
    same(onepass.cummax(x), np.maximum.accumulate(x))
    same(onepass.cummin(x, reverse=True), np.minimum.accumulate(x[::-1])[::-1])


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 5), (5, 1), (1000, 3), (3, 40000), (2, 3, 4, 5)])
def test_rows(shape):
    x = random_array(np.random.default_rng(1), "float64", shape)
    for axis in range(len(shape)):
        same(onepass.cumsum(x, axis=axis), np.cumsum(x, axis=axis))
        same(onepass.cumprod(np.sign(x), axis=axis, reverse=True),
             np.flip(np.cumprod(np.flip(np.sign(x), axis), axis=axis), axis))


@pytest.mark.parametrize("shape", [0, (0, 3), (3, 0)])
@pytest.mark.parametrize("dtype", [*TYPES, "float16"])
def test_read_only_without_items(dtype, shape):
    x = np.frombuffer(b"", dtype).reshape(shape)
    for op in ops_of(dtype):
        for axis in (0, -1, None):
            for options in ({}, {"init": 1}, {"exclusive": True}, {"reverse": True}):
                result = onepass.scan(x, op, axis=axis, **options)
                same(result, reference(x, op, axis, **options))
                assert result.flags.writeable


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("at", [0, 5, 49999])
def test_nan_stays(dtype, at):
    x = random_array(np.random.default_rng(2), dtype, 50000)
    x[at] = np.nan
    for negative in (x, np.copysign(x, -1)):
        same(onepass.cummax(negative), np.maximum.accumulate(negative))
        same(onepass.cummin(negative), np.minimum.accumulate(negative))
        rows = negative.reshape(100, 500)
        same(onepass.cummax(rows), np.maximum.accumulate(rows, axis=-1))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64"])
def test_integers_wrap_around(dtype):
    x = random_array(np.random.default_rng(3), dtype, 5000)
    same(onepass.cumsum(x, dtype=dtype), np.cumsum(x, dtype=dtype))
    same(onepass.cumprod(x, dtype=dtype), np.cumprod(x, dtype=dtype))


def test_no_dimension():
    same(onepass.cumsum(np.array(5, np.int8)), np.cumsum(np.array(5, np.int8)))
    same(onepass.cumsum(7), np.cumsum(7))
    same(onepass.cumsum([[1, 2], [3, 4]]), np.cumsum([[1, 2], [3, 4]], axis=-1))


# ---- segments
@given(st.data())
def test_segments(data):
    n = data.draw(st.integers(0, 3000))
    dtype = data.draw(st.sampled_from(TYPES))
    op = data.draw(st.sampled_from(ops_of(dtype)))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    x = small(random_array(rng, dtype, n), op)
    heads = rng.random(n) < data.draw(st.sampled_from([0.0, 0.01, 0.3, 1.0]))
    starts = np.flatnonzero(heads)
    reverse, exclusive = data.draw(st.booleans()), data.draw(st.booleans())
    init = data.draw(st.sampled_from([None, 1])) if not exclusive else 1
    arguments = dict(reverse=reverse, exclusive=exclusive, init=init)
    parts = [reference(part, op, 0, None, **arguments) for part in np.split(x, starts)]
    expected = np.concatenate(parts).astype(parts[0].dtype)
    same(onepass.scan(x, op, segments=heads, **arguments), expected)
    offsets = np.concatenate([starts, starts[-1:], [n]]).astype(data.draw(st.sampled_from(["int32", "int64", "uint64"])))
    same(onepass.scan(x, op, segments=offsets, **arguments), expected)
    for key_type in ("int8", "uint16", "int32", "int64", "bool"):
        keys = (np.cumsum(heads) % 2).astype(key_type)
        same(onepass.scan(x, op, keys=keys, **arguments), expected)


# ---- out
@given(st.data())
def test_out(data):
    x = data.draw(strided())
    axis = data.draw(axes_of(x))
    reverse = data.draw(st.booleans())
    expected = reference(x, "sum", axis, None, reverse)
    step = data.draw(st.sampled_from([1, 2, -1]))
    out = np.zeros(tuple(n * abs(step) for n in expected.shape), expected.dtype)
    out = out[tuple(slice(None, None, step) for _ in expected.shape)]
    assert onepass.cumsum(x, axis=axis, reverse=reverse, out=out) is out
    same(out, expected)


@pytest.mark.parametrize("axis", [0, 1])
def test_out_may_be_the_input(axis):
    x = random_array(np.random.default_rng(4), "int64", (300, 200))
    expected = np.cumsum(x, axis=axis)
    assert onepass.cumsum(x, axis=axis, out=x) is x
    same(x, expected)


def test_out_may_overlap_the_input():
    whole = random_array(np.random.default_rng(5), "int64", 100001)
    expected = np.cumsum(whole[:-1])
    onepass.cumsum(whole[:-1], out=whole[1:])
    same(whole[1:], expected)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shift", [-1, 0, 1, 3])
def test_out_may_overlap_where_segments_start(shift, reverse):
    rng = np.random.default_rng(6)
    x = random_array(rng, "int64", 1000)
    for name, starts in (("keys", np.cumsum(rng.random(1000) < 0.1)), ("segments", np.arange(1000)),
                         ("segments", rng.random(1000) < 0.1)):
        whole = np.zeros(1010, starts.dtype)
        given, out = whole[5:1005], whole[5 + shift:1005 + shift]
        items, op = (x, "sum") if name == "keys" or starts.dtype == int else (x > 0, "max")
        given[:] = starts
        expected = onepass.scan(items, op, reverse=reverse, **{name: starts})
        assert onepass.scan(items, op, reverse=reverse, out=out, **{name: given}) is out
        same(out, expected)
    whole = np.arange(5)
    onepass.scan(whole, keys=whole, out=whole)
    same(whole, np.arange(5))


# ---- what is refused
class Failing:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no array today")


@pytest.mark.parametrize("error, text, call", [
    (TypeError, "scan: x has dtype complex128", lambda x: onepass.scan(x.astype(complex))),
    (TypeError, "cumsum: x has dtype float128", lambda x: onepass.cumsum(x.astype("f16"))),
    (TypeError, "cumsum: x has dtype >i4", lambda x: onepass.cumsum(x.astype(">i4"))),
    (TypeError, "cumsum: x has dtype object", lambda x: onepass.cumsum([object()])),
    (TypeError, "cumsum: x is a masked array", lambda x: onepass.cumsum(np.ma.array(x))),
    (ValueError, "cumsum: x is not an array", lambda x: onepass.cumsum([[1], [1, 2]])),
    (ValueError, "scan: op is 'plus'", lambda x: onepass.scan(x, "plus")),
    (ValueError, "scan: op is 3", lambda x: onepass.scan(x, 3)),
    (TypeError, "scan: op is bitwise_or, which is not for float64", lambda x: onepass.scan(x * 1.0, "bitwise_or")),
    (ValueError, "cumsum: axis is 1, and the array has 1 dimensions", lambda x: onepass.cumsum(x, axis=1)),
    (ValueError, "cumsum: axis is -2", lambda x: onepass.cumsum(x, axis=-2)),
    (TypeError, "cumsum: axis is 1.5", lambda x: onepass.cumsum(x, axis=1.5)),
    (TypeError, "cumsum: dtype is 'c8'", lambda x: onepass.cumsum(x, dtype="c8")),
    (TypeError, "cumsum: dtype is 'nothing'", lambda x: onepass.cumsum(x, dtype="nothing")),
    (ValueError, "scan: init is 300, which is no int8", lambda x: onepass.scan(x, dtype="int8", init=300)),
    (ValueError, "scan: init is 'a'", lambda x: onepass.scan(x, init="a")),
    (TypeError, "cumsum: out is list", lambda x: onepass.cumsum(x, out=[0] * 5)),
    (TypeError, "cumsum: out has dtype float64, not int64", lambda x: onepass.cumsum(x, out=np.zeros(5))),
    (TypeError, "cumsum: out is a masked array", lambda x: onepass.cumsum(x, out=np.ma.array(x))),
    (ValueError, r"cumsum: out has shape \(4,\)", lambda x: onepass.cumsum(x, out=np.zeros(4, int))),
    (ValueError, "cumsum: out is read-only", lambda x: onepass.cumsum(x, out=np.broadcast_to(np.int64(0), 5))),
    (ValueError, "scan: x has 2 dimensions", lambda x: onepass.scan(x[None], segments=[0])),
    (ValueError, "scan: keys are given beside", lambda x: onepass.scan(x, segments=[0], keys=x)),
    (ValueError, "scan: segments has shape", lambda x: onepass.scan(x, segments=np.ones(4, bool))),
    (TypeError, "scan: segments are float64", lambda x: onepass.scan(x, segments=[0.5])),
    (ValueError, "scan: segments do not ascend", lambda x: onepass.scan(x, segments=[3, 1])),
    (ValueError, "scan: segments do not ascend", lambda x: onepass.scan(x, segments=[-1, 2])),
    (ValueError, "scan: segments do not ascend", lambda x: onepass.scan(x, segments=[0, 6])),
    (ValueError, "scan: keys has shape", lambda x: onepass.scan(x, keys=[1, 2])),
    (TypeError, "scan: keys are float64", lambda x: onepass.scan(x, keys=x * 1.0)),
    (ValueError, "scan: op is array", lambda x: onepass.scan(x, np.array(["sum", "prod"]))),
    (TypeError, "cumsum: x is not an array: no array today", lambda x: onepass.cumsum(Failing())),
    (TypeError, "scan: keys is not an array", lambda x: onepass.scan(x, keys=Failing())),
    (TypeError, "cumsum: dtype is {'names'", lambda x: onepass.cumsum(x, dtype={"names": ["a"], "formats": []})),
])
def test_refused(error, text, call):
    x = np.arange(5)
    with pytest.raises(error, match=f"^onepass.{text}"):
        call(x)
    same(x, np.arange(5))
