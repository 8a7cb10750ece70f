# SPDX-License-Identifier: Apache-2.0
"""sort, argsort, sort_by_key, unique and unique_consecutive against NumPy's stable sorts."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onepass
from support import SIZES, TYPES, axes_of, random_array, same, strided


def with_specials(x, rng):
    """Infinities, zeros of both signs, and NaNs of several bits among floats."""
    if x.dtype.kind == "f" and x.size:
        x = x.copy()
        specials = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0], x.dtype)
        chosen = rng.random(x.shape) < 0.4
        x[chosen] = rng.choice(specials, int(chosen.sum()))
    return x


def reference_order(x, axis, descending):
    """NumPy sorts stably in rising order alone; ranks give the other direction."""
    if axis is None:
        x, axis = x.reshape(-1), 0
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    ranks = np.unique(x, return_inverse=True)[1].reshape(x.shape)
    return np.argsort(-ranks, axis=axis, kind="stable")


def ordered(x, axis, descending):
    order = reference_order(x, axis, descending)
    return x.reshape(-1)[order] if axis is None else np.take_along_axis(x, order, axis)


def same_bits_but_nan(result, expected):
    same(result, expected)
    if expected.dtype.kind == "f":
        number = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(result[number]), np.signbit(expected[number]))


@given(st.data())
def test_sorts(data):
    x = data.draw(strided())
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    x = with_specials(x, rng)
    axis, descending = data.draw(axes_of(x)), data.draw(st.booleans())
    before = x.copy()
    same_bits_but_nan(onepass.sort(x, axis=axis, descending=descending), ordered(x, axis, descending))
    order = reference_order(x, axis, descending)
    same(onepass.argsort(x, axis=axis, descending=descending), order)
    same(onepass.argsort(x, axis=axis, descending=descending, index_dtype=np.int32), order.astype(np.int32))
    same(x, before)


@pytest.mark.parametrize("of", ["float16", "float32", "float64"])
def test_one_nan_at_each_index_goes_last(of):
    for n in range(1, 70):
        for i in range(n):
            x = np.arange(n, dtype=of)
            x[i] = -np.nan
            expected = np.sort(x)
            same(onepass.sort(x), expected)
            same(onepass.top_k(x, 1, largest=False)[0], expected[:1])


@given(st.data())
def test_sort_by_key(data):
    keys = with_specials(data.draw(strided()), np.random.default_rng(data.draw(st.integers(0, 2**32))))
    axis, descending = data.draw(axes_of(keys)), data.draw(st.booleans())
    dtype = data.draw(st.sampled_from([*TYPES, "complex128", "datetime64[s]", "float16"]))
    values = np.arange(keys.size).astype("i8").astype(dtype if dtype != "bool" else bool).reshape(keys.shape)
    if data.draw(st.booleans()):
        values = np.asfortranarray(values)
    result_keys, result_values = onepass.sort_by_key(keys, values, axis=axis, descending=descending)
    same_bits_but_nan(result_keys, ordered(keys, axis, descending))
    order = reference_order(keys, axis, descending)
    same(result_values, values.reshape(-1)[order] if axis is None else np.take_along_axis(values, order, axis))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_sizes(dtype, n):
    rng = np.random.default_rng(n)
    for few in (False, True):
        x = with_specials(random_array(rng, dtype, n, few), rng)
        same(onepass.sort(x), np.sort(x))
        same(onepass.argsort(x), np.argsort(x, kind="stable"))
        keys, values = onepass.sort_by_key(x, np.arange(n))
        same(keys, np.sort(x))
        same(values, np.argsort(x, kind="stable"))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 5), (5, 1), (1000, 3), (3, 40000), (40, 1000), (2, 3, 4, 5)])
@pytest.mark.parametrize("dtype", ["int8", "int64", "float32"])
def test_rows(shape, dtype):
    rng = np.random.default_rng(1)
    x = with_specials(random_array(rng, dtype, shape), rng)
    for axis in range(len(shape)):
        same(onepass.sort(x, axis=axis), np.sort(x, axis=axis))
        same(onepass.argsort(x, axis=axis), np.argsort(x, axis=axis, kind="stable"))


def test_no_dimension():
    same(onepass.sort(np.array(5)), np.array(5))
    same(onepass.argsort(np.array(5)), np.array(0))
    same(onepass.unique(np.array(5)), np.array([5]))
    for values in (np.array(7, np.int16), np.array(7, np.int32), np.array(7.0), np.array(7j), np.array("text"),
                   np.array((1, 2), "i4,f8")):
        for axis, shape in ((-1, ()), (0, ()), (None, (1,))):
            keys, moved = onepass.sort_by_key(np.array(3), values, axis=axis)
            same(keys, np.full(shape, 3))
            same(moved, values.reshape(shape))


# ---- unique
@pytest.mark.parametrize("shape", [0, (0, 3), (3, 0)])
@pytest.mark.parametrize("dtype", [*TYPES, "float16"])
def test_read_only_without_items(dtype, shape):
    x = np.frombuffer(b"", dtype).reshape(shape)
    order = np.zeros(shape, np.int64)
    for axis in (0, -1, None):
        expected = x if axis is not None else x.reshape(-1)
        for result in (onepass.sort(x, axis=axis), *onepass.sort_by_key(x, x, axis=axis)):
            same(result, expected)
            assert result.flags.writeable
        same(onepass.argsort(x, axis=axis), order.reshape(expected.shape))
    same(onepass.unique(x), x.reshape(-1))
    for a, b in zip(onepass.unique(x, return_index=True, return_inverse=True, return_counts=True),
                    (x.reshape(-1), order.reshape(-1), order, order.reshape(-1))):
        same(a, b)


@given(st.data())
def test_unique(data):
    x = data.draw(strided())
    if data.draw(st.booleans()):
        x = with_specials(x, np.random.default_rng(1))
    asked = {f"return_{what}": data.draw(st.booleans()) for what in ("index", "inverse", "counts")}
    result, expected = onepass.unique(x, **asked), np.unique(x, **asked)
    if not any(asked.values()):
        result, expected = (result,), (expected,)
    assert len(result) == len(expected)
    for a, b in zip(result, expected):
        # NumPy 1 has no shape for the inverse.
        same(a, b.reshape(a.shape) if np.__version__.startswith("1.") else b)


def test_unique_keeps_no_more_memory():
    assert onepass.unique(np.full(1000, np.nan)).base is None


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_unique_sizes(dtype, n):
    x = random_array(np.random.default_rng(n), dtype, n, few=True)
    for a, b in zip(onepass.unique(x, return_index=True, return_inverse=True, return_counts=True),
                    np.unique(x, return_index=True, return_inverse=True, return_counts=True)):
        same(a, b)
    same(onepass.unique(x), np.unique(x))


@given(st.data())
def test_unique_consecutive(data):
    x = data.draw(strided())
    flat = x.reshape(-1)
    heads = np.concatenate([[True], flat[1:] != flat[:-1]])[:flat.size]
    starts = np.flatnonzero(heads)
    expected = {"inverse": (np.cumsum(heads) - 1).reshape(x.shape), "counts": np.diff(starts, append=flat.size)}
    asked = [what for what in expected if data.draw(st.booleans())]
    result = onepass.unique_consecutive(x, **{f"return_{what}": True for what in asked})
    result = result if asked else (result,)
    same(result[0], flat[starts])
    for a, what in zip(result[1:], asked):
        same(a, expected[what])


def test_each_nan_is_a_run():
    same(onepass.unique_consecutive(np.array([np.nan, np.nan, 0.0, -0.0])), np.array([np.nan, np.nan, 0.0]))


@pytest.mark.parametrize("error, text, call", [
    (TypeError, "sort: x has dtype complex128", lambda x: onepass.sort(x * 1j)),
    (ValueError, "sort: axis is 1", lambda x: onepass.sort(x, axis=1)),
    (TypeError, "argsort: index_dtype is uint8", lambda x: onepass.argsort(x, index_dtype="uint8")),
    (ValueError, "sort_by_key: values has shape", lambda x: onepass.sort_by_key(x, x[1:])),
    (TypeError, "sort_by_key: keys has dtype", lambda x: onepass.sort_by_key(x * 1j, x)),
    (TypeError, "unique: x has dtype", lambda x: onepass.unique(x * 1j)),
    (TypeError, "unique_consecutive: x has dtype", lambda x: onepass.unique_consecutive(x * 1j)),
])
def test_refused(error, text, call):
    with pytest.raises(error, match=f"^onepass.{text}"):
        call(np.arange(5))
