# SPDX-License-Identifier: Apache-2.0
"""CuPy's arrays: what differs from NumPy's. CuPy has NumPy's types and rules, and NumPy's functions hand CuPy's arrays over to
CuPy's own, so that most methods of NumpyArrays serve both.

Calls run in CuPy's current stream and take memory from CuPy's current allocator. As with CuPy's own functions, an array has to
be on the current device.
"""
from __future__ import annotations

import math
from typing import Any, Dict, List, Sequence, Tuple

import cupy
import numpy as np
from cupy.cuda import runtime

from . import _core
from ._arrays import Type, wrong_type, wrong_value
from ._numpy_arrays import DTYPES, NUMPY, NumpyArrays

# Memory that calls hold, by its address: CuPy takes it back when its object goes.
_HELD: Dict[int, Any] = {}
# A copy whose NaNs are all the same one.
_ONE_NAN = cupy.ElementwiseKernel("T x", "T y", "y = isnan(x) ? T(__int_as_float(0x7fc00000)) : x", "onepass_one_nan")
# Streams that were used, by device and handle. They hold no resource of CUDA's.
_STREAMS: Dict[Tuple[int, int], Any] = {}


def _exchange_device(device: int) -> int:
    before: int = runtime.getDevice()
    if before != device:
        runtime.setDevice(device)
    return before


def _allocate(size: int, stream: int) -> int:
    memory = cupy.cuda.alloc(size)
    _HELD[memory.ptr] = memory
    return int(memory.ptr)


class CupyArrays(NumpyArrays):
    """The methods are those of NumpyArrays, which says what they do."""

    # ---- what an array is
    @staticmethod
    def is_plain(x: Any) -> bool:
        return bool(x.flags.c_contiguous) and x.ndim > 0 and _core.BUILT_WITH_CUDA and x.device.id == runtime.getDevice()

    @staticmethod
    def array(function: str, argument: str, x: Any) -> Any:
        if not isinstance(x, cupy.ndarray):
            wrong_type(function, argument, f"is {type(x).__name__}, not a CuPy array as the other arguments")
        if not _core.BUILT_WITH_CUDA:
            wrong_type(function, argument, "is a CuPy array, and this onepass was built without CUDA")
        if x.device.id != runtime.getDevice():
            wrong_value(function, argument, f"is on CUDA device {x.device.id}, and the current one is {runtime.getDevice()}")
        return x

    @staticmethod
    def where(x: Any) -> Any:
        device, handle = runtime.getDevice(), cupy.cuda.get_current_stream().ptr
        known = _STREAMS.get((device, handle))
        if known is None:
            if len(_STREAMS) > 1000:
                _STREAMS.clear()
            known = _STREAMS[device, handle] = _core.CudaStream(handle, device, _exchange_device, _allocate, _HELD.__delitem__)
        return known

    @staticmethod
    def address(x: Any) -> Any:
        return x.data.ptr

    @staticmethod
    def bytes_of(x: Any) -> Any:
        return x.data.ptr

    @staticmethod
    def overlap(x: Any, y: Any) -> bool:
        return x.size == 0 or bool(cupy.may_share_memory(x, y))

    @staticmethod
    def as_bools(x: Any) -> Any:
        return x  # to look at the bytes would have to wait for the device

    # ---- new arrays
    @staticmethod
    def empty(like: Any, shape: Sequence[int], of: Type) -> Any:
        return cupy.empty(shape, DTYPES[of])

    @staticmethod
    def empty_like(x: Any) -> Any:
        return cupy.empty_like(x)

    @staticmethod
    def empty_like_items(like: Any, length: int) -> Any:
        return cupy.empty(length, like.dtype)

    @staticmethod
    def contiguous(x: Any) -> Any:
        return cupy.ascontiguousarray(x) if x.ndim else x

    @staticmethod
    def cast(x: Any, of: Type) -> Any:
        return cupy.ascontiguousarray(x, DTYPES[of]) if x.ndim else x.astype(DTYPES[of], copy=False)

    @staticmethod
    def row_offsets(like: Any, rows: int, length: int) -> Any:
        return cupy.arange(0, rows * length + 1, length, dtype=np.int64)

    @staticmethod
    def row_indices(like: Any, rows: int, length: int) -> Any:
        return cupy.tile(cupy.arange(length, dtype=np.uint32), rows)

    @staticmethod
    def fresh_keys(x: Any, is_copy: bool) -> Any:
        if x.dtype.kind == "f":
            return CupyArrays.sort_keys(x)
        return x if is_copy else x.copy()

    @staticmethod
    def sort_keys(x: Any) -> Any:
        # To ask first whether there is a NaN would have to wait for the device.
        return _ONE_NAN(x) if x.dtype.kind == "f" else x

    # ---- scalars
    @staticmethod
    def item(function: str, argument: str, value: Any, like: Any) -> Any:
        return NUMPY.item(function, argument, value.item() if isinstance(value, cupy.ndarray) else value, like)

    # ---- output arguments
    @staticmethod
    def check_out(function: str, out: Any, shape: Sequence[int], of: Type) -> None:
        CupyArrays.array(function, "out", out)
        if out.dtype != DTYPES[of]:
            wrong_type(function, "out", f"has dtype {out.dtype}, not {of.name}")
        if out.shape != tuple(shape):
            wrong_value(function, "out", f"has shape {out.shape}, not {tuple(shape)}")

    @staticmethod
    def is_contiguous(x: Any) -> bool:
        return bool(x.flags.c_contiguous)

    # ---- for selections
    @staticmethod
    def flags(x: Any) -> Any:
        return cupy.ascontiguousarray(x if x.dtype == np.bool_ else x != 0).reshape(-1)

    @staticmethod
    def shifted_flags(flags: Any) -> Any:
        return cupy.concatenate([flags[1:], cupy.ones(1, np.bool_)])[:flags.size]

    @staticmethod
    def shortens(size: int) -> bool:
        return size <= 1 << 20  # a count is a kernel, a copy and a wait; a result keeps no more memory than this

    @staticmethod
    def count(flags: Any) -> int:
        return _core.count_flags(CUPY.where(flags), flags.data.ptr, flags.size) if flags.size else 0

    @staticmethod
    def coordinates(positions: Any, shape: Sequence[int]) -> Any:
        """As cupy.unravel_index, which waits twice to see whether positions are within the shape."""
        if len(shape) == 1:
            return (positions,)
        axes: List[Any] = []
        for length in reversed(shape):
            axes.append(positions % max(length, 1))
            positions = positions // max(length, 1)
        return tuple(reversed(axes))

    @staticmethod
    def first(x: Any, count: Any, size: int, fill: Any) -> Any:
        result = cupy.full(size, fill, x.dtype)
        kept = min(size, x.size)
        result[:kept] = cupy.where(cupy.arange(kept) < count, x[:kept], result[:kept])
        return result

    @staticmethod
    def counter(like: Any) -> Any:
        return cupy.zeros(1, np.int64)

    @staticmethod
    def heads(x: Any) -> Any:
        heads = cupy.ones(x.size, np.bool_)
        if x.size > 1:
            cupy.not_equal(x[1:], x[:-1], out=heads[1:])
        return heads

    # ---- for histograms
    @staticmethod
    def even_edges(x: Any, of: Type, lower: Any, upper: Any, number: int, given: Any) -> Any:
        if given is not None:
            given = [value.item() if isinstance(value, cupy.ndarray) else value for value in given]
        return cupy.asarray(NUMPY.even_edges(np.empty(0, x.dtype), of, lower, upper, number, given))

    @staticmethod
    def next_after(x: Any) -> Any:
        return cupy.nextafter(x, x.dtype.type(math.inf)) if x.dtype.kind == "f" else NumpyArrays.next_after(x)

    # ---- segments
    @staticmethod
    def check_offsets(function: str, argument: str, offsets: Any, n: int) -> None:
        """Nothing: to look at them would have to wait for the device."""


CUPY = CupyArrays()
