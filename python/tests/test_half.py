# SPDX-License-Identifier: Apache-2.0
"""float16: scans and sums are computed in float32, and each result is rounded once; orders are those of float32."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onepass
from support import SIZES, axes_of, random_array, same, strided
from test_sort import ordered, reference_order, same_bits_but_nan, with_specials
from test_top_k import check

HALF = ["float16"]
OPS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}


def whole(n, seed=1):
    """Whole numbers, whose sums are exact in float32, and soon too long for float16."""
    return random_array(np.random.default_rng(seed), np.float16, n)


@given(st.data())
def test_scans(data):
    x = data.draw(strided(HALF))
    axis, reverse = data.draw(axes_of(x)), data.draw(st.booleans())
    op = data.draw(st.sampled_from(["sum", "min", "max"]))
    wide = x.astype("f4").reshape(-1) if axis is None else x.astype("f4")
    along = 0 if axis is None else axis
    turned = np.flip(wide, along) if reverse else wide
    expected = OPS[op].accumulate(turned, along)
    expected = (np.flip(expected, along) if reverse else expected).astype(np.float16)
    same(onepass.scan(x, op, axis=axis, reverse=reverse), expected)


@pytest.mark.parametrize("n", SIZES)
def test_sums_are_rounded_once(n):
    x = whole(n)
    exact = np.cumsum(x.astype(np.float64))
    same(onepass.cumsum(x), exact.astype(np.float16))
    same(onepass.scan(x, init=3000.0), (exact + 3000).astype(np.float16))
    before = np.append(0.0, exact)[:n]
    same(onepass.scan(x, exclusive=True, init=-1), (before - 1).astype(np.float16))
    same(onepass.cumsum(x, dtype=np.float32), exact.astype(np.float32))
    same(onepass.cumprod(np.sign(x)), np.cumprod(np.sign(x)))


def test_sums_where_rounding_each_step_is_wrong():
    """In float16 the sum of ones stays at 2,048."""
    x = np.ones(10_000, np.float16)
    same(onepass.cumsum(x), np.arange(1, 10_001).astype(np.float16))
    assert onepass.cumsum(x)[-1] == 10_000 and np.cumsum(x)[-1] == 2048


def test_items_are_rounded_first():
    x = np.full(3, 1 + 2**-12)
    same(onepass.cumsum(x, dtype=np.float16), np.array([1, 2, 3], np.float16))
    same(onepass.cumsum(x.astype(np.float32), dtype="float16"), np.array([1, 2, 3], np.float16))
    same(onepass.scan(np.zeros(2, np.float16), init=1 + 2**-12), np.ones(2, np.float16))


def test_out():
    x, out = whole(1000), np.zeros(2000, np.float16)[::2]
    assert onepass.cumsum(x, out=out) is out
    same(np.ascontiguousarray(out), onepass.cumsum(x))
    expected = onepass.cumsum(x)
    same(onepass.cumsum(x, out=x), expected)
    with pytest.raises(TypeError, match="^onepass.cumsum: out has dtype float32, not float16"):
        onepass.cumsum(x, out=np.zeros(1000, "f4"))


@pytest.mark.parametrize("n", [0, 1, 1000, 100_003])
def test_segments(n):
    x, keys = whole(n), np.sort(whole(n, 2))
    offsets = np.unique(np.random.default_rng(3).integers(0, n + 1, 20))
    wide = x.astype("f4")
    for op in OPS:
        if op != "prod":
            same(onepass.scan(x, op, segments=offsets), onepass.scan(wide, op, segments=offsets).astype(np.float16))
        items = np.sign(x) if op == "prod" else x
        reduced = onepass.segment_reduce(items, offsets, op)
        same(reduced, onepass.segment_reduce(items.astype("f4"), offsets, op).astype(np.float16))
        found, results = onepass.reduce_by_key(keys, items, op)
        expected, expected_results = onepass.reduce_by_key(keys.astype("f4"), items.astype("f4"), op)
        same(found, expected.astype(np.float16))
        same(results, expected_results.astype(np.float16))


@given(st.data())
def test_sorts(data):
    x = with_specials(data.draw(strided(HALF)), np.random.default_rng(data.draw(st.integers(0, 2**32))))
    axis, descending = data.draw(axes_of(x)), data.draw(st.booleans())
    same_bits_but_nan(onepass.sort(x, axis=axis, descending=descending), ordered(x, axis, descending))
    same(onepass.argsort(x, axis=axis, descending=descending), reference_order(x, axis, descending))
    items, order = onepass.sort_by_key(x, np.arange(x.size).reshape(x.shape), axis=axis, descending=descending)
    same_bits_but_nan(items, ordered(x, axis, descending))
    k = data.draw(st.integers(0, x.size if axis is None else x.shape[axis]))
    check(x, k, axis, descending, data.draw(st.booleans()))


def test_every_float16():
    """All 65,536 bits are in order, and none is changed but NaN's."""
    x = np.random.default_rng(1).permutation(np.arange(1 << 16, dtype=np.uint16)).view(np.float16)
    same_bits_but_nan(onepass.sort(x), ordered(x, 0, False))
    same(onepass.nth_element(x, 1000), np.asarray(np.sort(x)[1000]))
    same(onepass.unique(x), np.unique(x))
    for one, other in zip(onepass.unique(x, return_index=True, return_inverse=True, return_counts=True),
                          np.unique(x, return_index=True, return_inverse=True, return_counts=True)):
        same(one, other)
    same(onepass.nonzero(x)[0], np.nonzero(x)[0])
    flags = x > 0
    assert onepass.compress(x, flags).tobytes() == x[flags].tobytes()


def test_runs():
    x = np.array([1, 1, np.nan, np.nan, -0.0, 0.0, 3], np.float16)
    items, run, counts = onepass.unique_consecutive(x, return_inverse=True, return_counts=True)
    same(items, np.array([1, np.nan, np.nan, 0, 3], np.float16))
    same(run, np.array([0, 0, 1, 2, 3, 3, 4]))
    same(counts, np.array([2, 1, 1, 2, 1]))
    same(onepass.unique_consecutive(x), items)


def test_histogram():
    x = whole(10_000)
    for bins, between in ((7, None), (4, (-3, 5)), (np.array([-2, 0, 5], np.float16), None)):
        for one, other in zip(onepass.histogram(x, bins, range=between), np.histogram(x, bins, between)):
            same(one, other)


def test_recurrences_are_not_for_float16():
    x = whole(10)
    with pytest.raises(TypeError, match="^onepass.linear_recurrence: a has dtype float16, not float32 or float64"):
        onepass.linear_recurrence(x, x)
