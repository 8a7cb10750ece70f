# SPDX-License-Identifier: Apache-2.0
"""The types of items, and the checks that all calls share.

What differs between the libraries is in the classes NumpyArrays (_numpy_arrays.py) and TorchArrays (_torch_arrays.py): they
have the same methods, and the calls are written on these once.
"""
from __future__ import annotations

import math
import operator
import struct
from typing import Any, Dict, NamedTuple, NoReturn, Optional, Tuple

from . import _core


class Type(NamedTuple):
    """What items are. `code` is their number in _core.TYPES, by which the engine knows them; bool is stored as uint8."""

    name: str
    code: int
    size: int  # bytes
    kind: str  # b (bool), i, u, f

    @property
    def is_half(self) -> bool:
        return self.kind == "f" and self.size == 2

    @property
    def is_narrow_integer(self) -> bool:
        return self.kind != "f" and self.size < 8

    @property
    def is_wide_integer(self) -> bool:
        return self.kind != "f" and self.size == 8

    @property
    def smallest(self) -> int:
        """The smallest integer of a type of integers, or of bool."""
        return -(1 << (8 * self.size - 1)) if self.kind == "i" else 0

    @property
    def largest(self) -> int:
        return 1 if self.kind == "b" else (1 << (8 * self.size - (self.kind == "i"))) - 1


def _type(name: str) -> Type:
    stored = "uint8" if name == "bool" else name
    size = int("".join(c for c in stored if c.isdigit())) // 8
    kind = "b" if name == "bool" else "f" if "float" in name else name[0]
    return Type(name, _core.TYPES.index(stored), size, kind)


TYPES = {name: _type(name) for name in ("bool", *_core.TYPES)}
TYPES_IN_WORDS = "bool, an integer, or a float of 16 to 64 bits"
_CONVERT: Dict[str, Any] = {"b": bool, "i": int, "u": int, "f": float}
OPERATORS = {name: number for number, name in enumerate(_core.OPERATORS)}


def computed(of: Type, combines: bool = False) -> Type:
    """The type in which the engine is given items of type `of` to calculate with: for bool int32, in which sums of True are
    not 0. With `combines`, the results are combined with something else afterwards: then floats of 16 bits are float32
    until that is done, so that they are rounded once."""
    if of.is_half and combines:
        return TYPES["float32"]
    return TYPES["int32"] if of.kind == "b" else of


def engine_init(init: Any, of: Type) -> Any:
    """An initial value as _core takes it: for floats of 16 bits their bits."""
    if init is None or not of.is_half:
        return init
    packed = struct.pack("<e", init) if of.name == "float16" else struct.pack("<f", init)[2:]
    return int.from_bytes(packed, "little")


# ---- errors: they name the function and the argument, and come before anything is written
def wrong_type(function: str, argument: str, what: str) -> NoReturn:
    raise TypeError(f"onepass.{function}: {argument} {what}")


def wrong_value(function: str, argument: str, what: str) -> NoReturn:
    raise ValueError(f"onepass.{function}: {argument} {what}")


# ---- arguments
def items_of(function: str, arrays: Any, argument: str, x: Any) -> Tuple[Any, Type]:
    """x as an array whose items are compared or calculated with, and their type."""
    x = arrays.array(function, argument, x)
    of = arrays.type_of(function, argument, x)
    return (arrays.as_bools(x) if of.kind == "b" else x), of


def constant(function: str, argument: str, value: Any) -> Any:
    """What is to be a number. It is no tensor with a gradient, as that would be lost without a word."""
    if hasattr(value, "requires_grad"):
        from ._torch_arrays import without_gradient

        return without_gradient(function, argument, value)
    return value


def number_of(function: str, argument: str, value: Any, of: Type) -> Any:
    """A number as Python has it. One that a type of integers cannot hold is refused, and fractions are dropped there."""
    value = constant(function, argument, value)
    try:
        number = value.item() if hasattr(value, "item") else value
        if hasattr(number, "__float__"):  # text has none
            number = _CONVERT[of.kind](number)
            if of.kind == "f" or of.smallest <= number <= of.largest:
                return number
    except (TypeError, ValueError, OverflowError, RuntimeError):
        pass
    wrong_value(function, argument, f"is {value!r}, which is no {of.name}")


def named_operator(function: str, op: Any) -> int:
    """The operator's number."""
    number = OPERATORS.get(op) if isinstance(op, str) else None
    if number is None:
        wrong_value(function, "op", f"is {op!r}, not one of {', '.join(OPERATORS)}")
    return number


def operator_number(function: str, op: Any, of: Type) -> int:
    """The operator's number, for items of a type."""
    number = named_operator(function, op)
    if op.startswith("bitwise") and of.kind == "f":
        wrong_type(function, "op", f"is {op}, which is not for {of.name}")
    return number


def axis_number(function: str, axis: Any, dimensions: int) -> int:
    """The axis from 0 on. An array without dimensions counts as one of a single item."""
    try:
        number = operator.index(axis)
    except TypeError:
        wrong_type(function, "axis", f"is {axis!r}, not an integer or None")
    dimensions = max(dimensions, 1)
    if not -dimensions <= number < dimensions:
        wrong_value(function, "axis", f"is {number}, and the array has {dimensions} dimensions")
    return number % dimensions


def result_size(function: str, size: Any) -> int:
    try:
        number = operator.index(size)
    except TypeError:
        wrong_type(function, "size", f"is {size!r}, not an integer or None")
    if not 0 <= number < 1 << 48:
        wrong_value(function, "size", f"is {number}, below 0 or more than any memory has")
    return number


def is_on_cuda(x: Any) -> bool:
    """Whether x says that it is an array on CUDA."""
    try:
        return hasattr(x, "__cuda_array_interface__")
    except RuntimeError:  # PyTorch's, for a tensor on CUDA that requires a gradient
        return True


def one_dimensional(function: str, argument: str, x: Any) -> None:
    if x.ndim != 1:
        wrong_value(function, argument, f"has {x.ndim} dimensions, not one")


def same_shape(function: str, argument: str, x: Any, other: Any) -> None:
    if tuple(x.shape) != tuple(other.shape):
        wrong_value(function, argument, f"has shape {tuple(x.shape)}, not {tuple(other.shape)}")


class Columns(NamedTuple):
    """An array seen along one axis: neighbours on it stand `width` items apart, and `height` of them make a column."""

    items: Any  # contiguous
    width: int
    height: int
    axis: int
    are_a_row: bool  # all items are one column


def as_columns(function: str, arrays: Any, x: Any, axis: Optional[int], of: Type) -> Columns:
    """x along an axis, as items of type `of`; None: one row of all items."""
    number = 0 if axis is None else axis_number(function, axis, x.ndim)
    items = arrays.cast(x.reshape(-1) if axis is None or x.ndim == 0 else x, of)
    height, width = items.shape[number], math.prod(items.shape[number + 1:])
    return Columns(items, width, height, number, width * height == arrays.size(items) and width == 1)


class Rows(NamedTuple):
    """An array seen as rows along one axis."""

    items: Any  # contiguous, the axis last
    number: int
    length: int
    axis: int


def as_rows(function: str, arrays: Any, x: Any, axis: Optional[int], of: Type) -> Rows:
    """x's rows along an axis, as items of type `of`; None: one row of all items."""
    if axis is None or x.ndim == 0:
        if axis is not None:
            axis_number(function, axis, 0)
        flat = x.reshape(-1)
        number = 0
    else:
        number = axis_number(function, axis, x.ndim)
        flat = x if number == x.ndim - 1 else arrays.move_axis(x, number, -1)
    items = arrays.cast(flat, of)
    length = items.shape[-1]
    total = arrays.size(items)
    return Rows(items, total // length if length else 0, length, number)


def from_rows(arrays: Any, rows: Rows, items: Any) -> Any:
    """The array whose rows are `items`, with the axis where it was."""
    if rows.axis == items.ndim - 1:
        return items
    return arrays.contiguous(arrays.move_axis(items, -1, rows.axis))
