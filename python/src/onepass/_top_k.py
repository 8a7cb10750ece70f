# SPDX-License-Identifier: Apache-2.0
"""top_k and nth_element."""
from __future__ import annotations

import operator
from typing import Any, Optional, Tuple

from . import _core
from ._arrays import TYPES, as_rows, from_rows, items_of, wrong_type, wrong_value
from ._libraries import library_of


def top_k(x: Any, k: int, axis: Optional[int] = -1, largest: bool = True, sorted: bool = True) -> Tuple[Any, Any]:
    """The k largest or smallest items of `x` along an axis, and their indices.

    Parameters
    ----------
    x : array
        Any shape and strides; bool, integers, floats of 16 to 64 bits.
    k : int
        How many items: 0 up to the axis's length.
    axis : int or None
        The axis to select along. None: the array as one row of items.
    largest : bool
        Whether the largest are taken, otherwise the smallest.
    sorted : bool
        Whether they stand in their order, the first one in front; otherwise in the order of their indices.

    Returns
    -------
    tuple of two arrays
        The items, of x's type and kind, and their indices along the axis, int64. Both are contiguous, and have x's shape with k
        items along the axis. Of equal items those with the lowest indices are taken, and their indices ascend, so that
        results repeat. NaN counts as larger than all numbers, and -0.0 equals 0.0.

    Raises
    ------
    TypeError, ValueError
        An argument that is wrong; before anything is written.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.top_k(np.array([3, 9, 4, 9, 1]), 3)
    (array([9, 9, 4]), array([1, 3, 2]))
    >>> onepass.top_k(np.array([[3.0, 1.0, 2.0], [7.0, np.nan, 8.0]]), 2, largest=False)[0]
    array([[1., 2.],
           [7., 8.]])
    """
    function = "top_k"
    arrays = library_of(function, x)
    if arrays.is_traced(x):
        return arrays.traced(function, function, x, k, axis, largest, sorted)
    if arrays.functions is not None:
        return arrays.functions.top_k(x, k, axis, largest, sorted)
    x, given = items_of(function, arrays, "x", x)
    rows = as_rows(function, arrays, x, axis, given)
    number = result_count(function, k, rows.length)
    shape = (*rows.items.shape[:-1], number)
    items = arrays.empty(rows.items, shape, given)
    indices = arrays.empty(rows.items, shape, TYPES["int64"])
    if arrays.size(items):
        keys = arrays.sort_keys(rows.items)
        _core.top_k(arrays.where(keys), arrays.address(keys), arrays.size(keys), rows.length, number, arrays.address(items),
                    arrays.address(indices), given.code, not largest, not sorted)
    return from_rows(arrays, rows, items), from_rows(arrays, rows, indices)


def nth_element(x: Any, n: int, axis: Optional[int] = -1) -> Any:
    """The item that would have index `n` if `x` were sorted along an axis, without a sort of all items.

    Parameters
    ----------
    x : array
        Any shape and strides; bool, integers, floats of 16 to 64 bits.
    n : int
        The index, below the axis's length; a negative one counts from the end.
    axis : int or None
        The axis to select along. None: the array as one row of items.

    Returns
    -------
    array
        Of x's type and kind, contiguous, with x's shape without the axis. NaN counts as larger than all numbers, and -0.0
        equals 0.0.

    Raises
    ------
    TypeError, ValueError
        An argument that is wrong; before anything is written.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.nth_element(np.array([[3, 9, 4, 9, 1], [5, 5, 0, 7, 2]]), 2)
    array([4, 5])
    """
    function = "nth_element"
    arrays = library_of(function, x)
    if arrays.functions is not None:
        return arrays.functions.nth_element(x, n, axis)
    x, given = items_of(function, arrays, "x", x)
    rows = as_rows(function, arrays, x, axis, given)
    items = arrays.empty(rows.items, rows.items.shape[:-1], given)
    rank = rank_of(function, n, rows.length)
    if arrays.size(items):
        keys = arrays.sort_keys(rows.items)
        _core.nth_element(arrays.where(keys), arrays.address(keys), arrays.size(keys), rows.length, rank,
                          arrays.address(items), given.code)
    return items


def _integer(function: str, argument: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        wrong_type(function, argument, f"is {value!r}, not an integer")


def result_count(function: str, k: Any, length: int) -> int:
    number = _integer(function, "k", k)
    if not 0 <= number <= length:
        wrong_value(function, "k", f"is {number}, and the axis has {length} items")
    return number


def rank_of(function: str, n: Any, length: int) -> int:
    """The index from 0 on."""
    number = _integer(function, "n", n)
    if not -length <= number < length:
        wrong_value(function, "n", f"is {number}, and the axis has {length} items")
    return number % length
