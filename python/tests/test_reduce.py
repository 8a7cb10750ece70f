# SPDX-License-Identifier: Apache-2.0
"""reduce_by_key and segment_reduce against NumPy's reductions of each segment."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onepass
from support import SIZES, TYPES, random_array, same
from test_scan import UFUNCS, identity, ops_of, small


def reduced(parts, op, dtype, init):
    with np.errstate(all="ignore"):
        results = [UFUNCS[op].reduce(np.concatenate([np.array([init], dtype), part.astype(dtype)]), dtype=dtype) for part in parts]
    return np.array(results, dtype)


@given(st.data())
def test_segments_and_keys(data):
    n = data.draw(st.integers(0, 3000))
    given_type, dtype = data.draw(st.sampled_from(TYPES)), data.draw(st.sampled_from([None, None, "int64", "int16"]))
    op = data.draw(st.sampled_from([op for op in ops_of(given_type) if op in ops_of(dtype or given_type)]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    x = small(random_array(rng, given_type, n), op)
    if data.draw(st.booleans()):
        x = np.repeat(x, 2)[::2]  # not contiguous
    heads = rng.random(n) < data.draw(st.sampled_from([0.0, 0.01, 0.3, 1.0]))
    starts = np.flatnonzero(heads)
    of = np.dtype(dtype) if dtype else UFUNCS[op].accumulate(np.zeros(1, x.dtype)).dtype

    init = data.draw(st.sampled_from([None, 1]))
    offsets = np.sort(np.concatenate([starts, starts[::3], [0, n]])).astype(data.draw(st.sampled_from(["int32", "int64"])))
    parts = [x[a:b] for a, b in zip(offsets[:-1], offsets[1:])]
    start = identity(op, of) if init is None else init
    same(onepass.segment_reduce(x, offsets, op, init=init, dtype=dtype), reduced(parts, op, of, start))

    parts = [part for part in np.split(x, starts) if part.size]
    for key_type in ("int8", "uint16", "int32", "int64", "bool", "float32", "float64"):
        numbers = np.cumsum(heads) % 2
        keys = numbers.astype(key_type)
        kept = keys[np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])[:n])]
        result_keys, results = onepass.reduce_by_key(keys, x, op, dtype=dtype)
        same(result_keys, kept)
        same(results, reduced(parts, op, of, identity(op, of)))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_sizes(n, dtype):
    rng = np.random.default_rng(n)
    x = random_array(rng, dtype, n)
    offsets = np.sort(rng.integers(0, n + 1, n // 10 + 2))
    of = np.cumsum(x[:0]).dtype
    same(onepass.segment_reduce(x, offsets),
         reduced([x[a:b] for a, b in zip(offsets[:-1], offsets[1:])], "sum", of, 0))
    keys = rng.integers(0, 3, n)
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])[:n])
    result_keys, results = onepass.reduce_by_key(keys, x)
    same(result_keys, keys[starts])
    same(results, np.add.reduceat(x, starts, dtype=of) if n else np.zeros(0, of))


def test_no_offsets():
    x = np.arange(5)
    same(onepass.segment_reduce(x, np.zeros(0, int)), np.zeros(0, int))
    same(onepass.segment_reduce(x, [2]), np.zeros(0, int))
    same(onepass.segment_reduce(x[:0], [0, 0, 0], "max"), np.full(2, np.iinfo(int).min))
    same(onepass.segment_reduce(x, [1, 3]), np.array([3]))


def test_a_nan_is_a_run():
    keys, sums = onepass.reduce_by_key(np.array([np.nan, np.nan, 0.0, -0.0]), np.array([1, 2, 3, 4]))
    same(keys, np.array([np.nan, np.nan, 0.0]))
    same(sums, np.array([1, 2, 7]))


@pytest.mark.parametrize("error, text, call", [
    (ValueError, "reduce_by_key: keys has 2 dimensions", lambda x: onepass.reduce_by_key(x[None], x[None])),
    (ValueError, "reduce_by_key: values has shape", lambda x: onepass.reduce_by_key(x, x[1:])),
    (TypeError, "reduce_by_key: values has dtype complex128", lambda x: onepass.reduce_by_key(x, x * 1j)),
    (ValueError, "reduce_by_key: op is 'mean'", lambda x: onepass.reduce_by_key(x, x, "mean")),
    (ValueError, "reduce_by_key: op is array", lambda x: onepass.reduce_by_key(x, x, np.array(["sum", "prod"]))),
    (ValueError, "segment_reduce: op is array", lambda x: onepass.segment_reduce(x, [0, 2], np.array(["sum", "prod"]))),
    (TypeError, "segment_reduce: op is bitwise_or", lambda x: onepass.segment_reduce(x * 1.0, [0, 2], "bitwise_or")),
    (TypeError, "segment_reduce: offsets have dtype float64", lambda x: onepass.segment_reduce(x, [0.0, 2.0])),
    (ValueError, "segment_reduce: offsets do not ascend", lambda x: onepass.segment_reduce(x, [0, 3, 2])),
    (ValueError, "segment_reduce: offsets do not ascend", lambda x: onepass.segment_reduce(x, [0, 6])),
    (ValueError, "segment_reduce: offsets do not ascend", lambda x: onepass.segment_reduce(x, [-1, 3])),
    (ValueError, "segment_reduce: offsets do not ascend", lambda x: onepass.segment_reduce(x, [0, 1, 1, 2, 1])),
    (ValueError, "segment_reduce: init is 'x'", lambda x: onepass.segment_reduce(x, [0, 5], init="x")),
])
def test_refused(error, text, call):
    with pytest.raises(error, match=f"^onepass.{text}"):
        call(np.arange(5))
