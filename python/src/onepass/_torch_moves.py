# SPDX-License-Identifier: Apache-2.0
"""Compressions, sorts, selections and segment sums of tensors with gradients (onepass.torch says what they are)."""
# Without annotations from __future__: PyTorch 2.5 cannot read "Tuple" in those of an operator where they are strings.
from typing import Any, Optional, Tuple

import torch

from . import _gradients
from ._arrays import axis_number, one_dimensional
from ._torch_arrays import TORCH, dense
from ._torch_scans import padded


# ---- compress
@torch.library.custom_op("onepass::compress", mutates_args=())
def compress_operator(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    from ._select import compress

    result: torch.Tensor = compress(x.detach(), mask.detach())
    return result


@compress_operator.register_fake
def _(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return x.new_empty(torch.library.get_ctx().new_dynamic_size())


def _keep_mask(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
    ctx.save_for_backward(inputs[1])


def _compress_backward(ctx: Any, gradient: torch.Tensor) -> Any:
    mask, = ctx.saved_tensors
    return gradient.new_zeros(mask.shape).masked_scatter(mask, gradient), None


compress_operator.register_autograd(_compress_backward, setup_context=_keep_mask)


# ---- sort
@torch.library.custom_op("onepass::sort", mutates_args=())
def sort_operator(x: torch.Tensor, dim: int, descending: bool) -> Tuple[torch.Tensor, torch.Tensor]:
    from ._sort import argsort

    x = x.detach()
    order: torch.Tensor = argsort(x, axis=dim, descending=descending)
    return TORCH.take_along(x, order, dim), order


@sort_operator.register_fake
def _(x: torch.Tensor, dim: int, descending: bool) -> Tuple[torch.Tensor, torch.Tensor]:
    values = torch.empty_like(x, memory_format=torch.contiguous_format)
    return values, torch.empty_like(values, dtype=torch.int64)


def _keep_order(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.dim, ctx.shape = inputs[1], inputs[0].shape
    ctx.save_for_backward(output[1])
    ctx.mark_non_differentiable(output[1])


def _sort_backward(ctx: Any, gradient: torch.Tensor, _: Any) -> Any:
    order, = ctx.saved_tensors
    return gradient.new_zeros(ctx.shape).scatter(ctx.dim, order, gradient), None, None


sort_operator.register_autograd(_sort_backward, setup_context=_keep_order)


# ---- the k first
@torch.library.custom_op("onepass::top_k", mutates_args=())
def top_k_operator(x: torch.Tensor, k: int, dim: int, largest: bool, sorted: bool) -> Tuple[torch.Tensor, torch.Tensor]:
    from ._top_k import top_k

    items, indices = top_k(x.detach(), k, dim, largest, sorted)
    return items, indices


@top_k_operator.register_fake
def _(x: torch.Tensor, k: int, dim: int, largest: bool, sorted: bool) -> Tuple[torch.Tensor, torch.Tensor]:
    shape = list(x.shape)
    shape[dim] = k
    return x.new_empty(shape), x.new_empty(shape, dtype=torch.int64)


def _keep_indices(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.dim, ctx.shape = inputs[2], inputs[0].shape
    ctx.save_for_backward(output[1])
    ctx.mark_non_differentiable(output[1])


def _top_k_backward(ctx: Any, gradient: torch.Tensor, _: Any) -> Any:
    return *_sort_backward(ctx, gradient, _), None, None


top_k_operator.register_autograd(_top_k_backward, setup_context=_keep_indices)


# ---- segment sums
@torch.library.custom_op("onepass::segment_sum", mutates_args=())
def segment_sum_operator(x: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    from ._reduce import segment_reduce

    result: torch.Tensor = segment_reduce(x.detach(), offsets.detach())
    return result


@segment_sum_operator.register_fake
def _(x: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    dtype = x.dtype if x.is_floating_point() else torch.int64
    return x.new_empty(torch.sym_max(offsets.shape[0] - 1, 0), dtype=dtype)


def _keep_offsets(ctx: Any, inputs: Any, output: torch.Tensor) -> None:
    ctx.items = inputs[0].shape[0]
    ctx.save_for_backward(inputs[1])


def _segment_sum_backward(ctx: Any, gradient: torch.Tensor) -> Any:
    offsets, = ctx.saved_tensors
    # The segment of each item; items in front of the first segment and behind the last have none.
    segment = torch.searchsorted(offsets.to(torch.int64), torch.arange(ctx.items, device=offsets.device), right=True) - 1
    return _gradients.of_segment_sums(gradient, segment, torch.where, padded), None


segment_sum_operator.register_autograd(_segment_sum_backward, setup_context=_keep_offsets)


# ---- where onepass's functions use them
def compress(function: str, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    result: torch.Tensor = compress_operator(dense(function, "x", x), dense(function, "mask", mask))
    return result


def sort(function: str, x: torch.Tensor, axis: Optional[int], descending: bool) -> torch.Tensor:
    x = dense(function, "x", x)
    TORCH.type_of(function, "x", x)
    if axis is None:
        x, axis = x.reshape(-1), 0
    values: torch.Tensor = sort_operator(x, axis_number(function, axis, x.ndim), bool(descending))[0]
    return values


def top_k(function: str, x: torch.Tensor, k: Any, axis: Optional[int], largest: bool, sorted: bool) -> Any:
    from ._top_k import result_count

    x = dense(function, "x", x)
    if axis is None or x.ndim == 0:
        x, axis = x.reshape(-1), 0 if axis is None else axis_number(function, axis, 0)
    dim = axis_number(function, axis, x.ndim)
    return top_k_operator(x, result_count(function, k, x.shape[dim]), dim, bool(largest), bool(sorted))


def segment_sum(function: str, x: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    one_dimensional(function, "x", dense(function, "x", x))
    result: torch.Tensor = segment_sum_operator(x, dense(function, "offsets", offsets))
    return result
