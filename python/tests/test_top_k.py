# SPDX-License-Identifier: Apache-2.0
"""top_k and nth_element against NumPy's stable sort."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onepass
from support import SIZES, TYPES, axes_of, random_array, same, strided
from test_sort import reference_order, same_bits_but_nan, with_specials


def expected_top_k(x, k, axis, largest, ordered):
    if axis is None:
        x, axis = x.reshape(-1), 0
    indices = np.take(reference_order(x, axis, largest), np.arange(k), axis)
    if not ordered:
        indices = np.sort(indices, axis)
    return np.take_along_axis(x, indices, axis), indices


def check(x, k, axis, largest, ordered):
    items, indices = onepass.top_k(x, k, axis, largest, ordered)
    expected_items, expected_indices = expected_top_k(x, k, axis, largest, ordered)
    same_bits_but_nan(items, expected_items)
    same(indices, expected_indices)
    assert items.flags.c_contiguous and indices.flags.c_contiguous


def length_of(x, axis):
    return x.size if axis is None else x.shape[axis]


@given(st.data())
def test_top_k(data):
    x = with_specials(data.draw(strided()), np.random.default_rng(data.draw(st.integers(0, 2**32))))
    axis = data.draw(axes_of(x))
    before = x.copy()
    check(x, data.draw(st.integers(0, length_of(x, axis))), axis, data.draw(st.booleans()), data.draw(st.booleans()))
    same(x, before)


@given(st.data())
def test_nth_element(data):
    x = with_specials(data.draw(strided()), np.random.default_rng(data.draw(st.integers(0, 2**32))))
    axis = data.draw(axes_of(x))
    length = length_of(x, axis)
    if length == 0:
        with pytest.raises(ValueError, match="nth_element: n is 0"):
            onepass.nth_element(x, 0, axis)
        return
    n = data.draw(st.integers(-length, length - 1))
    flat, along = (x.reshape(-1), 0) if axis is None else (x, axis)
    ordered = np.take_along_axis(flat, reference_order(flat, along, False), along)
    same_bits_but_nan(onepass.nth_element(x, n, axis), np.asarray(np.take(ordered, n, along)))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_sizes(dtype, n):
    rng = np.random.default_rng(n)
    for few in (False, True):
        x = with_specials(random_array(rng, dtype, n, few), rng)
        for k in {0, min(n, 1), min(n, 50), n // 3, n}:
            check(x, k, -1, few, True)
        check(x, n // 2, -1, few, False)
        if n:
            same(onepass.nth_element(x, n // 2), np.asarray(np.sort(x)[n // 2]))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 5), (5, 1), (1000, 3), (3, 40000), (40, 1000), (2, 3, 4, 5)])
@pytest.mark.parametrize("dtype", ["int8", "int64", "float32"])
def test_rows(shape, dtype):
    rng = np.random.default_rng(1)
    x = with_specials(random_array(rng, dtype, shape), rng)
    for axis in range(len(shape)):
        for k in {0, min(shape[axis], 1), shape[axis] // 2, shape[axis]}:
            check(x, k, axis, True, True)
        if shape[axis]:
            same(onepass.nth_element(x, -1, axis), np.take(np.sort(x, axis), -1, axis))


def test_no_dimension():
    items, indices = onepass.top_k(np.array(5), 1)
    same(items, np.array([5]))
    same(indices, np.array([0]))
    same(onepass.nth_element(np.array(5.5), 0), np.array(5.5))


@pytest.mark.parametrize("error, text, call", [
    (TypeError, "top_k: x has dtype complex128", lambda x: onepass.top_k(x * 1j, 2)),
    (TypeError, "top_k: k is 2.0, not an integer", lambda x: onepass.top_k(x, 2.0)),
    (ValueError, "top_k: k is 6, and the axis has 5 items", lambda x: onepass.top_k(x, 6)),
    (ValueError, "top_k: k is -1", lambda x: onepass.top_k(x, -1)),
    (ValueError, "top_k: k is 1, and the axis has 0 items", lambda x: onepass.top_k(x[:0], 1)),
    (ValueError, "top_k: axis is 1", lambda x: onepass.top_k(x, 2, axis=1)),
    (TypeError, "nth_element: x has dtype", lambda x: onepass.nth_element(x.astype("M8[s]"), 2)),
    (TypeError, "nth_element: n is '2'", lambda x: onepass.nth_element(x, "2")),
    (ValueError, "nth_element: n is 5, and the axis has 5 items", lambda x: onepass.nth_element(x, 5)),
    (ValueError, "nth_element: n is -6", lambda x: onepass.nth_element(x, -6)),
    (ValueError, "nth_element: axis is -2", lambda x: onepass.nth_element(x, 0, -2)),
])
def test_refused(error, text, call):
    with pytest.raises(error, match=f"^onepass.{text}"):
        call(np.arange(5))
