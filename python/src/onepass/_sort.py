# SPDX-License-Identifier: Apache-2.0
"""sort, argsort and sort_by_key."""
from __future__ import annotations

from typing import Any, Optional, Tuple

from . import _core
from ._arrays import TYPES, as_rows, from_rows, items_of, same_shape, wrong_type
from ._libraries import library_of


def sort(x: Any, *, axis: Optional[int] = -1, descending: bool = False) -> Any:
    """The items of `x` in order, along an axis.

    Parameters
    ----------
    x : array
        Any shape and strides; bool, integers, floats of 16 to 64 bits.
    axis : int or None
        The axis to sort along. None: the array as one row of items.
    descending : bool
        Whether the largest come first.

    Returns
    -------
    array
        x's shape, type and kind, contiguous. Equal items keep their order, also -0.0 and 0.0. NaN counts as larger than all
        numbers, so that it is last, or first in descending order.

    Raises
    ------
    TypeError, ValueError
        An argument that is wrong; before anything is written.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.sort(np.array([3.0, np.nan, 1.0]))
    array([ 1.,  3., nan])
    >>> onepass.sort(np.array([[3, 1, 2], [7, 9, 8]]), descending=True)
    array([[3, 2, 1],
           [9, 8, 7]])
    """
    function = "sort"
    arrays = library_of(function, x)
    if arrays.is_traced(x):
        return arrays.traced(function, function, x, axis, descending)
    if arrays.functions is not None:
        return arrays.functions.sort(x, axis=axis, descending=descending)
    x, given = items_of(function, arrays, "x", x)
    rows = as_rows(function, arrays, x, axis, given)
    keys = arrays.fresh_keys(rows.items, not arrays.overlap(rows.items, x))
    sort_rows(arrays, rows, keys, given.code, descending)
    return from_rows(arrays, rows, keys).reshape(shape_of(arrays, x, axis))


def argsort(x: Any, *, axis: Optional[int] = -1, descending: bool = False, index_dtype: Any = "int64") -> Any:
    """Where each item of `x` would go, along an axis: the indices that sort it.

    Parameters
    ----------
    x, axis, descending
        As for `sort`.
    index_dtype : dtype
        int64 or int32.

    Returns
    -------
    array
        x's shape and kind, contiguous, of type `index_dtype`. Indices of equal items ascend; all NaNs are equal.

    Raises
    ------
    TypeError, ValueError
        An argument that is wrong; before anything is written.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.argsort(np.array([3.0, np.nan, 1.0, 3.0]))
    array([2, 0, 3, 1])
    """
    function = "argsort"
    arrays = library_of(function, x)
    if arrays.functions is not None:
        return arrays.functions.argsort(x, axis=axis, descending=descending, index_dtype=index_dtype)
    x, given = items_of(function, arrays, "x", x)
    index = arrays.named_type(function, "index_dtype", index_dtype)
    if index.name not in ("int32", "int64"):
        wrong_type(function, "index_dtype", f"is {index.name}, not int32 or int64")
    rows = as_rows(function, arrays, x, axis, given)
    order = argsort_rows(arrays, rows, given.code, descending, index, not arrays.overlap(rows.items, x))
    return from_rows(arrays, rows, order).reshape(shape_of(arrays, x, axis))


def sort_by_key(keys: Any, values: Any, *, axis: Optional[int] = -1, descending: bool = False) -> Tuple[Any, Any]:
    """The keys in order along an axis, and the values in the order of their keys.

    Parameters
    ----------
    keys : array
        Any shape and strides; bool, integers, floats of 16 to 64 bits.
    values : array
        The keys' shape, of any type.
    axis, descending
        As for `sort`.

    Returns
    -------
    tuple of two arrays
        Each of its input's shape and type. Values of equal keys keep their order.

    Raises
    ------
    TypeError, ValueError
        An argument that is wrong; before anything is written.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.sort_by_key(np.array([3, 1, 2]), np.array([0.3, 0.1, 0.2]))
    (array([1, 2, 3]), array([0.1, 0.2, 0.3]))
    """
    function = "sort_by_key"
    arrays = library_of(function, keys, values)
    if arrays.functions is not None:
        return arrays.functions.sort_by_key(keys, values, axis=axis, descending=descending)
    keys, given = items_of(function, arrays, "keys", keys)
    values = arrays.array(function, "values", values)
    same_shape(function, "values", values, keys)
    arrays.same_device(function, "values", values, keys)
    rows = as_rows(function, arrays, keys, axis, given)
    is_copy, shape = not arrays.overlap(rows.items, keys), shape_of(arrays, keys, axis)
    if rows.number <= 1 and arrays.item_bytes(values) in (4, 8):
        moved = arrays.copy(values).reshape(-1)
        sorted_keys = arrays.fresh_keys(rows.items, is_copy)
        if arrays.size(keys):
            _core.sort_by_key(arrays.where(keys), arrays.address(sorted_keys), arrays.size(keys), arrays.bytes_of(moved),
                              given.code, arrays.item_bytes(values), bool(descending))
        return sorted_keys.reshape(shape), moved.reshape(shape)
    order = argsort_rows(arrays, rows, given.code, descending, TYPES["int64"], is_copy)
    if axis is None or keys.ndim == 0:
        return tuple(arrays.take(x.reshape(-1), order).reshape(shape) for x in (keys, values))
    order = from_rows(arrays, rows, order).reshape(shape)
    return arrays.take_along(keys, order, rows.axis), arrays.take_along(values, order, rows.axis)


def shape_of(arrays: Any, x: Any, axis: Optional[int]) -> Tuple[int, ...]:
    return (arrays.size(x),) if axis is None else tuple(x.shape)


def sort_rows(arrays: Any, rows: Any, keys: Any, code: int, descending: bool) -> None:
    """Sorts contiguous rows where they are."""
    where, first, n = arrays.where(keys), arrays.address(keys), arrays.size(keys)
    if rows.number == 1:
        _core.sort(where, first, n, code, bool(descending))
    elif rows.number > 1:
        offsets = arrays.row_offsets(keys, rows.number, rows.length)
        _core.segmented_sort(where, first, n, arrays.address(offsets), rows.number + 1, code, bool(descending))


def argsort_rows(arrays: Any, rows: Any, code: int, descending: bool, index: Any, is_copy: bool) -> Any:
    """The indices within each row, with the rows' shape."""
    n = arrays.size(rows.items)
    if rows.number <= 1:
        order = arrays.empty(rows.items, rows.items.shape, index)
        if n:
            keys = arrays.sort_keys(rows.items)
            _core.argsort(arrays.where(keys), arrays.address(keys), n, arrays.address(order), code, index.size,
                          bool(descending))
        return order
    keys = arrays.fresh_keys(rows.items, is_copy)
    order = arrays.row_indices(keys, rows.number, rows.length)
    offsets = arrays.row_offsets(keys, rows.number, rows.length)
    _core.segmented_sort_by_key(arrays.where(keys), arrays.address(keys), n, arrays.address(order),
                                arrays.address(offsets), rows.number + 1, code, bool(descending))
    order = arrays.cast(order, index)
    if rows.length > 1 << 31 and index.size == 8:
        order &= 0xFFFFFFFF  # PyTorch's integers of 32 bits have a sign
    return order.reshape(tuple(rows.items.shape))
