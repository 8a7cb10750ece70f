# SPDX-License-Identifier: Apache-2.0
"""reduce_by_key and segment_reduce: one result for each segment."""
from __future__ import annotations

from typing import Any, Tuple

from . import _core
from ._arrays import (TYPES, computed, engine_init, items_of, named_operator, one_dimensional, operator_number, same_shape,
                      wrong_type)
from ._libraries import library_of
from ._scan import identity


def reduce_by_key(keys: Any, values: Any, op: str = "sum", *, dtype: Any = None) -> Tuple[Any, Any]:
    """The first key of each run of equal keys, and the run's values combined in their order.

    Parameters
    ----------
    keys : array
        One dimension; bool, integers, floats of 16 to 64 bits. -0.0 equals 0.0, and a NaN is a run by itself.
    values : array
        The keys' length; bool, integers, floats of 16 to 64 bits.
    op, dtype
        As for `scan`.

    Returns
    -------
    tuple of two arrays
        Keys of their own type, and results of scan's type. A call on CUDA waits for the number of runs.

    Raises
    ------
    TypeError, ValueError
        An argument that is wrong; before anything is written.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.reduce_by_key(np.array([7, 7, 3, 3, 3]), np.array([1, 2, 3, 4, 5]))
    (array([7, 3]), array([ 3, 12]))
    """
    function = "reduce_by_key"
    named_operator(function, op)
    arrays = library_of(function, keys, values)
    if arrays.functions is not None:
        return arrays.functions.reduce_by_key(keys, values, op, dtype=dtype)
    keys, key_type = items_of(function, arrays, "keys", keys)
    one_dimensional(function, "keys", keys)
    values, given = items_of(function, arrays, "values", values)
    same_shape(function, "values", values, keys)
    arrays.same_device(function, "values", values, keys)
    of, number = _result_type(function, arrays, given, op, dtype)
    keys = arrays.contiguous(keys)
    items = _items(arrays, values, of)
    n, where = arrays.size(keys), arrays.where(keys)
    if key_type.kind == "f":
        # The runs' numbers are the keys, and in the end the first key of each is looked up.
        heads = arrays.heads(keys)
        words = arrays.cast(heads, TYPES["int64"])
        if n:
            _core.scan(where, arrays.address(words), n, arrays.address(words), TYPES["int64"].code, 0, False, None)
    else:
        words = keys
    word = arrays.type_of(function, "keys", words)
    out_keys, results = arrays.empty(keys, (n,), word), arrays.empty(keys, (n,), computed(of))
    runs = 0
    if n:
        runs = _core.reduce_by_key(where, arrays.address(words), n, arrays.address(items), arrays.address(out_keys),
                                   arrays.address(results), word.code, computed(of).code, number)
    if key_type.kind == "f":
        starts = arrays.empty(keys, (runs,), TYPES["int64"])
        if n:
            _core.positions(where, arrays.address(heads), n, arrays.address(starts), None)
        kept = arrays.take(keys, starts)
    else:
        kept = arrays.copy(out_keys[:runs])
    return kept, arrays.copy(arrays.cast(results[:runs], of))


def segment_reduce(x: Any, offsets: Any, op: str = "sum", *, init: Any = None, dtype: Any = None) -> Any:
    """The items of each segment of `x`, combined in their order.

    Parameters
    ----------
    x : array
        One dimension; bool, integers, floats of 16 to 64 bits.
    offsets : array
        Ascending integers from 0 to x's length. Segment i has the items from offset i up to offset i + 1, so there is one
        segment less than there are offsets. On CUDA their values are not checked, as that would have to wait.
    op, dtype
        As for `scan`.
    init : scalar
        What each segment begins with, so the result of an empty one; without it the operator's identity, which for sums is
        0, so that a segment of -0.0 has the sum 0.0.

    Returns
    -------
    array
        A result for each segment, of scan's type.

    Raises
    ------
    TypeError, ValueError
        An argument that is wrong; before anything is written.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.segment_reduce(np.array([1, 2, 3, 4]), np.array([0, 1, 1, 4]))
    array([1, 0, 9])
    """
    function = "segment_reduce"
    named_operator(function, op)
    arrays = library_of(function, x, offsets)
    if op == "sum" and init is None and dtype is None and arrays.is_traced(x, offsets):
        return arrays.traced("segment_sum", function, x, offsets)
    if arrays.functions is not None:
        return arrays.functions.segment_reduce(x, offsets, op, init=init, dtype=dtype)
    x, given = items_of(function, arrays, "x", x)
    one_dimensional(function, "x", x)
    offsets = arrays.array(function, "offsets", offsets)
    one_dimensional(function, "offsets", offsets)
    arrays.same_device(function, "offsets", offsets, x)
    if arrays.type_of(function, "offsets", offsets).kind not in "iu":
        wrong_type(function, "offsets", f"have dtype {offsets.dtype}, not integers")
    of, number = _result_type(function, arrays, given, op, dtype)
    init = identity(op, of) if init is None else arrays.scalar(function, "init", init, of)
    starts = arrays.cast(offsets, TYPES["int64"])
    n = arrays.size(x)
    arrays.check_offsets(function, "offsets", starts, n)
    items = _items(arrays, x, of)
    results = arrays.empty(x, (max(arrays.size(starts) - 1, 0),), computed(of))
    if arrays.size(results):
        # The engine takes no null pointers; without items nothing is read.
        first = items if n else results
        _core.segmented_reduce(arrays.where(x), arrays.address(first), n, arrays.address(starts), arrays.size(starts),
                               arrays.address(results), computed(of).code, number, engine_init(init, of))
    return arrays.cast(results, of)


def _result_type(function: str, arrays: Any, given: Any, op: Any, dtype: Any) -> Tuple[Any, int]:
    """The type of the results of items of type `given`, and the operator's number."""
    of = arrays.accumulated(given, op) if dtype is None else arrays.named_type(function, "dtype", dtype)
    return of, operator_number(function, op, of)


def _items(arrays: Any, values: Any, of: Any) -> Any:
    """The values as they are calculated with: cast to the type of the results first, as NumPy does."""
    return arrays.cast(arrays.cast(values, of), computed(of))
