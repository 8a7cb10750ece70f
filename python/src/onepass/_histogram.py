# SPDX-License-Identifier: Apache-2.0
"""histogram: how many items are in each bin."""
from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import Any, Optional, Tuple

from . import _core
from ._arrays import TYPES, constant, items_of, wrong_type, wrong_value
from ._libraries import library_of

MOST_BINS = 1 << 24


def histogram(x: Any, bins: Any = 10, *, range: Optional[Tuple[Any, Any]] = None) -> Tuple[Any, Any]:
    """How many items of `x` are in each bin.

    Parameters
    ----------
    x : array
        Any shape and strides; bool, integers, floats of 16 to 64 bits. It is taken as one row.
    bins : int or array
        The number of bins, 1 to 2^24, which have one width; or their edges, one more than there are bins, ascending.
    range : tuple of two numbers
        Where the first bin begins and the last one ends; without it, the smallest and the largest item. NumPy's scalars
        have a say in the edges' type, as in NumPy. It is not used where `bins` are edges. Without it, or with given edges, a
        call on CUDA waits.

    Returns
    -------
    tuple of two arrays
        The counts, int64, and the edges, as ``numpy.histogram`` has them: bin i has the items from edge i up to edge i + 1,
        the last bin also those equal to its upper edge. Items outside all bins are not counted, nor is NaN. Integers are
        counted by their values where each bin has one, and compared with integer edges exactly, but int64 with uint64 as
        float64.

    Raises
    ------
    TypeError, ValueError
        An argument that is wrong; before anything is written.

    Examples
    --------
    >>> import numpy as np, onepass
    >>> onepass.histogram(np.array([0.1, 0.6, 0.9, 1.0]), 2, range=(0, 1))
    (array([1, 3]), array([0. , 0.5, 1. ]))
    >>> onepass.histogram(np.array([3, 1, 3], np.uint8), 4, range=(0, 4))[0]
    array([0, 1, 0, 2])
    """
    function = "histogram"
    arrays = library_of(function, x)
    if isinstance(range, Iterator):  # it gives its numbers once
        range = tuple(range)
    if arrays.functions is not None:
        return arrays.functions.histogram(x, bins, range=range)
    x, of = items_of(function, arrays, "x", x)
    if are_edges(bins):
        edges = _given_edges(function, arrays, x, bins)
        items, compared = _as_compared(function, arrays, x, edges)
        counts = _between(arrays, items, compared)
        if bool(arrays.are_largest(compared[-1:])):  # nothing is above it, so that _between leaves it out
            counts[-1:] += arrays.count(arrays.flags(arrays.are_largest(items)))
        return counts, edges
    number = number_of_bins(function, bins)
    lower, upper = range_of(function, arrays, x, range)
    try:
        edges = arrays.even_edges(x, of, lower, upper, number, range)
    except (TypeError, ValueError) as error:
        wrong_value(function, "range", f"is [{lower}, {upper}], of which no edges can be made: {error}")
    arrays.type_of(function, "range", edges)
    if arrays.where(x) is None and not arrays.ascends(edges):  # on a device that would take a kernel and a wait
        wrong_value(function, "range", f"is [{lower}, {upper}], whose edges lie outside of {edges.dtype}")
    if of.kind != "f" and float(lower).is_integer() and upper - lower == number < MOST_BINS and abs(lower) < 1 << 52:
        return _by_value(arrays, x, of, int(lower), number), edges
    return _between(arrays, *_as_compared(function, arrays, x, edges)), edges


def are_edges(bins: Any) -> bool:
    """Whether `bins` is an array with a dimension, and not a number."""
    return hasattr(bins, "__len__") and not isinstance(bins, str) and getattr(bins, "ndim", 1) != 0


def number_of_bins(function: str, bins: Any) -> int:
    try:
        number = operator.index(bins)
    except TypeError:
        wrong_type(function, "bins", f"is {bins!r}, not an integer or an array")
    if not 1 <= number <= MOST_BINS:
        wrong_value(function, "bins", f"is {number}, not 1 to {MOST_BINS}")
    return number


def range_of(function: str, arrays: Any, x: Any, given: Optional[Tuple[Any, Any]]) -> Tuple[Any, Any]:
    """The first and the last edge, as Python's numbers where they are given; NumPy's rule."""
    if given is None:
        lower, upper = arrays.extremes(x) if arrays.size(x) else (0, 1)
    else:
        lower, upper = _two_numbers(function, given)
    try:
        is_finite = math.isfinite(lower) and math.isfinite(upper)
    except OverflowError:
        wrong_value(function, "range", "is of integers that no float comes near")
    if not is_finite:
        wrong_value(function, "range", f"is [{lower}, {upper}], which is not finite")
    if not lower <= upper:
        wrong_value(function, "range", f"is {given!r}: the first is above the second")
    return (lower - 0.5, upper + 0.5) if lower == upper else (lower, upper)


def _two_numbers(function: str, given: Any) -> Tuple[Any, Any]:
    try:
        values = tuple(given)
    except TypeError:
        values = ()
    values = tuple(constant(function, "range", value) for value in values)
    try:
        numbers = tuple(value.item() if hasattr(value, "item") else value for value in values)
        if len(numbers) == 2 and all(isinstance(number, (int, float)) for number in numbers):
            return numbers
    except (TypeError, ValueError, RuntimeError):
        pass
    wrong_type(function, "range", f"is {given!r}, not two numbers")


def _given_edges(function: str, arrays: Any, x: Any, bins: Any) -> Any:
    edges, _ = items_of(function, arrays, "bins", bins)
    if edges.ndim != 1 or not 2 <= arrays.size(edges) <= MOST_BINS + 1:
        wrong_value(function, "bins", f"has shape {tuple(edges.shape)}: edges are an array of 2 to {MOST_BINS + 1}")
    arrays.same_device(function, "bins", edges, x)
    if not arrays.ascends(edges):
        wrong_value(function, "bins", "do not ascend")
    return edges


def _by_value(arrays: Any, x: Any, of: Any, lower: int, number: int) -> Any:
    """Bins of a value each; the last has two, as its upper edge belongs to it."""
    counts = arrays.empty(x, (number + 1,), TYPES["int64"])
    items = arrays.contiguous(x)
    _core.histogram_of_values(arrays.where(x), arrays.address(items), arrays.size(items), lower, lower + number + 1,
                              arrays.address(counts), of.code)
    counts[number - 1] += counts[number]
    return arrays.copy(counts[:number])


def _as_compared(function: str, arrays: Any, x: Any, edges: Any) -> Tuple[Any, Any]:
    """Items and edges in the type in which they are compared."""
    of = arrays.edges_type(arrays.type_of(function, "x", x), arrays.type_of(function, "bins", edges))
    return arrays.cast(x, of), arrays.cast(edges, of)


def _between(arrays: Any, items: Any, edges: Any) -> Any:
    """Bins between edges of the items' type. The engine's bins are without their upper edges, so the last edge is moved to the
    type's next value."""
    moved = arrays.copy(edges)
    moved[-1:] = arrays.next_after(moved[-1:])
    counts = arrays.empty(items, (arrays.size(moved) - 1,), TYPES["int64"])
    _core.histogram_between_edges(arrays.where(items), arrays.address(items), arrays.size(items), arrays.address(moved),
                                  arrays.size(moved), arrays.address(counts), arrays.type_of("histogram", "x", items).code)
    return counts
