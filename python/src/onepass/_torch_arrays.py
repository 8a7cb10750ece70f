# SPDX-License-Identifier: Apache-2.0
"""PyTorch's tensors: how calls look at them and make them. The methods are those of NumpyArrays, which says what they do.

On CUDA calls run in the current stream of the tensor's device, and take memory from PyTorch's allocator. Many of PyTorch's
operations do not take unsigned integers of 16 to 64 bits, so that these are moved and compared as signed ones (_moved).
This file is over 300 lines because it has all of these methods.
"""
from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Tuple

import numpy as np
import torch
from torch.autograd import forward_ad

from . import _core
from ._arrays import TYPES, TYPES_IN_WORDS, Type, constant, wrong_type, wrong_value
from ._numpy_arrays import NUMPY

_TYPES = {getattr(torch, name): of for name, of in TYPES.items() if hasattr(torch, name)}
_DTYPES = {of: dtype for dtype, of in _TYPES.items()}
_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}

_COMBINE: Any = {
    "sum": torch.add, "prod": torch.mul, "min": torch.minimum, "max": torch.maximum, "bitwise_and": torch.bitwise_and,
    "bitwise_or": torch.bitwise_or, "bitwise_xor": torch.bitwise_xor,
}


def _moved(x: torch.Tensor) -> torch.Tensor:
    """The same bits in a type that all operations take."""
    return x.view(_SIGNED[x.dtype]) if x.dtype in _SIGNED else x


def _bits(x: torch.Tensor) -> torch.Tensor:
    """The same bits of items that are only moved. For floats of 8 bits PyTorch has few operations."""
    return x.view(torch.uint8) if x.element_size() == 1 else _moved(x)


def _extent(x: torch.Tensor) -> Tuple[int, int]:
    """The addresses between which x has its items; two tensors of different storages may share memory."""
    begin = x.data_ptr()
    if x.numel() == 0:
        return begin, begin
    return begin, begin + (sum((n - 1) * stride for n, stride in zip(x.shape, x.stride())) + 1) * x.element_size()


_raw_stream: Any = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # not there in a build for the CPU alone
_increment_version: Any = getattr(torch.autograd.graph, "increment_version", None)  # not there in old versions
_unpack_dual: Any = forward_ad.unpack_dual
_is_functorch = torch._C._functorch.is_functorch_wrapped_tensor
_is_legacy_batch = torch._C._functorch.is_legacy_batchedtensor
_is_tracing = torch._C._is_tracing
_modes, _function_modes = torch._C._len_torch_dispatch_stack, torch._C._len_torch_function_stack
_mode = torch._C._get_dispatch_mode
_is_included = torch._C._dispatch_tls_is_dispatch_key_included
_PROXY, _PRE_DISPATCH = torch._C._TorchDispatchModeKey.PROXY, torch._C.DispatchKey.PreDispatch
_is_dynamo_compiling = torch.compiler.is_dynamo_compiling  # not while a tensor without memory is exported
_is_grad_enabled = torch.is_grad_enabled
_strided = torch.strided
_OWN_TYPES = (torch.Tensor, torch.nn.Parameter)
# Streams that were used, by device and handle. They hold no resource of CUDA's.
_STREAMS: Dict[Tuple[int, int], Any] = {}


def _stream(index: int) -> Any:
    """PyTorch's current stream of a device, for _core."""
    raw = _raw_stream(index)
    known = _STREAMS.get((index, raw))
    if known is None:
        if len(_STREAMS) > 1000:
            _STREAMS.clear()
        known = _STREAMS[index, raw] = _core.CudaStream(
            raw, index, torch.cuda._exchange_device, torch._C._cuda_cudaCachingAllocator_raw_alloc,
            torch._C._cuda_cudaCachingAllocator_raw_delete)
    return known


def is_wrapped(x: torch.Tensor) -> bool:
    """Whether x is within torch.func's transformations, or a batch of gradients (is_grads_batched)."""
    return _is_functorch(x) or _is_legacy_batch(x)


def is_recorded() -> bool:
    """Whether torch.jit.trace or make_fx records PyTorch's operations. They do not see what _core does."""
    return _is_tracing() or (_modes() > 0 and _mode(_PROXY) is not None) or \
        (_function_modes() > 0 and _is_included(_PRE_DISPATCH))


def dense(function: str, argument: str, x: Any) -> torch.Tensor:
    """x as a tensor that calls and operators take."""
    if not isinstance(x, torch.Tensor):
        wrong_type(function, argument, f"is {type(x).__name__}, not a tensor as the other arguments")
    if x.layout != torch.strided or x.is_nested:
        wrong_type(function, argument, "is not dense")
    if x.is_quantized:
        wrong_type(function, argument, "is quantized")
    if forward_ad._current_level >= 0 and _unpack_dual(x).tangent is not None:
        wrong_type(function, argument, "has a tangent: forward mode has no gradients here")
    return x


def without_gradient(function: str, argument: str, x: Any) -> torch.Tensor:
    """The same for calls that have no gradient."""
    x = dense(function, argument, x)
    if x.requires_grad and torch.is_grad_enabled():
        wrong_type(function, argument, f"requires a gradient, which this call has not; pass {argument}.detach()")
    return x


def _has_memory(x: torch.Tensor) -> bool:
    """Whether x has items: fake tensors, those within torch.func's transformations and PyTorch's zeros have none."""
    if is_wrapped(x) or x._is_zerotensor():
        return False
    if type(x) in _OWN_TYPES or x.numel() == 0:
        return True
    try:
        return x.untyped_storage().data_ptr() != 0
    except RuntimeError:
        return False


def _operators() -> Any:
    """onepass.torch, which is imported when it is needed. By a statement: torch.compile traces that, and not importlib."""
    from . import torch as operators

    return operators


def _is_ours(x: torch.Tensor) -> bool:
    return x.is_cuda and _core.BUILT_WITH_CUDA


def _uncompiled() -> Any:
    from . import _torch_uncompiled as functions

    return functions


class TorchArrays:
    @property
    def functions(self) -> Any:
        """Where torch.compile traces a call, the functions outside its graphs."""
        return _uncompiled() if _is_dynamo_compiling() else None

    # ---- what an array is
    @staticmethod
    def is_traced(*given: Any) -> bool:
        """Whether a gradient is recorded, or the call is compiled, vectorised, recorded or on tensors without memory.
        torch.compiler.is_compiling would also be true while another thread compiles, and while the operator itself runs."""
        if _is_dynamo_compiling() or is_recorded():
            return True
        for x in given:
            if isinstance(x, torch.Tensor) and ((x.requires_grad and torch.is_grad_enabled()) or type(x) not in _OWN_TYPES or
                                                is_wrapped(x)):
                return True
        return False

    @staticmethod
    def is_plain(x: torch.Tensor) -> bool:
        # is_wrapped, is_recorded and _is_ours are written out here: a call of a function takes a hundredth of a small scan's time.
        return not _is_dynamo_compiling() and not (x.requires_grad and _is_grad_enabled()) and x.layout is _strided and \
            forward_ad._current_level < 0 and not x.is_nested and x.is_contiguous() and x.ndim > 0 and not x.is_neg() and \
            not x._is_zerotensor() and not _is_functorch(x) and not _is_legacy_batch(x) and not _is_tracing() and \
            not _modes() and not (_function_modes() and _is_included(_PRE_DISPATCH)) and \
            ((x.is_cuda and _core.BUILT_WITH_CUDA) or x.is_cpu)

    @staticmethod
    def has_type(x: torch.Tensor) -> bool:
        return x.dtype in _TYPES

    @staticmethod
    def traced(operator: str, function: str, *arguments: Any) -> Any:
        """A function's call through an operator."""
        return getattr(_operators(), operator)(function, *arguments)

    @staticmethod
    def traced_recurrence(a: Any, b: Any, axis: Any, reverse: bool, init: Any) -> torch.Tensor:
        result: torch.Tensor = _operators().linear_recurrence(a, b, axis, reverse, init)
        return result

    @staticmethod
    def array(function: str, argument: str, x: Any) -> torch.Tensor:
        if type(x) is torch.Tensor and TORCH.is_plain(x) and not x.is_conj() and not x.is_quantized:
            return x  # most are, and it is found out in half the time
        x = without_gradient(function, argument, x)
        if x.device.type not in ("cpu", "cuda"):
            wrong_type(function, argument, f"is on {x.device}, and onepass knows cpu and cuda")
        if x.is_cuda and not _core.BUILT_WITH_CUDA:
            wrong_type(function, argument, f"is on {x.device}, and this onepass was built without CUDA")
        if not _has_memory(x):
            wrong_type(function, argument, "has no memory of its own, and this call has no operator of PyTorch's")
        if is_recorded():
            wrong_type(function, argument, "is recorded by torch.jit.trace or make_fx, and this call has no operator of "
                       "PyTorch's")
        # Conjugated and negated tensors may say so without having changed their memory.
        return x.resolve_conj().resolve_neg() if x.is_conj() or x.is_neg() else x

    @staticmethod
    def type_of(function: str, argument: str, x: torch.Tensor) -> Type:
        of = _TYPES.get(x.dtype)
        if of is None:
            wrong_type(function, argument, f"has dtype {x.dtype}, not {TYPES_IN_WORDS}")
        return of

    @staticmethod
    def named_type(function: str, argument: str, dtype: Any) -> Type:
        of = TYPES.get(dtype) if isinstance(dtype, str) else _TYPES.get(dtype) if isinstance(dtype, torch.dtype) else None
        if of is None:
            wrong_type(function, argument, f"is {dtype!r}, not {TYPES_IN_WORDS}")
        return of

    @staticmethod
    def accumulated(of: Type, op: str) -> Type:
        """PyTorch's rule: all integers become int64."""
        return TYPES["int64"] if op in ("sum", "prod") and of.kind != "f" else of

    @staticmethod
    def movable_bytes(function: str, argument: str, x: torch.Tensor) -> int:
        if x.element_size() not in (1, 2, 4, 8):
            wrong_type(function, argument, f"has dtype {x.dtype}, whose items are not 1, 2, 4 or 8 bytes")
        return x.element_size()

    @staticmethod
    def item_bytes(x: torch.Tensor) -> int:
        return x.element_size()

    size = staticmethod(torch.Tensor.numel)

    @staticmethod
    def is_bool(x: torch.Tensor) -> bool:
        return x.dtype == torch.bool

    @staticmethod
    def where(x: torch.Tensor) -> Any:
        index = x.get_device()
        return None if index < 0 else _stream(index)

    address = staticmethod(torch.Tensor.data_ptr)

    @staticmethod
    def bytes_of(x: torch.Tensor) -> int:
        return x.data_ptr()

    @staticmethod
    def same_device(function: str, argument: str, x: torch.Tensor, other: torch.Tensor) -> None:
        if x.device != other.device:
            wrong_value(function, argument, f"is on {x.device}, not on {other.device}")

    @staticmethod
    def overlap(x: torch.Tensor, y: torch.Tensor) -> bool:
        (x_begin, x_end), (y_begin, y_end) = _extent(x), _extent(y)
        return x.numel() == 0 or (x_begin < y_end and y_begin < x_end)

    @staticmethod
    def as_bools(x: torch.Tensor) -> torch.Tensor:
        return x  # to look at the bytes would have to wait for the device; PyTorch makes 0 and 1 alone

    # ---- new arrays
    @staticmethod
    def empty(like: torch.Tensor, shape: Sequence[int], of: Type) -> torch.Tensor:
        return torch.empty(shape, dtype=_DTYPES[of], device=like.device)

    empty_like = staticmethod(torch.empty_like)

    @staticmethod
    def empty_like_items(like: torch.Tensor, length: int) -> torch.Tensor:
        return torch.empty(length, dtype=like.dtype, device=like.device)

    @staticmethod
    def contiguous(x: torch.Tensor) -> torch.Tensor:
        return x.contiguous()

    @staticmethod
    def copy(x: torch.Tensor) -> torch.Tensor:
        return x.clone(memory_format=torch.contiguous_format)

    @staticmethod
    def cast(x: torch.Tensor, of: Type) -> torch.Tensor:
        return x.to(_DTYPES[of]).contiguous().resolve_neg()

    @staticmethod
    def move_axis(x: torch.Tensor, source: int, to: int) -> torch.Tensor:
        return x.movedim(source, to)

    @staticmethod
    def flipped(x: torch.Tensor, axis: int) -> torch.Tensor:
        return _moved(x).flip(axis).view(x.dtype)

    @staticmethod
    def row_offsets(like: torch.Tensor, rows: int, length: int) -> torch.Tensor:
        return torch.arange(0, rows * length + 1, length, dtype=torch.int64, device=like.device)

    @staticmethod
    def row_indices(like: torch.Tensor, rows: int, length: int) -> torch.Tensor:
        return torch.arange(length, dtype=torch.int32, device=like.device).repeat(rows)

    @staticmethod
    def fresh_keys(x: torch.Tensor, is_copy: bool) -> torch.Tensor:
        if x.is_floating_point():
            return torch.nan_to_num(x, float("nan"), float("inf"), float("-inf"))
        return x if is_copy else TorchArrays.copy(x)

    @staticmethod
    def sort_keys(x: torch.Tensor) -> torch.Tensor:
        # To ask first whether there is a NaN would have to wait for the device.
        return torch.nan_to_num(x, float("nan"), float("inf"), float("-inf")) if x.is_floating_point() else x

    # ---- scalars
    @staticmethod
    def scalar(function: str, argument: str, value: Any, of: Type) -> Any:
        if of.name != "bfloat16":
            return NUMPY.scalar(function, argument, value, of)
        number = NUMPY.scalar(function, argument, value, TYPES["float32"])
        return torch.tensor(number, dtype=torch.bfloat16, device="cpu").item()

    @staticmethod
    def item(function: str, argument: str, value: Any, like: torch.Tensor) -> Any:
        of = _TYPES.get(like.dtype)
        if of is not None:
            return TORCH.scalar(function, argument, value, of)
        value = constant(function, argument, value)
        try:
            return torch.tensor(value, dtype=like.dtype, device="cpu").item()
        except (TypeError, ValueError, OverflowError, RuntimeError):
            wrong_value(function, argument, f"is {value!r}, which is no {like.dtype}")

    @staticmethod
    def combine(op: str, x: torch.Tensor, value: Any) -> None:
        items, turn = _moved(x), 0
        if x.dtype in _SIGNED:
            # Unsigned integers with the highest bit turned over have the order of signed ones.
            half = -torch.iinfo(items.dtype).min
            turn = -half if op in ("min", "max") else 0
            value = (value + turn + half) % (2 * half) - half
        operand = torch.full((), value, dtype=items.dtype, device=x.device)  # to copy it there would wait
        if turn:
            items.bitwise_xor_(turn)
        _COMBINE[op](items, operand, out=items)
        if turn:
            items.bitwise_xor_(turn)

    # ---- output arguments
    @staticmethod
    def check_out(function: str, out: Any, shape: Sequence[int], of: Type) -> None:
        dense(function, "out", out)
        if not _has_memory(out):
            wrong_type(function, "out", "has no memory of its own")
        if out.dtype != _DTYPES[of]:
            wrong_type(function, "out", f"has dtype {out.dtype}, not {_DTYPES[of]}")
        if tuple(out.shape) != tuple(shape):
            wrong_value(function, "out", f"has shape {tuple(out.shape)}, not {tuple(shape)}")
        if out.requires_grad:
            wrong_value(function, "out", "requires a gradient")
        if out.numel() and any(n > 1 and stride == 0 for n, stride in zip(out.shape, out.stride())):
            wrong_value(function, "out", "has items in one place of its memory")

    @staticmethod
    def is_contiguous(x: torch.Tensor) -> bool:
        return x.is_contiguous() and not x.is_neg()

    @staticmethod
    def copy_to(out: torch.Tensor, x: torch.Tensor) -> None:
        with torch.inference_mode(out.is_inference() or torch.is_inference_mode_enabled()):
            out.copy_(x)

    @staticmethod
    def was_written(out: torch.Tensor) -> None:
        """Autograd then finds that a tensor that it has saved was changed."""
        if _increment_version is not None and not out.is_inference():
            _increment_version(out)

    # ---- for selections
    @staticmethod
    def flags(x: torch.Tensor) -> torch.Tensor:
        flags = x if x.dtype == torch.bool else _moved(x) != 0
        return flags if flags.ndim == 1 and flags.is_contiguous() else flags.contiguous().reshape(-1)

    @staticmethod
    def shifted_flags(flags: torch.Tensor) -> torch.Tensor:
        return torch.cat([flags[1:], torch.ones(1, dtype=torch.bool, device=flags.device)])[:flags.numel()]

    @staticmethod
    def shortens(size: int) -> bool:
        return size <= 1 << 20  # on CUDA a count is a kernel, a copy and a wait

    @staticmethod
    def shortened(x: torch.Tensor, length: int) -> torch.Tensor:
        """A copy, as torch.save writes all of a tensor's memory, also what nobody has written to."""
        return torch.narrow_copy(x, 0, 0, length)

    @staticmethod
    def count(flags: torch.Tensor) -> int:
        return _core.count_flags(TORCH.where(flags), flags.data_ptr(), flags.numel())

    @staticmethod
    def coordinates(positions: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
        if len(shape) == 1:
            return positions.unsqueeze(1)
        if positions.numel() == 0:
            return positions.new_empty((0, len(shape)))
        return torch.stack(torch.unravel_index(positions, tuple(shape)), 1)

    @staticmethod
    def first(x: torch.Tensor, count: torch.Tensor, size: int, fill: Any) -> torch.Tensor:
        kept = min(size, x.numel())
        result = torch.full((size,), fill, dtype=x.dtype, device=x.device)
        keeps = torch.arange(kept, device=x.device) < count
        items, given = _moved(result)[:kept], _moved(x)[:kept]
        items.copy_(torch.where(keeps, given, items))
        return result

    @staticmethod
    def counter(like: torch.Tensor) -> Optional[torch.Tensor]:
        return torch.zeros(1, dtype=torch.int64, device=like.device)

    @staticmethod
    def heads(x: torch.Tensor) -> torch.Tensor:
        heads = torch.ones(x.numel(), dtype=torch.bool, device=x.device)
        items = _moved(x)
        if x.numel() > 1:
            torch.ne(items[1:], items[:-1], out=heads[1:])
        return heads

    @staticmethod
    def take(x: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
        return _bits(x)[indices].view(x.dtype)

    @staticmethod
    def take_along(x: torch.Tensor, indices: torch.Tensor, axis: int) -> torch.Tensor:
        return torch.gather(_bits(x), axis, indices).view(x.dtype)

    @staticmethod
    def scatter(values: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
        result = torch.empty_like(values)
        result[indices] = values
        return result

    @staticmethod
    def lengths(starts: torch.Tensor, end: int) -> torch.Tensor:
        return torch.diff(starts, append=starts.new_full((1,), end))

    @staticmethod
    def nan_runs(x: torch.Tensor) -> int:
        return 0

    # ---- for histograms
    @staticmethod
    def extremes(x: torch.Tensor) -> Any:
        if x.dtype in _SIGNED:
            return tuple(NUMPY.extremes(x.cpu().numpy()))
        lower, upper = x.min().item(), x.max().item()
        return (np.float32(lower), np.float32(upper)) if x.dtype.is_floating_point and x.dtype != torch.float64 else (lower, upper)

    @staticmethod
    def even_edges(x: torch.Tensor, of: Type, lower: Any, upper: Any, number: int, given: Any) -> torch.Tensor:
        dtype = np.float64 if of.kind != "f" else np.float32 if of.is_half else str(x.dtype)[6:]
        edges = NUMPY.even_edges(np.empty(0, dtype), of, lower, upper, number, None)
        if given is None:
            return torch.from_numpy(edges).to(x.device)  # waits, as a graph must not copy from memory that is gone
        # The same bits without a copy: the steps of numpy.linspace, for which the range's numbers are float64.
        lower, upper = float(lower), float(upper)
        made, step = torch.arange(number + 1, dtype=torch.float64, device=x.device), (upper - lower) / number
        made = made * step if step else made / number * (upper - lower)
        made += lower
        made[-1:].fill_(upper)
        return made.to(getattr(torch, edges.dtype.name))

    @staticmethod
    def edges_type(of: Type, edges: Type) -> Type:
        return NUMPY.edges_type(of, edges)

    @staticmethod
    def ascends(x: torch.Tensor) -> bool:
        return NUMPY.ascends(x.cpu().numpy()) if x.dtype in _SIGNED else bool((x[1:] >= x[:-1]).all())

    @staticmethod
    def are_largest(x: torch.Tensor) -> torch.Tensor:
        if x.is_floating_point():
            return x == float("inf")
        return _moved(x) == (-1 if x.dtype in _SIGNED else torch.iinfo(x.dtype).max)

    @staticmethod
    def next_after(x: torch.Tensor) -> torch.Tensor:
        if not x.is_floating_point():
            return (_moved(x) + ~TorchArrays.are_largest(x)).view(x.dtype)
        return torch.nextafter(x, torch.full_like(x, float("inf")))

    # ---- segments
    @staticmethod
    def check_offsets(function: str, argument: str, offsets: torch.Tensor, n: int) -> None:
        if not offsets.is_cuda and not _core.are_offsets(offsets.data_ptr(), offsets.numel(), n):
            wrong_value(function, argument, f"do not ascend from at least 0 to at most {n}")


TORCH = TorchArrays()
