# SPDX-License-Identifier: Apache-2.0
"""unique and unique_consecutive: the runs of equal items."""
from __future__ import annotations

from typing import Any, Tuple

from . import _core
from ._arrays import TYPES, as_rows, items_of
from ._libraries import library_of
from ._sort import argsort_rows, sort_rows


def unique(x: Any, *, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The different items of `x`, in order.

    Parameters
    ----------
    x : array
        Any shape and strides; bool, integers, floats of 16 to 64 bits. It is taken as one row.
    return_index : bool
        Whether to return where each item stands first in `x`.
    return_inverse : bool
        Whether to return, for each item of `x`, its index in the result.
    return_counts : bool
        Whether to return how often each item occurs.

    Returns
    -------
    array, or tuple of arrays
        The items, and what was asked for, in the order above, as int64. -0.0 equals 0.0. NaNs are one item (NumPy's rule)
        or each is its own (PyTorch's). A call on CUDA waits for the number of items.

    Raises
    ------
    TypeError, ValueError
        An argument that is wrong; before anything is written.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.unique(np.array([3, 1, 3, 2]), return_counts=True)
    (array([1, 2, 3]), array([1, 1, 2]))
    """
    function = "unique"
    arrays = library_of(function, x)
    if arrays.functions is not None:
        return arrays.functions.unique(x, return_index=return_index, return_inverse=return_inverse,
                                       return_counts=return_counts)
    x, given = items_of(function, arrays, "x", x)
    rows = as_rows(function, arrays, x, None, given)
    is_copy = not arrays.overlap(rows.items, x)
    if not return_index and not return_inverse:
        keys = arrays.fresh_keys(rows.items, is_copy)
        sort_rows(arrays, rows, keys, given.code, False)
        items, counts, _, _ = _runs(arrays, keys, return_counts, False, arrays.nan_runs(keys[-1:]) > 0)
        order = inverse = starts = None
    else:
        order = argsort_rows(arrays, rows, given.code, False, TYPES["int64"], is_copy)
        keys = arrays.take(rows.items, order)
        items, counts, starts, inverse = _runs(arrays, keys, return_counts, True, arrays.nan_runs(keys[-1:]) > 0)
    results = [items]
    if return_index:
        results.append(arrays.take(order, starts))
    if return_inverse:
        results.append(arrays.scatter(inverse, order).reshape(tuple(x.shape)))
    if return_counts:
        results.append(counts)
    return results[0] if len(results) == 1 else tuple(results)


def unique_consecutive(x: Any, *, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The first item of each run of equal items, in their order.

    Parameters
    ----------
    x : array
        Any shape and strides; bool, integers, floats of 16 to 64 bits. It is taken as one row.
    return_inverse : bool
        Whether to return, for each item of `x`, the index of its run.
    return_counts : bool
        Whether to return how long each run is.

    Returns
    -------
    array, or tuple of arrays
        The items, and what was asked for, in the order above, as int64. -0.0 equals 0.0, and a NaN is a run by itself. A
        call on CUDA waits for the number of runs.

    Raises
    ------
    TypeError, ValueError
        An argument that is wrong; before anything is written.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.unique_consecutive(np.array([1, 1, 3, 3, 3, 1]), return_counts=True)
    (array([1, 3, 1]), array([2, 3, 1]))
    """
    function = "unique_consecutive"
    arrays = library_of(function, x)
    if arrays.functions is not None:
        return arrays.functions.unique_consecutive(x, return_inverse=return_inverse, return_counts=return_counts)
    x, _ = items_of(function, arrays, "x", x)
    flat = arrays.contiguous(x).reshape(-1)
    items, counts, _, inverse = _runs(arrays, flat, return_counts, return_inverse, False)
    results = [items]
    if return_inverse:
        results.append(inverse.reshape(tuple(x.shape)))
    if return_counts:
        results.append(counts)
    return results[0] if len(results) == 1 else tuple(results)


def _runs(arrays: Any, x: Any, with_counts: bool, with_index: bool, equal_nan: bool) -> Tuple[Any, Any, Any, Any]:
    """The runs of a contiguous x: items, lengths, starts, and the run of each item; what was not asked for is None.

    equal_nan: the NaNs at x's end are one run.
    """
    n = arrays.size(x)
    of = arrays.type_of("unique", "x", x)
    where, items = arrays.where(x), arrays.empty(x, (n,), of)
    counts: Any = None
    starts: Any = None
    inverse: Any = None
    if with_index:
        heads = arrays.heads(x)
        starts = arrays.empty(x, (arrays.count(heads),), TYPES["int64"])
        inverse = arrays.cast(heads, TYPES["int64"])
        if n:
            _core.positions(where, arrays.address(heads), n, arrays.address(starts), None)
            _core.scan(where, arrays.address(inverse), n, arrays.address(inverse), TYPES["int64"].code, 0, False, -1)
        items, counts = arrays.take(x, starts), arrays.lengths(starts, n)
    elif n:
        if with_counts:
            counts = arrays.empty(x, (n,), TYPES["int64"])
            kept = _core.run_length_encode(where, arrays.address(x), n, arrays.address(items), arrays.address(counts),
                                           of.code)
            counts = arrays.copy(counts[:kept])
        else:
            kept = _core.unique(where, arrays.address(x), n, arrays.address(items), of.code)
        items = arrays.copy(items[:kept])
    else:
        counts = arrays.empty(x, (0,), TYPES["int64"])
    if equal_nan:
        last = arrays.size(items) - arrays.nan_runs(items)
        if last + 1 < arrays.size(items):
            items = arrays.copy(items[:last + 1])  # not a view, which would keep an item for each NaN
        if counts is not None:
            counts = arrays.merged(counts, last)
        if inverse is not None:
            starts, inverse = starts[:last + 1], inverse.clip(max=last)
    return items, counts, starts, inverse
