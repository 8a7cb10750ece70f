# SPDX-License-Identifier: Apache-2.0
"""Calls of onepass through XLA's foreign function interface, and what all functions of onepass.jax share.

A call is given arrays and numbers that do not change. vmap puts axes in front of all arrays; the handlers run over them
(python/extension/jax_calls.cpp), so that many rows are one call.
"""
from __future__ import annotations

import functools
from typing import Any, Dict, Optional, Sequence, Tuple

import jax
import jax.numpy as jnp
import numpy as np

from . import _core
from ._arrays import TYPES, TYPES_IN_WORDS, Type, axis_number, number_of, wrong_type, wrong_value

for _name, (_on_cpu, _on_cuda) in _core.jax_handlers().items():
    jax.ffi.register_ffi_target(f"onepass_{_name}", _on_cpu, platform="cpu")
    jax.ffi.register_ffi_target(f"onepass_{_name}", _on_cuda, platform="CUDA")

Shape = Tuple[int, ...]


def call(name: str, results: Any, *arrays: Any, aliases: Optional[Dict[int, int]] = None, **numbers: Any) -> Any:
    """A handler's call. results: the shape and type of each. aliases: inputs that are outputs, too."""
    call_of = jax.ffi.ffi_call(f"onepass_{name}", results, vmap_method="broadcast_all", input_output_aliases=aliases)
    return call_of(*arrays, **{key: np.int64(value) for key, value in numbers.items()})


def result(shape: Sequence[int], dtype: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(tuple(shape), dtype)


# ---- integers of 64 bits, which cross as pairs of uint32
def words(shape: Sequence[int]) -> jax.ShapeDtypeStruct:
    """The result of a call that writes int64."""
    return result((*shape, 2), np.uint32)


def of_words(pairs: Any) -> Any:
    """The integers, none below 0, in JAX's type of integers."""
    if has_wide_types():
        return jax.lax.bitcast_convert_type(pairs, np.int64)
    return jax.lax.bitcast_convert_type(pairs[..., 0], np.int32)


def to_words(x: Any) -> Any:
    """Integers, none below 0, as a call reads int64."""
    if x.dtype.itemsize == 8:
        return jax.lax.bitcast_convert_type(x, np.uint32)
    x = x.astype(np.uint32)
    return jnp.stack([x, jnp.zeros_like(x)], axis=-1)


def bits_of(value: Any, of: Type) -> int:
    """A number's bits, as a call takes an initial value."""
    return int.from_bytes(np.array(value, jnp.dtype(of.name)).tobytes(), "little", signed=of.size == 8)


def has_wide_types() -> bool:
    """Whether JAX has integers and floats of 64 bits."""
    return bool(index_dtype() == np.int64)


def index_dtype() -> Any:
    """JAX's type of integers."""
    return jax.dtypes.canonicalize_dtype(np.int64)


# ---- arguments
def array(function: str, argument: str, x: Any) -> Any:
    """x as JAX's array. Items that are no floats are constants, also where they come from a call with a gradient."""
    if isinstance(x, jax.Array):
        is_constant = isinstance(x, jax.core.Tracer) and not jnp.issubdtype(x.dtype, jnp.inexact)
        return jax.lax.stop_gradient(x) if is_constant else x
    if not isinstance(x, (np.ndarray, np.generic)):
        wrong_type(function, argument, f"is {type(x).__name__}, not a JAX array")
    if isinstance(x, np.ma.MaskedArray):
        wrong_type(function, argument, "is a masked array, whose mask would be lost")
    try:
        made = jnp.asarray(x)
    except TypeError:
        wrong_type(function, argument, f"has dtype {x.dtype}, which JAX has not")
    if made.dtype != x.dtype and x.dtype.kind in "iu" and x.size:
        ends = np.iinfo(made.dtype)
        if x.min() < ends.min or x.max() > ends.max:
            wrong_value(function, argument, f"has integers beyond JAX's {made.dtype}; jax_enable_x64 allows them")
    return made


def type_of(function: str, argument: str, x: Any) -> Type:
    of = TYPES.get(x.dtype.name)
    if of is None:
        wrong_type(function, argument, f"has dtype {x.dtype}, not {TYPES_IN_WORDS}")
    return of


def named_type(function: str, argument: str, dtype: Any) -> Type:
    try:
        of = TYPES.get(jax.dtypes.canonicalize_dtype(dtype).name)
    except (TypeError, ValueError):
        of = None
    if of is None:
        wrong_type(function, argument, f"is {dtype!r}, not {TYPES_IN_WORDS}")
    return of


def accumulated(of: Type, op: Any) -> Type:
    """The type of sums and products of items: JAX's rule."""
    return TYPES[np.dtype(index_dtype()).name] if op in ("sum", "prod") and of.kind == "b" else of


def scalar(function: str, argument: str, value: Any, dtype: Any) -> Any:
    """A value of a type, as an array without dimensions. That of an array is not looked at."""
    of = TYPES.get(jnp.dtype(dtype).name)
    if of is not None and not isinstance(value, jax.Array):
        with np.errstate(over="ignore"):  # a float beyond its type is infinite
            value = np.array(number_of(function, argument, value, of), jnp.dtype(dtype))
    try:
        item = jnp.asarray(value)
    except (TypeError, ValueError, OverflowError):
        wrong_type(function, argument, f"is {value!r}, not a number")
    if item.ndim:
        wrong_value(function, argument, f"has shape {item.shape}, and should be one number")
    return item.astype(dtype)


def along(function: str, x: Any, axis: Optional[int]) -> Tuple[Any, int]:
    """x, or all its items as one row where the axis is None, and the axis from 0 on."""
    if axis is None or x.ndim == 0:
        return x.reshape(-1), 0 if axis is None else axis_number(function, axis, 0)
    return x, axis_number(function, axis, x.ndim)


def known_length(function: str, size: Optional[int], count: Any) -> int:
    """The length of a result: `size`, or the count of arrays that are not traced."""
    if size is not None:
        return size
    if isinstance(count, jax.core.Tracer):
        wrong_type(function, "size", f"is not given: where JAX traces a function, onepass.jax.{function} has to have it")
    return int(count)


# ---- gradients
@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def without_gradient(x: Any, function: str, argument: str = "x") -> Any:
    """x, for calls that have no gradient."""
    return x


@without_gradient.defjvp
def _(function: str, argument: str, primals: Any, tangents: Any) -> Any:
    wrong_type(function, argument, "has a gradient, which this call has not; pass jax.lax.stop_gradient(x)")
