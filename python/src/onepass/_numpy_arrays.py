# SPDX-License-Identifier: Apache-2.0
"""NumPy's arrays: how calls look at them and make them. This file is over 300 lines because it has all of these methods."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from . import _core
from ._arrays import TYPES, TYPES_IN_WORDS, Type, is_on_cuda, number_of, wrong_type, wrong_value

_TYPES = {np.dtype(name): of for name, of in TYPES.items() if name != "bfloat16"}
DTYPES = {of: dtype for dtype, of in _TYPES.items()}
_BYTES = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}
_COMBINE = {
    "sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
}


def _has_nan(x: np.ndarray) -> bool:
    """Whether some of contiguous floats are NaN."""
    return _core.has_nan(x, x.size, _TYPES[x.dtype].code)


class NumpyArrays:
    """The methods that library_of returns. Arrays are contiguous unless said otherwise."""

    functions: Any = None  # the library's own functions, where it has them: onepass.jax

    # ---- what an array is
    @staticmethod
    def is_traced(*given: Any) -> bool:
        """Whether the call on these arguments has to go through an operator of the library's own."""
        return False

    @staticmethod
    def is_plain(x: np.ndarray) -> bool:
        """Whether x is contiguous, with a dimension, and its memory can be read as it is. x has the library's own type."""
        flags = x.flags
        return flags.c_contiguous and flags.aligned and x.ndim > 0

    @staticmethod
    def has_type(x: np.ndarray) -> bool:
        return x.dtype in _TYPES

    @staticmethod
    def array(function: str, argument: str, x: Any) -> np.ndarray:
        """x as an array, of any strides. Items that are not aligned are copied, as the engine reads none."""
        if type(x) is np.ndarray and x.flags.aligned:
            return x
        if isinstance(x, np.ma.MaskedArray):
            wrong_type(function, argument, "is a masked array, whose mask would be lost")
        if is_on_cuda(x):
            wrong_type(function, argument, "is a CUDA array, and the other arguments are not")
        try:
            return np.require(x, requirements="AE")  # aligned, and no subclass
        except ValueError as error:
            wrong_value(function, argument, f"is not an array: {error}")
        except (TypeError, RuntimeError) as error:
            wrong_type(function, argument, f"is not an array: {error}")

    @staticmethod
    def type_of(function: str, argument: str, x: np.ndarray) -> Type:
        of = _TYPES.get(x.dtype)
        if of is None:
            wrong_type(function, argument, f"has dtype {x.dtype}, not {TYPES_IN_WORDS}")
        return of

    @staticmethod
    def named_type(function: str, argument: str, dtype: Any) -> Type:
        try:
            of = _TYPES.get(np.dtype(dtype))
        except (TypeError, ValueError):
            of = None
        if of is None:
            wrong_type(function, argument, f"is {dtype!r}, not {TYPES_IN_WORDS}")
        return of

    @staticmethod
    def accumulated(of: Type, op: str) -> Type:
        """The type of sums and products of items: NumPy's rule."""
        if of.size == 8 or of.kind == "f" or op not in ("sum", "prod"):
            return of
        return TYPES["uint64" if of.kind == "u" else "int64"]

    @staticmethod
    def movable_bytes(function: str, argument: str, x: np.ndarray) -> int:
        """The size of items that are only moved."""
        if x.dtype.itemsize not in (1, 2, 4, 8) or x.dtype.hasobject:
            wrong_type(function, argument, f"has dtype {x.dtype}, whose items are not plain bytes, 1, 2, 4 or 8 of them")
        return x.dtype.itemsize

    @staticmethod
    def item_bytes(x: np.ndarray) -> int:
        """The size of items that can be moved as bytes; 0: they cannot."""
        return 0 if x.dtype.hasobject else x.dtype.itemsize

    @staticmethod
    def size(x: np.ndarray) -> int:
        return x.size

    @staticmethod
    def is_bool(x: np.ndarray) -> bool:
        return x.dtype == np.bool_

    @staticmethod
    def where(x: np.ndarray) -> None:
        """Where calls on x run: on the CPU."""
        return None

    @staticmethod
    def address(x: np.ndarray) -> Any:
        """What _core takes as x's memory."""
        return x

    @staticmethod
    def bytes_of(x: np.ndarray) -> Any:
        """The same for items of any type: some, such as dates, have no buffer of their own."""
        return x if x.dtype.kind in "biuf" else np.require(x.view(_BYTES[x.dtype.itemsize]), requirements="A")

    @staticmethod
    def same_device(function: str, argument: str, x: np.ndarray, other: np.ndarray) -> None:
        """Nothing: the CPU is NumPy's only device."""

    @staticmethod
    def overlap(x: np.ndarray, y: np.ndarray) -> bool:
        """Whether one may be the other's memory. An x without items counts as that: it may be a caller's, and read-only."""
        return x.size == 0 or np.may_share_memory(x, y)

    @staticmethod
    def as_bools(x: np.ndarray) -> np.ndarray:
        """Bool x with 1 as the byte of what is true: a view of other bytes may have any but 0 there."""
        is_right = x.flags.c_contiguous and _core.are_bools(x, x.size)
        return x if is_right else np.asarray(x.view(np.uint8) != 0)

    # ---- new arrays
    @staticmethod
    def empty(like: np.ndarray, shape: Sequence[int], of: Type) -> np.ndarray:
        return np.empty(shape, DTYPES[of])

    @staticmethod
    def empty_like(x: np.ndarray) -> np.ndarray:
        return np.empty_like(x)

    @staticmethod
    def empty_like_items(like: np.ndarray, length: int) -> np.ndarray:
        return np.empty(length, like.dtype)

    @staticmethod
    def contiguous(x: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(x) if x.ndim else x

    @staticmethod
    def copy(x: np.ndarray) -> np.ndarray:
        return x.copy()

    @staticmethod
    def cast(x: np.ndarray, of: Type) -> np.ndarray:
        """x, contiguous, as items of a type; x itself where it is that."""
        if x.dtype is DTYPES[of] and x.flags.c_contiguous:
            return x
        with np.errstate(invalid="ignore"):  # NaN as an integer is what NumPy makes of it
            return np.ascontiguousarray(x, DTYPES[of]) if x.ndim else x.astype(DTYPES[of])

    @staticmethod
    def move_axis(x: np.ndarray, source: int, to: int) -> np.ndarray:
        return np.moveaxis(x, source, to)

    @staticmethod
    def flipped(x: np.ndarray, axis: int) -> np.ndarray:
        """A copy with one axis reversed."""
        return np.flip(x, axis).copy()

    @staticmethod
    def row_offsets(like: np.ndarray, rows: int, length: int) -> np.ndarray:
        return np.arange(0, rows * length + 1, length, dtype=np.int64)

    @staticmethod
    def row_indices(like: np.ndarray, rows: int, length: int) -> np.ndarray:
        """0, 1 ... length - 1 in each row, as uint32."""
        return np.tile(np.arange(length, dtype=np.uint32), rows)

    @staticmethod
    def fresh_keys(x: np.ndarray, is_copy: bool) -> np.ndarray:
        """A copy to sort, in which all NaNs have the same bits: those that go behind all numbers."""
        keys = x if is_copy else x.copy()
        if keys.dtype.kind == "f" and _has_nan(keys):
            np.copyto(keys, np.nan, where=np.isnan(keys))
        return keys

    @staticmethod
    def sort_keys(x: np.ndarray) -> np.ndarray:
        """The same for keys that are only read: x itself where there is no NaN."""
        if x.dtype.kind == "f" and _has_nan(x):
            return np.where(np.isnan(x), x.dtype.type(np.nan), x)
        return x

    # ---- scalars
    @staticmethod
    def scalar(function: str, argument: str, value: Any, of: Type) -> Any:
        """A value of the type, as a number of Python's."""
        with np.errstate(over="ignore"):  # a float beyond its type is infinite
            return DTYPES[of].type(number_of(function, argument, value, of)).item()

    @staticmethod
    def item(function: str, argument: str, value: Any, like: np.ndarray) -> Any:
        """A value as an item of an array's type."""
        of = _TYPES.get(like.dtype.newbyteorder("="))
        if of is not None:
            with np.errstate(over="ignore"):
                return like.dtype.type(number_of(function, argument, value, of))
        try:
            item = np.array(value, like.dtype)
            given = np.array(value)
            if like.dtype.kind in "SU" and (given.dtype.kind not in "SU" or item.astype(given.dtype) != given):
                item = None  # a number, or a text that is too long
        except (TypeError, ValueError, OverflowError):
            item = None
        if item is None or item.ndim:
            wrong_value(function, argument, f"is {value!r}, which is no {like.dtype}")
        return item[()]

    @staticmethod
    def combine(op: str, x: np.ndarray, value: Any) -> None:
        """x = value op x"""
        _COMBINE[op](x.dtype.type(value), x, out=x)

    # ---- output arguments
    @staticmethod
    def check_out(function: str, out: Any, shape: Sequence[int], of: Type) -> None:
        if not isinstance(out, np.ndarray):
            wrong_type(function, "out", f"is {type(out).__name__}, not an array of NumPy's")
        if isinstance(out, np.ma.MaskedArray):
            wrong_type(function, "out", "is a masked array, whose mask would stay as it is")
        if out.dtype != DTYPES[of]:
            wrong_type(function, "out", f"has dtype {out.dtype}, not {of.name}")
        if out.shape != tuple(shape):
            wrong_value(function, "out", f"has shape {out.shape}, not {tuple(shape)}")
        if not out.flags.writeable:
            wrong_value(function, "out", "is read-only")

    @staticmethod
    def is_contiguous(x: np.ndarray) -> bool:
        return x.flags.c_contiguous and x.flags.aligned

    @staticmethod
    def copy_to(out: np.ndarray, x: np.ndarray) -> None:
        np.copyto(out, x, casting="unsafe")

    @staticmethod
    def was_written(out: np.ndarray) -> None:
        """To be called after _core has written to an argument."""

    # ---- for selections
    @staticmethod
    def flags(x: np.ndarray) -> np.ndarray:
        """Which items are true, as contiguous bytes in a row. What is no number is true by NumPy's rules for nonzero."""
        if x.dtype.kind in "biufc":
            return np.ascontiguousarray(x if x.dtype == np.bool_ else x != 0).reshape(-1)
        flags = np.zeros(x.shape, np.bool_)
        flags[np.nonzero(x)] = True
        return flags.reshape(-1)

    @staticmethod
    def shifted_flags(flags: np.ndarray) -> np.ndarray:
        """Flag i is flag i + 1 of `flags`; behind the last one stands a true one."""
        return np.append(flags[1:], np.True_)[:flags.size]

    @staticmethod
    def shortens(size: int) -> bool:
        """Whether an array of so many bytes is made, filled in part and shortened, as it costs more to count first."""
        return False

    @staticmethod
    def shortened(x: np.ndarray, length: int) -> np.ndarray:
        """x's first items, in x's memory."""
        return x[:length]

    @staticmethod
    def count(flags: np.ndarray) -> int:
        """How many of contiguous flags are set."""
        return int(np.count_nonzero(flags))

    @staticmethod
    def coordinates(positions: np.ndarray, shape: Sequence[int]) -> Any:
        """What nonzero returns: an array for each axis."""
        return (positions,) if len(shape) == 1 else np.unravel_index(positions, shape)

    @staticmethod
    def first(x: np.ndarray, count: int, size: int, fill: Any) -> np.ndarray:
        """`size` items: the first `count` of x, and `fill` behind them."""
        result = np.full(size, fill, x.dtype)
        kept = min(count, size)
        result[:kept] = x[:kept]
        return result

    @staticmethod
    def counter(like: np.ndarray) -> Optional[np.ndarray]:
        """Where a count is left for `first`; None: the call returns it."""
        return None

    @staticmethod
    def heads(x: np.ndarray) -> np.ndarray:
        """Which items differ from the one before."""
        heads = np.empty(x.size, np.bool_)
        heads[:1] = True
        np.not_equal(x[1:], x[:-1], out=heads[1:])
        return heads

    @staticmethod
    def take(x: np.ndarray, indices: np.ndarray) -> np.ndarray:
        return x.take(indices)

    @staticmethod
    def take_along(x: np.ndarray, indices: np.ndarray, axis: int) -> np.ndarray:
        return np.take_along_axis(x, indices, axis)

    @staticmethod
    def scatter(values: np.ndarray, indices: np.ndarray) -> np.ndarray:
        """The array with values[i] at indices[i]."""
        result = np.empty_like(values)
        result[indices] = values
        return result

    @staticmethod
    def lengths(starts: np.ndarray, end: int) -> np.ndarray:
        return np.diff(starts, append=end)

    @staticmethod
    def nan_runs(x: np.ndarray) -> int:
        """How many of the last items are NaN that count as equal: NumPy's rule for unique."""
        return int(np.isnan(x).sum()) if x.dtype.kind == "f" else 0

    @staticmethod
    def merged(counts: np.ndarray, last: int) -> np.ndarray:
        """The counts, those from `last` on as one."""
        return np.append(counts[:last], counts[last:].sum())

    # ---- for histograms
    @staticmethod
    def extremes(x: np.ndarray) -> Any:
        """The smallest and the largest item: integers as Python's numbers, and floats in their own type, in which edges are
        computed."""
        lower, upper = x.min().item(), x.max().item()
        return (x.dtype.type(lower), x.dtype.type(upper)) if x.dtype.kind == "f" else (lower, upper)

    @staticmethod
    def even_edges(x: np.ndarray, of: Type, lower: Any, upper: Any, number: int, given: Any) -> np.ndarray:
        """given: the range as the caller gave it, or None. Types of its numbers have a say in the edges' type."""
        like = np.empty(0, np.uint8 if of.kind == "b" else x.dtype)
        return np.histogram_bin_edges(like, number, (lower, upper) if given is None else tuple(given))

    @staticmethod
    def ascends(x: np.ndarray) -> bool:
        return bool((x[1:] >= x[:-1]).all())

    @staticmethod
    def edges_type(of: Type, edges: Type) -> Type:
        """The type in which items and edges are compared: float64 has all integers of up to 32 bits."""
        if of.kind != "f" and edges.kind != "f":
            common = _TYPES[np.result_type(DTYPES[of], DTYPES[edges])]
            if common.is_wide_integer:
                return common
        return TYPES["float32" if of.name == edges.name == "float32" else "float64"]

    @staticmethod
    def are_largest(x: np.ndarray) -> np.ndarray:
        """Which items no value of their type is above: for floats infinity."""
        largest: np.ndarray = x == x.dtype.type(np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).max)
        return largest

    @staticmethod
    def next_after(x: np.ndarray) -> np.ndarray:
        """For each item the next value of its type, or the same one where there is none."""
        above: np.ndarray = np.nextafter(x, x.dtype.type(np.inf)) if x.dtype.kind == "f" else x + ~NumpyArrays.are_largest(x)
        return above

    # ---- segments
    @staticmethod
    def check_offsets(function: str, argument: str, offsets: np.ndarray, n: int) -> None:
        if not _core.are_offsets(offsets, offsets.size, n):
            wrong_value(function, argument, f"do not ascend from at least 0 to at most {n}")


NUMPY = NumpyArrays()
