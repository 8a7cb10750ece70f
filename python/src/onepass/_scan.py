# SPDX-License-Identifier: Apache-2.0
"""scan, and the cumulative functions that are scans."""
from __future__ import annotations

from typing import Any, Optional

from . import _core
from ._arrays import (TYPES, Type, as_columns, computed, engine_init, items_of, named_operator, one_dimensional,
                      operator_number, same_shape, wrong_type, wrong_value)
from ._libraries import library_of
from ._plain_scan import plain_scan


def scan(x: Any, op: str = "sum", *, axis: Optional[int] = -1, reverse: bool = False, exclusive: bool = False,
         init: Any = None, dtype: Any = None, segments: Any = None, keys: Any = None, out: Any = None) -> Any:
    """Combines the items of `x` up to each item, along an axis.

    Parameters
    ----------
    x : array
        Any shape and strides; bool, integers, floats of 16 to 64 bits.
    op : str
        "sum", "prod", "min", "max", "bitwise_and", "bitwise_or" or "bitwise_xor". The last three are not for floats. With
        "min" and "max" a NaN stays.
    axis : int or None
        The axis to scan along. None: the array as one row of items.
    reverse : bool
        Whether the scan runs from the last item to the first.
    exclusive : bool
        Whether result i is without item i. The first result is then `init`.
    init : scalar
        What the scan begins with; without it an exclusive scan begins with the operator's identity.
    dtype : dtype
        The type in which the scan is computed, and that of the result. Without it: sums and products of bool and small
        integers are int64 (NumPy: of small unsigned integers uint64), all else has x's type. Integers wrap around.
    segments : array
        For an `x` of one dimension: a bool array of x's length that is true where a segment starts, or ascending integers
        from 0 to at most that length, the offsets where segments start. The scan begins anew at each.
    keys : array
        For an `x` of one dimension: integers of x's length. The scan begins anew where a key differs from the one before.
    out : array
        Where the result goes: x's shape, the result's type, any strides. It may be `x`, and overlap any argument.

    Returns
    -------
    array
        x's shape and kind, contiguous, or `out`; (1,) is the shape for an x without dimensions. Floats have the same bits on
        every run.

    Raises
    ------
    TypeError, ValueError
        An argument that is wrong; before anything is written.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.scan(np.array([3, 1, 4, 1, 5]), "max")
    array([3, 3, 4, 4, 5])
    >>> onepass.scan(np.array([1, 2, 3, 4]), exclusive=True, init=10)
    array([10, 11, 13, 16])
    >>> onepass.scan(np.array([1, 1, 1, 1]), segments=np.array([0, 3]))
    array([1, 2, 3, 1])
    >>> onepass.scan(np.array([1, 1, 1, 1]), keys=np.array([7, 7, 2, 2]), reverse=True)
    array([2, 1, 2, 1])
    """
    named_operator("scan", op)
    return scan_of("scan", x, op, axis, reverse, exclusive, init, dtype, segments, keys, out)


def cumsum(x: Any, *, axis: Optional[int] = -1, dtype: Any = None, out: Any = None, reverse: bool = False,
           exclusive: bool = False) -> Any:
    """The sums of the items up to each item: ``scan(x, "sum")``, whose arguments it has.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.cumsum(np.array([[1, 2, 3], [4, 5, 6]], np.int8))
    array([[ 1,  3,  6],
           [ 4,  9, 15]])
    >>> onepass.cumsum(np.array([1.0, 2.0, 3.0]), reverse=True)
    array([6., 5., 3.])
    """
    if dtype is None and out is None and not reverse and not exclusive:
        result = plain_scan(x, "sum", axis)
        if result is not None:
            return result
    return scan_of("cumsum", x, "sum", axis, reverse, exclusive, None, dtype, None, None, out)


def cumprod(x: Any, *, axis: Optional[int] = -1, dtype: Any = None, out: Any = None, reverse: bool = False,
            exclusive: bool = False) -> Any:
    """The products of the items up to each item: ``scan(x, "prod")``, whose arguments it has.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.cumprod(np.array([1, 2, 3, 4]))
    array([ 1,  2,  6, 24])
    """
    if dtype is None and out is None and not reverse and not exclusive:
        result = plain_scan(x, "prod", axis)
        if result is not None:
            return result
    return scan_of("cumprod", x, "prod", axis, reverse, exclusive, None, dtype, None, None, out)


def cummax(x: Any, *, axis: Optional[int] = -1, out: Any = None, reverse: bool = False) -> Any:
    """The largest of the items up to each item: ``scan(x, "max")``, whose arguments it has. After a NaN all is NaN.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.cummax(np.array([2.0, 1.0, np.nan, 3.0]))
    array([ 2.,  2., nan, nan])
    """
    if out is None and not reverse:
        result = plain_scan(x, "max", axis)
        if result is not None:
            return result
    return scan_of("cummax", x, "max", axis, reverse, False, None, None, None, None, out)


def cummin(x: Any, *, axis: Optional[int] = -1, out: Any = None, reverse: bool = False) -> Any:
    """The smallest of the items up to each item: ``scan(x, "min")``, whose arguments it has. After a NaN all is NaN.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.cummin(np.array([[2, 1], [3, 0]]), axis=0)
    array([[2, 1],
           [2, 0]])
    """
    if out is None and not reverse:
        result = plain_scan(x, "min", axis)
        if result is not None:
            return result
    return scan_of("cummin", x, "min", axis, reverse, False, None, None, None, None, out)


def scan_of(function: str, x: Any, op: Any, axis: Optional[int], reverse: bool, exclusive: bool, init: Any, dtype: Any,
            segments: Any, keys: Any, out: Any) -> Any:
    """The scan of a function that has these arguments."""
    arrays = library_of(function, x, segments, keys)
    is_plain_sum = op == "sum" and init is None and segments is None and keys is None and out is None
    if is_plain_sum and arrays.is_traced(x):
        return arrays.traced("cumsum", function, x, axis, reverse, exclusive, dtype)
    if arrays.functions is not None:
        return arrays.functions.scan_of(function, x, op, axis, reverse, exclusive, init, dtype, segments, keys, out)
    x, given = items_of(function, arrays, "x", x)
    of = arrays.accumulated(given, op) if dtype is None else arrays.named_type(function, "dtype", dtype)
    number = operator_number(function, op, of)
    if init is not None:
        init = arrays.scalar(function, "init", init, of)
    elif exclusive:
        init = identity(op, of)
    # Sums of narrow integers in one row are widened by the scan itself. Other items are converted: first to the result's
    # type, as NumPy does, and then to the one that is computed in.
    flat = axis is None or x.ndim < 2
    widens = flat and not reverse and op == "sum" and segments is None and keys is None and of.is_wide_integer and given.is_narrow_integer
    heads = None
    if segments is not None or keys is not None:
        heads = _Heads(function, arrays, x, segments, keys, reverse)
    work = computed(of, init is not None and not exclusive and (heads is not None or not flat))
    shape = tuple(x.shape) if axis is not None and x.ndim else (arrays.size(x),)
    if out is not None:
        arrays.check_out(function, out, shape, of)
        arrays.same_device(function, "out", out, x)
    cast = x if widens or given is of or (given.kind == of.kind and given.size < of.size) else arrays.cast(x, of)
    columns = as_columns(function, arrays, cast, axis, given if widens else work)
    items, is_copy = columns.items, not arrays.overlap(columns.items, x)
    # Sums of rows run from the end themselves; for other scans the items are turned round before and after.
    from_end = reverse and op == "sum" and heads is None and init is None and columns.width == 1
    reverse = reverse and not from_end
    if reverse:
        items, is_copy = arrays.flipped(items, columns.axis), True
    direct = out is not None and not reverse and work is of and arrays.is_contiguous(out) and \
        (out is x or is_copy or not arrays.overlap(out, items)) and \
        (heads is None or not arrays.overlap(out, heads.items))
    to = out if direct else items if is_copy and not widens else arrays.empty(items, items.shape, work)
    if from_end:
        if arrays.size(items):
            _core.reverse_sum(arrays.where(items), arrays.address(items), arrays.size(items), columns.height,
                              arrays.address(to), work.code)
    elif heads is None and columns.are_a_row:
        _scan_row(arrays, items, to, given if widens else work, work, number, exclusive, init)
    else:
        _scan_segments(arrays, columns, heads, items, to, work, number, exclusive, init)
        if init is not None and not exclusive:
            arrays.combine(op, to, init)
    if direct:
        arrays.was_written(out)
        return out
    if reverse:
        to = arrays.flipped(to, columns.axis)
    result = arrays.cast(to, of).reshape(shape)
    if out is None:
        return result
    arrays.copy_to(out, result)
    return out


def _scan_row(arrays: Any, items: Any, to: Any, given: Type, of: Type, number: int, exclusive: bool, init: Any) -> None:
    """The scan of contiguous items as one row, to items of type `of`. `to` may be the items where these have that type."""
    n = arrays.size(items)
    if n == 0:
        return
    if given is of:
        _core.scan(arrays.where(items), arrays.address(items), n, arrays.address(to), of.code, number, bool(exclusive),
                   engine_init(init, of))
    else:
        _core.wide_sum(arrays.where(items), arrays.address(items), n, arrays.address(to), given.code, bool(exclusive),
                       (init or 0) % (1 << 64))


def _scan_segments(arrays: Any, columns: Any, heads: Any, items: Any, to: Any, of: Type, number: int, exclusive: bool,
                   init: Any) -> None:
    """The scan along an axis of contiguous items, or of segments; `to` may be the items. `init` is for exclusive scans alone."""
    where, first, n = arrays.where(items), arrays.address(items), arrays.size(items)
    out, init = arrays.address(to), engine_init(init, of) if exclusive else None
    if n and heads is not None:
        heads.scan(where, first, n, out, of.code, number, bool(exclusive), init)
    elif n:
        _core.scan_by_columns(where, first, n, columns.width, columns.height, out, of.code, number, bool(exclusive), init)


class _Heads:
    """Where segments start: checked, and as the engine takes them."""

    def __init__(self, function: str, arrays: Any, x: Any, segments: Any, keys: Any, reverse: bool) -> None:
        one_dimensional(function, "x", x)
        if segments is not None and keys is not None:
            wrong_value(function, "keys", "are given beside segments")
        argument = "keys" if segments is None else "segments"
        given, of = items_of(function, arrays, argument, keys if segments is None else segments)
        one_dimensional(function, argument, given)
        self.arrays = arrays
        if of.kind == "f":
            wrong_type(function, argument, f"are {of.name}, not integers or bool")
        arrays.same_device(function, argument, given, x)
        if argument == "keys":
            same_shape(function, argument, given, x)
            self.kind, self.of, items = "keys", of, arrays.contiguous(given)
            if reverse:
                items = arrays.flipped(items, 0)
        elif of.kind == "b":
            same_shape(function, argument, given, x)
            self.kind, items = "flags", arrays.flags(given)
            if reverse:
                items = arrays.flipped(arrays.shifted_flags(items), 0)
        else:
            self.kind, items = "offsets", arrays.cast(given, TYPES["int64"])
            n = arrays.size(x)
            arrays.check_offsets(function, argument, items, n)
            if reverse:
                items = arrays.flipped(n - items, 0)
        self.items = items

    def scan(self, where: Any, x: Any, n: int, out: Any, code: int, number: int, exclusive: bool, init: Any) -> None:
        heads = self.arrays.address(self.items)
        if self.kind == "keys":
            _core.scan_by_key(where, heads, n, x, out, self.of.code, code, number, exclusive, init)
        elif self.kind == "flags":
            _core.scan_by_flags(where, x, n, heads, out, code, number, exclusive, init)
        else:
            _core.scan_by_offsets(where, x, n, heads, self.arrays.size(self.items), out, code, number, exclusive, init)


def identity(op: str, of: Type) -> Any:
    """The value with which the operator changes nothing."""
    if op in ("sum", "bitwise_or", "bitwise_xor"):
        return 0.0 if of.kind == "f" else False if of.kind == "b" else 0
    if op == "prod":
        return 1.0 if of.kind == "f" else True if of.kind == "b" else 1
    if of.kind == "f":
        return float("inf") if op == "min" else float("-inf")
    if op == "bitwise_and":
        return -1 if of.kind == "i" else of.largest
    return of.largest if op == "min" else of.smallest
