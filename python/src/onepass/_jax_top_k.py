# SPDX-License-Identifier: Apache-2.0
"""Selections by rank from JAX's arrays."""
from __future__ import annotations

import functools
from typing import Any, Optional, Tuple

import jax
import jax.numpy as jnp

from ._jax_calls import along, array, call, index_dtype, result, type_of, without_gradient
from ._jax_moves import keys_of
from ._top_k import rank_of, result_count


def top_k(x: Any, k: int, axis: Optional[int] = -1, largest: bool = True, sorted: bool = True) -> Tuple[Any, Any]:
    """onepass.top_k, with indices of JAX's type of integers. The gradient goes back to where the items were.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, onepass
    >>> x = jnp.array([3.0, 9.0, 4.0, 9.0, 1.0])
    >>> onepass.top_k(x, 3)
    (Array([9., 9., 4.], dtype=float32), Array([1, 3, 2], dtype=int32))
    >>> jax.grad(lambda x: onepass.top_k(x, 2, largest=False)[0].sum())(x)
    Array([1., 0., 0., 0., 1.], dtype=float32)
    """
    function = "top_k"
    x = array(function, "x", x)
    of = type_of(function, "x", x)
    x, number = along(function, x, axis)
    count = result_count(function, k, x.shape[number])
    rows = jnp.moveaxis(x, number, -1)
    if rows.size == 0 or count == 0:
        items = jnp.zeros((*rows.shape[:-1], count), rows.dtype)
        indices = items.astype(index_dtype())
    elif of.kind == "f":
        items, indices = _selected(rows, rows.shape[-1], count, bool(largest), bool(sorted))
    else:
        items, indices = _of_rows(rows, count, bool(largest), bool(sorted))
    return jnp.moveaxis(items, -1, number), jnp.moveaxis(indices, -1, number)


def _of_rows(rows: Any, k: int, largest: bool, ordered: bool) -> Tuple[Any, Any]:
    shape = (*rows.shape[:-1], k)
    items, indices = call("top_k", (result(shape, rows.dtype), result(shape, index_dtype())), keys_of(rows),
                          length=rows.shape[-1], k=k, smallest=not largest, input_order=not ordered)
    return items, indices  # JAX 0.5 gives a list


@functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2, 3, 4))
def _selected(rows: Any, length: int, k: int, largest: bool, ordered: bool) -> Tuple[Any, Any]:
    return _of_rows(rows, k, largest, ordered)


def _selected_forward(rows: Any, length: int, k: int, largest: bool, ordered: bool) -> Any:
    indices = _of_rows(jax.lax.stop_gradient(rows), k, largest, ordered)[1]
    return (jnp.take_along_axis(rows, indices, -1), indices), indices


def _selected_backward(length: int, k: int, largest: bool, ordered: bool, indices: Any, gradient: Any) -> Any:
    zeros = jnp.zeros((*indices.shape[:-1], length), gradient[0].dtype)
    return jnp.put_along_axis(zeros, indices, gradient[0], -1, inplace=False),


_selected.defvjp(_selected_forward, _selected_backward)


def nth_element(x: Any, n: int, axis: Optional[int] = -1) -> Any:
    """onepass.nth_element. It has no gradient.

    Examples
    --------
    >>> import jax.numpy as jnp, onepass
    >>> onepass.nth_element(jnp.array([[3, 9, 4, 9, 1], [5, 5, 0, 7, 2]]), 2)
    Array([4, 5], dtype=int32)
    """
    function = "nth_element"
    x = array(function, "x", x)
    of = type_of(function, "x", x)
    x, number = along(function, x, axis)
    rank = rank_of(function, n, x.shape[number])
    rows = jnp.moveaxis(without_gradient(x, function), number, -1)
    shape = rows.shape[:-1]
    if rows.size == 0:
        return jnp.zeros(shape, of.name)
    return call("nth_element", result(shape, rows.dtype), keys_of(rows), length=rows.shape[-1], rank=rank)
