# SPDX-License-Identifier: Apache-2.0
"""compress, nonzero and partition: items by their flags."""
from __future__ import annotations

from typing import Any, Optional, Tuple

from . import _core
from ._arrays import TYPES, result_size, same_shape, wrong_type
from ._libraries import library_of


def compress(x: Any, mask: Any, *, size: Optional[int] = None, fill: Any = 0) -> Any:
    """The items of `x` whose flag is true, in their order: ``x[mask]``.

    Parameters
    ----------
    x : array
        Any shape, strides and type of 1, 2, 4 or 8 bytes an item.
    mask : bool array
        x's shape. It must not change during the call.
    size : int
        The length of the result: items beyond it are dropped, and `fill` stands behind the last where there are fewer. On
        CUDA the call then waits for nothing.
    fill : scalar
        An item.

    Returns
    -------
    array
        One dimension, x's type. Without `size` its length is the number of true flags, for which a call on CUDA waits.

    Raises
    ------
    TypeError, ValueError
        An argument that is wrong; before anything is written.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.compress(np.array([3, 1, 4, 1, 5]), np.array([True, False, True, False, True]))
    array([3, 4, 5])
    >>> onepass.compress(np.array([3, 1, 4]), np.array([True, False, True]), size=4, fill=-1)
    array([ 3,  4, -1, -1])
    """
    function = "compress"
    arrays = library_of(function, x, mask)
    if size is None and arrays.is_traced(x, mask):
        return arrays.traced(function, function, x, mask)
    if arrays.functions is not None:
        return arrays.functions.compress(x, mask, size=size, fill=fill)
    arrays, x, flags, number = _with_flags(function, x, mask)
    items = arrays.contiguous(x).reshape(-1)
    where, n = arrays.where(x), arrays.size(items)
    if size is None and arrays.shortens(n * number):
        result, kept = arrays.empty_like_items(items, n), 0
        if n:
            kept = _core.compact(where, arrays.bytes_of(items), n, arrays.address(flags), arrays.bytes_of(result), number, None)
        return arrays.shortened(result, kept)
    if size is None:
        result, ignored = arrays.empty_like_items(items, arrays.count(flags)), arrays.counter(x)
        if n and arrays.size(result):
            _core.compact(where, arrays.bytes_of(items), n, arrays.address(flags), arrays.bytes_of(result), number,
                          None if ignored is None else arrays.address(ignored))
        return result
    size, fill = result_size(function, size), arrays.item(function, "fill", fill, x)
    result = arrays.empty_like_items(items, n)
    count, kept = arrays.counter(x), 0
    if n:
        kept = _core.compact(where, arrays.bytes_of(items), n, arrays.address(flags), arrays.bytes_of(result), number,
                             None if count is None else arrays.address(count))
    return arrays.first(result, kept if count is None else count, size, fill)


def nonzero(x: Any, *, size: Optional[int] = None, fill: int = -1) -> Any:
    """The indices of the items that are not zero, in their order.

    Parameters
    ----------
    x : array
        Any shape, strides and type. What is no number, such as text, is zero where NumPy's nonzero takes it for that. NaN
        is not zero.
    size : int
        The length of the result, filled with `fill` as that of `compress`. For one dimension alone.

    Returns
    -------
    NumPy: a tuple of an int64 array for each axis, as ``numpy.nonzero``. PyTorch: an int64 tensor with a row for each item,
    as ``torch.nonzero``.

    Raises
    ------
    TypeError, ValueError
        An argument that is wrong; before anything is written.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.nonzero(np.array([3, 0, 4, 0, 5]))
    (array([0, 2, 4]),)
    >>> onepass.nonzero(np.array([[1, 0], [0, 1]]))
    (array([0, 1]), array([0, 1]))
    """
    function = "nonzero"
    arrays = library_of(function, x)
    if arrays.functions is not None:
        return arrays.functions.nonzero(x, size=size, fill=fill)
    x = arrays.array(function, "x", x)
    if x.ndim == 0:
        wrong_type(function, "x", "has no dimension")
    if size is not None and x.ndim != 1:
        wrong_type(function, "size", "is given, which is for x of one dimension")
    flags = arrays.flags(x)
    where, n = arrays.where(flags), arrays.size(flags)
    of = TYPES["int64"]
    if size is None and arrays.shortens(n * of.size):
        positions, kept = arrays.empty(flags, (n,), of), 0
        if n:
            kept = _core.positions(where, arrays.address(flags), n, arrays.address(positions), None)
        return arrays.coordinates(arrays.shortened(positions, kept), x.shape)
    if size is None:
        positions, ignored = arrays.empty(flags, (arrays.count(flags),), of), arrays.counter(flags)
        if arrays.size(positions):
            _core.positions(where, arrays.address(flags), n, arrays.address(positions),
                            None if ignored is None else arrays.address(ignored))
        return arrays.coordinates(positions, x.shape)
    positions = arrays.empty(flags, (n,), of)
    size, fill = result_size(function, size), arrays.item(function, "fill", fill, positions)
    count, kept = arrays.counter(flags), 0
    if n:
        kept = _core.positions(where, arrays.address(flags), n, arrays.address(positions),
                               None if count is None else arrays.address(count))
    return arrays.coordinates(arrays.first(positions, kept if count is None else count, size, fill), x.shape)


def partition(x: Any, mask: Any) -> Tuple[Any, Any]:
    """The items of `x` whose flag is true, and the others, each in their order: ``x[mask], x[~mask]``.

    Parameters
    ----------
    x : array
        Any shape, strides and type of 1, 2, 4 or 8 bytes an item.
    mask : bool array
        x's shape.

    Returns
    -------
    tuple of two arrays
        One dimension, x's type. A call on CUDA waits for their lengths.

    Raises
    ------
    TypeError, ValueError
        An argument that is wrong; before anything is written.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.partition(np.array([3, 1, 4, 1, 5]), np.array([True, False, True, False, True]))
    (array([3, 4, 5]), array([1, 1]))
    """
    arrays = library_of("partition", x, mask)
    if arrays.functions is not None:
        return arrays.functions.partition(x, mask)
    arrays, x, flags, number = _with_flags("partition", x, mask)
    items = arrays.contiguous(x).reshape(-1)
    n, kept = arrays.size(items), arrays.count(flags)
    chosen, others = arrays.empty_like_items(items, kept), arrays.empty_like_items(items, n - kept)
    if n:
        # The engine takes no null pointers, and never writes to an output that gets no item.
        _core.partition(arrays.where(x), arrays.bytes_of(items), n, arrays.address(flags),
                        arrays.bytes_of(chosen if kept else others), arrays.bytes_of(others if n > kept else chosen),
                        number)
    return chosen, others


def _with_flags(function: str, x: Any, mask: Any) -> Tuple[Any, Any, Any, int]:
    """x's library, x, the flags as bytes, and the bytes of an item."""
    arrays = library_of(function, x)
    x = arrays.array(function, "x", x)
    number = arrays.movable_bytes(function, "x", x)
    mask = arrays.array(function, "mask", mask)
    if not arrays.is_bool(mask):
        wrong_type(function, "mask", f"has dtype {mask.dtype}, not bool")
    same_shape(function, "mask", mask, x)
    arrays.same_device(function, "mask", mask, x)
    return arrays, x, arrays.flags(mask), number
