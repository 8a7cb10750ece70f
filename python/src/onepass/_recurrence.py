# SPDX-License-Identifier: Apache-2.0
"""linear_recurrence: a scan of affine maps."""
from __future__ import annotations

from typing import Any

from . import _core
from ._arrays import as_columns, axis_number, same_shape, wrong_type, wrong_value
from ._libraries import library_of


def linear_recurrence(a: Any, b: Any, *, axis: int = -1, reverse: bool = False, init: Any = None) -> Any:
    """The recurrence ``h[t] = a[t] * h[t - 1] + b[t]`` along an axis.

    Parameters
    ----------
    a, b : array
        Of one shape and type, float32 or float64; any strides.
    axis : int
        The axis along which t runs.
    reverse : bool
        Whether t runs from the last item to the first: ``h[t] = a[t] * h[t + 1] + b[t]``.
    init : scalar or array
        The h before the first item: a number, or an array of a's type, with a's shape without the axis. Without it h is 0
        there, and the first factor is not used, even if it is infinite or NaN.

    Returns
    -------
    array
        a's shape and type, contiguous. It has the same bits on every run. Tensors have gradients with respect to a, b and
        init, also gradients of gradients.

    Raises
    ------
    TypeError, ValueError
        An argument that is wrong; before anything is written.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> a, b = np.array([0.5, 0.5, 0.5]), np.array([8.0, 0.0, 1.0])
    >>> onepass.linear_recurrence(a, b)
    array([8., 4., 3.])
    >>> onepass.linear_recurrence(a, b, reverse=True, init=4.0)
    array([8.75, 1.5 , 3.  ])
    """
    function = "linear_recurrence"
    arrays = library_of(function, a, b)
    if arrays.is_traced(a, b, init):
        return arrays.traced_recurrence(a, b, axis, reverse, init)
    if arrays.functions is not None:
        return arrays.functions.linear_recurrence(a, b, axis=axis, reverse=reverse, init=init)
    a, b, number = checked(function, arrays, a, b, axis)
    if init is not None:
        b = with_initial(a, arrays.copy(b), number, reverse, initial_of(function, arrays, a, number, init))
    return recurrence(arrays, a, b, number, reverse, False)


def checked(function: str, arrays: Any, a: Any, b: Any, axis: Any) -> Any:
    """The two arrays, and the axis from 0 on."""
    a = arrays.array(function, "a", a)
    b = arrays.array(function, "b", b)
    of = arrays.type_of(function, "a", a)
    if of.kind != "f" or of.size < 4:  # is_half, which the compiler of PyTorch 2.5 cannot look into
        wrong_type(function, "a", f"has dtype {a.dtype}, not float32 or float64")
    if b.dtype != a.dtype:
        wrong_type(function, "b", f"has dtype {b.dtype}, not {a.dtype}")
    same_shape(function, "b", b, a)
    arrays.same_device(function, "b", b, a)
    if a.ndim == 0:
        wrong_value(function, "a", "has no dimension")
    if axis is None:
        wrong_type(function, "axis", "is None, not an integer")
    return a, b, axis_number(function, axis, a.ndim)


def initial_of(function: str, arrays: Any, a: Any, axis: int, init: Any) -> Any:
    """What stands before the first items: a number, or an array without the axis."""
    if getattr(init, "ndim", 0) == 0 and not isinstance(init, (list, tuple)):
        return arrays.scalar(function, "init", init, arrays.type_of(function, "a", a))
    init = arrays.array(function, "init", init)
    if init.dtype != a.dtype:
        wrong_type(function, "init", f"has dtype {init.dtype}, not {a.dtype}")
    shape = tuple(a.shape[:axis]) + tuple(a.shape[axis + 1:])
    if tuple(init.shape) != shape:
        wrong_value(function, "init", f"has shape {tuple(init.shape)}, not {shape}")
    arrays.same_device(function, "init", init, a)
    return init


def with_initial(a: Any, b: Any, axis: int, reverse: bool, init: Any) -> Any:
    """b, whose first items get what comes from the h before them."""
    if b.shape[axis]:
        at = (slice(None),) * axis + (-1 if reverse else 0,)
        b[at] += a[at] * init
    return b


def recurrence(arrays: Any, a: Any, b: Any, axis: int, reverse: bool, next_factor: bool) -> Any:
    """The recurrence of checked arrays. next_factor: item t takes the factor of the item before it on the way."""
    of = arrays.type_of("linear_recurrence", "a", a)
    factors = as_columns("linear_recurrence", arrays, a, axis, of)
    terms = arrays.cast(b, of)
    to = arrays.empty(terms, terms.shape, of)
    n = arrays.size(terms)
    if n:
        _core.linear_recurrence(arrays.where(terms), arrays.address(factors.items), arrays.address(terms), n, factors.width,
                                factors.height, arrays.address(to), of.code, bool(reverse), bool(next_factor))
    return to
