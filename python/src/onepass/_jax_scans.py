# SPDX-License-Identifier: Apache-2.0
"""Scans and linear recurrences of JAX's arrays."""
from __future__ import annotations

import functools
import math
from typing import Any, Optional

import jax
import jax.numpy as jnp

from . import _gradients
from ._arrays import OPERATORS, TYPES, computed, one_dimensional, operator_number, same_shape, wrong_type, wrong_value
from ._jax_calls import (accumulated, along, array, bits_of, call, index_dtype, named_type, result, scalar, type_of,
                         without_gradient)
from ._recurrence import checked, initial_of
from ._scan import identity

COMBINE = {
    "sum": jnp.add, "prod": jnp.multiply, "min": jnp.minimum, "max": jnp.maximum, "bitwise_and": jnp.bitwise_and,
    "bitwise_or": jnp.bitwise_or, "bitwise_xor": jnp.bitwise_xor,
}


# ---- scans
def scan(x: Any, op: str = "sum", *, axis: Optional[int] = -1, reverse: bool = False, exclusive: bool = False,
         init: Any = None, dtype: Any = None, segments: Any = None, keys: Any = None, out: Any = None) -> Any:
    """onepass.scan. Only sums without `segments` and `keys` have gradients; a JAX array cannot be `out`.

    Examples
    --------
    >>> import jax.numpy as jnp, onepass
    >>> onepass.scan(jnp.array([3, 1, 4, 1, 5]), "max")
    Array([3, 3, 4, 4, 5], dtype=int32)
    """
    return scan_of("scan", x, op, axis, reverse, exclusive, init, dtype, segments, keys, out)


def cumsum(x: Any, *, axis: Optional[int] = -1, dtype: Any = None, reverse: bool = False, exclusive: bool = False) -> Any:
    """onepass.cumsum. Its gradient is the sum in the other direction.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, onepass
    >>> jax.jit(onepass.cumsum)(jnp.array([[1, 2, 3], [4, 5, 6]]))
    Array([[ 1,  3,  6],
           [ 4,  9, 15]], dtype=int32)
    >>> jax.grad(lambda x: onepass.cumsum(x)[1])(jnp.array([1.0, 2.0, 3.0]))
    Array([1., 1., 0.], dtype=float32)
    """
    return scan_of("cumsum", x, "sum", axis, reverse, exclusive, None, dtype, None, None, None)


def cumprod(x: Any, *, axis: Optional[int] = -1, dtype: Any = None, reverse: bool = False, exclusive: bool = False) -> Any:
    """onepass.cumprod."""
    return scan_of("cumprod", x, "prod", axis, reverse, exclusive, None, dtype, None, None, None)


def cummax(x: Any, *, axis: Optional[int] = -1, reverse: bool = False) -> Any:
    """onepass.cummax."""
    return scan_of("cummax", x, "max", axis, reverse, False, None, None, None, None, None)


def cummin(x: Any, *, axis: Optional[int] = -1, reverse: bool = False) -> Any:
    """onepass.cummin."""
    return scan_of("cummin", x, "min", axis, reverse, False, None, None, None, None, None)


def scan_of(function: str, x: Any, op: Any, axis: Optional[int], reverse: bool, exclusive: bool, init: Any, dtype: Any,
            segments: Any, keys: Any, out: Any) -> Any:
    """The scan of a function that has these arguments."""
    x = array(function, "x", x)
    given = type_of(function, "x", x)
    of = accumulated(given, op) if dtype is None else named_type(function, "dtype", dtype)
    operator_number(function, op, of)
    if out is not None:
        wrong_type(function, "out", "is given, and JAX's arrays are not written to")
    if init is not None:
        init = scalar(function, "init", init, of.name)
    heads = None
    if segments is not None or keys is not None:
        heads = _heads(function, x, segments, keys, bool(reverse))
    x, number = along(function, x, axis)
    items = x.astype(of.name).astype(computed(of, init is not None).name)
    arguments = number, bool(reverse), bool(exclusive)
    if items.size == 0:
        scanned = items
    elif heads is not None:
        scanned = _scan_segments(without_gradient(items, function), heads, op, of, *arguments)
    elif op == "sum" and of.kind == "f":
        scanned = sums(items, *arguments)
    else:
        scanned = plain_scan(without_gradient(items, function), op, of, *arguments)
    if init is not None:
        scanned = COMBINE[op](init.astype(scanned.dtype), scanned)
    return scanned.astype(of.name)


def plain_scan(x: Any, op: str, of: Any, axis: int, reverse: bool, exclusive: bool) -> Any:
    """The scan of items as they are calculated with; `of` is the result's type."""
    width, height = math.prod(x.shape[axis + 1:]), x.shape[axis]
    # Sums of rows run from the end themselves; for other scans the items are turned round before and after.
    from_end = reverse and op == "sum" and width == 1 and not exclusive
    numbers = {"width": width, "height": height, "op": OPERATORS[op], "exclusive": exclusive, "reverse": from_end,
               "init": bits_of(identity(op, of), TYPES[x.dtype.name])}
    turned = reverse and not from_end
    scanned = call("scan", result(x.shape, x.dtype), jnp.flip(x, axis) if turned else x, **numbers)
    return jnp.flip(scanned, axis) if turned else scanned


@functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2, 3))
def sums(x: Any, axis: int, reverse: bool, exclusive: bool) -> Any:
    """The sums of floats, with their gradient."""
    return plain_scan(x, "sum", type_of("scan", "x", x), axis, reverse, exclusive)


def _sums_forward(x: Any, axis: int, reverse: bool, exclusive: bool) -> Any:
    return sums(x, axis, reverse, exclusive), None


def _sums_backward(axis: int, reverse: bool, exclusive: bool, _: Any, gradient: Any) -> Any:
    return sums(gradient, axis, not reverse, exclusive),


sums.defvjp(_sums_forward, _sums_backward)


def _heads(function: str, x: Any, segments: Any, keys: Any, reverse: bool) -> Any:
    """Where segments start, as flags; the first item has one, so that rows of a batch are segments, too."""
    one_dimensional(function, "x", x)
    if segments is not None and keys is not None:
        wrong_value(function, "keys", "are given beside segments")
    argument = "keys" if segments is None else "segments"
    given = array(function, argument, keys if segments is None else segments)
    one_dimensional(function, argument, given)
    of = type_of(function, argument, given)
    if of.kind == "f":
        wrong_type(function, argument, f"are {of.name}, not integers or bool")
    if argument == "keys":
        same_shape(function, argument, given, x)
        flags = jnp.concatenate([jnp.ones(min(x.size, 1), bool), given[1:] != given[:-1]])
    elif of.kind == "b":
        same_shape(function, argument, given, x)
        flags = given
    else:
        offsets = given.astype(index_dtype())  # a narrow type may not have x's size
        inside = jnp.where(offsets < 0, x.size, offsets)  # what is outside is left out
        flags = jnp.zeros(x.shape, bool).at[inside].set(True, mode="drop")
    if reverse:
        flags = jnp.flip(jnp.roll(flags, -1))
    return flags.at[:1].set(True)


def _scan_segments(x: Any, heads: Any, op: str, of: Any, axis: int, reverse: bool, exclusive: bool) -> Any:
    scanned = call("scan_by_flags", result(x.shape, x.dtype), jnp.flip(x) if reverse else x, heads, op=OPERATORS[op],
                   exclusive=exclusive, init=bits_of(identity(op, of), TYPES[x.dtype.name]))
    return jnp.flip(scanned) if reverse else scanned


# ---- linear_recurrence
def linear_recurrence(a: Any, b: Any, *, axis: int = -1, reverse: bool = False, init: Any = None) -> Any:
    """onepass.linear_recurrence. The gradient of b is the recurrence in the other direction, with the factor of the item before;
    that of a is the gradient of b times the h before.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, onepass
    >>> a, b = jnp.array([0.5, 0.5, 0.5]), jnp.array([8.0, 0.0, 1.0])
    >>> onepass.linear_recurrence(a, b)
    Array([8., 4., 3.], dtype=float32)
    >>> jax.grad(lambda b: onepass.linear_recurrence(a, b)[2])(b)
    Array([0.25, 0.5 , 1.  ], dtype=float32)
    """
    function = "linear_recurrence"
    a, b, number = checked(function, _Checks, a, b, axis)
    initial = None if init is None else initial_of(function, _Checks, a, number, init)
    if b.size == 0:
        return b
    if initial is not None:
        at = (slice(None),) * number + (-1 if reverse else 0,)
        b = b.at[at].add(a[at] * initial)
    return recurrence(a, b, number, bool(reverse))


class _Checks:
    """What the checks of a recurrence ask of a library."""

    array, type_of = staticmethod(array), staticmethod(type_of)

    @staticmethod
    def scalar(function: str, argument: str, value: Any, of: Any) -> Any:
        return scalar(function, argument, value, of.name)

    @staticmethod
    def same_device(function: str, argument: str, x: Any, other: Any) -> None:
        """Nothing: JAX looks at this."""


def _solve(a: Any, b: Any, axis: int, reverse: bool, next_factor: bool) -> Any:
    return call("linear_recurrence", result(b.shape, b.dtype), a, b, width=math.prod(b.shape[axis + 1:]),
                height=b.shape[axis], reverse=reverse, next_factor=next_factor)


@functools.partial(jax.custom_vjp, nondiff_argnums=(2, 3))
def recurrence(a: Any, b: Any, axis: int, reverse: bool) -> Any:
    return _solve(a, b, axis, reverse, False)


def _recurrence_forward(a: Any, b: Any, axis: int, reverse: bool) -> Any:
    h = recurrence(a, b, axis, reverse)
    return h, (a, h)


def _recurrence_backward(axis: int, reverse: bool, kept: Any, gradient: Any) -> Any:
    a, h = kept
    of_b = _gradient_of_terms(a, gradient, axis, reverse)
    return _gradients.of_factors(h, of_b, axis, reverse, _part, padded), of_b


recurrence.defvjp(_recurrence_forward, _recurrence_backward)


@functools.partial(jax.custom_vjp, nondiff_argnums=(2, 3))
def _gradient_of_terms(a: Any, gradient: Any, axis: int, reverse: bool) -> Any:
    return _solve(a, gradient, axis, not reverse, True)


def _terms_forward(a: Any, gradient: Any, axis: int, reverse: bool) -> Any:
    return _gradient_of_terms(a, gradient, axis, reverse), (a, gradient)


def _terms_backward(axis: int, reverse: bool, kept: Any, gradient: Any) -> Any:
    """By the same recurrence with its factors rolled."""
    def rolled(a: Any, b: Any) -> Any:
        return recurrence(_gradients.next_factors(a, axis, reverse, jnp.roll), b, axis, not reverse)

    return jax.vjp(rolled, *kept)[1](gradient)


_gradient_of_terms.defvjp(_terms_forward, _terms_backward)


def _part(x: Any, axis: int, first: int, count: int) -> Any:
    return jax.lax.slice_in_dim(x, first, first + count, axis=axis)


def padded(x: Any, axis: int, before: int, behind: int) -> Any:
    """x with so many zeros more along an axis."""
    return jnp.pad(x, [(before, behind) if i == axis else (0, 0) for i in range(x.ndim)])
