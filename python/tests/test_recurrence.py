# SPDX-License-Identifier: Apache-2.0
"""linear_recurrence against a plain loop."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onepass
from support import same, strided


def reference(a, b, axis, reverse=False, init=None):
    """The loop, along the first axis of moved arrays."""
    a, b = (np.moveaxis(x, axis, 0)[::-1 if reverse else 1] for x in (a, b))
    h = np.empty(b.shape, b.dtype)
    before = np.zeros(b.shape[1:], b.dtype) if init is None else np.asarray(init, b.dtype)
    for t in range(b.shape[0]):
        before = h[t] = a[t] * before + b[t]
    return np.ascontiguousarray(np.moveaxis(h[::-1 if reverse else 1], 0, axis))


def factors_like(b, rng):
    """0, 1 and -1, so that all is exact in every order."""
    a = rng.integers(-1, 2, b.shape).astype(b.dtype)
    return np.asfortranarray(a) if rng.random() < 0.3 else a


@given(st.data())
def test_any_shape_and_axis(data):
    b = data.draw(strided(dtypes=["float32", "float64"]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    a, axis, reverse = factors_like(b, rng), data.draw(st.integers(-b.ndim, b.ndim - 1)), data.draw(st.booleans())
    shape = np.delete(b.shape, axis)
    for init in (None, 3, rng.integers(-9, 9, shape).astype(b.dtype)):
        kept = b.copy()
        same(onepass.linear_recurrence(a, b, axis=axis, reverse=reverse, init=init),
             reference(a, b, axis, reverse, init) + np.zeros((), b.dtype))
        same(np.ascontiguousarray(b), np.ascontiguousarray(kept))


@pytest.mark.parametrize("shape, axis", [((300000,), 0), ((7, 50000), 1), ((3000, 100), 1), ((5000, 3), 0), ((4, 700, 65), 1)])
@pytest.mark.parametrize("reverse", [False, True])
def test_long(shape, axis, reverse):
    rng = np.random.default_rng(2)
    b = rng.integers(-3, 4, shape).astype("f8")
    a = factors_like(b, rng)
    same(onepass.linear_recurrence(a, b, axis=axis, reverse=reverse), reference(a, b, axis, reverse) + 0.0)


def test_rounding_is_small():
    rng = np.random.default_rng(3)
    a, b = rng.uniform(-1, 1, (20, 3000)), rng.standard_normal((20, 3000))
    np.testing.assert_allclose(onepass.linear_recurrence(a, b), reference(a, b, 1), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_infinities_and_nan_stay_in_their_rows(dtype, reverse):
    """And a factor 0 makes a NaN of an infinity, as in the loop; so does a factor -0."""
    rng = np.random.default_rng(6)
    b = rng.integers(-3, 4, (50, 300)).astype(dtype)
    a = factors_like(b, rng)
    a[::5, 100], a[1::5, 7], a[2::5, 250] = np.inf, np.nan, -0.0
    b[::7, 200], b[3::5, 299], b[4::5, 0] = -np.inf, np.nan, np.inf
    with np.errstate(invalid="ignore"):
        expected = reference(a, b, 1, reverse) + 0.0
    assert np.isnan(expected).any() and np.isfinite(expected).any()
    np.testing.assert_array_equal(onepass.linear_recurrence(a, b, reverse=reverse), expected)
    np.testing.assert_array_equal(onepass.linear_recurrence(a.T, b.T, axis=0, reverse=reverse), expected.T)


@pytest.mark.parametrize("first", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("reverse", [False, True])
def test_the_first_factor_counts_with_an_initial_value_alone(first, reverse):
    rng = np.random.default_rng(7)
    b = rng.integers(-3, 4, (40, 300)).astype("f8")
    a, at = factors_like(b, rng), -1 if reverse else 0
    expected = reference(a, b, 1, reverse) + 0.0
    a[:, at] = first
    same(onepass.linear_recurrence(a, b, reverse=reverse), expected)
    same(onepass.linear_recurrence(a.T, b.T, axis=0, reverse=reverse), np.ascontiguousarray(expected.T))
    with np.errstate(invalid="ignore"):
        begun = onepass.linear_recurrence(a, b, reverse=reverse, init=0)
    assert np.isnan(begun[:, at]).all()


def test_initial_values_in_a_list():
    ones = [[1.0, 1.0], [1.0, 1.0]]
    same(onepass.linear_recurrence(ones, ones, axis=0, init=[1.0, 2.0]), np.array([[2.0, 3.0], [3.0, 4.0]]))


@pytest.mark.parametrize("error, text, call", [
    (TypeError, "a has dtype int64, not float32", lambda x: onepass.linear_recurrence(x.astype(int), x)),
    (TypeError, "b has dtype float32, not float64", lambda x: onepass.linear_recurrence(x, x.astype("f4"))),
    (ValueError, r"b has shape \(4,\), not \(5,\)", lambda x: onepass.linear_recurrence(x, x[1:])),
    (ValueError, "a has no dimension", lambda x: onepass.linear_recurrence(np.array(1.0), np.array(1.0))),
    (ValueError, "axis is 1", lambda x: onepass.linear_recurrence(x, x, axis=1)),
    (TypeError, "axis is None", lambda x: onepass.linear_recurrence(x, x, axis=None)),
    (ValueError, r"init has shape \(3,\), not \(\)", lambda x: onepass.linear_recurrence(x, x, init=x[:3])),
    (TypeError, "init has dtype float32", lambda x: onepass.linear_recurrence(x[None], x[None], init=x[:1].astype("f4"))),
    (ValueError, "init is 'a'", lambda x: onepass.linear_recurrence(x, x, init="a")),
])
def test_refused(error, text, call):
    x = np.arange(5.0)
    with pytest.raises(error, match=f"^onepass.linear_recurrence: {text}"):
        call(x)
    same(x, np.arange(5.0))
