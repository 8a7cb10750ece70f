# SPDX-License-Identifier: Apache-2.0
"""Runs of equal items, results of segments, and histograms of JAX's arrays."""
from __future__ import annotations

import functools
import math
from typing import Any, Optional, Tuple

import jax
import jax.numpy as jnp
import numpy as np

from . import _gradients
from ._arrays import OPERATORS, TYPES, computed, one_dimensional, operator_number, result_size, same_shape, wrong_type, wrong_value
from ._histogram import MOST_BINS, are_edges, number_of_bins, range_of
from ._jax_calls import (accumulated, array, bits_of, call, has_wide_types, index_dtype, known_length, named_type, of_words,
                         result, scalar, to_words, type_of, without_gradient, words)
from ._jax_moves import first, order_of, positions, sort
from ._jax_scans import COMBINE, padded, plain_scan
from ._numpy_arrays import NUMPY
from ._scan import identity


# ---- runs
def unique(x: Any, *, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
           size: Optional[int] = None, fill: Any = None) -> Any:
    """onepass.unique, by jax.numpy.unique's rules: all NaNs are one item. Where JAX traces a function it needs `size`: then
    `fill`, or the smallest item, stands behind the last one, with its index, and with 0 as its count.

    Examples
    --------
    >>> import jax.numpy as jnp, onepass
    >>> onepass.jax.unique(jnp.array([3, 1, 3, 2]), size=4, fill=0, return_counts=True)
    (Array([1, 2, 3, 0], dtype=int32), Array([1, 1, 2, 0], dtype=int32))
    """
    x = array("unique", "x", x)
    type_of("unique", "x", x)
    flat = without_gradient(x.reshape(-1), "unique")
    order: Any = None
    if return_index or return_inverse:
        order = order_of(flat, 0, False)
        ordered = flat[order]
    else:
        ordered = sort(flat)
    items, bounds, run = _runs("unique", ordered, size, fill, True)
    results = [items]
    if return_index:
        results.append(order[jnp.where(bounds[:-1] < flat.size, bounds[:-1], 0)] if flat.size else bounds[:-1])
    if return_inverse:
        results.append(jnp.zeros_like(run).at[order].set(run).reshape(x.shape))
    if return_counts:
        results.append(jnp.diff(bounds))
    return results[0] if len(results) == 1 else tuple(results)


def unique_consecutive(x: Any, *, return_inverse: bool = False, return_counts: bool = False, size: Optional[int] = None,
                       fill: Any = None) -> Any:
    """onepass.unique_consecutive, with `size` and `fill` as `unique` has them; without `fill` the first item stands there.

    Examples
    --------
    >>> import jax.numpy as jnp, onepass
    >>> onepass.unique_consecutive(jnp.array([1, 1, 3, 3, 3, 1]))
    Array([1, 3, 1], dtype=int32)
    """
    x = array("unique_consecutive", "x", x)
    type_of("unique_consecutive", "x", x)
    flat = without_gradient(x.reshape(-1), "unique_consecutive")
    items, bounds, run = _runs("unique_consecutive", flat, size, fill, False)
    results = [items]
    if return_inverse:
        results.append(run.reshape(x.shape))
    if return_counts:
        results.append(jnp.diff(bounds))
    return results[0] if len(results) == 1 else tuple(results)


def _runs(function: str, x: Any, size: Optional[int], fill: Any, equal_nan: bool) -> Tuple[Any, Any, Any]:
    """The runs of x: the first item of each, where they begin and the last one ends; and the run of each item. What stands
    behind the last run begins and ends at x's end."""
    size = None if size is None else result_size(function, size)
    differ = x[1:] != x[:-1]
    if equal_nan and jnp.issubdtype(x.dtype, jnp.floating):
        differ = differ & ~(jnp.isnan(x[1:]) & jnp.isnan(x[:-1]))
    heads = jnp.concatenate([jnp.ones(min(x.size, 1), bool), differ])
    indices, count = positions(heads)
    length = known_length(function, size, count)
    bounds = first(indices, count, length + 1, x.size)
    if x.size == 0:
        item = scalar(function, "fill", 0 if fill is None else fill, x.dtype)
        return jnp.full(length, item), bounds, bounds[:0]
    item = x[0] if fill is None else scalar(function, "fill", fill, x.dtype)
    of = index_dtype()
    run = plain_scan(heads.astype(of), "sum", TYPES[of.name], 0, False, False) - 1
    return first(x[bounds[:-1]], count, length, item), bounds, run


# ---- reductions
def segment_reduce(x: Any, offsets: Any, op: str = "sum", *, init: Any = None, dtype: Any = None) -> Any:
    """onepass.segment_reduce. Values of offsets are not looked at: those outside the array count as its ends, and one below an
    earlier one as that. Sums of floats have a gradient.

    Examples
    --------
    >>> import jax.numpy as jnp, onepass
    >>> onepass.segment_reduce(jnp.array([1, 2, 3, 4]), jnp.array([0, 1, 1, 4]))
    Array([1, 0, 9], dtype=int32)
    """
    return _reduced("segment_reduce", "x", x, offsets, op, init, dtype)


def _reduced(function: str, argument: str, x: Any, offsets: Any, op: str, init: Any, dtype: Any) -> Any:
    """The segments of an argument of a function."""
    x, offsets = array(function, argument, x), array(function, "offsets", offsets)
    one_dimensional(function, argument, x)
    one_dimensional(function, "offsets", offsets)
    if type_of(function, "offsets", offsets).kind not in "iu":
        wrong_type(function, "offsets", f"have dtype {offsets.dtype}, not integers")
    given = type_of(function, argument, x)
    of = accumulated(given, op) if dtype is None else named_type(function, "dtype", dtype)
    operator_number(function, op, of)
    init = None if init is None else scalar(function, "init", init, of.name)
    items = x.astype(of.name).astype(computed(of, init is not None).name)
    if offsets.size < 2:
        return jnp.zeros(0, of.name)
    if x.size == 0:
        reduced = jnp.full(offsets.size - 1, identity(op, of), items.dtype)
    else:
        starts = jnp.clip(offsets, 0, min(x.size, np.iinfo(offsets.dtype).max)).astype(index_dtype())
        starts = plain_scan(starts, "max", TYPES[starts.dtype.name], 0, False, False)
        if op == "sum" and of.kind == "f":
            reduced = _segment_sums(items, starts, x.size)
        else:
            reduced = _segments(without_gradient(items, function, argument), starts, op, of)
    if init is not None:
        reduced = COMBINE[op](init.astype(reduced.dtype), reduced)
    return reduced.astype(of.name)


def _segments(x: Any, starts: Any, op: str, of: Any) -> Any:
    return call("segmented_reduce", result((starts.size - 1,), x.dtype), x, to_words(starts), length=x.size,
                offsets=starts.size, op=OPERATORS[op], init=bits_of(identity(op, of), TYPES[x.dtype.name]))


@functools.partial(jax.custom_vjp, nondiff_argnums=(2,))
def _segment_sums(x: Any, starts: Any, items: int) -> Any:
    return _segments(x, starts, "sum", type_of("segment_reduce", "x", x))


def _segment_sums_forward(x: Any, starts: Any, items: int) -> Any:
    return _segment_sums(x, starts, items), starts


def _segment_sums_backward(items: int, starts: Any, gradient: Any) -> Any:
    segment = jnp.searchsorted(starts, jnp.arange(items, dtype=starts.dtype), side="right") - 1
    return _gradients.of_segment_sums(gradient, segment, jnp.where, padded), None


_segment_sums.defvjp(_segment_sums_forward, _segment_sums_backward)


def reduce_by_key(keys: Any, values: Any, op: str = "sum", *, dtype: Any = None, size: Optional[int] = None) -> Tuple[Any, Any]:
    """onepass.reduce_by_key. Where JAX traces a function it needs `size`: then the first key and the operator's identity stand
    behind the last results. A NaN is a run by itself. Sums of floats have a gradient.

    Examples
    --------
    >>> import jax.numpy as jnp, onepass
    >>> onepass.reduce_by_key(jnp.array([7, 7, 3, 3, 3]), jnp.array([1, 2, 3, 4, 5]))
    (Array([7, 3], dtype=int32), Array([ 3, 12], dtype=int32))
    """
    function = "reduce_by_key"
    keys, values = array(function, "keys", keys), array(function, "values", values)
    one_dimensional(function, "keys", keys)
    type_of(function, "keys", keys)
    type_of(function, "values", values)
    same_shape(function, "values", values, keys)
    items, bounds, _ = _runs(function, keys, size, None, False)
    return items, _reduced(function, "values", values, bounds, op, None, dtype)


# ---- histograms
def histogram(x: Any, bins: Any = 10, *, range: Optional[Tuple[Any, Any]] = None) -> Tuple[Any, Any]:
    """onepass.histogram. Counts have JAX's type of integers, and edges that are made are floats. `range` is of numbers
    that do not change. Edges that are made from the items have a gradient, and counts have none. Values of given edges are
    not looked at: one below an earlier one counts as that. Items are compared with given edges as float32, or as float64
    where JAX has it: integers beyond 2^24, or 2^53, are rounded before.

    Examples
    --------
    >>> import jax.numpy as jnp, onepass
    >>> onepass.histogram(jnp.array([0.1, 0.6, 0.9, 1.0]), 2, range=(0, 1))
    (Array([1, 3], dtype=int32), Array([0. , 0.5, 1. ], dtype=float32))
    """
    function = "histogram"
    given = array(function, "x", x).reshape(-1)
    x = jax.lax.stop_gradient(given)
    of = type_of(function, "x", x)
    wide = has_wide_types()
    if are_edges(bins):
        edges = array(function, "bins", bins if isinstance(bins, jax.Array) else NUMPY.array(function, "bins", bins))
        if edges.ndim != 1 or not 2 <= edges.size <= MOST_BINS + 1:
            wrong_value(function, "bins", f"has shape {edges.shape}: edges are an array of 2 to {MOST_BINS + 1}")
        wide = wide and not of.name == type_of(function, "bins", edges).name == "float32"
        return _between(x, jax.lax.stop_gradient(edges), "float64" if wide else "float32"), edges
    number = number_of_bins(function, bins)
    between = "float64" if wide and of.name != "float32" else "float32"
    if range is None and x.size:
        edges = jnp.histogram_bin_edges(given.astype(between), number)
        return _between(x, jax.lax.stop_gradient(edges), between), edges
    lower, upper = range_of(function, None, x, (0, 1) if range is None else range)
    try:
        edges = jnp.asarray(np.histogram_bin_edges(np.empty(0, between), number, (lower, upper)), between)
    except (TypeError, ValueError) as error:
        wrong_value(function, "range", f"is [{lower}, {upper}], of which no edges can be made: {error}")
    if of.kind != "f" and float(lower).is_integer() and upper - lower == number < MOST_BINS and abs(lower) < 1 << 52:
        return _by_value(x, int(lower), number), edges
    return _between(x, edges, between), edges


def _by_value(x: Any, lower: int, number: int) -> Any:
    """Bins of a value each; the last has two, as its upper edge belongs to it."""
    if x.size == 0:
        return jnp.zeros(number, index_dtype())
    counts = of_words(call("histogram_of_values", words((number + 1,)), x, length=x.size, lower=lower, upper=lower + number + 1))
    return counts[:number].at[number - 1].add(counts[number])


def _between(x: Any, edges: Any, of: str) -> Any:
    """Bins between edges. The engine's bins are without their upper edges, so the last edge is moved to the next float."""
    if x.size == 0:
        return jnp.zeros(edges.size - 1, index_dtype())
    edges = plain_scan(edges.astype(of), "max", TYPES[of], 0, False, False)
    last, items = edges[-1], x.astype(of)
    moved = edges.at[-1].set(jnp.nextafter(last, jnp.asarray(math.inf, of)))
    counts = of_words(call("histogram_between_edges", words((edges.size - 1,)), items, moved, length=x.size, edges=edges.size))
    # Nothing is above infinity.
    return counts.at[-1].add(jnp.where(last == math.inf, (items == math.inf).sum(dtype=counts.dtype), 0))
