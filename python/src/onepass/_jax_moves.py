# SPDX-License-Identifier: Apache-2.0
"""Sorts and selections of JAX's arrays."""
from __future__ import annotations

import functools
from typing import Any, Optional, Tuple

import jax
import jax.numpy as jnp
import numpy as np

from ._arrays import TYPES, result_size, same_shape, wrong_type, wrong_value
from ._jax_calls import along, array, call, index_dtype, known_length, named_type, of_words, result, scalar, type_of, words
from ._jax_scans import padded, plain_scan


# ---- sorts
def sort(x: Any, *, axis: Optional[int] = -1, descending: bool = False) -> Any:
    """onepass.sort. The gradient goes back to where the items were.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, onepass
    >>> x = jnp.array([[3.0, 1.0, 2.0], [7.0, 9.0, 8.0]])
    >>> onepass.sort(x, descending=True)
    Array([[3., 2., 1.],
           [9., 8., 7.]], dtype=float32)
    >>> jax.grad(lambda x: onepass.sort(x)[0, 0])(x)
    Array([[0., 1., 0.],
           [0., 0., 0.]], dtype=float32)
    """
    given = array("sort", "x", x)
    of = type_of("sort", "x", given)
    x, number = along("sort", given, axis)
    if x.size == 0:
        return x
    rows = jnp.moveaxis(x, number, -1)
    ordered = _sorted(rows, bool(descending)) if of.kind == "f" else _sort_rows(rows, bool(descending))
    return jnp.moveaxis(ordered, -1, number).reshape(_shape_of(given, axis))


def _shape_of(x: Any, axis: Optional[int]) -> Tuple[int, ...]:
    """The shape of x's items in order."""
    return (x.size,) if axis is None else x.shape


def keys_of(rows: Any) -> Any:
    """The keys, of which all NaNs have the same bits: those that go behind all numbers."""
    return jnp.where(jnp.isnan(rows), jnp.nan, rows).astype(rows.dtype) if jnp.issubdtype(rows.dtype, jnp.floating) else rows


def _lengths(rows: Any) -> Any:
    length = rows.shape[-1]  # a symbol, where shapes are exported so
    if isinstance(length, int) and length >> 32 and rows.size > length:
        wrong_value("sort", "x", "has several rows of 2^32 items or more")
    return jnp.full(rows.shape[:-1], rows.shape[-1], np.uint32)


def _sort_rows(rows: Any, descending: bool) -> Any:
    return call("sort", result(rows.shape, rows.dtype), keys_of(rows), _lengths(rows), aliases={0: 0}, descending=descending)


def _sort_with_indices(rows: Any, descending: bool) -> Tuple[Any, Any]:
    if isinstance(rows.shape[-1], int) and rows.shape[-1] > 1 << 32:
        wrong_value("argsort", "x", "has rows of more than 2^32 items")
    indices = jax.lax.broadcasted_iota(np.uint32, rows.shape, rows.ndim - 1)
    results = result(rows.shape, rows.dtype), result(rows.shape, np.uint32)
    keys, order = call("sort_by_key", results, keys_of(rows), indices, _lengths(rows), aliases={0: 0, 1: 1},
                       descending=descending)
    return keys, order.astype(index_dtype())


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def _sorted(rows: Any, descending: bool) -> Any:
    return _sort_rows(rows, descending)


def _sorted_forward(rows: Any, descending: bool) -> Any:
    order = _sort_with_indices(jax.lax.stop_gradient(rows), descending)[1]
    return jnp.take_along_axis(rows, order, -1), order


def _sorted_backward(descending: bool, order: Any, gradient: Any) -> Any:
    return jnp.put_along_axis(jnp.zeros_like(gradient), order, gradient, -1, inplace=False),


_sorted.defvjp(_sorted_forward, _sorted_backward)


def argsort(x: Any, *, axis: Optional[int] = -1, descending: bool = False, index_dtype: Any = "int64") -> Any:
    """onepass.argsort. Indices of 64 bits are there where JAX has them enabled.

    Examples
    --------
    >>> import jax.numpy as jnp, onepass
    >>> onepass.argsort(jnp.array([3.0, jnp.nan, 1.0, 3.0]))
    Array([2, 0, 3, 1], dtype=int32)
    """
    function = "argsort"
    x = array(function, "x", x)
    type_of(function, "x", x)
    index = named_type(function, "index_dtype", index_dtype)
    if index.name not in ("int32", "int64"):
        wrong_type(function, "index_dtype", f"is {index_dtype!r}, not int32 or int64")
    row, number = along(function, x, axis)
    return order_of(row, number, bool(descending)).astype(index.name).reshape(_shape_of(x, axis))


def order_of(x: Any, axis: int, descending: bool) -> Any:
    """The indices that sort x along an axis."""
    if x.size == 0:
        return x.astype(index_dtype())
    rows = jnp.moveaxis(jax.lax.stop_gradient(x), axis, -1)
    return jnp.moveaxis(_sort_with_indices(rows, descending)[1], -1, axis)


def sort_by_key(keys: Any, values: Any, *, axis: Optional[int] = -1, descending: bool = False) -> Tuple[Any, Any]:
    """onepass.sort_by_key. The gradients go back to where the items were.

    Examples
    --------
    >>> import jax.numpy as jnp, onepass
    >>> onepass.sort_by_key(jnp.array([3, 1, 2]), jnp.array([5, 6, 7]))
    (Array([1, 2, 3], dtype=int32), Array([6, 7, 5], dtype=int32))
    """
    function = "sort_by_key"
    keys, values = array(function, "keys", keys), array(function, "values", values)
    type_of(function, "keys", keys)
    same_shape(function, "values", values, keys)
    shape = _shape_of(keys, axis)
    keys, number = along(function, keys, axis)
    order = order_of(keys, number, bool(descending))
    values = values.reshape(keys.shape)
    return jnp.take_along_axis(keys, order, number).reshape(shape), jnp.take_along_axis(values, order, number).reshape(shape)


# ---- selection
def compress(x: Any, mask: Any, *, size: Optional[int] = None, fill: Any = 0) -> Any:
    """onepass.compress. Where JAX traces a function it needs `size`. The gradient goes back to where the items were.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, onepass
    >>> x = jnp.array([3, -1, 4, -1, 5])
    >>> jax.jit(lambda x: onepass.compress(x, x > 0, size=4, fill=-9))(x)
    Array([ 3,  4,  5, -9], dtype=int32)
    >>> onepass.compress(x, x > 0)
    Array([3, 4, 5], dtype=int32)
    """
    function = "compress"
    x, mask = _with_mask(function, x, mask)
    size = known_length(function, None, mask.sum()) if size is None else result_size(function, size)
    fill = scalar(function, "fill", fill, x.dtype)
    if x.size == 0:
        return jnp.full(size, fill)
    kept, count = _kept(x, mask) if jnp.issubdtype(x.dtype, jnp.inexact) else _compact(x, mask)
    return first(kept, count, size, fill)


def _with_mask(function: str, x: Any, mask: Any) -> Tuple[Any, Any]:
    """Items that can be moved, and their flags, each in a row."""
    x, mask = array(function, "x", x), array(function, "mask", mask)
    is_packed = str(x.dtype).startswith(("int4", "uint4", "int2", "uint2", "float4"))
    if not isinstance(x.dtype, np.dtype) or x.dtype.itemsize not in (1, 2, 4, 8) or is_packed:
        wrong_type(function, "x", f"has dtype {x.dtype}, whose items are not 1, 2, 4 or 8 bytes")
    if mask.dtype != bool:
        wrong_type(function, "mask", f"has dtype {mask.dtype}, not bool")
    same_shape(function, "mask", mask, x)
    return x.reshape(-1), mask.reshape(-1)


def _compact(x: Any, mask: Any) -> Tuple[Any, Any]:
    """The kept items in front of room for all, and their number."""
    kept, count = call("compact", (result(x.shape, x.dtype), words(())), x, mask, length=x.size, bytes=x.dtype.itemsize)
    return kept, of_words(count)


def first(x: Any, count: Any, size: int, fill: Any) -> Any:
    """`size` items: the first `count` of x, and `fill` behind them."""
    x = x[:size] if size <= x.size else padded(x, 0, 0, size - x.size)
    return jnp.where(jax.lax.iota(count.dtype, size) < count, x, fill)


@jax.custom_vjp
def _kept(x: Any, mask: Any) -> Any:
    return _compact(x, mask)


def _kept_forward(x: Any, mask: Any) -> Any:
    return _kept(x, mask), mask


def _kept_backward(mask: Any, gradient: Any) -> Any:
    return jnp.where(mask, gradient[0][_ranks(mask)], 0), None


def _ranks(mask: Any) -> Any:
    """How many items are chosen up to each one, less one."""
    of = index_dtype()
    return plain_scan(mask.astype(of), "sum", TYPES[of.name], 0, False, False) - 1


_kept.defvjp(_kept_forward, _kept_backward)


def partition(x: Any, mask: Any, *, size: Optional[int] = None, fill: Any = 0) -> Tuple[Any, Any]:
    """onepass.partition. Where JAX traces a function it needs `size`: then both results have that length, and `fill` stands behind
    the last item of each. The gradient goes back to where the items were.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, onepass
    >>> x = jnp.array([3, -1, 4, -1, 5])
    >>> onepass.partition(x, x > 0)
    (Array([3, 4, 5], dtype=int32), Array([-1, -1], dtype=int32))
    >>> jax.jit(lambda x: onepass.jax.partition(x, x > 0, size=4))(x)
    (Array([3, 4, 5, 0], dtype=int32), Array([-1, -1,  0,  0], dtype=int32))
    """
    function = "partition"
    x, mask = _with_mask(function, x, mask)
    length = known_length(function, None, mask.sum()) if size is None else result_size(function, size)
    others = x.size - length if size is None else length
    fill = scalar(function, "fill", fill, x.dtype)
    if x.size == 0:
        return jnp.full(length, fill), jnp.full(others, fill)
    chosen, rest, count = _split(x, mask) if jnp.issubdtype(x.dtype, jnp.inexact) else _partition(x, mask)
    return first(chosen, count, length, fill), first(rest, x.size - count, others, fill)


def _partition(x: Any, mask: Any) -> Tuple[Any, Any, Any]:
    """The chosen items and the others, each in front of room for all, and the number of the chosen ones."""
    room = result(x.shape, x.dtype)
    chosen, others, count = call("partition", (room, room, words(())), x, mask, length=x.size, bytes=x.dtype.itemsize)
    return chosen, others, of_words(count)


@jax.custom_vjp
def _split(x: Any, mask: Any) -> Tuple[Any, Any, Any]:
    return _partition(x, mask)


def _split_forward(x: Any, mask: Any) -> Any:
    return _split(x, mask), mask


def _split_backward(mask: Any, gradient: Any) -> Any:
    chosen = _ranks(mask)
    others = jax.lax.iota(chosen.dtype, mask.size) - chosen - 1
    return jnp.where(mask, gradient[0][chosen], gradient[1][others]), None


_split.defvjp(_split_forward, _split_backward)


def nonzero(x: Any, *, size: Optional[int] = None, fill: int = -1) -> Any:
    """onepass.nonzero: an array of indices for each axis. Where JAX traces a function it needs `size`.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, onepass
    >>> jax.jit(lambda x: onepass.nonzero(x, size=3))(jnp.array([0, 7, 0, 9]))
    (Array([ 1,  3, -1], dtype=int32),)
    """
    function = "nonzero"
    x = array(function, "x", x)
    if x.ndim == 0:
        wrong_type(function, "x", "has no dimension")
    size = None if size is None else result_size(function, size)
    fill = scalar(function, "fill", fill, index_dtype())
    flags = jax.lax.stop_gradient(x).reshape(-1) != 0
    indices, count = positions(flags)
    length = known_length(function, size, count)
    within = first(indices, count, length, 0)
    axes = (within,) if x.ndim == 1 else jnp.unravel_index(within, x.shape) if x.size else (within,) * x.ndim
    return tuple(first(coordinate, count, length, fill) for coordinate in axes)


def positions(flags: Any) -> Tuple[Any, Any]:
    """The indices of set flags in front of room for all, and their number."""
    if flags.size == 0:
        return jnp.zeros(0, index_dtype()), jnp.zeros((), index_dtype())
    indices, count = call("positions", (result(flags.shape, index_dtype()), words(())), flags, length=flags.size)
    return indices, of_words(count)
